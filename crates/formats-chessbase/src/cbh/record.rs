//! Records of `.cbg` and `.cba` as games: start, moves with their annotations, and the bodies of guiding texts.

use shakmaty::{Bitboard, CastlingSide, Color, Role, Square};
use tabiya_model::board::{Board, PositionProblems};
use tabiya_model::game::{StartingPosition, Variant};
use tabiya_model::{DiagnosticCode, Game, GameNeeds, Location, Tape};

use super::annotated_moves;
use super::base::CbhReader;
use super::codes;
use super::layout::{CbhChess960Record, CbhMoveHead, CbhStartRecord, square_by_files};
use super::moves::{
    self, CbhMoveEncoding, CbhMoveFinding, CbhMoveOptions, CbhMovePlace, CbhMoveTree, CbhPieces,
    CbhTreeStep,
};
pub use super::scratch::CbhScratch;
use super::tables;
use super::tags;
use super::text::{self, CbhTextEncoding, HTML};
use crate::counted::counted_bytes;

/// The extension of moves that could not be read.
pub const MOVES_EXTENSION: &str = "cbh.moves";
/// The extension of bytes after the moves.
pub const AFTER_EXTENSION: &str = "cbh.after-moves";
/// The extension of a whole record of the header file that is neither game nor text.
pub const RECORD_EXTENSION: &str = "cbh.record";
/// The extension of the body of a guiding text.
pub const TEXT_EXTENSION: &str = "cbh.text";

/// What stands in the record of a game's moves.
pub(super) struct CbhMoveRecord<'a> {
    /// The number of the game.
    pub(super) number: u64,
    /// Where the record begins in the file.
    pub(super) offset: u64,
    /// Its head and all its bytes, the head included.
    pub(super) head: CbhMoveHead,
    pub(super) bytes: &'a [u8],
}

impl CbhMoveRecord<'_> {
    pub(super) fn report(
        &self,
        game: &mut Game,
        code: &'static DiagnosticCode,
        byte: usize,
        message: String,
    ) {
        game.diagnostics.report(
            code,
            || Location {
                byte: Some(self.offset.saturating_add(byte as u64)),
                ..Location::game(self.number)
            },
            || message,
        );
    }
}

/// Where the moves begin in a record, the board before them, and its data of Chess960.
struct CbhMoveStart {
    at: usize,
    board: Board,
    chess960: Option<CbhChess960Record>,
}

/// Reads what stands before the moves. `Err` names what is wrong and where.
fn beginning(
    record: &CbhMoveRecord<'_>,
) -> Result<(CbhMoveStart, Option<CbhStartRecord>), (usize, String)> {
    let mut at = CbhMoveHead::LENGTH;
    let is_chess960 = matches!(record.head.mode(), 10 | 11);
    if !record.head.has_start() {
        let beginning = CbhMoveStart {
            at,
            board: Board::standard(),
            chess960: None,
        };
        return Ok((beginning, None));
    }
    let cut = || (at, "the record ends within it".to_owned());
    let bytes = record.bytes.get(at..).and_then(|rest| rest.first_chunk());
    let start = CbhStartRecord::decode(bytes.ok_or_else(cut)?)
        .ok_or_else(|| (at, "a piece has an unknown number".to_owned()))?;
    at += CbhStartRecord::LENGTH;
    let mut chess960 = None;
    if is_chess960 {
        let cut = || (at, "the record ends within the data of Chess960".to_owned());
        let bytes = record.bytes.get(at..).and_then(|rest| rest.first_chunk());
        chess960 = Some(CbhChess960Record::decode(bytes.ok_or_else(cut)?));
        at += CbhChess960Record::LENGTH;
    }
    let board = start_board(&start, chess960, 0).0;
    let beginning = CbhMoveStart {
        at,
        board,
        chess960,
    };
    Ok((beginning, Some(start)))
}

/// The bit of a castling right.
fn right_bit(color: Color, side: CastlingSide) -> u8 {
    match (color, side) {
        (Color::White, CastlingSide::QueenSide) => 1,
        (Color::White, CastlingSide::KingSide) => 2,
        (Color::Black, CastlingSide::QueenSide) => 4,
        (Color::Black, CastlingSide::KingSide) => 8,
    }
}

