//! Records of `.2cbg` as games: start, moves with their annotations, and the bodies of guiding texts.

use tabiya_io::bytes::ByteCursor;
use tabiya_model::board::Board;
use tabiya_model::game::{StartingPosition, Variant};
use tabiya_model::{DiagnosticCode, Game, GameNeeds, Location};

use super::annotated_moves::{self, Cbh2AnnotationRecord};
use super::annotations::END;
use super::base::Cbh2Reader;
use super::codes;
use super::entities::texts_by_nation;
use super::layout::{Cbh2Frame, checksum};
use super::moves::{self, Cbh2MoveFinding, Cbh2MovePlace, Cbh2StartPieces, castle_squares};
use super::scratch::Cbh2Scratch;
use super::start::{
    Cbh2Setup, Cbh2Start, Cbh2StartPosition, chess960_board, read_start, right_bit,
};
use super::text;
use crate::cbh::moves::{CbhMoveTree, CbhTreeStep};
use crate::cbh::tables;
use crate::cbh::text::{plain_of_html, text_of};
use crate::counted::{counted, counted_bytes};

/// The extension of moves that could not be read.
pub const MOVES_EXTENSION: &str = "2cbh.moves";
/// The extension of bytes after the moves.
pub const AFTER_EXTENSION: &str = "2cbh.after-moves";
/// The extension of a whole record of the header file that is neither game nor text nor analysis.
pub const RECORD_EXTENSION: &str = "2cbh.record";
/// The extension of the unknown bytes of an analysis.
pub const ANALYSIS_EXTENSION: &str = "2cbh.analysis";
/// The extension of the points of a game's classification.
pub const SCORES_EXTENSION: &str = "2cbh.scores";
/// The extension of the number of a text's media.
pub const MEDIA_EXTENSION: &str = "2cbh.media";
/// The extension of the body of a guiding text.
pub const TEXT_EXTENSION: &str = "2cbh.text";

/// Reports something about a record of moves.
fn report(
    frame: &Cbh2Frame<'_>,
    game: &mut Game,
    code: &'static DiagnosticCode,
    byte: usize,
    message: impl FnOnce() -> String,
) {
    let number = game.origin.number;
    game.diagnostics.report(
        code,
        || Location {
            byte: Some(frame.offset.saturating_add(byte as u64)),
            ..Location::game(number)
        },
        message,
    );
}

/// Reports what is wrong with a record but does not keep it from being read.
pub(super) fn look_at_frame(frame: &Cbh2Frame<'_>, game: &mut Game) {
    let found = checksum(frame.content);
    if found != frame.checksum {
        report(frame, game, &codes::CHECKSUM, 0x10, || {
            format!("{:016x} is stored, {found:016x} is correct", frame.checksum)
        });
    }
    if let Some(fault) = frame.fault() {
        report(frame, game, &codes::BAD_FRAME, 0, || fault);
    }
}

/// The board of a start, where it is not the normal one.
fn board_of(
    start: &Cbh2Start,
    granted: u8,
    game: &mut Game,
    frame: &Cbh2Frame<'_>,
) -> Option<Board> {
    let (board, problems) = match &start.position {
        Cbh2StartPosition::Standard => return None,
        Cbh2StartPosition::Number(number) => chess960_board(*number),
        Cbh2StartPosition::Setup(setup) => {
            let found = setup.board(start.is_chess960, granted);
            if let Some(guess) = found.guess {
                report(frame, game, &codes::START_GUESS, 0, || {
                    format!("guessed: {guess}")
                });
            }
            if granted != 0 {
                report(frame, game, &codes::GRANTED_RIGHT, 0, || {
                    format!("castling rights {granted} were added")
                });
            }
            (found.board, found.problems)
        }
    };
    if !problems.is_empty() {
        report(frame, game, &codes::ODD_START, 0, || {
            format!("{problems}: {}", board.to_fen())
        });
    }
    game.start = StartingPosition::Setup(Box::new(board.clone()), problems);
    if board.is_chess960() {
        game.variant = Variant::Chess960;
    }
    Some(board)
}

