//! A vendor is data: no id under `sources/` stands in the Rust code of a crate, as a word of a string or of a
//! name. Comments, tests and the examples of `--help` may show vendors.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that cannot read the workspace must stop"
)]

mod workspace;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use workspace::{members, root, rust_files, shown};

/// The constant that holds the examples of a command's `--help`.
const EXAMPLES: &str = "EXAMPLES";

/// A piece of Rust that can carry a name.
#[derive(Clone, Debug, PartialEq)]
enum Token {
    Name(String),
    Text(String),
    Sign(char),
}

/// Names, strings and signs, each with its line; comments, characters, lifetimes and numbers are passed over.
fn tokens(source: &str) -> Vec<(usize, Token)> {
    let chars: Vec<char> = source.chars().collect();
    let (mut at, mut line, mut found) = (0, 1, Vec::new());
    while at < chars.len() {
        let rest = &chars[at..];
        let (length, token) = next(rest);
        found.extend(token.map(|token| (line, token)));
        line += rest[..length].iter().filter(|char| **char == '\n').count();
        at += length;
    }
    found
}

/// How many characters the next piece takes, and what it is.
fn next(rest: &[char]) -> (usize, Option<Token>) {
    match rest {
        ['/', '/', ..] => (rest.iter().position(|char| *char == '\n').unwrap_or(rest.len()), None),
        ['/', '*', ..] => (block_comment(rest), None),
        ['"', ..] => string(rest, 0),
        ['b' | 'c', '"', ..] => string(rest, 1),
        ['r', '"' | '#', ..] if raw_hashes(rest, 1).is_some() => raw_string(rest, 1),
        ['b' | 'c', 'r', '"' | '#', ..] if raw_hashes(rest, 2).is_some() => raw_string(rest, 2),
        ['\'', '\\', _, after @ ..] => {
            (3 + after.iter().position(|char| *char == '\'').unwrap_or(0) + 1, None)
        }
        ['\'', _, '\'', ..] => (3, None),
        ['\'', ..] => (1, None),
        [first, ..] if first.is_alphanumeric() || *first == '_' => {
            let length = rest.iter().take_while(|char| char.is_alphanumeric() || **char == '_').count();
            let name = rest[..length].iter().collect();
            (length, (!first.is_ascii_digit()).then_some(Token::Name(name)))
        }
        [first, ..] => (1, (!first.is_whitespace()).then_some(Token::Sign(*first))),
        [] => (0, None),
    }
}

