//! Reads what one passage says of states: what each means, and which follows which. Must not weigh passages
//! against each other.

use super::cues::{Saying, cues};
use super::explanation::said;
use super::sentences::{Mention, mentions, sentences};
use super::states::marked;
use super::words::{fits, holds_phrase, prose_words};

/// A text that may speak of states.
#[derive(Debug)]
pub(super) struct Talk {
    /// Assertion id.
    pub(super) assertion: String,
    /// One block of text.
    pub(super) text: String,
    /// The state that the whole text explains, where its place says so.
    pub(super) about: Option<usize>,
    /// The text stands at an operation that moves a record on.
    pub(super) moving: bool,
}

/// The states that a passage can speak of.
pub(super) struct Known<'k> {
    pub(super) states: &'k [String],
    /// What each name suggests.
    pub(super) names: &'k [Option<Saying>],
    /// Name of the state field.
    pub(super) field: &'k str,
    /// Names of the other fields of the record.
    pub(super) siblings: &'k [String],
}

/// One thing that a passage says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Statement {
    /// What a state means.
    Means { state: usize, saying: Saying },
    /// A record can go from one state to another.
    Moves { from: usize, to: usize },
    /// The states that one can be entered from, all of them.
    Entered { to: usize, from: Vec<usize> },
    /// A state can be entered from states that are not named.
    EnteredFromElsewhere { to: usize },
    /// A state need not last.
    NotFinal { state: usize },
}

/// Everything that a passage says of the known states.
pub(super) fn statements(talk: &Talk, known: &Known<'_>) -> Vec<Statement> {
    let mut found = Vec::new();
    let mut topic = talk.about;
    for (index, sentence) in sentences(&talk.text).into_iter().enumerate() {
        let mentioned = kept(sentence, mentions(sentence, known.states, known.field), known);
        if index == 0 && topic.is_none() {
            topic = mentioned.first().filter(|mention| mention.start <= HEAD).map(|mention| mention.state);
        }
        if let (Some(state), true) = (talk.about, index == 0) {
            let name = name_of(known, state);
            let saying = said(sentence, Some(name), hint(known, state));
            found.extend(saying.map(|saying| Statement::Means { state, saying }));
        }
        meanings(sentence, &mentioned, known, &mut found);
        if talk.moving {
            still_open(sentence, &mentioned, &mut found);
        }
        moves(sentence, &mentioned, topic, &mut found);
    }
    found
}

/// How far from the start of a passage its topic may stand.
const HEAD: usize = 4;

fn name_of<'k>(known: &Known<'k>, state: usize) -> &'k str {
    known.states.get(state).map_or("", String::as_str)
}

fn hint(known: &Known<'_>, state: usize) -> Option<Saying> {
    known.names.get(state).copied().flatten()
}

/// Drops mentions that are values of another field: `other_field` stands right before.
fn kept(sentence: &str, mentioned: Vec<Mention>, known: &Known<'_>) -> Vec<Mention> {
    let foreign = |mention: &Mention| {
        let before = sentence.get(..mention.start).unwrap_or_default();
        let near: String = before.chars().rev().take(40).collect::<Vec<_>>().into_iter().rev().collect();
        let last = marked(&near).last().map(|text| (*text).to_owned());
        let named = last.is_some_and(|name| {
            known.siblings.contains(&name)
                && near.trim_end().len() - near.rfind(&name).unwrap_or(0) < name.len() + 12
        });
        let assigned = known.siblings.iter().any(|name| before.ends_with(&format!("{name}=")));
        named || assigned
    };
    mentioned.into_iter().filter(|mention| !foreign(mention)).collect()
}

fn meanings(sentence: &str, mentioned: &[Mention], known: &Known<'_>, found: &mut Vec<Statement>) {
    for (index, mention) in mentioned.iter().enumerate() {
        let next = mentioned.get(index + 1).map_or(sentence.len(), |next| next.start);
        let after = sentence.get(mention.end..next).unwrap_or_default();
        let name = name_of(known, mention.state);
        let name_says = hint(known, mention.state);
        // A condition says when a state is entered, not what it is: it only confirms what the name says.
        let mut says = |text: &str, repeats: Option<&str>| {
            let saying = said(text, repeats, name_says)
                .filter(|saying| repeats.is_some() || Some(*saying) == name_says || *saying == Saying::Ended);
            found.extend(saying.map(|saying| Statement::Means { state: mention.state, saying }));
        };
        match opening(after) {
            Some(Opening::Definition(text)) => says(text, Some(name)),
            Some(Opening::Condition(text)) => says(until_stop(text), None),
            None => {
                let condition = if index == 0 {
                    condition(sentence.get(..mention.start).unwrap_or_default())
                } else {
                    None
                };
                if let Some(text) = condition {
                    says(text, None);
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
    let (clause, main) = before.rsplit_once(',')?;
    (opens && main.split_whitespace().count() >= 2).then_some(clause)
}

/// A state in which an operation that moves a record on is possible is passed through.
fn still_open(sentence: &str, mentioned: &[Mention], found: &mut Vec<Statement>) {
    let phrases = &cues().phrases;
    let words = prose_words(sentence);
    let negated = words.iter().any(|word| phrases.negations.contains(word));
    let acts = words.iter().any(|word| phrases.open_verbs.iter().any(|verb| fits(word, verb)));
    let Some(first) = mentioned.first() else { return };
    let before = prose_words(sentence.get(..first.start).unwrap_or_default());
    let near: Vec<String> = before.iter().rev().take(6).rev().cloned().collect();
    let status = phrases.status_of.iter().any(|phrase| holds_phrase(&near, phrase));
    if acts && status && !negated {
        found.extend(
            mentioned
                .iter()
                .map(|mention| Statement::Means { state: mention.state, saying: Saying::Transitional }),
        );
    }
}

fn moves(sentence: &str, mentioned: &[Mention], topic: Option<usize>, found: &mut Vec<Statement>) {
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
        }
    }
    if let Some(first) = mentioned.first() {
        let before = lower.get(..first.start).unwrap_or_default().trim_end();
        let leaves = before.ends_with("from")
            && !phrases.entered_from.iter().any(|phrase| before.ends_with(phrase.as_str()));
        let gap = mentioned.get(1).map(|second| prose_words(&between(first, second))).unwrap_or_default();
        if leaves && gap.iter().any(|word| phrases.move_verbs.contains(word)) {
            let targets = mentioned.iter().skip(1).filter(|mention| mention.state != first.state);
            found.extend(targets.map(|mention| Statement::Moves { from: first.state, to: mention.state }));
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
