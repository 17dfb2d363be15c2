//! A comparison with labels, for people: within 80 columns. It must not count.

use crate::summary_text::line;
use provely_compiler::truth::{
    Below, CLASSES, FalseSuccess, Figures, Floors, Measured, Miss, Refused, Sure, Truth, class_name,
    figure_of,
};
use provely_evaluator::contract::StateClass;
use std::fmt::Write as _;

/// The text of a comparison; every miss is listed only if asked for.
#[must_use]
pub fn text(truth: &Truth, floors: Option<&Floors>, misses: bool) -> String {
    let mut text = String::new();
    whole(&truth.figures, floors, &mut text);
    by_class(&truth.figures, &mut text);
    for (sure, title) in [(Sure::Certain, "certain"), (Sure::Lexical, "lexical"), (Sure::Open, "open")] {
        confusion(truth, sure, title, &mut text);
    }
    false_successes(&truth.false_successes, &mut text);
    refused(&truth.refused, &mut text);
    if misses {
        missed(&truth.misses, &mut text);
    } else {
        let count = truth.misses.len();
        let _ = writeln!(text, "\n{count} misses; `--misses` lists them");
    }
    if let Some(floors) = floors {
        below(&floors.below(&truth.figures), &mut text);
    }
    text
}

fn whole(figures: &Figures, floors: Option<&Floors>, text: &mut String) {
    let _ = write!(text, "{:<38}{:>7}{:>7}{:>9}", "", "right", "of", "share");
    text.push_str(if floors.is_some() { "    floor      aim\n" } else { "\n" });
    for Measured { name, title, share } in figures.whole() {
        let _ = write!(text, "{title:<38}{:>7}{:>7}{:>9}", share.right, share.of, share.percent());
        if let Some(floor) = floors.and_then(|floors| floors.get(name)) {
            let aim = floor.aim.map_or_else(String::new, percent);
            let _ = write!(text, "{:>9}{aim:>9}", percent(floor.floor));
        }
        text.push('\n');
    }
}

fn percent(permille: u32) -> String {
    format!("{}.{} %", permille / 10, permille % 10)
}

fn by_class(figures: &Figures, text: &mut String) {
    let _ = writeln!(text, "\n{:<20}{:^38}{:^20}", "", "precision", "recall");
    let _ = writeln!(text, "{:<20}{:>18}{:>18}{:>12}{:>12}", "", "certain", "lexical", "certain", "either");
    for class in CLASSES {
        let _ = write!(text, "{:<20}", class_name(class));
        for name in ["certain_precision", "lexical_precision"] {
            let share = figures.get(&figure_of(name, class));
            let _ = write!(text, "{:>18}", format!("{} of {}", share.percent(), share.of));
        }
        for name in ["certain_recall", "recall"] {
            let _ = write!(text, "{:>12}", figures.get(&figure_of(name, class)).percent());
        }
        text.push('\n');
    }
}

fn confusion(truth: &Truth, sure: Sure, title: &str, text: &mut String) {
    if !truth.confusion.iter().any(|own| own.sure == sure) {
        return;
    }
    let _ = writeln!(text, "\n{title} classes, labelled downwards, found across");
    let short = |class: StateClass| class_name(class).trim_start_matches("terminal_");
    let _ = write!(text, "{:<20}", "");
    for class in CLASSES {
        let _ = write!(text, "{:>12}", short(class));
    }
    text.push('\n');
    for labelled in CLASSES {
        let _ = write!(text, "{:<20}", class_name(labelled));
        for found in CLASSES {
            let count = truth.confused(sure, labelled, found);
            let count = if count == 0 { "-".to_owned() } else { count.to_string() };
            let _ = write!(text, "{count:>12}");
        }
        text.push('\n');
    }
}

fn false_successes(found: &[FalseSuccess], text: &mut String) {
    let certain = found.iter().filter(|own| own.sure == Sure::Certain).count();
    let _ = writeln!(text, "\nfalse terminal_success  {certain} certain, {} lexical", found.len() - certain);
    for own in found {
        let mark = if own.sure == Sure::Certain { "CERTAIN" } else { "lexical" };
        let FalseSuccess { state, resource, labelled, spec, .. } = own;
        line(text, 2, &format!("{mark} {state} of {resource} is {}, {spec}", class_name(*labelled)));
    }
}

fn refused(refused: &[Refused], text: &mut String) {
    if refused.is_empty() {
        return;
    }
    let _ = writeln!(text, "\nnot compiled, so that everything in them is missed  {}", refused.len());
    for Refused { spec, reason } in refused {
        line(text, 2, &format!("{spec}: {reason}"));
    }
}

fn missed(misses: &[Miss], text: &mut String) {
    let _ = writeln!(text, "\nmisses  {}", misses.len());
    let mut last = "";
    for Miss { spec, kind, subject, labelled, found } in misses {
        if spec != last {
            line(text, 2, spec);
            last = spec;
        }
        line(text, 4, &format!("{} {subject}: {found}; labelled {labelled}", kind.name()));
    }
}

fn below(below: &[Below], text: &mut String) {
    if below.is_empty() {
        text.push_str("\nevery figure holds its floor\n");
        return;
    }
    let _ = writeln!(text, "\nBELOW THE FLOOR  {}", below.len());
    for Below { figure, share, floor } in below {
        let reached = match share.permille() {
            Some(_) => share.percent(),
            None => "nothing to count".to_owned(),
        };
        line(text, 2, &format!("{figure}: {reached}, no longer {}", percent(*floor)));
    }
}
