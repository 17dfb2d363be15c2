//! Notices that a sentence says something of a state beyond its name, and how firmly: that it is come to, that
//! it is an end, what follows. Must not say what the state means.

use super::bare::bare;
use super::cues::{Saying, cues};
use super::explanation::same_stem;
use super::moves::{opens, opens_beside};
use super::sentences::Mention;
use super::statements::{Known, Statement, Talk, carries, comes_back, hint, name_of};
use super::words::{holds_phrase, prose_words};

/// How many words of its own a sentence needs that only mentions a state.
const MUCH: usize = 3;

/// The states of which a sentence says something beyond naming them: marked ones outside of a list, and bare
/// ones.
pub(super) fn told(
    sentence: &str,
    mentioned: &[Mention],
    talk: &Talk,
    known: &Known<'_>,
    found: &mut Vec<Statement>,
) {
    let words = prose_words(sentence);
    if talk.defines_only || only_fills(&words) {
        return;
    }
    let outside = |mention: &Mention| !listed(sentence, mentioned, mention) && !denied(sentence, mention);
    let marked = mentioned.iter().filter(|mention| outside(mention)).map(|mention| mention.state);
    let mut states: Vec<usize> = marked.collect();
    // Of what is said at an operation that brings a state about, what names its act.
    let entered =
        talk.enters.filter(|state| words.iter().any(|word| same_stem(word, name_of(known, *state))));
    for state in bare(sentence, known.states, known.hints, known.record).into_iter().chain(entered) {
        if !mentioned.iter().any(|mention| mention.state == state) && !states.contains(&state) {
            states.push(state);
        }
    }
    if let Some(state) = talk.enters.filter(|_| at_once(&words)) {
        found.push(Statement::Ends { state });
    }
    let acts = opens(sentence, mentioned);
    for state in states {
        let at_work = usize::from(talk.answers && limits(&words));
        let acts_on = acts && opens_beside(sentence, mentioned, name_of(known, state));
        let much = carries(sentence, state, known) + if acts_on { 2 } else { at_work };
        let contrast = words.last().is_some_and(|word| word == "otherwise");
        if (contrast || !comes_back(sentence, state, known)) && much >= enough(state, known) {
            found.push(Statement::Explained { state });
        }
        let only = words.first().is_some_and(|word| word == "only");
        if acts && only && hint(known, state) == Some(Saying::Transitional) {
            found.push(Statement::Means { state, saying: Saying::Transitional });
        }
    }
    if talk.answers && needed(&words) {
        found.extend(mentioned.iter().map(|mention| Statement::Left { state: mention.state }));
    }
    ends(&words, mentioned, known, found);
    let Some(first) = mentioned.first() else { return };
    let rest = sentence.get(first.end..).unwrap_or_default();
    if followed(sentence, first) && carries(rest, first.state, known) >= 2 {
        found.push(Statement::Happened { state: first.state });
    }
    for mention in mentioned.iter().filter(|mention| outside(mention)) {
        let before = sentence.get(..mention.start).unwrap_or_default();
        if (talk.answers && answered(before))
            || (carries(sentence, mention.state, known) >= 2 && reached(before))
        {
            found.push(Statement::Explained { state: mention.state });
            found.push(Statement::Happened { state: mention.state });
        }
    }
}

/// Where the name means the same whatever the record is, and is no success, less must be said.
pub(super) fn enough(state: usize, known: &Known<'_>) -> usize {
    let sure = known.hints.get(state).is_some_and(|hint| hint.strong);
    if sure && hint(known, state) != Some(Saying::Success) { MUCH - 1 } else { MUCH }
}

/// "Cancels the record immediately", and nothing else is left open.
fn at_once(words: &[String]) -> bool {
    let open = |word: &String| matches!(word.as_str(), "or" | "unless" | "whether" | "default" | "scheduled");
    let Some(at) = words.iter().position(|word| word == "immediately") else { return false };
    let before = words.get(..at).unwrap_or_default();
    !words.iter().any(open) && !before.iter().any(|word| cues().phrases.unreal.contains(word))
}

/// "Only records in the states `a` or `b` can be ...", "the status must be `a`": what an operation needs.
fn needed(words: &[String]) -> bool {
    let holds = |phrase: &str| holds_phrase(words, phrase);
    let status = ["status", "state", "statuses", "states"].iter().any(|word| holds(word));
    status
        && (holds("only") || holds("must be"))
        && !words.iter().any(|word| cues().phrases.answers.contains(word))
}

