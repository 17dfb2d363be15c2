//! The provider's retry protection: a header, a body field or a directive that carries a key, how long it is kept,
//! and whether events echo it. Reads parameters and passages; must not assume a protection that no source states.

use provely_evaluator::contract::KeyDirective;
use provely_model::{IdempotencyPlan, Operation, Parameter, Place, RootKind};

use super::known::{Known, Passage};
use super::words::{quoted, says, shortest_duration};
use super::{Draft, Rules, part};
use crate::assertion::source_of;
use crate::classify::snake;

/// Where a key goes, and the assertion that states it.
type Stated<T> = Option<(T, String)>;
/// A plan with the assertions that it rests on.
type Protection = Option<(IdempotencyPlan, Vec<String>)>;

impl Draft<'_> {
    /// Plans the retry protection: by a header whose key is said to have one effect, and for how long; else by a
    /// field or a directive that is named after what it is for.
    pub(super) fn retry(&mut self) {
        let echoed = self.plan.channels.iter().any(|channel| {
            let events = channel.events.as_ref();
            events.is_some_and(|events| events.key.is_some() && !events.creation_types.is_empty())
        });
        let bare = IdempotencyPlan { header: None, field: None, directive: None, life_ms: 0, echoed };
        let found =
            self.by_header(&bare).or_else(|| self.by_field(&bare)).or_else(|| self.by_directive(&bare));
        let Some((planned, assertions)) = found else { return };
        if self.cite(part::IDEMPOTENCY, assertions) {
            self.plan.idempotency = Some(planned);
        }
    }

    /// A header. One that only a passage names protects where it is said what it does and for how long; one that the
    /// operation itself takes goes along in any case.
    fn by_header(&self, bare: &IdempotencyPlan) -> Protection {
        let (header, stated, declared) = self.header()?;
        let source = source_of(&stated).to_owned();
        let words = &self.rules.plan.retry;
        let same = |passage: &&Passage| source_of(&passage.id) == source;
        let safe = self.known.passages.iter().filter(same).find(|passage| says(&passage.text, &words.safe));
        let told = safe.zip(self.life(same));
        if told.is_none() && !declared {
            return None;
        }
        let mut assertions = vec![stated];
        assertions.extend(told.into_iter().flat_map(|(safe, (_, kept))| [safe.id.clone(), kept.id.clone()]));
        assertions.dedup();
        let life_ms = told.map_or(0, |(_, (life, _))| life);
        Some((IdempotencyPlan { header: Some(header), life_ms, ..bare.clone() }, assertions))
    }

    /// A body field that carries the key. Where nobody says how long it is kept, no repeat rests on it.
    fn by_field(&self, bare: &IdempotencyPlan) -> Protection {
        let field = key_field(self.rules, self.operation)?.name.clone();
        let name = field.rsplit('.').next().unwrap_or(&field).to_owned();
        let words = &self.rules.plan.retry;
        let about = |passage: &&Passage| {
            says(&passage.text, &words.says) || quoted(&passage.text).any(|word| word == name)
        };
        let kept = self.life(about);
        let mut assertions = self.operation.assertions.get(..1).unwrap_or_default().to_vec();
        assertions.extend(kept.map(|(_, passage)| passage.id.clone()));
        let life_ms = kept.map_or(0, |(life, _)| life);
        Some((IdempotencyPlan { field: Some(field), life_ms, ..bare.clone() }, assertions))
    }

    /// A directive that carries the key: the schema declares it, or a passage names it for this operation.
    fn by_directive(&self, bare: &IdempotencyPlan) -> Protection {
        self.operation.graphql.as_ref().filter(|root| root.kind == RootKind::Mutation)?;
        let (directive, stated) = self.declared_directive().or_else(|| self.told_directive())?;
        let name = format!("@{}", directive.name);
        let kept = self.life(|passage| passage.text.contains(&name));
        let life_ms = kept.map_or(0, |(life, _)| life);
        let assertions = std::iter::once(stated).chain(kept.map(|(_, passage)| passage.id.clone())).collect();
        Some((IdempotencyPlan { directive: Some(directive), life_ms, ..bare.clone() }, assertions))
    }

    /// The shortest life of a key that some passages state, each in a sentence that speaks of keys.
    fn life(&self, about: impl Fn(&&Passage) -> bool) -> Option<(u64, &Passage)> {
        let words = &self.rules.plan.retry;
        let of_keys =
            |sentence: &&str| sentence.to_lowercase().contains("key") || says(sentence, &words.says);
        let stated = self.known.passages.iter().filter(|passage| self.may_mean(passage)).filter(about);
        let lives = stated.filter_map(|passage| {
            let sentences = passage.text.split(". ").filter(of_keys);
            let life = sentences.filter_map(|sentence| shortest_duration(sentence, &words.units)).min()?;
            Some((life, passage))
        });
        lives.min_by_key(|(life, _)| *life)
    }

    /// True for a passage of a document, and for what is said of the operation itself: the description of another one
    /// speaks of that.
    fn may_mean(&self, passage: &Passage) -> bool {
        let described = passage.id.split_once('#').is_some_and(|(_, place)| place.starts_with('/'));
        let own = |assertion: &String| {
            passage.id.strip_prefix(assertion.as_str()).is_some_and(|rest| rest.starts_with('/'))
        };
        !described || self.operation.assertions.iter().any(own)
    }

    fn declared_directive(&self) -> Stated<KeyDirective> {
        let words = &self.rules.plan.retry;
        self.known.directives.iter().filter(|one| says(&one.name, &words.says)).find_map(|one| {
            let argument = one.arguments.iter().find(|name| words.arguments.contains(&snake(name)))?;
            let directive = KeyDirective { name: one.name.clone(), argument: argument.clone() };
            Some((directive, one.assertion.clone()))
        })
    }

    /// A directive that a document writes as `@name(argument:)`, unless the passage keeps it for other operations or
    /// for other versions.
    fn told_directive(&self) -> Stated<KeyDirective> {
        let words = &self.rules.plan.retry;
        self.documents.iter().find_map(|document| {
            let directive = quoted(document.text).find_map(|word| {
                let (name, rest) = word.strip_prefix('@')?.split_once('(')?;
                let argument = rest.split(':').next()?.trim();
                let fits = says(name, &words.says) && words.arguments.contains(&snake(argument));
                fits.then(|| KeyDirective { name: name.trim().to_owned(), argument: argument.to_owned() })
            })?;
            let meant = self.is_meant(document.text) && self.is_of_this_version(document.text);
            meant.then(|| (directive, document.id.to_owned()))
        })
    }

    /// True unless a passage names mutations and this one is not among them.
    fn is_meant(&self, text: &str) -> bool {
        let own = self.operation.graphql.as_ref().map(|root| root.name.as_str());
        let mutation = |word: &&str| {
            let id = format!("mutation {word}");
            self.known.service.operations.iter().any(|operation| operation.id == id)
        };
        let mut named = quoted(text).filter(mutation).peekable();
        named.peek().is_none() || named.any(|word| Some(word) == own)
    }

    /// True unless a passage speaks of a version that is later than the one that is read with.
    fn is_of_this_version(&self, text: &str) -> bool {
        let own = self.known.service.version.as_ref().map(|rule| rule.default.as_str());
        let own = own.or(self.known.described_version).unwrap_or_default();
        let dated = |word: &&str| {
            let mut parts = word.split('-');
            let digits = |part: Option<&str>, count| {
                part.is_some_and(|part| part.len() == count && part.bytes().all(|byte| byte.is_ascii_digit()))
            };
            digits(parts.next(), 4) && digits(parts.next(), 2)
        };
        let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-');
        words.filter(dated).all(|version| version <= own)
    }

    /// The header of the key, where it is stated, and whether the operation itself takes it: a parameter, named or
    /// described so, or a passage that does not keep it for other operations.
    fn header(&self) -> Option<(String, String, bool)> {
        let words = &self.rules.plan.retry;
        let carries = |parameter: &&Parameter| {
            let described = parameter.description.as_deref().is_some_and(|text| says(text, &words.says));
            parameter.place == Place::Header
                && (parameter.name.to_lowercase().ends_with(words.header.as_str()) || described)
        };
        if let Some(parameter) = self.operation.parameters.iter().find(carries) {
            let stated = self.stated_header().map(|(_, id)| id);
            let stated = stated.or_else(|| self.operation.assertions.first().cloned())?;
            return Some((parameter.name.clone(), stated, true));
        }
        if self.operation.method != "POST" {
            return None;
        }
        self.stated_header().map(|(header, id)| (header, id, false))
    }

    fn stated_header(&self) -> Stated<String> {
        let mut admitting = self.headers.iter().filter(|(_, passage)| admits(&passage.text, self.operation));
        admitting.next().map(|(header, passage)| ((*header).to_owned(), passage.id.clone()))
    }
}

