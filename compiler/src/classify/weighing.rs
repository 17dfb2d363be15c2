//! Weighs what passages say of one state against what its name suggests. Must not read passages, and never
//! lets a name alone decide.

use std::collections::BTreeSet;

use super::cues::Saying;
use super::names::Hint;
use super::statements::Statement;

/// What all passages together say of one state.
#[derive(Debug, Default, Clone)]
pub(super) struct Evidence {
    /// What they say it means.
    pub(super) votes: BTreeSet<Saying>,
    /// A passage is given to what it is.
    pub(super) defined: bool,
    /// It is said to be an end.
    pub(super) ends: bool,
    /// Something is said of it beyond its name.
    pub(super) explained: bool,
    /// It is said that what it is called has happened.
    pub(super) happened: bool,
    /// Its own definition says outright that it has happened.
    pub(super) occurs: bool,
    /// Its own definition says of the record what its name says.
    pub(super) affirmed: bool,
    /// It is said to be left for another state.
    pub(super) left: bool,
    /// It is said to stand for different things.
    pub(super) varies: bool,
    /// Another state's name suggests a success.
    pub(super) other_success: bool,
    /// Another state's name says that it is over.
    pub(super) other_over: bool,
    /// It is said to be entered from states that are called successes, and from no other.
    pub(super) after_success: bool,
}

impl Evidence {
    /// What the statements come to for one state.
    pub(super) fn of<'s>(
        state: usize,
        said: impl Iterator<Item = &'s Statement>,
        other_success: bool,
    ) -> Self {
        let mut evidence = Self { other_success, ..Self::default() };
        for statement in said.filter(|statement| statement.about() == Some(state)) {
            match statement {
                Statement::Means { saying, .. } => {
                    evidence.votes.insert(*saying);
                }
                Statement::Defined { .. } => evidence.defined = true,
                Statement::Ends { .. } => evidence.ends = true,
                Statement::Explained { .. } => evidence.explained = true,
                Statement::Occurs { .. } => evidence.occurs = true,
                Statement::Happened { .. } => evidence.happened = true,
                Statement::Affirmed { .. } => evidence.affirmed = true,
                Statement::Left { .. } => evidence.left = true,
                Statement::Varies { .. } => evidence.varies = true,
                Statement::Moves { .. }
                | Statement::Entered { .. }
                | Statement::EnteredFromElsewhere { .. }
                | Statement::NotFinal { .. } => {}
            }
        }
        evidence
    }

    fn has(&self, saying: Saying) -> bool {
        self.votes.contains(&saying)
    }
}

/// What passages and name come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Passages say it.
    Documented(Saying),
    /// Only the name says it; `explained`: passages speak of the state, but none says this.
    Lexical { saying: Saying, explained: bool },
    /// A passage says one thing and the name another.
    AgainstName { said: Saying, name: Saying },
    /// Passages say different things.
    Divided,
    /// It is done in part.
    Partial,
    /// Nothing is said; `explained`: passages speak of it and leave open how it ends.
    Silent { explained: bool },
}

/// Weighs the evidence on one state.
pub(super) fn decide(evidence: &Evidence, hint: Hint) -> Outcome {
    if evidence.has(Saying::Partial) || (hint.partial && evidence.explained) {
        return Outcome::Partial;
    }
    if evidence.varies {
        return Outcome::Divided;
    }
    if hint.blank {
        return Outcome::Silent { explained: evidence.explained };
    }
    match hint.saying {
        Some(Saying::Success) => success(evidence, hint),
        Some(Saying::Transitional) => moving(evidence, hint),
        Some(ending @ (Saying::Failure | Saying::Neutral)) => ended(evidence, hint, ending),
        Some(Saying::Temporary | Saying::Ended | Saying::Partial | Saying::Begun | Saying::Nothing)
        | None => unnamed(evidence),
    }
}

/// Votes on the class, a passing failure counted as passed through.
fn classes(evidence: &Evidence) -> Vec<Saying> {
    let class = |saying: &Saying| match saying {
        Saying::Temporary => Some(Saying::Transitional),
        Saying::Ended | Saying::Partial | Saying::Begun | Saying::Nothing => None,
        other => Some(*other),
    };
    let found: BTreeSet<Saying> = evidence.votes.iter().filter_map(class).collect();
    found.into_iter().collect()
}

const fn lexical(evidence: &Evidence, saying: Saying) -> Outcome {
    Outcome::Lexical { saying, explained: evidence.explained }
}

/// The name says that it happened: passages must say so too, and nothing else. A word of agreement is only
/// enough where no other state is called a success.
fn success(evidence: &Evidence, hint: Hint) -> Outcome {
    match classes(evidence).as_slice() {
        [Saying::Success] => Outcome::Documented(Saying::Success),
        [] if hint.strong && (evidence.happened || evidence.has(Saying::Ended)) => {
            Outcome::Documented(Saying::Success)
        }
        [] if evidence.occurs && (hint.done || !(evidence.other_success || evidence.other_over)) => {
            Outcome::Documented(Saying::Success)
        }
        [] => lexical(evidence, Saying::Success),
        [only] => Outcome::AgainstName { said: *only, name: Saying::Success },
        _ => Outcome::Divided,
    }
}

