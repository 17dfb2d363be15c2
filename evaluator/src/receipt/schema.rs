//! The JSON Schema (2020-12) of receipts, written from the types. It must state what the types cannot: what
//! VERIFIED needs.

use super::Receipt;
use schemars::generate::SchemaSettings;
use schemars::{Schema, json_schema};

/// The JSON Schema of a receipt: the types, and that VERIFIED carries an evidence level above E0 and an
/// observation of such a level.
#[must_use]
pub fn receipt_schema() -> Schema {
    let mut schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Receipt>();
    let observed = json_schema!({ "enum": ["E1", "E2", "E3", "E4", "E5"] });
    let verified = json_schema!({
        "if": { "properties": { "verdict": { "properties": { "verdict": { "const": "VERIFIED" } } } } },
        "then": { "properties": {
            "verdict": { "properties": { "evidence_levels_used": { "contains": observed } } },
            "observations": { "contains": { "properties": { "evidence_level": observed } } }
        } }
    });
    schema.insert("allOf".into(), serde_json::Value::Array(alloc::vec![verified.to_value()]));
    schema
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn is_closed_and_states_what_verified_needs() {
        let text = serde_json::to_string(&receipt_schema()).unwrap();
        let schema = crate::json::parse(&text).unwrap();
        assert_eq!(schema.get("title").unwrap().to_string(), "\"Receipt\"");
        assert_eq!(schema.get("additionalProperties").unwrap().as_bool(), Some(false));
        assert!(text.contains(r#"{"const":"VERIFIED"}"#) && text.contains(r#""const":"ed25519""#));
        let required = schema.get("required").unwrap().to_string();
        assert!(required.contains("\"signature\"") && !required.contains("\"components\""), "{required}");
    }
}
