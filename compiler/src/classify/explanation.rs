//! What the words of an explanation say of a state. Must not look at the state's name, except to leave out
//! words that only repeat it.

use super::cues::{Phrases, Saying, cues};
use super::words::{fits, prose_words, singular, words};

/// One phrase found in an explanation, with its place among the words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Found {
    saying: Saying,
    at: usize,
}

/// What an explanation says in sum, if it says one thing. `repeats`: the state's name, where words that only
/// repeat it do not count.
pub(super) fn said(explanation: &str, repeats: Option<&str>, name_says: Option<Saying>) -> Option<Saying> {
    let phrases = &cues().phrases;
    let plain = if repeats.is_some() { without_circumstance(explanation) } else { explanation.to_owned() };
    let mut words = prose_words(&plain);
    if phrases_in(phrases, &words).iter().any(|one| one.saying == Saying::Partial) {
        return Some(Saying::Partial);
    }
    for word in &mut words {
        if repeats.is_some_and(|name| same_stem(word, name)) {
            REPEATED.clone_into(word);
        }
    }
    let found = phrases_in(phrases, &words);
    let first = |saying: Saying| found.iter().find(|one| one.saying == saying).map(|one| one.at);
    let (success, transitional) = (first(Saying::Success), first(Saying::Transitional));
    let (failure, neutral) = (first(Saying::Failure), first(Saying::Neutral));
    if success.is_none() && neutral.is_none() && first(Saying::Temporary).is_some() {
        return Some(Saying::Temporary);
    }
    let turns = words.iter().any(|word| phrases.turns.contains(word));
    match (success, transitional, failure, neutral) {
        (Some(_), _, _, _) if turns => None,
        (Some(_), None, None, None) => Some(Saying::Success),
        (Some(happy), Some(moving), None, None) if moving < happy => Some(Saying::Transitional),
        (None, Some(moving), failed, neutral) => {
            let earlier = |other: Option<usize>| other.is_some_and(|at| at < moving);
            (!earlier(failed) && !earlier(neutral)).then_some(Saying::Transitional)
        }
        (None, None, Some(_), None) => Some(Saying::Failure),
        (None, None, None, Some(_)) => Some(Saying::Neutral),
        (None, None, Some(_), Some(_)) => {
            name_says.filter(|saying| matches!(saying, Saying::Failure | Saying::Neutral))
        }
        (None, None, None, None) => {
            [Saying::Ended, Saying::Begun].into_iter().find(|saying| first(*saying).is_some())
        }
        (Some(_), _, _, _) => None,
    }
}

/// A text speaks of a success, if only among other things.
pub(super) fn tells_success(text: &str, name: &str) -> bool {
    let mut words = prose_words(&without_circumstance(text));
    for word in &mut words {
        if same_stem(word, name) {
            REPEATED.clone_into(word);
        }
    }
    phrases_in(&cues().phrases, &words).iter().any(|one| one.saying == Saying::Success)
}

/// A text without what was before or meanwhile, up to where it goes on, if enough stands in front.
fn without_circumstance(text: &str) -> String {
    let text = without_asides(text);
    let text = text.as_str();
    let list = &cues().phrases.circumstances;
    let opens = list.iter().filter_map(|word| text.find(&format!(" {word} "))).min();
    let Some(at) = opens else { return text.to_owned() };
    let (front, rest) = text.split_at(at);
    let words = prose_words(front);
    if words.len() < 3 || words.last().is_some_and(|word| word == "not") {
        return text.to_owned();
    }
    let end = rest.find([',', ';', '.']).unwrap_or(rest.len());
    format!("{front}{}", rest.get(end..).unwrap_or_default())
}

/// A text without what stands in round brackets behind its first word.
fn without_asides(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut depth = 0_usize;
    for letter in text.chars() {
        match letter {
            '(' if !out.trim().is_empty() => depth += 1,
            ')' if depth > 0 => depth -= 1,
            _ if depth == 0 => out.push(letter),
            _ => {}
        }
    }
    if depth == 0 { out } else { text.to_owned() }
}

/// How many words of a text carry something of their own: neither empty words nor the names of the state,
/// the field or the record.
pub(super) fn content(text: &str, state: &str, others: &[&str]) -> usize {
    let empty = &cues().phrases.empty;
    let named: Vec<String> = others.iter().flat_map(|name| name_words(name)).collect();
    let mut found: Vec<String> = prose_words(text);
    found.sort();
    found.dedup();
    found
        .iter()
        .filter(|word| word.len() > 1 && !empty.contains(*word) && !same_stem(word, state))
        .filter(|word| !name_words(word).iter().all(|part| named.contains(part)))
        .count()
}

