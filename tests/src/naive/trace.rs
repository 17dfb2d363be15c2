//! Plain look-ups in a trace: times, channels, reads, baselines, the own record. Decides nothing.

use serde_json::Value;

use super::clock::rfc3339;

/// One trace, as it was written.
#[derive(Clone, Copy)]
pub(super) struct Trace<'a> {
    pub contract: &'a Value,
    pub operation: &'a Value,
    pub evidence: &'a Value,
    pub now: i64,
}

/// One item of a list or of an events channel, or an element of an array in a record.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub id: Option<String>,
    pub owner: String,
    pub value: Value,
    /// The channel of `over`.
    pub channel: String,
    pub from_event: bool,
}

pub(super) fn time(value: &Value) -> Option<i64> {
    rfc3339(value.as_str()?)
}

pub(super) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

impl<'a> Trace<'a> {
    pub(super) fn new(trace: &'a Value) -> Trace<'a> {
        Trace {
            contract: &trace["contract"],
            operation: &trace["operation"],
            evidence: &trace["evidence"],
            now: time(&trace["now"]).unwrap_or(0),
        }
    }

    /// `W`.
    pub(super) fn window(&self) -> i64 {
        self.contract["timing"]["stale_read_window_ms"].as_i64().unwrap_or(0)
    }

    /// `x`.
    pub(super) fn begin(&self) -> i64 {
        time(&self.operation["begin"]["at"]).unwrap_or(0)
    }

    /// `s`.
    pub(super) fn skew(&self) -> i64 {
        self.operation["begin"]["skew_ms"].as_i64().unwrap_or(0)
    }

    pub(super) fn last_sign(&self) -> Option<i64> {
        let reports = list(&self.operation["reports"]).iter().filter_map(|report| time(&report["at"]));
        reports.chain(time(&self.operation["first_sign"])).max()
    }

    /// True once a sign is known and the stale window after the last one has passed.
    pub(super) fn settled_since_last_sign(&self, at: i64) -> bool {
        self.last_sign().is_some_and(|sign| at >= sign + self.window())
    }

    pub(super) fn deadline(&self) -> i64 {
        let start = time(&self.operation["first_sign"]).or_else(|| time(&self.operation["begun_at"]));
        start.unwrap_or(0) + self.contract["timing"]["timeout_ms"].as_i64().unwrap_or(0)
    }

    pub(super) fn targets_existing(&self) -> bool {
        self.contract["action"]["target"] == "existing"
    }

    pub(super) fn own_record(&self) -> Option<&'a Value> {
        let record = &self.evidence["correlation"]["record"];
        if record.is_null() { None } else { Some(record) }
    }

    pub(super) fn own_id(&self) -> Option<&'a str> {
        self.own_record()?["id"].as_str()
    }

    pub(super) fn conflict(&self) -> Option<&'a str> {
        self.evidence["correlation"]["conflict"].as_str()
    }

    pub(super) fn channels(&self) -> &'a [Value] {
        list(&self.contract["evidence_policy"]["channels"])
    }

    /// The declaration of a channel; null if there is none.
    pub(super) fn declared(&self, name: &str) -> &'a Value {
        self.channels().iter().find(|channel| channel["name"] == name).unwrap_or(&Value::Null)
    }

    /// What a channel's first entry in the evidence says: null if the channel is not listed.
    pub(super) fn read(&self, name: &str) -> &'a Value {
        let entries = list(&self.evidence["channels"]);
        entries.iter().find(|entry| entry["channel"] == name).map_or(&Value::Null, |entry| &entry["read"])
    }

    pub(super) fn is_current(&self, read: &Value) -> bool {
        read["observation"].is_u64() && read["observation"] == self.evidence["observation"]
    }

    pub(super) fn baselines(&self) -> &'a [Value] {
        list(&self.evidence["baselines"])
    }

    pub(super) fn baseline(&self, channel: &str) -> Option<&'a Value> {
        self.baselines().iter().find(|baseline| baseline["channel"] == channel)
    }

    pub(super) fn in_a_baseline(&self, id: &str) -> bool {
        self.baselines().iter().any(|baseline| holds_id(baseline, id))
    }

    /// The items of a list that a channel read in this observation.
    pub(super) fn list_items(&self, channel: &str) -> Option<Vec<Item>> {
        let read = &self.read(channel)["list"];
        if !self.is_current(read) {
            return None;
        }
        Some(list(&read["items"]).iter().map(|item| self.item(channel, item, false)).collect())
    }

    /// The items of an events channel's events.
    pub(super) fn event_items(&self, channel: &str) -> Option<Vec<Item>> {
        let events = self.read(channel)["events"]["events"].as_array()?;
        Some(events.iter().map(|event| self.item(channel, &event["item"], true)).collect())
    }

    fn item(&self, channel: &str, item: &Value, from_event: bool) -> Item {
        Item {
            id: item["id"].as_str().map(str::to_owned),
            owner: item["owner"].as_str().unwrap_or("none").to_owned(),
            value: item["value"].clone(),
            channel: channel.to_owned(),
            from_event,
        }
    }

    /// The class of a lifecycle's word; a word that is not listed has class unknown.
    pub(super) fn class(&self, word: &str) -> &'a str {
        self.contract["subject"]["lifecycle"]["states"][word]["class"].as_str().unwrap_or("unknown")
    }

    pub(super) fn reversible(&self, word: &str) -> bool {
        self.contract["subject"]["lifecycle"]["states"][word]["reversible"] == true
    }
}

pub(super) fn holds_id(baseline: &Value, id: &str) -> bool {
    list(&baseline["ids"]).iter().any(|seen| seen == id)
}
