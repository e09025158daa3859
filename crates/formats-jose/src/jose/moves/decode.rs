//! Bytes to moves.

use shakmaty::{CastlingSide, Color, Rank, Role, Square};
use tabiya_model::nag::Nag;
use tabiya_model::outcome::Outcome;
use tabiya_model::{Board, DiagnosticCode, Game, GameNeeds, Location, Move};

use super::pieces::{JosePieceNumber, JosePieces};
use super::{
    BEGIN, CASTLE_LONG, CASTLE_SHORT, COMMENT, END, END_LINE, ERROR_WORDS, KING, KNIGHT, NAG_LONG,
    NULL_MOVE, PAWN, PROMOTED, PROMOTION, RESULT_FIRST,
};
use crate::jose::codes;
use crate::jose::text::{JoseText, JoseTextEncoding};

/// The columns of a row with the moves of a game.
#[derive(Debug, Clone, Copy)]
pub struct JoseMoveColumns<'a> {
    /// The moves.
    pub bin: &'a [u8],
    /// The texts, each ended by a zero byte; `None` if there is no such column.
    pub comments: Option<&'a [u8]>,
    /// The encoding of the texts.
    pub coding: JoseTextEncoding,
}

/// The name of the extension with unreadable bytes.
pub const EXTENSION: &str = "jose.moves";

/// A position with the numbers of its pieces.
#[derive(Debug, Clone)]
struct JoseDecoderPosition {
    board: Board,
    pieces: JosePieces,
}

/// A line that is interrupted by a variation.
#[derive(Debug)]
struct JoseOuterLine {
    now: JoseDecoderPosition,
    before: JoseDecoderPosition,
    ply: u32,
}

/// Decodes games; when reused, it allocates nothing.
#[derive(Debug)]
pub struct JoseMoveDecoder {
    now: JoseDecoderPosition,
    before: JoseDecoderPosition,
    outer: Vec<JoseOuterLine>,
    standard: JoseDecoderPosition,
    max_depth: usize,
}

/// A walk over the bytes of one game.
struct JoseMoveCursor<'a> {
    bin: &'a [u8],
    at: usize,
    texts: &'a [u8],
    inline: bool,
    missing_texts: u32,
    coding: JoseTextEncoding,
}

impl Default for JoseMoveDecoder {
    fn default() -> Self {
        let board = Board::standard();
        let (pieces, _) = JosePieces::of(&board);
        let standard = JoseDecoderPosition { board, pieces };
        JoseMoveDecoder {
            now: standard.clone(),
            before: standard.clone(),
            outer: Vec::new(),
            standard,
            max_depth: 100_000,
        }
    }
}

impl JoseMoveDecoder {
    /// A decoder that follows variations to this depth.
    pub fn with_depth(max_depth: usize) -> JoseMoveDecoder {
        JoseMoveDecoder {
            max_depth,
            ..JoseMoveDecoder::default()
        }
    }

    /// Adds moves, annotations and result to a game whose starting position is already set.
    pub fn decode(&mut self, input: JoseMoveColumns<'_>, want: GameNeeds, game: &mut Game) {
        let ops = game.tape.len();
        debug_assert_eq!(ops, 0, "the game is fresh");
        let clean = self.run(input, want, false, game);
        let no_texts = input.comments.is_none_or(<[u8]>::is_empty);
        if !clean
            && no_texts
            && input
                .bin
                .iter()
                .any(|b| (COMMENT..=COMMENT + 4).contains(b))
        {
            // An old description puts the texts among the moves. This is assumed only if everything is then valid.
            let mut other = Game {
                start: game.start.clone(),
                variant: game.variant,
                origin: game.origin,
                ..Game::default()
            };
            if self.run(input, want, true, &mut other) {
                std::mem::swap(&mut game.tape, &mut other.tape);
                game.outcome = other.outcome;
                game.diagnostics.clear();
                game.diagnostics.append(&other.diagnostics);
                let number = game.origin.number;
                game.diagnostics.report(
                    &codes::INLINE_TEXT,
                    || Location::game(number),
                    || "comments are among the moves".to_owned(),
                );
            }
        }
    }

