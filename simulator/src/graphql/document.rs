//! A query document taken apart: its operation, its root fields, the values of arguments. It must not look
//! at records.

use graphql_parser::query::{
    self, Definition, Directive, Field, OperationDefinition, Selection, TypeCondition, VariableDefinition,
};
use provely_evaluator::contract::KeyDirective;
use provely_evaluator::json::{Number, Object, Value};

/// Fragments inside fragments beyond this are refused: a fragment that holds itself has no end.
const DEEPEST: usize = 64;

pub(crate) type Document = query::Document<'static, String>;
pub(crate) type Item = Selection<'static, String>;
pub(crate) type Node = Field<'static, String>;
type Literal = query::Value<'static, String>;

/// Reads a document.
pub(crate) fn parse(text: &str) -> Result<Document, String> {
    graphql_parser::parse_query::<String>(text)
        .map(query::Document::into_static)
        .map_err(|error| format!("syntax error: {error}"))
}

/// A document with the operation that is asked for and its variables.
#[derive(Debug)]
pub(crate) struct Asked<'d> {
    document: &'d Document,
    variables: Object,
    pub(crate) mutation: bool,
    items: &'d [Item],
}

/// Fields of one response key, with what is selected below them.
#[derive(Debug)]
pub(crate) struct Picked<'d> {
    pub(crate) key: &'d str,
    pub(crate) field: &'d Node,
    pub(crate) items: Vec<&'d Item>,
}

impl<'d> Asked<'d> {
    /// The operation of that name, or the only one.
    pub(crate) fn new(
        document: &'d Document,
        name: Option<&str>,
        given: Option<&Value>,
    ) -> Result<Self, String> {
        let mut operations = document.definitions.iter().filter_map(|definition| match definition {
            Definition::Operation(operation) => Some(operation),
            Definition::Fragment(_) => None,
        });
        let fits = |operation: &&OperationDefinition<'static, String>| match (name, operation) {
            (None, _) => true,
            (Some(name), OperationDefinition::Query(own)) => own.name.as_deref() == Some(name),
            (Some(name), OperationDefinition::Mutation(own)) => own.name.as_deref() == Some(name),
            (Some(_), OperationDefinition::SelectionSet(_) | OperationDefinition::Subscription(_)) => false,
        };
        let operation = operations.find(fits).ok_or("no operation of this name")?;
        if name.is_none() && operations.next().is_some() {
            return Err(String::from("several operations and no operationName"));
        }
        let (mutation, declared, set): (bool, &[VariableDefinition<'static, String>], _) = match operation {
            OperationDefinition::SelectionSet(set) => (false, &[], set),
            OperationDefinition::Query(own) => (false, &own.variable_definitions, &own.selection_set),
            OperationDefinition::Mutation(own) => (true, &own.variable_definitions, &own.selection_set),
            OperationDefinition::Subscription(_) => {
                return Err(String::from("subscriptions are not served here"));
            }
        };
        let mut asked = Self { document, variables: Object::new(), mutation, items: &set.items };
        for variable in declared {
            let value = match (given.and_then(|given| given.get(&variable.name)), &variable.default_value) {
                (Some(value), _) => value.clone(),
                (None, Some(literal)) => asked.value(literal)?.unwrap_or_default(),
                (None, None) if matches!(variable.var_type, query::Type::NonNullType(_)) => {
                    return Err(format!("the variable ${} is missing", variable.name));
                }
                (None, None) => continue,
            };
            asked.variables.insert(variable.name.as_str(), value);
        }
        Ok(asked)
    }

