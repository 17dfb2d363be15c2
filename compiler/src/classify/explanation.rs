//! What the words of an explanation say of a state. Must not look at the state's name, except to leave out
//! words that only repeat it.

use super::cues::{Phrases, Saying, cues};
use super::words::{fits, prose_words};

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
    let mut words = prose_words(explanation);
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
        return Some(Saying::Transitional);
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
        (None, None, None, None) => first(Saying::Ended).map(|_| Saying::Ended),
        (Some(_), _, _, _) => None,
    }
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
    let mut best: Option<(Saying, usize)> = None;
    for (saying, list) in &phrases.says {
        for phrase in list {
            let length = phrase.split(' ').count();
            let longer = best.is_none_or(|(_, most)| length > most);
            if longer
                && length <= words.len()
                && phrase.split(' ').zip(words).all(|(wanted, word)| fits(word, wanted))
            {
                best = Some((*saying, length));
            }
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
fn same_stem(word: &str, name: &str) -> bool {
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
            ("it could not be handed over, and will be retried", Some(Saying::Transitional)),
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
    }
}
