//! `application/x-www-form-urlencoded` bodies and queries, nested as `a[b]`, `a[]`, `a[0][b]`.
//! It must not give values a type: everything is text.

use provely_evaluator::json::{Object, Value};
use provely_evaluator::query::{Step, walk};

use crate::place::set_at;

/// Deeper names are kept whole as one member.
const MAX_DEPTH: usize = 8;

/// The pairs of a query or form, decoded, in order.
pub(crate) fn pairs(text: &str) -> Vec<(String, String)> {
    let parts = text.split('&').filter(|part| !part.is_empty());
    parts
        .map(|part| part.split_once('=').unwrap_or((part, "")))
        .map(|(k, v)| (decode(k), decode(v)))
        .collect()
}

/// The nested object that pairs write.
pub(crate) fn nested(pairs: &[(String, String)]) -> Value {
    let mut out = Value::Object(Object::new());
    for (name, value) in pairs {
        let steps = steps(name, &out);
        set_at(&mut out, &steps, Value::from(value.as_str()));
    }
    out
}

/// Percent-decoding with `+` as space; what cannot be decoded stays as it is.
pub(crate) fn decode(text: &str) -> String {
    if !text.contains(['%', '+']) {
        return text.to_owned();
    }
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.as_bytes();
    while let Some((first, rest)) = bytes.split_first() {
        let escaped = rest.split_at_checked(2).and_then(|(two, after)| Some((hex(two)?, after)));
        match (first, escaped) {
            (b'%', Some((byte, after))) => {
                out.push(byte);
                bytes = after;
            }
            (b'+', _) => {
                out.push(b' ');
                bytes = rest;
            }
            (byte, _) => {
                out.push(*byte);
                bytes = rest;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

fn hex(two: &[u8]) -> Option<u8> {
    let text = core::str::from_utf8(two).ok().filter(|text| text.bytes().all(|b| b.is_ascii_hexdigit()))?;
    u8::from_str_radix(text, 16).ok()
}

/// `a[b][]` as steps; `[]` appends to what `sofar` has there.
fn steps(name: &str, sofar: &Value) -> Vec<Step> {
    let whole = || vec![Step::Member(name.to_owned())];
    let Some((head, tail)) = name.split_once('[') else { return whole() };
    let Some(inner) = tail.strip_suffix(']') else { return whole() };
    let mut steps = vec![Step::Member(head.to_owned())];
    for part in inner.split("][") {
        let step = match part.parse::<u16>() {
            Ok(index) => Step::Index(i64::from(index)),
            Err(_) if part.is_empty() => {
                let length = walk(&steps, sofar).and_then(Value::as_array).map_or(0, <[Value]>::len);
                Step::Index(i64::try_from(length).unwrap_or(0))
            }
            Err(_) => Step::Member(part.to_owned()),
        };
        steps.push(step);
    }
    if steps.len() > MAX_DEPTH { whole() } else { steps }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_nested_names() {
        let cases = [
            ("a=1&b=two+words", r#"{"a":"1","b":"two words"}"#),
            ("m[x]=1&m[y]=%26", r#"{"m":{"x":"1","y":"&"}}"#),
            ("l[]=1&l[]=2", r#"{"l":["1","2"]}"#),
            ("l[0][a]=1&l[1][a]=2", r#"{"l":[{"a":"1"},{"a":"2"}]}"#),
            ("flag", r#"{"flag":""}"#),
            ("a%5Bb%5D=c", r#"{"a":{"b":"c"}}"#),
            ("bad=%zz%4", r#"{"bad":"%zz%4"}"#),
            ("open[=1", r#"{"open[":"1"}"#),
            ("", "{}"),
        ];
        for (text, value) in cases {
            assert_eq!(nested(&pairs(text)).to_string(), value, "{text}");
        }
    }

    #[test]
    fn a_name_nested_too_deep_stays_whole() {
        let name = format!("a{}", "[b]".repeat(20));
        let value = nested(&[(name.clone(), "1".to_owned())]);
        assert_eq!(value.get(&name), Some(&Value::from("1")));
    }
}
