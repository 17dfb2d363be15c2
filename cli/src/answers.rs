//! What each answer of a reviewer changed, found by compiling without it. It must not change what was compiled.

use crate::compilation::{Compilation, Job, refused, rules};
use crate::failure::Failure;
use crate::summary_text::line;
use provely_compiler::certify::{Certified, CertifyError, Input, certify};
use provely_compiler::classify::classify;
use provely_compiler::ingest::Ingested;
use provely_compiler::plan::{Gathered, plan};
use provely_compiler::review::{Reviewed, holds, review};
use provely_compiler::source::{Answer, Names, ServiceFile};
use provely_compiler::synthesise::{Synthesised, join, synthesise};
use provely_evaluator::manifest::Points;
use provely_model::Service;
use serde::Serialize;
use std::fmt::Write as _;

/// What one answer changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Effect {
    /// The question's id.
    pub uncertainty: String,
    /// The answer.
    pub answer: String,
    /// The question that it closed.
    pub question: Option<String>,
    /// The contracts that score more than without it.
    pub risen: Vec<Rise>,
}

/// A contract that an answer raised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rise {
    /// Its id.
    pub contract: String,
    /// Its score without the answer; none if it is not even written without it.
    pub before: Option<Points>,
    /// Its score.
    pub after: Points,
}

/// What each answer changed, in the order of the answers.
///
/// # Errors
/// If the package of a compilation without an answer cannot be sealed.
pub fn effects(job: &Job<'_>, made: &mut Compilation) -> Result<Vec<Effect>, Failure> {
    let answers = made.found.review.clone();
    let mut found = Vec::new();
    for (index, answer) in answers.iter().enumerate() {
        let mut others = answers.clone();
        others.remove(index);
        made.answer_with(&others);
        let effect = effect(job, made, answer);
        made.answer_with(&answers);
        found.push(effect?);
    }
    Ok(found)
}

fn effect(job: &Job<'_>, made: &Compilation, answer: &Answer) -> Result<Effect, Failure> {
    let without = without(job, made)?;
    let open = without.as_ref().and_then(|(reviewed, _)| {
        reviewed.open.iter().find(|open| open.id == answer.uncertainty).map(|open| open.question.clone())
    });
    let before = |id: &str| {
        let scores = without.as_ref().and_then(|(_, certified)| certified.as_ref()).map(|own| &own.scores);
        scores?.iter().find(|(own, _)| own == id).map(|(_, score)| score.after_caps)
    };
    let scores = made.certified.iter().flat_map(|certified| &certified.scores);
    let rises =
        scores.map(|(id, score)| Rise { contract: id.clone(), before: before(id), after: score.after_caps });
    Ok(Effect {
        uncertainty: answer.uncertainty.clone(),
        answer: answer.answer.clone(),
        question: open,
        risen: rises.filter(|rise| rise.before.is_none_or(|before| before < rise.after)).collect(),
    })
}

/// The questions and scores that the answers in `made` give, by the conformance run at hand; none where another answer
/// fits no question any more. No score where nothing is written.
fn without(job: &Job<'_>, made: &Compilation) -> Result<Option<(Reviewed, Option<Certified>)>, Failure> {
    let Some((service, written, reviewed)) = modelled(job, made)? else { return Ok(None) };
    let Some(tested) = &made.tested else { return Ok(None) };
    // What is to be published may not be written without the answer.
    let file = job.sources.service.as_ref();
    let file = file.map(|file| ServiceFile { publish: Vec::new(), ..file.clone() });
    let input = Input {
        service: &service,
        sources: &made.found.sources,
        file: file.as_ref(),
        written: &written,
        reviewed: &reviewed,
        run: tested.run(),
        release: &job.release,
    };
    match certify(input, &job.signer.key, &job.signer.id) {
        Ok(certified) => Ok(Some((reviewed, Some(certified)))),
        Err(CertifyError::Nothing) => Ok(Some((reviewed, None))),
        Err(error) => Err(refused(&error, &tested.report)),
    }
}

/// The default version, and what all versions together give.
type Modelled = (Service, Synthesised, Reviewed);

/// The stages between the sources and the conformance cases, with the answers in `made`.
fn modelled(job: &Job<'_>, made: &Compilation) -> Result<Option<Modelled>, Failure> {
    let (rules, file) = (rules()?, job.sources.service.as_ref());
    let names = file.map_or_else(Names::default, |file| file.names.clone());
    let (mut raised, mut closed, mut versions) = (Vec::new(), Vec::new(), Vec::new());
    for found in made.editions() {
        let classified = classify(found);
        let planned = plan(&Gathered::of(found, &classified).known(&classified.service), &rules);
        let written = synthesise(&planned, &names, &rules);
        raised.extend(classified.uncertainties.into_iter().chain(planned.uncertainties));
        closed.extend(classified.answered);
        versions.push((planned.service, written));
    }
    let mut versions = versions.into_iter();
    let Some((service, first)) = versions.next() else { return Ok(None) };
    let written = join(first, &versions.map(|(_, written)| written).collect::<Vec<_>>());
    raised.extend(written.uncertainties.iter().cloned());
    let found: Vec<&Ingested> = made.editions().collect();
    let held = |assertion: &str| holds(&found, assertion);
    let reviewed = review(raised, &closed, &made.found.review, held).ok();
    Ok(reviewed.map(|reviewed| (service, written, reviewed)))
}

/// Adds what the answers changed, for people.
pub fn text(effects: &[Effect], text: &mut String) {
    if effects.is_empty() {
        return;
    }
    let _ = writeln!(text, "\nanswers  {}", effects.len());
    for Effect { uncertainty, answer, question, risen } in effects {
        line(text, 2, &format!("{uncertainty} = {answer}"));
        match question {
            Some(question) => line(text, 4, &format!("closed: {question}")),
            None => line(text, 4, "without it another answer fits no question"),
        }
        for Rise { contract, before, after } in risen {
            let before = before.map_or_else(|| "not written".to_owned(), |before| before.to_string());
            line(text, 4, &format!("{contract}: {before} -> {after}"));
        }
        if risen.is_empty() {
            line(text, 4, "no published contract scores more by this answer alone");
        }
    }
}
