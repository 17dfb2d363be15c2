//! Open questions for people: what each holds back, what the sources say, what can be answered. It must not order them
//! anew.

use crate::summary_text::{line, row};
use provely_compiler::review::{Bundle, HeldBack, OpenQuestion, Passage};
use provely_compiler::source::Answer;
use std::fmt::Write as _;

/// Longest passage that is shown, in characters.
const SHOWN: usize = 600;

/// Most contracts that are named; the rest are counted.
const MOST_CONTRACTS: usize = 6;

/// Every question of a bundle; those that the answers at hand close are marked.
pub fn list(bundle: &Bundle, given: &[Answer], text: &mut String) {
    let count = bundle.open.len();
    let noun = if count == 1 { "question" } else { "questions" };
    line(text, 0, &format!("{}: {count} open {noun}, those that hold back most first", bundle.service));
    for (index, question) in bundle.open.iter().enumerate() {
        text.push('\n');
        let answer = given.iter().find(|answer| answer.uncertainty == question.id);
        show(question, index + 1, count, answer, text);
    }
}

/// One question with everything that a person needs in order to answer it.
pub fn show(question: &OpenQuestion, number: usize, count: usize, given: Option<&Answer>, text: &mut String) {
    line(text, 0, &format!("[{number} of {count}] {}", question.id));
    line(text, 2, &question.question);
    held_back(question, text);
    if !question.passages.is_empty() {
        line(text, 2, "what the sources say");
    }
    for (index, Passage { assertion, text: words }) in question.passages.iter().enumerate() {
        row(text, &format!("    [{}] ", index + 1), assertion);
        match words {
            Some(words) => line(text, 8, &format!("\"{}\"", cut(words))),
            None => line(text, 8, "(a place without words)"),
        }
    }
    match question.answers.as_slice() {
        [] => line(text, 2, "answer in words of your own"),
        answers => line(text, 2, &format!("answers: {}", answers.join(", "))),
    }
    if let Some(given) = given {
        line(text, 2, &format!("ANSWERED {} by {}; compile again", given.answer, given.reviewer));
    }
}

fn held_back(question: &OpenQuestion, text: &mut String) {
    if question.holds_back.is_empty() {
        line(text, 2, &format!("binds no published contract (cap {})", question.cap));
        return;
    }
    line(text, 2, &format!("caps at {}, holds back {} points", question.cap, question.points));
    for HeldBack { contract, score, reach, points } in question.holds_back.iter().take(MOST_CONTRACTS) {
        line(text, 4, &format!("{contract}: {score}, could reach {reach} ({points} held back)"));
    }
    let more = question.holds_back.len().saturating_sub(MOST_CONTRACTS);
    if more > 0 {
        let _ = writeln!(text, "    and {more} more");
    }
}

fn cut(words: &str) -> String {
    match words.char_indices().nth(SHOWN) {
        None => words.to_owned(),
        Some((end, _)) => format!("{}…", words.get(..end).unwrap_or(words)),
    }
}
