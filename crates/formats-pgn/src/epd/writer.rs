//! Games → records.

use std::borrow::Cow;
use std::path::Path;

use tabiya_model::board::FenWriter;
use tabiya_model::canon_game::{fold, folded};
use tabiya_model::digits::push_number;
use tabiya_model::error_codes;
use tabiya_model::game::{Game, StartingPosition, Variant};
use tabiya_model::outcome::Outcome;
use tabiya_model::{
    Board, EncodedGames, Encoder, Error, LossKind, Losses, Result, Sink, TapeOp, WriteSummary,
};

use super::layout::{PLAIN, TAKEN, is_comment, is_opcode, stands_bare};
use super::losses;
use tabiya_codec::fact_losses::{ResultPair, StartTags, report_empty_tags};
use tabiya_codec::format::WriteOptions;
use tabiya_codec::target_file::TargetFile;

/// The number of opcodes for comments in a record.
const COMMENTS: usize = 10;

/// Begins a list: of FEN if the name ends in `.fen`, else of EPD.
pub(super) fn create(path: &Path, options: &WriteOptions) -> Result<Box<dyn Sink>> {
    let name = path.file_name().map_or_else(String::new, |name| {
        name.to_string_lossy().to_ascii_lowercase()
    });
    let is_fen = name.ends_with(".fen") || name.contains(".fen.");
    Ok(Box::new(EpdSink {
        target: TargetFile::create(path, options)?,
        is_fen,
        games: 0,
    }))
}

struct EpdSink {
    target: TargetFile,
    is_fen: bool,
    games: u64,
}

/// Records and their number.
struct EpdPart {
    lines: Vec<u8>,
    games: u64,
}

impl Sink for EpdSink {
    fn encoder(&self) -> Box<dyn Encoder> {
        Box::new(EpdEncoder {
            is_fen: self.is_fen,
            fen: FenWriter::default(),
            lines: Vec::new(),
            games: 0,
        })
    }

    fn append(&mut self, part: EncodedGames, _first: u64, _losses: &mut Losses) -> Result<()> {
        let part = part.downcast::<EpdPart>().map_err(|_| {
            Error::new(
                &error_codes::INTERNAL,
                "this part was encoded for another target",
            )
        })?;
        self.games += part.games;
        self.target.put(&part.lines)
    }

    fn finish(self: Box<Self>) -> Result<WriteSummary> {
        let finished = self.target.finish()?;
        Ok(WriteSummary {
            games: self.games,
            bytes: finished.bytes,
            files: vec![finished.path],
            notes: Vec::new(),
        })
    }
}

struct EpdEncoder {
    is_fen: bool,
    fen: FenWriter,
    lines: Vec<u8>,
    games: u64,
}

impl Encoder for EpdEncoder {
    fn encode(&mut self, game: &Game, losses: &mut Losses) {
        self.games += 1;
        let mut record = EpdRecordWriter {
            game,
            fen: &mut self.fen,
            out: &mut self.lines,
            losses,
        };
        if self.is_fen {
            record.fen();
        } else {
            record.epd();
        }
        self.lines.push(b'\n');
    }

    fn take(&mut self) -> EncodedGames {
        Box::new(EpdPart {
            lines: std::mem::take(&mut self.lines),
            games: std::mem::take(&mut self.games),
        })
    }
}

struct EpdRecordWriter<'r> {
    game: &'r Game,
    fen: &'r mut FenWriter,
    out: &'r mut Vec<u8>,
    losses: &'r mut Losses,
}

