//! Conditions: positives, negatives and verdict rules, as written.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::json::Value;
use crate::verdict::Verdict;

/// One test over the evidence.
///
/// Either scalar (`path operator expected`), over a list (`over` with `where` and one of `count`,
/// `sum`), or a conjunction (`all_of`).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// Stable id, unique in the contract; left out inside `all_of` and `match`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// What it means, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The reference that is tested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A query to a list; the condition is then about its items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<String>,
    /// Tests that an item must pass, all of them.
    #[serde(rename = "where", default, skip_serializing_if = "Vec::is_empty")]
    pub matching: Vec<ItemTest>,
    /// `$baseline.<channel>`: only items that were not there before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outside: Option<String>,
    /// Test the number of matching items.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub count: bool,
    /// Test the sum of this `@` query over the matching items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sum: Option<String>,
    /// How the two sides are compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operator: Option<Operator>,
    /// A literal, or a reference written as a string.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Value>,
    /// How both sides are read before they are compared.
    #[serde(rename = "as", default, skip_serializing_if = "Option::is_none")]
    pub read_as: Option<As>,
    /// A conjunction instead of one test; its members carry no id of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub all_of: Vec<Condition>,
    /// The channels it rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// Applies only if this test over `$input` holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Box<ItemTest>>,
    /// Applies only if this test over `$input` does not hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unless: Option<Box<ItemTest>>,
    /// Takes the place of what reads the baseline where none could be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<Box<ItemTest>>,
    /// `unknown`: answer unknown instead of holding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Truth>,
    /// Negatives only: what kind of false success it catches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<NegativeClass>,
    /// Negatives only: stable reason code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason_code: Option<String>,
    /// Negatives only: the reason in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Negatives only: must be known to fail before VERIFIED; absent means true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocking: Option<bool>,
}

/// A test on one item of a list (rooted at `@`), or on the input (`when`, `unless`).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ItemTest {
    /// The reference that is tested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// How the two sides are compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operator: Option<Operator>,
    /// A literal, or a reference written as a string.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Value>,
    /// How both sides are read.
    #[serde(rename = "as", default, skip_serializing_if = "Option::is_none")]
    pub read_as: Option<As>,
    /// The item's owner is one of these; `open` owners are unknown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub owner: Vec<Owner>,
    /// The item's state class is a success (true).
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub effect: bool,
    /// Applies only if this test over `$input` holds; else the item passes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Box<ItemTest>>,
}

/// The kinds of false success.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum NegativeClass {
    /// Another record, recipient or parent.
    WrongSubject,
    /// Another amount.
    WrongAmount,
    /// Another currency.
    WrongCurrency,
    /// Test instead of live, or the reverse.
    WrongMode,
    /// The state was there before.
    PreExistingState,
    /// A second effect of one intent.
    DuplicateSideEffect,
    /// Only a part was done.
    PartialCompletion,
    /// A sibling that nobody explains.
    UnattributedSibling,
    /// A state that the lifecycle forbids.
    ForbiddenState,
}

impl NegativeClass {
    /// Identity negatives must be known to fail before FAILED or CONTRADICTED by rule.
    #[must_use]
    pub const fn is_identity(self) -> bool {
        match self {
            Self::WrongSubject | Self::PreExistingState => true,
            Self::WrongAmount
            | Self::WrongCurrency
            | Self::WrongMode
            | Self::DuplicateSideEffect
            | Self::PartialCompletion
            | Self::UnattributedSibling
            | Self::ForbiddenState => false,
        }
    }
}

/// A verdict rule; the first that holds decides before completion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Stable id.
    pub id: String,
    /// The test, without an id of its own.
    #[serde(rename = "match")]
    pub matching: Condition,
    /// FAILED, PENDING, CONTRADICTED or UNVERIFIABLE.
    pub verdict: Verdict,
    /// Stable reason code.
    pub reason_code: String,
    /// The reason in words.
    pub reason: String,
}

