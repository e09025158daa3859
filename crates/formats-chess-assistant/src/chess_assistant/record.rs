//! A game's record: codes of moves, variations and comments, and their form on the tape.
//!
//! Reading has two steps. The first follows the codes with a board and makes a list of events in the order of the
//! record. The second puts them on the tape: there, a variation follows the move that it replaces; in the record, it
//! precedes it.

use std::fmt::Write as _;
use std::num::NonZeroU32;

use shakmaty::{CastlingSide, Color, Piece, Rank, Role, Setup, Square};
use tabiya_model::board::PositionProblems;
use tabiya_model::charset::Charset;
use tabiya_model::command::{CommentCommand, Evaluation};
use tabiya_model::nag::Nag;
use tabiya_model::{Board, DiagnosticCode, Diagnostics, GameNeeds, Location, Move, Tape};

use super::codes;
use super::moves::{
    self, ABSENT, CaFileDirection, CaPieces, SETUP_BYTES, SETUP_PIECES, code_length,
};
use super::text::read_symbols;

/// The extension with bytes of moves that could not be read.
pub const REST_EXTENSION: &str = "ca.rest";
/// The extension with a comment that belongs to folders: its type and its data.
pub const FOLDER_EXTENSION: &str = "ca.folder";
/// The extension with a comment of an unknown type: its type and its data.
pub const COMMENT_EXTENSION: &str = "ca.comment";
/// The extension with the byte after the code 233.
pub const MYSTERY_EXTENSION: &str = "ca.233";

/// The extension after the comment of an engine evaluation whose bytes differ from the description: its type and its
/// data.
pub const SCORE_EXTENSION: &str = "ca.score";
/// The extension after a comment that is an evaluation with its author.
pub const JUDGEMENT_EXTENSION: &str = "ca.judgement";
/// The bytes after an engine evaluation.
pub const SCORE_END: [u8; 2] = [0xff, 0];
/// The mark that can follow these bytes.
pub const SCORE_MARK: &str = "CAP";

/// How many bytes a message shows.
const SHOWN_BYTES: usize = 24;

/// Types of comments.
pub mod comment_type {
    /// A symbol after a move.
    pub const SYMBOL: u8 = 2;
    /// A symbol before a move.
    pub const SYMBOL_BEFORE: u8 = 3;
    /// A text after a move.
    pub const TEXT: u8 = 4;
    /// A text before a move.
    pub const TEXT_BEFORE: u8 = 5;
    /// An evaluation with its author.
    pub const JUDGEMENT: u8 = 6;
    /// Folders of the user.
    pub const FOLDERS: [u8; 2] = [7, 21];
    /// A diagram after a move.
    pub const DIAGRAM: u8 = 8;
    /// A diagram before a move.
    pub const DIAGRAM_BEFORE: u8 = 9;
    /// The score of an engine.
    pub const SCORE: u8 = 29;
}

/// Settings that are decided once for a database.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct CaReadSettings {
    /// The charset of all texts.
    pub charset: Charset,
    /// How displacements are read.
    pub sideways: CaFileDirection,
    /// How deeply variations may be nested.
    pub depth: usize,
    /// Whether reading a record ends at the first error: to test whether it is a record.
    pub is_trial: bool,
}

/// One step of a record, in its order. Ranges are bytes of the record.
#[derive(Copy, Clone, Debug)]
enum CaRecordEvent {
    Move(Move),
    Nag(Nag),
    NagBefore(Nag),
    Comment(u32, u32),
    CommentBefore(u32, u32),
    /// A symbol that it is unknown.
    Symbol(u32, u32),
    DiagramBefore,
    /// The score of an engine, and whether its mark follows.
    Score(i16, bool),
    Extension(&'static str, u32, u32),
    /// A variation: the event after its end, and the next variation of the same move.
    Begin {
        end: u32,
        next: u32,
    },
    End,
}

/// No further variation.
const LAST: u32 = u32::MAX;

/// The content of a record, for comparing readings.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct CaRecordTally {
    /// Moves that could be played, variations included.
    pub moves: u32,
    /// Moves that could not.
    pub illegal: u32,
    /// Whether anything other than moves was wrong.
    pub is_damaged: bool,
    /// Whether there is a custom starting position.
    pub has_setup: bool,
    /// How many bytes were followed.
    pub bytes: usize,
}

