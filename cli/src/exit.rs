//! The exit codes, in one table. No other file may name a number.

use provely_evaluator::receipt::Report;
use provely_evaluator::verdict::Verdict;

/// What a command ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// VERIFIED, or a command without a verdict did its work.
    Done,
    /// An error, a usage error, or an invalid document.
    Refused,
    /// PENDING
    Pending,
    /// FAILED
    Failed,
    /// CONTRADICTED
    Contradicted,
    /// UNVERIFIABLE, or a person has to look at it.
    Unverifiable,
}

impl Exit {
    /// Every exit, its code and its meaning.
    pub const TABLE: [(Exit, u8, &'static str); 6] = [
        (Exit::Done, 0, "VERIFIED, or the command did its work"),
        (Exit::Refused, 1, "an error, a usage error, or an invalid document"),
        (Exit::Pending, 2, "PENDING"),
        (Exit::Failed, 3, "FAILED"),
        (Exit::Contradicted, 4, "CONTRADICTED"),
        (Exit::Unverifiable, 5, "UNVERIFIABLE, or escalated to a person"),
    ];

    /// The process exit code.
    #[must_use]
    pub fn code(self) -> u8 {
        Self::TABLE.into_iter().find(|(exit, ..)| *exit == self).map_or(1, |(_, code, _)| code)
    }

    /// What a validated receipt ends with.
    #[must_use]
    pub fn of_report(report: &Report) -> Self {
        match report.receipt() {
            None => Self::Refused,
            Some(receipt) if receipt.escalated == Some(true) => Self::Unverifiable,
            Some(receipt) => receipt.verdict.verdict.into(),
        }
    }

    /// The table as `--help` prints it.
    #[must_use]
    pub fn help() -> String {
        let rows = Self::TABLE.iter().map(|(_, code, meaning)| format!("  {code}  {meaning}\n"));
        format!("Exit codes:\n{}", rows.collect::<String>().trim_end())
    }
}

impl From<Verdict> for Exit {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Verified => Self::Done,
            Verdict::Pending => Self::Pending,
            Verdict::Failed => Self::Failed,
            Verdict::Contradicted => Self::Contradicted,
            Verdict::Unverifiable => Self::Unverifiable,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_agrees_with_the_kernel() {
        for verdict in Verdict::ALL {
            assert_eq!(Exit::from(verdict).code(), verdict.exit_code());
        }
    }
}
