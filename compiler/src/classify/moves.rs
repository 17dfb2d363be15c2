//! Reads which state follows which, and in which a record can still be worked on. Must not say what a state
//! means beyond that.

use super::cues::{Saying, cues};
use super::explanation::same_stem;
use super::sentences::Mention;
use super::statements::Statement;
use super::words::{fits, holds_phrase, prose_words};

/// A verb that moves a record on stands in the sentence, outside of the names of states.
pub(super) fn opens(sentence: &str, mentioned: &[Mention]) -> bool {
    let mut at = 0;
    let mut rest = String::new();
    for mention in mentioned {
        rest.push_str(sentence.get(at..mention.start).unwrap_or_default());
        at = mention.end;
    }
    rest.push_str(sentence.get(at..).unwrap_or_default());
    prose_words(&rest).iter().any(|word| cues().phrases.open_verbs.iter().any(|verb| fits(word, verb)))
}

/// The same, where words that only repeat the state's name do not count.
pub(super) fn opens_beside(sentence: &str, mentioned: &[Mention], state: &str) -> bool {
    opens(sentence, mentioned)
        && prose_words(sentence).iter().any(|word| {
            !same_stem(word, state) && cues().phrases.open_verbs.iter().any(|verb| fits(word, verb))
        })
}

/// A state in which an operation that moves a record on is possible is passed through.
/// `moving`: the text stands at such an operation.
pub(super) fn still_open(sentence: &str, mentioned: &[Mention], moving: bool, found: &mut Vec<Statement>) {
    let phrases = &cues().phrases;
    let words = prose_words(sentence);
    let negated = words.iter().any(|word| phrases.negations.contains(word));
    let answers = words.first().is_some_and(|word| phrases.answers.contains(word));
    let acts = !answers && opens(sentence, mentioned);
    let Some(first) = mentioned.first() else { return };
    let before = prose_words(&sentence.get(..first.start).unwrap_or_default().replace('_', " "));
    let near: Vec<String> = before.iter().rev().take(6).rev().cloned().collect();
    let status = phrases.status_of.iter().any(|phrase| holds_phrase(&near, phrase));
    // "... will be canceled if in `open`"
    let meanwhile =
        matches!(near.as_slice(), [.., opener, last] if last == "in" && phrases.openers.contains(opener));
    if acts && status && !negated && (moving || meanwhile) {
        found.extend(mentioned.iter().map(|mention| match moving {
            true => Statement::Means { state: mention.state, saying: Saying::Transitional },
            false => Statement::Left { state: mention.state },
        }));
    }
}

/// The moves between states that a sentence tells of.
pub(super) fn moves(sentence: &str, mentioned: &[Mention], topic: Option<usize>, found: &mut Vec<Statement>) {
    let phrases = &cues().phrases;
    let lower = sentence.to_lowercase();
    let between =
        |one: &Mention, two: &Mention| lower.get(one.end..two.start).unwrap_or_default().trim().to_owned();
    if lower.len() != sentence.len() {
        return;
    }
    entered(&lower, mentioned, topic, found);
    let mut source: Option<usize> = None;
    for pair in mentioned.windows(2) {
        let [one, two] = pair else { continue };
        let gap = between(one, two);
        if phrases.moves.iter().any(|phrase| gap.ends_with(phrase.as_str())) {
            let from = *source.get_or_insert(one.state);
            found.push(Statement::Moves { from, to: two.state });
            found.push(Statement::Explained { state: two.state });
        }
    }
    if let Some(first) = mentioned.first() {
        let before = lower.get(..first.start).unwrap_or_default().trim_end();
        let leaves = before.ends_with("from")
            && !phrases.entered_from.iter().any(|phrase| before.ends_with(phrase.as_str()));
        let gap = mentioned.get(1).map(|second| prose_words(&between(first, second))).unwrap_or_default();
        let moved = |words: &[String]| words.iter().any(|word| phrases.move_verbs.contains(word));
        let onward = gap.first().is_some_and(|word| matches!(word.as_str(), "to" | "into"));
        if leaves && (moved(&gap) || (onward && moved(&prose_words(before)))) {
            found.push(Statement::Left { state: first.state });
            let targets = mentioned.iter().skip(1).filter(|mention| mention.state != first.state);
            for mention in targets {
                found.push(Statement::Moves { from: first.state, to: mention.state });
                found.push(Statement::Explained { state: first.state });
                found.push(Statement::Explained { state: mention.state });
            }
        }
    }
    let alone = mentioned.iter().map(|mention| mention.state).collect::<std::collections::BTreeSet<_>>();
    let subject = topic.or_else(|| alone.first().copied().filter(|_| alone.len() == 1));
    if let (Some(state), true) =
        (subject, phrases.not_final.iter().any(|phrase| lower.contains(phrase.as_str())))
    {
        found.push(Statement::NotFinal { state });
    }
}

/// "A record can enter this state from `a`, from `b`, or after it had `c`."
fn entered(lower: &str, mentioned: &[Mention], topic: Option<usize>, found: &mut Vec<Statement>) {
    let phrases = &cues().phrases;
    let Some(at) = phrases.entered_from.iter().filter_map(|phrase| lower.find(phrase.as_str())).min() else {
        return;
    };
    let target = mentioned.iter().rfind(|mention| mention.end <= at).map(|mention| mention.state).or(topic);
    let Some(to) = target else { return };
    let rest = lower.get(at..).unwrap_or_default();
    if phrases.any_other.iter().any(|phrase| rest.contains(phrase.as_str())) {
        found.push(Statement::EnteredFromElsewhere { to });
    }
    let from: Vec<usize> = mentioned
        .iter()
        .filter(|mention| mention.start >= at && mention.state != to)
        .map(|mention| mention.state)
        .collect();
    if !from.is_empty() {
        found.push(Statement::Entered { to, from });
    }
}
