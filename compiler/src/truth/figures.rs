//! Shares and their names. Counts; must not know what is counted.

use std::collections::BTreeMap;

use provely_evaluator::contract::StateClass;
use serde::{Serialize, Serializer};

/// Every class, in the order of reports.
pub const CLASSES: [StateClass; 5] = [
    StateClass::Transitional,
    StateClass::TerminalSuccess,
    StateClass::TerminalFailure,
    StateClass::TerminalNeutral,
    StateClass::Unknown,
];

/// The figures that stand for all classes together, with what they say.
const WHOLE: [(&str, &str); 16] = [
    ("specs_read", "descriptions read"),
    ("operations_found", "operations found"),
    ("acting_recalled", "acting operations recalled"),
    ("reads_kept", "reads not mistaken for acts"),
    ("effects_named", "effects named right"),
    ("readbacks", "readbacks right"),
    ("planned_readbacks", "  of the planned ones"),
    ("result_ids", "result ids right"),
    ("resources_found", "resources found"),
    ("state_fields_found", "state fields found"),
    ("recall", "states right, certain or lexical"),
    ("settled_recall", "  of those not labelled unknown"),
    ("documented_certain", "documented states certain and right"),
    ("documented_successes_certain", "  terminal successes among them"),
    ("certain_precision", "certain classes right"),
    ("lexical_precision", "lexical classes right"),
];

/// The figures that there are once for each class.
const BY_CLASS: [&str; 4] = ["certain_precision", "lexical_precision", "certain_recall", "recall"];

/// How many of a kind are right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Share {
    /// Those that are.
    pub right: u32,
    /// All of them.
    pub of: u32,
}

impl Share {
    /// In tenths of a percent, rounded down. Nothing at all has no share: it must not pass for everything.
    #[must_use]
    pub fn permille(self) -> Option<u32> {
        (self.right * 1000).checked_div(self.of)
    }

    /// As people read it; `none` for nothing at all.
    #[must_use]
    pub fn percent(self) -> String {
        self.permille().map_or_else(|| "none".to_owned(), |share| format!("{}.{} %", share / 10, share % 10))
    }
}

impl Serialize for Share {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Printed {
            right: u32,
            of: u32,
            percent: Option<f64>,
        }
        let percent = self.permille().map(|share| f64::from(share) / 10.0);
        Printed { right: self.right, of: self.of, percent }.serialize(serializer)
    }
}

/// Every figure, by name; those that nothing was counted for are there too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Figures(BTreeMap<String, Share>);

/// A figure with its title and what was counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measured {
    /// Its name.
    pub name: &'static str,
    /// What it says.
    pub title: &'static str,
    /// What was counted.
    pub share: Share,
}

impl Default for Figures {
    fn default() -> Self {
        Self(figures().into_iter().map(|name| (name, Share::default())).collect())
    }
}

impl Figures {
    /// The share of that name; nothing if there is no such figure.
    #[must_use]
    pub fn get(&self, name: &str) -> Share {
        self.0.get(name).copied().unwrap_or_default()
    }

    /// The figures that stand for all classes together, in the order of reports.
    pub fn whole(&self) -> impl Iterator<Item = Measured> {
        WHOLE.into_iter().map(|(name, title)| Measured { name, title, share: self.get(name) })
    }

    /// Counts one more.
    pub(super) fn count(&mut self, name: &str, right: bool) {
        let share = self.0.entry(name.to_owned()).or_default();
        share.of += 1;
        share.right += u32::from(right);
    }

    /// Counts all that another counted.
    pub(super) fn add(&mut self, other: &Self) {
        for (name, share) in &other.0 {
            let own = self.0.entry(name.clone()).or_default();
            own.right += share.right;
            own.of += share.of;
        }
    }
}

/// The names of all figures, in the order of reports.
#[must_use]
pub fn figures() -> Vec<String> {
    let whole = WHOLE.into_iter().map(|(name, _)| name.to_owned());
    let by_class = BY_CLASS.into_iter().flat_map(|name| CLASSES.map(|class| figure_of(name, class)));
    whole.chain(by_class).collect()
}

/// The name of the figure of one class.
#[must_use]
pub fn figure_of(name: &str, class: StateClass) -> String {
    format!("{name}.{}", class_name(class))
}

/// The name that documents have for a class.
#[must_use]
pub const fn class_name(class: StateClass) -> &'static str {
    match class {
        StateClass::Transitional => "transitional",
        StateClass::TerminalSuccess => "terminal_success",
        StateClass::TerminalFailure => "terminal_failure",
        StateClass::TerminalNeutral => "terminal_neutral",
        StateClass::Unknown => "unknown",
    }
}
