//! Takes secrets and personal data out of exchanges. Equal values are replaced by equal ones, ids stay; what stood
//! there is kept nowhere.

mod patterns;
mod words;

use std::collections::BTreeMap;

use provely_evaluator::json::{Object, Value};

use super::{Content, Exchange, Sent, decoded};
use words::{Kind, is_id_or_time, kind_of, words};

/// Headers that say how a body is read, when, and in which version; all others are left out.
const KEPT: &[&str] = &["content-type", "date", "retry-after", "link", "location", "idempotency-key"];

/// The shortest credential that is looked for inside other texts.
const CREDENTIAL: usize = 8;

/// Takes secrets and personal data out of the exchanges of one recording.
#[derive(Debug, Default)]
pub struct Redactor {
    /// What was replaced, by kind and value.
    seen: BTreeMap<(Kind, String), String>,
    counts: BTreeMap<Kind, usize>,
    /// Values that are replaced wherever they stand inside a text.
    anywhere: Vec<(String, String)>,
}

impl Redactor {
    /// An exchange without secrets and personal data.
    #[must_use]
    pub fn redact(&mut self, exchange: &Exchange) -> Exchange {
        self.learn(&exchange.request.headers);
        let mut reply = exchange.reply.clone();
        if let Some(reply) = &mut reply {
            self.learn(&reply.headers);
            reply.headers = self.headers(&reply.headers);
            reply.body = reply.body.take().map(|body| self.content(body));
        }
        let request = Sent {
            method: exchange.request.method.clone(),
            path: self.path(&exchange.request.path),
            query: self.pairs(&exchange.request.query),
            headers: self.headers(&exchange.request.headers),
            body: exchange.request.body.clone().map(|body| self.content(body)),
        };
        Exchange { request, reply, ..exchange.clone() }
    }

    /// What headers carry that opens something must not stand anywhere else.
    fn learn(&mut self, headers: &BTreeMap<String, String>) {
        for (name, value) in headers.iter().filter(|(name, _)| !is_kept(name)) {
            if kind_of(&words(name)) == Some(Kind::Secret) {
                let values = value.split([' ', ';', ',']).map(|part| part.rsplit('=').next().unwrap_or(part));
                for part in values.chain([value.as_str()]).filter(|part| part.len() >= CREDENTIAL) {
                    self.replaced(Kind::Secret, part);
                }
            }
        }
    }

    fn headers(&mut self, headers: &BTreeMap<String, String>) -> BTreeMap<String, String> {
        let kept = headers.iter().filter(|(name, _)| is_kept(name));
        kept.map(|(name, value)| (name.to_ascii_lowercase(), self.text(value, &[]))).collect()
    }

    fn path(&mut self, path: &str) -> String {
        let segments = path.split('/').map(|segment| {
            let plain = decoded(segment);
            let own = self.text(&plain, &[String::from("id")]);
            if own == plain { segment.to_owned() } else { own.replace(' ', "%20") }
        });
        segments.collect::<Vec<_>>().join("/")
    }

    fn content(&mut self, content: Content) -> Content {
        match content {
            Content::Json(value) => Content::Json(self.value(&value, &[], None)),
            Content::Form(pairs) => Content::Form(self.pairs(&pairs)),
            Content::Text(text) => Content::Text(self.text(&text, &[])),
            Content::Omitted(bytes) => Content::Omitted(bytes),
        }
    }

    /// The last part of `a[b][c]` says what a value is, unless an outer one does.
    fn pairs(&mut self, pairs: &[(String, String)]) -> Vec<(String, String)> {
        let redacted = pairs.iter().map(|(name, value)| {
            let parts: Vec<Vec<String>> =
                name.split(['[', ']', '.']).filter(|part| !part.is_empty()).map(words).collect();
            let own = parts.last().cloned().unwrap_or_default();
            let outer = parts
                .iter()
                .rev()
                .skip(1)
                .find_map(|part| kind_of(part).filter(|kind| kind.reaches_inside()));
            let value = match self.value(&Value::from(value.as_str()), &own, outer) {
                Value::String(text) => text,
                other => other.to_string(),
            };
            (name.clone(), value)
        });
        redacted.collect()
    }