    /// Decodes; false if anything was wrong with the codes.
    fn run(
        &mut self,
        input: JoseMoveColumns<'_>,
        want: GameNeeds,
        inline: bool,
        game: &mut Game,
    ) -> bool {
        self.outer.clear();
        match &game.start {
            tabiya_model::game::StartingPosition::Standard => {
                self.now.clone_from_position(&self.standard)
            }
            tabiya_model::game::StartingPosition::Setup(board, _) => {
                let (pieces, enough) = JosePieces::of(board);
                self.now.board.clone_from(board);
                self.now.pieces = pieces;
                if !enough && !input.bin.is_empty() {
                    let number = game.origin.number;
                    game.diagnostics.report(
                        &codes::AMBIGUOUS_SETUP,
                        || Location::game(number),
                        || "more pieces of a kind than jose can number".to_owned(),
                    );
                }
            }
        }
        let mut reader = JoseMoveCursor {
            bin: input.bin,
            at: 0,
            texts: input.comments.unwrap_or_default(),
            inline,
            missing_texts: 0,
            coding: input.coding,
        };
        let mut clean = true;
        let mut ended = false;
        let mut replaceable = false;
        let mut ply = 0u32;
        while let Some(&code) = reader.bin.get(reader.at) {
            let start = reader.at;
            reader.at += 1;
            match code {
                0x00..=NULL_MOVE | PROMOTION..=0xAF => {
                    if !want.moves {
                        if code >= PROMOTION {
                            reader.at += 1;
                        }
                        continue;
                    }
                    let second = if code >= PROMOTION {
                        reader.at += 1;
                        reader.bin.get(start + 1).copied()
                    } else {
                        None
                    };
                    let (m, legal) = match self.judge(code, second, want.verify) {
                        Ok(found) => found,
                        Err(what) => {
                            clean = false;
                            report(game, &codes::BAD_MOVE, start, ply, || {
                                format!(
                                    "byte {code:02X}: {what}; the rest of the line is kept as raw bytes"
                                )
                            });
                            reader.keep_rest(start, want, game);
                            continue;
                        }
                    };
                    if !legal && want.verify && !m.is_null() {
                        report(game, &codes::ILLEGAL_MOVE, start, ply, || {
                            format!("{m:?} is illegal")
                        });
                    }
                    // A variation can replace this move only if something other than a move follows it.
                    if !matches!(reader.bin.get(reader.at), Some(0x00..=0xAF | &END)) {
                        self.before.clone_from_position(&self.now);
                    }
                    game.tape.push_move(m);
                    self.now.pieces.play(self.now.board.turn(), m);
                    if legal {
                        self.now.board.play_legal(m);
                    } else {
                        self.now.board.play(m);
                    }
                    ply = ply.saturating_add(1);
                    replaceable = true;
                }
                NAG_LONG..=0xCF => {
                    let nag = if code == NAG_LONG {
                        let Some(&nag) = reader.bin.get(reader.at) else {
                            break;
                        };
                        reader.at += 1;
                        nag
                    } else {
                        code - NAG_LONG
                    };
                    if want.annotations {
                        game.tape.push_nag(Nag(u32::from(nag)));
                    }
                }
                RESULT_FIRST..=0xD3 => {
                    let outcome = match code - RESULT_FIRST {
                        0 => Outcome::BlackWins,
                        1 => Outcome::Draw,
                        2 => Outcome::WhiteWins,
                        _ => Outcome::Unknown,
                    };
                    if matches!(reader.bin.get(reader.at), None | Some(&END)) {
                        game.outcome = Some(outcome);
                    } else if want.annotations {
                        game.tape.push_outcome(outcome);
                    }
                }
                COMMENT => {
                    let text = reader.text();
                    if want.annotations {
                        reader.push_comment(text, "", game);
                    }
                }
                0xE1..=0xE5 => {
                    let text = reader.text();
                    let words = ERROR_WORDS
                        .get(usize::from(code - 0xE1))
                        .copied()
                        .unwrap_or("");
                    report(game, &codes::ERROR_MARKER, start, ply, || {
                        format!("{words}{}", String::from_utf8_lossy(text))
                    });
                    if want.annotations {
                        reader.push_comment(text, words, game);
                    }
                }
                BEGIN => {
                    let too_deep = self.outer.len() >= self.max_depth;
                    if !want.moves || !want.variations {
                        reader.skip_variation();
                        continue;
                    }
                    if !replaceable || too_deep {
                        let (code, what) = if too_deep {
                            (
                                &codes::LIMIT,
                                "variations are nested too deeply; one is kept as raw bytes",
                            )
                        } else {
                            (
                                &codes::BAD_VARIATION,
                                "a variation begins before any move of its line; it is kept as raw bytes",
                            )
                        };
                        clean = false;
                        report(game, code, start, ply, || what.to_owned());
                        reader.keep_variation(start, want, game);
                        continue;
                    }
                    game.tape.begin_variation();
                    let inner = self.before.clone();
                    self.outer.push(JoseOuterLine {
                        now: std::mem::replace(&mut self.now, inner),
                        before: self.before.clone(),
                        ply,
                    });
                    ply = ply.saturating_sub(1);
                    replaceable = false;
                }
                END_LINE => {
                    if !want.moves || !want.variations {
                        continue;
                    }
                    match self.outer.pop() {
                        Some(outer) => {
                            game.tape.end_variation();
                            self.now = outer.now;
                            self.before = outer.before;
                            ply = outer.ply;
                            replaceable = true;
                        }
                        None => {
                            clean = false;
                            report(game, &codes::BAD_VARIATION, start, ply, || {
                                "a variation ends without a beginning".to_owned()
                            });
                        }
                    }
                }
                END => {
                    ended = true;
                    break;
                }
                // jose takes a text for these, and none for the others.
                0xD4..=0xDF | 0xE6..=0xEF => {
                    clean = false;
                    let text = reader.text();
                    report(game, &codes::RESERVED_CODE, start, ply, || {
                        format!(
                            "byte {code:02X} with text {:?}",
                            String::from_utf8_lossy(text)
                        )
                    });
                    if want.annotations && !text.is_empty() {
                        reader.push_comment(text, "", game);
                    }
                }
                0xF2..=0xFE => {
                    clean = false;
                    report(game, &codes::RESERVED_CODE, start, ply, || {
                        format!("byte {code:02X}")
                    });
                }
                0x9B..=0x9F => {
                    clean = false;
                    report(game, &codes::BAD_MOVE, start, ply, || {
                        format!(
                            "byte {code:02X} is not a move; the rest of the line is kept as raw bytes"
                        )
                    });
                    reader.keep_rest(start, want, game);
                }
            }
            if game.tape.is_full() {
                report(game, &codes::LIMIT, reader.at, ply, || {
                    "the game is too long".to_owned()
                });
                break;
            }
        }
        if !self.outer.is_empty() {
            clean = false;
            report(game, &codes::BAD_VARIATION, reader.at, ply, || {
                format!("{} variations are not closed", self.outer.len())
            });
            while game.tape.end_variation() {}
            self.outer.clear();
        }
        if !ended && !reader.bin.is_empty() {
            clean = false;
            report(game, &codes::CUT_MOVES, reader.bin.len(), ply, || {
                "the moves have no end mark".to_owned()
            });
        }
        if ended && reader.at < reader.bin.len() {
            clean = false;
            let rest = reader.bin.len() - reader.at;
            report(game, &codes::TRAILING_MOVES, reader.at, ply, || {
                format!("{rest} bytes follow the end mark")
            });
        }
        if want.annotations && want.moves && want.variations {
            if reader.missing_texts > 0 {
                let missing = reader.missing_texts;
                report(game, &codes::COMMENT_COUNT, reader.at, ply, || {
                    format!("{missing} comments have no text")
                });
            }
            if !reader.texts.is_empty() {
                let mut count = 0u32;
                while !reader.texts.is_empty() {
                    let text = reader.text();
                    reader.push_comment(text, "", game);
                    count = count.saturating_add(1);
                }
                report(game, &codes::COMMENT_COUNT, reader.at, ply, || {
                    format!("{count} texts belong to no comment; they were put at the end")
                });
            }
        }
        clean
    }
}

