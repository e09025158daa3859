//! Writes one game a line.

use std::path::Path;

use tabiya_model::board::CastlingStyle;
use tabiya_model::command::{
    BoardMark, CommentCommand, Evaluation, MarkShape, commands, plain_text,
};
use tabiya_model::diagnostic::Diagnostic;
use tabiya_model::digits::{push_number, push_signed};
use tabiya_model::error_codes;
use tabiya_model::game::{StartingPosition, Variant};
use tabiya_model::text::{TextArena, TextId, TextProvenance};
use tabiya_model::{
    EncodedGames, Encoder, Error, Game, Losses, Move, Replay, Result, Sink, TapeOp, WriteSummary,
};

use super::{ORIGINAL, SCHEMA};
use tabiya_codec::annotations::{ClocksAndEvaluation, push_seconds};
use tabiya_codec::format::WriteOptions;
use tabiya_codec::target_file::TargetFile;
use tabiya_model::json::{push_hex, push_text};

/// Writes one game after another into a buffer.
#[derive(Debug, Default)]
pub struct NdjsonGameWriter {
    replay: Option<Replay>,
}

impl NdjsonGameWriter {
    /// Appends the line of a game under its own number.
    pub fn write(&mut self, game: &Game, out: &mut Vec<u8>) {
        head(game.origin.number, out);
        self.body(game, out);
    }

    /// Appends everything that follows the number.
    fn body(&mut self, game: &Game, out: &mut Vec<u8>) {
        tags(game, out);
        match game.variant {
            Variant::Standard => {}
            Variant::Chess960 => out.extend_from_slice(b",\"variant\":\"chess960\""),
            Variant::Other => out.extend_from_slice(b",\"variant\":\"other\""),
        }
        if let StartingPosition::Setup(board, _) = &game.start {
            out.extend_from_slice(b",\"fen\":");
            push_text(&board.to_fen_always_ep(), out);
        }
        let result = game.result();
        out.extend_from_slice(b",\"result\":");
        push_text(result.as_pgn(), out);
        if game.outcome != Some(result) {
            out.extend_from_slice(b",\"outcome\":");
            match game.outcome {
                None => out.extend_from_slice(b"null"),
                Some(outcome) => push_text(outcome.as_pgn(), out),
            }
        }
        out.extend_from_slice(b",\"plies\":");
        push_number(game.tape.plies() as u64, out);
        self.moves(game, out);
        if !game.diagnostics.is_empty() {
            diagnostics(game, out);
        }
        out.extend_from_slice(b"}\n");
    }

    fn moves(&mut self, game: &Game, out: &mut Vec<u8>) {
        let start = game.start_board();
        let mut replay = match self.replay.take() {
            Some(mut replay) => {
                replay.reset(&start);
                replay
            }
            None => Replay::new(&start),
        };
        let castling = match game.variant {
            Variant::Chess960 => CastlingStyle::KingTakesRook,
            _ => CastlingStyle::KingMoves,
        };
        out.extend_from_slice(b",\"moves\":[");
        let tape = &game.tape;
        let mut at = 0;
        // Whether a comma is needed before the next item; a line starts without one.
        let mut comma = false;
        // Whether the line has a move to which clocks in its comments belong.
        let mut depth = 0_usize;
        while let Some(op) = tape.get(at) {
            if op == TapeOp::End {
                out.extend_from_slice(b"]}");
                depth = depth.saturating_sub(1);
                replay.end();
                comma = true;
                at += 1;
                continue;
            }
            if std::mem::replace(&mut comma, true) {
                out.push(b',');
            }
            match op {
                TapeOp::Move(m) => {
                    let said = ClocksAndEvaluation::after(tape, at);
                    one_move(&mut replay, m, castling, out);
                    at = nags(game, at + 1, out);
                    push_said(&said, out);
                    out.push(b'}');
                    continue;
                }
                TapeOp::Nag(nag) => {
                    out.extend_from_slice(b"{\"nag\":");
                    push_number(u64::from(nag.0), out);
                    out.push(b'}');
                }
                TapeOp::Comment(id) => comment(game, id, !replay.replaceable(), out),
                TapeOp::Raw(id) => {
                    out.extend_from_slice(b"{\"raw\":");
                    text(tape.texts(), id, out);
                    out.push(b'}');
                }
                TapeOp::Ext(index) => extension(game, index, out),
                TapeOp::Outcome(outcome) => {
                    out.extend_from_slice(b"{\"result\":");
                    push_text(outcome.as_pgn(), out);
                    out.push(b'}');
                }
                TapeOp::Begin(_) => {
                    out.extend_from_slice(b"{\"variation\":[");
                    depth += 1;
                    replay.begin();
                    comma = false;
                }
                TapeOp::End => {}
            }
            at += 1;
        }
        for _ in 0..depth {
            out.extend_from_slice(b"]}");
        }
        out.push(b']');
        self.replay = Some(replay);
    }
}

