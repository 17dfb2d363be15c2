//! Subjects on the cases: each falls into the traps that it is known for, the skill into none, and nobody's reading
//! changes what the skill says.

#![expect(clippy::indexing_slicing, clippy::panic, reason = "a test says at once what it misses")]

mod fixture;

use std::collections::BTreeMap;

use fixture::{SEED, cases, fixture, program};
use provely_evaluator::json::Value;
use provely_evaluator::verdict::Verdict;
use provely_harness::subjects::{Baseline, Desk, Figures, Sheet, Subject, Turn, exhibit, take};
use provely_harness::{CaseResult, Setting};

/// Sheets by case and place of the subject.
type Sheets = BTreeMap<String, Vec<(usize, Sheet)>>;

fn heard(level: &str, subjects: &[&dyn Subject]) -> (Vec<CaseResult>, Sheets) {
    let fixture = fixture();
    let program = program(fixture.contracts[level].clone());
    let setting = Setting::new(&fixture.service);
    let mut sheets = Sheets::new();
    let results = cases(&fixture.service, level).into_iter().map(|case| {
        let (result, hearing) = setting.hear(&program, &case, SEED, subjects);
        assert_eq!(hearing.unable, [], "{}", case.id);
        let name = case.id.split_once('/').map_or("", |(_, name)| name).to_owned();
        sheets.insert(name, hearing.sheets);
        result
    });
    (results.collect(), sheets)
}

fn baselines() -> Vec<&'static dyn Subject> {
    Baseline::ALL.iter().map(|own| own as &dyn Subject).collect()
}

fn figures(sheets: &Sheets, place: usize, name: &str) -> Figures {
    let mut figures = Figures::new(name);
    sheets.values().flatten().filter(|(own, _)| *own == place).for_each(|(_, sheet)| figures.add(*sheet));
    figures
}

#[test]
fn the_skill_is_never_wrong_and_every_baseline_is() {
    let (_, sheets) = heard("settled", &baselines());
    let skill = figures(&sheets, 0, "skill");
    assert!(skill.safe_cases >= 20 && skill.traps >= 25, "{skill:?}");
    assert_eq!((skill.false_safe, skill.false_block), (0, 0), "{sheets:#?}");
    for (place, baseline) in (1..).zip(Baseline::ALL) {
        let own = figures(&sheets, place, baseline.name());
        assert_eq!((own.safe_cases, own.traps), (skill.safe_cases, skill.traps));
        assert!(own.false_safe <= own.traps && own.false_block <= own.safe_cases, "{own:?}");
        assert!(own.false_safe + own.false_block > 0, "{own:?}");
        if baseline == Baseline::AlwaysBlock {
            assert_eq!((own.false_safe, own.false_block), (0, own.safe_cases));
        }
    }
    let wrong = |place| {
        let own = figures(&sheets, place, "");
        own.false_safe + own.false_block
    };
    assert!(wrong(4) < wrong(2) && wrong(2) < wrong(1), "the more a checker looks at, the better it does");
}

#[test]
fn each_baseline_falls_into_the_traps_that_it_is_known_for() {
    let (_, sheets) = heard("settled", &baselines());
    // A case, and who says done though it is not: `t` trusts, `r` reads again, `h` is hand-rolled.
    let traps = [
        ("still_transitional/queued", "t"),
        ("terminal_failure/bounced", "t"),
        ("wrong_amount", "tr"),
        ("wrong_subject", "tr"),
        ("wrong_currency", "tr"),
        ("partial_completion", "tr"),
        ("duplicate_side_effect.new_key", "tr"),
        ("invented_id", "t"),
        ("claimed_without_acting", "t"),
        ("wrong_mode", "t"),
        ("pre_existing_state", "trh"),
        ("acted_before_begin", "trh"),
        ("foreign_record.other_operation", "trh"),
        ("late_reversal", "t"),
    ];
    let blocked = [
        ("terminal_success", ""),
        ("intended_partial", ""),
        ("currency_in_another_case", ""),
        ("second_partial_by_another_operation", "h"),
        ("lost_acknowledgement_recovered_by_key", "tr"),
    ];
    let letters = ["", "t", "r", "", "h"];
    let who = |case: &str, wrong: fn(&Sheet) -> bool| -> String {
        let own = sheets.get(case).unwrap_or_else(|| panic!("no case `{case}` in {:?}", sheets.keys()));
        letters
            .iter()
            .enumerate()
            .filter(|(place, _)| own.iter().any(|(at, sheet)| at == place && wrong(sheet)))
            .map(|(_, letter)| *letter)
            .collect()
    };
    let mut told = Vec::new();
    for (case, expected) in traps {
        let found = who(case, |sheet| sheet.false_safe);
        if found != expected {
            told.push(format!("{case}: `{found}` say done, not `{expected}`"));
        }
    }
    for (case, expected) in blocked {
        let found = who(case, |sheet| sheet.false_block);
        if found != expected {
            told.push(format!("{case}: `{found}` block, not `{expected}`"));
        }
    }
    assert!(told.is_empty(), "{}", told.join("\n"));
}

