//! What a case is made of. Data only: states by class, inputs by what is different about them.

use provely_simulator::Fault;
use serde::{Deserialize, Serialize};

use super::Span;
use crate::level::PromiseKind;

/// One class of cases, or a variant of one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseClass {
    /// Its class.
    pub class: String,
    /// Which of several histories of the class.
    #[serde(default)]
    pub variant: Option<String>,
    /// What happens, in words.
    pub title: String,
    /// What kind of mistake it is after.
    pub kind: Kind,
    /// What the operation does: makes a record, or changes one that is there.
    #[serde(default)]
    pub target: Target,
    /// What provider and plan must have; `a|b` is either.
    #[serde(default)]
    pub needs: Vec<String>,
    /// Only for promises of these kinds; absent: for all.
    #[serde(default)]
    pub promises: Vec<PromiseKind>,
    /// One case per state of these classes that does not keep the promise.
    #[serde(default)]
    pub each: Vec<Each>,
    /// What records that acts make go through; absent: they keep the promise after three seconds.
    #[serde(default)]
    pub life: Option<Life>,
    /// What goes wrong at the provider. A state word of this file may stand for a state.
    #[serde(default)]
    pub faults: Vec<Fault>,
    /// The version that the verifier reads with.
    #[serde(default)]
    pub version: Version,
    /// What agent and others do, in the order of time.
    pub steps: Vec<Step>,
    /// Moments at which the verdict is asked for.
    #[serde(default)]
    pub looks: Vec<Look>,
    /// What is known at the end.
    #[serde(default)]
    pub end: End,
    /// What must be so besides the verdicts.
    #[serde(default)]
    pub expect: Expect,
}

impl CaseClass {
    /// `class` or `class.variant`.
    #[must_use]
    pub fn name(&self) -> String {
        match &self.variant {
            Some(variant) => format!("{}.{variant}", self.class),
            None => self.class.clone(),
        }
    }
}

/// What kind of mistake a case is after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Done, and to be confirmed.
    Positive,
    /// Not done yet.
    Progress,
    /// Did not work out.
    Failure,
    /// Looks done and is not.
    FalseSuccess,
    /// Cannot be known.
    Insufficient,
    /// About the delivery of events.
    Events,
    /// About lost replies and late turns.
    Chaos,
    /// About versions.
    Versions,
    /// Done, and often blocked by nervous checkers.
    Safe,
}

/// What an operation does to its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// Makes it.
    #[default]
    Created,
    /// Changes, ends or deletes it.
    Existing,
}

/// Something that a case needs of provider and plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Need {
    /// Records have states.
    Lifecycle,
    /// A state in motion that does not keep the promise.
    Transitional,
    /// A success that may turn into a failure.
    Reversible,
    /// An echoed field that names parent or recipient.
    Subject,
    /// An echoed amount.
    Amount,
    /// An echoed currency.
    Currency,
    /// The action moves money, so that another amount of the same subject is not another ask.
    Money,
    /// The provider keeps retry keys.
    Idempotency,
    /// Creation events carry the retry key.
    KeyEcho,
    /// Creation events carry our tag.
    TagEcho,
    /// The provider sends events of the record.
    Events,
    /// Some of them are sent when the record changes.
    ChangeEvents,
    /// One of them is sent when the record comes into being.
    CreationEvent,
    /// Deliveries are signed.
    Signature,
    /// Siblings can be listed in full.
    List,
    /// The list has pages.
    Pages,
    /// The provider's versions are known.
    Version,
    /// Records show when they were made.
    Created,
    /// The request changes several fields.
    Fields,
    /// The provider is asked by query documents.
    Document,
    /// Parts of the record carry its outcome.
    Parts,
    /// A reply to the action can refuse under a success status.
    InBand,
    /// So can the replies to all reads.
    InBandReads,
    /// Only parts of one kind count.
    PartKind,
    /// Parts say of which mode they are.
    PartMode,
    /// Parts say whether their effect is made by hand.
    PartByHand,
}

/// A class of states to make one case for each of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Each {
    /// Can still move on.
    Transitional,
    /// Ended without the outcome.
    Failure,
    /// Called off.
    Neutral,
    /// Named and not explained.
    Unknown,
}

