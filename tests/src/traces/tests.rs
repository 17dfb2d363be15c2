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

/// A test that a good record passes; `at` is what its fields stand below, for example `$observed.readback`.
pub(super) fn fitting(rng: &mut Rng, at: &str) -> Value {
    let t = |field: &str, operator: &str, expected: Value, kind: &str| {
        test(format!("{at}.{field}"), operator, expected, kind)
    };
    let all = [
        t("amount", "eq", json!("$input.amount"), ""),
        t("amount", "eq", json!("$input.amount"), "number"),
        t("amount", "gte", json!(1), ""),
        t("amount", "lte", json!("$input.amount"), "decimal"),
        t("amount", "gt", json!("-3.5"), "decimal"),
        t("amount", "in", json!([1, "$input.amount", 3]), ""),
        t("amount", "not_in", json!(["1", "2.5"]), "decimal"),
        t("fee", "eq", json!("1.5"), "decimal"),
        t("fee", "lt", json!(2), "decimal"),
        t("fee", "gte", json!("1.500"), "decimal"),
        t("currency", "eq", json!("$input.currency"), "code"),
        t("currency", "in", json!(["EUR", "USD"]), "code"),
        t("currency", "not_in", json!(["chf", "JPY"]), "code"),
        t("charge", "eq", json!("$input.charge"), "id"),
        t("charge", "in", json!(["$input.charge", "ch_9"]), "id"),
        t("email", "eq", json!("$input.email"), "email"),
        t("email", "in", json!(["$input.email", "x@y.example"]), "email"),
        t("tags", "contains", json!("beta"), ""),
        t("tags", "contains", json!("BETA"), "code"),
        t("tags", "contains_all", json!(["beta", "alpha"]), ""),
        t("tags", "array_length", json!(2), ""),
        t("tags", "eq", json!("$input.tags"), "set<text>"),
        t("tags", "eq", json!(["BETA", "alpha", "Alpha"]), "set<code>"),
        t("tags", "contains_all", json!("$input.tags"), "text"),
        t("tags[0]", "in", json!("$input.tags"), ""),
        t("bcc", "array_length", json!(0), ""),
        t("note", "prefix", json!("order "), ""),
        t("note", "matches", json!("order [0-9]+"), ""),
        t("note", "contains", json!("der 7"), "text"),
        t("note", "eq", json!("order 77"), "text"),
        t("note", "exists", Value::Null, ""),
        t("error", "absent", Value::Null, ""),
        t("meta.operation", "eq", json!("$operation.id"), ""),
        t("meta['literal']", "eq", json!("$$price"), ""),
        t("meta", "eq", json!({"operation": "op_1", "literal": "$price"}), ""),
        t("created", "time_after", json!("$operation.created_at"), ""),
        t("created", "time_after", json!("2026-09-05T13:00:00Z"), ""),
        t("created", "time_before", json!("$input.until"), ""),
        t("lines[-1].amount", "gt", json!(0), ""),
    ];
    rng.pick(&all)
}

/// A test that a good record fails.
pub(super) fn misfitting(rng: &mut Rng, at: &str) -> Value {
    let t = |field: &str, operator: &str, expected: Value, kind: &str| {
        test(format!("{at}.{field}"), operator, expected, kind)
    };
    let all = [
        t("amount", "ne", json!("$input.amount"), ""),
        t("amount", "ne", json!("$input.amount"), "decimal"),
        t("amount", "gt", json!("$input.amount"), ""),
        t("amount", "lt", json!("1.42e2"), "decimal"),
        t("fee", "ne", json!("15e-1"), "decimal"),
        t("currency", "ne", json!("$input.currency"), "code"),
        t("charge", "ne", json!("$input.charge"), "id"),
        t("email", "ne", json!("$input.email"), "email"),
        t("tags", "ne", json!("$input.tags"), "set<text>"),
        t("bcc", "contains", json!("spy@x.example"), "email"),
        t("tags", "contains", json!("gamma"), ""),
        t("note", "matches", json!("(order|refund) [a-z]*"), ""),
        t("note", "prefix", json!("Order"), ""),
        t("error", "exists", Value::Null, ""),
        t("error.code", "eq", json!("declined"), ""),
        t("id", "absent", Value::Null, ""),
        t("created", "time_before", json!("$operation.created_at"), ""),
        t("created", "eq", json!("2026-09-05T13:00:00Z"), "instant"),
        t("created", "in", json!(["2026-09-05T14:00:03Z", "2026-09-05T14:00:04Z"]), "instant"),
        t("created", "time_after", json!("$input.until"), ""),
    ];
    rng.pick(&all)
}

/// Any operator with anything.
pub(super) fn arbitrary(rng: &mut Rng, at: &str) -> Value {
    let fields =
        ["amount", "fee", "currency", "charge", "email", "tags", "note", "meta", "created", "gone", "id"];
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
