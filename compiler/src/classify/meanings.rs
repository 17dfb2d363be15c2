//! Finds the explanation that stands beside a state's name: behind it, as a definition or a condition, or in
//! front of it. Must not judge words.

use super::cues::{Saying, cues};
use super::explanation::{asserts, said};
use super::sentences::Mention;
use super::statements::{HEAD, Known, Statement, carries, defined, hint, name_of};

/// What a sentence says that the states mentioned mean.
pub(super) fn meanings(sentence: &str, mentioned: &[Mention], known: &Known<'_>, found: &mut Vec<Statement>) {
    for (index, mention) in mentioned.iter().enumerate() {
        let next = mentioned.get(index + 1).map_or(sentence.len(), |next| next.start);
        let after = sentence.get(mention.end..next).unwrap_or_default();
        let name = name_of(known, mention.state);
        let name_says = hint(known, mention.state);
        // A condition says when a state is entered, not what it is: it only confirms what the name says.
        let entered = |text: &str, found: &mut Vec<Statement>| {
            let saying = said(text, None, name_says)
                .filter(|saying| Some(*saying) == name_says || *saying == Saying::Ended);
            found.extend(saying.map(|saying| Statement::Means { state: mention.state, saying }));
            if carries(text, mention.state, known) >= 2 && asserts(text, name) {
                found.push(Statement::Happened { state: mention.state });
            }
        };
        let opened =
            opening(after).filter(|_| mention.start <= HEAD || !after.trim_start().starts_with(['(', '.']));
        match opened {
            Some(Opening::Definition(text)) => defined(text, mention.state, known, found),
            Some(Opening::Condition(text)) => entered(until_stop(text), found),
            None => {
                let condition = if index == 0 {
                    condition(sentence.get(..mention.start).unwrap_or_default())
                } else {
                    None
                };
                if let Some(text) = condition {
                    entered(text, found);
                }
            }
        }
    }
}

enum Opening<'t> {
    Definition(&'t str),
    Condition(&'t str),
}

/// The explanation that opens right behind a name: after a colon or dash, or after an opening word.
fn opening(after: &str) -> Option<Opening<'_>> {
    let phrases = &cues().phrases;
    let text = after.trim_start();
    if let Some(rest) = phrases.joiners.iter().find_map(|joiner| text.strip_prefix(joiner.as_str())) {
        return Some(Opening::Definition(rest));
    }
    let mut rest = text;
    for _ in 0..5 {
        let word: String = rest.chars().take_while(|letter| letter.is_alphanumeric()).collect();
        if word.is_empty() {
            return None;
        }
        let lower = word.to_lowercase();
        if phrases.definers.contains(&lower) {
            return Some(Opening::Definition(rest));
        }
        if phrases.openers.contains(&lower) {
            return Some(Opening::Condition(rest));
        }
        if !phrases.fillers.contains(&lower) {
            return None;
        }
        rest = rest.get(word.len()..)?.trim_start();
    }
    None
}

/// A condition up to where the sentence goes on to something else.
fn until_stop(text: &str) -> &str {
    let end = cues().phrases.stops.iter().filter_map(|stop| text.find(stop.as_str())).min();
    text.get(..end.unwrap_or(text.len())).unwrap_or(text)
}

/// The condition that stands in front of a name, if a main clause stands between.
fn condition(before: &str) -> Option<&str> {
    let phrases = &cues().phrases;
    let lower = before.to_lowercase();
    if lower.len() == before.len() {
        let pivot = phrases.pivots.iter().find_map(|pivot| lower.find(pivot.as_str()));
        if let Some(text) = pivot.and_then(|at| before.get(..at)) {
            return Some(text);
        }
    }
    let opens = phrases
        .conditions
        .iter()
        .any(|word| lower.strip_prefix(word.as_str()).is_some_and(|rest| rest.starts_with(' ')));
    if let Some((clause, main)) = before.rsplit_once(',') {
        return (opens && main.split_whitespace().count() >= 2).then_some(clause);
    }
    relative(before)
}

/// "A record that was never touched is `new`": the clause in between.
fn relative(before: &str) -> Option<&str> {
    let phrases = &cues().phrases;
    let clause = phrases.relatives.iter().find_map(|word| before.split_once(word.as_str()))?.1;
    let clause = clause.trim_end();
    let ends = clause.rsplit(' ').next().is_some_and(|last| matches!(last, "is" | "are"));
    (ends && clause.split_whitespace().count() >= 4).then_some(clause)
}
