//! Collects the texts that may speak of a record's states: at the field and its values, at the record and
//! its other fields, at operations and events, and in documents. Must not read them.

use provely_document::{Kind, Node};
use provely_model::{Operation, Role};

use super::cues::cues;
use super::sentences::about;
use super::statements::Talk;
use super::states::StateField;
use super::words::{holds_phrase, prose_words, snake, words};
use crate::ingest::{ApiOperation, Block, Ingested, Schema, blocks};

/// The texts that may speak of the states of one resource, those nearest to the field first.
pub(super) fn talks(
    found: &Ingested,
    record: &Schema<'_>,
    field: &StateField<'_>,
    resource: &str,
    operations: &[&Operation],
) -> Vec<Talk> {
    let mut gathered = Gathered { states: &field.states, talks: Vec::new() };
    for (assertion, text) in field.schema.descriptions() {
        gathered.add(&assertion, text, Stand::default());
    }
    gathered.values(&field.schema, 4);
    for schema in [record, &field.owner] {
        for (assertion, text) in schema.descriptions() {
            gathered.add(&assertion, text, Stand::default());
        }
    }
    siblings(field, &mut gathered);
    for operation in operations {
        at_operation(found, operation, field, &mut gathered);
    }
    events(found, field, resource, &mut gathered);
    let mut talks = gathered.talks;
    for passage in &found.passages {
        let headings = passage.headings.join(" / ");
        if about(&headings, resource) {
            let heading = passage.headings.last().map(|text| snake(text));
            let topic = field.states.iter().position(|state| Some(snake(state)) == heading);
            talks.push(Talk {
                assertion: passage.assertion.clone(),
                text: passage.text.clone(),
                about: topic,
                ..Talk::default()
            });
        }
    }
    talks.dedup_by(|one, two| one.assertion == two.assertion && one.text == two.text);
    talks
}

/// What the place of a text tells.
#[derive(Debug, Default, Clone, Copy)]
struct Stand {
    about: Option<usize>,
    enters: Option<usize>,
    moving: bool,
    answers: bool,
    defines_only: bool,
}

/// The texts so far.
struct Gathered<'g> {
    states: &'g [String],
    talks: Vec<Talk>,
}

impl Gathered<'_> {
    /// Adds the blocks of a text; what it is about holds for the first two of them.
    fn add(&mut self, assertion: &str, text: &str, stand: Stand) {
        if stand.about.is_none() && stand.enters.is_none() && !speaks(text, self.states) {
            return;
        }
        let mut alone = None;
        for (index, block) in blocks(&apart(&outdented(text), self.states)).into_iter().enumerate() {
            let above = std::mem::take(&mut alone);
            match block {
                Block::Text(text) | Block::Heading(_, text) if self.position(bared(&text)).is_some() => {
                    alone = self.position(bared(&text));
                }
                Block::Text(text) | Block::Heading(_, text) => self.talks.push(Talk {
                    assertion: assertion.to_owned(),
                    text,
                    about: stand.about.filter(|_| index < 2).or(above),
                    moving: stand.moving,
                    answers: stand.answers,
                    enters: stand.enters,
                    defines_only: stand.defines_only,
                    elsewhere: false,
                }),
                Block::Code(_) => {}
            }
        }
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.states.iter().position(|state| state == name)
    }

    /// Texts that stand at single values: variants that fix one value each, and vendor members.
    fn values(&mut self, schema: &Schema<'_>, depth: usize) {
        self.vendor_members(schema);
        if depth == 0 {
            return;
        }
        for variant in schema.variants().into_iter().chain(schema.all_of()) {
            let fixed = variant.values();
            let about = match fixed.as_slice() {
                [only] => self.position(only),
                _ => None,
            };
            for (assertion, text) in variant.descriptions().into_iter().filter(|_| !fixed.is_empty()) {
                self.add(&assertion, text, Stand { about, ..Stand::default() });
            }
            self.values(&variant, depth - 1);
        }
    }

    /// Maps from value to text, lists of values with their texts, and lists of texts in the order of the
    /// values, under any vendor member.
    fn vendor_members(&mut self, schema: &Schema<'_>) {
        let order = schema.values();
        for (member, node) in schema.vendor_members() {
            let assertion = format!("{}/{member}", schema.assertion());
            let node = node.get("values").unwrap_or(node);
            match node.kind() {
                Kind::Object => {
                    for entry in node.entries() {
                        self.value(entry.key, described(entry.value), &assertion);
                    }
                }
                Kind::Array => {
                    let texts = cues().shapes.value_texts.iter().any(|known| known == member);
                    for (index, item) in node.items().enumerate() {
                        let named = ["value", "name", "enum", "const"].iter().find_map(|key| item.get(key));
                        let name = named.and_then(Node::scalar_text);
                        let in_order = order.get(index).map(String::as_str).filter(|_| texts);
                        if let Some(name) = name.or(in_order) {
                            self.value(name, described(item), &assertion);
                        }
                    }
                }
                Kind::Null | Kind::Bool | Kind::Number | Kind::String => {}
            }
        }
    }

    fn value(&mut self, name: &str, text: Option<&str>, assertion: &str) {
        if let (Some(state), Some(text)) = (self.position(name), text) {
            self.add(assertion, text, Stand { about: Some(state), ..Stand::default() });
        }
    }
}

