//! One row as a game.

use tabiya_columns::{CellValue, RowGroupReader};
use tabiya_model::game::{StartingPosition, Variant};
use tabiya_model::outcome::Outcome;
use tabiya_model::{
    Board, Diagnostic, DiagnosticCode, Game, GameNeeds, Location, Move, Replay, Tags,
};

use super::annotations::{ParquetNote, next};
use super::clocks::{self, ClockAndEval};
use super::compact_moves::{self, ParquetMove};
use super::layout::MoveColumn;
use super::text::ParquetTextReader;
use super::{codes, layout, moves, tags};

/// The start and the variant that the tags give.
pub(super) fn beginning(tags: &Tags) -> (StartingPosition, Variant) {
    let variant = tags
        .get("Variant")
        .map_or(Variant::Standard, Variant::from_name);
    let start = match tags.get("FEN").map(Board::from_fen) {
        Some(Ok((board, problems))) => StartingPosition::Setup(Box::new(board), problems),
        _ => StartingPosition::Standard,
    };
    (start, variant)
}

/// The cells of a row, copied from their columns, and the decoder for games from them. Buffers are reused.
pub(super) struct ParquetRecord {
    column: MoveColumn,
    follower: compact_moves::CompactMoveTracker,
    row: tags::TagRow,
    tags_are_texts: bool,
    names: Option<String>,
    values: Vec<u8>,
    outcome: Option<Vec<u8>>,
    moves: Option<Vec<u8>>,
    clocks: Vec<u8>,
    evals: Vec<u8>,
    notes: Vec<u8>,
    said: Vec<ClockAndEval>,
    replay: Replay,
    comment: String,
}

fn copy(cell: CellValue<'_>, out: &mut Vec<u8>) -> bool {
    out.clear();
    out.extend_from_slice(cell.bytes().unwrap_or_default());
    cell != CellValue::Null
}

impl ParquetRecord {
    pub(super) fn new(column: MoveColumn) -> ParquetRecord {
        ParquetRecord {
            column,
            follower: compact_moves::CompactMoveTracker::default(),
            row: tags::TagRow::new(),
            tags_are_texts: true,
            names: None,
            values: Vec::new(),
            outcome: None,
            moves: None,
            clocks: Vec::new(),
            evals: Vec::new(),
            notes: Vec::new(),
            said: Vec::new(),
            replay: Replay::new(&Board::standard()),
            comment: String::new(),
        }
    }

    /// Reads the next row.
    pub(super) fn load(&mut self, rows: &mut RowGroupReader) -> tabiya_columns::Result<()> {
        self.row.clear();
        self.tags_are_texts = true;
        for at in 0..layout::TAGS.len() {
            self.tags_are_texts &= self.row.push(rows.next(layout::FIRST_TAG + at)?);
        }
        let names = rows.next(layout::TAG_NAMES)?;
        self.names = match names.bytes().map(std::str::from_utf8) {
            Some(Ok(names)) => Some(names.to_owned()),
            Some(Err(_)) => {
                self.tags_are_texts = false;
                None
            }
            None => None,
        };
        copy(rows.next(layout::TAG_VALUES)?, &mut self.values);
        self.outcome = rows.next(layout::OUTCOME)?.bytes().map(<[u8]>::to_vec);
        let mut moves = self.moves.take().unwrap_or_default();
        self.moves = copy(rows.next(layout::MOVES)?, &mut moves).then_some(moves);
        copy(rows.next(layout::CLOCKS)?, &mut self.clocks);
        copy(rows.next(layout::EVALS)?, &mut self.evals);
        copy(rows.next(layout::ANNOTATIONS)?, &mut self.notes);
        Ok(())
    }

    /// Makes a game from the row that was read last.
    pub(super) fn read(&mut self, number: u64, depth: usize, want: GameNeeds, game: &mut Game) {
        game.clear();
        game.origin.number = number;
        let whole = self.row.join(
            self.names.as_deref(),
            &self.values,
            want.tags,
            &mut game.tags,
        );
        if !whole || !self.tags_are_texts {
            report(
                game,
                &codes::TAGS,
                0,
                "its tag columns contradict each other",
            );
        }
        (game.start, game.variant) = beginning(&game.tags);
        game.outcome = match &self.outcome {
            None => None,
            Some(text) => {
                let outcome = std::str::from_utf8(text).ok().and_then(Outcome::from_pgn);
                if outcome.is_none() {
                    report(game, &codes::OUTCOME, 0, "its result is not valid");
                }
                outcome
            }
        };
        let notes = std::mem::take(&mut self.notes);
        let mut reader = ParquetTextReader::new(&notes);
        let mut walk = ParquetGameDecoder {
            record: self,
            game,
            want,
            depth_limit: depth,
            played: 0,
            at: 0,
            odd: None,
            comment: None,
            is_spaced: false,
            depth: 0,
            is_broken: false,
        };
        let sound = walk.head(&mut reader);
        if want.moves {
            if sound {
                walk.game(&mut reader);
            } else {
                walk.damaged_notes();
                walk.rest();
            }
        }
        self.notes = notes;
    }
}

