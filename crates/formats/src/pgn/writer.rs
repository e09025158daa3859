//! Writes PGN: the export format by default, and every other form that [`PgnStyle`] asks for.
//!
//! The same game always gives the same bytes. What is folded (line breaks in comments, the layout of raw movetext) is
//! layout; what is left out by a style is a loss, unless the user asked for it, which is the same and counted too.

use std::borrow::Cow;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use shakmaty::Color;
use tabiya_model::board::CastlingStyle;
use tabiya_model::canon::{fold, is_white};
use tabiya_model::diff::diff;
use tabiya_model::game::{Start, Variant};
use tabiya_model::nag::Nag;
use tabiya_model::outcome::Outcome;
use tabiya_model::text::TextId;
use tabiya_model::{
    Aspect, Block, Board, Encoder, Error, ErrorKind, Game, Losses, Op, Part, Replay, Result, Sink,
    Summary, Want,
};

use super::block::{Base, PgnBlock};
use super::lexer::is_space;
use super::lines::{Lines, command_end};
use super::marks::translate;
use super::settings::Settings;
use super::style::{MoveStyle, PgnStyle};
use super::tag_section::TagSection;
use super::{eight, losses, raw};
use crate::format::WriteOptions;
use tabiya_io::compression::Compression;
use tabiya_io::encode::{CompressedWriter, compressed_writer};
use tabiya_io::output::{self, Output, commit_all};

/// Writes one game after another into a buffer.
#[derive(Debug)]
pub struct GameWriter {
    style: PgnStyle,
    tags: TagSection,
    replay: Option<Replay>,
    /// What the text is read again with, where it could be misread.
    settings: Option<Arc<Settings>>,
    /// Comments whose layout may not be kept: where each begins in the output, and which one it is.
    uneven: Vec<(usize, TextId)>,
}

impl GameWriter {
    /// Writes in a style.
    pub fn new(style: PgnStyle) -> GameWriter {
        GameWriter {
            style,
            tags: TagSection::default(),
            replay: None,
            settings: None,
            uneven: Vec::new(),
        }
    }

    /// Appends a game with the empty line that follows it.
    pub fn write(&mut self, game: &Game, out: &mut Vec<u8>, losses: &mut Losses) {
        let start = out.len();
        let told = losses.len();
        self.tags.write(&self.style, game, out, losses);
        if out.len() > start {
            out.push(b'\n');
        }
        let (movetext, told_of_tags) = (out.len(), losses.len());
        let raw = if self.says_start(game) {
            RawForm::Plain
        } else {
            RawForm::Comment
        };
        let is_sure = self.movetext(game, raw, out, losses);
        self.end_game(out, start);
        if is_sure || self.is_read_back(game, out.get(start..).unwrap_or_default(), losses, told) {
            return;
        }
        // What could be misread is put into a form that cannot.
        out.truncate(movetext);
        losses.truncate(told_of_tags);
        self.movetext(game, RawForm::Comment, out, losses);
        self.end_game(out, start);
        if !self.is_read_back(game, out.get(start..).unwrap_or_default(), losses, told) {
            losses.report(&losses::MISREAD, game.origin.number, "");
        }
    }

    fn end_game(&self, out: &mut Vec<u8>, start: usize) {
        if self.style.one_line {
            join_lines(out, start);
        } else {
            out.push(b'\n');
        }
    }

    /// Whether the tags that are written tell the start of a game.
    fn says_start(&self, game: &Game) -> bool {
        let is_usual = matches!(game.start, Start::Standard) && game.variant == Variant::Standard;
        self.style.only_tags.is_none() || is_usual
    }

    /// Whether the text of a game is read as its movetext, apart from what was told since `told`.
    #[cold]
    fn is_read_back(&mut self, game: &Game, text: &[u8], losses: &Losses, told: usize) -> bool {
        if !self.says_start(game) {
            // Without its start, nothing of the game is read as it was; that was asked for.
            return true;
        }
        let settings = self
            .settings
            .get_or_insert_with(|| Arc::new(Settings::of_style(&self.style)));
        let mut block = PgnBlock::new(text.to_vec(), false, Base::default(), Arc::clone(settings));
        let (mut copy, mut next) = (Game::default(), Game::default());
        if !matches!(block.next(Want::ALL, &mut copy), Ok(true))
            || !matches!(block.next(Want::ALL, &mut next), Ok(false))
        {
            return false;
        }
        let is_told = |aspect: Aspect| {
            let mut new = losses.iter().skip(told);
            // Marks are rewritten because that was asked for.
            let is_asked = aspect == Aspect::Comments && self.style.marks.is_some();
            is_asked || new.any(|loss| loss.kind.aspect.explains(aspect))
        };
        diff(game, &copy).into_iter().all(|found| {
            let aspect = found.aspect;
            matches!(aspect, Aspect::Tags | Aspect::Start | Aspect::Layout) || is_told(aspect)
        })
    }

