//! Display ids and wording: those of the service file where it has them, generated ones else. Must not
//! change what a contract means.

use provely_model::Resource;

use crate::plan::identifier;
use crate::source::{Names, RuleName};

/// Looks up what a part is called.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wording<'a> {
    pub names: &'a Names,
    pub resource: &'a Resource,
    /// The level's generated name: a rule may be called otherwise in one level.
    pub level: &'a str,
}

/// An id and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Called {
    pub id: String,
    pub text: String,
}

impl Wording<'_> {
    fn key(self, key: &str) -> String {
        format!("{}.{key}", self.resource.name)
    }

    /// A condition, by its generated key such as `wrong_subject.charge`.
    pub fn condition(self, key: &str) -> Called {
        called(self.names.conditions.get(&self.key(key)), self.generated(key), || self.sentence(key))
    }

    /// A rule of the verdict map.
    pub fn rule(self, key: &str) -> Called {
        let rules = &self.names.rules;
        let of_level = rules.get(&self.key(&format!("{}.{key}", self.level)));
        called(of_level.or_else(|| rules.get(&self.key(key))), identifier(key), || self.sentence(key))
    }

    /// A channel.
    pub fn channel(self, key: &str) -> Called {
        called(self.names.channels.get(&self.key(key)), self.generated(key), || self.sentence(key))
    }

    /// The contract of a level.
    pub fn contract(self, level: &str) -> RuleName {
        self.names.contracts.get(&self.key(level)).cloned().unwrap_or_default()
    }

    /// `refund_record_present` for `record.present`.
    fn generated(self, key: &str) -> String {
        format!("{}_{}", identifier(&self.resource.name), identifier(key))
    }

    /// A plain sentence for a key: first what kind of part it is, then what it is about.
    fn sentence(self, key: &str) -> String {
        let record = self.resource.name.replace(['_', '.'], " ");
        let (kind, about) = key.split_once('.').unwrap_or((key, ""));
        let about = format!("`{about}`");
        match (kind, key) {
            ("record", "record.present") => format!("The {record} is there under the id of this operation."),
            ("record", "record.created_in_window") => {
                format!("The {record} was made after the operation began.")
            }
            ("record", "record.was_there") => format!("The {record} was there before the operation began."),
            ("record", "record.new") => format!("The {record} was not there before the operation began."),
            ("record", "record.altered") => format!("The {record} reads otherwise than before."),
            ("record", "record.absent") => format!("The {record} is gone."),
            ("record", _) => format!("The {record}, {about}."),
            ("state", "state.known") => {
                format!("The {record} is in a state that has not ended without success.")
            }
            ("state", _) => format!("The {record} is in a state of {about}."),
            ("part", _) => format!("At least one part of the {record} is in a state of {about}."),
            ("parts", _) => format!("No part of the {record} is in another state than {about}."),
            ("input", _) => format!("The {record} carries the {about} that was asked for."),
            ("unnamed", _) => format!("The {record} names nobody in {about}, as nobody was asked for."),
            ("event", _) => format!("An event of this {record} carries a state of {about}."),
            ("wrong_subject", _) => format!("The {record} has another {about} than was asked for."),
            ("wrong_amount", _) => format!("The {record} is of another {about} than was asked for."),
            ("wrong_currency", _) => format!("The {record} is in another {about} than was asked for."),
            ("pre_existing_state", _) => format!("The {record} showed this before the operation began."),
            ("duplicate_side_effect", _) => {
                format!("More than one {record} was made for one request. Do not try again.")
            }
            ("partial_completion", "partial_completion.parts") => {
                format!("Some parts of the {record} succeeded and others did not.")
            }
            ("status_unknown", _) => {
                format!("A part of the {record} is in a state that the provider itself cannot explain.")
            }
            ("partial_completion", _) => format!(
                "The {record} goes to several in {about} and has one state for all. Ask for each by itself."
            ),
            ("succeeded_instead", _) => format!("The {record} succeeded; it did not fail as was promised."),
            ("unattributed_sibling", _) => {
                format!("Another {record} of the same subject appeared that nobody explains.")
            }
            ("terminal_failure", _) => format!("The {record} ended in failure."),
            ("still_transitional", _) => format!("The {record} is under way. It will be looked at again."),
            ("readback", _) => format!("The {record}, read by its id."),
            ("list", _) => format!("The {record} records of the same subject, read page by page."),
            ("created_events", _) => format!("Events that announce a new {record}, delivered or pulled."),
            ("ended_events", _) => {
                format!("Events of a {record} that ended without success, delivered or pulled.")
            }
            ("action_response", _) => {
                "The reply to the action, as the agent handed it in. It proves nothing.".to_owned()
            }
            (kind, _) if kind.ends_with("_events") => {
                format!("Events that can report the {record}, delivered or pulled.")
            }
            (state, _) => format!("The {record} ended as `{state}`, without the outcome that was asked for."),
        }
    }
}

fn called(name: Option<&RuleName>, generated: String, sentence: impl FnOnce() -> String) -> Called {
    let id = name.and_then(|name| name.id.clone()).unwrap_or(generated);
    let text = name.and_then(|name| name.text.clone()).unwrap_or_else(sentence);
    Called { id, text }
}
