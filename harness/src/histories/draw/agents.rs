//! Who acts: one to three operations whose agents are honest, careless or lying, others about, and records that were
//! there before. It must not know what may be said of it.

use super::super::dice::Dice;
use super::super::ground::Ground;
use super::ms;
use crate::book::{Act, Asks, Begin, Key, Put, Report, Retry, Said, Span, StateWord, Step, Tell, Where};

/// How the agent of an operation behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Behaviour {
    /// Begins, acts once, hands in what came back.
    Honest,
    /// Sends the same request with the same key again.
    RetriesWithKey,
    /// Sends neither key nor tag.
    ActsWithoutKey,
    /// Acts and is never heard of again.
    Silent,
    /// Acts, and says so much later.
    ReportsLate,
    /// Says that it is done without a call.
    ClaimsWithoutActing,
    /// Hands in an id that it made up.
    Invents,
    /// Hands in a record that was there before.
    HandsInEarlier,
    /// Hands in a record that somebody else made.
    HandsInForeign,
    /// Hands in what somebody else made, and then what it made itself.
    HandsInTwo,
    /// Says that the provider refused, whatever it did.
    ClaimsRefusal,
    /// Acts before it begins.
    ActsBeforeBegin,
    /// Acts again with a key of its own making.
    ActsTwice,
    /// Acts again without any key.
    RetriesWithoutKey,
    /// Asks the provider for something else.
    AsksOtherwise,
    /// Asks rightly, and the provider makes something else of it.
    Misunderstood,
    /// Acts in the test account, or in somebody else's.
    ActsElsewhere,
    /// Sends the key of another operation.
    ReusesKey,
}

/// What the agents do, in the order of time.
pub(super) struct Cast {
    pub(super) agents: Vec<Behaviour>,
    pub(super) steps: Vec<Step>,
}

const NAMES: [&str; 3] = ["a", "b", "c"];
const OWN: &str = "own";
const EARLIER: &str = "earlier";
const STRANGE: &str = "strange";

pub(super) fn draw(dice: &mut Dice, ground: &Ground) -> Cast {
    let mut cast = Cast { agents: Vec::new(), steps: Vec::new() };
    cast.scene(dice, ground);
    let count = dice.weighted(&[(620, 1), (280, 2), (100, 3)]).unwrap_or(1);
    let base = asks(dice, ground);
    let mut begin_at = dice.span(1, 2_500);
    for name in NAMES.iter().take(count) {
        let behaviour = behaviour(dice, ground);
        let own = if dice.permille(650) { base } else { asks(dice, ground) };
        let mut role = Role { name, asks: own, at: begin_at, steps: &mut cast.steps };
        role.play(dice, ground, behaviour);
        cast.agents.push(behaviour);
        begin_at += dice.weighted(&[(40, 0), (30, 1_000), (20, 12_000), (10, 90_000)]).unwrap_or(0)
            + dice.span(1, 900);
    }
    cast.strangers(dice, ground, base);
    cast.steps.sort_by_key(|step| step.at);
    cast
}

fn asks(dice: &mut Dice, ground: &Ground) -> Asks {
    if dice.permille(700) { Asks::Base } else { dice.pick(&ground.asks).copied().unwrap_or_default() }
}

fn behaviour(dice: &mut Dice, ground: &Ground) -> Behaviour {
    let keys = u32::from(ground.keys);
    let alters = u32::from(!ground.alters.is_empty());
    let drawn = dice.weighted(&[
        (420, Behaviour::Honest),
        (80 * keys, Behaviour::RetriesWithKey),
        (50, Behaviour::ActsWithoutKey),
        (40, Behaviour::Silent),
        (40, Behaviour::ReportsLate),
        (30, Behaviour::ClaimsWithoutActing),
        (20, Behaviour::Invents),
        (30, Behaviour::HandsInEarlier),
        (30, Behaviour::HandsInForeign),
        (20, Behaviour::HandsInTwo),
        (30, Behaviour::ClaimsRefusal),
        (30, Behaviour::ActsBeforeBegin),
        (45, Behaviour::ActsTwice),
        (40, Behaviour::RetriesWithoutKey),
        (35, Behaviour::AsksOtherwise),
        (30 * alters, Behaviour::Misunderstood),
        (25, Behaviour::ActsElsewhere),
        (20 * keys, Behaviour::ReusesKey),
    ]);
    drawn.unwrap_or(Behaviour::Honest)
}