    /// Writes the movetext; says whether nothing in it could be misread.
    fn movetext(
        &mut self,
        game: &Game,
        raw: RawForm,
        out: &mut Vec<u8>,
        losses: &mut Losses,
    ) -> bool {
        let start = game.start_board();
        let mut replay = match self.replay.take() {
            Some(mut replay) => {
                replay.reset(&start);
                replay
            }
            None => Replay::new(&start),
        };
        replay.expect_variations(game.tape.has_variations());
        let width = if self.style.one_line {
            0
        } else {
            self.style.width
        };
        self.uneven.clear();
        let is_sure = Movetext {
            style: &self.style,
            game,
            lines: Lines::new(out, width),
            replay: &mut replay,
            losses,
            // Moves of a game without diagnostics were verified, so that they need not be asked.
            doubtful: !game.diagnostics.is_empty(),
            number_due: true,
            opened: 0,
            raw,
            is_sure: true,
            uneven: &mut self.uneven,
        }
        .write();
        self.replay = Some(replay);
        if self.uneven.iter().any(|&(at, id)| {
            let written = out.get(at..).unwrap_or_default();
            !is_laid_out_so(game.tape.text(id), written)
        }) {
            losses.report(&losses::COMMENT_LAYOUT, game.origin.number, "");
        }
        is_sure
    }
}

/// How movetext that could not be read is written.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum RawForm {
    /// As it stood.
    Plain,
    /// As a comment that cannot be misread.
    Comment,
}

/// Whether a comment is read with the white space that it has from where it was written.
#[cold]
fn is_laid_out_so(text: &str, written: &[u8]) -> bool {
    let text = text.trim_matches(is_white).replace("\r\n", "\n");
    let skipped = written
        .iter()
        .take_while(|&&byte| is_white(char::from(byte)))
        .count();
    let written = written
        .get(skipped..skipped + text.len())
        .unwrap_or_default();
    // A line that is broken where there was a space is read as the same.
    text.len() == written.len()
        && text
            .bytes()
            .zip(written)
            .all(|(a, &b)| a == b || (a == b' ' && b == b'\n'))
}

/// Puts a game that was written in lines into one.
fn join_lines(out: &mut Vec<u8>, start: usize) {
    let mut write = start;
    for read in start..out.len() {
        let Some(&byte) = out.get(read) else { break };
        let byte = match byte {
            b'\n' if read + 1 == out.len() => b'\n',
            b'\n' if write > start && out.get(write - 1) == Some(&b' ') => continue,
            b'\n' => b' ',
            other => other,
        };
        if let Some(slot) = out.get_mut(write) {
            *slot = byte;
        }
        write += 1;
    }
    out.truncate(write);
}

/// The movetext of one game.
struct Movetext<'w, 'o> {
    style: &'w PgnStyle,
    game: &'w Game,
    lines: Lines<'o>,
    replay: &'w mut Replay,
    losses: &'w mut Losses,
    doubtful: bool,
    /// A Black move needs its number: at the start, and after anything that is not a move or a NAG.
    number_due: bool,
    /// Parentheses that wait for their first token.
    opened: usize,
    raw: RawForm,
    /// Whether nothing was written that could be misread.
    is_sure: bool,
    uneven: &'w mut Vec<(usize, TextId)>,
}

impl Movetext<'_, '_> {
    fn write(mut self) -> bool {
        let tape = &self.game.tape;
        let mut at = 0;
        let mut left_out = LeftOut::default();
        // The end of a variation that is written without its parentheses.
        let mut dissolved = None;
        while let Some(op) = tape.get(at) {
            at += 1;
            match op {
                Op::Move(m) => self.one_move(m),
                Op::Nag(_) if !self.style.nags => left_out.nags += 1,
                Op::Nag(nag) => self.nag(nag),
                Op::Comment(_) if !self.style.comments => left_out.comments += 1,
                Op::Comment(id) => self.comment(tape.text(id), Some(id)),
                Op::Raw(id) => self.raw(tape.text(id)),
                Op::Ext(index) => self.extension(index),
                Op::Begin(_) if !self.style.variations => {
                    left_out.variations += 1;
                    at = tape.skip(at - 1);
                }
                Op::Begin(_) if self.is_empty_variation(at) => {
                    dissolved = Some(tape.skip(at - 1));
                    self.losses.report(
                        &losses::EMPTY_VARIATION,
                        self.game.origin.number,
                        format!("after ply {}", self.replay.ply()),
                    );
                }
                Op::Begin(_) => {
                    self.replay.begin();
                    self.opened += 1;
                    self.number_due = true;
                }
                Op::End if dissolved == Some(at) => dissolved = None,
                Op::End => self.end(),
                Op::Outcome(outcome) => self.outcome(outcome, at),
            }
        }
        left_out.report(self.game, self.losses);
        let result = self.game.result();
        if self.style.results {
            self.token(result.as_pgn().as_bytes());
        } else if result != Outcome::Unknown {
            let (kind, number) = (&losses::RESULTS_LEFT_OUT, self.game.origin.number);
            self.losses.report(kind, number, result.as_pgn());
        }
        self.lines.end_line();
        self.is_sure
    }