fn report(game: &mut Game, code: &'static DiagnosticCode, ply: u32, message: impl Into<String>) {
    let place = Location::game(game.origin.number).at_ply(ply);
    game.diagnostics.push(Diagnostic::new(code, place, message));
}

/// A game that is being put on the tape.
struct ParquetGameDecoder<'a> {
    record: &'a mut ParquetRecord,
    game: &'a mut Game,
    want: GameNeeds,
    depth_limit: usize,
    /// The plies of the main line so far, and the offset of the next one in its column.
    played: usize,
    at: usize,
    /// The known data of the next move, which the rules do not explain.
    odd: Option<u32>,
    /// The clock and evaluation of the last move of the main line, which follow its NAGs.
    comment: Option<ClockAndEval>,
    /// Whether such comments have a space at both ends.
    is_spaced: bool,
    depth: usize,
    /// The rest of this line is text.
    is_broken: bool,
}

impl ParquetGameDecoder<'_> {
    /// Reads the operations that precede all others; false if they are invalid.
    fn head(&mut self, reader: &mut ParquetTextReader<'_>) -> bool {
        loop {
            let mut ahead = reader.clone();
            match next(&mut ahead) {
                Some(ParquetNote::Rules(rules)) => {
                    self.game.variant = match rules {
                        0 => Variant::Standard,
                        1 => Variant::Chess960,
                        _ => Variant::Other,
                    };
                }
                Some(ParquetNote::Spaced) => self.is_spaced = true,
                Some(ParquetNote::Start("")) => self.game.start = StartingPosition::Standard,
                Some(ParquetNote::Start(fen)) => match Board::from_fen(fen) {
                    Ok((board, problems)) => {
                        self.game.start = StartingPosition::Setup(Box::new(board), problems);
                    }
                    Err(_) => return false,
                },
                _ => return true,
            }
            *reader = ahead;
        }
    }

    fn game(&mut self, reader: &mut ParquetTextReader<'_>) {
        let board = self.game.start_board();
        self.record.replay.reset(&board);
        self.record.replay.expect_variations(!reader.is_empty());
        let Some(moves) = &self.record.moves else {
            let message = "the column of its moves is empty";
            return report(self.game, &codes::MOVES, 0, message);
        };
        let (plies, is_cut) = match self.record.column {
            MoveColumn::Fast => (moves.len() / 2, moves.len() % 2 != 0),
            MoveColumn::Compact => compact_moves::count(moves),
        };
        self.record.follower.begin();
        if is_cut {
            report(
                self.game,
                &codes::MOVES,
                0,
                "the column of its moves ends in the middle of a move",
            );
        }
        let (clocks, evals) = (&self.record.clocks, &self.record.evals);
        let sound =
            !self.want.annotations || clocks::read(clocks, evals, plies, &mut self.record.said);
        if !self.want.annotations {
            self.record.said.clear();
        } else if !sound {
            let message = "its clocks or evaluations do not match its moves";
            report(self.game, &codes::CLOCKS, 0, message);
        }
        while !reader.is_empty() {
            let note = next(reader);
            if !note.is_some_and(|note| self.note(note)) {
                self.damaged_notes();
                break;
            }
        }
        self.rest();
    }

    fn damaged_notes(&mut self) {
        let ply = u32::try_from(self.played).unwrap_or(u32::MAX);
        let message = "its annotations are damaged from here on";
        report(self.game, &codes::ANNOTATIONS, ply, message);
    }

    /// Closes open variations, and plays the rest of the main line.
    fn rest(&mut self) {
        while self.depth > 0 {
            self.end();
        }
        self.advance(u64::MAX);
        self.say();
    }

    /// Writes the comment of the clock and the evaluation.
    fn say(&mut self) {
        let Some(said) = self
            .comment
            .take()
            .filter(|said| *said != ClockAndEval::default())
        else {
            return;
        };
        let space = if self.is_spaced { " " } else { "" };
        let comment = &mut self.record.comment;
        comment.clear();
        comment.push_str(space);
        said.write(comment);
        comment.push_str(space);
        self.game.tape.push_comment(comment);
    }

    /// Plays moves of the main line; false if there are fewer.
    fn advance(&mut self, count: u64) -> bool {
        for _ in 0..count {
            let Some(told) = self.next_told() else {
                return false;
            };
            self.say();
            if let Some(m) = self.play(told) {
                self.record.follower.play(m);
            }
            self.comment = self.record.said.get(self.played).copied();
            self.played += 1;
        }
        true
    }

    /// The next move of the main line in the column.
    fn next_told(&mut self) -> Option<ParquetMove> {
        let rest = self.record.moves.as_ref()?.get(self.at..)?;
        match self.record.column {
            MoveColumn::Fast => {
                let code = rest.first_chunk::<2>()?;
                self.at += 2;
                Some(ParquetMove::Code(u16::from_le_bytes(*code)))
            }
            MoveColumn::Compact => {
                let (told, left) = compact_moves::split(rest)?;
                self.at += rest.len() - left.len();
                Some(told)
            }
        }
    }

    /// The stored move in the position on the board.
    fn found(&mut self, told: ParquetMove, odd: Option<u32>) -> Option<Move> {
        let board = self.record.replay.now();
        let Some(bits) = odd else {
            return match told {
                ParquetMove::Code(code) => moves::find(board, code),
                ParquetMove::Rank(rank) => self.record.follower.find(board, rank),
            };
        };
        // A move that the rules do not explain still needs its piece.
        let m = Move::from_bits(bits)?;
        let piece = board.piece_at(m.from())?;
        (piece.color == board.turn() && piece.role == m.role()).then_some(m)
    }

    /// Plays a move, or keeps it as text.
    fn play(&mut self, told: ParquetMove) -> Option<Move> {
        let odd = self.odd.take();
        let found = if self.is_broken {
            None
        } else {
            self.found(told, odd)
        };
        let ply = self.record.replay.ply().saturating_add(1);
        let Some(m) = found else {
            let mut text = String::new();
            moves::push_shown(told, &mut text);
            if !self.is_broken {
                let fen = self.record.replay.now().to_fen();
                let message = format!("{text} in {fen}; the rest of this line is kept as text");
                report(self.game, &codes::UNREADABLE_MOVE, ply, message);
                self.is_broken = true;
            }
            self.game.tape.push_raw(&text);
            return None;
        };
        if self.want.verify && !m.is_null() && !self.record.replay.now().is_legal(m) {
            let mut text = String::new();
            moves::push_shown(told, &mut text);
            let fen = self.record.replay.now().to_fen();
            report(
                self.game,
                &codes::ILLEGAL_MOVE,
                ply,
                format!("{text} in {fen}"),
            );
        }
        self.game.tape.push_move(m);
        self.record.replay.play(m);
        Some(m)
    }

    fn end(&mut self) {
        self.depth -= 1;
        self.is_broken = false;
        self.record.replay.end();
        self.game.tape.end_variation();
    }

    /// Puts an operation on the tape; false if it is not allowed here.
    fn note(&mut self, note: ParquetNote<'_>) -> bool {
        if !matches!(
            note,
            ParquetNote::Nag(_) | ParquetNote::Advance(_) | ParquetNote::Odd(_)
        ) {
            self.say();
        }
        let tape = &mut self.game.tape;
        if tape.is_full() {
            return false;
        }
        match note {
            ParquetNote::Advance(count) => return self.depth == 0 && self.advance(count),
            ParquetNote::Nag(nag) => tape.push_nag(nag),
            ParquetNote::Comment(text) => {
                tape.push_comment_owned(&text);
            }
            ParquetNote::Raw(text) => {
                tape.push_raw_owned(&text);
            }
            ParquetNote::Extension(name, data) => tape.push_extension(name, data),
            ParquetNote::Begin => {
                if self.is_broken || self.depth >= self.depth_limit || !self.record.replay.begin() {
                    return false;
                }
                tape.begin_variation();
                self.depth += 1;
            }
            ParquetNote::End => {
                if self.depth == 0 {
                    return false;
                }
                self.end();
            }
            ParquetNote::Outcome(outcome) => tape.push_outcome(outcome),
            ParquetNote::Move(code) => {
                if self.depth == 0 {
                    return false;
                }
                self.play(ParquetMove::Code(code));
            }
            ParquetNote::Odd(bits) => self.odd = Some(bits),
            ParquetNote::Rules(_) | ParquetNote::Start(_) | ParquetNote::Spaced => return false,
        }
        true
    }
}