fn block_comment(rest: &[char]) -> usize {
    let (mut at, mut depth) = (0, 0);
    while at < rest.len() {
        match &rest[at..] {
            ['/', '*', ..] => (depth, at) = (depth + 1, at + 2),
            ['*', '/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

fn string(rest: &[char], start: usize) -> (usize, Option<Token>) {
    let mut at = start + 1;
    while at < rest.len() && rest[at] != '"' {
        at += if rest[at] == '\\' { 2 } else { 1 };
    }
    let end = at.min(rest.len());
    (end + 1.min(rest.len() - end), Some(Token::Text(rest[start + 1..end].iter().collect())))
}

/// The `#`s of a raw string whose prefix takes so many characters.
fn raw_hashes(rest: &[char], prefix: usize) -> Option<usize> {
    let hashes = rest[prefix..].iter().take_while(|char| **char == '#').count();
    (rest.get(prefix + hashes) == Some(&'"')).then_some(hashes)
}

fn raw_string(rest: &[char], prefix: usize) -> (usize, Option<Token>) {
    let hashes = raw_hashes(rest, prefix).unwrap();
    let start = prefix + hashes + 1;
    let mut end: Vec<char> = vec!['"'];
    end.extend(std::iter::repeat_n('#', hashes));
    let length =
        rest[start..].windows(end.len()).position(|window| window == end).unwrap_or(rest.len() - start);
    (
        (start + length + end.len()).min(rest.len()),
        Some(Token::Text(rest[start..start + length].iter().collect())),
    )
}

/// The tokens that are no test and no example, and the modules that are tests in files of their own.
fn code(tokens: Vec<(usize, Token)>) -> (Vec<(usize, Token)>, Vec<String>) {
    let name = |text: &str| Token::Name(text.to_owned());
    let gate: Vec<Token> = vec![
        Token::Sign('#'),
        Token::Sign('['),
        name("cfg"),
        Token::Sign('('),
        name("test"),
        Token::Sign(')'),
        Token::Sign(']'),
    ];
    let (mut kept, mut modules, mut at) = (Vec::new(), Vec::new(), 0);
    while at < tokens.len() {
        let here = |offset: usize| tokens.get(at + offset).map(|(_, token)| token);
        if (0..gate.len()).all(|offset| here(offset) == Some(&gate[offset])) {
            let item = &tokens[at + gate.len()..];
            let length = item_length(item);
            modules.extend(module_file(&item[..length]));
            at += gate.len() + length;
        } else if here(0) == Some(&name("const")) && here(1) == Some(&name(EXAMPLES)) {
            at += item_length(&tokens[at..]);
        } else {
            kept.push(tokens[at].clone());
            at += 1;
        }
    }
    (kept, modules)
}

/// The tokens up to the `;` or the closing brace that ends an item.
fn item_length(tokens: &[(usize, Token)]) -> usize {
    let mut depth = 0usize;
    for (at, (_, token)) in tokens.iter().enumerate() {
        match token {
            Token::Sign('{' | '(' | '[') => depth += 1,
            Token::Sign('}') if depth == 1 => return at + 1,
            Token::Sign('}' | ')' | ']') => depth = depth.saturating_sub(1),
            Token::Sign(';') if depth == 0 => return at + 1,
            _ => {}
        }
    }
    tokens.len()
}

fn module_file(item: &[(usize, Token)]) -> Option<String> {
    let at = item.iter().position(|(_, token)| *token == Token::Name("mod".to_owned()))?;
    match (&item.get(at + 1)?.1, &item.get(at + 2)?.1) {
        (Token::Name(name), Token::Sign(';')) => Some(name.clone()),
        _ => None,
    }
}

/// The words of a name or a text: split where letters end, at `_`, and where a small letter meets a capital.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for char in text.chars() {
        if !char.is_alphanumeric() || (before.is_lowercase() && char.is_uppercase()) {
            words.push(String::new());
        }
        if char.is_alphanumeric() {
            words.last_mut().unwrap().extend(char.to_lowercase());
        }
        before = char;
    }
    words
}

/// The places of these ids in a source, and the modules that are tests.
fn places(source: &str, ids: &BTreeSet<String>) -> (Vec<String>, Vec<String>) {
    let (kept, modules) = code(tokens(source));
    let mut found = Vec::new();
    for (line, token) in kept {
        let text = match token {
            Token::Name(text) | Token::Text(text) => text,
            Token::Sign(_) => continue,
        };
        found.extend(
            words(&text).into_iter().filter(|word| ids.contains(word)).map(|word| format!("{line}: {word}")),
        );
    }
    (found, modules)
}

fn ids() -> BTreeSet<String> {
    let folders = fs::read_dir(root().join("sources")).unwrap().map(|entry| entry.unwrap());
    folders
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect()
}

/// The files that belong to a module declared in `file`.
fn belongs(path: &Path, file: &Path, module: &str) -> bool {
    let stem = file.file_stem().unwrap().to_str().unwrap();
    let parent = file.parent().unwrap();
    let home = if matches!(stem, "mod" | "lib" | "main") { parent.to_owned() } else { parent.join(stem) };
    path == home.join(format!("{module}.rs")) || path.starts_with(home.join(module))
}

#[test]
fn no_code_names_a_vendor() {
    let ids = ids();
    assert!(!ids.is_empty());
    let mut found: Vec<(PathBuf, Vec<String>)> = Vec::new();
    let mut tests: Vec<(PathBuf, String)> = Vec::new();
    for member in members().iter().filter(|member| *member != "tests") {
        for path in rust_files(&root().join(member).join("src")) {
            let (places, modules) = places(&fs::read_to_string(&path).unwrap(), &ids);
            tests.extend(modules.into_iter().map(|module| (path.clone(), module)));
            found.push((path, places));
        }
    }
    assert!(found.len() > 80, "the workspace was not found");
    found.retain(|(path, _)| !tests.iter().any(|(file, module)| belongs(path, file, module)));
    let named: Vec<String> = found
        .iter()
        .flat_map(|(path, places)| places.iter().map(|place| format!("{}:{place}", shown(path))))
        .collect();
    assert!(named.is_empty(), "a vendor is data, its name must not stand in code: {named:#?}");
}

#[test]
fn names_are_found_where_they_count_and_nowhere_else() {
    let ids = BTreeSet::from(["acme".to_owned()]);
    let count = |source: &str| places(source, &ids).0.len();
    let seen = [
        r#"let x = "https://api.acme.test";"#,
        r##"let x = r#"an "acme" thing"#;"##,
        r#"let x = b"acme";"#,
        "fn acme_refund() {}",
        "struct AcmeRefund;",
        "let c = '\"'; let x = \"acme\";",
        "let c = '\\''; let x = \"acme\";",
        "fn f<'a>(x: &'a str) { \"acme\" }",
        "/* acme /* acme */ acme */ const ACME: u8 = 1;",
        "#[cfg(test)] mod tests { } fn acme() {}",
        "#[cfg(test)]\nmod tests;\nfn acme() {}",
        "#[cfg(not(test))] fn acme() {}",
    ];
    for source in seen {
        assert_eq!(count(source), 1, "{source}");
    }
    let passed = [
        "// acme",
        "/// acme\nfn f() {}",
        "/* acme */",
        "let acmeful = \"acmes\";",
        "#[cfg(test)] mod tests { fn acme() { \"acme\" } }",
        "#[cfg(test)] use acme::x;",
        "const EXAMPLES: &str = \"provely begin acme\";",
    ];
    for source in passed {
        assert_eq!(count(source), 0, "{source}");
    }
    assert_eq!(places("#[cfg(test)]\npub(crate) mod tests;", &ids).1, ["tests"]);
}