    /// Whether the variation that begins before a place of the tape would be read as none: it has no move, no
    /// variation, and nothing that looks like a move.
    #[inline]
    fn is_empty_variation(&self, at: usize) -> bool {
        !matches!(self.game.tape.get(at), Some(Op::Move(_))) && self.has_no_moves(at)
    }

    #[cold]
    fn has_no_moves(&self, from: usize) -> bool {
        let tape = &self.game.tape;
        let end = tape.skip(from.saturating_sub(1)).saturating_sub(1);
        (from..end).all(|at| {
            // Unreadable movetext is never read as none where it stands in a form of its own.
            !matches!(
                tape.get(at),
                Some(Op::Move(_) | Op::Begin(_) | Op::Outcome(_) | Op::Raw(_))
            )
        })
    }

    /// Adds a token behind the parentheses that wait for it.
    fn token(&mut self, token: &[u8]) {
        if self.opened == 0 {
            self.lines.token(token);
        } else {
            self.open();
            self.lines.suffix(token);
        }
    }

    #[cold]
    fn open(&mut self) {
        let opened = std::mem::take(&mut self.opened);
        self.lines
            .token_with(|out| out.extend(std::iter::repeat_n(b'(', opened)));
    }

    fn one_move(&mut self, m: tabiya_model::Move) {
        let board = self.replay.now();
        let (white, number) = (board.turn() == Color::White, board.fullmoves());
        let squares_only = self.doubtful && !m.is_null() && !board.is_pseudo_legal(m);
        self.is_sure &= !squares_only;
        if !self.style.numbers {
            if self.opened > 0 {
                self.open();
                self.lines.join_next();
            }
        } else if white || self.number_due {
            self.number(number, white);
            if self.style.compact_numbers {
                self.lines.join_next();
            }
        } else if self.opened > 0 {
            self.open();
        }
        self.number_due = false;
        // A move that no rule explains is told by its squares.
        let style = if squares_only {
            MoveStyle::Long
        } else {
            self.style.moves
        };
        if !self.style.has_plain_moves() {
            return self.odd_move(m, style);
        }
        let (replay, variant) = (&mut *self.replay, self.game.variant);
        self.lines
            .token_with(|out| write_move(replay, m, style, variant, out));
    }

    /// Writes a move with other letters, or without the sign of check.
    #[cold]
    fn odd_move(&mut self, m: tabiya_model::Move, style: MoveStyle) {
        let mut text = Vec::new();
        write_move(self.replay, m, style, self.game.variant, &mut text);
        if !self.style.checks {
            let end = text.iter().rposition(|byte| !matches!(byte, b'+' | b'#'));
            text.truncate(end.map_or(0, |end| end + 1));
        }
        match &self.style.pieces {
            Some(pieces) if style != MoveStyle::Uci => self.lines.word(&pieces.translate(&text)),
            _ => self.lines.token(&text),
        }
    }

    #[inline]
    fn number(&mut self, number: u32, white: bool) {
        if number < 1000 && self.opened == 0 {
            let (word, length) = short_number(number, white);
            self.lines.short_token(word, length);
        } else {
            let mut buffer = [0; 16];
            self.token(number_token(number, white, &mut buffer));
        }
    }

    fn nag(&mut self, nag: Nag) {
        if self.style.glyphs {
            match nag.ascii() {
                Some(glyph) if nag.is_suffix() && !self.number_due => {
                    return self.lines.suffix(glyph.as_bytes());
                }
                Some(glyph) if Nag::from_pgn(glyph) == Some(nag) => {
                    return self.token(glyph.as_bytes());
                }
                _ => {}
            }
        }
        let mut buffer = [0; 16];
        let token = dollar_token(nag.0, &mut buffer);
        self.token(token);
    }