/// A text without marks around it and a colon behind it.
fn bared(text: &str) -> &str {
    text.trim_matches([' ', '`', '*', '"', '\'', ':', '.'])
}

/// A text, or what an object says of itself.
fn described(node: Node<'_>) -> Option<&str> {
    let inner = ["description", "summary", "details", "doc"].iter().find_map(|key| node.get(key));
    node.as_str().or_else(|| inner.and_then(Node::as_str))
}

/// A text without the blanks that all its lines but the first begin with.
fn outdented(text: &str) -> String {
    let blanks = |line: &str| line.len() - line.trim_start().len();
    let later = text.lines().skip(1).filter(|line| !line.trim().is_empty());
    let most = later.map(blanks).min().unwrap_or(0);
    let cut = |line: &str| line.get(most.min(blanks(line))..).unwrap_or(line).to_owned();
    text.lines().map(cut).collect::<Vec<_>>().join("\n")
}

/// Lines that begin with a state and go on with what it is, as paragraphs of their own.
fn apart(text: &str, states: &[String]) -> String {
    let opens = |line: &str| {
        let line = line.trim_start_matches([' ', '\t', '`', '*', '"', '\'']);
        states.iter().any(|state| {
            let rest = line.get(..state.len()).filter(|head| head.eq_ignore_ascii_case(state));
            let rest = rest
                .and_then(|_| line.get(state.len()..))
                .map(|rest| rest.trim_start_matches(['`', '*', '"', '\'']));
            rest.is_some_and(|rest| {
                cues().phrases.line_joiners.iter().any(|joiner| rest.starts_with(joiner.as_str()))
            })
        })
    };
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if opens(line) {
            out.push('\n');
        }
        out.push_str(line);
    }
    out
}

/// Other fields of the record whose texts mention states that are not their own values.
fn siblings(field: &StateField<'_>, gathered: &mut Gathered<'_>) {
    for property in field.owner.properties() {
        if property.name == field.name {
            continue;
        }
        per_state(&property.schema, gathered);
        let Some(text) = property.schema.description() else { continue };
        let own = property.schema.values().iter().any(|value| field.states.contains(value));
        if !own && speaks(text, &field.states) {
            let assertion = property.schema.named_assertion();
            gathered.add(&assertion, text, Stand::default());
        }
    }
}

/// An object that has a member for each of several states, such as details of each: what is said of the
/// member is said of the state.
fn per_state(schema: &Schema<'_>, gathered: &mut Gathered<'_>) {
    let members: Vec<_> = schema
        .properties()
        .into_iter()
        .filter_map(|member| Some((gathered.position(member.name)?, member.schema)))
        .collect();
    if members.len() < 2 {
        return;
    }
    for (state, schema) in members {
        for (assertion, text) in schema.descriptions() {
            gathered.add(&assertion, text, Stand { about: Some(state), ..Stand::default() });
        }
    }
}

