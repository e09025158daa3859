//! The movetext of a game: its moves with everything between them.

use std::borrow::Cow;

use shakmaty::Color;
use tabiya_model::board::CastlingStyle;
use tabiya_model::canon_game::{fold, is_white};
use tabiya_model::game::Variant;
use tabiya_model::nag::Nag;
use tabiya_model::outcome::Outcome;
use tabiya_model::text::TextId;
use tabiya_model::{Board, Game, LossKind, Losses, Replay, TapeOp};

use super::comment_words::{CommentWords, has_uneven_space};
use super::numbers::{dollar_token, number_token, short_number};
use super::position::PgnWriterPosition;
use super::{RawMovetextForm, UnevenTexts};
use crate::pgn::board_marks::translate;
use crate::pgn::line_wrapper::{LineWrapper, push_short};
use crate::pgn::style::{PgnMoveStyle, PgnStyle};
use crate::pgn::{ESCAPE, losses, raw_comment, swar};

/// The movetext of one game.
pub(super) struct PgnMovetextWriter<'w, 'o> {
    pub(super) style: &'w PgnStyle,
    pub(super) game: &'w Game,
    pub(super) lines: LineWrapper<'o>,
    pub(super) stand: &'w mut PgnWriterPosition,
    pub(super) losses: &'w mut Losses,
    pub(super) doubtful: bool,
    /// A Black move needs its number: at the start, and after anything but a move or a NAG.
    pub(super) number_due: bool,
    /// Parentheses that are still to be written before their first token.
    pub(super) opened: usize,
    pub(super) raw: RawMovetextForm,
    /// Whether everything written so far cannot be misread.
    pub(super) is_sure: bool,
    pub(super) uneven: &'w mut UnevenTexts,
}

impl PgnMovetextWriter<'_, '_> {
    pub(super) fn write(mut self) -> bool {
        let tape = &self.game.tape;
        let mut at = 0;
        let mut left_out = StyleOmissions::default();
        // The end of a variation that is written without its parentheses.
        let mut dissolved = None;
        // Consecutive moves are written together if only move numbers come between them.
        let has_runs =
            self.stand.board().is_none() && self.style.numbers && !self.style.compact_numbers;
        loop {
            if has_runs {
                at += self.run(at);
            }
            let Some(op) = tape.get(at) else { break };
            at += 1;
            match op {
                TapeOp::Move(m) => self.one_move(m, at - 1),
                TapeOp::Nag(_) if !self.style.nags => left_out.nags += 1,
                TapeOp::Nag(nag) => self.nag(nag),
                TapeOp::Comment(_) if !self.style.comments => left_out.comments += 1,
                TapeOp::Comment(id) => self.comment(tape.text(id), Some(id)),
                TapeOp::Raw(id) => self.raw(tape.text(id), id),
                TapeOp::Ext(index) => self.extension(index),
                TapeOp::Begin(_) if !self.style.variations => {
                    left_out.variations += 1;
                    at = tape.skip(at - 1);
                }
                TapeOp::Begin(_) if self.is_empty_variation(at) => {
                    dissolved = Some(tape.skip(at - 1));
                    self.losses.report(
                        &losses::EMPTY_VARIATION,
                        self.game.origin.number,
                        format!("after ply {}", self.stand.ply()),
                    );
                }
                TapeOp::Begin(_) => {
                    self.stand.begin();
                    self.opened += 1;
                    self.number_due = true;
                }
                TapeOp::End if dissolved == Some(at) => dissolved = None,
                TapeOp::End => self.end(),
                TapeOp::Outcome(outcome) => self.outcome(outcome, at),
            }
        }
        left_out.report(self.game, self.losses);
        let result = self.game.ending();
        if self.style.results {
            self.token(result.as_pgn().as_bytes());
        } else if result != Outcome::Unknown
            || self.game.tags.result().is_some_and(Outcome::is_definite)
        {
            let (kind, number) = (&losses::RESULTS_LEFT_OUT, self.game.origin.number);
            self.losses.report(kind, number, result.as_pgn());
        }
        self.lines.end_line();
        self.is_sure
    }

    /// Whether the variation that begins before a place of the tape would not be read as one: it has no move, no variation,
    /// and nothing that looks like a move.
    #[inline]
    fn is_empty_variation(&self, at: usize) -> bool {
        !matches!(self.game.tape.get(at), Some(TapeOp::Move(_))) && self.has_no_moves(at)
    }