    /// Writes a comment; `id` tells which one it is where it is written as it stands.
    fn comment(&mut self, text: &str, id: Option<TextId>) {
        let text = match self.style.marks {
            None => Cow::Borrowed(text),
            Some(wanted) => {
                let (translated, reshaped) = translate(text, wanted);
                if reshaped > 0 {
                    let (kind, number) = (&losses::MARK_SHAPE, self.game.origin.number);
                    self.losses.report(kind, number, fold(text));
                }
                Cow::Owned(translated)
            }
        };
        self.number_due = true;
        if self.style.comment_lines {
            return self.comment_in_lines(&text, id.filter(|_| self.style.marks.is_none()));
        }
        let words = text.trim_matches(' ');
        let is_raw_form = raw::begins(words.as_bytes());
        if self.opened == 0
            && !self.lines.joins()
            && !is_raw_form
            && eight::is_plain(words.as_bytes())
        {
            return self.lines.words(b'{', words, b'}');
        }
        self.odd_comment(&text, id.filter(|_| self.style.marks.is_none()));
    }

    /// A comment in lines of its own.
    #[cold]
    fn comment_in_lines(&mut self, text: &str, id: Option<TextId>) {
        if self.opened > 0 {
            self.open();
        }
        self.lines.end_line();
        self.odd_comment(text, id);
        self.lines.end_line();
    }

    fn odd_comment(&mut self, text: &str, id: Option<TextId>) {
        if memchr::memchr(0, text.as_bytes()).is_some() {
            let number = self.game.origin.number;
            self.losses
                .report(&losses::NUL_IN_COMMENT, number, fold(text));
            return self.odd_comment(&text.replace('\0', " "), None);
        }
        if memchr::memchr(b'}', text.as_bytes()).is_some() {
            return self.comment_with_brace(text, id);
        }
        self.token(b"{");
        self.note_layout(text, id);
        if raw::begins(text.trim_start_matches(is_white).as_bytes()) {
            // A comment is no movetext, though it looks like it.
            self.lines.suffix(b" ");
        }
        let mut first = true;
        for word in Words::new(text) {
            let text = if word.uneven {
                Cow::Owned(fold(word.text))
            } else {
                Cow::Borrowed(word.text)
            };
            if std::mem::take(&mut first) {
                self.lines.word_suffix(&text);
            } else {
                self.lines.word(&text);
            }
        }
        self.lines.suffix(b"}");
    }

    /// Remembers where a comment is written whose white space is more than single spaces.
    fn note_layout(&mut self, text: &str, id: Option<TextId>) {
        if let Some(id) = id
            && has_uneven_space(text.trim_matches(is_white).as_bytes())
        {
            self.uneven.push((self.lines.position(), id));
        }
    }

    #[cold]
    fn comment_with_brace(&mut self, text: &str, id: Option<TextId>) {
        if self.style.one_line {
            let detail = fold(text);
            let changed = text.replace('}', ")");
            self.losses
                .report(&losses::COMMENT_BRACE, self.game.origin.number, detail);
            return self.comment(&changed, None);
        }
        self.token(b";");
        self.note_layout(text, id);
        self.lines.word_suffix(&fold(text));
        self.lines.end_line();
    }

    fn raw(&mut self, text: &str) {
        self.is_sure = false;
        self.number_due = true;
        // What would be lost on the way needs no attempt.
        let is_odd = |c: char| c.is_control() && !is_white(c);
        if self.raw == RawForm::Comment || text.contains(is_odd) || text.trim().is_empty() {
            let comment = raw::encode(text);
            if self.opened > 0 {
                self.open();
                self.lines.word_suffix(&comment);
            } else {
                self.lines.word(&comment);
            }
            return;
        }
        if self.opened > 0 {
            self.open();
            // A raw text is a run of tokens of its own: the parenthesis stays with the first of them.
            self.lines.join_next();
        }
        if self.style.one_line || !text.contains([';', '%']) {
            return self.raw_words(text);
        }
        // Comments to the end of a line, and escaped lines, need their line ends; others are broken anew.
        for (index, line) in text.split(['\n', '\r']).enumerate() {
            let line = line.trim_matches(is_white);
            let is_escaped = index > 0 && line.starts_with('%');
            if is_escaped {
                self.lines.end_line();
            }
            if is_escaped || line.contains(';') {
                self.lines.word(line);
                self.lines.end_line();
            } else {
                self.raw_words(line);
            }
        }
    }

    fn raw_words(&mut self, text: &str) {
        for word in text.split(is_white).filter(|word| !word.is_empty()) {
            self.lines.word(word);
        }
    }