/// The board of a start position, with further castling rights than it names.
pub(super) fn start_board(
    start: &CbhStartRecord,
    chess960: Option<CbhChess960Record>,
    granted: u8,
) -> (Board, PositionProblems) {
    let mut setup = start.setup();
    let mut rooks = Bitboard::EMPTY;
    for (color, side) in [Color::White, Color::Black]
        .into_iter()
        .flat_map(|color| CastlingSide::ALL.map(|side| (color, side)))
    {
        if (start.castling | granted) & right_bit(color, side) == 0 {
            continue;
        }
        let back = color.fold_wb(shakmaty::Rank::First, shakmaty::Rank::Eighth);
        let is_rook = |square: &Square| {
            square.rank() == back && setup.board.piece_at(*square) == Some(color.rook())
        };
        let named = chess960.and_then(|data| {
            let place = match (color, side) {
                (Color::White, CastlingSide::KingSide) => 0,
                (Color::White, CastlingSide::QueenSide) => 1,
                (Color::Black, CastlingSide::KingSide) => 2,
                (Color::Black, CastlingSide::QueenSide) => 3,
            };
            square_by_files(data.rooks.get(place).copied()?).filter(is_rook)
        });
        let rook = named.or_else(|| match chess960 {
            // The outermost rook of the wing.
            Some(_) => {
                let king = setup.board.king_of(color)?;
                let beyond = |square: &Square| match side {
                    CastlingSide::KingSide => *square > king,
                    CastlingSide::QueenSide => *square < king,
                };
                let mut squares: Vec<Square> = (0..8)
                    .map(|file| Square::from_coords(shakmaty::File::new(file), back))
                    .filter(|square| is_rook(square) && beyond(square))
                    .collect();
                if side == CastlingSide::QueenSide {
                    squares.reverse();
                }
                squares.pop()
            }
            None => {
                let file = match side {
                    CastlingSide::KingSide => shakmaty::File::H,
                    CastlingSide::QueenSide => shakmaty::File::A,
                };
                Some(Square::from_coords(file, back))
            }
        });
        rooks.extend(rook);
    }
    setup.castling_rights = rooks;
    if (1..=8).contains(&start.ep_file) {
        let rank = start
            .turn
            .fold_wb(shakmaty::Rank::Sixth, shakmaty::Rank::Third);
        let file = shakmaty::File::new(u32::from(start.ep_file) - 1);
        let mut with = setup.clone();
        with.ep_square = Some(Square::from_coords(file, rank));
        let (board, problems) = Board::from_setup(&with);
        // The byte is not always meaningful.
        if board.pseudo_legal_ep_square().is_some() {
            return (board, problems);
        }
    }
    Board::from_setup(&setup)
}

