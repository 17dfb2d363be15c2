//! Suggests the name that somebody probably meant. It must not take long on hostile names.

/// Longest name that is compared, in characters.
const LONGEST: usize = 128;

/// The name among `known` that is closest to `wanted` by edit distance (insert, delete, replace, swap of
/// neighbours), if it is close enough to be a likely slip: within a third of the length. The first of
/// equals wins.
pub fn nearest<'k>(wanted: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let wanted: Vec<char> = letters(wanted)?;
    let most = (wanted.len() / 3).max(1);
    let mut best: Option<(usize, &'k str)> = None;
    for name in known {
        let Some(candidate) = letters(name) else { continue };
        if candidate.len().abs_diff(wanted.len()) > most || candidate.is_empty() {
            continue;
        }
        let distance = distance(&wanted, &candidate);
        if distance <= most && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, name));
        }
    }
    best.map(|(_, name)| name)
}

/// Lower-case letters, since case alone is a common slip; `None` for names too long to compare.
fn letters(name: &str) -> Option<Vec<char>> {
    let letters: Vec<char> = name.chars().take(LONGEST + 1).flat_map(char::to_lowercase).collect();
    (letters.len() <= LONGEST).then_some(letters)
}

/// Optimal string alignment distance, by three rows.
fn distance(one: &[char], two: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=two.len()).collect();
    for (at, letter) in one.iter().enumerate() {
        let mut next = vec![at + 1];
        for (column, other) in two.iter().enumerate() {
            let cell = |row: &[usize], column: usize| row.get(column).copied().unwrap_or(usize::MAX / 2);
            let replaced = cell(&row, column) + usize::from(letter != other);
            let shifted = cell(&row, column + 1).min(cell(&next, column)) + 1;
            let swapped = match (at.checked_sub(1), column.checked_sub(1)) {
                (Some(above), Some(left))
                    if one.get(above) == Some(other) && two.get(left) == Some(letter) =>
                {
                    cell(&before, left) + 1
                }
                _ => usize::MAX / 2,
            };
            next.push(replaced.min(shifted).min(swapped));
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_slips_and_nothing_far() {
        let known = ["operator", "operand", "path", "all_of"];
        assert_eq!(nearest("operatr", known), Some("operator"));
        assert_eq!(nearest("oeprator", known), Some("operator"));
        assert_eq!(nearest("Path", known), Some("path"));
        assert_eq!(nearest("verdict", known), None);
        assert_eq!(nearest("", known), None);
        assert_eq!(nearest(&"x".repeat(100_000), known), None);
    }

    #[test]
    fn swapped_neighbours_cost_one() {
        let chars = |text: &str| text.chars().collect::<Vec<char>>();
        assert_eq!(distance(&chars("ab"), &chars("ba")), 1);
        assert_eq!(distance(&chars("kitten"), &chars("sitting")), 3);
        assert_eq!(distance(&chars(""), &chars("abc")), 3);
    }
}