    #[cold]
    fn extension(&mut self, index: u32) {
        let Some(extension) = self.game.tape.extensions().get(index as usize) else {
            return;
        };
        let is_line = || {
            !extension
                .data
                .iter()
                .any(|b| matches!(b, b'\n' | b'\r' | 0))
        };
        if extension.name == super::ESCAPE && !self.style.one_line && is_line() {
            self.is_sure = false;
            if self.opened > 0 {
                self.open();
            }
            self.lines.end_line();
            self.lines.token(b"%");
            self.lines.suffix(&extension.data);
            self.lines.end_line();
            return;
        }
        self.losses.report(
            &losses::EXTENSION,
            self.game.origin.number,
            format!("{} of {} bytes", extension.name, extension.data.len()),
        );
    }

    fn end(&mut self) {
        if self.opened > 0 {
            self.open();
        }
        self.replay.end();
        self.lines.suffix(b")");
        self.number_due = true;
    }

    fn outcome(&mut self, outcome: Outcome, next: usize) {
        if self.replay.depth() > 0 || self.ends_with_outcomes(next) {
            self.number_due = true;
            self.is_sure = false;
            self.token(outcome.as_pgn().as_bytes());
        } else {
            self.losses.report(
                &losses::RESULT_INSIDE,
                self.game.origin.number,
                format!("{} after ply {}", outcome.as_pgn(), self.replay.ply()),
            );
        }
    }

    /// Whether nothing but other results and comments follow, as they may behind the end of a game.
    fn ends_with_outcomes(&self, next: usize) -> bool {
        let tape = &self.game.tape;
        (next..tape.len()).all(|at| matches!(tape.get(at), Some(Op::Outcome(_) | Op::Comment(_))))
    }
}

/// Writes a move and plays it.
#[inline]
fn write_move(
    replay: &mut Replay,
    m: tabiya_model::Move,
    style: MoveStyle,
    variant: Variant,
    out: &mut Vec<u8>,
) {
    let castling = match variant {
        Variant::Chess960 => CastlingStyle::KingTakesRook,
        _ => CastlingStyle::KingMoves,
    };
    match style {
        MoveStyle::San => return replay.play_with(|board| board.play_san(m, out)),
        MoveStyle::Uci => {
            replay.now().write_uci(m, castling, out);
            return replay.play(m);
        }
        MoveStyle::Long => replay.now().write_lan(m, out),
        MoveStyle::Joined | MoveStyle::Squares => {
            write_squares(replay.now(), m, style, castling, out);
        }
    }
    replay.play(m);
    if replay.now().is_check() && !m.is_null() {
        out.push(match replay.now().is_checkmate() {
            true => b'#',
            false => b'+',
        });
    }
}

/// Writes a move by its squares: `Ng1f3` or `g1-f3`, castling as the king goes, what a pawn becomes as in `e7e8=Q`.
fn write_squares(
    board: &Board,
    m: tabiya_model::Move,
    style: MoveStyle,
    castling: CastlingStyle,
    out: &mut Vec<u8>,
) {
    if m.is_null() || m.is_castle() && castling == CastlingStyle::KingTakesRook {
        return board.write_lan(m, out);
    }
    let mut squares = Vec::with_capacity(5);
    board.write_uci(m, castling, &mut squares);
    let is_joined = style == MoveStyle::Joined;
    if is_joined && m.role() != shakmaty::Role::Pawn && !m.is_castle() {
        out.extend(u8::try_from(m.role().upper_char()));
    }
    for (at, byte) in squares.iter().enumerate() {
        match at {
            2 if !is_joined => out.extend_from_slice(&[b'-', *byte]),
            4 => out.extend_from_slice(&[b'=', byte.to_ascii_uppercase()]),
            _ => out.push(*byte),
        }
    }
}

/// What a style left out of a game.
#[derive(Default)]
struct LeftOut {
    comments: usize,
    nags: usize,
    variations: usize,
}

impl LeftOut {
    fn report(&self, game: &Game, losses: &mut Losses) {
        for (count, kind) in [
            (self.comments, &losses::COMMENTS_LEFT_OUT),
            (self.nags, &losses::NAGS_LEFT_OUT),
            (self.variations, &losses::VARIATIONS_LEFT_OUT),
        ] {
            if count > 0 {
                losses.report(kind, game.origin.number, count.to_string());
            }
        }
    }
}

/// The words of a comment; a command in brackets is one word, whatever white space it holds.
struct Words<'t> {
    text: &'t str,
    at: usize,
    /// The last closing bracket.
    last_close: usize,
}

struct Word<'t> {
    text: &'t str,
    /// Whether its white space is more than single spaces.
    uneven: bool,
}

