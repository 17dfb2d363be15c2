//! Small readings of prose: words in backticks, durations, the largest number. Must not weigh meaning.

use std::collections::BTreeMap;

/// The words that a passage writes in backticks.
pub fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Lower case, everything but letters and digits as a space.
#[must_use]
pub fn plain(text: &str) -> String {
    text.chars()
        .map(|letter| if letter.is_alphanumeric() { letter.to_ascii_lowercase() } else { ' ' })
        .collect()
}

/// The whole numbers of a text, in order.
pub fn numbers(text: &str) -> impl Iterator<Item = u64> {
    text.split(|letter: char| !letter.is_ascii_digit()).filter_map(|digits| digits.parse().ok())
}

/// The shortest duration that a text states as a number and a unit, in milliseconds.
#[must_use]
pub fn shortest_duration(text: &str, units: &BTreeMap<String, u64>) -> Option<u64> {
    let words: Vec<&str> = text.split(|letter: char| letter.is_whitespace() || letter == '-').collect();
    let pairs = words.windows(2).filter_map(|pair| match pair {
        [number, unit] => duration(number, unit, units),
        _ => None,
    });
    pairs.min()
}

fn duration(number: &str, unit: &str, units: &BTreeMap<String, u64>) -> Option<u64> {
    let count: u64 = number.parse().ok()?;
    let unit = unit.trim_matches(|letter: char| !letter.is_alphabetic()).to_lowercase();
    let unit = unit.strip_suffix('s').unwrap_or(&unit);
    count.checked_mul(*units.get(unit)?)
}

/// True if the text holds one of the phrases, without regard to case.
#[must_use]
pub fn says(text: &str, phrases: &[String]) -> bool {
    let text = text.to_lowercase();
    phrases.iter().any(|phrase| text.contains(&phrase.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_durations_and_takes_the_shortest() {
        let units = BTreeMap::from([("hour".to_owned(), 3_600_000), ("day".to_owned(), 86_400_000)]);
        assert_eq!(shortest_duration("kept for 24 hours, at most 30 days.", &units), Some(86_400_000));
        assert_eq!(shortest_duration("a 24-hour window", &units), Some(86_400_000));
        assert_eq!(shortest_duration("up to 255 characters", &units), None);
        assert_eq!(shortest_duration("99999999999999999 days", &units), None);
    }

    #[test]
    fn reads_what_stands_in_backticks() {
        assert_eq!(quoted("`a` and `b c`, `d").collect::<Vec<_>>(), ["a", "b c", "d"]);
        assert_eq!(numbers("from 1 to 100, 10 when left out").max(), Some(100));
    }
}
