//! Records → games.

use tabiya_model::board::{Board, MAX_COUNTER, PositionProblems, SanError};
use tabiya_model::charset::Charset;
use tabiya_model::diagnostic::{DiagnosticCode, Location};
use tabiya_model::game::{Game, StartingPosition, Variant};
use tabiya_model::notation::{self, MoveInterpretation};
use tabiya_model::{GameNeeds, Move};

use super::codes;
use super::layout::{self, EpdOperation, EpdRecord};

/// The place of a record.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct EpdLinePlace {
    pub(super) number: u64,
    pub(super) byte: u64,
    pub(super) line: u64,
    /// Whether it was truncated at the limit.
    pub(super) cut: bool,
}

/// Reads a record into a game.
pub(super) fn read(
    line: &[u8],
    place: EpdLinePlace,
    want: GameNeeds,
    encoding: Option<Charset>,
    game: &mut Game,
) {
    game.clear();
    game.origin.number = place.number;
    game.origin.byte = place.byte;
    game.origin.length = line.len() as u64;
    game.origin.line = place.line;
    let charset = match std::str::from_utf8(line) {
        Ok(_) => Charset::Utf8,
        Err(_) => encoding
            .filter(|charset| *charset != Charset::Utf8)
            .unwrap_or(Charset::Cp1252),
    };
    let mut reading = EpdReader {
        game,
        place,
        want,
        charset,
    };
    if charset != Charset::Utf8 {
        reading.report(&codes::OTHER_CHARSET, || {
            format!("the record is read as {}", charset.name())
        });
    }
    if place.cut {
        reading.report(&codes::LONG_LINE, || {
            format!("the line is longer than {} bytes", line.len())
        });
    }
    match layout::cut(line) {
        Some(record) => reading.record(line, &record),
        None => reading.unreadable(line, "it has fewer than four fields"),
    }
}

struct EpdReader<'g> {
    game: &'g mut Game,
    place: EpdLinePlace,
    want: GameNeeds,
    charset: Charset,
}

