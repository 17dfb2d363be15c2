//! Spanned tree over JSON and YAML files, with pointers and diagnostics.
