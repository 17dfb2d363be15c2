//! Reads what one passage says of states: what each means, and which follows which. Must not weigh passages
//! against each other.

use super::cues::{Saying, cues};
use super::distant::heard_of;
use super::explanation::{asserts, content, said, tells_success};
use super::meanings::meanings;
use super::moves::{moves, still_open};
use super::names::Hint;
use super::prose::marked;
use super::sentences::{Mention, mentions, sentences};
use super::told::told;
use super::words::{fits, prose_words};

/// A text that may speak of states.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Talk {
    /// Assertion id.
    pub(super) assertion: String,
    /// One block of text.
    pub(super) text: String,
    /// The state that the whole text explains, where its place says so.
    pub(super) about: Option<usize>,
    /// The text stands at an operation that moves a record on.
    pub(super) moving: bool,
    /// The state that the operation at which the text stands puts a record into, by its verb.
    pub(super) enters: Option<usize>,
    /// The text stands at an operation that acts, and may say what it answers.
    pub(super) answers: bool,
    /// Only definitions count: the text stands where values are chosen, not where they are met.
    pub(super) defines_only: bool,
    /// The text stands anywhere in the sources: a sentence of it only counts where it names the record.
    pub(super) elsewhere: bool,
}

/// The states that a passage can speak of.
pub(super) struct Known<'k> {
    pub(super) states: &'k [String],
    /// What each name suggests.
    pub(super) hints: &'k [Hint],
    /// Words of the record's name.
    pub(super) record: &'k [String],
    /// Name of the state field.
    pub(super) field: &'k str,
    /// Words of the objects inside the record that the field stands in.
    pub(super) holders: &'k [String],
    /// Names of the other fields of the record.
    pub(super) siblings: &'k [String],
}

/// One thing that a passage says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Statement {
    /// What a state means.
    Means { state: usize, saying: Saying },
    /// A passage is given to what a state is.
    Defined { state: usize },
    /// A state is said to be an end.
    Ends { state: usize },
    /// Something is said of a state beyond its name: when it is entered, what follows, what can be done.
    Explained { state: usize },
    /// Its own definition says outright that it has happened.
    Occurs { state: usize },
    /// Its own definition says of the record what its name says.
    Affirmed { state: usize },
    /// It is said to be left for another one.
    Left { state: usize },
    /// It is said to stand for different things.
    Varies { state: usize },
    /// What the state is called has happened.
    Happened { state: usize },
    /// A record can go from one state to another.
    Moves { from: usize, to: usize },
    /// The states that one can be entered from, all of them.
    Entered { to: usize, from: Vec<usize> },
    /// A state can be entered from states that are not named.
    EnteredFromElsewhere { to: usize },
    /// A state need not last.
    NotFinal { state: usize },
}

impl Statement {
    /// The state whose class it bears on.
    pub(super) const fn about(&self) -> Option<usize> {
        match self {
            Self::Means { state, .. }
            | Self::Defined { state }
            | Self::Ends { state }
            | Self::Explained { state }
            | Self::Occurs { state }
            | Self::Affirmed { state }
            | Self::Left { state }
            | Self::Varies { state }
            | Self::Happened { state } => Some(*state),
            Self::Moves { .. }
            | Self::Entered { .. }
            | Self::EnteredFromElsewhere { .. }
            | Self::NotFinal { .. } => None,
        }
    }
}

/// Everything that a passage says of the known states.
pub(super) fn statements(talk: &Talk, known: &Known<'_>) -> Vec<Statement> {
    let mut found = Vec::new();
    let mut topic = talk.about;
    let (mut undefined, mut last) = (talk.about, talk.about);
    for (index, sentence) in sentences(&talk.text).into_iter().enumerate() {
        let mentioned = kept(sentence, mentions(sentence, known.states, known.field), known);
        if talk.elsewhere {
            heard_of(sentence, &mentioned, known, &mut found);
            continue;
        }
        if index == 0 && topic.is_none() {
            topic = mentioned.first().filter(|mention| mention.start <= HEAD).map(|mention| mention.state);
        }
        if let Some(state) = undefined {
            defined(sentence, state, known, &mut found);
            // A first sentence that only repeats the name leaves the definition to the next one.
            undefined = undefined.filter(|state| carries(sentence, *state, known) == 0);
        }
        if let Some(state) = talk.about.filter(|_| varies(sentence)) {
            found.push(Statement::Varies { state });
        }
        last = mentioned.last().map(|mention| mention.state).or(last);
        if let Some(state) = last.filter(|_| mentioned.is_empty() && calls_it_final(sentence)) {
            found.push(Statement::Ends { state });
        }
        meanings(sentence, &mentioned, known, &mut found);
        told(sentence, &mentioned, talk, known, &mut found);
        still_open(sentence, &mentioned, talk.moving, &mut found);
        moves(sentence, &mentioned, topic, &mut found);
    }
    found
}

