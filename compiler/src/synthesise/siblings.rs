//! Siblings: records of the same subject, and the negatives that a second effect of one intent raises.
//! Builds tests; must not count a record that ended without effect.

use provely_evaluator::contract::{Channel, Condition, ItemTest, NegativeClass, Operator, Truth};
use provely_model::{Echo, EchoKind, Effect};

use super::conditions::input;
use super::draft::Draft;
use super::parts::{count, given, item, outside, under, unowned, unowned_or_ours, with_effect};
use crate::plan::{cited, identifier, part};

/// The echoed inputs that tell one ask from another; for a message who it goes to and its heading, not who
/// gets a copy.
pub(super) fn fingerprint<'a>(draft: &Draft<'a>) -> Vec<&'a Echo> {
    let money = draft.subject.operation.effect.moves_money();
    let message = draft.subject.operation.effect == Effect::MessageSend;
    let copies = &draft.subject.rules.plan.copies;
    // Of a part only the whole list tells its record apart, and lists do not nest.
    let within = |echo: &&Echo| !echo.path.contains('[');
    let fits = |echo: &&Echo| match echo.kind {
        EchoKind::Subject => !copies.contains(&echo.input),
        EchoKind::Amount => true,
        EchoKind::Currency => !money,
        EchoKind::Other => !money && !message && draft.is_required(echo),
    };
    draft.inputs().filter(within).filter(fits).collect()
}

/// The echoed inputs that a record of the same subject shares: for money, and where the sum of parts grows, the
/// subject alone.
fn scope_echoes<'a>(draft: &Draft<'a>) -> Vec<&'a Echo> {
    let money = draft.subject.operation.effect.moves_money() || draft.has_parts();
    let all = fingerprint(draft);
    let subjects: Vec<&Echo> = all.iter().copied().filter(|echo| echo.kind == EchoKind::Subject).collect();
    if money && !subjects.is_empty() { subjects } else { all }
}

/// Tests at `@` that a record of the same subject passes.
pub(super) fn scope(draft: &Draft<'_>) -> Vec<ItemTest> {
    if draft.channel(part::LIST).is_none() && draft.channel(part::CREATED_EVENTS).is_none() {
        return Vec::new();
    }
    let money = draft.subject.operation.effect.moves_money();
    let named = draft.inputs().any(|echo| echo.kind == EchoKind::Subject);
    if money && !named && is_below_parent(draft) && draft.channel(part::CREATED_EVENTS).is_none() {
        return Vec::new();
    }
    scope_echoes(draft).into_iter().map(|echo| equal(draft, echo, "@")).collect()
}

/// A list under the path of the parent holds nothing but records of that parent.
fn is_below_parent(draft: &Draft<'_>) -> bool {
    let list = draft.channel(part::LIST).and_then(|list| list.request.as_ref());
    list.is_some_and(|request| !request.parameters.is_empty())
}

/// The item shows what the input asked for in this field.
fn equal(draft: &Draft<'_>, echo: &Echo, root: &str) -> ItemTest {
    let test = item(under(root, &echo.path), Operator::Eq, Some(input(&echo.input)), echo.read_as);
    let when = if draft.is_required(echo) { None } else { Some(Box::new(given(&echo.input))) };
    ItemTest { when, ..test }
}