impl<'t> Words<'t> {
    fn new(text: &'t str) -> Words<'t> {
        Words {
            text,
            at: 0,
            last_close: memchr::memrchr(b']', text.as_bytes()).unwrap_or(0),
        }
    }
}

impl<'t> Iterator for Words<'t> {
    type Item = Word<'t>;

    fn next(&mut self) -> Option<Word<'t>> {
        let bytes = self.text.as_bytes();
        let mut start = self.at;
        while let length @ 1.. = space_length(bytes, start) {
            start += length;
        }
        let mut end = start;
        let mut uneven = false;
        while let Some(&byte) = bytes.get(end) {
            if matches!(byte, b'!'..=b'Z' | b'\\'..=b'~') {
                end += 1;
            } else if byte == b'[' {
                let after = command_end(bytes, end, self.last_close);
                uneven |= has_uneven_space(bytes.get(end..after - 1).unwrap_or_default());
                end = after;
            } else if space_length(bytes, end) > 0 {
                break;
            } else {
                end += 1;
            }
        }
        self.at = end;
        let text = self.text.get(start..end).filter(|text| !text.is_empty())?;
        Some(Word { text, uneven })
    }
}

/// The length of the white space at `i`; 0 where something else stands there.
#[inline]
fn space_length(bytes: &[u8], i: usize) -> usize {
    match bytes.get(i) {
        Some(&byte) => usize::from(is_space(byte)),
        None => 0,
    }
}

/// Whether folding would change the white space in a command.
fn has_uneven_space(command: &[u8]) -> bool {
    let mut after_space = false;
    for (i, &byte) in command.iter().enumerate() {
        let is_space = byte == b' ';
        if (is_space && after_space) || (!is_space && space_length(command, i) > 0) {
            return true;
        }
        after_space = is_space;
    }
    false
}

/// A move number below 1000 with its dots, as bytes from the lowest on, and how many they are.
#[inline]
fn short_number(number: u32, white: bool) -> (u64, usize) {
    let zeros = u64::from_le_bytes(*b"000\0\0\0\0\0");
    let [ones, tens, hundreds] = [number % 10, number / 10 % 10, number / 100].map(u64::from);
    let digits = 1 + usize::from(number > 9) + usize::from(number > 99);
    let word = (zeros + (hundreds | tens << 8 | ones << 16)) >> (8 * (3 - digits));
    let (dots, count) = if white { (0x2e, 1) } else { (0x2e_2e2e, 3) };
    (word | dots << (8 * digits), digits + count)
}

fn number_token(number: u32, white: bool, buffer: &mut [u8; 16]) -> &[u8] {
    let dots: &[u8] = if white { b"." } else { b"..." };
    digits_between(b"", number, dots, buffer)
}

fn dollar_token(number: u32, buffer: &mut [u8; 16]) -> &[u8] {
    digits_between(b"$", number, b"", buffer)
}

/// Writes a number between a prefix and a suffix (of three bytes at most each) into a buffer.
fn digits_between<'b>(
    prefix: &[u8],
    mut number: u32,
    suffix: &[u8],
    buffer: &'b mut [u8; 16],
) -> &'b [u8] {
    let mut start = buffer.len() - suffix.len();
    if let Some(end) = buffer.get_mut(start..) {
        end.copy_from_slice(suffix);
    }
    loop {
        start -= 1;
        if let Some(slot) = buffer.get_mut(start) {
            *slot = b'0' + u8::try_from(number % 10).unwrap_or(0);
        }
        number /= 10;
        if number == 0 {
            break;
        }
    }
    start -= prefix.len();
    if let Some(begin) = buffer.get_mut(start..start + prefix.len()) {
        begin.copy_from_slice(prefix);
    }
    buffer.get(start..).unwrap_or_default()
}

/// Encoded games: their bytes, and where each ends.
struct PgnPart {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

struct PgnEncoder {
    writer: GameWriter,
    part: PgnPart,
}

impl Encoder for PgnEncoder {
    fn encode(&mut self, game: &Game, losses: &mut Losses) {
        self.writer.write(game, &mut self.part.bytes, losses);
        self.part.ends.push(self.part.bytes.len());
    }

