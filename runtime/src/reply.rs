//! What a reply says: a JSON body, or the stable cause why it is of no use; and the provider's clock.
//! It must not judge: a reply is a fact or it is not there.

use std::sync::Arc;

use provely_evaluator::json::Value;
use provely_evaluator::time::Time;

use crate::transport::{HttpRequest, HttpResponse, Transport};

/// The cause of a 404: the provider answered that there is nothing under that address.
pub const NOT_FOUND: &str = "not_found";
/// The cause of a reply with a success status that says in its body that it failed.
pub const FAILED_IN_BAND: &str = "failed_in_band";

/// One exchange.
#[derive(Debug, Clone)]
pub struct Sent {
    /// The body, or the cause why there is none.
    pub body: Result<Arc<Value>, String>,
    /// `Date` of the reply, and when it came on our clock.
    pub date: Option<(Time, Time)>,
    /// `Retry-After` of a reply that refuses, in milliseconds.
    pub retry_after_ms: Option<i64>,
}

/// Sends a request and reads what came.
pub fn send<T: Transport>(transport: &mut T, now: &dyn Fn() -> Time, request: &HttpRequest) -> Sent {
    match transport.send(request) {
        Err(error) => Sent { body: Err(error.code().to_owned()), date: None, retry_after_ms: None },
        Ok(response) => {
            let date = provider_date(&response).map(|date| (date, now()));
            Sent { body: body(&response), date, retry_after_ms: retry_after(&response) }
        }
    }
}

fn body(response: &HttpResponse) -> Result<Arc<Value>, String> {
    match response.status {
        200..=299 => response.body.json().ok_or_else(|| "malformed_body".to_owned()),
        404 => Err(NOT_FOUND.to_owned()),
        status => Err(format!("http_{status}")),
    }
}

/// True if the body of a document's reply carries errors: nothing in it is a complete answer.
#[must_use]
pub fn has_errors(body: &Value) -> bool {
    match body.get("errors") {
        None | Some(Value::Null) => false,
        Some(Value::Array(errors)) => !errors.is_empty(),
        Some(Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_)) => true,
    }
}

fn retry_after(response: &HttpResponse) -> Option<i64> {
    if !matches!(response.status, 429 | 503) {
        return None;
    }
    let seconds: u32 = response.header("retry-after")?.trim().parse().ok()?;
    Some(i64::from(seconds) * 1000)
}

/// The `Date` of a reply that no cache kept (RFC 9110, section 6.6.1; `Age`, RFC 9111, section 5.1).
fn provider_date(response: &HttpResponse) -> Option<Time> {
    if response.header("age").is_some_and(|age| age.trim() != "0") {
        return None;
    }
    http_date(response.header("date")?)
}

/// Reads an IMF-fixdate, `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
#[must_use]
pub fn http_date(text: &str) -> Option<Time> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (_, rest) = text.trim().split_once(", ")?;
    let mut parts = rest.split(' ');
    let (day, month, year) = (parts.next()?, parts.next()?, parts.next()?);
    let (clock, zone) = (parts.next()?, parts.next()?);
    let month = MONTHS.iter().position(|name| *name == month)? + 1;
    if zone != "GMT" || parts.next().is_some() {
        return None;
    }
    let mut text = String::with_capacity(20);
    text.push_str(year);
    text.push_str(if month < 10 { "-0" } else { "-" });
    text.push_str(&month.to_string());
    text.push_str(if day.len() < 2 { "-0" } else { "-" });
    for part in [day, "T", clock, "Z"] {
        text.push_str(part);
    }
    Time::parse(&text).ok()
}

/// Prints an IMF-fixdate; the inverse of [`http_date`], milliseconds cut off.
#[must_use]
pub fn print_http_date(time: Time) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let text = time.to_string();
    let days = time.as_millis().div_euclid(86_400_000).rem_euclid(7);
    let weekday = usize::try_from(days).ok().and_then(|day| DAYS.get(day)).unwrap_or(&"Thu");
    let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    let month: usize = part(5, 7).parse().unwrap_or(1);
    let month = MONTHS.get(month.saturating_sub(1)).unwrap_or(&"Jan");
    format!("{weekday}, {} {month} {} {} GMT", part(8, 10), part(0, 4), part(11, 19))
}
