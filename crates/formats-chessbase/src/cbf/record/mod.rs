//! One game's record: decrypted, and turned into a game.

mod movetext;
mod tags;
mod trial;

use std::fmt::Write as _;

use tabiya_model::board::PositionProblems;
use tabiya_model::game::{GameOrigin, StartingPosition};
use tabiya_model::outcome::Outcome;
use tabiya_model::{Board, Game, GameNeeds, Location};

use super::charset::CbfCharset;
use super::codes;
use super::comments::CbfComments;
use super::layout::{self, BOARD_BYTES, CbfChecksum, CbfHeader, HEADER_BYTES};
use super::moves::CbfEnPassant;
use crate::counted::counted_bytes;
#[cfg(test)]
pub(super) use movetext::castle_is_attacked;
use movetext::{CbfMovetextReader, CbfQuickBuffers, CbfReaderLine};
pub(super) use tags::outcome_of;
use tags::read_tags;
pub(super) use trial::{CbfTrialResult, try_moves};

/// The start of a variation in the move area.
pub(super) const BEGIN: u8 = 0xff;
/// The end of a variation in the move area.
pub(super) const END: u8 = 0x80;
/// The extension that holds bytes of moves which could not be read.
pub(super) const MOVES_EXTENSION: &str = "cbf.moves";
/// The extension that holds records of comments which belong to no move.
pub(super) const COMMENTS_EXTENSION: &str = "cbf.comments";
/// The extension that holds the codes of a move's evaluation, where NAGs do not give them back.
pub(super) const SYMBOLS_EXTENSION: &str = "cbf.symbols";
/// How many bytes a message shows.
const SHOWN_BYTES: usize = 256;

/// Buffers that a reader keeps from game to game.
#[derive(Default)]
pub struct CbfScratch {
    texts: Vec<u8>,
    moves: Vec<u8>,
    outer: Vec<CbfReaderLine>,
    quick: CbfQuickBuffers,
}

/// The areas of a record, as far as the file has them.
pub(super) struct CbfRecordAreas<'a> {
    pub header: CbfHeader,
    pub texts: &'a [u8],
    pub moves: &'a [u8],
    pub comments: &'a [u8],
    /// The board, wholly there or not.
    pub board: &'a [u8],
    /// Whether everything is there.
    pub is_whole: bool,
}

