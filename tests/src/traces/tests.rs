//! Tests on the fields of a record: some that a good record passes, some that it does not, some at random.

use serde_json::{Value, json};

use super::rng::Rng;

fn test(path: String, operator: &str, expected: Value, kind: &str) -> Value {
    let mut test = json!({"path": path, "operator": operator});
    if !matches!(operator, "exists" | "absent") {
        test["expected"] = expected;
    }
    if !kind.is_empty() {
        test["as"] = json!(kind);
    }
    test
}

/// Field, operator, expectation as JSON text, reading. Text, so that only the one that is picked is built.
type Template = (&'static str, &'static str, &'static str, &'static str);

fn filled((field, operator, expected, kind): Template, at: &str) -> Value {
    let expected = serde_json::from_str(expected).unwrap_or_default();
    test(format!("{at}.{field}"), operator, expected, kind)
}

const FITTING: [Template; 40] = [
    ("amount", "eq", r#""$input.amount""#, ""),
    ("amount", "eq", r#""$input.amount""#, "number"),
    ("amount", "gte", r#"1"#, ""),
    ("amount", "lte", r#""$input.amount""#, "decimal"),
    ("amount", "gt", r#""-3.5""#, "decimal"),
    ("amount", "in", r#"[1, "$input.amount", 3]"#, ""),
    ("amount", "not_in", r#"["1", "2.5"]"#, "decimal"),
    ("fee", "eq", r#""1.5""#, "decimal"),
    ("fee", "lt", r#"2"#, "decimal"),
    ("fee", "gte", r#""1.500""#, "decimal"),
    ("currency", "eq", r#""$input.currency""#, "code"),
    ("currency", "in", r#"["EUR", "USD"]"#, "code"),
    ("currency", "not_in", r#"["chf", "JPY"]"#, "code"),
    ("charge", "eq", r#""$input.charge""#, "id"),
    ("charge", "in", r#"["$input.charge", "ch_9"]"#, "id"),
    ("email", "eq", r#""$input.email""#, "email"),
    ("email", "in", r#"["$input.email", "x@y.example"]"#, "email"),
    ("tags", "contains", r#""beta""#, ""),
    ("tags", "contains", r#""BETA""#, "code"),
    ("tags", "contains_all", r#"["beta", "alpha"]"#, ""),
    ("tags", "array_length", r#"2"#, ""),
    ("tags", "eq", r#""$input.tags""#, "set<text>"),
    ("tags", "eq", r#"["BETA", "alpha", "Alpha"]"#, "set<code>"),
    ("tags", "contains_all", r#""$input.tags""#, "text"),
    ("tags[0]", "in", r#""$input.tags""#, ""),
    ("bcc", "array_length", r#"0"#, ""),
    ("note", "prefix", r#""order ""#, ""),
    ("note", "matches", r#""order [0-9]+""#, ""),
    ("note", "contains", r#""der 7""#, "text"),
    ("note", "eq", r#""order 77""#, "text"),
    ("note", "exists", r#"null"#, ""),
    ("error", "absent", r#"null"#, ""),
    ("meta.operation", "eq", r#""$operation.id""#, ""),
    ("live", "eq", r#""$operation.live""#, ""),
    ("meta['literal']", "eq", r#""$$price""#, ""),
    ("meta", "eq", r#"{"operation": "op_1", "literal": "$price"}"#, ""),
    ("created", "time_after", r#""$operation.created_at""#, ""),
    ("created", "time_after", r#""2026-09-05T13:00:00Z""#, ""),
    ("created", "time_before", r#""$input.until""#, ""),
    ("lines[-1].amount", "gt", r#"0"#, ""),
];

/// A test that a good record passes; `at` is what its fields stand below, for example `$observed.readback`.
pub(super) fn fitting(rng: &mut Rng, at: &str) -> Value {
    filled(rng.pick(&FITTING), at)
}

const MISFITTING: [Template; 20] = [
    ("amount", "ne", r#""$input.amount""#, ""),
    ("amount", "ne", r#""$input.amount""#, "decimal"),
    ("amount", "gt", r#""$input.amount""#, ""),
    ("amount", "lt", r#""1.42e2""#, "decimal"),
    ("fee", "ne", r#""15e-1""#, "decimal"),
    ("currency", "ne", r#""$input.currency""#, "code"),
    ("charge", "ne", r#""$input.charge""#, "id"),
    ("email", "ne", r#""$input.email""#, "email"),
    ("tags", "ne", r#""$input.tags""#, "set<text>"),
    ("bcc", "contains", r#""spy@x.example""#, "email"),
    ("tags", "contains", r#""gamma""#, ""),
    ("note", "matches", r#""(order|refund) [a-z]*""#, ""),
    ("note", "prefix", r#""Order""#, ""),
    ("error", "exists", r#"null"#, ""),
    ("error.code", "eq", r#""declined""#, ""),
    ("id", "absent", r#"null"#, ""),
    ("created", "time_before", r#""$operation.created_at""#, ""),
    ("created", "eq", r#""2026-09-05T13:00:00Z""#, "instant"),
    ("created", "in", r#"["2026-09-05T14:00:03Z", "2026-09-05T14:00:04Z"]"#, "instant"),
    ("created", "time_after", r#""$input.until""#, ""),
];

/// A test that a good record fails.
pub(super) fn misfitting(rng: &mut Rng, at: &str) -> Value {
    filled(rng.pick(&MISFITTING), at)
}

/// Any operator with anything.
pub(super) fn arbitrary(rng: &mut Rng, at: &str) -> Value {
    let fields = [
        "amount", "fee", "currency", "charge", "email", "tags", "note", "meta", "created", "gone", "live",
        "id",
    ];
    let values = [
        json!(142),
        json!("142"),
        json!(true),
        json!("usd"),
        json!(["usd", 142]),
        json!({"id": "ch_1"}),
        json!("$input.amount"),
        json!("$input.tags"),
        json!("$input.missing"),
        json!("$correlation.record_id"),
        json!("$operation.id"),
        json!("$operation.live"),
        json!(0),
        json!("-1.25"),
        json!("Ada <ada@x.example>"),
    ];
    let operator = rng.pick(&[
        "eq",
        "ne",
        "in",
        "not_in",
        "gt",
        "gte",
        "lt",
        "lte",
        "exists",
        "absent",
        "array_length",
        "contains",
        "contains_all",
        "prefix",
        "matches",
    ]);
    let kind = match operator {
        "eq" | "ne" | "in" | "not_in" => rng.pick(&[
            "",
            "",
            "text",
            "number",
            "decimal",
            "email",
            "code",
            "id",
            "set<text>",
            "set<id>",
            "set<decimal>",
        ]),
        "gt" | "gte" | "lt" | "lte" => rng.pick(&["", "decimal", "number"]),
        "contains" | "contains_all" => rng.pick(&["", "text", "code", "decimal", "id", "email"]),
        _ => "",
    };
    let expected = match operator {
        "in" | "not_in" | "contains_all" if rng.chance(80) => {
            json!([rng.pick(&values), rng.pick(&values), rng.pick(&values)].map(scalar))
        }
        "in" | "not_in" | "contains_all" => json!("$input.tags"),
        "array_length" => json!(rng.below(4)),
        "prefix" => json!(rng.pick(&["o", "us", "$input.currency", "re_"])),
        "matches" => json!(rng.pick(&["[a-z]+", ".*7", "re_.|x", "usd?"])),
        "gt" | "gte" | "lt" | "lte" => {
            rng.pick(&[json!(0), json!(142), json!("1.5"), json!("$input.amount"), json!("$input.missing")])
        }
        _ => rng.pick(&values),
    };
    test(format!("{at}.{}", rng.pick(&fields)), operator, expected, kind)
}

/// Elements of a literal array stay scalars.
fn scalar(value: Value) -> Value {
    if value.is_array() || value.is_object() { json!("alpha") } else { value }
}

/// A test over what the caller gave, for `when` and `unless`.
pub(super) fn over_input(rng: &mut Rng) -> Value {
    rng.pick(&[
        json!({"path": "$input.currency", "operator": "exists"}),
        json!({"path": "$input.currency", "operator": "absent"}),
        json!({"path": "$input.email", "operator": "exists"}),
        json!({"path": "$input.amount", "operator": "gt", "expected": 100}),
        json!({"path": "$input.currency", "operator": "eq", "expected": "USD", "as": "code"}),
        json!({"path": "$input.tags", "operator": "contains", "expected": "beta"}),
    ])
}