/// The castling rights that a set-up position lacks and its game uses, where king and rook stand for them.
fn missing_rights(
    setup: &Cbh2Setup,
    start: &Cbh2Start,
    content: &[u8],
    scratch: &mut Cbh2Scratch,
) -> u8 {
    let board = setup.board(start.is_chess960, 0).board;
    let mut missing = 0;
    moves::decode(
        content.get(start.at..).unwrap_or(&[]),
        &Cbh2StartPieces::of(&board, start.is_chess960),
        Some(&board),
        true,
        &mut scratch.memory,
        &mut scratch.tree,
        &mut |_, finding| {
            if let Cbh2MoveFinding::NoRight { color, side } = finding
                && castle_squares(&board, color, side, start.is_chess960).is_some()
                && board.castling_rook(color, side).is_none()
            {
                missing |= right_bit(color, side);
            }
        },
    );
    missing
}

/// The pieces of the normal start.
static STANDARD: std::sync::LazyLock<(Board, Cbh2StartPieces)> = std::sync::LazyLock::new(|| {
    let board = Board::standard();
    let pieces = Cbh2StartPieces::of(&board, false);
    (board, pieces)
});

/// Reads the moves of a game, and its annotations where they were found.
pub(super) fn read_moves(
    base: &Cbh2Reader,
    frame: &Cbh2Frame<'_>,
    notes: Option<Cbh2AnnotationRecord<'_>>,
    want: GameNeeds,
    scratch: &mut Cbh2Scratch,
    game: &mut Game,
) {
    scratch.start_number = None;
    let start = match read_start(frame.content, frame.tag) {
        Ok(start) => start,
        Err((at, problem)) => {
            report(frame, game, &codes::BAD_START, at, || problem);
            if want.moves && want.annotations {
                game.tape.push_extension(MOVES_EXTENSION, frame.content);
            }
            push_notes_without_moves(base, notes, want, scratch, game);
            return;
        }
    };
    if start.is_chess960 {
        game.variant = Variant::Chess960;
    }
    let granted = match &start.position {
        Cbh2StartPosition::Setup(setup) => missing_rights(setup, &start, frame.content, scratch),
        Cbh2StartPosition::Number(number) => {
            scratch.start_number = Some(*number);
            0
        }
        Cbh2StartPosition::Standard => 0,
    };
    let board = board_of(&start, granted, game, frame);
    if !want.moves {
        return;
    }
    let own = board.map(|board| {
        let pieces = Cbh2StartPieces::of(&board, start.is_chess960);
        (board, pieces)
    });
    let (board, pieces) = match &own {
        Some((board, pieces)) => (board, pieces),
        None => (&STANDARD.0, &STANDARD.1),
    };
    let notes = notes.filter(|notes| want.annotations && !notes.is_empty());
    let stream = frame.content.get(start.at..).unwrap_or(&[]);
    let mut findings = Vec::new();
    let understood = moves::decode(
        stream,
        pieces,
        want.verify.then_some(board),
        // Which annotation belongs to which move is known only when all moves are.
        want.variations || notes.is_some(),
        &mut scratch.memory,
        &mut scratch.tree,
        &mut |at, finding| findings.push((at, finding)),
    );
    let mut after = 0;
    for (at, finding) in findings {
        after = after.max(tell(frame, start.at, at, finding, game));
    }
    match notes {
        Some(notes) => {
            annotated_moves::emit_notes(&notes, base.charset(), want, scratch, game);
        }
        None => emit_moves(&mut scratch.tree, want.variations, game),
    }
    if want.annotations {
        if let Some(rest) = stream.get(understood..).filter(|rest| !rest.is_empty()) {
            game.tape.push_extension(MOVES_EXTENSION, rest);
        } else if after > 0 {
            let from = stream.len().saturating_sub(after);
            let after = stream.get(from..).unwrap_or(&[]);
            game.tape.push_extension(AFTER_EXTENSION, after);
        }
    }
}

/// A game whose moves are not there has its annotations at the start.
pub(super) fn push_notes_without_moves(
    base: &Cbh2Reader,
    notes: Option<Cbh2AnnotationRecord<'_>>,
    want: GameNeeds,
    scratch: &mut Cbh2Scratch,
    game: &mut Game,
) {
    let is_wanted = |notes: &Cbh2AnnotationRecord<'_>| want.annotations && !notes.is_empty();
    if let Some(notes) = notes.filter(is_wanted) {
        scratch.tree = CbhMoveTree::default();
        annotated_moves::emit_notes(&notes, base.charset(), want, scratch, game);
    }
}