/// What records go through.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Life {
    /// The state they are born in; absent: the provider's first.
    pub born: Option<StateWord>,
    /// The moves that follow. Where the lifecycle has no direct way, states on the way are passed.
    pub moves: Vec<Move>,
    /// What its parts go through, where parts carry the outcome; absent: one part, which does the above.
    pub parts: Option<Vec<Part>>,
}

/// One part of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Its share of the amount, in thousandths; absent: all of it.
    #[serde(default)]
    pub share: Option<u32>,
    /// It is of a kind that does not count.
    #[serde(default)]
    pub other_kind: bool,
    /// It is of the other mode.
    #[serde(default)]
    pub test: bool,
    /// Its effect is made by hand, outside the provider.
    #[serde(default)]
    pub by_hand: bool,
    /// Its moves.
    #[serde(default)]
    pub moves: Vec<Move>,
}

/// One move, counted from the creation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Move {
    /// When.
    pub after: Span,
    /// Where to.
    pub to: StateWord,
}

/// A state by what it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StateWord {
    /// The state of this case, of those that `each` asks for.
    This,
    /// One that keeps the promise; for "the record exists", a success.
    Promised,
    /// A failure, reachable from the promised state if one is.
    Failure,
    /// One that does not keep the promise, and leads to one that does.
    Before,
    /// A word that the lifecycle does not list.
    Unlisted,
}

/// The version that the verifier reads with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Version {
    /// The one that the sources describe.
    #[default]
    Own,
    /// One far outside.
    Other,
}

/// One step. Exactly one of the parts beside `at` is given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// From the start of the world.
    pub at: Span,
    /// An operation is begun.
    #[serde(default)]
    pub begin: Option<Begin>,
    /// Somebody acts at the provider.
    #[serde(default)]
    pub act: Option<Act>,
    /// The last request of an operation is sent again with its key; left out where there are no keys.
    #[serde(default)]
    pub retry: Option<Retry>,
    /// The agent hands something in without a call.
    #[serde(default)]
    pub report: Option<Report>,
    /// A record was there before.
    #[serde(default)]
    pub put: Option<Put>,
}

impl Step {
    /// How many parts are given.
    #[must_use]
    pub fn parts(&self) -> usize {
        let given = [self.begin.is_some(), self.act.is_some(), self.retry.is_some(), self.report.is_some()];
        given.into_iter().filter(|given| *given).count() + usize::from(self.put.is_some())
    }
}

/// `begin`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Begin {
    /// Name of the operation in this case.
    pub by: String,
    /// The caller's name of the ask, `intent_ref`; absent: the operation's name.
    #[serde(default)]
    pub intent: Option<String>,
    /// The input.
    #[serde(default)]
    pub asks: Asks,
    /// It is refused with this code.
    #[serde(default)]
    pub refused: Option<String>,
}

/// An act at the provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Act {
    /// For which operation; absent: somebody else.
    #[serde(default)]
    pub by: Option<String>,
    /// Name of the record, for later steps.
    #[serde(default)]
    pub name: Option<String>,
    /// What the request says; absent: what the operation asked for.
    #[serde(default)]
    pub asks: Option<Asks>,
    /// What the provider makes of it instead.
    #[serde(default)]
    pub alter: Option<Asks>,
    /// The retry key that goes along.
    #[serde(default)]
    pub key: Key,
    /// What the agent hands in afterwards.
    #[serde(default)]
    pub tell: Tell,
    /// The account that is acted on.
    #[serde(default, rename = "where")]
    pub place: Where,
}

impl Act {
    /// The usual request in the account that is read, by nobody in particular; the reply is handed in.
    pub(crate) const fn plain() -> Self {
        Self {
            by: None,
            name: None,
            asks: None,
            alter: None,
            key: Key::Own,
            tell: Tell::Reply,
            place: Where::Here,
        }
    }
}

/// Sends the last request of an operation again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Retry {
    /// The operation.
    pub by: String,
}

/// The agent's word without a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// The operation.
    pub by: String,
    /// What is said.
    pub said: Said,
    /// The id that goes along: the name of a record, or `invented`.
    #[serde(default)]
    pub id: Option<String>,
}