    #[cold]
    fn has_no_moves(&self, from: usize) -> bool {
        let tape = &self.game.tape;
        let end = tape.skip(from.saturating_sub(1)).saturating_sub(1);
        (from..end).all(|at| {
            // Unreadable movetext in a form of its own is never read as empty.
            !matches!(
                tape.get(at),
                Some(TapeOp::Move(_) | TapeOp::Begin(_) | TapeOp::Outcome(_) | TapeOp::Raw(_))
            )
        })
    }

    /// Adds a token after its pending parentheses.
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

    /// Writes the consecutive moves from a place of the tape on, and returns their number. Their lines are broken when all
    /// of them have been added.
    fn run(&mut self, at: usize) -> usize {
        let mut moves = self.game.tape.moves_with_details(at).peekable();
        if self.opened > 0 || self.lines.joins() || moves.peek().is_none() {
            return 0;
        }
        let (turn, mut number) = self.stand.turn();
        let mut white = turn == Color::White;
        // Anything longer than a word is written alone.
        if number >= 1000 {
            return 0;
        }
        let (mut count, mut due) = (0_u32, self.number_due);
        self.lines.words_with(|out| {
            for (m, notation) in moves {
                if number >= 1000 {
                    break;
                }
                if white || due {
                    let (word, length) = short_number(number, white);
                    push_short(out, word | u64::from(b' ') << (8 * length), length + 1);
                }
                let (word, length) = notation.word(m);
                push_short(out, word | u64::from(b' ') << (8 * length), length + 1);
                due = false;
                number += u32::from(!white);
                white = !white;
                count += 1;
            }
            // The last space precedes the next token.
            out.pop();
        });
        self.number_due = false;
        let turn = if white { Color::White } else { Color::Black };
        self.stand.go_on((turn, number), count);
        count as usize
    }

    fn one_move(&mut self, m: tabiya_model::Move, at: usize) {
        let (turn, number) = self.stand.turn();
        let white = turn == Color::White;
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
        self.stand.step();
        let Some(replay) = self.stand.board() else {
            let notation = self.game.tape.notation(at).unwrap_or_default();
            return self.lines.token_with(|out| notation.write(m, out));
        };
        let squares_only = self.doubtful && !m.is_null() && !replay.now().is_pseudo_legal(m);
        self.is_sure &= !squares_only;
        // A move that cannot be explained by the rules is written by its squares.
        let style = if squares_only {
            PgnMoveStyle::Long
        } else {
            self.style.moves
        };
        let variant = self.game.variant;
        if self.style.has_plain_moves() {
            self.lines
                .token_with(|out| write_move(replay, m, style, variant, out));
        } else {
            let mut text = Vec::new();
            write_move(replay, m, style, variant, &mut text);
            self.odd_move(text, style);
        }
    }