impl JoseMoveDecoder {
    /// The move of a code, and whether it is known to be legal. An error if the piece cannot move like that.
    #[inline]
    fn judge(
        &self,
        code: u8,
        second: Option<u8>,
        verify: bool,
    ) -> Result<(Move, bool), &'static str> {
        let found = find(&self.now, code, second);
        if let Ok(m) = found {
            if m.is_null() || !verify {
                return Ok((m, false));
            }
            if self.now.board.is_legal(m) {
                return Ok((m, true));
            }
        }
        self.judge_odd(code, found)
    }

    #[cold]
    fn judge_odd(
        &self,
        code: u8,
        found: Result<Move, &'static str>,
    ) -> Result<(Move, bool), &'static str> {
        if let Some(m) = other_queen(&self.now, code, found.ok()) {
            return Ok((m, true));
        }
        let m = found?;
        if self.now.board.is_pseudo_legal(m) {
            Ok((m, false))
        } else {
            Err("the piece cannot move this way")
        }
    }
}

impl JoseDecoderPosition {
    #[inline]
    fn clone_from_position(&mut self, other: &JoseDecoderPosition) {
        self.board.clone_from(&other.board);
        self.pieces.clone_from(&other.pieces);
    }
}

#[cold]
fn report(
    game: &mut Game,
    code: &'static DiagnosticCode,
    byte: usize,
    ply: u32,
    message: impl FnOnce() -> String,
) {
    let number = game.origin.number;
    game.diagnostics.report(
        code,
        || Location {
            byte: Some(byte as u64),
            ..Location::game(number).at_ply(ply)
        },
        message,
    );
}

