//! Makes a history that goes wrong smaller, while it still goes wrong in the same way: fewer steps, faults and looks,
//! plainer lives, asks and times. It must not change what counts as wrong.

use super::draw::Drawn;
use crate::book::{Asks, Key, Span, Tell, Version};
use provely_simulator::When;

/// Attempts that one shrinking may take.
const MOST_ATTEMPTS: usize = 4_000;

/// The smallest history that was found for which `fails` still says yes.
pub(super) fn shrink(drawn: &Drawn, fails: impl Fn(&Drawn) -> bool) -> Drawn {
    let mut best = drawn.clone();
    let mut attempts = 0;
    let mut place = 0;
    // From the first change on again after every change that was kept: what is left grows smaller each time.
    while attempts < MOST_ATTEMPTS {
        let Some(smaller) = candidate(&best, place) else { break };
        attempts += 1;
        if smaller != best && fails(&smaller) {
            (best, place) = (smaller, 0);
        } else {
            place += 1;
        }
    }
    best
}

/// The change of that number, made; nothing where there is none any more.
fn candidate(of: &Drawn, mut place: usize) -> Option<Drawn> {
    let mut own = of.clone();
    let script = &mut own.script;
    if place < script.steps.len() {
        script.steps.remove(place);
        return Some(own);
    }
    place -= script.steps.len();
    if place < script.faults.len() {
        script.faults.remove(place);
        return Some(own);
    }
    place -= script.faults.len();
    if place < WHOLE.len() {
        WHOLE.get(place)?(&mut own);
        return Some(own);
    }
    place -= WHOLE.len();
    let moves = script.life.as_ref().map_or(0, |life| life.moves.len());
    if place < moves {
        script.life.as_mut()?.moves.remove(place);
        return Some(own);
    }
    place -= moves;
    let (step, change) = (place / STEP.len(), place % STEP.len());
    if step < script.steps.len() {
        STEP.get(change)?(&mut own, step);
        return Some(own);
    }
    place -= script.steps.len() * STEP.len();
    let (fault, change) = (place / FAULT.len(), place % FAULT.len());
    let when = &mut own.script.faults.get_mut(fault)?.when;
    FAULT.get(change)?(when);
    Some(own)
}

/// Changes of the whole.
const WHOLE: &[fn(&mut Drawn)] = &[
    |own| own.script.looks.clear(),
    |own| own.script.version = Version::Own,
    |own| own.script.life = None,
    |own| own.this = None,
    |own| {
        if let Some(life) = &mut own.script.life {
            life.parts = None;
        }
    },
    |own| {
        if let Some(life) = &mut own.script.life {
            life.born = None;
        }
    },
    |own| {
        let moves = own.script.life.iter_mut().flat_map(|life| &mut life.moves);
        moves.for_each(|step| step.after = rounded(step.after));
    },
    |own| own.script.steps.iter_mut().for_each(|step| step.at = rounded(step.at)),
    |own| own.script.looks.iter_mut().for_each(|look| look.at = rounded(look.at)),
];

/// Changes of one step.
const STEP: &[fn(&mut Drawn, usize)] = &[
    |own, place| {
        if let Some(step) = own.script.steps.get_mut(place) {
            step.at = rounded(step.at);
        }
    },
    |own, place| {
        // Right after the step before.
        let before = place.checked_sub(1).and_then(|place| own.script.steps.get(place)).map(|step| step.at);
        if let (Some(Span::Millis(before)), Some(step)) = (before, own.script.steps.get_mut(place)) {
            step.at = step.at.min(Span::Millis(before + 1_000));
        }
    },
    |own, place| {
        if let Some(begin) = own.script.steps.get_mut(place).and_then(|step| step.begin.as_mut()) {
            begin.asks = Asks::Base;
        }
    },
    |own, place| {
        if let Some(begin) = own.script.steps.get_mut(place).and_then(|step| step.begin.as_mut()) {
            begin.intent = None;
        }
    },
    |own, place| {
        if let Some(act) = own.script.steps.get_mut(place).and_then(|step| step.act.as_mut()) {
            (act.key, act.tell) = (Key::Own, Tell::Reply);
        }
    },
    |own, place| {
        if let Some(act) = own.script.steps.get_mut(place).and_then(|step| step.act.as_mut()) {
            act.asks = None;
        }
    },
    |own, place| {
        if let Some(act) = own.script.steps.get_mut(place).and_then(|step| step.act.as_mut()) {
            act.alter = None;
        }
    },
];

/// Changes of when a fault strikes.
const FAULT: &[fn(&mut When)] = &[
    |when| *when = When { acting: when.acting, ..When::default() },
    |when| when.permille = None,
    |when| when.skip = 0,
    |when| when.times = None,
    |when| when.from_ms = None,
    |when| when.until_ms = None,
];

/// To a whole second.
fn rounded(span: Span) -> Span {
    match span {
        Span::Millis(millis) => Span::Millis(millis / 1_000 * 1_000),
        Span::Half => Span::Half,
    }
}