/// Reads the moves of a game, and its annotations where `notes` gives the bytes behind their head and their place.
pub(super) fn read_moves(
    base: &CbhReader,
    record: &CbhMoveRecord<'_>,
    notes: Option<&[u8]>,
    want: GameNeeds,
    scratch: &mut CbhScratch,
    game: &mut Game,
) {
    let mode = record.head.mode();
    if matches!(mode, 10 | 11) {
        game.variant = Variant::Chess960;
    }
    let (mut beginning, start) = match beginning(record) {
        Ok(found) => found,
        Err((at, problem)) => {
            record.report(game, &codes::BAD_START, at, problem);
            keep_moves(record, CbhMoveHead::LENGTH, want, game);
            annotated_moves::push_notes_without_moves(base, record, notes, want, scratch, game);
            return;
        }
    };
    let Some(coder) = CbhMoveEncoding::of(mode) else {
        if let Some(start) = &start {
            set_start(record, start, &beginning, 0, game);
        }
        record.report(
            game,
            &codes::UNKNOWN_MODE,
            0,
            format!("mode {mode}, {}", counted_bytes(record.bytes.len())),
        );
        keep_moves(record, beginning.at, want, game);
        annotated_moves::push_notes_without_moves(base, record, notes, want, scratch, game);
        return;
    };
    if !want.moves {
        // What the moves say of castling rights is needed for the start position alone.
        let granted = match &start {
            Some(_) => missing_rights(record, &beginning, coder, base, scratch),
            None => 0,
        };
        if let Some(start) = &start {
            set_start(record, start, &beginning, granted, game);
        }
        return;
    }
    if let Some(start) = &start {
        let granted = missing_rights(record, &beginning, coder, base, scratch);
        if granted != 0 {
            beginning.board = start_board(start, beginning.chess960, granted).0;
        }
        set_start(record, start, &beginning, granted, game);
    }
    let mut findings = Vec::new();
    let pieces = match start {
        None => STANDARD.clone(),
        Some(_) => CbhPieces::of(&beginning.board, beginning.chess960),
    };
    let has_notes = want.annotations && notes.is_some();
    let rules = CbhMoveOptions {
        coder,
        // Which annotation belongs to which move is known only when all moves are.
        variations: want.variations || has_notes,
        depth: base.options().limits.depth,
    };
    let stream = record.bytes.get(beginning.at..).unwrap_or(&[]);
    let understood = moves::decode(
        stream,
        pieces,
        want.verify.then_some(&beginning.board),
        rules,
        &mut scratch.memory,
        &mut scratch.tree,
        &mut |at, finding| findings.push((at, finding)),
    );
    let mut kept_after = 0;
    for (at, finding) in findings {
        kept_after = kept_after.max(tell(record, beginning.at, at, finding, game));
    }
    match notes.filter(|_| has_notes) {
        None if want.variations => emit_moves(&mut scratch.tree, &mut game.tape),
        None => emit_main_line(&mut scratch.tree, &mut game.tape),
        Some(notes) => annotated_moves::emit_notes(base, record, notes, want, scratch, game),
    }
    if want.annotations {
        if let Some(rest) = stream.get(understood..).filter(|rest| !rest.is_empty()) {
            game.tape.push_extension(MOVES_EXTENSION, rest);
        } else if kept_after > 0 {
            let from = stream.len().saturating_sub(kept_after);
            let after = stream.get(from..).unwrap_or(&[]);
            game.tape.push_extension(AFTER_EXTENSION, after);
        }
    }
}

/// The pieces of the normal start.
static STANDARD: std::sync::LazyLock<CbhPieces> =
    std::sync::LazyLock::new(|| CbhPieces::of(&Board::standard(), None));

/// The castling rights that a start position lacks and its game uses, where king and rook stand for them.
fn missing_rights(
    record: &CbhMoveRecord<'_>,
    beginning: &CbhMoveStart,
    coder: CbhMoveEncoding,
    base: &CbhReader,
    scratch: &mut CbhScratch,
) -> u8 {
    let mut missing = 0;
    let rules = CbhMoveOptions {
        coder,
        variations: true,
        depth: base.options().limits.depth,
    };
    moves::decode(
        record.bytes.get(beginning.at..).unwrap_or(&[]),
        CbhPieces::of(&beginning.board, beginning.chess960),
        Some(&beginning.board),
        rules,
        &mut scratch.memory,
        &mut scratch.tree,
        &mut |_, finding| {
            if let CbhMoveFinding::NoRight { color, short } = finding {
                let side = CastlingSide::from_king_side(short);
                let back = color.fold_wb(shakmaty::Rank::First, shakmaty::Rank::Eighth);
                let at = |file| {
                    beginning
                        .board
                        .piece_at(Square::from_coords(file, back))
                        .filter(|piece| piece.color == color)
                        .map(|piece| piece.role)
                };
                let rook = if short {
                    shakmaty::File::H
                } else {
                    shakmaty::File::A
                };
                let stands = beginning.chess960.is_some()
                    || (at(shakmaty::File::E) == Some(Role::King) && at(rook) == Some(Role::Rook));
                if stands && beginning.board.castling_rook(color, side).is_none() {
                    missing |= right_bit(color, side);
                }
            }
        },
    );
    missing
}

fn set_start(
    record: &CbhMoveRecord<'_>,
    start: &CbhStartRecord,
    beginning: &CbhMoveStart,
    granted: u8,
    game: &mut Game,
) {
    let (board, problems) = start_board(start, beginning.chess960, granted);
    if granted != 0 {
        record.report(
            game,
            &codes::GRANTED_RIGHT,
            CbhMoveHead::LENGTH + 2,
            format!(
                "castling rights {} became {}",
                start.castling,
                start.castling | granted
            ),
        );
    }
    if !problems.is_empty() {
        record.report(
            game,
            &codes::ODD_START,
            CbhMoveHead::LENGTH,
            format!("{problems}: {}", board.to_fen()),
        );
    }
    if game.variant == Variant::Standard && board.is_chess960() {
        game.variant = Variant::Chess960;
    }
    game.start = StartingPosition::Setup(Box::new(board), problems);
}