impl<'a> JoseMoveCursor<'a> {
    /// The text of the code that was just read.
    fn text(&mut self) -> &'a [u8] {
        let source = if self.inline {
            self.bin.get(self.at..).unwrap_or_default()
        } else {
            self.texts
        };
        if source.is_empty() {
            self.missing_texts = self.missing_texts.saturating_add(1);
            return &[];
        }
        let end = memchr::memchr(0, source);
        let text = source
            .get(..end.unwrap_or(source.len()))
            .unwrap_or_default();
        let next = end.map_or(source.len(), |end| end + 1);
        if self.inline {
            self.at += next;
        } else {
            self.texts = source.get(next..).unwrap_or_default();
        }
        text
    }

    fn push_comment(&self, bytes: &[u8], words: &str, game: &mut Game) {
        let (charset, guessed) = match self.coding.read(bytes) {
            JoseText::Unicode(text) if words.is_empty() => {
                game.tape.push_comment(&text);
                return;
            }
            JoseText::Unicode(text) => {
                game.tape.push_comment(&format!("{words}{text}"));
                return;
            }
            JoseText::Legacy(charset) => (charset, false),
            JoseText::Guessed(charset) => (charset, true),
        };
        if guessed {
            let number = game.origin.number;
            game.diagnostics.report(
                &codes::BAD_TEXT,
                || Location::game(number),
                || format!("a comment was read as {}", charset.name()),
            );
        }
        if words.is_empty() {
            game.tape.push_comment_bytes(bytes, charset);
        } else {
            game.tape
                .push_comment_bytes(&[words.as_bytes(), bytes].concat(), charset);
        }
    }

    /// The length of the code at `at`, without any text.
    fn code_len(&self, at: usize) -> usize {
        match self.bin.get(at) {
            Some(PROMOTION..=0xAF | &NAG_LONG) => 2,
            _ => 1,
        }
    }

    /// Skips one code that is not needed, and its text.
    fn pass(&mut self, code: u8, want: GameNeeds, game: Option<&mut Game>) {
        self.at += self.code_len(self.at);
        if matches!(code, COMMENT..=0xEF | 0xD4..=0xDF) {
            let text = self.text();
            if let Some(game) = game
                && want.annotations
            {
                self.push_comment(text, "", game);
            }
        }
    }

    /// Skips a variation whose start was just read.
    fn skip_variation(&mut self) {
        let mut depth = 1usize;
        while let Some(&code) = self.bin.get(self.at) {
            match code {
                BEGIN => depth += 1,
                END_LINE => depth -= 1,
                END => return,
                _ => {}
            }
            self.pass(code, GameNeeds::TAGS, None);
            if depth == 0 {
                return;
            }
        }
    }

    /// Keeps the bytes of a variation from its beginning at `start`, and its texts as comments.
    fn keep_variation(&mut self, start: usize, want: GameNeeds, game: &mut Game) {
        self.at = start;
        let mut depth = 0usize;
        let mut texts = Game::default();
        while let Some(&code) = self.bin.get(self.at) {
            match code {
                BEGIN => depth += 1,
                END_LINE => depth -= 1,
                END => break,
                _ => {}
            }
            self.pass(code, want, Some(&mut texts));
            if depth == 0 {
                break;
            }
        }
        self.keep(start, want, &texts, game);
    }

    /// Keeps the bytes from `start` to the end of the line, and their texts as comments. The code that closes the line stays
    /// unread.
    fn keep_rest(&mut self, start: usize, want: GameNeeds, game: &mut Game) {
        self.at = start;
        let mut depth = 0usize;
        let mut texts = Game::default();
        while let Some(&code) = self.bin.get(self.at) {
            let last_result = (RESULT_FIRST..=0xD3).contains(&code)
                && matches!(self.bin.get(self.at + 1), None | Some(&END));
            match code {
                BEGIN => depth += 1,
                END_LINE if depth == 0 => break,
                END_LINE => depth -= 1,
                END => break,
                _ if last_result => break,
                _ => {}
            }
            self.pass(code, want, Some(&mut texts));
        }
        self.at = self.at.min(self.bin.len());
        self.keep(start, want, &texts, game);
    }

    fn keep(&mut self, start: usize, want: GameNeeds, texts: &Game, game: &mut Game) {
        self.at = self.at.min(self.bin.len());
        if want.annotations {
            game.tape
                .push_extension(EXTENSION, self.bin.get(start..self.at).unwrap_or_default());
            for op in texts.tape.ops() {
                game.tape.push_from(&texts.tape, op);
            }
            game.diagnostics.append(&texts.diagnostics);
        }
    }
}