/// What an agent says of its call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    /// The provider took it.
    Accepted,
    /// The provider refused.
    Rejected,
    /// No usable reply.
    Lost,
}

/// A record that was there before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Put {
    /// Its name in this case.
    pub name: String,
    /// How old it is at that moment.
    pub age: Span,
    /// Its state.
    pub state: StateWord,
    /// What it carries.
    #[serde(default)]
    pub asks: Asks,
    /// The account that it is in.
    #[serde(default, rename = "where")]
    pub place: Where,
}

/// An input, by what is different about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Asks {
    /// The usual one.
    #[default]
    Base,
    /// Half of the amount.
    Half,
    /// A quarter of it.
    Quarter,
    /// Twice the amount.
    OtherAmount,
    /// Another parent or recipient; of an action on a record that is there, another record.
    OtherSubject,
    /// Another currency.
    OtherCurrency,
    /// The same, with the currency in capital letters.
    CurrencyInCapitals,
    /// Other values in every field that the usual one changes.
    Before,
    /// The first of several fields alone.
    SomeFields,
}

/// What an input asks for, one aspect a member; the letters of a currency make no other ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Aspects {
    other_subject: bool,
    amount: Asks,
    other_currency: bool,
    fields: Asks,
}

impl Asks {
    /// Its aspects.
    pub(crate) const fn aspects(self) -> Aspects {
        let usual =
            Aspects { other_subject: false, amount: Self::Base, other_currency: false, fields: Self::Base };
        match self {
            Self::Base | Self::CurrencyInCapitals => usual,
            Self::Half | Self::Quarter | Self::OtherAmount => Aspects { amount: self, ..usual },
            Self::OtherSubject => Aspects { other_subject: true, ..usual },
            Self::OtherCurrency => Aspects { other_currency: true, ..usual },
            Self::Before | Self::SomeFields => Aspects { fields: self, ..usual },
        }
    }
}

impl Aspects {
    /// With what is different about another input.
    pub(crate) const fn altered(self, by: Asks) -> Self {
        match by {
            Asks::Base | Asks::Before | Asks::SomeFields => self,
            Asks::CurrencyInCapitals => Self { other_currency: false, ..self },
            Asks::Half | Asks::Quarter | Asks::OtherAmount => Self { amount: by, ..self },
            Asks::OtherSubject => Self { other_subject: true, ..self },
            Asks::OtherCurrency => Self { other_currency: true, ..self },
        }
    }

    /// Of another parent or recipient.
    pub(crate) const fn is_of_other_subject(self) -> bool {
        self.other_subject
    }
}

/// The retry key of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Key {
    /// The one that `begin` gave, with the tag, where the provider takes them.
    #[default]
    Own,
    /// One that the agent made up; no tag.
    Fresh,
    /// The one that `begin` gave to another operation; no tag.
    Other,
    /// None, and no tag.
    None,
}

/// What an agent hands in after its call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tell {
    /// The reply as it came, or that none came.
    #[default]
    Reply,
    /// Nothing.
    Nothing,
}

/// The account that is acted on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Where {
    /// The one that is read.
    #[default]
    Here,
    /// The test account of the same customer; its events reach the same endpoint.
    TestAccount,
    /// An account of somebody else.
    OtherAccount,
}

/// A moment at which the verdict is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Look {
    /// From the start of the world.
    pub at: Span,
    /// What the sources can show then.
    #[serde(default)]
    pub sources: Sources,
}

/// What is known at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct End {
    /// What the sources can show then.
    pub sources: Sources,
}

/// What the sources can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sources {
    /// The world as it is.
    #[default]
    Open,
    /// The world of some time ago.
    Behind,
    /// Perhaps the world of some time ago.
    BehindOrOpen,
    /// Nothing.
    Down,
}

/// What must be so besides the verdicts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Expect {
    /// So many receipts.
    pub receipts: Option<u32>,
    /// The reason code at the end.
    pub reason: Option<String>,
    /// A later receipt takes the place of a VERIFIED one, and says something else.
    pub superseded: bool,
}