    /// Writes a move with other letters, or without the check mark.
    #[cold]
    fn odd_move(&mut self, mut text: Vec<u8>, style: PgnMoveStyle) {
        if !self.style.checks {
            let end = text.iter().rposition(|byte| !matches!(byte, b'+' | b'#'));
            text.truncate(end.map_or(0, |end| end + 1));
        }
        match &self.style.pieces {
            Some(pieces) if style != PgnMoveStyle::Uci => self.lines.word(&pieces.translate(&text)),
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

    /// Writes a comment; `id` identifies it if it is written unchanged.
    fn comment(&mut self, text: &str, mut id: Option<TextId>) {
        let text = match self.style.marks {
            None => Cow::Borrowed(text),
            Some(wanted) => {
                let (translated, reshaped) = translate(text, wanted);
                if reshaped > 0 {
                    let (kind, number) = (&losses::MARK_SHAPE, self.game.origin.number);
                    self.losses.report(kind, number, fold(text));
                }
                if translated != text {
                    id = None;
                    if has_uneven_space(translated.trim_matches(is_white).as_bytes()) {
                        let (kind, number) = (&losses::COMMENT_LAYOUT, self.game.origin.number);
                        self.losses.report(kind, number, "");
                    }
                }
                Cow::Owned(translated)
            }
        };
        self.number_due = true;
        if self.style.comment_lines {
            return self.comment_in_lines(&text, id);
        }
        let words = text.trim_matches(' ');
        let is_raw_form = raw_comment::begins(words.as_bytes());
        if self.opened == 0
            && !self.lines.joins()
            && !is_raw_form
            && swar::is_plain(words.as_bytes())
        {
            return self.lines.words(b'{', words, b'}');
        }
        self.odd_comment(&text, id);
    }

    /// A comment on lines of its own.
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
        self.note_layout(text, id, &losses::COMMENT_LAYOUT);
        if raw_comment::begins(text.trim_start_matches(is_white).as_bytes()) {
            // A comment is not movetext, even if it looks like it.
            self.lines.suffix(b" ");
        }
        let mut first = true;
        for word in CommentWords::new(text) {
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

    /// Records the place of a comment whose white space is more than single spaces.
    fn note_layout(&mut self, text: &str, id: Option<TextId>, kind: &'static LossKind) {
        if let Some(id) = id
            && has_uneven_space(text.trim_matches(is_white).as_bytes())
        {
            self.uneven.push((self.lines.position(), id, kind));
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
        self.note_layout(text, id, &losses::COMMENT_LAYOUT);
        self.lines.word_suffix(&fold(text));
        self.lines.end_line();
    }

    fn raw(&mut self, text: &str, id: TextId) {
        self.is_sure = false;
        self.number_due = true;
        // If something would be lost in any case, there is no need to try.
        let is_odd = |c: char| c.is_control() && !is_white(c);
        if self.raw == RawMovetextForm::Comment || text.contains(is_odd) || text.trim().is_empty() {
            let comment = raw_comment::encode(text);
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
            // A raw text is a sequence of tokens: the parenthesis stays with the first of them.
            self.lines.join_next();
        }
        self.note_layout(text, Some(id), &losses::MOVETEXT_LAYOUT);
        if self.style.one_line || !text.contains([';', '%']) {
            return self.raw_words(text);
        }
        // Comments to the end of a line, and escaped lines, need their line ends; other lines are broken differently.
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
        if extension.name == ESCAPE && !self.style.one_line && is_line() {
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
        self.stand.end();
        self.lines.suffix(b")");
        self.number_due = true;
    }

    fn outcome(&mut self, outcome: Outcome, next: usize) {
        if self.stand.depth() > 0 || self.ends_with_outcomes(next) {
            self.number_due = true;
            self.is_sure = false;
            self.token(outcome.as_pgn().as_bytes());
        } else {
            self.losses.report(
                &losses::RESULT_INSIDE,
                self.game.origin.number,
                format!("{} after ply {}", outcome.as_pgn(), self.stand.ply()),
            );
        }
    }

    /// Whether only other results and comments follow, as they may after the end of a game.
    fn ends_with_outcomes(&self, next: usize) -> bool {
        let tape = &self.game.tape;
        (next..tape.len())
            .all(|at| matches!(tape.get(at), Some(TapeOp::Outcome(_) | TapeOp::Comment(_))))
    }
}

/// Writes a move and plays it.
#[inline]
fn write_move(
    replay: &mut Replay,
    m: tabiya_model::Move,
    style: PgnMoveStyle,
    variant: Variant,
    out: &mut Vec<u8>,
) {
    let castling = match variant {
        Variant::Chess960 => CastlingStyle::KingTakesRook,
        _ => CastlingStyle::KingMoves,
    };
    match style {
        PgnMoveStyle::San => return replay.play_with(|board| board.play_san(m, out)),
        PgnMoveStyle::Uci => {
            replay.now().write_uci(m, castling, out);
            return replay.play(m);
        }
        PgnMoveStyle::Long => replay.now().write_lan(m, out),
        PgnMoveStyle::Joined | PgnMoveStyle::Squares => {
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

/// Writes a move by its squares: `Ng1f3` or `g1-f3`, castling as the king's move, a promotion as in `e7e8=Q`.
fn write_squares(
    board: &Board,
    m: tabiya_model::Move,
    style: PgnMoveStyle,
    castling: CastlingStyle,
    out: &mut Vec<u8>,
) {
    if m.is_null() || m.is_castle() && castling == CastlingStyle::KingTakesRook {
        return board.write_lan(m, out);
    }
    let mut squares = Vec::with_capacity(5);
    board.write_uci(m, castling, &mut squares);
    let is_joined = style == PgnMoveStyle::Joined;
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

/// The parts of a game that a style has left out.
#[derive(Default)]
struct StyleOmissions {
    comments: usize,
    nags: usize,
    variations: usize,
}

impl StyleOmissions {
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
