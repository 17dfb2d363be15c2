//! Faults that change how a record is printed, in replies and events. The record itself stays as it is.

use provely_evaluator::json::{Number, Value};
use provely_evaluator::query::{Step, walk};
use provely_model::FieldKind;

use super::{DecimalStyle, FaultKind};
use crate::blueprint::Kind;
use crate::place::{remove_at, set_at};

/// The printing faults of one reply or event.
#[derive(Debug, Default)]
pub(crate) struct Print(Vec<FaultKind>);

impl Print {
    pub(crate) fn of(faults: Vec<FaultKind>) -> Self {
        Self(faults)
    }

    /// The record as it is printed.
    pub(crate) fn record(&self, mut value: Value, kind: Option<&Kind>) -> Value {
        let Some(kind) = kind else { return value };
        for fault in &self.0 {
            if let FaultKind::UnknownState { word } = fault {
                if let Some((life, parts)) = kind.parts() {
                    reword(&mut value, &parts.over, &life.steps, word);
                } else if let Some(life) = &kind.life {
                    set_at(&mut value, &life.steps, Value::from(word.as_str()));
                }
            } else if let FaultKind::RenamedField { from, to } = fault {
                if let Some(moved) = remove_at(&mut value, &[Step::Member(from.clone())]) {
                    set_at(&mut value, &[Step::Member(to.clone())], moved);
                }
            } else if let FaultKind::Decimals(style) = fault {
                reprint(&mut value, kind, *style);
            }
        }
        value
    }
}

/// Every part of a record shows this state.
fn reword(value: &mut Value, over: &[Step], steps: &[Step], word: &str) {
    let Some(mut items) = walk(over, value).and_then(Value::as_array).map(<[Value]>::to_vec) else { return };
    for item in &mut items {
        set_at(item, steps, Value::from(word));
    }
    set_at(value, over, Value::Array(items));
}

/// Amounts alone: numbers that are no ids and no times.
fn reprint(value: &mut Value, kind: &Kind, style: DecimalStyle) {
    for field in &kind.fields {
        let steps = [Step::Member(field.name.clone())];
        let number = matches!(field.kind, FieldKind::Integer | FieldKind::Number | FieldKind::Decimal);
        let special = kind.id == steps || kind.created.as_ref().is_some_and(|stamp| stamp.steps == steps);
        if !number || special {
            continue;
        }
        let printed = match walk(&steps, value) {
            Some(Value::Number(number)) => {
                Number::from_text(&restyled(number.as_str(), style)).map(Value::Number)
            }
            Some(Value::String(text)) if Number::from_text(text).is_some() => {
                Some(Value::from(restyled(text, style)))
            }
            Some(_) | None => None,
        };
        if let Some(printed) = printed {
            set_at(value, &steps, printed);
        }
    }
}

/// The same decimal with other zeros behind the point.
fn restyled(text: &str, style: DecimalStyle) -> String {
    if text.contains(['e', 'E']) {
        return text.to_owned();
    }
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let fraction = fraction.trim_end_matches('0');
    match style {
        DecimalStyle::Short if fraction.is_empty() => format!("{whole}.0"),
        DecimalStyle::Short => format!("{whole}.{fraction}"),
        DecimalStyle::Long => format!("{whole}.{fraction:0<4}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_change_and_values_stay() {
        let cases =
            [("142.00", "142.0", "142.0000"), ("142", "142.0", "142.0000"), ("-1.25", "-1.25", "-1.2500")];
        for (text, short, long) in cases {
            assert_eq!(restyled(text, DecimalStyle::Short), short);
            assert_eq!(restyled(text, DecimalStyle::Long), long);
        }
    }
}
