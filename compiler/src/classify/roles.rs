//! What an operation does to its resource, and the effect that follows. Cues come from data; must not look
//! at replies beyond whether they are lists.

mod graph;

use provely_model::{Effect, Role};

use super::cues::{EffectCue, cues};
use super::words::{holds_phrase, prose_words, singular, verb, words};
use crate::ingest::ApiOperation;

pub(super) use graph::judge_root;

/// What the cues were read from.
#[derive(Debug)]
pub(super) struct Wording {
    method: String,
    /// The path ends in a placeholder.
    ends_in_id: bool,
    /// The verb at the path's end, if there is one.
    verb: Option<String>,
    /// The path's end begins with a word for making, and more follows: `create_reversal`.
    makes: bool,
    /// Words of the last segment that names a thing.
    nouns: Vec<String>,
    /// Words of the path's last fixed segment.
    last: Vec<String>,
    /// First word of the summary in its base form.
    lead: Option<String>,
    /// Summary and first sentence of the description.
    said: Vec<String>,
    /// First word of the description in its base form.
    described: Option<String>,
}

/// How an operation was judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Judgement {
    pub(super) role: Role,
    pub(super) effect: Effect,
    /// Two effects had equal weight.
    pub(super) close: bool,
}

/// Role and effect of an operation. `lists`: its reply is a list; `collection`: the path is known to hold
/// records that can be read one by one.
pub(super) fn judge(operation: &ApiOperation, lists: bool, collection: bool) -> Judgement {
    let wording = Wording::of(operation);
    if wording.reads() {
        let role = if lists { Role::List } else { Role::Read };
        return Judgement { role, effect: Effect::Read, close: false };
    }
    let role = wording.role(collection);
    let (effect, close) = wording.effect(role);
    Judgement { role, effect, close }
}

impl Wording {
    fn of(operation: &ApiOperation) -> Self {
        let segments: Vec<&str> = operation.path.split('/').filter(|segment| !segment.is_empty()).collect();
        let fixed = |segment: &&&str| !segment.starts_with('{');
        let ends_in_id =
            segments.last().is_some_and(|segment| segment.starts_with('{') && !segment.contains("}:"));
        let last: Vec<String> =
            segments.iter().rfind(fixed).map(|segment| stems(segment)).unwrap_or_default();
        let before = segments.iter().rev().nth(1).is_some_and(|segment| segment.contains('{'));
        let action = if ends_in_id { None } else { action(&segments, &last, before) };
        let nouns = if action.is_some() {
            let thing = segments.iter().rev().skip(1).find(fixed).map(|segment| stems(segment));
            let rest = last.iter().filter(|word| Some(*word) != action.as_ref()).cloned();
            rest.chain(thing.unwrap_or_default()).collect()
        } else {
            last.clone()
        };
        let summary = operation.summary.as_deref().or(operation.operation_id.as_deref()).unwrap_or_default();
        let first = operation.description.as_deref().unwrap_or_default();
        let opening: String = first.chars().take(160).collect();
        let opening = opening.split(". ").next().unwrap_or_default().to_owned();
        let lead = match &operation.summary {
            Some(summary) => prose_words(unlabelled(summary)).first().map(|word| verb(word)),
            None => words(summary).first().map(|word| verb(word)),
        };
        let mut said = prose_words(summary);
        let opening = prose_words(&opening);
        let described = opening.first().map(|word| verb(word));
        said.extend(opening);
        let makes = !ends_in_id
            && last.len() > 1
            && last.first().is_some_and(|word| cues().effects.making.contains(word));
        let method = operation.method.clone();
        Self { method, ends_in_id, verb: action, makes, nouns, last, lead, said, described }
    }

    fn reads(&self) -> bool {
        let reads = &cues().effects.reads;
        let lead = |list: &std::collections::BTreeSet<String>| {
            self.lead.as_ref().is_some_and(|word| list.contains(word))
        };
        match self.method.as_str() {
            "GET" | "HEAD" | "OPTIONS" | "TRACE" | "QUERY" => {
                let acts =
                    self.last.last().is_some_and(|word| reads.acting_get.contains(word)) && !self.ends_in_id;
                !(acts && lead(&reads.acting_summary))
            }
            "POST" => {
                let path = self.last.iter().any(|word| reads.path.contains(word)) && !self.ends_in_id;
                let phrase = reads.phrases.iter().any(|phrase| holds_phrase(&self.said, phrase));
                let asks = reads.asks.iter().any(|phrase| holds_phrase(&self.said, phrase));
                let summary = lead(&reads.summary);
                let acts = self.lead.as_ref().is_some_and(|word| {
                    let roles = &cues().effects.roles;
                    roles.values().any(|list| list.contains(word)) || cues().effects.verbs.contains(word)
                });
                (path && (!acts || phrase || summary || self.strong_read()))
                    || (summary && !self.creates_by_verb())
                    || (phrase && !acts)
                    || asks
                    || self.hands_out()
            }
            "PUT" | "PATCH" => !self.ends_in_id && (self.strong_read() || self.plainly_reads()),
            _ => false,
        }
    }

    /// A word of the path that reads even where the summary says that something is made: a preview.
    fn strong_read(&self) -> bool {
        self.last.iter().any(|word| cues().effects.reads.strong.contains(word))
    }

    /// Summary and description both begin with a verb that only reads.
    fn plainly_reads(&self) -> bool {
        let plain = |word: &Option<String>| {
            word.as_ref().is_some_and(|word| cues().effects.reads.plain.contains(word))
        };
        self.verb.is_none() && plain(&self.lead) && plain(&self.described)
    }

