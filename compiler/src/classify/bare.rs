//! Finds states that prose names without a mark: as what is said of the record ("after it is canceled"), as
//! its attribute ("draft invoices") or before the word for a state. Must not judge what a sentence says.

use super::cues::cues;
use super::names::Hint;
use super::words::{singular, words};

/// The words of a sentence, each in the singular, names split.
pub(super) fn flat(sentence: &str) -> Vec<String> {
    let plain = sentence.replace('’', "'");
    let inner = |letter: char| letter.is_alphanumeric() || matches!(letter, '\'' | '_');
    plain.split(|letter: char| !inner(letter)).flat_map(words).map(|word| singular(&word)).collect()
}

/// The states that a sentence names without a mark, where the name is a word that means the same whatever
/// the record is. `record`: the words of the record's name.
pub(super) fn bare(sentence: &str, states: &[String], hints: &[Hint], record: &[String]) -> Vec<usize> {
    let text = joined(flat(sentence), record);
    let named = states.iter().zip(hints).enumerate().filter(|(_, (_, hint))| hint.strong);
    named.filter(|(_, (state, _))| says(&text, state, record)).map(|(index, _)| index).collect()
}

/// Two words that together are the record's name, as one: `top-up` for `topup`.
pub(super) fn joined(text: Vec<String>, record: &[String]) -> Vec<String> {
    let Some(noun) = record.last() else { return text };
    let mut out: Vec<String> = Vec::with_capacity(text.len());
    for word in text {
        match out.last_mut() {
            Some(last) if singular(&format!("{last}{word}")) == *noun => last.clone_from(noun),
            _ => out.push(word),
        }
    }
    out
}

fn says(text: &[String], state: &str, record: &[String]) -> bool {
    let name: Vec<String> = words(state).iter().map(|word| singular(word)).collect();
    let Some(noun) = record.last() else { return false };
    let of_record = text.iter().any(|word| word == noun || word == "it" || word == "they");
    if name.is_empty() || !of_record {
        return false;
    }
    let rows = text.windows(name.len()).enumerate();
    let participle = rows.filter(|(_, row)| same(row, &name)).any(|(at, row)| {
        let next = text.get(at + row.len());
        stands(text.get(..at).unwrap_or_default(), next, record)
    });
    participle || (name.len() == 1 && name.first().is_some_and(|word| does(text, word, noun)))
}

/// Equal but for a doubled `l`.
fn same(row: &[String], name: &[String]) -> bool {
    row.iter().zip(name).all(|(one, two)| one == two || one.replace("ll", "l") == two.replace("ll", "l"))
}

fn stands(before: &[String], next: Option<&String>, record: &[String]) -> bool {
    let table = &cues().phrases;
    let noun = next.is_some_and(|word| record.contains(word) || matches!(word.as_str(), "status" | "state"));
    let mut front = before.iter().rev().filter(|word| !table.adverbs.contains(*word));
    noun || front.next().is_some_and(|word| table.predicates.contains(word))
}

/// "It expires", "the payout fails".
fn does(text: &[String], name: &str, noun: &str) -> bool {
    let Some(stem) = name.strip_suffix("ed") else { return false };
    let is_verb = |word: &str| {
        word == stem || word.strip_suffix('e') == Some(stem) || word == stem.trim_end_matches('l')
    };
    let table = &cues().phrases;
    let ends = |next: Option<&String>| next.is_none_or(|word| table.times.contains(word));
    text.iter().enumerate().filter(|(_, word)| is_verb(word)).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        let mut front = before.iter().rev().filter(|word| {
            !table.adverbs.contains(*word) && !matches!(word.as_str(), "will" | "automatically")
        });
        match front.next() {
            Some(and) if and == "and" => {
                ends(text.get(at + 1)) && before.iter().any(|word| word == noun || word == "it")
            }
            Some(subject) => subject == "it" || subject == noun,
            None => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::names::hints;
    use super::*;

    fn found(sentence: &str) -> Vec<usize> {
        let states = ["draft", "canceled", "expired", "past_due", "active"].map(str::to_owned);
        bare(sentence, &states, &hints(&states), &["invoice".to_owned()])
    }

    #[test]
    fn a_state_said_of_the_record_counts() {
        assert_eq!(found("Once it is cancelled, nothing more is charged."), [1]);
        assert_eq!(found("Draft invoices are fully editable."), [0]);
        assert_eq!(found("After it expires, nobody can pay."), [2]);
        assert_eq!(found("The invoice is past due."), [3]);
    }

    #[test]
    fn words_about_something_else_do_not_count() {
        assert_eq!(found("Cancel the meeting."), Vec::<usize>::new());
        assert_eq!(found("The invoice lists canceled orders."), Vec::<usize>::new());
        assert_eq!(found("The invoice is active."), Vec::<usize>::new());
    }
}
