//! What goes wrong at the provider: none to four faults, each with a window, a count or a chance.
//!
//! A source may be silent, slow, late, broken or behind for as long as the dice say. It says that something is not
//! there though it is no longer than the stale window after it was made: past that nobody could tell.

use provely_simulator::{DecimalStyle, Fault, FaultKind, Script, When};

use super::super::dice::Dice;
use super::super::ground::Ground;
use super::agents::Behaviour;
use crate::level::PromiseKind;

/// Sources may be behind, and leave out records, by this at most, in milliseconds.
const BEHIND_MS: u32 = 15_000;

pub(super) fn draw(dice: &mut Dice, ground: &Ground, agents: &[Behaviour]) -> Vec<Fault> {
    let mut faults = Vec::new();
    let lossy = agents.iter().any(|own| {
        matches!(own, Behaviour::RetriesWithKey | Behaviour::RetriesWithoutKey | Behaviour::ActsTwice)
    });
    if lossy && dice.permille(600) {
        let when = When { acting: Some(true), times: Some(1), ..When::default() };
        let what = match dice.below(4) {
            0 => FaultKind::ErrorAfter { status: 500, stored: dice.permille(500) },
            1 => FaultKind::TimeoutBefore {},
            _ => FaultKind::TimeoutAfter {},
        };
        faults.push(Fault { what, when });
    }
    if ground.told_apart && ground.promise != PromiseKind::Exists && dice.permille(10) {
        let word = String::from("promised");
        let when = When { acting: Some(false), ..When::default() };
        return vec![Fault { what: FaultKind::UnknownState { word }, when }];
    }
    let most = dice.weighted(&[(300, 0), (350, 1), (190, 2), (100, 3), (60, 4)]).unwrap_or(0);
    for _ in faults.len()..most {
        let fault = fault(dice, ground);
        // Two of them would add up to more than the stale window.
        if !(is_behind(&fault.what) && faults.iter().any(|own| is_behind(&own.what))) {
            faults.push(fault);
        }
    }
    faults
}

const fn is_behind(what: &FaultKind) -> bool {
    matches!(
        what,
        FaultKind::Stale { .. } | FaultKind::HiddenFromLists { .. } | FaultKind::NotFoundFor { .. }
    )
}

/// Which kind, by weight.
#[derive(Debug, Clone, Copy)]
enum Draw {
    /// Before an action is done.
    Arrival,
    Refused,
    Commit,
    /// After it was done.
    Answer,
    Read,
    Behind,
    Shape,
    Clock,
    Version,
    Event,
}

fn fault(dice: &mut Dice, ground: &Ground) -> Fault {
    let events = u32::from(ground.events);
    let drawn = dice.weighted(&[
        (80, Draw::Arrival),
        (50, Draw::Refused),
        (70, Draw::Commit),
        (110, Draw::Answer),
        (150, Draw::Read),
        (160, Draw::Behind),
        (60, Draw::Shape),
        (60, Draw::Clock),
        (15, Draw::Version),
        (245 * events, Draw::Event),
    ]);
    match drawn.unwrap_or(Draw::Read) {
        Draw::Arrival => {
            let what = match dice.below(3) {
                0 => FaultKind::ErrorBefore { status: server_error(dice), stored: dice.permille(300) },
                1 => FaultKind::TimeoutBefore {},
                _ => FaultKind::RateLimited { retry_after_s: dice.span(1, 90) },
            };
            Fault { what, when: acting(dice) }
        }
        Draw::Refused => {
            let code = String::from("declined");
            Fault { what: FaultKind::Refused { code }, when: acting(dice) }
        }
        Draw::Commit => commit(dice, ground),
        Draw::Answer => {
            let what = match dice.below(2) {
                0 => FaultKind::ErrorAfter { status: server_error(dice), stored: dice.permille(500) },
                _ => FaultKind::TimeoutAfter {},
            };
            Fault { what, when: acting(dice) }
        }
        Draw::Read => Fault { what: unreadable(dice), when: reading(dice) },
        Draw::Behind => behind(dice, ground),
        Draw::Shape => shape(dice, ground),
        Draw::Clock => clock(dice),
        Draw::Version => {
            let version = String::from("1900-01-01");
            Fault { what: FaultKind::OtherVersion { version }, when: sometimes(dice) }
        }
        Draw::Event => event(dice),
    }
}

fn server_error(dice: &mut Dice) -> u16 {
    dice.weighted(&[(5, 500), (3, 503), (1, 409)]).unwrap_or(500)
}

fn commit(dice: &mut Dice, ground: &Ground) -> Fault {
    let what = match dice.below(10) {
        0..=3 => FaultKind::CommitTwice {},
        4..=5 if ground.existing => FaultKind::NotDone {},
        6 if ground.existing => FaultKind::PartlyDone {},
        4..=7 if ground.turns => {
            FaultKind::LateReversal { after_ms: dice.span(500, 120_000).into(), to: None }
        }
        8 if !ground.existing && !ground.parts => {
            let state = dice.pick(&ground.states).cloned();
            let moves = state.map(|state| (u64::from(dice.span(500, 60_000)), state)).into_iter().collect();
            FaultKind::Scripted(Script { moves, forced: true, ..Script::default() })
        }
        _ => FaultKind::CommitTwice {},
    };
    Fault { what, when: When { times: Some(1), ..When::default() } }
}

