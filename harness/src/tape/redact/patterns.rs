//! What a text holds, whatever its name: e-mail addresses, card numbers, account numbers, signed tokens. It finds; it
//! replaces nothing.

use std::ops::Range;

/// Shortest and longest card number, in digits.
const CARD: std::ops::RangeInclusive<usize> = 13..=19;

/// The e-mail addresses of a text.
pub(super) fn emails(text: &str) -> Vec<Range<usize>> {
    let local = |c: char| c.is_alphanumeric() || "._%+-'".contains(c);
    let domain = |c: char| c.is_alphanumeric() || ".-".contains(c);
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, _) in text.match_indices('@') {
        let (before, after) = (text.get(..at).unwrap_or(""), text.get(at + 1..).unwrap_or(""));
        let start = before.char_indices().rev().take_while(|(_, c)| local(*c)).last().map(|(place, _)| place);
        let width: usize = after.chars().take_while(|c| domain(*c)).map(char::len_utf8).sum();
        let host = after.get(..width).unwrap_or("").trim_end_matches(['.', '-']);
        if let Some(start) = start.filter(|_| host.contains('.') && !host.starts_with('.')) {
            found.push(start..at + 1 + host.len());
        }
    }
    found
}

/// Runs of digits, single spaces or dashes between them, that add up as card numbers do.
pub(super) fn cards(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut run: Option<(usize, usize, String)> = None;
    let mut separated = false;
    for (place, c) in text.char_indices().chain([(text.len(), '\0')]) {
        match &mut run {
            Some((_, end, digits)) if c.is_ascii_digit() => {
                digits.push(c);
                (*end, separated) = (place + 1, false);
            }
            Some(_) if matches!(c, ' ' | '-') && !separated => separated = true,
            Some((start, end, digits)) => {
                if is_card(digits) {
                    found.push(*start..*end);
                }
                run = None;
                separated = false;
            }
            None if c.is_ascii_digit() => run = Some((place, place + 1, c.to_string())),
            None => {}
        }
    }
    found
}

/// The check digit of ISO/IEC 7812, and a first digit that cards have.
pub(super) fn is_card(digits: &str) -> bool {
    let sum: u32 = digits
        .chars()
        .rev()
        .filter_map(|c| c.to_digit(10))
        .enumerate()
        .map(|(place, digit)| match (place % 2, digit * 2) {
            (0, _) => digit,
            (_, twice) if twice > 9 => twice - 9,
            (_, twice) => twice,
        })
        .sum();
    CARD.contains(&digits.len()) && digits.starts_with(['2', '3', '4', '5', '6']) && sum.is_multiple_of(10)
}

/// True for an international account number, spaces left out (ISO 13616).
pub(super) fn is_iban(text: &str) -> bool {
    let plain: String = text.chars().filter(|c| *c != ' ').collect();
    let bytes = plain.as_bytes();
    let shape = (15..=34).contains(&bytes.len())
        && bytes.iter().take(2).all(u8::is_ascii_uppercase)
        && bytes.iter().skip(2).take(2).all(u8::is_ascii_digit)
        && bytes.iter().all(u8::is_ascii_alphanumeric);
    let (Some(head), Some(tail), true) = (plain.get(..4), plain.get(4..), shape) else { return false };
    let remainder = tail.chars().chain(head.chars()).try_fold(0_u32, |rest, c| {
        let value = c.to_digit(36)?;
        Some(if value > 9 { (rest * 100 + value) % 97 } else { (rest * 10 + value) % 97 })
    });
    remainder == Some(1)
}

/// True for three parts of base64url, the first of which opens an object: a signed token.
pub(super) fn is_signed_token(text: &str) -> bool {
    let part =
        |part: &str| part.len() > 8 && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
    text.starts_with("eyJ") && text.split('.').count() == 3 && text.split('.').all(part)
}

/// True for a number as phones have it: a plus and seven digits or more.
pub(super) fn is_phone(text: &str) -> bool {
    let rest = text.strip_prefix('+').unwrap_or("");
    let digits = rest.chars().filter(char::is_ascii_digit).count();
    (7..=15).contains(&digits) && rest.chars().all(|c| c.is_ascii_digit() || " -()".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, ranges: Vec<Range<usize>>) -> Vec<&str> {
        ranges.into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn addresses_are_found_inside_a_text() {
        let text = "Ada <ada.l@mail.example.com>, grace@example.org. @nobody, x@y";
        assert_eq!(found(text, emails(text)), ["ada.l@mail.example.com", "grace@example.org"]);
    }

    #[test]
    fn card_numbers_are_found_by_their_check_digit() {
        let text = "paid with 4242 4242 4242 4242, not 4242424242424241; 5555-5555-5555-4444";
        assert_eq!(found(text, cards(text)), ["4242 4242 4242 4242", "5555-5555-5555-4444"]);
        assert!(cards("re_3MmlLrLkdIwHu7ix0snN0B15").is_empty());
    }

    #[test]
    fn account_numbers_and_tokens_are_known() {
        assert!(is_iban("DE89 3704 0044 0532 0130 00") && is_iban("GB82WEST12345698765432"));
        assert!(!is_iban("DE88370400440532013000") && !is_iban("succeeded"));
        assert!(is_signed_token("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0x.c2lnbmF0dXJl"));
        assert!(!is_signed_token("eyJ.a.b") && is_phone("+49 30 123456") && !is_phone("+1"));
    }
}