/// The name says that it goes on. Where another state is called a success, a word such as `sent` that could
/// be an end elsewhere is a step to it.
fn moving(evidence: &Evidence, hint: Hint) -> Outcome {
    let name = Saying::Transitional;
    let classes = classes(evidence);
    let says = classes.contains(&name);
    let step = evidence.defined && (evidence.other_success || evidence.has(Saying::Begun));
    match classes.as_slice() {
        // A word of agreement that is said to be the end it promises.
        [Saying::Success] if evidence.ends && !hint.strong => Outcome::Documented(Saying::Success),
        _ if evidence.ends => Outcome::Divided,
        [] if (hint.strong && evidence.explained) || step || evidence.left => Outcome::Documented(name),
        [] => lexical(evidence, name),
        [only] if *only == name => Outcome::Documented(name),
        _ if hint.strong && says => Outcome::Documented(name),
        [only] => Outcome::AgainstName { said: *only, name },
        _ => Outcome::Divided,
    }
}

/// The name says that it ended without effect. How two such ends differ is told by the name.
fn ended(evidence: &Evidence, hint: Hint, name: Saying) -> Outcome {
    let classes = classes(evidence);
    let (says, passing) = (classes.contains(&name), evidence.has(Saying::Temporary));
    let moves = classes.contains(&Saying::Transitional);
    let over = evidence.ends || evidence.has(Saying::Ended);
    let supported = says
        || (hint.strong && (evidence.explained || over))
        || (evidence.affirmed && !hint.runs)
        || (evidence.explained && evidence.ends)
        || (evidence.defined && over && hint.called_off);
    match classes.as_slice() {
        [] if supported => Outcome::Documented(name),
        [] => lexical(evidence, name),
        several if several.contains(&Saying::Success) => match several {
            [only] => Outcome::AgainstName { said: *only, name },
            _ => Outcome::Divided,
        },
        _ if supported && !passing && (says || !moves) => Outcome::Documented(name),
        [only] => Outcome::AgainstName { said: *only, name },
        _ => Outcome::Divided,
    }
}

/// The name says nothing: passages decide, and a success needs that no other state is called one, or that it
/// comes after those alone.
fn unnamed(evidence: &Evidence) -> Outcome {
    match classes(evidence).as_slice() {
        [] => Outcome::Silent { explained: evidence.explained },
        [Saying::Success] if evidence.other_success && !evidence.after_success => Outcome::Divided,
        [only] => Outcome::Documented(*only),
        _ => Outcome::Divided,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weighed(votes: &[Saying], explained: bool, name: Option<Saying>, strong: bool) -> Outcome {
        let votes = votes.iter().copied().collect();
        let evidence = Evidence { votes, explained, ..Evidence::default() };
        decide(&evidence, Hint { saying: name, strong, ..Hint::default() })
    }

    #[test]
    fn a_name_alone_never_decides() {
        for name in [Saying::Success, Saying::Failure, Saying::Neutral, Saying::Transitional] {
            assert_eq!(
                weighed(&[], false, Some(name), true),
                Outcome::Lexical { saying: name, explained: false }
            );
        }
    }

    #[test]
    fn an_explained_word_that_is_always_the_same_is_sure_unless_it_is_a_success() {
        let sure = weighed(&[], true, Some(Saying::Neutral), true);
        assert_eq!(sure, Outcome::Documented(Saying::Neutral));
        let success = weighed(&[], true, Some(Saying::Success), true);
        assert_eq!(success, Outcome::Lexical { saying: Saying::Success, explained: true });
        let weak = weighed(&[], true, Some(Saying::Transitional), false);
        assert_eq!(weak, Outcome::Lexical { saying: Saying::Transitional, explained: true });
    }

    #[test]
    fn a_success_whose_definition_says_that_it_happened_is_sure() {
        let evidence = Evidence { occurs: true, ..Evidence::default() };
        let agreed = Hint { saying: Some(Saying::Success), ..Hint::default() };
        assert_eq!(decide(&evidence, agreed), Outcome::Documented(Saying::Success));
        let beside = Evidence { other_success: true, ..evidence };
        assert!(matches!(decide(&beside, agreed), Outcome::Lexical { .. }));
        assert_eq!(decide(&beside, Hint { done: true, ..agreed }), Outcome::Documented(Saying::Success));
    }

    #[test]
    fn a_passage_against_the_name_leaves_it_open() {
        let votes = [Saying::Transitional];
        assert!(matches!(weighed(&votes, true, Some(Saying::Success), true), Outcome::AgainstName { .. }));
        let votes = [Saying::Success];
        assert!(matches!(weighed(&votes, true, Some(Saying::Failure), true), Outcome::AgainstName { .. }));
        let votes = [Saying::Success, Saying::Failure];
        assert_eq!(weighed(&votes, true, Some(Saying::Failure), true), Outcome::Divided);
        assert_eq!(weighed(&[Saying::Partial], true, Some(Saying::Failure), true), Outcome::Partial);
        let passing = weighed(&[Saying::Temporary], true, Some(Saying::Failure), true);
        assert!(matches!(passing, Outcome::AgainstName { .. }));
    }

    #[test]
    fn an_unnamed_success_beside_a_named_one_is_open() {
        let votes = BTreeSet::from([Saying::Success]);
        let evidence = Evidence { votes, other_success: true, ..Evidence::default() };
        assert_eq!(decide(&evidence, Hint::default()), Outcome::Divided);
        let after = Evidence { after_success: true, ..evidence };
        assert_eq!(decide(&after, Hint::default()), Outcome::Documented(Saying::Success));
    }
}
