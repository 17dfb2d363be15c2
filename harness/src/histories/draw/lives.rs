//! What records go through: most keep the promise, soon or late; others fail, turn, stay, or say a word that nobody
//! knows. It knows no state by name.

use super::super::dice::Dice;
use super::super::ground::Ground;
use super::ms;
use crate::book::{Life, Move, Part, Span, StateWord};

/// Kinds of lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Course {
    Usual,
    Soon,
    AtOnce,
    Slow,
    Never,
    Fails,
    Turns,
    TurnsLate,
    Wavers,
    Unlisted,
    ToThis,
    BornThis,
}

pub(super) fn draw(dice: &mut Dice, ground: &Ground, this: Option<&String>) -> Option<Life> {
    let turns = u32::from(ground.turns);
    let to_this = if this.is_some() { 400 } else { 0 };
    // What has ended stays so: the lifecycle says it, and contracts rest on it.
    let from_this = if this.is_some_and(|this| ground.open_states.contains(this)) { 100 } else { 0 };
    let course = dice.weighted(&[
        (300, Course::Usual),
        (180, Course::Soon),
        (120, Course::AtOnce),
        (60, Course::Slow),
        (25, Course::Never),
        (130, Course::Fails),
        (60 * turns, Course::Turns),
        (50 * turns, Course::TurnsLate),
        (20 * u32::from(ground.wavers), Course::Wavers),
        (25, Course::Unlisted),
        (to_this, Course::ToThis),
        (from_this, Course::BornThis),
    ]);
    let course = course.unwrap_or(Course::Usual);
    if ground.parts && dice.permille(600) {
        return Some(Life { parts: Some(parts(dice, ground, course)), ..Life::default() });
    }
    if course == Course::Usual {
        return None;
    }
    let born = match course {
        Course::AtOnce => Some(StateWord::Promised),
        Course::BornThis => Some(StateWord::This),
        _ => None,
    };
    Some(Life {
        born: born.filter(|word| known(ground, *word)),
        moves: moves(dice, ground, course),
        parts: None,
    })
}

fn known(ground: &Ground, word: StateWord) -> bool {
    word == StateWord::This || ground.words.contains(&word)
}

fn moves(dice: &mut Dice, ground: &Ground, course: Course) -> Vec<Move> {
    let early = dice.span(500, 30_000);
    let to = |after: u32, to| Move { after: ms(after), to };
    let mut moves = match course {
        Course::Usual => vec![to(3_000, StateWord::Promised)],
        Course::AtOnce | Course::Never => Vec::new(),
        Course::Soon | Course::BornThis => vec![to(early, StateWord::Promised)],
        Course::Slow => {
            let spans = [(6, ms(600_000)), (2, ms(3_000_000)), (1, ms(86_400_000)), (1, Span::Half)];
            vec![Move { after: dice.weighted(&spans).unwrap_or_default(), to: StateWord::Promised }]
        }
        Course::Fails => vec![to(dice.span(500, 90_000), StateWord::Failure)],
        Course::Turns => {
            let later = early + dice.span(100, 60_000);
            vec![to(early, StateWord::Promised), to(later, StateWord::Failure)]
        }
        Course::TurnsLate => {
            let later = dice.weighted(&[(4, 300_000), (2, 86_400_000), (1, 172_800_000)]);
            vec![to(early, StateWord::Promised), to(early + later.unwrap_or(300_000), StateWord::Failure)]
        }
        Course::Wavers => {
            let later = early + dice.span(100, 60_000);
            vec![to(early, StateWord::Failure), to(later, StateWord::Promised)]
        }
        Course::Unlisted => vec![to(early, StateWord::Unlisted)],
        Course::ToThis => vec![to(early, StateWord::This)],
    };
    moves.retain(|step| known(ground, step.to));
    moves
}

/// Parts that are the whole, or fall short of it, each with a course of its own or with the record's.
fn parts(dice: &mut Dice, ground: &Ground, course: Course) -> Vec<Part> {
    let shares: &[u32] = match dice.below(10) {
        0..=3 => &[1000],
        4..=6 => &[600, 400],
        7 => &[500, 250, 250],
        8 => &[500, 250],
        _ => &[],
    };
    let mut parts = Vec::new();
    for share in shares {
        let own = if dice.permille(800) { course } else { Course::Soon };
        let own = if dice.permille(80) { Course::Fails } else { own };
        parts.push(Part {
            share: Some(*share),
            other_kind: ground.part_kinds && dice.permille(60),
            test: ground.part_modes && dice.permille(40),
            by_hand: ground.by_hand && dice.permille(40),
            moves: moves(dice, ground, own),
        });
    }
    parts
}