/// Three-valued logic: what is known of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Truth {
    /// Known to be false.
    Fails,
    /// Not known.
    Unknown,
    /// Known to be true.
    Holds,
}

/// Who a record of the sibling scope belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Owner {
    /// This operation.
    This,
    /// Another operation, known by key, tag or claim.
    Other,
    /// Possibly another operation.
    Open,
    /// No operation that we know could have made it.
    None,
}

/// The closed list of operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Operator {
    /// Equal.
    Eq,
    /// Not equal.
    Ne,
    /// Equal to one of a list.
    In,
    /// Equal to none of a list.
    NotIn,
    /// Greater.
    Gt,
    /// Greater or equal.
    Gte,
    /// Less.
    Lt,
    /// Less or equal.
    Lte,
    /// A value stands there.
    Exists,
    /// The channel answered in full and nothing stands there.
    Absent,
    /// The length of an array equals; a missing array has length 0.
    ArrayLength,
    /// An array holds the element, or a text the substring.
    Contains,
    /// An array holds every element.
    ContainsAll,
    /// An instant not before another, beyond granularity and skew.
    TimeAfter,
    /// An instant before another, beyond granularity and skew.
    TimeBefore,
    /// A text starts with another.
    Prefix,
    /// A whole text matches a regular expression, in linear time.
    Matches,
}

/// How both sides of a comparison are read; there is no implicit conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum As {
    /// A string.
    Text,
    /// A JSON number, by exact decimal value.
    Number,
    /// A JSON number or a decimal string, by exact decimal value.
    Decimal,
    /// A point in time, in the channel's notation.
    Instant,
    /// The address of `Name <addr>`, its domain without case.
    Email,
    /// ASCII without case.
    Code,
    /// A string, or the `id` of an object.
    Id,
    /// Elements in any order, each read as given; a scalar is one element.
    Set(SetOf),
}

/// The element reading of [`As::Set`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SetOf {
    /// `set<text>`.
    Text,
    /// `set<number>`.
    Number,
    /// `set<decimal>`.
    Decimal,
    /// `set<email>`.
    Email,
    /// `set<code>`.
    Code,
    /// `set<id>`.
    Id,
}

impl SetOf {
    /// The reading of one element.
    #[must_use]
    pub const fn element(self) -> As {
        match self {
            Self::Text => As::Text,
            Self::Number => As::Number,
            Self::Decimal => As::Decimal,
            Self::Email => As::Email,
            Self::Code => As::Code,
            Self::Id => As::Id,
        }
    }
}

const AS_NAMES: [(&str, As); 13] = [
    ("text", As::Text),
    ("number", As::Number),
    ("decimal", As::Decimal),
    ("instant", As::Instant),
    ("email", As::Email),
    ("code", As::Code),
    ("id", As::Id),
    ("set<text>", As::Set(SetOf::Text)),
    ("set<number>", As::Set(SetOf::Number)),
    ("set<decimal>", As::Set(SetOf::Decimal)),
    ("set<email>", As::Set(SetOf::Email)),
    ("set<code>", As::Set(SetOf::Code)),
    ("set<id>", As::Set(SetOf::Id)),
];

impl As {
    /// The name as written in a contract.
    #[must_use]
    pub fn name(self) -> &'static str {
        AS_NAMES.iter().find(|(_, value)| *value == self).map_or("text", |(name, _)| name)
    }
}

impl Serialize for As {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for As {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        AS_NAMES.iter().find(|(name, _)| *name == text).map(|(_, value)| *value).ok_or_else(|| {
            serde::de::Error::custom(alloc::format!(
                "`{text}` is not a reading; use text, number, decimal, instant, email, code, id or set<...>"
            ))
        })
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for As {
    fn schema_name() -> alloc::borrow::Cow<'static, str> {
        "As".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let names: Vec<&str> = AS_NAMES.iter().map(|(name, _)| *name).collect();
        schemars::json_schema!({ "type": "string", "enum": names })
    }
}