impl Cast {
    /// What was there before.
    fn scene(&mut self, dice: &mut Dice, ground: &Ground) {
        let ages = [ms(60_000), ms(3_600_000), ms(86_400_000)];
        if ground.existing {
            let so = dice.permille(120);
            let (state, asks) =
                if so { (StateWord::Promised, Asks::Base) } else { (StateWord::Before, Asks::Before) };
            let place = if dice.permille(30) { Where::OtherAccount } else { Where::Here };
            self.put(Put { name: String::from(OWN), age: ms(3_600_000), state, asks, place });
            if dice.permille(300) {
                let twin = Put {
                    name: String::from(EARLIER),
                    age: ms(3_600_000),
                    state: StateWord::Before,
                    asks: Asks::OtherSubject,
                    place: Where::Here,
                };
                self.put(twin);
            }
            return;
        }
        if !dice.permille(350) {
            return;
        }
        let word = dice.pick(&ground.words).copied().unwrap_or(StateWord::Promised);
        let put = Put {
            name: String::from(EARLIER),
            age: dice.pick(&ages).copied().unwrap_or_default(),
            state: if dice.permille(750) { StateWord::Promised } else { word },
            asks: dice.pick(&ground.asks).copied().unwrap_or_default(),
            place: if dice.permille(60) { Where::TestAccount } else { Where::Here },
        };
        self.put(put);
    }

    fn put(&mut self, put: Put) {
        self.steps.push(Step { put: Some(put), ..at(0) });
    }

    /// Others about, on the same subject and on others.
    fn strangers(&mut self, dice: &mut Dice, ground: &Ground, base: Asks) {
        for _ in 0..dice.weighted(&[(80, 0), (15, 1), (5, 2)]).unwrap_or(0) {
            let own = match dice.below(10) {
                0..=5 if ground.asks.contains(&Asks::OtherSubject) => Asks::OtherSubject,
                6..=7 => base,
                _ => dice.pick(&ground.asks).copied().unwrap_or_default(),
            };
            let act = Act { by: None, name: Some(String::from(STRANGE)), asks: Some(own), ..Act::plain() };
            self.steps.push(Step { act: Some(act), ..at(dice.span(0, 60_000)) });
        }
    }
}

/// One operation's agent at work.
struct Role<'r> {
    name: &'static str,
    asks: Asks,
    at: u32,
    steps: &'r mut Vec<Step>,
}

