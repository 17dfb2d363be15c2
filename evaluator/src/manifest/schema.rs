//! The JSON Schema (2020-12) of manifests, written from the types alone.

use super::Manifest;
use schemars::Schema;
use schemars::generate::SchemaSettings;

/// The JSON Schema of a manifest.
#[must_use]
pub fn manifest_schema() -> Schema {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<Manifest>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_closed() {
        let text = serde_json::to_string(&manifest_schema()).unwrap();
        let schema = crate::json::parse(&text).unwrap();
        assert_eq!(schema.get("title").unwrap().as_str(), Some("Manifest"));
        assert_eq!(schema.get("additionalProperties").unwrap().as_bool(), Some(false));
    }
}
