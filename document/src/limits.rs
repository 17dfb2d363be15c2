//! Every limit against hostile or broken input, in one place. It must not read the environment.

/// Bounds that [`crate::read`] keeps. Each has its own diagnostic when exceeded.
///
/// The defaults fit published API descriptions of 30 MB with room to spare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Longest input, in bytes. Default 64 MiB; never more than 2 GiB, since places are 32 bits wide.
    pub bytes: usize,
    /// Deepest nesting of arrays and objects, aliases followed. Default 200. The readers of this crate
    /// need no stack for it, but those who walk the tree usually do: keep it to some hundreds.
    pub depth: usize,
    /// Most nodes in the arena: values and keys. Default 8,000,000 (a 30 MB description has about 2,500,000;
    /// a node takes 20 bytes).
    pub nodes: usize,
    /// Most nodes that YAML aliases may add to a full walk of the tree. Default 1,000,000. The tree shares
    /// nodes, so this bounds the time of those who walk it.
    pub alias_expansion: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 64 << 20, depth: 200, nodes: 8_000_000, alias_expansion: 1_000_000 }
    }
}

/// The hard bound on [`Limits::bytes`].
pub(crate) const MOST_BYTES: usize = 1 << 31;

/// The hard bound on [`Limits::nodes`].
pub(crate) const MOST_NODES: usize = 1 << 30;
