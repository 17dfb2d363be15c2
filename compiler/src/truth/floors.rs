//! Floors: shares that must not be lost again, and the aims above them. Compares and raises; must not lower.

use std::collections::BTreeMap;

use provely_document::{Diagnostic, Document, Format, Limits, Span, Spanned, from_node, nearest, read};
use serde::{Deserialize, Deserializer};

use super::figures::{Figures, Share, figures};

/// A share in tenths of a percent, written in percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Permille(u32);

impl<'de> Deserialize<'de> for Permille {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let percent = f64::deserialize(deserializer)?;
        if !(0.0..=100.0).contains(&percent) {
            return Err(serde::de::Error::custom("a share lies between 0 and 100"));
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 1000")]
        Ok(Self((percent * 10.0).round() as u32))
    }
}

impl std::fmt::Display for Permille {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}.{}", self.0 / 10, self.0 % 10)
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    figures: BTreeMap<String, WrittenFloor>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenFloor {
    floor: Spanned<Permille>,
    #[serde(default)]
    aim: Option<Permille>,
}

/// The floor of one figure, in tenths of a percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Floor {
    /// What was reached.
    pub floor: u32,
    /// What is aimed at.
    pub aim: Option<u32>,
    span: Span,
}

/// The floors of all figures that have one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Floors(BTreeMap<String, Floor>);

/// A figure below its floor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Below {
    /// Its name.
    pub figure: String,
    /// What was counted.
    pub share: Share,
    /// Its floor, in tenths of a percent.
    pub floor: u32,
}

/// Reads a file of floors.
///
/// # Errors
/// A syntax error, a member that is unknown, missing or of the wrong type, or a figure that does not exist, with its
/// place.
pub fn read_floors(name: &str, text: &str) -> Result<Floors, Box<Diagnostic>> {
    let document = read(name, text, Format::Auto, &Limits::default())?;
    let written: Written = from_node(document.root())?;
    let known = figures();
    if let Some(unknown) = written.figures.keys().find(|figure| !known.contains(figure)) {
        return Err(unknown_figure(&document, unknown, &known));
    }
    let floor = |floor: WrittenFloor| Floor {
        floor: floor.floor.value.0,
        aim: floor.aim.map(|aim| aim.0),
        span: floor.floor.span,
    };
    Ok(Floors(written.figures.into_iter().map(|(name, own)| (name, floor(own))).collect()))
}

fn unknown_figure(document: &Document, name: &str, known: &[String]) -> Box<Diagnostic> {
    let message = format!("there is no figure `{name}`");
    let figures = document.root().get("figures").unwrap_or_else(|| document.root());
    let finding = figures.get(name).unwrap_or(figures).error("truth/unknown-figure", message);
    Box::new(match nearest(name, known.iter().map(String::as_str)) {
        Some(near) => finding.with_help(format!("did you mean `{near}`?")),
        None => finding,
    })
}

impl Floors {
    /// The floor of a figure.
    #[must_use]
    pub fn get(&self, figure: &str) -> Option<Floor> {
        self.0.get(figure).copied()
    }

    /// The figures below their floors; one that nothing was counted for is below any.
    #[must_use]
    pub fn below(&self, figures: &Figures) -> Vec<Below> {
        let lost = |(figure, floor): (&String, &Floor)| {
            let share = figures.get(figure);
            let holds = share.permille().is_some_and(|reached| reached >= floor.floor);
            (!holds).then(|| Below { figure: figure.clone(), share, floor: floor.floor })
        };
        self.0.iter().filter_map(lost).collect()
    }

    /// The text of the file with every floor that was passed raised to what was reached; all else stays as it is.
    #[must_use]
    pub fn raised(&self, text: &str, figures: &Figures) -> String {
        let mut passed: Vec<(Span, u32)> = Vec::new();
        for (figure, floor) in &self.0 {
            let reached = figures.get(figure).permille();
            passed.extend(reached.filter(|reached| *reached > floor.floor).map(|new| (floor.span, new)));
        }
        passed.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
        let mut text = text.to_owned();
        for (Span { start, end }, reached) in passed {
            let (start, end) = (start as usize, end as usize);
            if text.is_char_boundary(start) && text.is_char_boundary(end) && start <= end {
                text.replace_range(start..end, &Permille(reached).to_string());
            }
        }
        text
    }
}
