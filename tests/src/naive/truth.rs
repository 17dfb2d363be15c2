//! Three-valued truth. Knows nothing of conditions.

/// What a condition comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// Known to hold.
    Holds,
    /// Known not to hold.
    Fails,
    /// Not known.
    Unknown,
}

impl Truth {
    pub(super) fn of(known: bool) -> Truth {
        if known { Truth::Holds } else { Truth::Fails }
    }

    pub(super) fn not(self) -> Truth {
        match self {
            Truth::Holds => Truth::Fails,
            Truth::Fails => Truth::Holds,
            Truth::Unknown => Truth::Unknown,
        }
    }

    /// Fails if one fails, else unknown if one is unknown, else holds.
    pub(super) fn all(truths: &[Truth]) -> Truth {
        if truths.contains(&Truth::Fails) {
            Truth::Fails
        } else if truths.contains(&Truth::Unknown) {
            Truth::Unknown
        } else {
            Truth::Holds
        }
    }

    /// Holds if one holds, else unknown if one is unknown, else fails.
    pub(super) fn any(truths: &[Truth]) -> Truth {
        if truths.contains(&Truth::Holds) {
            Truth::Holds
        } else if truths.contains(&Truth::Unknown) {
            Truth::Unknown
        } else {
            Truth::Fails
        }
    }
}