/// A sentence that says in which state something can be done.
fn limits(words: &[String]) -> bool {
    words.iter().any(|word| matches!(word.as_str(), "status" | "state" | "statuses" | "states" | "only"))
}

/// The sentence only tells when a field is filled or what a filter lets through.
pub(super) fn only_fills(words: &[String]) -> bool {
    let phrases = &cues().phrases;
    words.iter().any(|word| phrases.filling.contains(word))
        || words.iter().take(6).any(|word| phrases.companions.contains(word))
}

/// "Terminal states: ...": those that follow are ends.
fn ends(words: &[String], mentioned: &[Mention], known: &Known<'_>, found: &mut Vec<Statement>) {
    let phrases = &cues().phrases;
    let first = mentioned.first().and_then(|mention| known.states.get(mention.state));
    let Some(first) = first.map(|name| name.to_lowercase()) else { return };
    let at = words.iter().position(|word| *word == first).unwrap_or(words.len());
    let before = words.get(..at).unwrap_or_default();
    let near = before.get(at.saturating_sub(4)..).unwrap_or_default();
    if phrases.final_states.iter().any(|phrase| holds_phrase(near, phrase))
        && !before.iter().any(|word| phrases.negations.contains(word))
    {
        found.extend(mentioned.iter().map(|mention| Statement::Ends { state: mention.state }));
    }
}

/// "Returns the record with status `done`".
fn answered(before: &str) -> bool {
    let words = prose_words(before);
    let phrases = &cues().phrases;
    let near = words.get(words.len().saturating_sub(3)..).unwrap_or_default();
    words.first().is_some_and(|word| phrases.answers.contains(word))
        && phrases.status_of.iter().any(|phrase| holds_phrase(near, phrase))
}

/// "... changes to `done`": what stands right in front says that the state is come to.
pub(super) fn reached(before: &str) -> bool {
    let words = prose_words(before);
    let phrases = &cues().phrases;
    let near = words.get(words.len().saturating_sub(7)..).unwrap_or_default();
    let moves = near.iter().any(|word| phrases.move_verbs.contains(word));
    let to =
        near.iter().rev().take(4).any(|word| matches!(word.as_str(), "to" | "into" | "become" | "becomes"));
    let doubts = near.iter().any(|word| word != "will" && phrases.unreal.contains(word));
    moves && to && !doubts
}

/// The mention is one of three or more in a row, and nothing is said of the row.
pub(super) fn listed(sentence: &str, mentioned: &[Mention], mention: &Mention) -> bool {
    let joined = |one: &Mention, two: &Mention| {
        let gap = sentence.get(one.end..two.start).unwrap_or_default();
        prose_words(gap).iter().all(|word| matches!(word.as_str(), "or" | "and" | "either"))
    };
    let mut row = 1;
    let mut holds = false;
    for pair in mentioned.windows(2) {
        let [one, two] = pair else { continue };
        if !joined(one, two) {
            if holds {
                break;
            }
            row = 1;
            continue;
        }
        row += 1;
        holds |= one == mention || two == mention;
    }
    let last = mentioned.iter().map(|mention| mention.end).max().unwrap_or_default();
    let otherwise = prose_words(sentence.get(last..).unwrap_or_default());
    holds && row >= 3 && otherwise.first().is_none_or(|word| word != "otherwise")
}

/// The name stands behind a word that denies it.
pub(super) fn denied(sentence: &str, mention: &Mention) -> bool {
    let before = prose_words(sentence.get(..mention.start).unwrap_or_default());
    before.iter().rev().take(4).any(|word| cues().phrases.negations.contains(word))
}

/// "Once it is `done`, ...": the clause on what follows begins behind the name.
fn followed(sentence: &str, mention: &Mention) -> bool {
    let before = prose_words(sentence.get(..mention.start).unwrap_or_default());
    let after = sentence.get(mention.end..).unwrap_or_default().trim_start();
    let opens = before.first().is_some_and(|word| cues().phrases.followers.contains(word));
    let doubtful = before.iter().any(|word| cues().phrases.unreal.contains(word));
    opens && !doubtful && before.len() <= 8 && after.starts_with(',')
}