    /// It begins with saying that it answers an address.
    fn hands_out(&self) -> bool {
        let opens = |phrase: &String| {
            let phrase = prose_words(phrase);
            self.said.get(..phrase.len()).is_some_and(|front| front == phrase)
        };
        cues().effects.reads.hands_out.iter().any(opens)
    }

    fn creates_by_verb(&self) -> bool {
        self.verb.as_ref().is_some_and(|word| !cues().effects.reads.path.contains(word))
    }

    fn role(&self, collection: bool) -> Role {
        let table = &cues().effects;
        let lead = |role: Role| {
            self.lead
                .as_ref()
                .is_some_and(|word| table.roles.get(&role).is_some_and(|list| list.contains(word)))
        };
        let verb = self.verb.as_ref();
        if verb.is_some_and(|word| table.cancel.contains(word)) {
            return Role::Cancel;
        }
        match self.method.as_str() {
            "DELETE" => Role::Delete,
            _ if self.makes || verb.is_some_and(|word| table.making.contains(word)) => Role::Create,
            _ if verb.is_some_and(|word| table.removing.contains(word)) => Role::Delete,
            _ if verb.is_some_and(|word| table.updating.contains(word)) => Role::Update,
            _ if verb.is_some() => Role::Act,
            "PUT" if !self.ends_in_id && lead(Role::Create) => Role::Create,
            "PUT" | "PATCH" => Role::Update,
            _ if lead(Role::Cancel) => Role::Cancel,
            _ if lead(Role::Delete) => Role::Delete,
            _ if self.ends_in_id => {
                if lead(Role::Create) {
                    Role::Create
                } else {
                    Role::Update
                }
            }
            _ if lead(Role::Create) || (collection && !lead(Role::Update)) => Role::Create,
            _ if lead(Role::Update) => Role::Update,
            _ => Role::Act,
        }
    }

    fn effect(&self, role: Role) -> (Effect, bool) {
        let table = &cues().effects;
        let mut weights: Vec<(Effect, u32)> = Vec::new();
        for cue in table.cues.iter().filter(|cue| self.matches(cue, role)) {
            match weights.iter_mut().find(|(effect, _)| *effect == cue.effect) {
                Some((_, weight)) => *weight += cue.weight,
                None => weights.push((cue.effect, cue.weight)),
            }
        }
        weights.sort_by(|one, two| two.1.cmp(&one.1).then(one.0.cmp(&two.0)));
        let fallback = table.defaults.get(&role).copied().unwrap_or(Effect::OtherAct);
        match weights.as_slice() {
            [] => (fallback, false),
            [(effect, weight), (_, second), ..] => (*effect, weight == second),
            [(effect, _)] => (*effect, false),
        }
    }

    fn matches(&self, cue: &EffectCue, role: Role) -> bool {
        let verb = cue.verbs.is_empty() || self.verb.as_ref().is_some_and(|word| cue.verbs.contains(word));
        let noun = cue.nouns.is_empty()
            || self.named(&cue.nouns)
            || (!cue.verbs.is_empty() && self.nouns.iter().any(|word| cue.nouns.contains(word)));
        let summary =
            cue.summary.is_empty() || self.lead.as_ref().is_some_and(|word| cue.summary.contains(word));
        let phrase = cue.phrases.is_empty()
            || cue.phrases.iter().any(|phrase| {
                holds_phrase(&self.said, phrase) || self.nouns.iter().any(|word| word == phrase)
            });
        let roles = cue.roles.is_empty() || cue.roles.contains(&role);
        let methods = cue.methods.is_empty() || cue.methods.contains(&self.method);
        verb && noun && summary && phrase && roles && methods
    }

    /// The noun that the path ends in is one of these: its last word, or its last two joined.
    fn named(&self, nouns: &std::collections::BTreeSet<String>) -> bool {
        let two = match self.nouns.as_slice() {
            [.., first, last] => Some(format!("{first}_{last}")),
            _ => None,
        };
        self.nouns.last().is_some_and(|word| nouns.contains(word))
            || two.is_some_and(|pair| nouns.contains(&pair))
    }
}

/// A summary without a label in front of it: `Beta only: Update a thing`.
fn unlabelled(summary: &str) -> &str {
    match summary.split_once(": ") {
        Some((label, rest)) if label.split_whitespace().count() <= 3 => rest,
        Some(_) | None => summary,
    }
}

fn stems(segment: &str) -> Vec<String> {
    words(segment).iter().map(|word| singular(word)).collect()
}

/// The verb at the end of a path: a segment that is a verb behind a placeholder, or starts with one.
fn action(segments: &[&str], last: &[String], behind_id: bool) -> Option<String> {
    let verbs = &cues().effects.verbs;
    let raw = segments.last()?;
    let first = last.first()?;
    let plural = words(raw).last().is_some_and(|word| last.last().is_some_and(|one| one != word));
    let alone = last.len() == 1 && !plural && verbs.contains(first);
    let leading = last.len() > 1 && verbs.contains(first);
    let colon = raw.rsplit_once(':').map(|(_, word)| word.to_lowercase()).filter(|word| verbs.contains(word));
    colon.or_else(|| {
        ((alone && (behind_id || segments.len() > 1)) || (leading && !plural) || (leading && behind_id))
            .then(|| first.clone())
    })
}
