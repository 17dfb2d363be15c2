//! The stable codes of every diagnostic that this crate raises. A code never changes its meaning; it
//! must not carry a position or a name.

/// The input is longer than [`crate::Limits::bytes`].
pub const TOO_LARGE: &str = "document/too-large";
/// Arrays and objects nest deeper than [`crate::Limits::depth`].
pub const TOO_DEEP: &str = "document/too-deep";
/// The input holds more nodes than [`crate::Limits::nodes`].
pub const TOO_MANY_NODES: &str = "document/too-many-nodes";
/// The input is not UTF-8.
pub const NOT_UTF8: &str = "document/not-utf8";
/// An object holds the same key twice.
pub const DUPLICATE_KEY: &str = "document/duplicate-key";
/// The input holds no value at all.
pub const EMPTY: &str = "document/empty";
/// The input breaks the grammar of RFC 8259.
pub const JSON_SYNTAX: &str = "json/syntax";
/// A `\u` escape names half of a surrogate pair.
pub const JSON_LONE_SURROGATE: &str = "json/lone-surrogate";
/// The input breaks the grammar of YAML 1.2.
pub const YAML_SYNTAX: &str = "yaml/syntax";
/// A tab stands where YAML wants spaces.
pub const YAML_TAB: &str = "yaml/tab";
/// The stream holds more than one document.
pub const YAML_MULTIPLE_DOCUMENTS: &str = "yaml/multiple-documents";
/// A mapping key is itself a mapping or a sequence.
pub const YAML_COMPLEX_KEY: &str = "yaml/complex-key";
/// Aliases would expand beyond [`crate::Limits::alias_expansion`].
pub const YAML_ALIAS_EXPANSION: &str = "yaml/alias-expansion";
/// An alias stands inside the node that it names.
pub const YAML_ALIAS_CYCLE: &str = "yaml/alias-cycle";
/// An alias names no anchor above it.
pub const YAML_UNKNOWN_ALIAS: &str = "yaml/unknown-alias";
/// The value of a merge key `<<` is neither a mapping nor a sequence of mappings.
pub const YAML_MERGE: &str = "yaml/merge";
/// A core schema tag such as `!!int` stands before text that is none.
pub const YAML_TAG: &str = "yaml/tag";
/// A member that the reader does not know.
pub const UNKNOWN_MEMBER: &str = "value/unknown-member";
/// A member that the reader needs is absent.
pub const MISSING_MEMBER: &str = "value/missing-member";
/// A value of another type than the reader needs.
pub const WRONG_TYPE: &str = "value/wrong-type";
/// A name outside a closed list of names.
pub const UNKNOWN_NAME: &str = "value/unknown-name";
/// A number that does not fit the type that the reader needs.
pub const NUMBER_RANGE: &str = "value/number-range";
/// Any other refusal by the type that is read.
pub const INVALID_VALUE: &str = "value/invalid";
/// A pointer that leads nowhere.
pub const POINTER_UNRESOLVED: &str = "pointer/unresolved";