/// A line that is being put on the tape.
#[derive(Copy, Clone, Debug)]
struct CaTapeLine {
    at: u32,
    end: u32,
    /// Variations of the last move that are still to be put after it.
    hanging: u32,
    /// Variations that precede the move that they replace.
    waiting: u32,
    last_waiting: u32,
    /// NAGs that precede their move: a range of events; others may be in between.
    nags: (u32, u32),
}

impl CaTapeLine {
    fn new(at: u32, end: u32) -> CaTapeLine {
        CaTapeLine {
            at,
            end,
            hanging: LAST,
            waiting: LAST,
            last_waiting: LAST,
            nags: (0, 0),
        }
    }
}

/// Buffers that a reader reuses for each game.
#[derive(Default)]
pub struct CaScratch {
    events: Vec<CaRecordEvent>,
    outer: Vec<(Board, CaPieces, u32)>,
    begins: Vec<u32>,
    lines: Vec<CaTapeLine>,
    text: String,
}

/// The place of a record, for messages.
#[derive(Copy, Clone, Debug)]
pub struct CaRecordPlace {
    /// The number of the game, if it has one.
    pub game: Option<u64>,
    /// The offset of the record's first code in the D02.
    pub byte: u64,
}

/// The custom starting position of a record, if it has one.
pub fn find_setup(record: &[u8]) -> Option<&[u8; SETUP_BYTES]> {
    let mut rest = record;
    loop {
        match *rest.first()? {
            moves::SETUP => return rest.get(1..)?.first_chunk(),
            // Only these may precede it.
            moves::MYSTERY..=moves::LONG_COMMENT => rest = rest.get(code_length(rest)?..)?,
            _ => return None,
        }
    }
}

/// A starting position: the board, the numbers of the pieces, and its problems.
pub fn read_setup(bytes: &[u8; SETUP_BYTES]) -> (Board, CaPieces, PositionProblems, Vec<String>) {
    let mut setup = Setup::empty();
    let mut pieces = CaPieces::empty();
    let mut odd = Vec::new();
    let (pairs, rest) = bytes.split_at(4 * SETUP_PIECES);
    let (pairs, _) = pairs.as_chunks::<2>();
    for (index, pair) in pairs.iter().enumerate() {
        let [coordinate, kind] = *pair;
        if *pair == ABSENT {
            continue;
        }
        let color = if index < SETUP_PIECES {
            Color::White
        } else {
            Color::Black
        };
        let number = u8::try_from(index % SETUP_PIECES).unwrap_or(0);
        let (Some(square), Some(role)) = (moves::square_of(coordinate), moves::role_of(kind))
        else {
            odd.push(format!(
                "piece {number} of {color} has coordinate {coordinate:#04x} and kind {kind}"
            ));
            continue;
        };
        if setup.board.piece_at(square).is_some() {
            odd.push(format!(
                "piece {number} of {color} is on {square}, which is occupied"
            ));
            continue;
        }
        setup.board.set_piece_at(square, Piece { color, role });
        pieces.place_setup(color, number, role, square);
    }
    let b = |at: usize| rest.get(at).copied().unwrap_or(0);
    let played = u32::from(u16::from_le_bytes([b(0), b(1)]));
    setup.turn = if played.is_multiple_of(2) {
        Color::White
    } else {
        Color::Black
    };
    setup.fullmoves = NonZeroU32::MIN.saturating_add(played / 2);
    let mask = b(2);
    for (bit, rook) in [
        (8, Square::A8),
        (4, Square::H8),
        (2, Square::A1),
        (1, Square::H1),
    ] {
        if mask & bit != 0 {
            setup.castling_rights.add(rook);
        }
    }
    if mask & 0xf0 != 0 {
        odd.push(format!("the castling rights mask is {mask:#04x}"));
    }
    let passed = b(3);
    if passed != 0 {
        let rank = setup.turn.fold_wb(Rank::Sixth, Rank::Third);
        match moves::square_of(passed).filter(|square| square.rank() == rank) {
            Some(square) => setup.ep_square = Some(square),
            None => odd.push(format!(
                "{passed:#04x} is not an en passant square with {} to move",
                setup.turn
            )),
        }
    }
    let (mut board, mut problems) = Board::from_setup(&setup);
    if Color::ALL.into_iter().any(|color| {
        CastlingSide::ALL.into_iter().any(|side| {
            board.castling_rook(color, side).is_some()
                && board
                    .king_of(color)
                    .is_none_or(|king| king.file() != shakmaty::File::E)
        })
    }) {
        // In this format, there is no castling from squares other than e1 and e8.
        let kings = |color: Color| {
            board
                .king_of(color)
                .is_none_or(|k| k.file() != shakmaty::File::E)
        };
        for color in Color::ALL.into_iter().filter(|color| kings(*color)) {
            let home = color.fold_wb(Rank::First, Rank::Eighth);
            for file in [shakmaty::File::A, shakmaty::File::H] {
                setup
                    .castling_rights
                    .discard(Square::from_coords(file, home));
            }
        }
        (board, problems) = Board::from_setup(&setup);
        problems |= PositionProblems::BAD_CASTLING;
    }
    odd.extend(problems.descriptions().map(str::to_owned));
    (board, pieces, problems, odd)
}