impl Role<'_> {
    fn play(&mut self, dice: &mut Dice, ground: &Ground, behaviour: Behaviour) {
        let begin_at = self.at;
        let delay = dice.weighted(&[(10, 100), (60, 1_000), (20, 4_000), (6, 30_000), (4, 600_000)]);
        let act_at = begin_at + delay.unwrap_or(1_000) + dice.span(0, 700);
        let later = act_at + dice.span(500, 40_000);
        match behaviour {
            Behaviour::Honest => self.act(act_at, self.plain()),
            Behaviour::RetriesWithKey => {
                self.act(act_at, self.plain());
                for _ in 0..=dice.below(2) {
                    let retry = Retry { by: self.name.to_owned() };
                    self.steps.push(Step { retry: Some(retry), ..at(act_at + dice.span(1_000, 20_000)) });
                }
            }
            Behaviour::ActsWithoutKey => self.act(act_at, Act { key: Key::None, ..self.plain() }),
            Behaviour::Silent => self.act(act_at, Act { tell: Tell::Nothing, ..self.plain() }),
            Behaviour::ReportsLate => {
                self.act(act_at, Act { tell: Tell::Nothing, ..self.plain() });
                self.report(later + dice.span(0, 300_000), Said::Accepted, Some(self.name));
            }
            Behaviour::ClaimsWithoutActing => self.report(act_at, Said::Accepted, None),
            Behaviour::Invents => self.report(act_at, Said::Accepted, Some("invented")),
            Behaviour::HandsInEarlier => self.report(act_at, Said::Accepted, Some(EARLIER)),
            Behaviour::HandsInForeign => self.hand_in_foreign(dice, ground, act_at),
            Behaviour::HandsInTwo => {
                self.hand_in_foreign(dice, ground, act_at);
                self.act(later, self.plain());
            }
            Behaviour::ClaimsRefusal => {
                if dice.permille(600) {
                    self.act(act_at, Act { tell: Tell::Nothing, ..self.plain() });
                }
                self.report(later, Said::Rejected, None);
            }
            Behaviour::ActsBeforeBegin => {
                let act = Act { key: Key::None, ..self.plain() };
                self.at = begin_at + dice.span(1_000, 90_000);
                self.act(begin_at, act);
                self.report(self.at + 1_000, Said::Accepted, Some(self.name));
            }
            Behaviour::ActsTwice => self.act_twice(dice, act_at, later, Key::Fresh),
            Behaviour::RetriesWithoutKey => self.act_twice(dice, act_at, later, Key::None),
            Behaviour::AsksOtherwise => {
                let asks = dice.pick(&ground.asks).copied().unwrap_or_default();
                let some = ground.existing && dice.permille(500);
                let asks = if some { Asks::SomeFields } else { asks };
                self.act(act_at, Act { asks: Some(asks), ..self.plain() });
            }
            Behaviour::Misunderstood => {
                // Something else than what was asked for.
                let own = self.asks.aspects();
                let alter = dice.pick(&ground.alters).copied().filter(|by| own.altered(*by) != own);
                self.act(act_at, Act { alter, ..self.plain() });
            }
            Behaviour::ActsElsewhere => {
                let place = if dice.permille(500) { Where::TestAccount } else { Where::OtherAccount };
                self.act(act_at, Act { place, ..self.plain() });
            }
            Behaviour::ReusesKey => self.act(act_at, Act { key: Key::Other, ..self.plain() }),
        }
        let same = dice.permille(60);
        let intent = same.then(|| String::from("one ask"));
        let begin = Begin { by: self.name.to_owned(), intent, asks: self.asks, refused: None };
        self.steps.push(Step { begin: Some(begin), ..at(self.at) });
    }

    fn act_twice(&mut self, dice: &mut Dice, first: u32, second: u32, key: Key) {
        self.act(first, self.plain());
        let tell = if dice.permille(300) { Tell::Nothing } else { Tell::Reply };
        self.act(second, Act { key, tell, ..self.plain() });
    }

    /// A stranger's record, or another operation's, as if it were its own.
    fn hand_in_foreign(&mut self, dice: &mut Dice, ground: &Ground, act_at: u32) {
        if dice.permille(500) {
            let other = NAMES.iter().find(|name| **name != self.name).copied();
            self.report(act_at + dice.span(0, 20_000), Said::Accepted, other);
            return;
        }
        let asks = dice.pick(&ground.asks).copied();
        let act = Act { by: None, name: Some(String::from(STRANGE)), asks, ..Act::plain() };
        self.steps.push(Step { act: Some(act), ..at(act_at) });
        self.report(act_at + 500, Said::Accepted, Some(STRANGE));
    }

    fn plain(&self) -> Act {
        Act { by: Some(self.name.to_owned()), name: Some(self.name.to_owned()), ..Act::plain() }
    }

    fn act(&mut self, when: u32, act: Act) {
        self.steps.push(Step { act: Some(act), ..at(when) });
    }

    fn report(&mut self, when: u32, said: Said, id: Option<&str>) {
        let report = Report { by: self.name.to_owned(), said, id: id.map(str::to_owned) };
        self.steps.push(Step { report: Some(report), ..at(when) });
    }
}

const fn at(millis: u32) -> Step {
    Step { at: Span::Millis(millis as i64), begin: None, act: None, retry: None, report: None, put: None }
}
