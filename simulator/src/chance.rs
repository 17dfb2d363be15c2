//! Seeded chance: the only source of variety in a simulated world. It must not touch the system's randomness.

/// A SplitMix64 generator (Steele, Lea, Flood 2014): the same seed gives the same numbers everywhere.
#[derive(Debug, Clone)]
pub(crate) struct Chance(u64);

impl Chance {
    /// A stream of its own per `purpose`, so that one more draw in one place moves nothing elsewhere.
    pub(crate) fn new(seed: u64, purpose: u64) -> Self {
        let mut chance = Self(seed ^ purpose.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        chance.next();
        chance
    }

    /// The next 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A number in `low..=high`; `low` where the range is empty.
    pub(crate) fn between(&mut self, low: u64, high: u64) -> u64 {
        match high.checked_sub(low) {
            None | Some(0) => low,
            Some(u64::MAX) => self.next(),
            Some(span) => low + self.next() % (span + 1),
        }
    }

    /// Appends `count` letters and digits.
    pub(crate) fn letters(&mut self, out: &mut String, count: usize) {
        const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        let mut bits = 0;
        for at in 0..count {
            if at % 10 == 0 {
                bits = self.next();
            }
            let letter = usize::try_from(bits % 62).ok().and_then(|place| LETTERS.get(place));
            out.push(char::from(letter.copied().unwrap_or(b'0')));
            bits /= 62;
        }
    }
}

/// Spreads the bits of a number.
pub(crate) const fn mix(number: u64) -> u64 {
    let z = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A hash of text that is the same on every machine (FNV-1a).
pub(crate) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::Chance;

    #[test]
    fn a_seed_gives_one_stream_per_purpose() {
        let draw = |seed, purpose| Chance::new(seed, purpose).next();
        assert_eq!(draw(7, 1), draw(7, 1));
        assert_ne!(draw(7, 1), draw(7, 2));
        assert_ne!(draw(7, 1), draw(8, 1));
    }

    #[test]
    fn ranges_hold_their_ends() {
        let mut chance = Chance::new(1, 1);
        let drawn: Vec<u64> = (0..200).map(|_| chance.between(3, 5)).collect();
        assert!(drawn.iter().all(|number| (3..=5).contains(number)));
        assert!([3, 4, 5].iter().all(|number| drawn.contains(number)));
        assert_eq!(chance.between(9, 2), 9);
    }
}