/// Reports a finding; says how many bytes after the moves are to be kept.
fn tell(
    frame: &Cbh2Frame<'_>,
    base: usize,
    at: Cbh2MovePlace,
    finding: Cbh2MoveFinding,
    game: &mut Game,
) -> usize {
    let byte = frame.offset.saturating_add((base + at.byte) as u64);
    let number = game.origin.number;
    let place = || Location {
        byte: Some(byte),
        ..Location::game(number).at_ply(at.ply)
    };
    let (code, message) = match finding {
        Cbh2MoveFinding::Illegal(m) => (&codes::ILLEGAL_MOVE, format!("{m:?} is kept")),
        Cbh2MoveFinding::NoRight { .. } => (
            &codes::ILLEGAL_MOVE,
            "castling without castling rights is kept".to_owned(),
        ),
        Cbh2MoveFinding::NoEnd => (&codes::NO_END, "the record has no end mark".to_owned()),
        Cbh2MoveFinding::Fault(fault) => (&codes::BAD_MOVE, fault.to_string()),
        Cbh2MoveFinding::After(bytes) => {
            game.diagnostics
                .report(&codes::BYTES_AFTER_END, place, || counted_bytes(bytes));
            return bytes;
        }
    };
    game.diagnostics.report(code, place, || message);
    0
}

fn emit_moves(tree: &mut CbhMoveTree, variations: bool, game: &mut Game) {
    let tape = &mut game.tape;
    let mut depth = 0_usize;
    tree.walk(|step| match step {
        CbhTreeStep::Move(_, m) if variations || depth == 0 => tape.push_move(m),
        CbhTreeStep::Move(..) => {}
        CbhTreeStep::Begin => {
            depth += 1;
            if variations {
                tape.begin_variation();
            }
        }
        CbhTreeStep::End => {
            depth = depth.saturating_sub(1);
            if variations {
                tape.end_variation();
            }
        }
    });
}

/// The language for which a nation stands in a text, in front of the text.
pub(super) fn language_mark(nation: i32) -> String {
    match u8::try_from(nation).ok().and_then(tables::language) {
        Some(letters) => format!("[%lang {letters}] "),
        None if nation == 0 => String::new(),
        None => format!("[%lang {nation}] "),
    }
}

/// Reads the body of a guiding text.
pub(super) fn read_text(
    base: &Cbh2Reader,
    frame: &Cbh2Frame<'_>,
    want: GameNeeds,
    game: &mut Game,
) {
    let mut cursor = ByteCursor::new(frame.content);
    let head = cursor.u16_le().ok().zip(cursor.i32_le().ok());
    let mut texts = Vec::new();
    let fault = match head {
        None => Some("its header is truncated".to_owned()),
        Some((format, size)) => {
            let rest = cursor.remaining();
            let fault = match texts_by_nation(&mut cursor) {
                Ok(found) => {
                    texts = found;
                    (!cursor.is_empty())
                        .then(|| counted(cursor.remaining(), "byte follows it", "bytes follow it"))
                }
                Err(error) => Some(error.to_string()),
            };
            let is_known = format == 5 && usize::try_from(size).ok() == Some(rest);
            fault.or_else(|| {
                (!is_known).then(|| format!("format {format}, stored size {size} of {rest} bytes"))
            })
        }
    };
    if let Some(fault) = fault {
        report(frame, game, &codes::BAD_TEXT, 0, || fault);
    }
    if !want.annotations {
        return;
    }
    for (nation, html) in texts {
        if html.is_empty() {
            continue;
        }
        let html = text_of(html, text::read(html, base.charset()));
        let text = [&*language_mark(nation), &*plain_of_html(&html)].concat();
        game.tape.push_comment(&text);
    }
    game.tape.push_extension(TEXT_EXTENSION, frame.content);
}

/// The tags of a start position and its variant, which the moves decide.
pub(super) fn push_start_tags(game: &mut Game) {
    if let StartingPosition::Setup(board, _) = &game.start {
        game.tags.push("SetUp", "1");
        game.tags.push("FEN", &board.to_fen());
    }
    if game.variant == Variant::Chess960 {
        game.tags.push("Variant", "Chess960");
    }
}

/// The content of an annotation record without annotations.
pub(super) const NO_ANNOTATIONS: [u8; 4] = END.to_le_bytes();