/// The body field that carries the retry key: by its name, or by a name that fits and a description that says so.
pub(super) fn key_field<'o>(rules: &Rules, operation: &'o Operation) -> Option<&'o Parameter> {
    let words = &rules.plan.retry;
    let named = |parameter: &&Parameter, names: &[String]| {
        let last = parameter.name.rsplit('.').next().unwrap_or_default();
        parameter.place == Place::Body && !parameter.name.contains('[') && names.contains(&snake(last))
    };
    let told = |parameter: &&Parameter| {
        named(parameter, &words.told_fields)
            && parameter.description.as_deref().is_some_and(|text| says(text, &words.says))
    };
    let mut fields = operation.parameters.iter();
    let by_name = fields.clone().find(|parameter| named(parameter, &words.fields));
    by_name.or_else(|| fields.find(told))
}

/// The passages that name a header which carries a retry key, each with the header.
pub(super) fn headers<'a>(known: &Known<'a>, rules: &Rules) -> Vec<(&'a str, &'a Passage)> {
    let ending = rules.plan.retry.header.as_str();
    let fits = |word: &&str| word.to_lowercase().ends_with(ending) && !word.contains(char::is_whitespace);
    let named =
        known.passages.iter().filter_map(|passage| Some((quoted(&passage.text).find(fits)?, passage)));
    named.collect()
}

/// True unless the passage names operations and this one is not among them.
fn admits(text: &str, operation: &Operation) -> bool {
    let mut named = quoted(text)
        .filter(|word| word.split_once(" /").is_some_and(|(method, _)| method == "POST"))
        .peekable();
    named.peek().is_none() || named.any(|word| word == operation.id)
}
