//! Reads a list to its last page, or back to `begin` minus skew, and says honestly whether it got
//! there. It filters nothing away for good reasons of its own: what falls out of scope is decided by
//! the caller's tests.

use std::sync::Arc;

use provely_evaluator::compare::Instant;
use provely_evaluator::contract::{Channel, Order, Page, PageStyle};
use provely_evaluator::json::Value;
use provely_evaluator::operation::ProviderInstant;
use provely_evaluator::query::{Reference, Root};
use provely_evaluator::time::Time;

use crate::channels::record_id;
use crate::reply::{self, FAILED_IN_BAND, Sent};
use crate::request::{scalar_text, set_parameter};
use crate::scope::fails_in_band;
use crate::transport::{HttpRequest, Transport};

/// The most pages that one read follows.
pub const MAX_PAGES: u32 = 200;
/// The most items that one read keeps.
pub const MAX_ITEMS: usize = 20_000;

/// A list as it was read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listing {
    /// The items, in the order of the pages.
    pub items: Vec<Value>,
    /// Every page back to the bound was read.
    pub exhausted: bool,
    /// Why it stopped early, if it did.
    pub cause: Option<String>,
    /// The last `Date` and when it came, for the provider's clock.
    pub date: Option<(Time, Time)>,
    /// The provider asked to wait that long, in milliseconds.
    pub retry_after_ms: Option<i64>,
}

/// Reads all pages of a channel's list.
///
/// `bound` is `begin` on the provider's clock: a list ordered newest first is done once an item is
/// known to be older than it by more than the skew. A failed page leaves what was read, unexhausted.
pub fn read<T: Transport>(
    transport: &mut T,
    now: &dyn Fn() -> Time,
    channel: &Channel,
    first: HttpRequest,
    bound: Option<ProviderInstant>,
) -> Listing {
    let mut walk = Walk::new(channel, first, bound);
    for _ in 0..MAX_PAGES {
        let sent = reply::send(transport, now, &walk.request);
        if !walk.take(sent) {
            return walk.listing;
        }
    }
    walk.stop("too_many_pages");
    walk.listing
}

/// Reads pages of a channel's list until an item carries the id; what was read lacks the item.
pub fn find<T: Transport>(
    transport: &mut T,
    now: &dyn Fn() -> Time,
    channel: &Channel,
    first: HttpRequest,
    id: &str,
) -> (Option<Value>, Listing) {
    let mut walk = Walk::new(channel, first, None);
    for _ in 0..MAX_PAGES {
        let sent = reply::send(transport, now, &walk.request);
        let goes_on = walk.take(sent);
        let carries = |item: &Value| record_id(channel, item).as_deref() == Some(id);
        if let Some(place) = walk.listing.items.iter().position(carries) {
            return (Some(walk.listing.items.swap_remove(place)), walk.listing);
        }
        if !goes_on {
            return (None, walk.listing);
        }
    }
    walk.stop("too_many_pages");
    (None, walk.listing)
}

struct Walk<'c> {
    channel: &'c Channel,
    page: Option<&'c Page>,
    document: bool,
    request: HttpRequest,
    bound: Option<ProviderInstant>,
    number: u64,
    cursor: Option<Value>,
    oldest_seen: Option<Time>,
    ordered: bool,
    listing: Listing,
}

impl<'c> Walk<'c> {
    fn new(channel: &'c Channel, mut request: HttpRequest, bound: Option<ProviderInstant>) -> Self {
        let page = channel.page.as_ref();
        let document = channel.request.as_ref().is_some_and(|request| request.document.is_some());
        if let Some((name, size)) = page.and_then(|page| Some((page.size.as_deref()?, page.max_size?))) {
            set_parameter(&mut request, document, name, Value::from(size));
        }
        let ordered = page.is_some_and(|page| page.order == Order::NewestFirst);
        let listing = Listing::default();
        Self {
            channel,
            page,
            document,
            request,
            bound,
            number: 1,
            cursor: None,
            oldest_seen: None,
            ordered,
            listing,
        }
    }

    fn stop(&mut self, cause: &str) -> bool {
        self.listing.exhausted = false;
        self.listing.cause = Some(cause.to_owned());
        false
    }

    fn done(&mut self) -> bool {
        self.listing.exhausted = true;
        false
    }

    /// Takes one reply; true if another page follows.
    fn take(&mut self, sent: Sent) -> bool {
        self.listing.date = sent.date.or(self.listing.date);
        self.lower_bound();
        self.listing.retry_after_ms = sent.retry_after_ms;
        let body = match sent.body {
            Ok(body) => body,
            Err(cause) => return self.stop(&cause),
        };
        if self.document && reply::has_errors(&body) {
            return self.stop("document_errors");
        }
        let failures = self.channel.request.as_ref().map_or(&[][..], |request| &request.in_band_failure);
        if fails_in_band(failures, &body) {
            return self.stop(FAILED_IN_BAND);
        }
        let select = self.channel.select.as_deref().unwrap_or("$");
        let Some(items) = query(select, &body).and_then(Value::as_array) else {
            return self.stop("no_list_in_reply");
        };
        let mut older = false;
        for item in items {
            older |= self.is_older(item);
        }
        let goes_on = if self.listing.items.len().saturating_add(items.len()) > MAX_ITEMS {
            self.stop("too_many_items")
        } else if older && self.ordered {
            self.done()
        } else {
            self.next_page(&body, items.len(), items.last())
        };
        if let Some(Value::Array(mut items)) = taken(select, body) {
            self.listing.items.append(&mut items);
        }
        goes_on
    }