fn keep_moves(record: &CbhMoveRecord<'_>, from: usize, want: GameNeeds, game: &mut Game) {
    if want.moves && want.annotations {
        let rest = record.bytes.get(from..).unwrap_or(&[]);
        game.tape.push_extension(MOVES_EXTENSION, rest);
    }
}

/// Reports a finding; says how many bytes after the moves are to be kept.
fn tell(
    record: &CbhMoveRecord<'_>,
    base: usize,
    at: CbhMovePlace,
    finding: CbhMoveFinding,
    game: &mut Game,
) -> usize {
    let place = || Location {
        byte: Some(record.offset.saturating_add((base + at.byte) as u64)),
        ..Location::game(record.number).at_ply(at.ply)
    };
    let (code, message) = match finding {
        CbhMoveFinding::Illegal(m) => (&codes::ILLEGAL_MOVE, format!("{m:?} is kept")),
        CbhMoveFinding::NoRight { .. } => (
            &codes::ILLEGAL_MOVE,
            "castling without castling rights is kept".to_owned(),
        ),
        CbhMoveFinding::UnknownCode(code) => (&codes::UNKNOWN_CODE, format!("code {code}")),
        CbhMoveFinding::Filler => (&codes::FILLER, "code 236".to_owned()),
        CbhMoveFinding::NoEnd => (&codes::NO_END, "the record has no end mark".to_owned()),
        CbhMoveFinding::Fault(fault) => (&codes::BAD_MOVE, fault.to_string()),
        CbhMoveFinding::After(bytes) => {
            game.diagnostics
                .report(&codes::BYTES_AFTER_END, place, || counted_bytes(bytes));
            return bytes;
        }
    };
    game.diagnostics.report(code, place, || message);
    0
}

fn emit_moves(tree: &mut CbhMoveTree, tape: &mut Tape) {
    tree.walk(|step| match step {
        CbhTreeStep::Move(_, m) => tape.push_move(m),
        CbhTreeStep::Begin => tape.begin_variation(),
        CbhTreeStep::End => {
            tape.end_variation();
        }
    });
}

fn emit_main_line(tree: &mut CbhMoveTree, tape: &mut Tape) {
    let mut depth = 0_usize;
    tree.walk(|step| match step {
        CbhTreeStep::Move(_, m) if depth == 0 => tape.push_move(m),
        CbhTreeStep::Move(..) => {}
        CbhTreeStep::Begin => depth += 1,
        CbhTreeStep::End => depth = depth.saturating_sub(1),
    });
}

/// Reads the body of a guiding text.
pub(super) fn read_text(
    base: &CbhReader,
    record: &CbhMoveRecord<'_>,
    want: GameNeeds,
    game: &mut Game,
) {
    let body = record.bytes.get(CbhMoveHead::LENGTH..).unwrap_or(&[]);
    let (guiding, fault) = text::guiding(body);
    if let Some(fault) = fault {
        record.report(game, &codes::BAD_TEXT, CbhMoveHead::LENGTH, fault);
    }
    let charset = base.text_charset(0);
    for (language, title) in &guiding.titles {
        let name = tags::title_tag(*language);
        match text::read(title, charset) {
            CbhTextEncoding::Utf8(title) => game.tags.push(&name, title),
            CbhTextEncoding::Bytes(charset) => {
                game.tags.push_bytes(name.as_bytes(), title, charset)
            }
            CbhTextEncoding::Symbols(text, charset) | CbhTextEncoding::NotHebrew(text, charset) => {
                game.tags.push_decoded(&name, &text, title, charset);
            }
        }
    }
    if !want.annotations {
        return;
    }
    let mut buffer = Vec::new();
    for content in &guiding.contents {
        let mark = match tables::title_language(content.language) {
            Some(letters) => format!("[%lang {letters}] "),
            None => String::new(),
        };
        let reading = text::read(content.text, charset);
        if guiding.format == HTML {
            let html = text::text_of(content.text, reading);
            let plain = text::plain_of_html(&html);
            game.tape.push_comment(&[&mark, &*plain].concat());
        } else {
            annotated_moves::push_text(&mut game.tape, &mark, content.text, reading, &mut buffer);
        }
    }
    game.tape.push_extension(TEXT_EXTENSION, body);
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
