//! A history drawn from a seed: the script of a case. It must not depend on a contract, a clock or another history.

mod agents;
mod faults;
mod lives;

use super::dice::Dice;
use super::ground::Ground;
use crate::book::{Asks, CaseClass, End, Expect, Kind, Look, Sources, Span, Step, Target, Version};

pub use agents::Behaviour;

/// A history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Drawn {
    pub(super) script: CaseClass,
    /// The state that the script calls `this`.
    pub(super) this: Option<String>,
    /// How each operation's agent behaves, in the order of the operations.
    pub(super) agents: Vec<Behaviour>,
}

/// Draws the history of a seed.
pub(super) fn draw(ground: &Ground, seed: u64) -> Drawn {
    let mut dice = Dice::new(seed);
    let this = dice.permille(150).then(|| dice.pick(&ground.states).cloned()).flatten();
    let life = lives::draw(&mut dice, ground, this.as_ref());
    let mut cast = agents::draw(&mut dice, ground);
    if life.as_ref().is_some_and(|life| life.parts.is_some()) {
        // Shares of another amount could come to what was asked for.
        cast.steps.iter_mut().for_each(plain_amounts);
    }
    let faults = faults::draw(&mut dice, ground, &cast.agents);
    let version = if ground.version && dice.permille(15) { Version::Other } else { Version::Own };
    let mut looks: Vec<Look> = Vec::new();
    for _ in 0..dice.weighted(&[(70, 0), (20, 1), (10, 3)]).unwrap_or(0) {
        looks.push(Look { at: ms(dice.span(0, 120_000)), sources: Sources::Open });
    }
    looks.sort_by_key(|look| look.at);
    let script = CaseClass {
        class: String::from("history"),
        variant: None,
        title: String::new(),
        kind: Kind::Chaos,
        target: if ground.existing { Target::Existing } else { Target::Created },
        needs: Vec::new(),
        promises: Vec::new(),
        each: Vec::new(),
        life,
        faults,
        version,
        steps: cast.steps,
        looks,
        end: End::default(),
        expect: Expect::default(),
    };
    Drawn { script, this, agents: cast.agents }
}

fn plain_amounts(step: &mut Step) {
    let plain = |asks: &mut Asks| {
        if is_amount(*asks) {
            *asks = Asks::Base;
        }
    };
    step.begin.iter_mut().for_each(|begin| plain(&mut begin.asks));
    step.put.iter_mut().for_each(|put| plain(&mut put.asks));
    if let Some(act) = &mut step.act {
        act.asks.iter_mut().for_each(plain);
        act.alter = act.alter.filter(|by| !is_amount(*by));
    }
}

const fn is_amount(asks: Asks) -> bool {
    matches!(asks, Asks::Half | Asks::Quarter | Asks::OtherAmount)
}

/// A span of the case files.
pub(super) const fn ms(millis: u32) -> Span {
    Span::Millis(millis as i64)
}