/// The beginning of a line, up to the number.
fn head(number: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"schema\":\"");
    out.extend_from_slice(SCHEMA.as_bytes());
    out.extend_from_slice(b"\",\"number\":");
    push_number(number, out);
}

fn tags(game: &Game, out: &mut Vec<u8>) {
    out.extend_from_slice(b",\"tags\":[");
    let texts = game.tags.texts();
    for (index, tag) in game.tags.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        out.push(b'[');
        push_text(tag.name, out);
        out.push(b',');
        push_text(tag.value, out);
        let id = |half: usize| TextId(u32::try_from(index * 2 + half).unwrap_or(u32::MAX));
        let (name, value) = (texts.provenance(id(0)), texts.provenance(id(1)));
        if let Some(provenance) = value.or(name) {
            out.extend_from_slice(b",{\"charset\":");
            push_text(provenance.charset.name(), out);
            push_raw(name, b",\"name_hex\":\"", out);
            push_raw(value, b",\"hex\":\"", out);
            out.push(b'}');
        }
        out.push(b']');
    }
    out.push(b']');
}

/// Appends original bytes that cannot be derived from the text.
fn push_raw(provenance: Option<&TextProvenance>, name: &[u8], out: &mut Vec<u8>) {
    if let Some(TextProvenance { raw: Some(raw), .. }) = provenance {
        out.extend_from_slice(name);
        push_hex(raw, out);
        out.push(b'"');
    }
}

/// Appends a text of the tape with the known data about its bytes.
fn text(texts: &TextArena, id: TextId, out: &mut Vec<u8>) {
    push_text(texts.get(id), out);
    let provenance = texts.provenance(id);
    if let Some(TextProvenance { charset, .. }) = provenance {
        out.extend_from_slice(b",\"charset\":");
        push_text(charset.name(), out);
        push_raw(provenance, b",\"hex\":\"", out);
    }
}

fn one_move(replay: &mut Replay, m: Move, castling: CastlingStyle, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"ply\":");
    push_number(u64::from(replay.ply()) + 1, out);
    // A move that the rules do not explain cannot be identified by its squares.
    let bits = (!m.is_null() && !replay.now().is_pseudo_legal(m)).then(|| m.bits());
    out.extend_from_slice(b",\"uci\":\"");
    replay.now().write_uci(m, castling, out);
    out.extend_from_slice(b"\",\"san\":\"");
    replay.play_with(|board| board.play_san(m, out));
    out.push(b'"');
    if let Some(bits) = bits {
        out.extend_from_slice(b",\"bits\":");
        push_number(u64::from(bits), out);
    }
}

/// Appends the NAGs directly after a move; returns the index after them.
fn nags(game: &Game, mut at: usize, out: &mut Vec<u8>) -> usize {
    let mut first = true;
    while let Some(TapeOp::Nag(nag)) = game.tape.get(at) {
        out.extend_from_slice(if std::mem::take(&mut first) {
            b",\"nags\":["
        } else {
            b","
        });
        push_number(u64::from(nag.0), out);
        at += 1;
    }
    if !first {
        out.push(b']');
    }
    at
}

