//! Guessing the charset of text that does not say.

use super::Charset;

/// A guessed charset.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Guess {
    /// The likeliest charset; UTF-8 for pure ASCII, CP1252 where nothing else fits better.
    pub charset: Charset,
    /// How sure the guess is, from 0.0 (no evidence) to 1.0 (certain).
    pub confidence: f32,
}

/// Collects evidence from strings or whole games.
#[derive(Debug, Clone, Default)]
pub struct Detector {
    malformed: bool,
    high: bool,
}

impl Detector {
    /// A detector that has seen nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes in one text, such as a name, a comment or a whole game.
    pub fn push(&mut self, bytes: &[u8]) {
        self.high |= !bytes.is_ascii();
        self.malformed |= std::str::from_utf8(bytes).is_err();
    }

    /// The likeliest charset so far.
    #[must_use]
    pub fn guess(&self) -> Guess {
        match (self.high, self.malformed) {
            (false, _) => Guess {
                charset: Charset::Utf8,
                confidence: 0.0,
            },
            (true, false) => Guess {
                charset: Charset::Utf8,
                confidence: 1.0,
            },
            (true, true) => Guess {
                charset: Charset::Cp1252,
                confidence: 0.1,
            },
        }
    }
}

/// Guesses the charset of one text.
#[must_use]
pub fn detect(bytes: &[u8]) -> Guess {
    let mut detector = Detector::new();
    detector.push(bytes);
    detector.guess()
}