    fn take(&mut self) -> Part {
        let capacity = self.part.bytes.len();
        let next = PgnPart {
            bytes: Vec::with_capacity(capacity),
            ends: Vec::new(),
        };
        Box::new(std::mem::replace(&mut self.part, next))
    }
}

struct PgnSink {
    path: PathBuf,
    compression: Option<Compression>,
    options: output::Options,
    style: PgnStyle,
    current: Option<CompressedWriter<Output>>,
    complete: Vec<Output>,
    summary: Summary,
    in_file: u64,
}

/// Creates a PGN file; the path `-` is standard output.
pub(super) fn create(path: &Path, options: &WriteOptions) -> Result<Box<dyn Sink>> {
    let mut sink = PgnSink {
        path: path.to_owned(),
        compression: Compression::of_target(path).map(|(compression, _)| compression),
        options: output::Options {
            force: options.force,
            sources: options.sources.clone(),
        },
        style: PgnStyle::of(&options.settings)?,
        current: None,
        complete: Vec::new(),
        summary: Summary::default(),
        in_file: 0,
    };
    if sink.style.split == Some(0) {
        return Err(Error::usage(
            "a file of no games cannot be split off: give a number of at least 1",
        ));
    }
    if sink.style.split.is_some() && path.as_os_str() == "-" {
        return Err(Error::usage(
            "standard output cannot be split into several files",
        ));
    }
    // The first file is created at once, so that a target that cannot be written is refused before any work.
    sink.open_file()?;
    Ok(Box::new(sink))
}

impl PgnSink {
    fn open_file(&mut self) -> Result<()> {
        let path = match self.style.split {
            None => self.path.clone(),
            Some(_) => numbered(&self.path, self.complete.len() + 1),
        };
        let output = Output::create(&path, &self.options).map_err(output_error)?;
        self.summary.files.push(path);
        self.current = Some(compressed_writer(self.compression, output)?);
        self.in_file = 0;
        Ok(())
    }

    fn close_file(&mut self) -> Result<()> {
        if let Some(current) = self.current.take() {
            self.complete.push(current.finish()?);
        }
        Ok(())
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.summary.bytes += bytes.len() as u64;
        if let Some(current) = &mut self.current {
            current.write_all(bytes)?;
        }
        Ok(())
    }
}

impl Sink for PgnSink {
    fn encoder(&self) -> Box<dyn Encoder> {
        Box::new(PgnEncoder {
            writer: GameWriter::new(self.style.clone()),
            part: PgnPart {
                bytes: Vec::new(),
                ends: Vec::new(),
            },
        })
    }