fn push_said(said: &ClocksAndEvaluation, out: &mut Vec<u8>) {
    for (name, time) in [
        (&b",\"clk\":"[..], said.clk),
        (b",\"emt\":", said.emt),
        (b",\"egt\":", said.egt),
        (b",\"mct\":", said.mct),
    ] {
        if let Some(time) = time {
            out.extend_from_slice(name);
            push_seconds(time, out);
        }
    }
    if let Some((score, depth)) = said.eval {
        let (name, number) = match score {
            Evaluation::Centipawns(number) => (&b",\"eval\":{\"cp\":"[..], number),
            Evaluation::Mate(number) => (&b",\"eval\":{\"mate\":"[..], number),
        };
        out.extend_from_slice(name);
        push_signed(number, out);
        if let Some(depth) = depth {
            out.extend_from_slice(b",\"depth\":");
            push_number(u64::from(depth), out);
        }
        out.push(b'}');
    }
}

/// Appends a comment with the values of its commands; clocks and evaluations only if they belong to no move.
fn comment(game: &Game, id: TextId, before_moves: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"comment\":");
    text(game.tape.texts(), id, out);
    let comment = game.tape.text(id);
    if memchr::memmem::find(comment.as_bytes(), b"[%").is_some() {
        commands_of(comment, before_moves, out);
    }
    out.push(b'}');
}

fn commands_of(comment: &str, before_moves: bool, out: &mut Vec<u8>) {
    let mut said = ClocksAndEvaluation::default();
    if before_moves {
        said.add(comment);
    }
    push_said(&said, out);
    let mut marks = Vec::new();
    let (mut medals, mut training) = (None, None);
    let mut any = false;
    for command in commands(comment) {
        any = true;
        marks.extend(command.marks());
        match command {
            CommentCommand::Medals(bits) => medals = medals.or(Some(bits)),
            CommentCommand::Training(fields) => training = training.or(Some(fields)),
            _ => {}
        }
    }
    if !any {
        return;
    }
    for (index, mark) in marks.iter().enumerate() {
        out.extend_from_slice(if index == 0 { b",\"marks\":[" } else { b"," });
        push_mark(mark, out);
    }
    if !marks.is_empty() {
        out.push(b']');
    }
    if let Some(medals) = medals {
        out.extend_from_slice(b",\"medals\":");
        push_number(u64::from(medals), out);
    }
    if let Some(training) = training {
        for (index, field) in training.iter().enumerate() {
            out.extend_from_slice(if index == 0 { b",\"training\":[" } else { b"," });
            push_text(field, out);
        }
        out.push(b']');
    }
    out.extend_from_slice(b",\"text\":");
    push_text(&plain_text(comment), out);
}

fn push_mark(mark: &BoardMark, out: &mut Vec<u8>) {
    let colour = match mark {
        BoardMark::Arrow { from, to, colour } => {
            out.extend_from_slice(format!("{{\"from\":\"{from}\",\"to\":\"{to}\"").as_bytes());
            colour
        }
        BoardMark::Square {
            square,
            shape,
            colour,
        } => {
            out.extend_from_slice(format!("{{\"square\":\"{square}\"").as_bytes());
            if let MarkShape::Named(name) = shape {
                out.extend_from_slice(b",\"shape\":");
                push_text(name, out);
            }
            colour
        }
    };
    out.extend_from_slice(b",\"colour\":\"");
    out.extend_from_slice(colour.name().as_bytes());
    out.extend_from_slice(b"\"}");
}

fn extension(game: &Game, index: u32, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"extension\":");
    match game.tape.extensions().get(index as usize) {
        None => out.extend_from_slice(b"\"\",\"hex\":\""),
        Some(extension) => {
            push_text(&extension.name, out);
            out.extend_from_slice(b",\"hex\":\"");
            push_hex(&extension.data, out);
        }
    }
    out.extend_from_slice(b"\"}");
}