impl<'a> CbfRecordAreas<'a> {
    /// Cuts a record into its areas; nothing where not even the header is there.
    pub(super) fn new(data: &'a [u8], offset: u64) -> Option<CbfRecordAreas<'a>> {
        let rest = data.get(usize::try_from(offset).ok()?..)?;
        let (bytes, mut rest) = rest.split_first_chunk::<HEADER_BYTES>()?;
        let header = CbfHeader::decrypt(*bytes);
        let mut take = |length: usize| {
            let (area, tail) = rest.split_at(length.min(rest.len()));
            rest = tail;
            (area, area.len() == length)
        };
        let (texts, a) = take(header.texts_len());
        let (moves, b) = take(header.moves_len().unwrap_or(0));
        let (comments, c) = take(header.comments_len());
        let (board, d) = take(if header.is_setup() { BOARD_BYTES } else { 0 });
        Some(CbfRecordAreas {
            header,
            texts,
            moves,
            comments,
            board,
            is_whole: a && b && c && d,
        })
    }

    /// The bytes that are there.
    pub(super) fn len(&self) -> usize {
        HEADER_BYTES + self.texts.len() + self.moves.len() + self.comments.len() + self.board.len()
    }

    /// Decrypts the texts into a buffer.
    pub(super) fn decrypt_texts(&self, buffer: &mut Vec<u8>) {
        buffer.clear();
        buffer.extend_from_slice(self.texts);
        layout::crypt_texts(buffer, self.header.texts_len());
    }

    /// Decrypts the moves into a buffer.
    pub(super) fn decrypt_moves(&self, buffer: &mut Vec<u8>) {
        buffer.clear();
        buffer.extend_from_slice(self.moves);
        layout::crypt_moves(buffer, self.header.moves_len().unwrap_or(0));
    }

    /// The set-up as it stands, where the position that was read would be stored in another way.
    fn odd_setup(&self, game: &Game) -> Option<String> {
        let StartingPosition::Setup(board, _) = &game.start else {
            return None;
        };
        layout::odd_setup(&self.header, self.board.try_into().ok()?, &board.to_setup())
    }

    /// The start position with what is odd about it; nothing where the board is cut.
    fn setup(&self) -> Option<(Board, PositionProblems, u32)> {
        let bytes: &[u8; BOARD_BYTES] = self.board.try_into().ok()?;
        let (setup, unknown) = layout::read_setup(&self.header, bytes);
        let (board, problems) = Board::from_setup(&setup);
        Some((board, problems, unknown))
    }

    /// The normal start or the set-up position.
    pub(super) fn start(&self) -> Option<(Board, CbfEnPassant)> {
        if !self.header.is_setup() {
            return Some((Board::standard(), CbfEnPassant::default()));
        }
        let (board, _, _) = self.setup()?;
        Some((board, CbfEnPassant::new(self.header.en_passant_file())))
    }
}

/// What is decided once for a database.
#[derive(Copy, Clone)]
pub(super) struct CbfReadSettings {
    pub letters: CbfCharset,
    pub audit: bool,
}

/// The two players and the source of a decrypted text buffer.
pub(super) fn texts_of(header: CbfHeader, texts: &[u8]) -> (&[u8], &[u8]) {
    texts.split_at(header.players_len().min(texts.len()))
}

/// Reads the record at an offset into a game.
pub(super) fn read(
    data: &[u8],
    number: u64,
    offset: u64,
    rules: CbfReadSettings,
    want: GameNeeds,
    scratch: &mut CbfScratch,
    game: &mut Game,
) {
    game.clear();
    game.origin = GameOrigin {
        number,
        byte: offset,
        length: 0,
        line: 0,
    };
    let place = || Location {
        game: Some(number),
        byte: Some(offset),
        ..Location::default()
    };
    let Some(areas) = CbfRecordAreas::new(data, offset) else {
        let left = (data.len() as u64).saturating_sub(offset);
        let (code, message) = if left == 0 {
            let message = format!("the file ends at byte {}", data.len());
            (&codes::OFFSET, message)
        } else {
            let message = format!(
                "the header has only {}; nothing was read",
                counted_bytes(left)
            );
            (&codes::RECORD_CUT, message)
        };
        game.diagnostics.report(code, place, || message);
        finish_empty(game);
        return;
    };
    let header = areas.header;
    game.origin.length = areas.len() as u64;
    if !areas.is_whole {
        game.diagnostics.report(&codes::RECORD_CUT, place, || {
            format!(
                "{} of {} bytes were found (texts {} of {}, moves {} of {}, comments {} of {}, board {})",
                areas.len(),
                header.record_len(),
                areas.texts.len(),
                header.texts_len(),
                areas.moves.len(),
                header.moves_len().unwrap_or(0),
                areas.comments.len(),
                header.comments_len(),
                if !header.is_setup() {
                    "none"
                } else if areas.board.len() == BOARD_BYTES {
                    "complete"
                } else {
                    "truncated"
                },
            )
        });
    }
    if header.checksum() == CbfChecksum::Wrong {
        game.diagnostics
            .report(&codes::CHECKSUM, place, || "read unchanged".to_owned());
    }
    if header.moves_len().is_none() {
        game.diagnostics.report(&codes::HEADER, place, || {
            "the length of the moves is 0; read as a game without moves".to_owned()
        });
    }
    areas.decrypt_texts(&mut scratch.texts);
    let start = read_start(&areas, game, &place);
    let odd_setup = areas.odd_setup(game);
    read_tags(header, &scratch.texts, rules, odd_setup, game, &place);
    if !want.moves {
        return;
    }
    areas.decrypt_moves(&mut scratch.moves);
    let Some((board, en_passant)) = start else {
        if !scratch.moves.is_empty() {
            game.tape.push_extension(MOVES_EXTENSION, &scratch.moves);
        }
        if areas.comments.len() > 1 {
            game.tape.push_extension(COMMENTS_EXTENSION, areas.comments);
        }
        return;
    };
    let (mut comments, begins_well) = CbfComments::new(areas.comments);
    if !begins_well && want.annotations {
        game.diagnostics.report(&codes::COMMENTS, place, || {
            "the comments do not begin with their mark".to_owned()
        });
    }
    let early = match want.annotations && areas.comments.len() > 1 {
        true => comments.take_early(commented_moves(&scratch.moves)),
        false => None,
    };
    scratch.outer.clear();
    let movetext = CbfMovetextReader {
        area: &scratch.moves,
        comments,
        rules,
        want,
        place: &place,
        game,
        outer: &mut scratch.outer,
        missing: 0,
        early,
        takes_kings: false,
        has_variations: memchr::memchr(BEGIN, &scratch.moves).is_some(),
    };
    movetext.read(board, en_passant, &mut scratch.quick);
    if rules.audit {
        // Where Black begins, some writers count White's missing move.
        let plies = game.tape.plies();
        let moves = plies.div_ceil(2);
        let fits = |moves: usize| u8::try_from(moves).unwrap_or(u8::MAX) == header.move_count();
        let black_begins = game.start_board().turn().is_black();
        let counts = fits(moves) || (black_begins && fits((plies + 1).div_ceil(2)));
        if !counts {
            game.diagnostics.report(&codes::MOVE_COUNT, place, || {
                format!("{}, but the main line has {moves}", header.move_count())
            });
        }
    }
}

/// A game of which nothing is known.
fn finish_empty(game: &mut Game) {
    for name in tabiya_model::tags::ROSTER {
        game.tags
            .push(name, tabiya_model::tag_name::missing_value(name));
    }
    game.outcome = Some(Outcome::Unknown);
}

/// Reads the set-up position; nothing where it is not there.
fn read_start(
    areas: &CbfRecordAreas<'_>,
    game: &mut Game,
    place: &impl Fn() -> Location,
) -> Option<(Board, CbfEnPassant)> {
    if !areas.header.is_setup() {
        return Some((Board::standard(), CbfEnPassant::default()));
    }
    let (board, problems, unknown) = areas.setup()?;
    let odd = PositionProblems::BAD_CASTLING | PositionProblems::BAD_EN_PASSANT;
    let corrected = problems != problems.without(odd);
    if unknown != 0 || corrected || areas.header.en_passant_file() > 8 {
        game.diagnostics.report(&codes::SETUP, place, || {
            let mut message = problems.to_string();
            if unknown != 0 {
                let _ = write!(message, "; squares with an unknown piece: {unknown}");
            }
            if areas.header.en_passant_file() > 8 {
                let file = areas.header.en_passant_file();
                let _ = write!(message, "; en passant file {file}");
            }
            message.trim_start_matches("; ").to_owned()
        });
    }
    let en_passant = CbfEnPassant::new(areas.header.en_passant_file());
    game.start = StartingPosition::Setup(Box::new(board.clone()), problems);
    Some((board, en_passant))
}

/// Moves of a move area that announce a comment.
fn commented_moves(area: &[u8]) -> usize {
    let end = memchr::memchr(0, area).unwrap_or(area.len());
    let moves = area.get(..end).unwrap_or_default();
    moves.iter().filter(|byte| is_commented(**byte)).count()
}

/// Whether a byte of the move area is a move with a comment.
fn is_commented(byte: u8) -> bool {
    byte > END && byte != BEGIN
}

/// Bytes in hexadecimal, as many as a message takes.
pub(super) fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes.iter().take(SHOWN_BYTES) {
        if !text.is_empty() {
            text.push(' ');
        }
        let _ = write!(text, "{byte:02x}");
    }
    if bytes.len() > SHOWN_BYTES {
        text.push_str(" …");
    }
    text
}