    /// A value under a name, inside something of a kind.
    fn value(&mut self, value: &Value, name: &[String], outer: Option<Kind>) -> Value {
        let kind = kind_of(name).or(outer.filter(|_| !name.iter().any(|word| word == "id")));
        match value {
            Value::Null | Value::Bool(_) => value.clone(),
            Value::Number(number) => match kind {
                Some(Kind::Text) | None => value.clone(),
                Some(kind) => {
                    let placed = self.replaced(kind, number.as_str());
                    let digits: String = placed.chars().filter(char::is_ascii_digit).collect();
                    Value::from(digits.parse::<u64>().unwrap_or(0))
                }
            },
            Value::String(text) => Value::from(match kind {
                Some(kind) if !text.is_empty() => self.named(kind, text, name),
                Some(_) | None => self.text(text, name),
            }),
            Value::Array(items) => {
                Value::Array(items.iter().map(|item| self.value(item, name, outer)).collect())
            }
            Value::Object(members) => {
                let inside = kind.filter(|kind| kind.reaches_inside());
                let members = members
                    .iter()
                    .map(|(name, value)| (name.to_owned(), self.value(value, &words(name), inside)));
                Value::Object(members.collect::<Object>())
            }
        }
    }

    /// A text whose name says what it is. An e-mail address stays one, so that it can still be compared as one.
    fn named(&mut self, kind: Kind, text: &str, name: &[String]) -> String {
        if kind != Kind::Secret && kind != Kind::Text && !patterns::emails(text).is_empty() {
            return self.text(text, name);
        }
        self.replaced(kind, text)
    }

    /// A text by what it holds.
    fn text(&mut self, text: &str, name: &[String]) -> String {
        if patterns::is_signed_token(text) {
            return self.replaced(Kind::Secret, text);
        }
        if patterns::is_iban(text) {
            return self.replaced(Kind::Number, text);
        }
        if patterns::is_phone(text) {
            return self.replaced(Kind::Phone, text);
        }
        let mut text = self.mailbox(text);
        if text.contains("://") {
            text = self.address(&text);
        }
        let mut ranges: Vec<_> =
            patterns::emails(&text).into_iter().map(|range| (Kind::Email, range)).collect();
        if !is_id_or_time(name) {
            ranges.extend(patterns::cards(&text).into_iter().map(|range| (Kind::Number, range)));
        }
        ranges.sort_by_key(|(_, range)| std::cmp::Reverse(range.start));
        for (kind, range) in ranges {
            let Some(found) = text.get(range.clone()).filter(|found| !found.ends_with(".invalid")) else {
                continue;
            };
            let own = self.replaced(kind, &found.to_lowercase());
            text.replace_range(range, &own);
        }
        for (value, own) in &self.anywhere {
            if text.contains(value.as_str()) {
                text = text.replace(value.as_str(), own);
            }
        }
        text
    }

    /// `Ada Lovelace <ada@example.com>`: what stands before the address is a name.
    fn mailbox(&mut self, text: &str) -> String {
        let Some((name, rest)) =
            text.split_once('<').filter(|(_, rest)| rest.contains('@') && rest.ends_with('>'))
        else {
            return text.to_owned();
        };
        match name.trim() {
            "" => text.to_owned(),
            name => format!("{} <{rest}", self.replaced(Kind::Name, name)),
        }
    }

    /// The query of an address is read as any query is.
    fn address(&mut self, text: &str) -> String {
        let Some((front, query)) = text.split_once('?') else { return text.to_owned() };
        let parts = query.split('&').map(|part| match part.split_once('=') {
            Some((name, value)) => match kind_of(&words(name)) {
                Some(kind) => format!("{name}={}", self.replaced(kind, &decoded(value)).replace(' ', "%20")),
                None => format!("{name}={value}"),
            },
            None => part.to_owned(),
        });
        let parts: Vec<String> = parts.collect();
        format!("{front}?{}", parts.join("&"))
    }

    fn replaced(&mut self, kind: Kind, value: &str) -> String {
        if let Some(known) = self.seen.get(&(kind, value.to_owned())) {
            return known.clone();
        }
        let count = self.counts.entry(kind).or_default();
        *count += 1;
        let own = kind.placeholder(*count);
        self.seen.insert((kind, value.to_owned()), own.clone());
        // A replacement that is replaced again, as when a recording is recorded, stays what it is.
        let telling = match kind {
            Kind::Secret => value.len() >= CREDENTIAL,
            Kind::Name => value.len() >= CREDENTIAL && value.contains(' '),
            Kind::Phone | Kind::Address | Kind::Number | Kind::Personal | Kind::Text | Kind::Email => false,
        };
        if telling {
            self.anywhere.push((value.to_owned(), own.clone()));
            // The longer one first: one may stand inside another.
            self.anywhere.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
        }
        own
    }
}

fn is_kept(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    KEPT.contains(&name.as_str()) || name.ends_with("-version")
}

#[cfg(test)]
mod tests;
