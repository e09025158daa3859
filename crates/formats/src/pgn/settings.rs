//! What the reader of a file was told and has found out, shared by all of its blocks.

use tabiya_model::charset::Charset;
use tabiya_model::limits::Limits;

use super::style::PgnStyle;
use crate::format::OpenOptions;
use crate::options::{FormatOption, Takes};

/// Braces in comments nest.
pub const NESTED_COMMENTS: FormatOption =
    FormatOption::new("nested-comments", Takes::Nothing, "Braces in comments nest");
/// The piece letters, king first (`KDTLS` for German); English and figurines unless said.
pub const PIECE_LETTERS: FormatOption = FormatOption::new(
    "piece-letters",
    Takes::Text("LETTERS"),
    "Piece letters of another language, king first, pawn not needed (KDTLS is German)",
);

/// What the reader can be told.
pub(super) static OPTIONS: &[FormatOption] = &[NESTED_COMMENTS, PIECE_LETTERS];

/// What every block of a source reads with.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// The charset of texts that are not UTF-8.
    pub(super) fallback: Charset,
    /// Whether the user has said it.
    pub(super) told: bool,
    /// What the user asked for.
    pub(super) limits: Limits,
    pub(super) nested_comments: bool,
    pub(super) redecode: Option<(Charset, Charset)>,
    /// Letters of king, queen, rook, bishop and knight, and of the pawn where it has one.
    pub(super) piece_letters: Vec<char>,
}

impl Settings {
    /// What a text of a style is read again with.
    pub(super) fn of_style(style: &PgnStyle) -> Settings {
        Settings {
            piece_letters: match &style.pieces {
                Some(pieces) => pieces.letters().chars().collect(),
                None => Vec::new(),
            },
            ..Settings::new(&OpenOptions::default())
        }
    }

    pub(super) fn new(options: &OpenOptions) -> Settings {
        Settings {
            fallback: options.encoding.unwrap_or(Charset::Cp1252),
            told: options.encoding.is_some(),
            limits: options.limits,
            nested_comments: options.settings.is_set(&NESTED_COMMENTS),
            redecode: options.redecode,
            piece_letters: options
                .settings
                .text(&PIECE_LETTERS)
                .unwrap_or("")
                .chars()
                .collect(),
        }
    }
}
