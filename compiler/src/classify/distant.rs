//! Reads a sentence that stands away from a record: whether it speaks of the record and of a state of it. Must not
//! say what the state means, and hears only of states whose names mean the same whatever the record is.

use super::bare::{flat, joined};
use super::cues::{Saying, cues};
use super::moves::opens_beside;
use super::sentences::Mention;
use super::statements::{Known, Statement, carries, comes_back, hint, name_of};
use super::told::{denied, enough, listed, only_fills, reached};
use super::words::{prose_words, singular, words};

/// What a sentence says of states, if it names the record.
pub(super) fn heard_of(sentence: &str, mentioned: &[Mention], known: &Known<'_>, found: &mut Vec<Statement>) {
    let text = joined(flat(sentence), known.record);
    let Some(record) = after_record(&text, known) else { return };
    if only_fills(&prose_words(sentence)) {
        return;
    }
    for state in 0..known.states.len() {
        let sure = known.hints.get(state).is_some_and(|hint| hint.strong);
        if !sure || hint(known, state) == Some(Saying::Success) {
            continue;
        }
        let of = mentioned.iter().filter(|mention| mention.state == state);
        let marked = of.clone().any(|mention| {
            as_status(sentence, mention, name_of(known, state))
                && !listed(sentence, mentioned, mention)
                && !denied(sentence, mention)
        });
        let bare = of.count() == 0 && said_of_record(&text, record, name_of(known, state), known);
        if !(marked || bare) || comes_back(sentence, state, known) {
            continue;
        }
        let acts = opens_beside(sentence, mentioned, name_of(known, state));
        let entered = mentioned.iter().filter(|mention| mention.state == state);
        let entered = entered.clone().any(|one| reached(sentence.get(..one.start).unwrap_or_default()));
        let limits = in_status(&text, name_of(known, state));
        let much = carries(sentence, state, known) + if acts { 2 } else { usize::from(entered || limits) };
        if much >= enough(state, known) {
            found.push(Statement::Explained { state });
        }
    }
}

/// Where the words of the record's name end, which stand side by side.
fn after_record(text: &[String], known: &Known<'_>) -> Option<usize> {
    let length = known.record.len();
    let at = text.windows(length.max(1)).position(|row| row == known.record)?;
    Some(at + length)
}

/// "... in the draft status".
fn in_status(text: &[String], state: &str) -> bool {
    let name: Vec<String> = words(state).iter().map(|word| singular(word)).collect();
    let rows = text.windows(name.len().max(1)).enumerate();
    rows.filter(|(_, row)| **row == *name).any(|(at, row)| {
        let before = text.get(at.saturating_sub(2)..at).unwrap_or_default();
        before.iter().any(|word| word == "in") && is_status(text.get(at + row.len()))
    })
}

/// The word for a state.
fn is_status(word: Option<&String>) -> bool {
    word.is_some_and(|word| matches!(word.as_str(), "status" | "statuses" | "state"))
}

/// A name that could be nothing else, or one beside the word for a state.
fn as_status(sentence: &str, mention: &Mention, name: &str) -> bool {
    if words(name).len() > 1 {
        return true;
    }
    let of_state = |word: &String| is_status(Some(word)) || word == "states";
    let before = prose_words(sentence.get(..mention.start).unwrap_or_default());
    let after = prose_words(sentence.get(mention.end..).unwrap_or_default());
    before.iter().rev().take(4).any(of_state) || after.iter().take(3).any(of_state)
}

/// A state without a mark, right in front of the record ("draft invoices") or said of it ("an invoice that is
/// canceled").
fn said_of_record(text: &[String], record: usize, state: &str, known: &Known<'_>) -> bool {
    let name: Vec<String> = words(state).iter().map(|word| singular(word)).collect();
    let plain = |word: &String| word.replace("ll", "l");
    let same = |row: &[String]| row.iter().map(plain).eq(name.iter().map(plain));
    if name.is_empty() || cues().states.nouns.contains(&super::words::snake(state)) {
        return false;
    }
    let starts = record.saturating_sub(known.record.len());
    let attribute = starts.checked_sub(name.len()).and_then(|at| text.get(at..starts)).is_some_and(same);
    let rest = text.get(record..).unwrap_or_default();
    let predicate = rest.windows(name.len()).enumerate().any(|(at, row)| {
        let between = rest.get(..at).unwrap_or_default();
        let table = &cues().phrases;
        let mut front = between.iter().rev().filter(|word| !table.adverbs.contains(*word));
        let verb = match front.next() {
            Some(word) if word == "in" => is_status(rest.get(at + row.len())),
            Some(word) => table.being.contains(word),
            None => false,
        };
        let of = |word: &String| {
            word == "in"
                || table.being.contains(word)
                || table.adverbs.contains(word)
                || table.auxiliaries.contains(word)
        };
        same(row) && verb && between.iter().all(of)
    });
    (attribute && !progressive(&name)) || predicate
}

/// "The connecting client": a name in the progressive form may tell apart, not say how it stands.
fn progressive(name: &[String]) -> bool {
    let listed = |word: &String| cues().states.strong.values().any(|names| names.contains(word));
    matches!(name, [only] if only.ends_with("ing") && !listed(only))
}