    fn append(&mut self, part: Part, _first: u64, _losses: &mut Losses) -> Result<()> {
        let part = part
            .downcast::<PgnPart>()
            .map_err(|_| Error::usage("the part belongs to another sink"))?;
        let Some(split) = self.style.split else {
            self.summary.games += part.ends.len() as u64;
            return self.put(&part.bytes);
        };
        let mut start = 0;
        for end in part.ends {
            if self.in_file == split {
                self.close_file()?;
                self.open_file()?;
            }
            self.put(part.bytes.get(start..end).unwrap_or_default())?;
            self.in_file += 1;
            self.summary.games += 1;
            start = end;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Summary> {
        self.close_file()?;
        commit_all(std::mem::take(&mut self.complete)).map_err(output_error)?;
        Ok(self.summary)
    }
}

/// `games.pgn` gives `games-0001.pgn`, `games.pgn.gz` gives `games-0001.pgn.gz`.
fn numbered(path: &Path, number: usize) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (stem, extensions) = match name.find('.').filter(|at| *at > 0) {
        Some(at) => name.split_at(at),
        None => (&*name, ""),
    };
    path.with_file_name(format!("{stem}-{number:04}{extensions}"))
}

fn output_error(error: output::Error) -> Error {
    let kind = match &error {
        output::Error::Io { .. } => ErrorKind::Io,
        output::Error::Stopped(_) => ErrorKind::Interrupted,
        _ => ErrorKind::Usage,
    };
    Error::new(kind, error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(style: PgnStyle, build: impl FnOnce(&mut Game)) -> (String, Losses) {
        let mut game = Game::default();
        build(&mut game);
        let (mut out, mut losses) = (Vec::new(), Losses::default());
        GameWriter::new(style).write(&game, &mut out, &mut losses);
        (String::from_utf8(out).expect("text"), losses)
    }

    /// 1. e4 $1 {why [%clk 0:01:00] not} (1. d4 d5) (1. c4) 1... e5
    fn sample(game: &mut Game) {
        let mut replay = Replay::new(&game.start_board());
        let play = |game: &mut Game, replay: &mut Replay, uci: &str| {
            let m = replay.now().parse_uci(uci.as_bytes()).expect("legal");
            game.tape.push_move(m);
            replay.play(m);
        };
        game.tags.push("Zeta", "a \"b\" \\");
        game.tags.push("White", "W");
        play(game, &mut replay, "e2e4");
        game.tape.push_nag(Nag(1));
        game.tape.push_comment("why\n[%clk  0:01:00] not");
        for line in [&["d2d4", "d7d5"][..], &["c2c4"][..]] {
            game.tape.begin_variation();
            replay.begin();
            for uci in line {
                play(game, &mut replay, uci);
            }
            replay.end();
            game.tape.end_variation();
        }
        play(game, &mut replay, "e7e5");
        game.outcome = Some(Outcome::Draw);
    }

    #[test]
    fn a_variation_without_moves_is_told() {
        let inside = |comment: &str, raw: &str| {
            let (written, losses) = write(PgnStyle::default(), |game| {
                let m = game.start_board().parse_uci(b"e2e4").expect("legal");
                game.tape.push_move(m);
                game.tape.begin_variation();
                if !comment.is_empty() {
                    game.tape.push_comment(comment);
                }
                if !raw.is_empty() {
                    game.tape.push_raw(raw);
                }
                game.tape.end_variation();
            });
            let kinds: Vec<_> = losses.iter().map(|loss| loss.kind.name).collect();
            let (_, moves) = written.split_once("1. e4 ").expect("the move");
            (moves.trim_end().to_owned(), kinds)
        };
        let told = vec!["pgn-empty-variation"];
        assert_eq!(inside("", ""), ("*".to_owned(), told.clone()));
        assert_eq!(inside("why", ""), ("{why} *".to_owned(), told));
        let hidden = inside("", "xyzzy");
        assert_eq!(hidden, ("({[%raw xyzzy]}) *".to_owned(), Vec::new()));
        let kept = inside("", "Ke7 d5");
        assert_eq!(kept, ("(Ke7 d5) *".to_owned(), Vec::new()));
    }

    #[test]
    fn the_export_format() {
        let (text, losses) = write(PgnStyle::default(), sample);
        let expected = "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"W\"]\n\
            [Black \"?\"]\n[Result \"1/2-1/2\"]\n[Zeta \"a \\\"b\\\" \\\\\"]\n\n\
            1. e4 $1 {why [%clk 0:01:00] not} (1. d4 d5) (1. c4) 1... e5 1/2-1/2\n\n";
        assert_eq!(text, expected);
        assert!(
            losses
                .iter()
                .all(|loss| loss.kind == &losses::COMMENT_LAYOUT)
        );
    }

    #[test]
    fn the_reduced_format_says_what_it_left_out() {
        let (text, losses) = write(PgnStyle::reduced(), sample);
        assert!(text.ends_with("\n\n1. e4 e5 1/2-1/2\n\n"), "{text}");
        let names: Vec<_> = losses.iter().map(|loss| loss.kind.name).collect();
        assert_eq!(
            names,
            [
                "pgn-tags-left-out",
                "pgn-comments-left-out",
                "pgn-nags-left-out",
                "pgn-variations-left-out"
            ]
        );
    }

    #[test]
    fn a_narrow_line_never_breaks_a_command() {
        let style = PgnStyle {
            width: 20,
            compact_numbers: true,
            glyphs: true,
            ..PgnStyle::default()
        };
        let (text, _) = write(style, sample);
        assert!(
            text.ends_with("1.e4! {why\n[%clk 0:01:00] not}\n(1.d4 d5) (1.c4)\n1...e5 1/2-1/2\n\n"),
            "{text}"
        );
    }

    #[test]
    fn a_brace_in_a_comment_makes_it_run_to_the_end_of_the_line() {
        let (text, losses) = write(PgnStyle::default(), |game| {
            game.tape.push_comment("a } b\nc");
        });
        assert!(text.ends_with("\n\n;a } b c\n*\n\n"), "{text}");
        assert!(
            losses
                .iter()
                .all(|loss| loss.kind == &losses::COMMENT_LAYOUT)
        );
        let one_line = PgnStyle {
            one_line: true,
            ..PgnStyle::default()
        };
        let (text, losses) = write(one_line, |game| {
            game.tape.push_comment("a } b");
        });
        assert!(text.ends_with("[Result \"*\"] {a ) b} *\n"), "{text}");
        assert_eq!(losses.len(), 1);
    }

    #[test]
    fn short_numbers_are_numbers() {
        for number in 0..1000 {
            for white in [false, true] {
                let (word, length) = short_number(number, white);
                let mut buffer = [0; 16];
                let token = number_token(number, white, &mut buffer);
                assert_eq!(&word.to_le_bytes()[..length], token);
            }
        }
    }

    #[test]
    fn files_are_numbered_before_their_extensions() {
        let name = |path: &str| numbered(Path::new(path), 12).display().to_string();
        assert_eq!(name("a/games.pgn.gz"), "a/games-0012.pgn.gz");
        assert_eq!(name("games"), "games-0012");
    }
}