impl EpdReader<'_> {
    fn report(&mut self, code: &'static DiagnosticCode, message: impl FnOnce() -> String) {
        let EpdLinePlace {
            number, byte, line, ..
        } = self.place;
        let place = || Location {
            game: Some(number),
            byte: Some(byte),
            line: Some(line),
            ..Location::default()
        };
        self.game.diagnostics.report(code, place, message);
    }

    /// Keeps a line whose position is invalid.
    fn unreadable(&mut self, line: &[u8], why: &str) {
        self.report(&codes::BAD_POSITION, || {
            let shown: Vec<u8> = line.iter().copied().take(80).collect();
            let shown = String::from_utf8_lossy(&shown).into_owned();
            format!("{shown:?} is not a position: {why}; it is kept as text")
        });
        self.game.variant = Variant::Other;
        if self.want.moves {
            self.game.tape.push_raw_bytes(line, self.charset);
        }
    }

    fn record(&mut self, line: &[u8], record: &EpdRecord<'_>) {
        let (counters, used) = self.counters(record);
        let fields: Vec<_> = record
            .position
            .iter()
            .map(|field| String::from_utf8_lossy(field).into_owned())
            .collect();
        let fen = format!("{} {} {}", fields.join(" "), counters[0], counters[1]);
        let (board, problems) = match Board::from_fen(&fen) {
            Ok(read) => read,
            Err(error) => return self.unreadable(line, &error.to_string()),
        };
        let mut line_of_moves = None;
        for (index, operation) in record.operations.iter().enumerate() {
            if !operation.ends {
                self.report(&codes::OPEN_OPERATION, || {
                    let opcode = String::from_utf8_lossy(operation.opcode).into_owned();
                    format!("the operation {opcode} does not end")
                });
            }
            if used.contains(&index) {
                continue;
            }
            match operation.opcode {
                b"pv" if line_of_moves.is_none() => line_of_moves = Some(operation.operands),
                opcode if layout::is_comment(opcode) => {
                    if self.want.annotations {
                        let text = layout::value(operation.operands);
                        self.game.tape.push_comment_bytes(text, self.charset);
                    }
                }
                _ => self.tag(operation),
            }
        }
        self.start(board, problems);
        if self.want.moves
            && let Some(moves) = line_of_moves
        {
            self.moves(moves);
        }
        if !record.rest.is_empty() {
            self.report(&codes::BAD_OPERATION, || {
                let shown: Vec<u8> = record.rest.iter().copied().take(60).collect();
                let shown = String::from_utf8_lossy(&shown).into_owned();
                format!("{shown:?} is not an operation; it is kept as text")
            });
            if self.want.moves {
                self.game.tape.push_raw_bytes(record.rest, self.charset);
            }
        }
    }

    /// The counters of the position and the operations that they come from: the counters of a FEN take precedence.
    fn counters(&mut self, record: &EpdRecord<'_>) -> ([u32; 2], Vec<usize>) {
        let mut counters = [0, 1];
        let mut used = Vec::new();
        let number = |digits: &[u8]| -> Option<u32> {
            let text = std::str::from_utf8(digits).ok()?;
            text.parse().ok().filter(|n| *n <= MAX_COUNTER)
        };
        for (slot, name) in [(0, &b"hmvc"[..]), (1, b"fmvn")] {
            let told = record
                .operations
                .iter()
                .position(|operation| operation.opcode == name);
            let operation = told.and_then(|index| record.operations.get(index));
            let own = record.counters.and_then(|fields| fields.get(slot).copied());
            let digits = own.or(operation.map(|operation| operation.operands));
            let Some(digits) = digits else { continue };
            match number(digits) {
                Some(n) => {
                    if let Some(counter) = counters.get_mut(slot) {
                        *counter = n;
                    }
                    used.extend(told.filter(|_| own.is_none()));
                }
                None => self.report(&codes::BAD_COUNTER, || {
                    let name = String::from_utf8_lossy(name).into_owned();
                    format!("{name} has an impossible number")
                }),
            }
        }
        (counters, used)
    }

    fn tag(&mut self, operation: &EpdOperation<'_>) {
        let name: &[u8] = match operation.opcode {
            b"id" => b"Event",
            b"eco" => b"ECO",
            other => other,
        };
        // These determine the start, so they are always kept.
        let says_start = matches!(name, b"Variant" | b"SetUp");
        if says_start || self.want.tags.may_hold(name) {
            let value = layout::value(operation.operands);
            self.game.tags.push_bytes(name, value, self.charset);
        }
    }

    /// Sets up the board, with the tags for it.
    fn start(&mut self, board: Board, problems: PositionProblems) {
        let is_said = self.game.tags.get("SetUp") == Some("1");
        let named = self
            .game
            .tags
            .get("Variant")
            .map_or(Variant::Standard, Variant::from_name);
        self.game.variant = match named {
            Variant::Standard if board.is_chess960() => Variant::Chess960,
            other => other,
        };
        if !problems.is_empty() {
            self.report(&codes::ODD_POSITION, || {
                let odd: Vec<_> = problems.descriptions().collect();
                format!("the position is unusual: {}", odd.join(", "))
            });
        }
        if board == Board::standard() && problems.is_empty() && !is_said {
            return;
        }
        if !is_said {
            self.game.tags.push("SetUp", "1");
        }
        self.game.tags.push("FEN", &board.to_fen());
        self.game.start = StartingPosition::Setup(Box::new(board), problems);
    }

    /// Plays the operands of `pv`; move numbers between them are ignored.
    fn moves(&mut self, operands: &[u8]) {
        let mut board = self.game.start_board();
        let mut rest = operands;
        loop {
            rest = rest.trim_ascii_start();
            let end = rest
                .iter()
                .position(u8::is_ascii_whitespace)
                .unwrap_or(rest.len());
            let Some((word, more)) = rest.split_at_checked(end) else {
                return;
            };
            if word.is_empty() {
                return;
            }
            let is_number = word.iter().all(|b| b.is_ascii_digit() || *b == b'.');
            if !is_number || word == b"0000" {
                let m = match self.game.variant {
                    Variant::Other => None,
                    _ => find(&board, word),
                };
                let Some((m, is_legal)) = m else {
                    self.report(&codes::UNREADABLE_MOVE, || {
                        let word = String::from_utf8_lossy(word).into_owned();
                        let fen = board.to_fen();
                        format!(
                            "the move {word:?} cannot be played in {fen}; the rest is kept as text"
                        )
                    });
                    self.game.tape.push_raw_bytes(rest, self.charset);
                    return;
                };
                if !is_legal {
                    self.report(&codes::ILLEGAL_MOVE, || {
                        let word = String::from_utf8_lossy(word).into_owned();
                        format!("the move {word} is illegal in {}", board.to_fen())
                    });
                }
                self.game.tape.push_move(m);
                board.play(m);
            }
            rest = more;
        }
    }
}

/// The move that a word denotes, and whether it is legal.
fn find(board: &Board, word: &[u8]) -> Option<(Move, bool)> {
    match board.read_san(word) {
        Some((Ok(m), length)) if length == word.len() => return Some((m, true)),
        Some((Err(SanError::Illegal(m)), length)) if length == word.len() => {
            return Some((m, false));
        }
        _ => {}
    }
    let (told, length) = notation::move_at(word)?;
    let behind = word.get(length..).unwrap_or_default();
    if !behind.iter().all(|b| b"+#!?".contains(b)) {
        return None;
    }
    match notation::find(board, told, &[]) {
        MoveInterpretation::Legal(m) => Some((m, true)),
        MoveInterpretation::Illegal(m, _) => Some((m, false)),
        _ => None,
    }
}
