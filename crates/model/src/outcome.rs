//! The outcome of a game.

use std::fmt;

use shakmaty::Color;

/// The result of a game.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// Unfinished, or not known: `*`.
    #[default]
    Unknown,
    /// `1-0`.
    WhiteWins,
    /// `0-1`.
    BlackWins,
    /// `1/2-1/2`.
    Draw,
}

impl Outcome {
    /// Every outcome; the position in this list is Scid's code.
    pub const ALL: [Self; 4] = [Self::Unknown, Self::WhiteWins, Self::BlackWins, Self::Draw];

    /// The text of PGN.
    #[must_use]
    pub fn as_pgn(self) -> &'static str {
        match self {
            Self::Unknown => "*",
            Self::WhiteWins => "1-0",
            Self::BlackWins => "0-1",
            Self::Draw => "1/2-1/2",
        }
    }

    /// Reads exactly the four texts of PGN.
    #[must_use]
    pub fn from_pgn(text: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|outcome| outcome.as_pgn() == text)
    }

    /// Reads a score in any common form: `1:0`, `½-½`, `0.5-0.5`, `1/2`, `+ -`.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim_matches(is_blank);
        if let Some(plain) = Self::from_pgn(text) {
            return Some(plain);
        }
        // A score is short; the limit keeps the copy below small.
        if text.len() > 32 {
            return None;
        }
        let plain: String = text
            .chars()
            .filter(|c| !is_blank(*c))
            .map(|c| match c {
                ':' | '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
                ',' => '.',
                'O' | 'o' => '0',
                other => other,
            })
            .collect();
        let plain = plain.replace('½', "1/2");
        match plain.as_str() {
            "1/2" | "0.5" | ".5" | "=" | "=-=" => return Some(Self::Draw),
            "+--" => return Some(Self::WhiteWins),
            "--+" => return Some(Self::BlackWins),
            _ => {}
        }
        let (white, black) = plain.split_once('-')?;
        let halves = |side: &str| match side {
            "1" | "1.0" | "+" => Some(2),
            "1/2" | "0.5" | ".5" => Some(1),
            "0" | "0.0" => Some(0),
            _ => None,
        };
        match (halves(white)?, halves(black)?) {
            (2, 0) => Some(Self::WhiteWins),
            (0, 2) => Some(Self::BlackWins),
            (1, 1) => Some(Self::Draw),
            _ => None,
        }
    }

    /// Whether the game has a score.
    #[must_use]
    pub fn is_definite(self) -> bool {
        self != Self::Unknown
    }

    /// The winner, if there is one.
    #[must_use]
    pub fn winner(self) -> Option<Color> {
        match self {
            Self::WhiteWins => Some(Color::White),
            Self::BlackWins => Some(Color::Black),
            Self::Draw | Self::Unknown => None,
        }
    }

    /// Scid's code, 0 to 3.
    #[must_use]
    pub fn to_scid(self) -> u8 {
        match self {
            Self::Unknown => 0,
            Self::WhiteWins => 1,
            Self::BlackWins => 2,
            Self::Draw => 3,
        }
    }

    /// The outcome of Scid's code; only the lowest two bits count.
    #[must_use]
    pub fn from_scid(code: u8) -> Self {
        match code & 3 {
            0 => Self::Unknown,
            1 => Self::WhiteWins,
            2 => Self::BlackWins,
            _ => Self::Draw,
        }
    }
}

/// Whether a character is blank: white space, or the NUL that becomes a space if a text cannot hold it.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\0'
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_pgn())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_spelling() {
        use Outcome::*;
        for (text, outcome) in [
            ("*", Unknown),
            ("1-0", WhiteWins),
            ("0-1", BlackWins),
            ("1/2-1/2", Draw),
            ("1/2", Draw),
            ("½-½", Draw),
            ("½", Draw),
            ("0.5-0.5", Draw),
            ("0,5:0,5", Draw),
            ("1:0", WhiteWins),
            ("0 - 1", BlackWins),
            ("\u{0}1-\u{0}0", WhiteWins),
            ("1–0", WhiteWins),
            ("O-1", BlackWins),
            ("1 : 0", WhiteWins),
            ("+--", WhiteWins),
            ("1.0-0.0", WhiteWins),
        ] {
            assert_eq!(Outcome::read(text), Some(outcome), "{text}");
        }
        for text in ["", "1", "0-0", "1-1", "1-1/2", "-", "?", "1-0-1", "unknown"] {
            assert_eq!(Outcome::read(text), None, "{text}");
        }
    }

    #[test]
    fn codes_and_texts_go_both_ways() {
        for outcome in Outcome::ALL {
            assert_eq!(Outcome::from_scid(outcome.to_scid()), outcome);
            assert_eq!(Outcome::from_pgn(outcome.as_pgn()), Some(outcome));
            assert_eq!(Outcome::read(outcome.as_pgn()), Some(outcome));
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic(text in ".{0,40}") {
            let _ = Outcome::read(&text);
        }
    }
}