impl EpdRecordWriter<'_> {
    fn lose(&mut self, kind: &'static LossKind, detail: impl Into<String>) {
        self.losses
            .report(kind, self.game.origin.number, detail.into());
    }

    /// A position alone.
    fn fen(&mut self) {
        let game = self.game;
        self.fen.write(&game.start_board(), self.out);
        let mut tags = game.tags.iter().enumerate();
        if let Some((_, tag)) = tags.find(|(index, _)| !game.is_start_tag(*index)) {
            self.lose(&losses::FEN_TAGS, tag.name);
        }
        if game.result() != Outcome::Unknown {
            self.lose(&losses::FEN_OUTCOME, game.result().as_pgn());
        }
        if game.variant != variant_of(&game.start_board(), None)
            || matches!(&game.start, StartingPosition::Setup(board, _) if **board == Board::standard())
        {
            self.lose(&losses::START, format!("{:?}", game.variant));
        }
        let has = |is: fn(&TapeOp) -> bool| game.tape.ops().any(|op| is(&op));
        if has(|op| matches!(op, TapeOp::Move(_) | TapeOp::Raw(_))) {
            self.lose(&losses::MOVES, format!("{} plies", game.tape.plies()));
        }
        if has(|op| matches!(op, TapeOp::Comment(_))) {
            self.lose(&losses::FEN_COMMENTS, "");
        }
        self.lose_others();
    }

    /// Reports data that no record can hold.
    fn lose_others(&mut self) {
        let tape = &self.game.tape;
        let count = |is: fn(&TapeOp) -> bool| tape.ops().filter(is).count();
        let variations = count(|op| matches!(op, TapeOp::Begin(_)));
        let nags = count(|op| matches!(op, TapeOp::Nag(_)));
        let raws = count(|op| matches!(op, TapeOp::Raw(_)));
        let outcomes = count(|op| matches!(op, TapeOp::Outcome(_)));
        let extensions = count(|op| matches!(op, TapeOp::Ext(_)));
        for (kind, count) in [
            (&losses::VARIATIONS, variations),
            (&losses::NAGS, nags),
            (&losses::RAW, raws),
            (&losses::OUTCOME, outcomes),
            (&losses::EXTENSION, extensions),
        ] {
            if count > 0 {
                self.lose(kind, count.to_string());
            }
        }
    }

    /// A position with its operations.
    fn epd(&mut self) {
        let game = self.game;
        let board = game.start_board();
        self.fen.write_position(&board, self.out);
        for (name, counter, usual) in [
            ("hmvc", board.halfmoves(), 0),
            ("fmvn", board.fullmoves(), 1),
        ] {
            if counter != usual {
                self.operation(name, |out| push_number(u64::from(counter), out));
            }
        }
        self.tags();
        if matches!(&game.start, StartingPosition::Setup(..)) && board == Board::standard() {
            self.plain("SetUp", b"1");
        }
        self.rules(&board);
        if !game.tape.is_empty() {
            self.comments();
            self.moves(&board);
            self.lose_others();
        }
    }

    fn tags(&mut self) {
        let game = self.game;
        let results = ResultPair::of(game);
        let result = results.field;
        let has_result = game.tags.get("Result").is_some();
        let read = StartTags {
            fen: Some(&game.start_board().to_fen()),
            setup: true,
            variant: false,
        };
        read.report(game, self.losses);
        report_empty_tags(game, false, self.losses);
        for (index, tag) in game.tags.iter().enumerate() {
            if game.is_start_tag(index) {
                continue;
            }
            let is_first = game.tags.position(tag.name) == Some(index);
            let is_only = game.tags.iter().filter(|t| t.name == tag.name).count() == 1;
            if tag.name == "Result" && is_first && results.other_tag().is_some() {
                self.lose(&losses::RESULT, results.both());
            }
            match tag.name {
                "Result" if is_first && (result != Outcome::Unknown || !is_only) => {
                    self.string("Result", result.as_pgn());
                }
                "Result" if is_first => {}
                // An unknown value needs no operation.
                "Event" | "Site" | "Round" | "White" | "Black"
                    if is_only && matches!(tag.value, "" | "?") => {}
                "Date" if is_only && matches!(tag.value, "" | "????.??.??") => {}
                "Event" => self.string("id", tag.value),
                "ECO" => self.string("eco", tag.value),
                name if !is_opcode(name.as_bytes())
                    || TAKEN.contains(&name)
                    || is_comment(name.as_bytes())
                    || matches!(name, "FEN" | "SetUp") =>
                {
                    self.lose(&losses::TAGS, name);
                }
                name => self.string(name, tag.value),
            }
        }
        if !has_result && result != Outcome::Unknown {
            self.string("Result", result.as_pgn());
        }
        if results.other_ending().is_some() {
            self.lose(&losses::ENDING, results.both());
        }
    }

    /// Writes the variant, or reports its loss, if neither the position nor a tag gives it.
    fn rules(&mut self, board: &Board) {
        let tag = self.game.tags.get("Variant").map(fold);
        if variant_of(board, tag.as_deref()) == self.game.variant {
            return;
        }
        if self.game.variant == Variant::Chess960 && tag.is_none() {
            self.string("Variant", "Chess960");
        } else {
            self.lose(&losses::START, format!("{:?}", self.game.variant));
            if tag.is_some() {
                // With another variant, the tag with its name is not read back either.
                self.lose(&losses::TAGS, "Variant");
            }
        }
    }

    /// The comments before the first move.
    fn comments(&mut self) {
        let game = self.game;
        let mut number = 0;
        let mut is_lead = true;
        let mut lost = 0_usize;
        for op in game.tape.ops() {
            match op {
                TapeOp::Comment(id) if is_lead && number < COMMENTS => {
                    let opcode = format!("c{number}");
                    number += 1;
                    let text = self.folded(&opcode, game.tape.text(id));
                    if !self.quoted(&opcode, &text) {
                        lost += 1;
                    }
                }
                TapeOp::Comment(_) => lost += 1,
                TapeOp::Move(_) | TapeOp::Raw(_) => is_lead = false,
                _ => {}
            }
        }
        if lost > 0 {
            self.lose(&losses::COMMENTS, lost.to_string());
        }
    }

    fn moves(&mut self, start: &Board) {
        let mut moves = self.game.tape.main_line().peekable();
        if moves.peek().is_none() {
            return;
        }
        if self.game.variant == Variant::Other {
            self.lose(&losses::MOVES, "the rules are not known");
            return;
        }
        let mut board = start.clone();
        self.operation("pv", |line| {
            while let Some(m) = moves.next() {
                board.write_san(m, line);
                board.play(m);
                if moves.peek().is_some() {
                    line.push(b' ');
                }
            }
        });
    }

    /// An operation whose operands are written without quotes.
    fn plain(&mut self, opcode: &str, operands: &[u8]) {
        self.operation(opcode, |out| out.extend_from_slice(operands));
    }

    /// An operation with the operands that `write` adds.
    fn operation(&mut self, opcode: &str, write: impl FnOnce(&mut Vec<u8>)) {
        self.out.push(b' ');
        self.out.extend_from_slice(opcode.as_bytes());
        self.out.push(b' ');
        write(self.out);
        self.out.push(b';');
    }

    /// A text on one line.
    fn folded<'t>(&mut self, opcode: &str, text: &'t str) -> Cow<'t, str> {
        let folded = folded(text);
        if folded != text {
            self.lose(&losses::LAYOUT, opcode);
        }
        folded
    }

    /// An operation of a tag.
    fn string(&mut self, opcode: &str, value: &str) {
        let text = self.folded(opcode, value);
        let is_list = has_quote(&text) || PLAIN.contains(&opcode);
        if is_list && stands_bare(text.as_bytes()) {
            self.plain(opcode, text.as_bytes());
        } else if !self.quoted(opcode, &text) {
            self.lose(&losses::TEXT, format!("{opcode} {value:?}"));
        }
    }

    /// An operation with one string, which is put on one line; false if it had to be changed.
    fn quoted(&mut self, opcode: &str, text: &str) -> bool {
        let fits = !has_quote(text);
        self.operation(opcode, |out| {
            out.push(b'"');
            if fits {
                out.extend_from_slice(text.as_bytes());
            } else {
                out.extend_from_slice(text.replace('"', "'").as_bytes());
            }
            out.push(b'"');
        });
        fits
    }
}

fn has_quote(text: &str) -> bool {
    text.as_bytes().contains(&b'"')
}

/// The variant that a reader would recognise.
fn variant_of(board: &Board, tag: Option<&str>) -> Variant {
    match tag.map_or(Variant::Standard, Variant::from_name) {
        Variant::Standard if board.is_chess960() => Variant::Chess960,
        other => other,
    }
}
