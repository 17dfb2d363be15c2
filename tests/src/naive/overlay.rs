//! The contract with the overlay applied that covers the version read with.

use serde_json::{Map, Value};

use super::trace::list;
use super::version::covered;

/// The trace with the overlay merged into its contract, where one covers its version.
pub(super) fn overlaid(trace: &Value) -> Option<Value> {
    let version = trace["operation"]["api_version"].as_str();
    let overlays = list(&trace["contract"]["overlays"]);
    let overlay = overlays.iter().find(|overlay| covered(version, &overlay["versions"]))?;
    let mut whole = trace.clone();
    merge(&mut whole["contract"], &overlay["patch"]);
    Some(whole)
}

fn merge(target: &mut Value, patch: &Value) {
    let Some(changes) = patch.as_object() else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    for (name, change) in changes {
        if change.is_null() {
            target.as_object_mut().and_then(|object| object.remove(name));
        } else {
            merge(&mut target[name.as_str()], change);
        }
    }
}