fn diagnostics(game: &Game, out: &mut Vec<u8>) {
    let found = &game.diagnostics;
    out.extend_from_slice(b",\"diagnostics\":[");
    for (index, diagnostic) in found.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        push_diagnostic(diagnostic, out);
    }
    out.push(b']');
    // Only the first findings of a kind are kept; if there were more, their number is written.
    let mut first = true;
    for (code, count) in found.counts() {
        let kept = found.iter().filter(|d| d.code == *code).count() as u64;
        if *count > kept {
            out.extend_from_slice(if std::mem::take(&mut first) {
                b",\"diagnostic_counts\":{"
            } else {
                b","
            });
            push_text(code.name, out);
            out.push(b':');
            push_number(*count, out);
        }
    }
    if !first {
        out.push(b'}');
    }
}

fn push_diagnostic(diagnostic: &Diagnostic, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"code\":");
    push_text(diagnostic.code.name, out);
    out.extend_from_slice(b",\"severity\":");
    push_text(&diagnostic.code.severity.to_string(), out);
    let place = &diagnostic.place;
    if let Some(file) = place.file.as_deref().filter(|file| *file != ORIGINAL) {
        out.extend_from_slice(b",\"file\":");
        push_text(file, out);
    }
    for (name, number) in [
        (&b",\"line\":"[..], place.line),
        (b",\"column\":", place.column),
        (b",\"byte\":", place.byte),
        (b",\"ply\":", place.ply.map(u64::from)),
    ] {
        if let Some(number) = number {
            out.extend_from_slice(name);
            push_number(number, out);
        }
    }
    out.extend_from_slice(b",\"message\":");
    push_text(&diagnostic.message, out);
    out.push(b'}');
}

/// Encoded games: their lines without the leading numbers, and the end of each.
struct NdjsonPart {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

struct NdjsonEncoder {
    writer: NdjsonGameWriter,
    part: NdjsonPart,
}

impl Encoder for NdjsonEncoder {
    fn encode(&mut self, game: &Game, _losses: &mut Losses) {
        self.writer.body(game, &mut self.part.bytes);
        self.part.ends.push(self.part.bytes.len());
    }

    fn take(&mut self) -> EncodedGames {
        let next = NdjsonPart {
            bytes: Vec::with_capacity(self.part.bytes.len()),
            ends: Vec::new(),
        };
        Box::new(std::mem::replace(&mut self.part, next))
    }
}

struct NdjsonSink {
    target: TargetFile,
    games: u64,
    buffer: Vec<u8>,
}

/// Creates a file of games in JSON; the path `-` is standard output.
pub(super) fn create(path: &Path, options: &WriteOptions) -> Result<Box<dyn Sink>> {
    Ok(Box::new(NdjsonSink {
        target: TargetFile::create(path, options)?,
        games: 0,
        buffer: Vec::new(),
    }))
}

impl Sink for NdjsonSink {
    fn encoder(&self) -> Box<dyn Encoder> {
        Box::new(NdjsonEncoder {
            writer: NdjsonGameWriter::default(),
            part: NdjsonPart {
                bytes: Vec::new(),
                ends: Vec::new(),
            },
        })
    }

    /// Numbers are those of the target: its games can come from several sources, without the deleted ones.
    fn append(&mut self, part: EncodedGames, _first: u64, _losses: &mut Losses) -> Result<()> {
        let part = part.downcast::<NdjsonPart>().map_err(|_| {
            Error::new(
                &error_codes::INTERNAL,
                "this part was encoded for another target",
            )
        })?;
        let mut start = 0;
        for end in part.ends {
            self.games += 1;
            self.buffer.clear();
            head(self.games, &mut self.buffer);
            self.target.put(&self.buffer)?;
            self.target
                .put(part.bytes.get(start..end).unwrap_or_default())?;
            start = end;
        }
        Ok(())
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
