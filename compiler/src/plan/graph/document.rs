//! Query documents: a root field with variables, and the paths that are asked for as a selection set. Must not
//! choose any path.

use std::collections::BTreeMap;

/// Paths of a record as nested fields.
#[derive(Debug, Clone, Default)]
pub(super) struct Selection {
    fields: BTreeMap<String, Selection>,
    /// Arguments that stand behind a field, written out.
    arguments: BTreeMap<String, String>,
}

impl Selection {
    /// The fields that paths rooted at `@` lead through; a path with other steps than members is left out.
    pub(super) fn of<'p>(paths: impl IntoIterator<Item = &'p str>) -> Self {
        let mut whole = Self::default();
        for path in paths {
            let Some(below) = path.strip_prefix("@.") else { continue };
            if below.contains(['[', '\'']) {
                continue;
            }
            whole.add(below);
        }
        whole
    }

    fn add(&mut self, path: &str) {
        match path.split_once('.') {
            Some((first, rest)) => self.fields.entry(first.to_owned()).or_default().add(rest),
            None => {
                self.fields.entry(path.to_owned()).or_default();
            }
        }
    }

    /// Puts another selection below a field, with arguments.
    pub(super) fn put(&mut self, field: &str, arguments: &str, below: Self) {
        if !arguments.is_empty() {
            self.arguments.insert(field.to_owned(), arguments.to_owned());
        }
        let own = self.fields.entry(field.to_owned()).or_default();
        for (name, selection) in below.fields {
            own.fields.entry(name).or_insert(selection);
        }
        own.arguments.extend(below.arguments);
    }

    /// The selection below a field of that name.
    pub(super) fn below(self, field: &str) -> Self {
        let mut outer = Self::default();
        outer.fields.insert(field.to_owned(), self);
        outer
    }

    /// The selection for records of one type among several.
    pub(super) fn on(self, kind: &str) -> Self {
        let mut outer = Self::default();
        outer.fields.insert(format!("... on {kind}"), self);
        outer
    }

    fn write(&self, out: &mut String) {
        out.push_str("{ ");
        for (name, below) in &self.fields {
            out.push_str(name);
            if let Some(arguments) = self.arguments.get(name) {
                out.push('(');
                out.push_str(arguments);
                out.push(')');
            }
            out.push(' ');
            if !below.fields.is_empty() {
                below.write(out);
                out.push(' ');
            }
        }
        out.push('}');
    }
}

/// A query of one root field.
#[derive(Debug)]
pub(super) struct Document {
    field: String,
    /// Variable, its type, and where the root field takes it.
    variables: Vec<(String, String, bool)>,
}

impl Document {
    pub(super) fn new(field: &str) -> Self {
        Self { field: field.to_owned(), variables: Vec::new() }
    }

    /// An argument of the root field, from a variable of its name.
    pub(super) fn argument(&mut self, name: &str, kind: &str) {
        self.variables.push((name.to_owned(), kind.to_owned(), true));
    }

    /// A variable that is used further down.
    pub(super) fn variable(&mut self, name: &str, kind: &str) {
        self.variables.push((name.to_owned(), kind.to_owned(), false));
    }

    pub(super) fn write(&self, selection: &Selection) -> String {
        let declared: Vec<String> =
            self.variables.iter().map(|(name, kind, _)| format!("${name}: {kind}")).collect();
        let taken = self.variables.iter().filter(|(_, _, here)| *here);
        let taken: Vec<String> = taken.map(|(name, _, _)| format!("{name}: ${name}")).collect();
        let mut out = String::from("query");
        if !declared.is_empty() {
            out.push_str(&format!("({})", declared.join(", ")));
        }
        out.push_str(&format!(" {{ {}", self.field));
        if !taken.is_empty() {
            out.push_str(&format!("({})", taken.join(", ")));
        }
        out.push(' ');
        selection.write(&mut out);
        out.push_str(" }");
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_nested_fields_under_variables() {
        let mut document = Document::new("node");
        document.argument("id", "ID!");
        let selection =
            Selection::of(["@.id", "@.order.id", "@.order.total.amount", "@['x y']"]).on("Refund");
        assert_eq!(
            document.write(&selection),
            "query($id: ID!) { node(id: $id) { ... on Refund { id order { id total { amount } } } } }"
        );
    }
}
