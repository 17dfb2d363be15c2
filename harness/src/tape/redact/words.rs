//! What the name of a field says about its value: English words and habits of the format, never a vendor. Where a
//! name may mean something personal, it does: equal values stay equal, so that nothing is lost for a contract.

/// What is taken out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Kind {
    /// Opens something.
    Secret,
    /// Names a person.
    Name,
    /// Reaches a person.
    Phone,
    /// Says where a person is.
    Address,
    /// A card or an account.
    Number,
    /// Anything else about a person.
    Personal,
    /// What people wrote.
    Text,
    /// An e-mail address.
    Email,
}

impl Kind {
    /// What stands in the place of a value: the same for equal values.
    pub(super) fn placeholder(self, number: usize) -> String {
        match self {
            Self::Secret => format!("secret-{number}"),
            Self::Name => format!("Name {number}"),
            Self::Phone => format!("+000{number:07}"),
            Self::Address => format!("address-{number}"),
            Self::Number => format!("number-{number}"),
            Self::Personal => format!("personal-{number}"),
            Self::Text => format!("text-{number}"),
            Self::Email => format!("person-{number}@redacted.invalid"),
        }
    }

    /// True if everything inside an object of this name is of the same kind.
    pub(super) const fn reaches_inside(self) -> bool {
        match self {
            Self::Secret | Self::Name | Self::Phone | Self::Address | Self::Personal => true,
            Self::Number | Self::Text | Self::Email => false,
        }
    }
}

const SECRET: &[&str] = &[
    "secret",
    "secrets",
    "password",
    "passwd",
    "passcode",
    "passphrase",
    "authorization",
    "cookie",
    "credential",
    "credentials",
    "signature",
    "pin",
    "cvc",
    "cvv",
    "otp",
    "jwt",
    "apikey",
    "accesstoken",
    "bearer",
];
const OPENS: &[&str] =
    &["api", "access", "private", "secret", "publishable", "signing", "encryption", "auth", "security"];
const PAGES: &[&str] = &["page", "next", "cursor", "continuation", "sync", "previous", "prev"];
const PHONE: &[&str] = &["phone", "mobile", "fax", "telephone", "msisdn", "phonenumber"];
const ADDRESS: &[&str] = &[
    "address",
    "addresses",
    "street",
    "line1",
    "line2",
    "address1",
    "address2",
    "postal",
    "zip",
    "postcode",
    "city",
    "latitude",
    "longitude",
    "ip",
];
const NUMBER: &[&str] = &["iban", "pan", "last4", "cardnumber", "accountnumber", "routingnumber"];
const NUMBERED: &[&str] = &["card", "account", "routing", "bank"];
const PERSONAL: &[&str] = &["dob", "birth", "birthday", "birthdate", "ssn", "passport"];
const NAME: &[&str] =
    &["firstname", "lastname", "fullname", "surname", "forename", "nickname", "username", "cardholder"];
const THINGS: &[&str] = &[
    "event",
    "field",
    "file",
    "type",
    "class",
    "function",
    "host",
    "domain",
    "currency",
    "country",
    "operation",
    "resource",
];
const TEXT: &[&str] = &["html", "text", "note", "notes", "comment", "comments", "memo"];

/// The words of a name: `billingDetails_line1` is `billing`, `details`, `line1`.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut small = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (small && c.is_uppercase()) {
            words.push(String::new());
        }
        small = c.is_lowercase() || c.is_ascii_digit();
        if let (Some(last), true) = (words.last_mut(), c.is_alphanumeric()) {
            last.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// What a name says of its value.
pub(super) fn kind_of(words: &[String]) -> Option<Kind> {
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    let last = words.last().map_or("", String::as_str);
    if has(&["idempotency"]) {
        return None;
    }
    let token = has(&["token", "tokens"]) && !has(PAGES);
    let key = last == "key" && has(OPENS);
    let code = last == "code" && has(&["security", "verification"]);
    let name = has(NAME) || (matches!(last, "name" | "names") && !has(THINGS));
    let number = has(NUMBER) || (last == "number" && has(NUMBERED)) || (last == "code" && has(&["sort"]));
    [
        (has(SECRET) || token || key || code, Kind::Secret),
        (has(PHONE), Kind::Phone),
        (number, Kind::Number),
        (has(PERSONAL) || (has(&["tax", "vat"]) && matches!(last, "id" | "number")), Kind::Personal),
        (has(ADDRESS), Kind::Address),
        (name, Kind::Name),
        (has(TEXT), Kind::Text),
    ]
    .into_iter()
    .find_map(|(is, kind)| is.then_some(kind))
}

/// True for a name whose value tells records or moments apart, whatever its digits add up to.
pub(super) fn is_id_or_time(words: &[String]) -> bool {
    const APART: &[&str] =
        &["id", "ids", "gid", "uuid", "at", "time", "timestamp", "created", "updated", "date", "reference"];
    words.iter().any(|word| APART.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_they_hold() {
        let of = |name: &str| kind_of(&words(name));
        for name in ["client_secret", "apiKey", "access-token", "X-Auth-Token", "password", "security_code"] {
            assert_eq!(of(name), Some(Kind::Secret), "{name}");
        }
        for name in ["name", "firstName", "billing_name", "display_name"] {
            assert_eq!(of(name), Some(Kind::Name), "{name}");
        }
        for name in
            ["id", "status", "amount", "event_name", "next_page_token", "idempotency_key", "currency", "key"]
        {
            assert_eq!(of(name), None, "{name}");
        }
        assert_eq!(of("account_number"), Some(Kind::Number));
        assert_eq!(of("last4"), Some(Kind::Number));
        assert_eq!(of("phone"), Some(Kind::Phone));
        assert_eq!(of("shippingAddress"), Some(Kind::Address));
        assert_eq!(of("date_of_birth"), Some(Kind::Personal));
    }
}
