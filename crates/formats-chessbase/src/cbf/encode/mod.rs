//! One game to its record: tags to the header and the texts, the tape to moves and comments.

mod movetext;
mod tags;

use tabiya_model::charset::Charset;
use tabiya_model::game::{StartingPosition, Variant};
use tabiya_model::{Board, Game, Losses};

use super::charset::CbfCharset;
use super::layout::{self, CbfChecksum, CbfHeader};
use super::losses::LOST_START;
use super::moves::CbfEnPassant;
use super::tag_names::SETUP_TAG;
use movetext::CbfMovetextEncoder;
use tags::CbfTagWriter;

/// Bytes of a text that programs of DOS were made for; longer ones fit the field.
const DOS_TEXT: usize = 47;
/// Bytes of a comment that they were made for.
const DOS_COMMENT: usize = 3 * 78;
/// The highest number of a set-up's move that they read rightly.
const DOS_MOVE: u32 = 128;

/// What programs of DOS may not be able to show, counted over the games.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct CbfDosExcess {
    pub(super) texts: u64,
    pub(super) comments: u64,
    pub(super) move_numbers: u64,
}

impl CbfDosExcess {
    /// Takes in what another thread has counted.
    pub(super) fn add(&mut self, other: CbfDosExcess) {
        self.texts += other.texts;
        self.comments += other.comments;
        self.move_numbers += other.move_numbers;
    }

    /// A note for people, where there is something to note.
    pub(super) fn note(self) -> Option<String> {
        let mut parts = Vec::new();
        for (count, what, rest) in [
            (self.texts, "text", "of more than 47 bytes"),
            (
                self.comments,
                "comment",
                "of more than 3 lines of 78 characters",
            ),
            (
                self.move_numbers,
                "starting position",
                "with a move number above 128",
            ),
        ] {
            if count > 0 {
                let plural = if count == 1 { "" } else { "s" };
                parts.push(format!("{count} {what}{plural} {rest}"));
            }
        }
        (!parts.is_empty()).then(|| format!("not for DOS programs: {}", parts.join(", ")))
    }
}

/// Encodes games one after the other and keeps its buffers.
pub(super) struct CbfGameEncoder {
    letters: CbfCharset,
    movetext: CbfMovetextEncoder,
    pub(super) too_much: CbfDosExcess,
}

impl CbfGameEncoder {
    pub(super) fn new(charset: Charset) -> CbfGameEncoder {
        let letters = CbfCharset::of(charset);
        CbfGameEncoder {
            letters,
            movetext: CbfMovetextEncoder::new(letters),
            too_much: CbfDosExcess::default(),
        }
    }

    /// Appends the record of a game and reports what it does not hold.
    pub(super) fn encode(&mut self, game: &Game, record: &mut Vec<u8>, losses: &mut Losses) {
        let mut header = CbfHeader::default();
        header.0[11] = 0x40;
        let number = game.origin.number;
        let (start, board, keeps_setup) = write_start(game, &mut header, losses);
        let mut tags = CbfTagWriter {
            tags: &game.tags,
            letters: self.letters,
            number,
            losses,
            header: &mut header,
            formula: CbfChecksum::B,
            keeps_setup,
        };
        let (players, source) = tags.write(game);
        let formula = tags.formula;
        let en_passant = CbfEnPassant::new(if board.is_some() {
            header.en_passant_file()
        } else {
            0
        });
        self.movetext.encode(game, start, en_passant, losses);
        let (moves, comments) = (&self.movetext.moves, &self.movetext.comments);
        header.set_lengths(players.len(), source.len(), moves.len(), comments.len());
        let full_moves = self.movetext.full_moves();
        header.0[12] = u8::try_from(full_moves).unwrap_or(u8::MAX);
        header.seal(formula);

        record.extend_from_slice(&header.encrypt());
        let texts = record.len();
        record.extend_from_slice(&players);
        record.extend_from_slice(&source);
        if let Some(area) = record.get_mut(texts..) {
            layout::crypt_texts(area, players.len() + source.len());
        }
        let at = record.len();
        record.extend_from_slice(moves);
        if let Some(area) = record.get_mut(at..) {
            layout::crypt_moves(area, moves.len());
        }
        record.extend_from_slice(comments);
        if let Some(board) = board {
            record.extend_from_slice(&board);
        }
        for text in [players, source] {
            self.too_much.texts += u64::from(text.len() > DOS_TEXT);
        }
        self.too_much.comments += self.movetext.long_comments(DOS_COMMENT);
        if let StartingPosition::Setup(board, _) = &game.start {
            self.too_much.move_numbers += u64::from(board.fullmoves() > DOS_MOVE);
        }
    }
}

/// Stores the start position; gives it as a reader will see it, and the board of the record.
fn write_start(
    game: &Game,
    header: &mut CbfHeader,
    losses: &mut Losses,
) -> (Board, Option<[u8; layout::BOARD_BYTES]>, bool) {
    let number = game.origin.number;
    if game.variant != Variant::Standard {
        losses.report(&LOST_START, number, "the rules of another variant");
    }
    let StartingPosition::Setup(board, _) = &game.start else {
        return (Board::standard(), None, false);
    };
    if let Some((stored, bytes)) = kept_setup(game, board, header) {
        return (stored, Some(bytes), true);
    }
    let bytes = layout::write_setup(&board.to_setup(), header);
    let (setup, _) = layout::read_setup(header, &bytes);
    let (stored, _) = Board::from_setup(&setup);
    let (before, after) = (board.to_fen(), stored.to_fen());
    if before != after {
        losses.report(&LOST_START, number, format!("{before} as {after}"));
    }
    (stored, Some(bytes), false)
}

/// The set-up as a file of this format had it, where it still means the start position.
fn kept_setup(
    game: &Game,
    board: &Board,
    header: &mut CbfHeader,
) -> Option<(Board, [u8; layout::BOARD_BYTES])> {
    let mut kept = *header;
    let bytes = layout::restore_setup(game.tags.get(SETUP_TAG)?, &mut kept)?;
    let (setup, _) = layout::read_setup(&kept, &bytes);
    let (stored, _) = Board::from_setup(&setup);
    layout::odd_setup(&kept, &bytes, &stored.to_setup())?;
    if stored.to_fen() != board.to_fen() {
        return None;
    }
    *header = kept;
    Some((stored, bytes))
}