/// A text holds a state's name, perhaps in another form.
pub(super) fn speaks(text: &str, states: &[String]) -> bool {
    let lower = text.to_lowercase();
    states.iter().any(|state| {
        let stem = state.to_lowercase();
        let stem = stem.strip_suffix("ed").filter(|stem| stem.len() > 3).unwrap_or(&stem);
        lower.contains(stem)
    })
}

fn at_operation(
    found: &Ingested,
    operation: &Operation,
    field: &StateField<'_>,
    gathered: &mut Gathered<'_>,
) {
    let Some(stated) = found.operation(&operation.id) else { return };
    let acts = operation.effect.acts();
    let stand = Stand {
        answers: acts,
        moving: matches!(operation.role, Role::Cancel | Role::Act) && moves_on(&operation.path),
        enters: if acts && !field.further { entered(stated, &field.states) } else { None },
        ..Stand::default()
    };
    for text in [&stated.summary, &stated.description].into_iter().flatten() {
        gathered.add(&stated.assertion, text, stand);
    }
    let plain = Stand { answers: acts, ..Stand::default() };
    for reply in stated.replies.iter().filter(|reply| reply.is_success()) {
        if let Some(text) = reply.description.as_deref().filter(|text| speaks(text, &field.states)) {
            gathered.add(&reply.assertion, text, plain);
        }
    }
    let listing = Stand { defines_only: true, ..Stand::default() };
    for parameter in &stated.parameters {
        let about = snake(&parameter.name) == snake(&field.name);
        if let Some(text) = parameter.description.as_deref().filter(|_| about) {
            gathered.add(&parameter.assertion, text, listing);
        }
    }
}

/// The state that an operation's verb names: `cancel` and `canceled`.
fn entered(operation: &ApiOperation, states: &[String]) -> Option<usize> {
    let named = |verb: &str| {
        states.iter().position(|state| {
            let name = snake(state).replace("ll", "l");
            let stem = verb.replace("ll", "l");
            name.strip_suffix("ed")
                .is_some_and(|front| front == stem || stem.strip_suffix('e') == Some(front))
                || name == stem && !stem.is_empty()
        })
    };
    if operation.graphql.is_some() {
        // The name of a root field holds the verb behind the thing.
        return words(&operation.id).last().and_then(|verb| named(verb));
    }
    let segment = operation.path.rsplit(['/', ':']).find(|segment| !segment.is_empty())?;
    words(segment).first().and_then(|verb| named(verb))
}

/// The path ends in a verb that moves a record on.
fn moves_on(path: &str) -> bool {
    let last = path.rsplit(['/', ':']).next().unwrap_or_default();
    let first = words(last).into_iter().next().unwrap_or_default();
    cues().phrases.open_verbs.iter().any(|verb| super::words::fits(&first, verb))
}

/// Events of the resource whose last word is a state: their text explains the state.
fn events(found: &Ingested, field: &StateField<'_>, resource: &str, gathered: &mut Gathered<'_>) {
    let last = resource.rsplit('.').next().unwrap_or(resource);
    let name = words(last);
    for event in &found.event_types {
        let Some(text) = event.description.as_ref().or(event.summary.as_ref()) else { continue };
        let parts = words(&event.name);
        let at = parts.windows(name.len().max(1)).position(|row| row == name.as_slice());
        let rest = at.and_then(|at| parts.get(at + name.len()..)).unwrap_or_default();
        let same =
            |state: &String| words(state).join(" ").replace("ll", "l") == rest.join(" ").replace("ll", "l");
        let topic = field.states.iter().position(|state| !rest.is_empty() && same(state));
        let subject = !name.is_empty() && holds_phrase(&prose_words(text), last);
        if topic.is_some() || (subject && at.is_some()) {
            gathered.add(&event.assertion, text, Stand { about: topic, ..Stand::default() });
        }
    }
}
