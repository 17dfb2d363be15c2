//! The cue tables under `data/`, read once. Holds words; which words they are is data and must not stand in
//! code.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::OnceLock;

use provely_document::{Format, Limits, from_node, read};
use provely_evaluator::contract::StateClass;
use provely_model::{Effect, FieldKind, Role};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::refusals::RefusalWords;

/// All cue tables.
#[derive(Debug, Default)]
pub(crate) struct Cues {
    pub(crate) effects: EffectCues,
    pub(crate) shapes: Shapes,
    pub(crate) states: StateNames,
    pub(crate) phrases: Phrases,
}

/// `effects.yaml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EffectCues {
    pub(crate) reads: ReadCues,
    pub(crate) cancel: BTreeSet<String>,
    pub(crate) verbs: BTreeSet<String>,
    pub(crate) making: BTreeSet<String>,
    /// Verbs that leave a record of their own.
    pub(crate) leaving: BTreeSet<String>,
    /// Records of what was done.
    pub(crate) of_acts: BTreeSet<String>,
    pub(crate) removing: BTreeSet<String>,
    pub(crate) links: BTreeSet<String>,
    pub(crate) updating: BTreeSet<String>,
    pub(crate) cues: Vec<EffectCue>,
    pub(crate) defaults: HashMap<Role, Effect>,
    pub(crate) roles: HashMap<Role, BTreeSet<String>>,
}

/// What makes an operation a read.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadCues {
    pub(crate) path: BTreeSet<String>,
    pub(crate) strong: BTreeSet<String>,
    pub(crate) plain: BTreeSet<String>,
    pub(crate) hands_out: Vec<String>,
    pub(crate) asks: Vec<String>,
    pub(crate) summary: BTreeSet<String>,
    pub(crate) phrases: Vec<String>,
    pub(crate) acting_get: BTreeSet<String>,
    pub(crate) acting_summary: BTreeSet<String>,
    pub(crate) acting_query: BTreeSet<String>,
    pub(crate) mutation: BTreeSet<String>,
    pub(crate) answers: BTreeSet<String>,
}

/// One cue for an effect; every list that is given must match.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EffectCue {
    pub(crate) effect: Effect,
    #[serde(default)]
    pub(crate) verbs: BTreeSet<String>,
    #[serde(default)]
    pub(crate) nouns: BTreeSet<String>,
    #[serde(default)]
    pub(crate) summary: BTreeSet<String>,
    #[serde(default)]
    pub(crate) phrases: Vec<String>,
    #[serde(default)]
    pub(crate) roles: Vec<Role>,
    #[serde(default)]
    pub(crate) methods: Vec<String>,
    pub(crate) weight: u32,
}

/// `shapes.yaml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Shapes {
    pub(crate) resource_hints: Vec<String>,
    pub(crate) value_texts: Vec<String>,
    pub(crate) value_names: Vec<String>,
    pub(crate) page_members: BTreeSet<String>,
    pub(crate) wrappers: Vec<String>,
    pub(crate) prefixes: Vec<String>,
    pub(crate) suffixes: Vec<String>,
    pub(crate) formats: Vec<String>,
    pub(crate) created: Vec<String>,
    pub(crate) id: Vec<String>,
    pub(crate) epoch_formats: BTreeSet<String>,
    pub(crate) epoch_words: Vec<String>,
    pub(crate) millisecond_words: Vec<String>,
    pub(crate) decimal_formats: BTreeSet<String>,
    pub(crate) decimal_words: Vec<String>,
    pub(crate) scalars: BTreeMap<FieldKind, BTreeSet<String>>,
    pub(crate) not_records: BTreeSet<String>,
    pub(crate) error_lists: BTreeSet<String>,
    pub(crate) type_suffixes: BTreeSet<String>,
    pub(crate) scope_words: Vec<String>,
    pub(crate) error_members: BTreeSet<String>,
    pub(crate) locations: BTreeSet<String>,
    pub(crate) part_amounts: BTreeSet<String>,
    pub(crate) live_flags: BTreeSet<String>,
    pub(crate) test_flags: BTreeSet<String>,
    pub(crate) by_hand: BTreeSet<String>,
    pub(crate) refusals: RefusalWords,
}

