//! What the reader of a file was told and has found out, shared by all of its blocks.

use tabiya_model::charset::Charset;
use tabiya_model::limits::Limits;

use crate::format::OpenOptions;

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
    pub(super) fn new(options: &OpenOptions) -> Settings {
        Settings {
            fallback: options.encoding.unwrap_or(Charset::Cp1252),
            told: options.encoding.is_some(),
            limits: options.limits,
            nested_comments: options.nested_comments,
            redecode: options.redecode,
            piece_letters: options
                .piece_letters
                .as_deref()
                .unwrap_or("")
                .chars()
                .collect(),
        }
    }
}
