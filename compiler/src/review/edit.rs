//! Answers written into the text of a file of answers. All else in it stays as it is, comments too; must not write
//! the file.

use std::fmt;

use provely_document::{Document, Format, Limits, Node, Span, read};

use crate::source::{Answer, read_review};

/// Why an answer cannot be written into a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditError {
    why: String,
}

impl fmt::Display for EditError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "the answer cannot be written into this file: {}", self.why)
    }
}

impl std::error::Error for EditError {}

/// The text with the answer: in the place of an earlier answer to the same question, else at the end.
///
/// # Errors
/// If the text is no list of answers, or the answer would not read back as it is.
pub fn write_answer(name: &str, text: &str, answer: &Answer) -> Result<String, EditError> {
    let mut wanted = if is_blank(text) { Vec::new() } else { answers(name, text)? };
    let edited = match wanted.iter_mut().find(|own| own.uncertainty == answer.uncertainty) {
        Some(own) => {
            own.clone_from(answer);
            replaced(name, text, answer)?
        }
        None => {
            wanted.push(answer.clone());
            appended(name, text, answer)?
        }
    };
    if answers(name, &edited)? == wanted {
        return Ok(edited);
    }
    Err(EditError { why: "it would not read back as it was given; edit the file by hand".to_owned() })
}

fn answers(name: &str, text: &str) -> Result<Vec<Answer>, EditError> {
    read_review(name, text).map_err(|finding| EditError { why: finding.to_string() })
}

/// True of a text without anything but comments.
fn is_blank(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}');
    text.lines().map(str::trim).all(|line| line.is_empty() || line.starts_with('#') || line == "---")
}

fn parsed(name: &str, text: &str) -> Result<Document, EditError> {
    read(name, text, Format::Auto, &Limits::default())
        .map_err(|finding| EditError { why: finding.to_string() })
}

/// The members of an answer other than what it answers, in the order of a new entry.
fn members(answer: &Answer) -> [(&'static str, &str); 4] {
    [
        ("answer", &answer.answer),
        ("assertion", &answer.assertion),
        ("reviewer", &answer.reviewer),
        ("date", &answer.date),
    ]
}

fn replaced(name: &str, text: &str, answer: &Answer) -> Result<String, EditError> {
    let document = parsed(name, text)?;
    let own = |entry: &Node<'_>| {
        entry.get("uncertainty").and_then(Node::as_str) == Some(answer.uncertainty.as_str())
    };
    let entry = document.root().items().find(own);
    let mut changes: Vec<(Span, String)> = Vec::new();
    for (member, value) in members(answer) {
        let node = entry.and_then(|entry| entry.get(member)).filter(|node| node.as_str() != Some(value));
        changes.extend(node.map(|node| (node.span(), quoted(value))));
    }
    changes.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    let mut text = text.to_owned();
    for (Span { start, end }, value) in changes {
        let (start, end) = (start as usize, end as usize);
        if !text.is_char_boundary(start) || !text.is_char_boundary(end) || start > end {
            return Err(EditError { why: "its places are not those of its text".to_owned() });
        }
        text.replace_range(start..end, &value);
    }
    Ok(text)
}

fn appended(name: &str, text: &str, answer: &Answer) -> Result<String, EditError> {
    if is_blank(text) {
        return Ok(ended(text) + &entry(answer, ""));
    }
    let document = parsed(name, text)?;
    let span = document.root().span();
    let list = text.get(span.start as usize..span.end as usize).unwrap_or_default();
    if !list.starts_with('[') {
        return Ok(ended(text) + &entry(answer, indent(text, span)));
    }
    let rest = text.get(span.end as usize..).unwrap_or_default();
    let before = text.get(..span.start as usize).unwrap_or_default();
    if document.root().is_empty() {
        let block = entry(answer, "");
        return Ok(format!("{before}{}{}", block.trim_end(), if rest.is_empty() { "\n" } else { rest }));
    }
    let inner = list.trim_end_matches(']').trim_end().trim_end_matches(',');
    let flow: Vec<String> = std::iter::once(("uncertainty", answer.uncertainty.as_str()))
        .chain(members(answer))
        .map(|(member, value)| format!("\"{member}\": {}", double(value)))
        .collect();
    Ok(format!("{before}{inner}, {{{}}}]{rest}", flow.join(", ")))
}

/// What stands before the dash of the first entry.
fn indent(text: &str, list: Span) -> &str {
    let before = text.get(..list.start as usize).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    if line.trim().is_empty() { line } else { "" }
}

