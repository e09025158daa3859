//! The given and detected settings of the reader of a file, shared by all of its blocks.

use tabiya_model::charset::Charset;
use tabiya_model::error_codes;
use tabiya_model::limits::ReadLimits;
use tabiya_model::notation::languages::letters_of;
use tabiya_model::{Error, Result};

use super::style::PgnStyle;
use tabiya_codec::format::OpenOptions;
use tabiya_codec::options::{FormatOption, OptionArgument};

/// Braces in comments nest.
pub const NESTED_COMMENTS: FormatOption = FormatOption::new(
    "nested-comments",
    OptionArgument::Nothing,
    "Allow nested comments",
);
/// The piece letters of a language, by its name or king first (`KDTLS` for German); by default English, figurines, and the
/// language that matches a game.
pub const PIECE_LETTERS: FormatOption = FormatOption::new(
    "piece-letters",
    OptionArgument::Text("LETTERS"),
    "Piece letters of another language: its name (german), or the letters, king first (KDTLS)",
);

/// The options of the reader.
pub(super) static OPTIONS: &[FormatOption] = &[NESTED_COMMENTS, PIECE_LETTERS];

/// The settings for every block of a source.
#[derive(Clone, Debug)]
pub(super) struct PgnReaderSettings {
    /// The charset of texts that are not UTF-8.
    pub(super) fallback: Charset,
    /// Whether the user has chosen it.
    pub(super) told: bool,
    /// The limits of the user.
    pub(super) limits: ReadLimits,
    pub(super) nested_comments: bool,
    pub(super) redecode: Option<(Charset, Charset)>,
    /// Letters of king, queen, rook, bishop and knight, and of the pawn if it has one.
    pub(super) piece_letters: Vec<char>,
}

impl PgnReaderSettings {
    /// The settings for reading a text of a style again.
    pub(super) fn of_style(style: &PgnStyle) -> PgnReaderSettings {
        PgnReaderSettings {
            piece_letters: match &style.pieces {
                Some(pieces) => pieces.letters().chars().collect(),
                None => Vec::new(),
            },
            ..PgnReaderSettings::new(&OpenOptions::default())
        }
    }

    pub(super) fn new(options: &OpenOptions) -> PgnReaderSettings {
        PgnReaderSettings {
            fallback: options.encoding.unwrap_or(Charset::Cp1252),
            told: options.encoding.is_some(),
            limits: options.limits,
            nested_comments: options.settings.is_set(&NESTED_COMMENTS),
            redecode: options.redecode,
            piece_letters: {
                let told = options.settings.text(&PIECE_LETTERS).unwrap_or("");
                letters_of(told).unwrap_or(told).chars().collect()
            },
        }
    }

    /// Refuses letters that cannot be piece letters.
    ///
    /// # Errors
    /// If they are neither a language nor five or six letters.
    pub(super) fn check(options: &OpenOptions) -> Result<()> {
        let told = options.settings.text(&PIECE_LETTERS).unwrap_or("");
        let count = told.chars().count();
        let is_usable = told.is_empty()
            || letters_of(told).is_some()
            || (matches!(count, 5 | 6)
                && told
                    .chars()
                    .all(|c| c.is_uppercase() || ('\u{2654}'..='\u{265f}').contains(&c)));
        if is_usable {
            return Ok(());
        }
        Err(Error::new(
            &error_codes::BAD_PIECE_LETTERS,
            format!(
                "{told}: piece letters are a language such as german, or five capitals, king first, such as KDTLS"
            ),
        ))
    }
}