/// Follows the codes of a record.
struct CaRecordDecoder<'a, 'b> {
    record: &'a [u8],
    at: usize,
    rules: CaReadSettings,
    want: GameNeeds,
    scratch: &'b mut CaScratch,
    diagnostics: &'b mut Diagnostics,
    spot: CaRecordPlace,
    board: Board,
    pieces: CaPieces,
    ply: u32,
    has_moved: bool,
    /// Whether a skipped variation precedes the move that it replaces.
    is_waiting: bool,
    tally: CaRecordTally,
}

/// How a line ended.
enum CaDamageScope {
    /// The line cannot be continued.
    Line,
    /// The game cannot be continued.
    Game,
}

/// Decodes the codes of a record into the scratch. `start` is the position of [`find_setup`].
pub fn decode(
    record: &[u8],
    start: Option<(Board, CaPieces)>,
    rules: CaReadSettings,
    want: GameNeeds,
    spot: CaRecordPlace,
    scratch: &mut CaScratch,
    diagnostics: &mut Diagnostics,
) -> CaRecordTally {
    scratch.events.clear();
    scratch.outer.clear();
    scratch.begins.clear();
    let has_setup = start.is_some();
    let (board, pieces) =
        start.unwrap_or_else(|| (Board::standard(), CaPieces::standard().clone()));
    let mut decoder = CaRecordDecoder {
        record,
        at: 0,
        rules,
        want,
        scratch,
        diagnostics,
        spot,
        board,
        pieces,
        ply: 0,
        has_moved: false,
        is_waiting: false,
        tally: CaRecordTally {
            has_setup,
            ..CaRecordTally::default()
        },
    };
    decoder.run();
    decoder.tally
}

/// The first bytes of a range, for messages.
fn shown(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes.iter().take(SHOWN_BYTES) {
        // Writing to a string never fails.
        let _ = write!(text, "{}{byte:02x}", if text.is_empty() { "" } else { " " });
    }
    if bytes.len() > SHOWN_BYTES {
        let _ = write!(text, " … ({} bytes)", bytes.len());
    }
    text
}