impl Draft<'_> {
    /// More than one effect of one intent, asked of the list and of the events; and a new sibling that
    /// nobody explains.
    pub(super) fn duplicates(&mut self) {
        let scope = scope_echoes(self);
        if scope.is_empty() {
            return;
        }
        let code = format!("duplicate_{}", identifier(&self.subject.resource.name));
        // Where an item wraps its record, only the record's id is read.
        let bare = |channel: &&Channel| channel.record_id == self.subject.resource.id;
        let listed = self.channel(part::LIST).filter(bare);
        let list = listed.map(|channel| (channel.name.clone(), channel.complete));
        // What no event shows tells none of them apart.
        let told = |echo: &&Echo| cited(self.subject.plan, &part::event_field(&echo.path)).is_empty();
        let events = self.channel(part::CREATED_EVENTS).map(|channel| channel.name.clone());
        let events = events.filter(|_| !fingerprint(self).iter().any(told));
        let complete = list.as_ref().is_some_and(|(_, complete)| *complete);
        let blocking = if complete { None } else { Some(false) };
        let baseline = list.as_ref().map(|(name, _)| name.clone());
        if let Some((name, _)) = &list {
            let over = format!("$observed.{name}");
            let condition = self.second_effect(&over, name, "@", baseline.as_deref(), blocking);
            let assertions = self.sibling_assertions(name);
            self.negative("duplicate_side_effect.record", &code, condition, assertions);
        }
        if let Some(name) = &events {
            let over = format!("$observed.{name}.events");
            let condition = self.second_effect(&over, name, "@.record", baseline.as_deref(), blocking);
            let assertions = self.sibling_assertions(name);
            self.negative("duplicate_side_effect.event", &code, condition, assertions);
        }
        let sums = self.subject.operation.effect.moves_money() || self.has_parts();
        if let (Some((name, true)), true) = (&list, sums) {
            self.unattributed(name);
        }
    }

    fn second_effect(
        &self,
        over: &str,
        channel: &str,
        root: &str,
        baseline: Option<&str>,
        blocking: Option<bool>,
    ) -> Condition {
        let mut matching = vec![unowned_or_ours()];
        matching.extend(fingerprint(self).into_iter().map(|echo| equal(self, echo, root)));
        if self.subject.resource.lifecycle.is_some() && !self.has_parts() {
            matching.push(with_effect());
        }
        let condition = Condition {
            class: Some(NegativeClass::DuplicateSideEffect),
            blocking,
            ..count(over.to_owned(), channel, matching, Operator::Gt, 1)
        };
        outside(condition, root, baseline, self.subject.resource.created.as_deref())
    }

    /// A new sibling of another amount that no operation owns: not a duplicate, and not explained.
    fn unattributed(&mut self, list: &str) {
        let amounts = self.inputs().filter(|echo| !echo.path.contains('['));
        let Some(amount) = amounts.into_iter().find(|echo| echo.kind == EchoKind::Amount) else { return };
        let subjects: Vec<&Echo> =
            scope_echoes(self).into_iter().filter(|echo| echo.kind == EchoKind::Subject).collect();
        if subjects.is_empty() && !is_below_parent(self) {
            return;
        }
        // What parts of a record come to grows, so a second record of ours shows another sum until it is through.
        let own = self.has_parts();
        let mut matching = vec![if own { unowned_or_ours() } else { unowned() }];
        matching.extend(subjects.into_iter().map(|echo| equal(self, echo, "@")));
        if !own {
            matching.push(item(
                amount.path.clone(),
                Operator::Ne,
                Some(input(&amount.input)),
                amount.read_as,
            ));
        }
        if self.subject.resource.lifecycle.is_some() && !self.has_parts() {
            matching.push(with_effect());
        }
        let (operator, number) = if own { (Operator::Gt, 1) } else { (Operator::Gte, 1) };
        let condition = Condition {
            class: Some(NegativeClass::UnattributedSibling),
            result: Some(Truth::Unknown),
            ..count(format!("$observed.{list}"), list, matching, operator, number)
        };
        let condition = outside(condition, "@", Some(list), self.subject.resource.created.as_deref());
        let assertions = self.sibling_assertions(list);
        self.negative("unattributed_sibling.record", "unattributed_sibling", condition, assertions);
    }

    fn sibling_assertions(&self, channel: &str) -> Vec<String> {
        let fields = fingerprint(self).into_iter().map(|echo| echo.assertion.clone());
        let read = self.provenance.get(&format!("channels.{channel}")).cloned().unwrap_or_default();
        fields.chain(read.into_iter().filter(|assertion| !assertion.starts_with("provely.rules#"))).collect()
    }
}
