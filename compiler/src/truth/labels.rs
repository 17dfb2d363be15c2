//! Labels: what a person read off a description about its resources, states and operations. Reads them; must not
//! judge anything by them.

use std::collections::{BTreeMap, BTreeSet};

use provely_document::{Diagnostic, Format, Limits, from_node, read};
use provely_evaluator::contract::StateClass;
use provely_model::Effect;
use serde::Deserialize;

/// One resource of one description.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Label {
    /// Whose description it is.
    pub vendor: String,
    /// The description, as a path from the folder of all descriptions.
    pub spec: String,
    /// Name of the resource.
    pub resource: String,
    /// Where the state field stands, as a reference into the description, or `Type.field`; none where the resource has
    /// no state.
    pub field: Option<String>,
    /// State to what it means.
    #[serde(default)]
    pub states: BTreeMap<String, StateLabel>,
    /// The operations about it.
    #[serde(default)]
    pub operations: Vec<OperationLabel>,
    /// Remarks for people.
    #[serde(default)]
    pub note: Option<String>,
}

/// What one state means.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateLabel {
    /// Its class.
    pub class: StateClass,
    /// A passage of the description says so.
    pub documented: bool,
    /// A passage only repeats the name.
    #[serde(default)]
    pub restated: bool,
    /// A success that can turn.
    #[serde(default)]
    pub reversible: bool,
    /// Only a part was done.
    #[serde(default)]
    pub partial: bool,
    /// Display name of a numeric value.
    #[serde(default)]
    pub name: Option<String>,
}

/// What one operation does.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OperationLabel {
    /// `METHOD /path`, `mutation x` or `query x`.
    pub op: String,
    /// Its effect.
    pub effect: Effect,
    /// Effects that are as right.
    #[serde(default)]
    pub accept: Vec<Effect>,
    /// The operation that reads the outcome; none where nothing does.
    #[serde(default)]
    pub readback: Option<String>,
    /// Where the reply carries the record's id, a path from `$`.
    #[serde(default)]
    pub result_id: Option<String>,
    /// Another description of the vendor, where the operation stands there.
    #[serde(default)]
    pub spec: Option<String>,
    /// Another description of the vendor, where the readback stands there.
    #[serde(default)]
    pub readback_spec: Option<String>,
    /// Remarks for people.
    #[serde(default)]
    pub note: Option<String>,
}

impl Label {
    /// The description that an operation of this resource stands in.
    #[must_use]
    pub fn spec_of<'l>(&'l self, operation: &'l OperationLabel) -> &'l str {
        operation.spec.as_deref().unwrap_or(&self.spec)
    }
}

/// Reads a file of labels.
///
/// # Errors
/// A syntax error, or a member that is unknown, missing or of the wrong type, with its place.
pub fn read_labels(name: &str, text: &str) -> Result<Vec<Label>, Box<Diagnostic>> {
    let document = read(name, text, Format::Auto, &Limits::default())?;
    Ok(from_node(document.root())?)
}

/// Every description that the labels name, each once.
#[must_use]
pub fn specs(labels: &[Label]) -> BTreeSet<&str> {
    let own = labels.iter().map(|label| label.spec.as_str());
    let other = labels.iter().flat_map(|label| &label.operations);
    own.chain(other.filter_map(|operation| operation.spec.as_deref())).collect()
}
