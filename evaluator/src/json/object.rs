//! A JSON object: a vector of members sorted by key. It must never hold a key twice.

use super::Value;
use alloc::string::String;
use alloc::vec::Vec;

/// The members of an object, sorted by key in code point order.
///
/// Canonical JSON orders by UTF-16 code unit instead; its writer sorts for itself.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Object(Vec<(String, Value)>);

/// Up to so many members, keys are told apart faster by their lengths, one after the other, than by halving.
const FEW: usize = 24;

impl Object {
    /// An object without members.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// How many members it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it has no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The member `key`.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        if self.0.len() <= FEW {
            return self.0.iter().find(|(own, _)| own == key).map(|(_, value)| value);
        }
        self.position(key).ok().and_then(|at| self.0.get(at)).map(|(_, value)| value)
    }

    /// The member `key`, to change in place.
    #[must_use]
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        let at = self.position(key).ok()?;
        self.0.get_mut(at).map(|(_, value)| value)
    }

    /// Whether the member `key` is there, `null` included.
    #[must_use]
    pub fn contains_key(&self, key: &str) -> bool {
        self.position(key).is_ok()
    }

    /// Sets the member `key` and returns the value it replaced.
    pub fn insert(&mut self, key: impl Into<String>, value: impl Into<Value>) -> Option<Value> {
        let (key, value) = (key.into(), value.into());
        match self.position(&key) {
            Ok(at) => self.0.get_mut(at).map(|(_, old)| core::mem::replace(old, value)),
            Err(at) => {
                self.0.insert(at, (key, value));
                None
            }
        }
    }

    /// Takes the member `key` out.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        self.position(key).ok().map(|at| self.0.remove(at).1)
    }

    /// The members in key order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&str, &Value)> + ExactSizeIterator + Clone {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// The keys in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator + Clone {
        self.0.iter().map(|(key, _)| key.as_str())
    }

    /// The values in key order.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &Value> + ExactSizeIterator + Clone {
        self.0.iter().map(|(_, value)| value)
    }

    /// The values in key order, to change in place.
    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut Value> + ExactSizeIterator {
        self.0.iter_mut().map(|(_, value)| value)
    }

    /// Takes members that are known to be sorted and distinct.
    pub(super) fn from_sorted(members: Vec<(String, Value)>) -> Self {
        Self(members)
    }

    fn position(&self, key: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(own, _)| own.as_str().cmp(key))
    }
}

/// Collects members; of members with one key the last stays.
impl<K: Into<String>, V: Into<Value>> FromIterator<(K, V)> for Object {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(members: I) -> Self {
        let mut members: Vec<(String, Value)> =
            members.into_iter().map(|(key, value)| (key.into(), value.into())).collect();
        members.reverse();
        members.sort_by(|left, right| left.0.cmp(&right.0));
        members.dedup_by(|later, kept| later.0 == kept.0);
        Self(members)
    }
}

impl IntoIterator for Object {
    type Item = (String, Value);
    type IntoIter = alloc::vec::IntoIter<(String, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Object {
    type Item = (&'a str, &'a Value);
    type IntoIter =
        core::iter::Map<core::slice::Iter<'a, (String, Value)>, fn(&'a (String, Value)) -> Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }
}