/// The first row of each kind of piece in [`TARGETS`].
const KNIGHT_ROWS: u8 = 0;
const KING_ROWS: u8 = 8;
const BISHOP_ROWS: u8 = 16;
const ROOK_ROWS: u8 = 32;
const PAWN_ROWS: u8 = 48;

/// The target square of a piece by the value of its code and its starting square; 64 if it is beyond the board.
pub(super) static TARGETS: [[u8; 64]; 64] = targets();

const fn targets() -> [[u8; 64]; 64] {
    let mut table = [[64u8; 64]; 64];
    let mut row = 0;
    while row < 56 {
        let mut from = 0;
        while from < 64 {
            let (file, rank) = ((from % 8) as i8, (from / 8) as i8);
            let (to_file, to_rank) = match row {
                0..8 => (file + KNIGHT[row].0, rank + KNIGHT[row].1),
                8..16 => (file + KING[row - 8].0, rank + KING[row - 8].1),
                16..24 => (file + (row as i8 - 16 - rank), row as i8 - 16),
                24..32 => (file - (row as i8 - 24 - rank), row as i8 - 24),
                32..40 => (file, row as i8 - 32),
                40..48 => (row as i8 - 40, rank),
                48..52 => (file + PAWN[row - 48].0, rank + PAWN[row - 48].1),
                _ => (file - PAWN[row - 52].0, rank - PAWN[row - 52].1),
            };
            let inside = to_file >= 0 && to_file < 8 && to_rank >= 0 && to_rank < 8;
            // A slide must move.
            if inside && (to_file != file || to_rank != rank) {
                table[row][from] = (to_rank * 8 + to_file) as u8;
            }
            from += 1;
        }
        row += 1;
    }
    table
}

/// The row of [`TARGETS`] for a piece of this kind and a value of five bits.
pub(super) fn row_of(role: Role, value: u8, color: Color) -> Option<u8> {
    let (first, count) = match role {
        Role::Knight => (KNIGHT_ROWS, 8),
        Role::King => (KING_ROWS, 8),
        Role::Bishop => (BISHOP_ROWS, 16),
        Role::Rook => (ROOK_ROWS, 16),
        // Sixteen values as a bishop, sixteen as a rook: their rows follow each other.
        Role::Queen => (BISHOP_ROWS, 32),
        Role::Pawn if color == Color::White => (PAWN_ROWS, 4),
        Role::Pawn => (PAWN_ROWS + 4, 4),
    };
    (value < count).then_some(first + value)
}