fn ended(text: &str) -> String {
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{end}")
}

fn entry(answer: &Answer, indent: &str) -> String {
    let mut text = format!("{indent}- uncertainty: {}\n", quoted(&answer.uncertainty));
    for (member, value) in members(answer) {
        text.push_str(&format!("{indent}  {member}: {}\n", quoted(value)));
    }
    text
}

/// Plain where that reads back as text, else in double quotes.
fn quoted(value: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./:#~{}$ ".contains(letter);
    let starts = value.starts_with(|letter: char| letter.is_ascii_alphabetic());
    let splits = value.contains(": ") || value.contains(" #") || value.ends_with([':', ' ']);
    let word = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let reads_else = word.contains(&value.to_ascii_lowercase().as_str());
    let date = value.len() == 10 && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let is_plain = starts && value.chars().all(plain) && !splits && !reads_else;
    if is_plain || date { value.to_owned() } else { double(value) }
}

/// In double quotes, as JSON and YAML both read it.
fn double(value: &str) -> String {
    let mut text = String::from("\"");
    for letter in value.chars() {
        match letter {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            control if control.is_control() || control == '\u{feff}' => {
                text.push_str(&format!("\\u{:04x}", u32::from(control)));
            }
            other => text.push(other),
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(uncertainty: &str, answer: &str) -> Answer {
        Answer {
            uncertainty: uncertainty.to_owned(),
            answer: answer.to_owned(),
            assertion: "v.docs#states/p1".to_owned(),
            reviewer: "R. Viewer".to_owned(),
            date: "2026-01-02".to_owned(),
        }
    }

    fn written(text: &str, answer: &Answer) -> String {
        write_answer("review.yaml", text, answer).unwrap()
    }

    const ENTRY: &str = "- uncertainty: state:a.b:c\n  answer: unknown\n  assertion: v.docs#states/p1\n  reviewer: R. Viewer\n  date: 2026-01-02\n";

    #[test]
    fn a_new_answer_goes_to_the_end_and_comments_stay() {
        let one = answer("state:a.b:c", "unknown");
        assert_eq!(written("", &one), ENTRY);
        assert_eq!(written("# why\n", &one), format!("# why\n{ENTRY}"));
        assert_eq!(written("# why\n[]\n", &one), format!("# why\n{ENTRY}"));
        let two = written(&format!("# why\n{ENTRY}# end"), &answer("state:a.b:d", "unknown"));
        assert_eq!(two, format!("# why\n{ENTRY}# end\n{}", ENTRY.replace("b:c", "b:d")));
        let indented = ENTRY.lines().map(|line| format!("  {line}\n")).collect::<String>();
        let two = written(&indented, &answer("state:a.b:d", "unknown"));
        assert_eq!(two, format!("{indented}{}", indented.replace("b:c", "b:d")));
    }

    #[test]
    fn an_earlier_answer_is_replaced_where_it_stands() {
        let other = ENTRY.replace("b:c", "b:d");
        let text =
            format!("{} # sure?\n{other}", ENTRY.trim_end()).replacen("unknown\n", "unknown # hm\n", 1);
        let edited = written(&text, &answer("state:a.b:c", "transitional"));
        assert_eq!(edited, text.replacen("answer: unknown # hm", "answer: transitional # hm", 1));
    }

    #[test]
    fn a_list_in_brackets_is_written_on() {
        let text = r#"[{"uncertainty": "x", "answer": "a", "assertion": "s#p", "reviewer": "R", "date": "2026-01-01"}]"#;
        let edited = written(text, &answer("state:a.b:c", "any \"text\""));
        assert_eq!(read_review("r.json", &edited).unwrap().len(), 2);
        assert!(edited.contains(r#""any \"text\"""#));
    }

    #[test]
    fn what_would_read_as_something_else_is_quoted() {
        for odd in ["no", "", "12", "- a", "a: b", "a #b", "*x", "'", "\u{7}", "null", "ends:", "{a}", "ä\nb"]
        {
            let edited = written("", &answer("u", odd));
            assert_eq!(read_review("review.yaml", &edited).unwrap()[0].answer, odd);
        }
    }

    #[test]
    fn what_is_no_list_of_answers_is_left_alone() {
        let refused = write_answer("review.yaml", "a: 1\n", &answer("u", "x")).unwrap_err();
        assert!(refused.to_string().contains("review.yaml:1:1"), "{refused}");
    }
}
