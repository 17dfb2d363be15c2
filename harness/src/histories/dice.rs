//! Dice: every choice of a history comes from its seed, and from nothing else.

/// A SplitMix64 generator.
#[derive(Debug, Clone)]
pub(super) struct Dice(u64);

/// Spreads the bits of a number.
pub(super) const fn mix(number: u64) -> u64 {
    let z = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Dice {
    pub(super) const fn new(seed: u64) -> Self {
        Self(mix(seed))
    }

    pub(super) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// A number below `end`; 0 where there is none.
    pub(super) const fn below(&mut self, end: u64) -> u64 {
        match self.next().checked_rem(end) {
            Some(number) => number,
            None => 0,
        }
    }

    /// A number of milliseconds in `low..=high`.
    pub(super) fn span(&mut self, low: u32, high: u32) -> u32 {
        let width = u64::from(high.saturating_sub(low)) + 1;
        low.saturating_add(u32::try_from(self.below(width)).unwrap_or(0))
    }

    /// True in so many of a thousand cases.
    pub(super) fn permille(&mut self, permille: u64) -> bool {
        self.below(1000) < permille
    }

    /// One of several, each as likely as its weight says.
    pub(super) fn weighted<T: Copy>(&mut self, choices: &[(u32, T)]) -> Option<T> {
        let total: u64 = choices.iter().map(|(weight, _)| u64::from(*weight)).sum();
        let mut drawn = self.below(total);
        for (weight, choice) in choices {
            match drawn.checked_sub(u64::from(*weight)) {
                None => return Some(*choice),
                Some(rest) => drawn = rest,
            }
        }
        None
    }

    /// One of several, each as likely as the others.
    pub(super) fn pick<'t, T>(&mut self, of: &'t [T]) -> Option<&'t T> {
        let place = self.below(u64::try_from(of.len()).unwrap_or(0));
        of.get(usize::try_from(place).unwrap_or(0))
    }
}
