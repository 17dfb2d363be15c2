//! Bounds what the TypeScript parser is handed, in one linear pass: it recurses with every bracket and with every
//! operator that stands in front of another. Must not parse.

/// The longest type file, in bytes.
const MOST_BYTES: usize = 16 << 20;
/// Deepest nesting of brackets.
const MOST_BRACKETS: usize = 200;
/// Most operators in one statement that may each hold the next.
const MOST_OPERATORS: usize = 2_000;

/// Words that stand in front of a type or an expression.
const PREFIXES: [&str; 9] =
    ["keyof", "typeof", "readonly", "unique", "infer", "new", "extends", "await", "void"];

/// Where a text goes beyond the bounds, and how.
pub(super) fn excess(text: &str) -> Option<(usize, String)> {
    if text.len() > MOST_BYTES {
        return Some((0, format!("the file has {} bytes, more than {MOST_BYTES}", text.len())));
    }
    let mut scan = Scan { bytes: text.as_bytes(), at: 0, operators: vec![0] };
    while let Some(byte) = scan.bytes.get(scan.at).copied() {
        let start = scan.at;
        scan.at += 1;
        match byte {
            b'"' | b'\'' | b'`' => scan.string(byte),
            b'/' if scan.peek() == Some(b'/') => scan.line(),
            b'/' if scan.peek() == Some(b'*') => scan.comment(),
            b'(' | b'[' | b'{' | b'<' => scan.operators.push(0),
            // The arrow of a function type closes nothing.
            b'>' if start > 0 && scan.bytes.get(start - 1) == Some(&b'=') => scan.operator(),
            b')' | b']' | b'}' | b'>' => scan.close(),
            b';' | b',' => scan.reset(),
            b'?' | b'!' | b'~' | b'-' | b'+' | b'=' | b'.' | b'&' => scan.operator(),
            byte if byte.is_ascii_alphabetic() => {
                let word = scan.word(start);
                if PREFIXES.contains(&word) {
                    scan.operator();
                }
            }
            _ => {}
        }
        if scan.operators.len() > MOST_BRACKETS {
            return Some((start, format!("brackets nest deeper than {MOST_BRACKETS}")));
        }
        if scan.operators.last().is_some_and(|count| *count > MOST_OPERATORS) {
            return Some((start, format!("one statement has more than {MOST_OPERATORS} operators")));
        }
    }
    None
}

struct Scan<'t> {
    bytes: &'t [u8],
    at: usize,
    /// Operators since the last separator, by open bracket.
    operators: Vec<usize>,
}

impl<'t> Scan<'t> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn operator(&mut self) {
        if let Some(count) = self.operators.last_mut() {
            *count += 1;
        }
    }

    fn reset(&mut self) {
        if let Some(count) = self.operators.last_mut() {
            *count = 0;
        }
    }

    fn close(&mut self) {
        if self.operators.len() > 1 {
            self.operators.pop();
        }
    }

    fn string(&mut self, quote: u8) {
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'\\' => self.at += 1,
                b'\n' if quote != b'`' => return,
                byte if byte == quote => return,
                _ => {}
            }
        }
    }

    fn line(&mut self) {
        while self.peek().is_some_and(|byte| byte != b'\n') {
            self.at += 1;
        }
    }

    fn comment(&mut self) {
        self.at += 1;
        while let Some(byte) = self.peek() {
            self.at += 1;
            if byte == b'*' && self.peek() == Some(b'/') {
                self.at += 1;
                return;
            }
        }
    }

    fn word(&mut self, start: usize) -> &'t str {
        while self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            self.at += 1;
        }
        let bytes = self.bytes.get(start..self.at).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_and_chains_are_bounded_and_ordinary_types_are_not() {
        for hostile in ["[", "(", "{a:", "A<", "keyof ", "a => ", "A extends B ? ", "- ", "x."] {
            assert!(excess(&format!("type T = {}", hostile.repeat(10_000))).is_some(), "{hostile}");
        }
        let values: String = (0..20_000).map(|number| format!(" | 'v{number}'")).collect();
        let members: String = (0..20_000).map(|number| format!("a{number}?: string;\n")).collect();
        for plain in [
            format!("type T ={values};"),
            format!("interface A {{\n{members}}}"),
            "type F = (a?: 'it''s') => void; // [[[".to_owned(),
        ] {
            assert_eq!(excess(&plain), None);
        }
    }
}