/// `states.yaml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StateNames {
    pub(crate) field_names: FieldNames,
    pub(crate) containers: Vec<String>,
    pub(crate) kinds: Vec<String>,
    /// Words that mean the same whatever the record is.
    pub(crate) strong: BTreeMap<StateClass, BTreeSet<String>>,
    /// Successes by how far on they lie.
    pub(crate) ladder: Vec<BTreeSet<String>>,
    /// Booleans that say how far a record is.
    pub(crate) flags: BTreeSet<String>,
    /// What a boolean's name may begin with before the name of a state.
    pub(crate) flag_fronts: Vec<String>,
    /// Names that say something only beside one of these.
    pub(crate) only_beside: BTreeMap<String, BTreeSet<String>>,
    /// First or last words of a name that say that something is still to come.
    pub(crate) waiting: BTreeSet<String>,
    /// Words that say that nothing is known.
    pub(crate) blank: BTreeSet<String>,
    /// Ends of a contest, in which what is agreed to may be conceded.
    pub(crate) contest: BTreeSet<String>,
    /// Records that are contests.
    pub(crate) contests: BTreeSet<String>,
    /// Names that say that a contest is over and not who won it.
    pub(crate) undecided: BTreeSet<String>,
    /// Records that run until an end.
    pub(crate) running: BTreeSet<String>,
    /// Names that are nouns as well: in prose they may stand for something else.
    pub(crate) nouns: BTreeSet<String>,
    /// Words that say that somebody called it off.
    pub(crate) called_off: BTreeSet<String>,
    /// Names that say that it is over and not how.
    pub(crate) over: BTreeSet<String>,
    /// Words that say that only a part is done.
    pub(crate) partial: BTreeSet<String>,
    /// Words that take back what the rest of the name says.
    pub(crate) undoing: BTreeSet<String>,
    /// Words in `-ing` that are no progress.
    pub(crate) no_progress: BTreeSet<String>,
    pub(crate) exact: BTreeMap<StateClass, BTreeSet<String>>,
    pub(crate) words: BTreeMap<StateClass, BTreeSet<String>>,
    pub(crate) neither: BTreeSet<String>,
}

/// Names of state fields.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FieldNames {
    pub(crate) exact: Vec<String>,
    pub(crate) suffixes: Vec<String>,
    pub(crate) outcomes: Vec<String>,
    pub(crate) excluded: BTreeSet<String>,
}

impl FieldNames {
    /// The rank of the first name of an outcome.
    pub(crate) fn first_outcome(&self) -> usize {
        self.exact.len() + self.suffixes.len()
    }
}

/// What the words of a passage say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Saying {
    /// It happened.
    Success,
    /// It came to an end, how is not said.
    Ended,
    /// It did not happen.
    Failure,
    /// It was called off.
    Neutral,
    /// It goes on.
    Transitional,
    /// It went wrong for now.
    Temporary,
    /// Only part of it.
    Partial,
    /// A first step was made, which may be all there is to it.
    Begun,
    /// Nothing.
    Nothing,
}

