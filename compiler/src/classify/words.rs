//! Words of names and of prose. Must not know what any word means.

/// The words of a name, lower case: split at what is no letter or digit and where a capital follows a
/// small letter.
pub(crate) fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut small = false;
    for letter in name.chars() {
        let ends = !letter.is_alphanumeric() || (letter.is_uppercase() && small);
        if ends && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        small = letter.is_lowercase() || letter.is_ascii_digit();
        if letter.is_ascii_alphanumeric() {
            word.push(letter.to_ascii_lowercase());
        } else if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// The words of a name joined by `_`.
pub(crate) fn snake(name: &str) -> String {
    words(name).join("_")
}

/// The singular of an English noun, as far as endings tell.
pub(crate) fn singular(word: &str) -> String {
    let stem = |cut: usize| word.get(..word.len().saturating_sub(cut)).unwrap_or(word);
    if word.ends_with("ies") && word.len() > 4 {
        return format!("{}y", stem(3));
    }
    if ["sses", "xes", "ches", "shes"].iter().any(|ending| word.ends_with(ending)) {
        return stem(2).to_owned();
    }
    if word.ends_with('s')
        && !word.ends_with("ss")
        && !word.ends_with("us")
        && !word.ends_with("is")
        && word.len() > 3
    {
        return if word == "sms" { word.to_owned() } else { stem(1).to_owned() };
    }
    word.to_owned()
}

/// The base form of a verb in the third person or the -ing form, as far as endings tell.
pub(crate) fn verb(word: &str) -> String {
    singular(word)
}

/// Whether a row of lower-case words stands in a text at word boundaries; `*` at the end of a word of the
/// phrase takes any ending.
pub(crate) fn holds_phrase(text: &[String], phrase: &str) -> bool {
    let phrase: Vec<&str> = phrase.split(' ').collect();
    text.windows(phrase.len()).any(|row| row.iter().zip(&phrase).all(|(word, wanted)| fits(word, wanted)))
}

/// Whether a word fits one word of a phrase.
pub(crate) fn fits(word: &str, wanted: &str) -> bool {
    match wanted.strip_suffix('*') {
        Some(stem) => word.starts_with(stem),
        None => word == wanted,
    }
}

/// The words of prose, lower case; apostrophes and underscores belong to a word.
pub(crate) fn prose_words(text: &str) -> Vec<String> {
    let inner = |letter: char| letter.is_alphanumeric() || matches!(letter, '\'' | '_');
    let plain = text.replace('’', "'").to_lowercase();
    plain.split(|letter: char| !inner(letter)).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_split_into_words() {
        assert_eq!(words("PaymentIntent"), ["payment", "intent"]);
        assert_eq!(words("treasury.outbound_payment"), ["treasury", "outbound", "payment"]);
        assert_eq!(snake("GetBroadcastResponseSuccess"), "get_broadcast_response_success");
        assert_eq!(snake("ACH"), "ach");
    }

    #[test]
    fn nouns_lose_their_plural() {
        for (many, one) in [
            ("refunds", "refund"),
            ("entries", "entry"),
            ("batches", "batch"),
            ("status", "status"),
            ("sms", "sms"),
        ] {
            assert_eq!(singular(many), one);
        }
    }

    #[test]
    fn phrases_stand_at_word_boundaries() {
        let text = prose_words("The bank couldn’t process it.");
        assert!(holds_phrase(&text, "couldn't proc*"));
        assert!(!holds_phrase(&text, "could"));
    }
}
