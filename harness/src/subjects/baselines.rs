//! The four baselines that run beside every skill: checkers as people write them. They read the same provider with
//! the same paths as the skill, and know nothing of contracts, begin times or keys.

use provely_evaluator::contract::Truth;
use provely_evaluator::json::Value;
use provely_evaluator::verdict::Verdict;
use provely_model::{Echo, EchoKind};
use provely_runtime::channels::record_id;
use provely_runtime::pages::query;
use provely_runtime::read::Found;
use provely_runtime::scope::equal;

use super::status::{Status, amount, same_amount, status};
use super::{Desk, Subject};
use crate::book::Said;
use crate::level::Promise;

/// How long the hand-rolled checker lets things settle after the agent spoke, in milliseconds.
const SETTLES_MS: i64 = 5_000;

/// A checker as people write them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Baseline {
    /// A reply that was accepted is done.
    TrustTheAgent,
    /// The record is read again by the id that the agent handed in; a status of the right class is done.
    RereadStatus,
    /// Nothing is ever done.
    AlwaysBlock,
    /// Status, parent or recipient, amount and currency of the record, and no other live record of the same parent
    /// or recipient in the list. Without an id it takes the only such record of the list. Waits a little first.
    HandRolled,
}

impl Baseline {
    /// All of them, in the order of reports.
    pub const ALL: [Self; 4] = [Self::TrustTheAgent, Self::RereadStatus, Self::AlwaysBlock, Self::HandRolled];
}

impl Subject for Baseline {
    fn name(&self) -> &str {
        match self {
            Self::TrustTheAgent => "trust_the_agent",
            Self::RereadStatus => "reread_status",
            Self::AlwaysBlock => "always_block",
            Self::HandRolled => "hand_rolled",
        }
    }

    fn answer(&self, desk: &mut Desk<'_>) -> Result<Verdict, String> {
        Ok(match self {
            Self::TrustTheAgent => trust(desk),
            Self::RereadStatus => reread(desk),
            Self::AlwaysBlock => Verdict::Unverifiable,
            Self::HandRolled => hand_rolled(desk),
        })
    }
}

/// Not known: wait, or give up.
const fn open(desk: &Desk<'_>) -> Verdict {
    if desk.is_end { Verdict::Unverifiable } else { Verdict::Pending }
}

const fn trust(desk: &Desk<'_>) -> Verdict {
    match desk.handed.said {
        Some(Said::Accepted) => Verdict::Verified,
        Some(Said::Rejected) => Verdict::Failed,
        Some(Said::Lost) | None => open(desk),
    }
}

fn reread(desk: &mut Desk<'_>) -> Verdict {
    let Some(id) = desk.named() else { return open(desk) };
    match (desk.record(&id), desk.promise) {
        (Found::Nothing, Promise::Gone) => Verdict::Verified,
        (Found::Record(_), Promise::Gone) | (Found::Nothing | Found::Unavailable(_), _) => open(desk),
        // A change has no status to look at: the record is there, and that has to do.
        (Found::Record(_), Promise::Changed | Promise::Altered) => Verdict::Verified,
        (Found::Record(record), _) => of_status(desk, status(desk, &record, false)),
    }
}

const fn of_status(desk: &Desk<'_>, status: Status) -> Verdict {
    match status {
        Status::Kept => Verdict::Verified,
        Status::Ended => Verdict::Failed,
        Status::Open => open(desk),
    }
}

fn hand_rolled(desk: &mut Desk<'_>) -> Verdict {
    let since = desk.handed.at.unwrap_or(desk.begun_at);
    match desk.handed.said {
        Some(Said::Rejected) => return Verdict::Failed,
        Some(Said::Accepted | Said::Lost) | None if desk.now.since(since) < SETTLES_MS => return open(desk),
        Some(Said::Accepted | Said::Lost) | None => {}
    }
    let siblings = siblings(desk);
    let record = match (desk.named(), &siblings) {
        (Some(id), _) => match desk.record(&id) {
            Found::Record(record) => record,
            Found::Nothing if *desk.promise == Promise::Gone => return Verdict::Verified,
            Found::Nothing | Found::Unavailable(_) => return open(desk),
        },
        (None, Some(Listed::All(items))) if items.len() == 1 => items.first().cloned().unwrap_or_default(),
        (None, _) => return open(desk),
    };
    if !fits(desk, &record, &[EchoKind::Subject, EchoKind::Amount, EchoKind::Currency]) {
        return Verdict::Contradicted;
    }
    match (desk.promise, &siblings) {
        (Promise::Gone, _) => return open(desk),
        (Promise::Changed | Promise::Altered, _) => {
            return if fits(desk, &record, &[EchoKind::Other]) { Verdict::Verified } else { open(desk) };
        }
        (_, Some(Listed::Unread)) => return open(desk),
        (_, Some(Listed::All(items))) if items.iter().any(|item| is_other(desk, item, &record)) => {
            return Verdict::Contradicted;
        }
        (Promise::Exists | Promise::Present | Promise::Reaches(_), Some(Listed::All(_)) | None) => {}
    }
    of_status(desk, status(desk, &record, true))
}

/// What the list gave.
enum Listed {
    /// It could not be read to its end.
    Unread,
    /// Live records of the same parent or recipient.
    All(Vec<Value>),
}

/// `None` where there is no list, or nothing in the ask tells whose records count.
fn siblings(desk: &mut Desk<'_>) -> Option<Listed> {
    let scoped = echoes(desk, &[EchoKind::Subject]).next().is_some();
    if desk.existing.is_some() || desk.list_channel().is_none() || !scoped {
        return None;
    }
    let Some(items) = desk.list() else { return Some(Listed::Unread) };
    let alive =
        |item: &Value| fits(desk, item, &[EchoKind::Subject]) && status(desk, item, true) != Status::Ended;
    Some(Listed::All(items.into_iter().filter(alive).collect()))
}

fn is_other(desk: &Desk<'_>, item: &Value, record: &Value) -> bool {
    let id = |channel, value| record_id(channel, value);
    let listed = desk.list_channel().and_then(|channel| id(channel, item));
    let own = desk.record_channel().and_then(|channel| id(channel, record));
    listed.is_some() && listed != own.or_else(|| desk.list_channel().and_then(|channel| id(channel, record)))
}

/// The echoed fields of these kinds that the ask says something about.
fn echoes<'d>(desk: &'d Desk<'_>, kinds: &'d [EchoKind]) -> impl Iterator<Item = (&'d Echo, &'d Value)> {
    desk.plan.echoes.iter().filter(|echo| kinds.contains(&echo.kind)).filter_map(|echo| {
        let asked = desk.input.get(&desk.operation.member(&echo.input)).filter(|asked| !asked.is_null())?;
        Some((echo, asked))
    })
}

/// True if a record carries what was asked for in fields of these kinds.
fn fits(desk: &Desk<'_>, record: &Value, kinds: &[EchoKind]) -> bool {
    echoes(desk, kinds).all(|(echo, asked)| match echo.kind {
        EchoKind::Amount => same_amount(amount(desk, record, &echo.path), asked),
        EchoKind::Subject | EchoKind::Currency | EchoKind::Other => {
            query(&echo.path, record).is_some_and(|found| equal(found, asked, echo.read_as) == Truth::Holds)
        }
    })
}