    /// The root fields, in the order of the document.
    pub(crate) fn roots(&self) -> Result<Vec<Picked<'d>>, String> {
        let items: Vec<&'d Item> = self.items.iter().collect();
        self.pick(&items, &|_| true)
    }

    /// The fields that a selection names on a value of one type, merged by response key.
    pub(crate) fn pick(
        &self,
        items: &[&'d Item],
        is: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<Picked<'d>>, String> {
        let mut picked = Vec::new();
        self.gather(items, is, &mut picked, 0)?;
        Ok(picked)
    }

    fn gather(
        &self,
        items: &[&'d Item],
        is: &dyn Fn(&str) -> bool,
        picked: &mut Vec<Picked<'d>>,
        depth: usize,
    ) -> Result<(), String> {
        if depth > DEEPEST {
            return Err(String::from("fragments are nested too deep"));
        }
        for item in items {
            match item {
                Selection::Field(field) if self.wanted(&field.directives)? => add(picked, field),
                Selection::InlineFragment(fragment) if self.wanted(&fragment.directives)? => {
                    let condition = fragment.type_condition.as_ref();
                    if condition.is_none_or(|TypeCondition::On(name)| is(name)) {
                        let below: Vec<&'d Item> = fragment.selection_set.items.iter().collect();
                        self.gather(&below, is, picked, depth + 1)?;
                    }
                }
                Selection::FragmentSpread(spread) if self.wanted(&spread.directives)? => {
                    let (condition, below) = self.fragment(&spread.fragment_name)?;
                    if is(condition) {
                        self.gather(&below, is, picked, depth + 1)?;
                    }
                }
                Selection::Field(_) | Selection::InlineFragment(_) | Selection::FragmentSpread(_) => {}
            }
        }
        Ok(())
    }

    /// The type and the items of a named fragment.
    pub(crate) fn fragment(&self, name: &str) -> Result<(&'d str, Vec<&'d Item>), String> {
        let found = self.document.definitions.iter().find_map(|definition| match definition {
            Definition::Fragment(own) if own.name == name => Some(own),
            Definition::Fragment(_) | Definition::Operation(_) => None,
        });
        let own = found.ok_or_else(|| format!("there is no fragment `{name}`"))?;
        let TypeCondition::On(condition) = &own.type_condition;
        Ok((condition, own.selection_set.items.iter().collect()))
    }

    fn wanted(&self, directives: &[Directive<'static, String>]) -> Result<bool, String> {
        for directive in directives {
            let sign = match directive.name.as_str() {
                "skip" => false,
                "include" => true,
                _ => continue,
            };
            let literal = directive.arguments.iter().find(|(name, _)| name == "if").map(|(_, value)| value);
            let value = literal.map(|literal| self.value(literal)).transpose()?.flatten();
            if value.as_ref().and_then(Value::as_bool) == Some(!sign) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The arguments of a field; those that are left to a variable nobody gave are not among them.
    pub(crate) fn arguments(&self, field: &Node) -> Result<Object, String> {
        let mut found = Object::new();
        for (name, literal) in &field.arguments {
            if let Some(value) = self.value(literal)? {
                found.insert(name.as_str(), value);
            }
        }
        Ok(found)
    }

    /// The retry key that a directive of a field carries.
    pub(crate) fn key(&self, field: &Node, directive: &KeyDirective) -> Option<String> {
        let own = field.directives.iter().find(|own| own.name == directive.name)?;
        let literal =
            own.arguments.iter().find(|(name, _)| *name == directive.argument).map(|(_, value)| value)?;
        self.value(literal).ok()??.as_str().map(str::to_owned)
    }

    fn value(&self, literal: &Literal) -> Result<Option<Value>, String> {
        Ok(Some(match literal {
            Literal::Variable(name) => return Ok(self.variables.get(name).cloned()),
            Literal::Int(number) => number.as_i64().map(Value::from).ok_or("an integer is too large")?,
            Literal::Float(number) => {
                Number::from_text(&number.to_string()).map(Value::Number).ok_or("a number is none")?
            }
            Literal::String(text) | Literal::Enum(text) => Value::from(text.as_str()),
            Literal::Boolean(flag) => Value::Bool(*flag),
            Literal::Null => Value::Null,
            Literal::List(items) => {
                let items = items.iter().map(|item| Ok(self.value(item)?.unwrap_or_default()));
                Value::Array(items.collect::<Result<_, String>>()?)
            }
            Literal::Object(members) => {
                let mut object = Object::new();
                for (name, member) in members {
                    if let Some(value) = self.value(member)? {
                        object.insert(name.as_str(), value);
                    }
                }
                Value::Object(object)
            }
        }))
    }
}

fn add<'d>(picked: &mut Vec<Picked<'d>>, field: &'d Node) {
    let key = field.alias.as_deref().unwrap_or(&field.name);
    let below = field.selection_set.items.iter();
    match picked.iter_mut().find(|own| own.key == key) {
        Some(own) => own.items.extend(below),
        None => picked.push(Picked { key, field, items: below.collect() }),
    }
}
