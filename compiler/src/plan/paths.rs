//! Path templates, compared step by step: what a placeholder is called does not matter, where it stands does.
//! Must not know what an operation does.

use provely_model::{Operation, Place};

use crate::classify::without_format;

/// One step of a path template.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step<'p> {
    /// A word.
    Fixed(&'p str),
    /// A placeholder.
    Named(&'p str),
}

impl PartialEq for Step<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Fixed(one), Self::Fixed(two)) => one == two,
            (Self::Named(_), Self::Named(_)) => true,
            (Self::Fixed(_), Self::Named(_)) | (Self::Named(_), Self::Fixed(_)) => false,
        }
    }
}

/// Where the value of a placeholder comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Origin {
    /// The input member of that name.
    Input(String),
    /// The id in the action's reply.
    Reply,
}

/// How the path of a reading operation is filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Route {
    /// Each placeholder with its origin, in the order of the path.
    pub(super) parameters: Vec<(String, Origin)>,
    /// The origin of the placeholder that the path ends in.
    pub(super) own: Option<Origin>,
    /// How many steps both paths begin with.
    pub(super) shared: usize,
}

/// The steps of a path template; an ending that names a format does not count, nor does what only tells two
/// operations of one path apart (`/a/{id}#share`), and a verb behind a colon is a step of its own.
pub(super) fn steps(path: &str) -> Vec<Step<'_>> {
    let mut steps = Vec::with_capacity(8);
    let path = path.split(['#', '?']).next().unwrap_or(path);
    for step in without_format(path).split('/').filter(|step| !step.is_empty()) {
        match step.strip_prefix('{').and_then(|inner| inner.split_once('}')) {
            Some((name, "")) => steps.push(Step::Named(name)),
            Some((name, rest)) if rest.starts_with(':') => {
                steps.extend([Step::Named(name), Step::Fixed(rest)])
            }
            Some(_) | None => steps.push(Step::Fixed(step)),
        }
    }
    steps
}

/// True if the last step is a placeholder.
pub(super) fn ends_named(steps: &[Step<'_>]) -> bool {
    matches!(steps.last(), Some(Step::Named(_)))
}

/// How the path of `read` is filled in for `operation`: by the steps that both begin with, by the placeholder
/// behind the same word, by an input of the same name, and at the very end by the id in the reply. `None` if a
/// placeholder stays open.
pub(super) fn route(operation: &Operation, read: &Operation) -> Option<Route> {
    let (ours, theirs) = (steps(&operation.path), steps(&read.path));
    let shared = ours.iter().zip(&theirs).take_while(|(one, two)| one == two).count();
    let mut parameters = Vec::new();
    for (at, step) in theirs.iter().enumerate() {
        let name = match step {
            Step::Fixed(word) if at < shared => {
                let within = placeholders(word).map(|name| (name.to_owned(), Origin::Input(name.to_owned())));
                parameters.extend(within);
                continue;
            }
            Step::Fixed(word) if word.contains('{') => return None,
            Step::Fixed(_) => continue,
            Step::Named(name) => *name,
        };
        let given = ours.get(at).filter(|_| at < shared).copied();
        let found = given
            .or_else(|| behind_same_word(&ours, &theirs, at))
            .or_else(|| ours.last().filter(|_| around_verb(&ours, &theirs, shared)).copied());
        let origin = match found {
            Some(Step::Named(ours)) => Origin::Input(ours.to_owned()),
            Some(Step::Fixed(_)) | None if at + 1 == theirs.len() || at == ours.len() => Origin::Reply,
            Some(Step::Fixed(_)) | None => Origin::Input(input_named(operation, name)?),
        };
        parameters.push((name.to_owned(), origin));
    }
    let own = parameters.last().filter(|_| ends_named(&theirs)).map(|(_, origin)| origin.clone());
    Some(Route { parameters, own, shared })
}

/// The names in braces of a text.
pub(super) fn placeholders(text: &str) -> impl Iterator<Item = &str> {
    text.split('{').skip(1).filter_map(|rest| rest.split_once('}').map(|(name, _)| name))
}

/// True if one word more in front of the same last placeholder is all that tells our path from theirs:
/// `/a/verb/{id}` and `/a/{id}`.
pub(super) fn around_verb(ours: &[Step<'_>], theirs: &[Step<'_>], shared: usize) -> bool {
    let same = match (ours.last(), theirs.last()) {
        (Some(Step::Named(one)), Some(Step::Named(two))) => one == two,
        (Some(_) | None, _) => false,
    };
    same && ours.len() == theirs.len() + 1 && shared + 1 == theirs.len()
}

/// Our placeholder behind the word that stands in front of their step.
fn behind_same_word<'p>(ours: &[Step<'p>], theirs: &[Step<'_>], at: usize) -> Option<Step<'p>> {
    let word = theirs.get(at.checked_sub(1)?)?;
    let pair = ours.windows(2).rfind(|pair| {
        matches!(pair, [Step::Fixed(_), Step::Named(_)]) && pair.first().is_some_and(|first| first == word)
    })?;
    pair.last().copied()
}

fn input_named(operation: &Operation, name: &str) -> Option<String> {
    let fits = |place: Place| matches!(place, Place::Body | Place::Path);
    let found = operation.parameters.iter().find(|input| input.name == name && fits(input.place))?;
    Some(found.name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_no_part_of_a_step_and_a_verb_is_one() {
        assert_eq!(steps("/a/{B}.json"), [Step::Fixed("a"), Step::Named("x")]);
        assert_eq!(steps("/a/{b}:run/"), [Step::Fixed("a"), Step::Named("b"), Step::Fixed(":run")]);
        assert!(matches!(steps("/a/key={b}").as_slice(), [Step::Fixed("a"), Step::Fixed("key={b}")]));
        assert_eq!(steps("/a/{b}#share"), steps("/a/{b}"));
        assert!(ends_named(&steps("/a/{b}.json")) && !ends_named(&steps("/a/{b}:run")));
    }
}