/// A read that gives nothing, and says so.
fn unreadable(dice: &mut Dice) -> FaultKind {
    match dice.below(12) {
        0..=3 => FaultKind::Unreachable {},
        4 => FaultKind::TimeoutBefore {},
        5 => FaultKind::ErrorBefore { status: 503, stored: false },
        6..=7 => FaultKind::RateLimited { retry_after_s: dice.span(1, 120) },
        8 => FaultKind::Truncated { bytes: usize::try_from(dice.span(0, 200)).unwrap_or(0) },
        9 => FaultKind::Malformed {},
        10 => FaultKind::FailsInBand {},
        _ => FaultKind::DocumentErrors {},
    }
}

/// A read that shows the world of some time ago, or not all of it.
fn behind(dice: &mut Dice, ground: &Ground) -> Fault {
    let by = dice.span(1_000, BEHIND_MS).into();
    let soon =
        When { until_ms: Some(dice.span(2_000, BEHIND_MS).into()), acting: Some(false), ..When::default() };
    match dice.below(8) {
        0 => Fault { what: FaultKind::Stale { by_ms: by }, when: reading(dice) },
        1 => Fault { what: FaultKind::Stale { by_ms: dice.span(15_000, 3_600_000).into() }, when: soon },
        2 => Fault { what: FaultKind::NotFoundFor { ms: by }, when: When::default() },
        3 => Fault { what: FaultKind::HiddenFromLists { ms: by }, when: When::default() },
        // The list of a record's parts is cut as well, and their sum is then another one for good.
        4 if !ground.parts => Fault { what: FaultKind::CutLists { size: dice.span(0, 2) }, when: soon },
        4..=6 => Fault { what: FaultKind::SmallPages { size: dice.span(1, 3) }, when: When::default() },
        _ => Fault { what: FaultKind::IgnoredFilters {}, when: When::default() },
    }
}

fn shape(dice: &mut Dice, ground: &Ground) -> Fault {
    let what = match dice.below(6) {
        0 => FaultKind::UnknownState { word: String::from("zz_nobody_listed_this") },
        1..=2 => {
            let from = dice.pick(&ground.fields).cloned().unwrap_or_default();
            FaultKind::RenamedField { to: format!("{from}_renamed"), from }
        }
        3 => FaultKind::Decimals(DecimalStyle::Short),
        4 => FaultKind::Decimals(DecimalStyle::Long),
        _ => FaultKind::OtherMode {},
    };
    Fault { what, when: sometimes(dice) }
}

/// A clock that is off by a fixed span, or that jumps within the bound that reads allow for.
fn clock(dice: &mut Dice) -> Fault {
    let whole = FaultKind::WholeSeconds {};
    match dice.below(3) {
        0 => Fault { what: whole, when: When::default() },
        1 => {
            let ms = i64::from(dice.span(0, 50_000)) - 25_000;
            Fault { what: FaultKind::ClockSkew { ms }, when: When::default() }
        }
        _ => {
            let ms = i64::from(dice.span(0, 6_000)) - 3_000;
            Fault { what: FaultKind::ClockSkew { ms }, when: window(dice) }
        }
    }
}

fn event(dice: &mut Dice) -> Fault {
    let what = match dice.below(14) {
        0..=1 => FaultKind::EventsLost { unlisted: false },
        2..=3 => FaultKind::EventsLost { unlisted: true },
        4..=6 => FaultKind::EventsLate { ms: dice.span(500, 300_000).into() },
        7 => FaultKind::EventsRepeated { times: dice.span(2, 4), every_ms: dice.span(500, 90_000).into() },
        8..=9 => FaultKind::EventsReordered { within_ms: dice.span(1_000, 20_000).into() },
        10 => FaultKind::EventsForged { state: String::from("promised") },
        11 => FaultKind::EventsReplayed { after_ms: dice.span(1_000, 200_000).into() },
        12 => FaultKind::OtherSecret { secret: String::from("an-old-secret") },
        _ => FaultKind::OtherMode {},
    };
    Fault { what, when: sometimes(dice) }
}

/// On actions: mostly once.
fn acting(dice: &mut Dice) -> When {
    let times = dice.weighted(&[(7, Some(1)), (2, Some(2)), (1, None)]).unwrap_or(Some(1));
    let skip = u32::from(dice.permille(200));
    When { acting: Some(true), times, skip, ..When::default() }
}

/// On reads: for a while, a few times, by chance, or for ever.
fn reading(dice: &mut Dice) -> When {
    When { acting: Some(false), ..sometimes(dice) }
}

fn sometimes(dice: &mut Dice) -> When {
    match dice.below(10) {
        0..=4 => window(dice),
        5..=6 => When { times: Some(dice.span(1, 4)), skip: dice.span(0, 3), ..When::default() },
        7..=8 => {
            When { permille: Some(u16::try_from(dice.span(100, 900)).unwrap_or(500)), ..When::default() }
        }
        _ => When::default(),
    }
}

fn window(dice: &mut Dice) -> When {
    let from = dice.span(0, 30_000);
    let long = dice.weighted(&[(6, 20_000), (3, 120_000), (1, 3_600_000)]).unwrap_or(20_000);
    let until = from + dice.span(1_000, long);
    let from_ms = dice.permille(600).then(|| u64::from(from));
    When { from_ms, until_ms: Some(until.into()), ..When::default() }
}