fn position(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

impl CaRecordDecoder<'_, '_> {
    #[cold]
    fn report(&mut self, code: &'static DiagnosticCode, message: impl FnOnce() -> String) {
        if code.severity == tabiya_model::Severity::Damage && code != &codes::ILLEGAL_MOVE {
            self.tally.is_damaged = true;
        }
        let (spot, at, ply) = (self.spot, self.at, self.ply);
        let place = || Location {
            game: spot.game,
            byte: Some(spot.byte.saturating_add(at as u64)),
            ply: Some(ply),
            ..Location::default()
        };
        self.diagnostics.report(code, place, message);
    }

    fn rest(&self) -> &[u8] {
        self.record.get(self.at..).unwrap_or_default()
    }

    fn push(&mut self, event: CaRecordEvent) {
        self.scratch.events.push(event);
    }

    fn run(&mut self) {
        while let Some(&code) = self.record.get(self.at) {
            let length = match code {
                0..=moves::CASTLE_SHORT => 1,
                _ => match code_length(self.rest()) {
                    Some(length) => length,
                    None => {
                        self.stop(code);
                        break;
                    }
                },
            };
            let step = match code {
                0..=moves::PROMOTION | moves::EN_PASSANT..=moves::EXTENDED_LAST => {
                    self.move_code(code)
                }
                moves::BEGIN => self.begin(),
                moves::END => self.end(),
                moves::SETUP => self.setup(),
                _ => {
                    self.annotation(code, length);
                    Ok(length)
                }
            };
            match step {
                Ok(length) => self.at += length,
                Err(_) if self.rules.is_trial => break,
                Err(CaDamageScope::Line) => self.skip_line(),
                Err(CaDamageScope::Game) => {
                    self.keep(self.at, self.record.len());
                    break;
                }
            }
        }
        self.tally.bytes = self.at;
        if self.is_waiting && !self.rules.is_trial {
            // The null move in place of the missing move belongs to the main line, whether the variation is needed or not.
            self.push(CaRecordEvent::Move(Move::NULL));
        }
        if !self.scratch.outer.is_empty() {
            let open = self.scratch.outer.len();
            // If the record was truncated before, that has been reported.
            if !self.tally.is_damaged {
                self.report(&codes::VARIATIONS, || {
                    format!("{open} variations are not closed")
                });
            }
            while !self.scratch.outer.is_empty() {
                self.close();
            }
        }
    }

    /// Reports that the game cannot be continued, and keeps its bytes.
    fn stop(&mut self, code: u8) {
        let bytes = shown(self.rest());
        match code {
            moves::PROMOTION..=moves::EXTENDED_LAST | moves::SETUP..=moves::LONG_COMMENT => {
                self.report(&codes::RECORD_CUT, || {
                    format!("the record ends within the code {code}: {bytes}")
                });
            }
            _ => self.report(&codes::CODE, || format!("code {code}: {bytes}")),
        }
        self.keep(self.at, self.record.len());
    }

    /// Keeps unreadable bytes.
    fn keep(&mut self, from: usize, to: usize) {
        if from < to {
            self.push(CaRecordEvent::Extension(
                REST_EXTENSION,
                position(from),
                position(to),
            ));
        }
    }

    /// Goes to the end of the current line and keeps its bytes.
    fn skip_line(&mut self) {
        let start = self.at;
        let end = self.end_of_line(start);
        self.keep(start, end);
        self.at = end;
    }

    /// The end of the line that continues at a place: its end mark, the end of the record, or the first code that is unknown
    /// or truncated.
    fn end_of_line(&self, mut at: usize) -> usize {
        let mut depth = 0_usize;
        while let Some(rest) = self.record.get(at..).filter(|rest| !rest.is_empty()) {
            match rest.first() {
                Some(&moves::BEGIN) => depth += 1,
                Some(&moves::END) if depth == 0 => return at,
                Some(&moves::END) => depth -= 1,
                _ => {}
            }
            match code_length(rest) {
                Some(length) => at += length,
                None => return at,
            }
        }
        self.record.len()
    }

    fn begin(&mut self) -> Result<usize, CaDamageScope> {
        if !self.want.variations {
            let start = self.at + 1;
            let end = self.end_of_line(start);
            self.is_waiting = true;
            // If there is no end mark, the loop reports the code at that place.
            let mark = usize::from(self.record.get(end) == Some(&moves::END));
            return Ok(end - self.at + mark);
        }
        if self.scratch.outer.len() >= self.rules.depth {
            self.report(&codes::DEPTH, || "the variation was left out".to_owned());
            let end = self.end_of_line(self.at + 1);
            let end = if self.record.get(end) == Some(&moves::END) {
                end + 1
            } else {
                end
            };
            self.keep(self.at, end);
            return Ok(end - self.at);
        }
        let events = position(self.scratch.events.len());
        self.scratch.begins.push(events);
        self.scratch
            .outer
            .push((self.board.clone(), self.pieces.clone(), self.ply));
        self.push(CaRecordEvent::Begin { end: 0, next: LAST });
        Ok(1)
    }

    fn end(&mut self) -> Result<usize, CaDamageScope> {
        if self.scratch.outer.is_empty() {
            let bytes = shown(self.rest());
            self.report(&codes::VARIATIONS, || {
                format!("a variation ends without a beginning: {bytes}")
            });
            return Err(CaDamageScope::Game);
        }
        self.close();
        Ok(1)
    }

    fn close(&mut self) {
        if let Some((board, pieces, ply)) = self.scratch.outer.pop() {
            (self.board, self.pieces, self.ply) = (board, pieces, ply);
        }
        self.push(CaRecordEvent::End);
        let after = position(self.scratch.events.len());
        let begin = self.scratch.begins.pop();
        let begin = begin.and_then(|at| self.scratch.events.get_mut(at as usize));
        if let Some(CaRecordEvent::Begin { end, .. }) = begin {
            *end = after;
        }
    }

    fn setup(&mut self) -> Result<usize, CaDamageScope> {
        if self.has_moved || !self.scratch.outer.is_empty() {
            let bytes = shown(self.rest());
            self.report(&codes::SETUP_LATE, || bytes);
            return Err(CaDamageScope::Game);
        }
        // It was read before, to determine where the game starts.
        Ok(1 + SETUP_BYTES)
    }

    fn illegal(&mut self, what: impl FnOnce(&Board) -> String) -> CaDamageScope {
        self.tally.illegal += 1;
        let bytes = shown(self.rest());
        let message = what(&self.board);
        self.report(&codes::ILLEGAL_MOVE, || format!("{message}; bytes {bytes}"));
        CaDamageScope::Line
    }

    /// A move with everything that belongs to it; returns its length.
    #[inline]
    fn move_code(&mut self, code: u8) -> Result<usize, CaDamageScope> {
        let us = self.board.turn();
        let byte = |at: usize| self.record.get(self.at + at).copied().unwrap_or(0);
        let mut new_number = u8::MAX;
        let mut length = 1;
        let mut marked = false;
        let found = match code {
            0..=206 => self.table_move(code, us, None)?,
            moves::CASTLE_LONG => self.board.find_castle(CastlingSide::QueenSide),
            moves::CASTLE_SHORT => self.board.find_castle(CastlingSide::KingSide),
            moves::PROMOTION => {
                length = 3;
                let (how, what) = (byte(1), byte(2));
                new_number = what & 31;
                let role = moves::role_of(what >> 5)
                    .filter(|role| !matches!(role, Role::Pawn | Role::King));
                let Some(role) = role else {
                    return Err(self.illegal(|_| {
                        format!("a pawn is promoted to a piece of kind {}", what >> 5)
                    }));
                };
                if how >= 32 {
                    return Err(self.illegal(|_| format!("pawn {} is promoted", how >> 2)));
                }
                self.table_move(how, us, Some(role))?
            }
            moves::EN_PASSANT => {
                length = 2;
                marked = true;
                let pawn = byte(1);
                if self.record.len() <= self.at + 1 {
                    let bytes = shown(self.rest());
                    self.report(&codes::RECORD_CUT, || {
                        format!("the record ends within the code 210: {bytes}")
                    });
                    return Err(CaDamageScope::Game);
                }
                if pawn >= 32 {
                    return Err(
                        self.illegal(|_| format!("the code {pawn} after 210 is not a pawn move"))
                    );
                }
                self.table_move(pawn, us, None)?
            }
            moves::NULL => Some(Move::NULL),
            _ => {
                length = 2;
                let (pawn, step) = (code - moves::EXTENDED, byte(1));
                let Some(from) = self.pieces.made_from(us, pawn) else {
                    return Err(self.illegal(|_| format!("no piece was promoted from pawn {pawn}")));
                };
                let to = moves::displace(from, step >> 4, step & 15);
                self.board
                    .find_move(from, to, None)
                    .filter(|m| !m.is_castle())
            }
        };
        let Some(m) = found else {
            return Err(self.illegal(|board| format!("code {code} in {}", board.to_fen())));
        };
        if m.is_en_passant() != marked {
            self.report(&codes::EN_PASSANT, || {
                format!("from {} to {}", m.from(), m.to())
            });
        }
        // Castling may cross an attacked square; any other exposed king shows after the move.
        let crosses = self.want.verify && m.is_castle() && !self.board.is_legal(m);
        self.pieces.follow(us, m, new_number);
        self.board.play(m);
        if crosses || (self.want.verify && !m.is_null() && self.board.is_exposed()) {
            self.report(&codes::EXPOSED_KING, || {
                format!("from {} to {}", m.from(), m.to())
            });
        }
        self.push(CaRecordEvent::Move(m));
        self.ply += 1;
        self.has_moved = true;
        self.is_waiting = false;
        self.tally.moves += 1;
        Ok(length)
    }

    /// The move of a code of the table; `None` if its piece cannot move there.
    #[inline]
    fn table_move(
        &mut self,
        code: u8,
        us: Color,
        promotion: Option<Role>,
    ) -> Result<Option<Move>, CaDamageScope> {
        let Some(step) = moves::TABLE.get(usize::from(code)) else {
            return Ok(None);
        };
        let Some(from) = self.pieces.square(us, step.number) else {
            return Err(self.illegal(|board| {
                format!(
                    "piece {} is not on the board: {}",
                    step.number,
                    board.to_fen()
                )
            }));
        };
        if step.number < 8 && self.board.role_at(from) != Some(Role::Pawn) {
            return Ok(None);
        }
        let (up, right) = self.rules.sideways.read(*step, us);
        let to = moves::displace(from, up, right);
        Ok(self
            .board
            .find_move(from, to, promotion)
            .filter(|m| !m.is_castle()))
    }

    fn annotation(&mut self, code: u8, length: usize) {
        if code == moves::MYSTERY {
            let bytes = shown(self.rest());
            self.report(&codes::MYSTERY, || bytes);
            if self.want.annotations {
                self.push(CaRecordEvent::Extension(
                    MYSTERY_EXTENSION,
                    position(self.at + 1),
                    position(self.at + 2),
                ));
            }
            return;
        }
        if !self.want.annotations {
            return;
        }
        let head = match code {
            moves::SYMBOL => 1,
            moves::COMMENT => 2,
            _ => 5,
        };
        let (start, end) = (self.at + head, self.at + length);
        let comment = self.record.get(start..end).unwrap_or_default();
        let Some((&kind, data)) = comment.split_first() else {
            self.report(&codes::COMMENT_TYPE, || "a comment has no type".to_owned());
            return;
        };
        let (from, to) = (position(start + 1), position(end));
        match kind {
            comment_type::SYMBOL => {
                let events = &mut self.scratch.events;
                if !read_symbols(data, |nag| events.push(CaRecordEvent::Nag(nag))) {
                    self.unknown_symbol(data, from, to);
                }
            }
            comment_type::SYMBOL_BEFORE => {
                let events = &mut self.scratch.events;
                if !read_symbols(data, |nag| events.push(CaRecordEvent::NagBefore(nag))) {
                    self.unknown_symbol(data, from, to);
                }
            }
            comment_type::TEXT => self.push(CaRecordEvent::Comment(from, to)),
            comment_type::JUDGEMENT => {
                self.push(CaRecordEvent::Comment(from, to));
                self.push(CaRecordEvent::Extension(JUDGEMENT_EXTENSION, to, to));
            }
            comment_type::TEXT_BEFORE => self.push(CaRecordEvent::CommentBefore(from, to)),
            comment_type::DIAGRAM => self.push(CaRecordEvent::Nag(Nag::DIAGRAM)),
            comment_type::DIAGRAM_BEFORE => self.push(CaRecordEvent::DiagramBefore),
            comment_type::SCORE if data.len() >= 2 => {
                let (score, rest) = data.split_at(2);
                let score = super::layout::array(score, 0).map_or(0, i16::from_le_bytes);
                let mark = rest.strip_prefix(&SCORE_END);
                self.push(CaRecordEvent::Score(
                    score,
                    mark == Some(SCORE_MARK.as_bytes()),
                ));
                if mark.is_none_or(|mark| !mark.is_empty() && mark != SCORE_MARK.as_bytes()) {
                    let bytes = shown(data);
                    self.report(&codes::COMMENT_TYPE, || format!("type {kind}: {bytes}"));
                    self.push(CaRecordEvent::Extension(
                        SCORE_EXTENSION,
                        position(start),
                        to,
                    ));
                }
            }
            kind => {
                let name = if comment_type::FOLDERS.contains(&kind) {
                    FOLDER_EXTENSION
                } else {
                    let bytes = shown(data);
                    self.report(&codes::COMMENT_TYPE, || format!("type {kind}: {bytes}"));
                    COMMENT_EXTENSION
                };
                self.push(CaRecordEvent::Extension(name, position(start), to));
            }
        }
    }

    fn unknown_symbol(&mut self, data: &[u8], from: u32, to: u32) {
        let bytes = shown(data);
        self.report(&codes::SYMBOL, || bytes);
        self.push(CaRecordEvent::Symbol(from, to));
    }
}

/// Puts the events of the scratch on a tape. An evaluation instead of the result becomes a NAG of the last move.
pub fn emit(
    record: &[u8],
    charset: Charset,
    evaluation: Option<Nag>,
    spot: CaRecordPlace,
    scratch: &mut CaScratch,
    tape: &mut Tape,
    diagnostics: &mut Diagnostics,
) {
    let CaScratch {
        events,
        lines,
        text,
        ..
    } = scratch;
    let bytes = |from: u32, to: u32| record.get(from as usize..to as usize).unwrap_or_default();
    // The evaluation is put after the last move of the main line and its own NAGs.
    let mut verdict = evaluation.map(|nag| (nag, last_main_move(events)));
    lines.clear();
    lines.push(CaTapeLine::new(0, position(events.len())));
    loop {
        let is_main = lines.len() == 1;
        let Some(line) = lines.last_mut() else {
            break;
        };
        let event = if line.at < line.end {
            events.get(line.at as usize).copied()
        } else {
            None
        };
        if let Some((nag, after)) = verdict
            && is_main
            && after.is_none_or(|after| line.at > after)
            && !matches!(event, Some(CaRecordEvent::Nag(_)))
        {
            tape.push_nag(nag);
            verdict = None;
            continue;
        }
        // The variations of the last move are put on the tape before an item that belongs after them.
        let is_before = matches!(
            event,
            None | Some(
                CaRecordEvent::Move(_)
                    | CaRecordEvent::CommentBefore(..)
                    | CaRecordEvent::DiagramBefore
                    | CaRecordEvent::End
            )
        );
        if is_before && line.hanging != LAST {
            let begin = line.hanging;
            if let Some(CaRecordEvent::Begin { end, next }) = events.get(begin as usize).copied() {
                line.hanging = next;
                tape.begin_variation();
                lines.push(CaTapeLine::new(begin + 1, end));
            } else {
                line.hanging = LAST;
            }
            continue;
        }
        let Some(event) = event.filter(|event| !matches!(event, CaRecordEvent::End)) else {
            if line.waiting != LAST {
                let place = || Location {
                    game: spot.game,
                    byte: Some(spot.byte),
                    ..Location::default()
                };
                diagnostics.report(&codes::VARIATION_ALONE, place, String::new);
                tape.push_move(Move::NULL);
                line.hanging = line.waiting;
                line.waiting = LAST;
                continue;
            }
            give_nags(line, events, tape);
            lines.pop();
            if !lines.is_empty() {
                tape.end_variation();
            }
            continue;
        };
        line.at += 1;
        match event {
            CaRecordEvent::Move(m) => {
                tape.push_move(m);
                give_nags(line, events, tape);
                line.hanging = line.waiting;
                line.waiting = LAST;
            }
            CaRecordEvent::Nag(nag) => tape.push_nag(nag),
            CaRecordEvent::NagBefore(_) => {
                if line.nags.1 == 0 {
                    line.nags.0 = line.at - 1;
                }
                line.nags.1 = line.at;
            }
            CaRecordEvent::DiagramBefore => tape.push_nag(Nag::DIAGRAM),
            CaRecordEvent::Comment(from, to) | CaRecordEvent::CommentBefore(from, to) => {
                tape.push_comment_bytes(bytes(from, to), charset);
            }
            CaRecordEvent::Symbol(from, to) => {
                if let [byte] = bytes(from, to) {
                    text.clear();
                    let _ = write!(text, "CA symbol {byte}");
                    tape.push_comment(text);
                } else {
                    tape.push_comment_bytes(bytes(from, to), charset);
                }
            }
            CaRecordEvent::Score(score, has_mark) => {
                text.clear();
                let score = Evaluation::Centipawns(i32::from(score));
                let _ = write!(text, "{}", CommentCommand::Eval(score, None));
                if has_mark {
                    let _ = write!(text, " {SCORE_MARK}");
                }
                tape.push_comment(text);
            }
            CaRecordEvent::Extension(name, from, to) => tape.push_extension(name, bytes(from, to)),
            CaRecordEvent::Begin { end, .. } => {
                let begin = line.at - 1;
                line.at = end.max(line.at);
                if line.waiting == LAST {
                    line.waiting = begin;
                } else if let Some(CaRecordEvent::Begin { next, .. }) =
                    events.get_mut(line.last_waiting as usize)
                {
                    *next = begin;
                }
                line.last_waiting = begin;
            }
            CaRecordEvent::End => {}
        }
    }
    if let Some((nag, _)) = verdict {
        tape.push_nag(nag);
    }
}

/// Adds the NAGs that preceded their move.
fn give_nags(line: &mut CaTapeLine, events: &[CaRecordEvent], tape: &mut Tape) {
    let (from, to) = std::mem::take(&mut line.nags);
    let mut at = from;
    while at < to {
        at += 1;
        match events.get(at as usize - 1) {
            Some(CaRecordEvent::NagBefore(nag)) => tape.push_nag(*nag),
            // Variations between them have NAGs of their own.
            Some(CaRecordEvent::Begin { end, .. }) => at = at.max(*end),
            _ => {}
        }
    }
}

/// The last move of the main line.
fn last_main_move(events: &[CaRecordEvent]) -> Option<u32> {
    let mut last = None;
    let mut at = 0;
    while let Some(event) = events.get(at) {
        match event {
            CaRecordEvent::Begin { end, .. } => {
                at = (at + 1).max(*end as usize);
                continue;
            }
            CaRecordEvent::Move(_) => last = Some(position(at)),
            _ => {}
        }
        at += 1;
    }
    last
}