/// `phrases.yaml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Phrases {
    #[serde(skip)]
    index: OnceLock<PhraseIndex>,
    pub(crate) says: BTreeMap<Saying, Vec<String>>,
    pub(crate) openers: BTreeSet<String>,
    pub(crate) definers: BTreeSet<String>,
    pub(crate) unreal: BTreeSet<String>,
    pub(crate) turns: BTreeSet<String>,
    pub(crate) stops: Vec<String>,
    pub(crate) joiners: Vec<String>,
    /// What stands behind a name at the head of a line that explains it.
    pub(crate) line_joiners: Vec<String>,
    pub(crate) fillers: BTreeSet<String>,
    pub(crate) conditions: Vec<String>,
    pub(crate) pivots: Vec<String>,
    pub(crate) open_verbs: Vec<String>,
    pub(crate) status_of: Vec<String>,
    pub(crate) negations: BTreeSet<String>,
    pub(crate) moves: Vec<String>,
    pub(crate) move_verbs: BTreeSet<String>,
    pub(crate) entered_from: Vec<String>,
    pub(crate) any_other: Vec<String>,
    pub(crate) not_final: Vec<String>,
    /// Words that carry nothing by themselves.
    pub(crate) empty: BTreeSet<String>,
    /// Verbs of a sentence that only tells when a field is filled.
    pub(crate) filling: BTreeSet<String>,
    /// Words of which such a sentence holds one among its first.
    pub(crate) companions: BTreeSet<String>,
    /// Words that say that something is, or has come to be.
    pub(crate) finite: BTreeSet<String>,
    /// Words that open when something is.
    pub(crate) times: BTreeSet<String>,
    /// Words that may stand between a record and what is said of it.
    pub(crate) auxiliaries: BTreeSet<String>,
    /// Words behind which it is said how something stands.
    pub(crate) being: BTreeSet<String>,
    /// Adverbs that may stand between.
    pub(crate) adverbs: BTreeSet<String>,
    /// Words in front of a name that is said of something.
    pub(crate) predicates: BTreeSet<String>,
    /// First words of the text of an event.
    pub(crate) occurring: BTreeSet<String>,
    /// Words that open what was before or meanwhile.
    pub(crate) circumstances: BTreeSet<String>,
    /// What opens a clause on the record.
    pub(crate) relatives: Vec<String>,
    /// Words that say that an end need not be one.
    pub(crate) comebacks: Vec<String>,
    /// What announces states that are ends.
    pub(crate) final_states: Vec<String>,
    /// First words of a sentence on what an operation answers.
    pub(crate) answers: BTreeSet<String>,
    /// Words that open a clause on what follows a state.
    pub(crate) followers: BTreeSet<String>,
}

/// Phrases by the first letters of their first word.
type PhraseIndex = HashMap<String, Vec<(Saying, Vec<String>)>>;

/// How many letters of a word the index of phrases goes by.
const INDEXED: usize = 2;

impl Phrases {
    /// The phrases that may open with a word.
    pub(crate) fn opening_with(&self, word: &str) -> &[(Saying, Vec<String>)] {
        let index = self.index.get_or_init(|| {
            let mut index = PhraseIndex::new();
            for (saying, list) in &self.says {
                for phrase in list {
                    let words = phrase.split(' ').map(str::to_owned).collect();
                    let key = phrase.chars().take(INDEXED).collect();
                    index.entry(key).or_default().push((*saying, words));
                }
            }
            index
        });
        let key: String = word.chars().take(INDEXED).collect();
        index.get(&key).map_or(&[], Vec::as_slice)
    }
}

/// The tables. That they read is tested; if one did not, it would be empty and nothing would be certain.
pub(crate) fn cues() -> &'static Cues {
    static CUES: OnceLock<Cues> = OnceLock::new();
    CUES.get_or_init(|| Cues {
        effects: table("effects.yaml", include_str!("../../data/effects.yaml")).unwrap_or_default(),
        shapes: table("shapes.yaml", include_str!("../../data/shapes.yaml")).unwrap_or_default(),
        states: table("states.yaml", include_str!("../../data/states.yaml")).unwrap_or_default(),
        phrases: table("phrases.yaml", include_str!("../../data/phrases.yaml")).unwrap_or_default(),
    })
}

fn table<T: DeserializeOwned>(name: &str, text: &str) -> Result<T, String> {
    let document =
        read(name, text, Format::Yaml, &Limits::default()).map_err(|finding| finding.render(false))?;
    from_node(document.root()).map_err(|finding| finding.render(false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_reads() {
        table::<EffectCues>("effects.yaml", include_str!("../../data/effects.yaml")).unwrap();
        table::<Shapes>("shapes.yaml", include_str!("../../data/shapes.yaml")).unwrap();
        table::<StateNames>("states.yaml", include_str!("../../data/states.yaml")).unwrap();
        table::<Phrases>("phrases.yaml", include_str!("../../data/phrases.yaml")).unwrap();
    }
}
