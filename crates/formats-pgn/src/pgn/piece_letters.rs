//! The piece letters of written moves: other languages, figurines, and moves without check marks.

use std::sync::Arc;

use tabiya_model::error_codes;
use tabiya_model::notation::languages::letters_of;
use tabiya_model::{Error, Result};

/// The letters of king, queen, rook, bishop and knight.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PieceLetters(Arc<[char; 5]>);

const ENGLISH: &[u8; 5] = b"KQRBN";

impl PieceLetters {
    /// Reads `figurine`, the name of a language such as `german`, or five letters, king first (`KDTLS`).
    ///
    /// # Errors
    /// If it is none of these.
    pub fn parse(text: &str) -> Result<PieceLetters> {
        let letters = letters_of(text).unwrap_or(text);
        let letters: Vec<char> = letters.chars().collect();
        match <[char; 5]>::try_from(letters) {
            // Two pieces with the same letter (Russian king and knight) cannot be distinguished when they are read.
            Ok(letters)
                if letters
                    .iter()
                    .all(|c| !c.is_ascii() || c.is_ascii_uppercase()) =>
            {
                let is_twice = |c: &char| letters.iter().filter(|other| *other == c).count() > 1;
                if letters.iter().any(is_twice) {
                    return Err(Error::new(
                        &error_codes::BAD_PIECE_LETTERS,
                        format!("{text}: two pieces have the same letter"),
                    ));
                }
                Ok(PieceLetters(Arc::new(letters)))
            }
            _ => Err(Error::new(
                &error_codes::BAD_PIECE_LETTERS,
                format!(
                    "{text}: piece letters are `figurine`, a language such as german, or five capitals, king first, such as KDTLS"
                ),
            )),
        }
    }

    /// The letters, king first, in the form of the reader's option.
    pub(super) fn letters(&self) -> String {
        self.0.iter().collect()
    }

    /// A move with these letters instead of the English ones.
    pub(super) fn translate(&self, english: &[u8]) -> String {
        let letter = |byte: &u8| match ENGLISH.iter().position(|known| known == byte) {
            Some(piece) => self.0.get(piece).copied().unwrap_or('?'),
            None => char::from(*byte),
        };
        english.iter().map(letter).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_letters_and_figurines() {
        let written = |name: &str, english: &str| {
            PieceLetters::parse(name)
                .expect("letters")
                .translate(english.as_bytes())
        };
        assert_eq!(written("german", "Nf3"), "Sf3");
        assert_eq!(written("KDTLS", "e8=Q+"), "e8=D+");
        assert_eq!(written("figurine", "Bxc6"), "\u{2657}xc6");
        assert_eq!(written("Spanish", "O-O-O"), "O-O-O");
        assert!(PieceLetters::parse("russian").is_err());
        assert!(PieceLetters::parse("kdtls").is_err());
        assert!(PieceLetters::parse("KD").is_err());
    }
}