/// The meaning of a code in a position. It is not checked whether the piece can move like that.
#[inline]
fn find(
    position: &JoseDecoderPosition,
    code: u8,
    second: Option<u8>,
) -> Result<Move, &'static str> {
    let board = &position.board;
    let turn = board.turn();
    let mut promotion = None;
    let (number, value, role) = match code {
        0x00..=0x1F => (JosePieceNumber::Pawn(code >> 2), code & 3, Role::Pawn),
        0x20..=0x2F => (
            JosePieceNumber::Knight(code >> 3 & 1),
            code & 7,
            Role::Knight,
        ),
        0x30..=0x4F => (
            JosePieceNumber::Bishop((code - 0x30) >> 4),
            code & 15,
            Role::Bishop,
        ),
        0x50..=0x6F => (
            JosePieceNumber::Rook((code - 0x50) >> 4),
            code & 15,
            Role::Rook,
        ),
        0x70..=0x8F => (JosePieceNumber::Queen, code - 0x70, Role::Queen),
        0x90..=0x97 => (JosePieceNumber::King, code & 7, Role::King),
        CASTLE_SHORT => {
            return board
                .find_castle(CastlingSide::KingSide)
                .ok_or("castling is not possible");
        }
        CASTLE_LONG => {
            return board
                .find_castle(CastlingSide::QueenSide)
                .ok_or("castling is not possible");
        }
        NULL_MOVE => return Ok(Move::NULL),
        PROMOTION..=0xA7 => {
            let second = second.ok_or("the second byte is missing")?;
            promotion = Some(match second & 3 {
                0 => Role::Knight,
                1 => Role::Bishop,
                2 => Role::Rook,
                _ => Role::Queen,
            });
            (JosePieceNumber::Pawn(code & 7), second >> 2 & 3, Role::Pawn)
        }
        PROMOTED..=0xAF => {
            let second = second.ok_or("the second byte is missing")?;
            let number = JosePieceNumber::Pawn(code & 7);
            let from = position.pieces.square(turn, number.index());
            let role = Square::try_from(from)
                .ok()
                .and_then(|from| board.role_at(from))
                .filter(|&role| role != Role::Pawn)
                .ok_or("the pawn was not promoted")?;
            (number, second & 0x1F, role)
        }
        _ => return Err("not a move"),
    };
    let from = position.pieces.square(turn, number.index());
    let row = row_of(role, value, turn).ok_or("impossible value")?;
    let target = TARGETS
        .get(usize::from(row))
        .and_then(|row| row.get(from as usize))
        .copied()
        .unwrap_or(64);
    let (Ok(from), Ok(to)) = (Square::try_from(from), Square::try_from(u32::from(target))) else {
        return Err(if from >= 64 {
            "the piece is not on the board"
        } else {
            "the target square is not on the board"
        });
    };
    if !board.us().contains(from) || board.role_at(from) != Some(role) {
        return Err("the piece is now of another kind");
    }
    if board.us().contains(to) {
        return Err("the target square has a piece of the same side");
    }
    let capture = board.them().contains(to);
    let at_end = role == Role::Pawn && to.rank() == turn.fold_wb(Rank::Eighth, Rank::First);
    if promotion.is_some() != at_end {
        return Err("a pawn promotes on the last rank, and nowhere else");
    }
    if role == Role::Pawn && !capture && from.file() != to.file() {
        if board.ep_square() != Some(to) {
            return Err("there is nothing to capture");
        }
        return Ok(Move::en_passant(from, to));
    }
    Ok(Move::normal(role, from, to, capture, promotion))
}

/// The same move by another queen of the custom starting position: jose has one code for all of them.
#[cold]
fn other_queen(position: &JoseDecoderPosition, code: u8, m: Option<Move>) -> Option<Move> {
    if !(0x70..=0x8F).contains(&code) {
        return None;
    }
    let board = &position.board;
    let turn = board.turn();
    let row = row_of(Role::Queen, code - 0x70, turn)?;
    for from in board.by_piece(Role::Queen.of(turn)) {
        if m.is_some_and(|m| m.from() == from) || position.pieces.number(turn, from).is_some() {
            continue;
        }
        let target = *TARGETS.get(usize::from(row))?.get(usize::from(from))?;
        let Ok(to) = Square::try_from(u32::from(target)) else {
            continue;
        };
        let other = Move::normal(Role::Queen, from, to, board.them().contains(to), None);
        if board.is_legal(other) {
            return Some(other);
        }
    }
    None
}