/// How far from the start of a passage its topic may stand.
pub(super) const HEAD: usize = 4;

/// The name of a state.
pub(super) fn name_of<'k>(known: &Known<'k>, state: usize) -> &'k str {
    known.states.get(state).map_or("", String::as_str)
}

/// What the name of a state suggests.
pub(super) fn hint(known: &Known<'_>, state: usize) -> Option<Saying> {
    known.hints.get(state).and_then(|hint| hint.saying)
}

/// What a text says that stands as the definition of a state.
pub(super) fn defined(text: &str, state: usize, known: &Known<'_>, found: &mut Vec<Statement>) {
    let name = name_of(known, state);
    let told = match hint(known, state) {
        Some(Saying::Transitional) => until_condition(text),
        _ => text,
    };
    let saying = said(told, Some(name), hint(known, state));
    found.extend(saying.map(|saying| Statement::Means { state, saying }));
    let ended = matches!(hint(known, state), Some(Saying::Failure | Saying::Neutral));
    let turned = prose_words(text).iter().any(|word| cues().phrases.turns.contains(word));
    if ended && !turned && saying.is_none() && tells_success(text, name) {
        found.push(Statement::Means { state, saying: Saying::Success });
    }
    let passing = hint(known, state) == Some(Saying::Transitional) && speaks_of_return(text);
    if passing {
        found.push(Statement::Means { state, saying: Saying::Transitional });
    }
    let record: Vec<&str> =
        known.record.last().map(String::as_str).into_iter().chain([known.field]).collect();
    if comes_back(text, state, known) {
        return;
    }
    let much = content(text, name, &record);
    if much >= 2 {
        found.push(Statement::Explained { state });
        found.push(Statement::Defined { state });
        if asserts(text, name) {
            found.push(Statement::Happened { state });
            found.push(Statement::Occurs { state });
        }
    }
    if ended && saying.is_none() && carries(text, state, known) >= 1 && affirms(text, state, known) {
        found.push(Statement::Affirmed { state });
    }
}

/// A definition up to what has to happen before the state is come to.
fn until_condition(text: &str) -> &str {
    let opens = [" when ", " because ", " after "].iter().filter_map(|word| text.find(word)).min();
    text.get(..opens.unwrap_or(text.len())).filter(|front| prose_words(front).len() >= 3).unwrap_or(text)
}

/// A text says of the record itself what the name of the state says, in its words.
fn affirms(text: &str, state: usize, known: &Known<'_>) -> bool {
    let noun = known.record.last();
    let of_record = super::bare::flat(text)
        .iter()
        .any(|word| Some(word) == noun || word == "it" || known.holders.contains(word));
    of_record && said(text, None, None) == hint(known, state)
}

/// "Some banks use this status for ...".
fn varies(sentence: &str) -> bool {
    let words = prose_words(sentence);
    let some = words.first().is_some_and(|word| matches!(word.as_str(), "some" | "sometimes"));
    some && ["this status", "this state"].iter().any(|phrase| super::words::holds_phrase(&words, phrase))
}

/// "This is a final state."
fn calls_it_final(sentence: &str) -> bool {
    let phrases = &cues().phrases;
    let words = prose_words(sentence);
    let this = words.first().is_some_and(|word| matches!(word.as_str(), "this" | "it"));
    let clause = prose_words(sentence.split(',').next().unwrap_or_default());
    this && clause.len() <= 12
        && phrases.final_states.iter().any(|phrase| super::words::holds_phrase(&clause, phrase))
        && !clause.iter().any(|word| phrases.negations.contains(word))
}

/// A text speaks of a way back, and does not deny it.
fn speaks_of_return(text: &str) -> bool {
    let phrases = &cues().phrases;
    let words = prose_words(text);
    let back = |word: &String| phrases.comebacks.iter().any(|back| fits(word, back));
    words.iter().any(back) && !words.iter().any(|word| phrases.negations.contains(word))
}

/// An end without effect that a text says can be left again, or beside which it speaks of a success.
pub(super) fn comes_back(text: &str, state: usize, known: &Known<'_>) -> bool {
    let ended = matches!(hint(known, state), Some(Saying::Failure | Saying::Neutral));
    ended && (tells_success(text, name_of(known, state)) || speaks_of_return(text))
}

/// How much a text says beyond the names of the state, its field and the record.
pub(super) fn carries(text: &str, state: usize, known: &Known<'_>) -> usize {
    let record: Vec<&str> = known.record.iter().map(String::as_str).chain([known.field]).collect();
    content(text, name_of(known, state), &record)
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