    /// While only our own clock is known, a provider's clock that is behind it lowers the bound.
    fn lower_bound(&mut self) {
        if let (Some(bound), Some((date, _))) = (&mut self.bound, self.listing.date)
            && !bound.from_provider
        {
            bound.at = bound.at.min(date);
        }
    }

    /// True if the item is known to be older than the bound. Items out of order void the order.
    fn is_older(&mut self, item: &Value) -> bool {
        let created = self.page.and_then(|page| page.created.as_deref());
        let Some(time) = created.and_then(|path| read_instant(self.channel, path, item)) else {
            return false;
        };
        if self.oldest_seen.is_some_and(|before| time.from > before) {
            self.ordered = false;
        }
        self.oldest_seen = Some(time.from);
        self.bound.is_some_and(|bound| time.is_before(bound.at, bound.skew_ms))
    }

    fn next_page(&mut self, body: &Value, count: usize, last: Option<&Value>) -> bool {
        let Some(page) = self.page else { return self.done() };
        match more(page, body) {
            More::No => return self.done(),
            More::Missing => return self.stop("page_end_unknown"),
            More::Yes => {}
            More::Unstated if page.style == PageStyle::Single || count == 0 => return self.done(),
            More::Unstated => {}
        }
        let Some(value) = self.position(page, body, count, last) else {
            let ended = page.more.is_none() && page.style == PageStyle::Cursor;
            return if ended { self.done() } else { self.stop("no_cursor") };
        };
        if self.cursor.as_ref() == Some(&value) {
            return self.stop("cursor_repeats");
        }
        let Some(parameter) = page.parameter.as_deref() else { return self.stop("no_page_parameter") };
        set_parameter(&mut self.request, self.document, parameter, value.clone());
        self.cursor = Some(value);
        true
    }

    fn position(&mut self, page: &Page, body: &Value, count: usize, last: Option<&Value>) -> Option<Value> {
        match page.style {
            PageStyle::Single => None,
            PageStyle::Cursor => {
                let reference = Reference::parse(page.cursor.as_deref()?).ok()?;
                let from = if reference.root == Root::Item { last? } else { body };
                reference
                    .walk(from)
                    .filter(|value| scalar_text(value).is_some_and(|text| !text.is_empty()))
                    .cloned()
            }
            PageStyle::Number => {
                self.number += 1;
                Some(Value::from(self.number))
            }
            PageStyle::Offset if count == 0 => None,
            PageStyle::Offset => {
                let read = self.listing.items.len().saturating_add(count);
                Some(Value::from(u64::try_from(read).unwrap_or(u64::MAX)))
            }
        }
    }
}

enum More {
    Yes,
    No,
    /// The contract does not say where to look.
    Unstated,
    /// The reply does not say what it should.
    Missing,
}

fn more(page: &Page, body: &Value) -> More {
    let Some(path) = page.more.as_deref() else { return More::Unstated };
    match query(path, body) {
        Some(Value::Bool(true)) => More::Yes,
        Some(Value::Bool(false) | Value::Null) => More::No,
        Some(Value::String(text)) if text.is_empty() => More::No,
        Some(Value::String(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => More::Yes,
        // A link to the next page that is left out on the last one.
        None if page.cursor.as_deref() == Some(path) => More::No,
        None => More::Missing,
    }
}

/// Walks a query below a value; a query that does not parse leads nowhere.
#[must_use]
pub fn query<'v>(text: &str, value: &'v Value) -> Option<&'v Value> {
    let Some(mut below) = text.strip_prefix(['$', '@']) else { return parsed(text, value) };
    let mut found = value;
    // Steps such as `.a.b_c` are walked as they stand, without parsing them first.
    while let Some(rest) = below.strip_prefix('.') {
        let end = rest.bytes().position(|byte| !is_plain_byte(byte)).unwrap_or(rest.len());
        let (name, next) = rest.split_at(end);
        if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) {
            return parsed(text, value);
        }
        found = found.get(name)?;
        below = next;
    }
    if below.is_empty() { Some(found) } else { parsed(text, value) }
}

fn parsed<'v>(text: &str, value: &'v Value) -> Option<&'v Value> {
    Reference::parse(text).ok()?.walk(value)
}

const fn is_plain_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The value at a query, taken out of a reply that nobody else holds; else copied.
pub(crate) fn taken(text: &str, body: Arc<Value>) -> Option<Value> {
    let plain = text.strip_prefix('$').filter(|below| below.is_empty() || below.starts_with('.'));
    let Some(below) = plain.filter(|below| is_plain(below)) else { return query(text, &body).cloned() };
    match Arc::try_unwrap(body) {
        Err(shared) => query(text, &shared).cloned(),
        Ok(mut whole) => {
            let mut steps = below.split('.').skip(1);
            let found = steps.try_fold(&mut whole, |value, name| value.as_object_mut()?.get_mut(name))?;
            Some(core::mem::take(found))
        }
    }
}

/// True for `.a.b_c`.
fn is_plain(below: &str) -> bool {
    below.split('.').skip(1).all(|name| {
        name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && name.bytes().all(is_plain_byte)
    })
}

/// The instant at a query below a value, in the channel's notation.
#[must_use]
pub fn read_instant(channel: &Channel, path: &str, value: &Value) -> Option<Instant> {
    Instant::read(query(path, value)?, channel.instant.as_ref()?)
}