#[test]
fn who_else_is_asked_changes_nothing() {
    for level in ["settled", "created"] {
        let (alone, _) = heard(level, &[]);
        let (beside, _) = heard(level, &baselines());
        assert_eq!(alone, beside);
    }
}

/// Speaks the line protocol as an outside subject would: reads the record and the list, and a path of its own.
struct Lines;

impl Subject for Lines {
    fn name(&self) -> &str {
        "lines"
    }

    fn answer(&self, desk: &mut Desk<'_>) -> Result<Verdict, String> {
        let shown = exhibit(desk).map_err(|error| error.to_string())?;
        assert_eq!(shown.get("format").and_then(Value::as_str), Some("provely.subject/1"));
        let text = shown.to_string();
        for word in ["false_success", "positive", "kept", "benchmark"] {
            assert!(!text.contains(word), "the exhibit gives `{word}` away: {text}");
        }
        let mut read = |line: &str| match take(desk, line) {
            Ok(Turn::Reply(value)) => Ok(value),
            Ok(Turn::Verdict(_)) => Err(String::from("a verdict for a read")),
            Err(why) => Err(why),
        };
        let listed = read(r#"{"read":{"list":true}}"#)?;
        assert!(listed.get("items").is_some() || listed.get("unavailable").is_some(), "{listed}");
        let write = read(r#"{"read":{"request":{"method":"POST","path":"/v2/reversals"}}}"#)?;
        assert_eq!(write.get("unavailable").and_then(Value::as_str), Some("address_forbidden"));
        let ids = shown.get("agent").and_then(|own| own.get("ids")).and_then(Value::as_array);
        let Some(id) = ids.and_then(<[Value]>::last).and_then(Value::as_str) else {
            return Ok(Verdict::Unverifiable);
        };
        let record = read(&format!(r#"{{"read":{{"record":"{id}"}}}}"#))?;
        let own =
            read(&format!(r#"{{"read":{{"request":{{"method":"GET","path":"/v2/reversals/{id}"}}}}}}"#))?;
        let both = record
            .get("record")
            .zip(own.get("body").filter(|_| own.get("status") == Some(&Value::from(200_u64))));
        if let Some((one, other)) = both {
            assert_eq!(one.get("id"), other.get("id"));
        }
        let settled = record.get("record").and_then(|own| own.get("state")?.as_str()) == Some("settled");
        let line = if settled { r#"{"verdict":"VERIFIED"}"# } else { r#"{"verdict":"PENDING"}"# };
        match take(desk, line)? {
            Turn::Verdict(verdict) => Ok(verdict),
            Turn::Reply(value) => Err(value.to_string()),
        }
    }
}

#[test]
fn an_outside_subject_reads_as_much_as_a_baseline() {
    let (_, sheets) = heard("settled", &[&Baseline::RereadStatus, &Lines]);
    let (reread, lines) = (figures(&sheets, 1, ""), figures(&sheets, 2, ""));
    assert_eq!(reread, lines, "both look at the status of the record alone");
}

#[test]
fn a_line_that_says_nothing_sensible_is_refused() {
    struct Bad(&'static str);
    impl Subject for Bad {
        fn name(&self) -> &str {
            "bad"
        }
        fn answer(&self, desk: &mut Desk<'_>) -> Result<Verdict, String> {
            take(desk, self.0).map(|_| Verdict::Pending)
        }
    }
    let fixture = fixture();
    let program = program(fixture.contracts["settled"].clone());
    let case = &cases(&fixture.service, "settled")[0];
    for (line, wanted) in [
        ("done", "no JSON"),
        (r#"{"verdict":"SURE"}"#, "nobody knows"),
        (r#"{"verdict":"VERIFIED","read":{"list":true}}"#, "either"),
        (r#"{"read":{}}"#, "one of"),
        (r#"{"reed":{}}"#, "nobody knows"),
    ] {
        let bad = Bad(line);
        let (_, hearing) = Setting::new(&fixture.service).hear(&program, case, SEED, &[&bad]);
        let (place, why) = &hearing.unable[0];
        assert!(*place == 1 && why.contains(wanted), "{line}: {why}");
    }
}
