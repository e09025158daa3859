//! Round numbers: `?`, `-`, `3`, `3.1`, `4.1.2`.

use std::fmt;

/// The most parts that a round number may have.
const MAX_PARTS: usize = 4;

/// A round; unknown rounds sort first, then by number, part by part.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Round {
    /// `?`: not known.
    #[default]
    Unknown,
    /// `-`: not applicable.
    Inapplicable,
    /// One to four numbers.
    Number(RoundNumber),
}

/// The numbers of a round, such as the 4, 1 and 2 of `4.1.2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RoundNumber {
    // Unused parts are `None` and sort before any number, so the derived order is numeric.
    first: u32,
    rest: [Option<u32>; MAX_PARTS - 1],
}

impl RoundNumber {
    /// The numbers in order.
    pub fn parts(self) -> impl Iterator<Item = u32> {
        std::iter::once(self.first).chain(self.rest.into_iter().flatten())
    }
}

impl Round {
    /// Builds a round from one number.
    #[must_use]
    pub fn from_number(number: u32) -> Self {
        Self::Number(RoundNumber {
            first: number,
            rest: [None; MAX_PARTS - 1],
        })
    }

    /// Builds a round from one to four numbers.
    #[must_use]
    pub fn from_numbers(numbers: &[u32]) -> Option<Self> {
        let (&first, others) = numbers.split_first()?;
        let mut rest = [None; MAX_PARTS - 1];
        if others.len() > rest.len() {
            return None;
        }
        for (slot, &number) in rest.iter_mut().zip(others) {
            *slot = Some(number);
        }
        Some(Self::Number(RoundNumber { first, rest }))
    }

    /// Reads `?`, `-` or numbers with dots; anything else stays text.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        match text {
            "?" => return Some(Self::Unknown),
            "-" => return Some(Self::Inapplicable),
            _ => {}
        }
        let mut numbers = [0; MAX_PARTS];
        let mut count = 0;
        for part in text.split('.') {
            if part.is_empty() || !part.bytes().all(|b| b.is_ascii_digit()) {
                return None;
            }
            *numbers.get_mut(count)? = part.parse().ok()?;
            count += 1;
        }
        Self::from_numbers(numbers.get(..count)?)
    }

    /// The first number, if there is one.
    #[must_use]
    pub fn number(self) -> Option<u32> {
        match self {
            Self::Number(number) => Some(number.first),
            Self::Unknown | Self::Inapplicable => None,
        }
    }
}

impl fmt::Display for Round {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("?"),
            Self::Inapplicable => f.write_str("-"),
            Self::Number(number) => {
                write!(f, "{}", number.first)?;
                number
                    .rest
                    .iter()
                    .flatten()
                    .try_for_each(|part| write!(f, ".{part}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn rounds() {
        for text in ["?", "-", "1", "3.1", "4.1.2", "1.2.3.4"] {
            assert_eq!(
                Round::parse(text).map(|r| r.to_string()).as_deref(),
                Some(text)
            );
        }
        for text in [
            "",
            "final",
            "1.",
            ".1",
            "1..2",
            "1.2.3.4.5",
            "99999999999",
            "1/2",
            "+1",
        ] {
            assert_eq!(Round::parse(text), None, "{text}");
        }
        let mut sorted: Vec<_> = ["10", "2.10", "2.9", "2", "-", "?"]
            .iter()
            .filter_map(|t| Round::parse(t))
            .collect();
        sorted.sort();
        let shown: Vec<_> = sorted.iter().map(Round::to_string).collect();
        assert_eq!(shown, ["?", "-", "2", "2.9", "2.10", "10"]);
        assert_eq!(Round::parse("4.1").and_then(Round::number), Some(4));
        assert_eq!(Round::from_number(7).to_string(), "7");
    }

    proptest! {
        #[test]
        fn numbers_go_both_ways(numbers in prop::collection::vec(any::<u32>(), 1..=4)) {
            let round = Round::from_numbers(&numbers);
            prop_assert!(round.is_some());
            let round = round.unwrap_or_default();
            prop_assert_eq!(Round::parse(&round.to_string()), Some(round));
            if let Round::Number(number) = round {
                prop_assert_eq!(number.parts().collect::<Vec<_>>(), numbers);
            }
        }

        #[test]
        fn any_text_is_read_without_panic(text in "[0-9.?-]{0,20}|.{0,9}") {
            let _ = Round::parse(&text);
        }
    }
}
