//! Sentences of a passage and the states that they mention. Must not judge what they say.

use super::words::words;

/// A state mentioned in a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mention {
    /// Index of the state.
    pub(super) state: usize,
    /// Where the name starts, its mark included.
    pub(super) start: usize,
    /// Where it ends, its mark included.
    pub(super) end: usize,
}

const SHORT: [&str; 5] = ["e.g", "i.e", "etc", "vs", "approx"];

/// The sentences of one block of text.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut code = false;
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        if letter == '`' {
            code = !code;
        }
        let stop = matches!(letter, '.' | '!' | '?') && !code;
        let gap = letters.peek().is_some_and(|(_, next)| next.is_whitespace());
        if !(stop && gap) {
            continue;
        }
        let before = text.get(start..at).unwrap_or_default();
        let lone = before.split_whitespace().nth(1).is_none();
        if !lone && !SHORT.iter().any(|short| before.ends_with(short)) {
            found.extend(text.get(start..=at));
            start = at + 1;
        }
    }
    found.extend(text.get(start..));
    found.into_iter().map(str::trim).filter(|sentence| !sentence.is_empty()).collect()
}

/// The states that a sentence mentions, in order: in code, in quotes, in strong text, as `field=state`, or
/// bare where the name could be nothing else. At the sentence's head a name before a colon or dash counts.
pub(super) fn mentions(sentence: &str, states: &[String], field: &str) -> Vec<Mention> {
    let mut found: Vec<Mention> = Vec::new();
    let lower = sentence.to_ascii_lowercase();
    for (index, state) in states.iter().enumerate() {
        for (start, end) in places(&lower, state) {
            if let Some((start, end)) = counted(sentence, start, end, state, field) {
                found.push(Mention { state: index, start, end });
            }
        }
    }
    found.sort_by_key(|mention| (mention.start, std::cmp::Reverse(mention.end)));
    let mut last = 0;
    found.retain(|mention| {
        let apart = mention.start >= last;
        if apart {
            last = mention.end;
        }
        apart
    });
    found
}

/// Where a name stands in a lower-case text between characters that belong to no name.
fn places(lower: &str, state: &str) -> Vec<(usize, usize)> {
    let wanted = state.to_ascii_lowercase();
    let part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '-';
    let bounded = |start: usize, end: usize| {
        let before = lower.get(..start).and_then(|text| text.chars().next_back());
        let after = lower.get(end..).and_then(|text| text.chars().next());
        !before.is_some_and(|letter| part(letter) || letter == '.' || letter == '/')
            && !after.is_some_and(part)
    };
    if wanted.is_empty() {
        return Vec::new();
    }
    lower
        .match_indices(wanted.as_str())
        .map(|(start, text)| (start, start + text.len()))
        .filter(|(start, end)| bounded(*start, *end))
        .collect()
}

/// What stands behind a name at the head of its explanation.
const HEADS: [&str; 10] = [":", ";", " :", " -", " –", " —", " =", " (", " |", " →"];

const MARKS: [(&str, &str); 6] = [("`", "`"), ("\"", "\""), ("'", "'"), ("“", "”"), ("**", "**"), ("‘", "’")];

fn counted(sentence: &str, start: usize, end: usize, state: &str, field: &str) -> Option<(usize, usize)> {
    let (before, after) = (sentence.get(..start)?, sentence.get(end..)?);
    let mark = MARKS.iter().find(|(open, close)| before.ends_with(open) && after.starts_with(close));
    if let Some((open, close)) = mark {
        let inner = (start - open.len(), end + close.len());
        let (outer_before, outer_after) = (sentence.get(..inner.0)?, sentence.get(inner.1..)?);
        let outer =
            MARKS.iter().find(|(open, close)| outer_before.ends_with(open) && outer_after.starts_with(close));
        return Some(outer.map_or(inner, |(open, close)| (inner.0 - open.len(), inner.1 + close.len())));
    }
    let assigned = ["=", ": ", ":", " = ", "=\"", " == "].iter().find_map(|sign| before.strip_suffix(sign));
    if assigned.is_some_and(|head| head.ends_with(field)) {
        return Some((start, end));
    }
    let exact = sentence.get(start..end)? == state;
    let capitals = state.chars().filter(char::is_ascii_uppercase).count();
    let shouted = capitals >= 3 && !state.chars().any(|letter| letter.is_ascii_lowercase());
    let distinctive = exact && (state.contains('_') || shouted);
    let means = || {
        let word: String = after.trim_start().chars().take_while(|letter| letter.is_alphabetic()).collect();
        super::cues::cues().phrases.definers.contains(&word)
    };
    let head = start == 0 && (HEADS.iter().any(|joint| after.starts_with(joint)) || means());
    (distinctive || head).then_some((start, end))
}

/// Whether a text is about a record: the words of its name, the last one perhaps in the plural, stand in it
/// side by side.
pub(super) fn about(text: &str, resource: &str) -> bool {
    let singular =
        |text: &str| words(text).iter().map(|word| super::words::singular(word)).collect::<Vec<_>>();
    let name = resource.rsplit('.').next().unwrap_or(resource);
    let (text, name) = (singular(text), singular(name));
    !name.is_empty() && text.windows(name.len()).any(|row| row == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(sentence: &str) -> Vec<usize> {
        let states =
            ["paid".to_owned(), "in_transit".to_owned(), "FAILED".to_owned(), "failed_over".to_owned()];
        mentions(sentence, &states, "status").into_iter().map(|mention| mention.state).collect()
    }

    #[test]
    fn only_marked_or_distinctive_names_count() {
        assert_eq!(names("It was paid by `paid` and in_transit."), [0, 1]);
        assert_eq!(names("paid - the money arrived"), [0]);
        assert_eq!(names("Status is **paid**, not FAILED or failed."), [0, 2]);
        assert_eq!(names("when `status=paid` holds, or \"`paid`\""), [0, 0]);
        assert_eq!(names("`paid.partly`, `unpaid`, `x.paid`"), Vec::<usize>::new());
    }

    #[test]
    fn sentences_end_at_stops() {
        let text = "It is `a.b`. Next, e.g. this one. Last";
        assert_eq!(sentences(text), ["It is `a.b`.", "Next, e.g. this one.", "Last"]);
    }

    #[test]
    fn a_heading_is_about_a_record_by_its_whole_name() {
        assert!(about("Refund status", "refund") && about("All payment intents", "payment_intent"));
        assert!(!about("Payments", "payment_intent"));
    }
}
