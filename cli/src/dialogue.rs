//! The questions of a bundle asked one after the other, with plain lines in and out. It must not write an answer that
//! the desk would refuse.

use crate::commands::skill_review::Desk;
use crate::questions::show;
use provely_compiler::review::OpenQuestion;
use provely_compiler::source::Answer;
use std::io::{self, BufRead, Write};

/// An answer that was written.
pub type Said = Answer;

/// What a person typed.
enum Line {
    Text(String),
    Skip,
    End,
}

/// Asks every question that has no answer yet, and writes each answer at once.
///
/// # Errors
/// If nothing can be shown or read any more, or the file of answers is malformed or cannot be written.
pub fn hold(desk: &mut Desk, from: &mut impl BufRead, to: &mut impl Write) -> io::Result<Vec<Said>> {
    let given = desk.given().map_err(|failure| io::Error::other(failure.render(false)))?;
    let open: Vec<OpenQuestion> = desk.bundle.open.clone();
    let mut said = Vec::new();
    for (index, question) in open.iter().enumerate() {
        if given.iter().any(|answer| answer.uncertainty == question.id) {
            continue;
        }
        let mut text = String::new();
        show(question, index + 1, open.len(), None, &mut text);
        writeln!(to, "\n{text}")?;
        match ask(desk, question, from, to)? {
            Some(Some(answer)) => said.push(answer),
            Some(None) => {}
            None => break,
        }
    }
    Ok(said)
}

/// One question: its answer, `Some(None)` if it is skipped, `None` at the end.
fn ask(
    desk: &mut Desk,
    question: &OpenQuestion,
    from: &mut impl BufRead,
    to: &mut impl Write,
) -> io::Result<Option<Option<Said>>> {
    loop {
        let answer = match prompt("answer (Enter skips, q ends): ", from, to)? {
            Line::Text(word) => word,
            Line::Skip => return Ok(Some(None)),
            Line::End => return Ok(None),
        };
        if let Err(failure) = desk.check_answer(&question.id, &answer) {
            writeln!(to, "{}", failure.render(false))?;
            continue;
        }
        let cited = match prompt("assertion that says so, number or id (Enter goes back): ", from, to)? {
            Line::Text(word) => cited(question, &word),
            Line::Skip => continue,
            Line::End => return Ok(None),
        };
        match desk.write(&question.id, &answer, &cited) {
            Ok(written) => return Ok(Some(Some(written))),
            Err(failure) => writeln!(to, "{}", failure.render(false))?,
        }
    }
}

/// The assertion of a number in the list, else what was typed.
fn cited(question: &OpenQuestion, word: &str) -> String {
    let number: Option<usize> = word.trim_matches(['[', ']']).parse().ok();
    let passage = number.and_then(|number| question.passages.get(number.checked_sub(1)?));
    passage.map_or_else(|| word.to_owned(), |passage| passage.assertion.clone())
}

fn prompt(words: &str, from: &mut impl BufRead, to: &mut impl Write) -> io::Result<Line> {
    write!(to, "{words}")?;
    to.flush()?;
    let mut line = String::new();
    if from.read_line(&mut line)? == 0 {
        writeln!(to)?;
        return Ok(Line::End);
    }
    Ok(match line.trim() {
        "" => Line::Skip,
        "q" | "quit" => Line::End,
        word => Line::Text(word.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::Origin;
    use provely_compiler::ingest::ingest;
    use provely_compiler::review::Bundle;
    use provely_compiler::source::Sources;

    const QUESTIONS: &str = r#"{"service": "acme", "answered": [], "open": [
        {"id": "state:job.status:done", "kind": "state_class", "subject": "job.status:done", "question": "What?",
         "answers": ["transitional", "terminal_success"], "cap": 49, "points": "12.5",
         "holds_back": [{"contract": "acme.job", "score": "49", "reach": "61.5", "points": "12.5"}],
         "passages": [{"assertion": "acme.openapi#/info/title", "text": "Acme"}]},
        {"id": "retry:POST /jobs", "kind": "retry", "subject": "POST /jobs", "question": "Is there a key?",
         "answers": [], "cap": 89, "points": "0", "holds_back": [], "passages": []}]}"#;

    fn desk(name: &str) -> Desk {
        let to = std::env::temp_dir().join(format!("provely-dialogue-{name}-{}.yaml", std::process::id()));
        let _ = std::fs::remove_file(&to);
        let text = "openapi: 3.1.0\ninfo: { title: Acme, version: '1' }\npaths: {}\n";
        let bundle: Bundle = serde_json::from_str(QUESTIONS).unwrap();
        Desk {
            bundle,
            origin: Origin { answers: None, again: String::new(), sources: Vec::new() },
            folder: std::env::temp_dir(),
            to,
            reviewer: "Ada".to_owned(),
            date: "2026-01-02".to_owned(),
            found: Some(ingest(&Sources::of_openapi("acme.yaml", text)).unwrap()),
        }
    }

    fn held(desk: &mut Desk, typed: &str) -> (Vec<Said>, String, String) {
        let mut shown = Vec::new();
        let said = hold(desk, &mut typed.as_bytes(), &mut shown).unwrap();
        let written = std::fs::read_to_string(&desk.to).unwrap_or_default();
        (said, String::from_utf8(shown).unwrap(), written)
    }

    #[test]
    fn an_answer_is_written_at_once_with_the_assertion_of_its_number() {
        let mut desk = desk("number");
        let (said, shown, written) = held(&mut desk, "terminal_success\n1\n\n");
        assert_eq!(said.len(), 1);
        assert!(written.contains("assertion: acme.openapi#/info/title\n  reviewer: Ada\n"), "{written}");
        assert!(shown.contains("[1 of 2] state:job.status:done"), "{shown}");
        assert!(shown.contains("acme.job: 49, could reach 61.5 (12.5 held back)"), "{shown}");
        let (said, shown, _) = held(&mut desk, "");
        assert!(said.is_empty() && !shown.contains("state:job.status:done"), "{shown}");
        std::fs::remove_file(&desk.to).unwrap();
    }

    #[test]
    fn what_is_not_offered_or_not_held_is_asked_again() {
        let mut desk = desk("again");
        let (said, shown, written) = held(&mut desk, "done\nterminal_success\nacme.openapi#/nowhere\nq\n");
        assert!(said.is_empty() && written.is_empty());
        assert!(shown.contains("answer_not_offered") && shown.contains("assertion_unknown"), "{shown}");
    }
}