fn name_words(name: &str) -> Vec<String> {
    words(name).iter().map(|word| singular(word)).collect()
}

/// The text says outright that something is done: a finite or past verb, and nothing that takes it back,
/// puts it off or says that it went otherwise.
pub(super) fn asserts(text: &str, state: &str) -> bool {
    let phrases = &cues().phrases;
    let words = prose_words(&without_asides(text));
    let doubts = |word: &String| phrases.unreal.contains(word) || phrases.turns.contains(word);
    let event = words.first().is_some_and(|word| phrases.occurring.contains(word));
    let past =
        |word: &String| event || phrases.finite.contains(word) || (word.len() > 4 && word.ends_with("ed"));
    let unlike = phrases_in(phrases, &words).iter().any(|one| match one.saying {
        Saying::Success | Saying::Ended | Saying::Begun | Saying::Nothing => false,
        Saying::Failure | Saying::Neutral | Saying::Transitional | Saying::Temporary | Saying::Partial => {
            true
        }
    });
    !state.is_empty() && words.iter().any(past) && !words.iter().any(doubts) && !unlike
}

/// What stands for a word that only repeats the state's name; no phrase holds it.
const REPEATED: &str = "·";

fn phrases_in(phrases: &Phrases, words: &[String]) -> Vec<Found> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = words.get(at..).filter(|rest| !rest.is_empty()) {
        let Some((saying, length)) = longest(phrases, rest) else {
            at += 1;
            continue;
        };
        let undone = saying == Saying::Success && undone(words, at);
        if saying != Saying::Nothing && !undone {
            found.push(Found { saying, at });
        }
        at += length;
    }
    found
}

fn longest(phrases: &Phrases, words: &[String]) -> Option<(Saying, usize)> {
    let first = words.first()?;
    let mut best: Option<(Saying, usize)> = None;
    for (saying, phrase) in phrases.opening_with(first) {
        let longer = best.is_none_or(|(_, most)| phrase.len() > most);
        if longer
            && phrase.len() <= words.len()
            && phrase.iter().zip(words).all(|(wanted, word)| fits(word, wanted))
        {
            best = Some((*saying, phrase.len()));
        }
    }
    best
}

/// Words shortly before that take a success back or put it off.
fn undone(words: &[String], at: usize) -> bool {
    let unreal = &cues().phrases.unreal;
    let from = at.saturating_sub(3);
    words.get(from..at).unwrap_or_default().iter().any(|word| unreal.contains(word))
}

/// Two words share their first letters: at least four, or all of the shorter one.
pub(super) fn same_stem(word: &str, name: &str) -> bool {
    let name = name.to_lowercase();
    name.split(['_', '-', ' ']).any(|part| {
        let shared = word.chars().zip(part.chars()).take_while(|(one, two)| one == two).count();
        shared >= 4.min(part.chars().count().max(3)) && shared >= 3
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_explanation_says_one_thing_or_nothing() {
        let cases = [
            ("the refund is not finished", Some(Saying::Transitional)),
            ("if the transaction succeeds", Some(Saying::Success)),
            ("it could not be processed", Some(Saying::Failure)),
            ("the transaction has not been processed", Some(Saying::Transitional)),
            ("the payment was declined after it was paid", None),
            ("until it was paid", Some(Saying::Transitional)),
            ("when the run finishes", Some(Saying::Ended)),
            ("it could not be handed over, and will be retried", Some(Saying::Temporary)),
            ("done with some errors", Some(Saying::Partial)),
            ("it was paid, but taken back", None),
            ("the colour is blue", None),
        ];
        for (text, wanted) in cases {
            assert_eq!(said(text, None, None), wanted, "{text}");
        }
    }

    #[test]
    fn repeating_the_name_says_nothing() {
        assert_eq!(said("the refund failed", Some("failed"), None), None);
        assert_eq!(
            said("the refund failed: the bank declined it", Some("failed"), None),
            Some(Saying::Failure)
        );
        assert_eq!(said("was successful", Some("succeeded"), None), None);
        assert_eq!(content("The refund failed.", "failed", &["refund"]), 0);
        assert_eq!(content("The bank declined it.", "failed", &["refund"]), 2);
    }

    #[test]
    fn only_what_is_done_is_asserted() {
        assert!(asserts("The shopper completed the payment.", "completed"));
        assert!(asserts("All parts have arrived.", "completed"));
        for text in
            ["The shopper can complete the payment.", "Complete the payment.", "It was not completed."]
        {
            assert!(!asserts(text, "completed"), "{text}");
        }
    }
}
