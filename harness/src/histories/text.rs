//! A history as a case of the case file, in its notation. It leaves out what is as usual.

use provely_evaluator::json::{Value, to_value};

use super::draw::Drawn;
use crate::book::StateWord;

/// The case, as an item of the list `cases`.
pub(super) fn case(drawn: &Drawn, title: &str) -> String {
    let script = &drawn.script;
    let mut text = format!("  - class: history\n    title: {title}\n    kind: chaos\n");
    let mut member = |name: &str, value: Option<Value>| {
        if let Some(value) = value.map(pruned).filter(|value| !is_usual(value)) {
            text += &format!("    {name}: {}\n", flow(&value));
        }
    };
    member("target", to_value(&script.target).ok());
    member("life", to_value(&script.life).ok());
    member("faults", to_value(&script.faults).ok());
    member("version", to_value(&script.version).ok());
    text += "    steps:\n";
    for step in script.steps.iter().filter_map(|step| to_value(step).ok()) {
        text += &format!("      - {}\n", flow(&pruned(step)));
    }
    let looks = script.looks.iter().filter_map(|look| to_value(look).ok());
    let looks: Vec<String> = looks.map(|look| flow(&pruned(look))).collect();
    text += &format!("    looks: [{}]\n", looks.join(", "));
    let says_this = script.life.as_ref().is_some_and(|life| {
        life.born == Some(StateWord::This) || life.moves.iter().any(|step| step.to == StateWord::This)
    });
    if let Some(state) = drawn.this.as_ref().filter(|_| says_this) {
        text += &format!("    # `this` is {state}\n");
    }
    text
}

/// What stands where nothing is said.
fn is_usual(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => {
            matches!(text.as_str(), "base" | "own" | "reply" | "here" | "open" | "created")
        }
        Value::Array(items) => items.is_empty(),
        Value::Number(number) => number.as_str() == "0",
        Value::Bool(true) | Value::Object(_) => false,
    }
}

/// Without members that are as usual. An empty object stays: it may be a choice without members.
fn pruned(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut kept = provely_evaluator::json::Object::new();
            for (name, member) in members.iter() {
                let member = pruned(member.clone());
                let choice = matches!(name, "state" | "to" | "by" | "name" | "moves" | "at" | "after" | "id");
                let empty = name == "when" && member.as_object().is_some_and(|own| own.is_empty());
                if (choice && !member.is_null()) || !(is_usual(&member) || empty) {
                    kept.insert(name, member);
                }
            }
            Value::Object(kept)
        }
        Value::Array(items) => Value::Array(items.into_iter().map(pruned).collect()),
        other => other,
    }
}

/// Flow notation.
fn flow(value: &Value) -> String {
    match value {
        Value::Object(members) if members.is_empty() => String::from("{}"),
        Value::Object(members) => {
            let members: Vec<String> =
                members.iter().map(|(name, value)| format!("{name}: {}", flow(value))).collect();
            format!("{{ {} }}", members.join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Value::String(text) if plain(text) => text.clone(),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// True if a text needs no quotes.
fn plain(text: &str) -> bool {
    let starts =
        text.starts_with(|own: char| own.is_ascii_alphabetic()) || text.parse::<crate::book::Span>().is_ok();
    starts && text.chars().all(|own| own.is_ascii_alphanumeric() || own == '_' || own == ' ')
}
