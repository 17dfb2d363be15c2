//! The input of a contract: what the agent names, in the vendor's words and types. Must not ask for what no
//! record echoes.

use provely_evaluator::contract::{As, InputProperty, InputSchema, InputType, RequiredSet};
use provely_model::{Echo, EchoKind, FieldKind, Parameter, Place};

use super::draft::Draft;

impl Draft<'_> {
    /// The input that `begin` takes.
    pub(super) fn input_schema(&self, existing: Option<&str>) -> InputSchema {
        let mut schema = InputSchema::default();
        let operation = self.subject.operation;
        let path = operation.parameters.iter().filter(|parameter| parameter.place == Place::Path);
        let named = |parameter: &&Parameter| {
            existing.is_none_or(|own| own == parameter.name) || self.names_in_path(&parameter.name)
        };
        for parameter in path.filter(named) {
            schema.properties.insert(parameter.name.clone(), property(parameter, None));
            schema.required.push(parameter.name.clone());
        }
        let mut subjects = Vec::new();
        for echo in self.inputs() {
            let Some(parameter) = self.parameter(&echo.input) else { continue };
            let one = self.is_recipients(echo) && parameter.kind != FieldKind::Array;
            let mut property = property(parameter, Some(echo));
            if one {
                let said = "The one recipient that the outcome is proven for.".to_owned();
                (property.kind, property.min_length) = (InputType::String, Some(1));
                property.description = Some(said);
            }
            schema.properties.insert(echo.input.clone(), property);
            if self.is_required(echo) {
                schema.required.push(echo.input.clone());
            } else if echo.kind == EchoKind::Subject {
                subjects.push(RequiredSet { required: vec![echo.input.clone()] });
            }
        }
        schema.required.sort();
        let named = self.inputs().any(|echo| echo.kind == EchoKind::Subject && self.is_required(echo));
        if !named && existing.is_none() {
            schema.any_of = subjects;
        }
        schema
    }

    fn names_in_path(&self, name: &str) -> bool {
        self.subject.operation.path.contains(&format!("{{{name}}}"))
    }
}

fn property(parameter: &Parameter, echo: Option<&Echo>) -> InputProperty {
    let kind = match parameter.kind {
        FieldKind::Integer | FieldKind::EpochSeconds | FieldKind::EpochMilliseconds => InputType::Integer,
        FieldKind::Number => InputType::Number,
        FieldKind::Boolean => InputType::Boolean,
        FieldKind::Array => InputType::Array,
        FieldKind::Map | FieldKind::Object => InputType::Object,
        FieldKind::Text | FieldKind::Decimal | FieldKind::DateTime | FieldKind::IdOrRecord => {
            InputType::String
        }
        FieldKind::Any if echo.is_some_and(|echo| matches!(echo.read_as, Some(As::Set(_)))) => {
            InputType::Array
        }
        FieldKind::Any => InputType::String,
    };
    let amount = echo.is_some_and(|echo| echo.kind == EchoKind::Amount);
    InputProperty {
        kind,
        description: parameter.description.clone(),
        allowed: Vec::new(),
        minimum: (amount && kind == InputType::Integer).then_some(1),
        min_length: (kind == InputType::String).then_some(1),
    }
}
