//! One game as PGN: the export format by default, and every other form of [`PgnStyle`].
//!
//! The same game always gives the same bytes. Changed white space (line breaks in comments, the layout of raw movetext)
//! is layout; parts left out by a style are losses, which are counted but marked as requested if the user asked for
//! them.

mod comment_words;
mod movetext;
mod numbers;
mod position;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use tabiya_model::canon_game::is_white;
use tabiya_model::diff::diff;
use tabiya_model::text::TextId;
use tabiya_model::{Block, Game, GameAspect, GameNeeds, LossKind, Losses};

use self::movetext::PgnMovetextWriter;
use self::position::PgnWriterPosition;
use super::block::PgnBlock;
use super::block_start::PgnBlockStart;
use super::line_wrapper::LineWrapper;
use super::losses;
use super::settings::PgnReaderSettings;
use super::style::{PgnMoveStyle, PgnStyle};
use super::tag_section::PgnTagSection;

/// Texts whose layout may change: the place of each in the output, its text, and the loss to report.
type UnevenTexts = Vec<(usize, TextId, &'static LossKind)>;

/// Writes one game after another into a buffer.
#[derive(Debug)]
pub struct PgnGameWriter {
    style: PgnStyle,
    tags: PgnTagSection,
    stand: PgnWriterPosition,
    /// The settings for reading the text again, if it could be misread.
    settings: Option<Arc<PgnReaderSettings>>,
    uneven: UnevenTexts,
}

impl PgnGameWriter {
    /// Writes in a style.
    pub fn new(style: PgnStyle) -> PgnGameWriter {
        PgnGameWriter {
            style,
            tags: PgnTagSection::default(),
            stand: PgnWriterPosition::default(),
            settings: None,
            uneven: Vec::new(),
        }
    }

    /// The parts of a game that the writer needs.
    pub fn want(&self) -> GameNeeds {
        GameNeeds {
            notation: self.style.moves == PgnMoveStyle::San && self.style.has_plain_moves(),
            ..GameNeeds::ALL
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
        let is_sure = self.movetext(game, RawMovetextForm::Plain, out, losses);
        self.end_game(out, start);
        if is_sure || self.is_read_back(game, out.get(start..).unwrap_or_default(), losses, told) {
            return;
        }
        // Movetext that could be misread is written in a form that cannot be.
        out.truncate(movetext);
        losses.truncate(told_of_tags);
        self.movetext(game, RawMovetextForm::Comment, out, losses);
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

    /// Whether the text of a game is read back as its movetext, apart from the losses reported since `told`.
    #[cold]
    fn is_read_back(&mut self, game: &Game, text: &[u8], losses: &Losses, told: usize) -> bool {
        let settings = self
            .settings
            .get_or_insert_with(|| Arc::new(PgnReaderSettings::of_style(&self.style)));
        let mut block = PgnBlock::new(
            text.to_vec(),
            false,
            PgnBlockStart::default(),
            Arc::clone(settings),
        );
        let (mut copy, mut next) = (Game::default(), Game::default());
        if !matches!(block.next(GameNeeds::ALL, &mut copy), Ok(true))
            || !matches!(block.next(GameNeeds::ALL, &mut next), Ok(false))
        {
            return false;
        }
        let is_told = |aspect: GameAspect| {
            let mut new = losses.iter().skip(told);
            // Marks are rewritten because the user requested it.
            let is_asked = aspect == GameAspect::Comments && self.style.marks.is_some();
            is_asked || new.any(|loss| loss.kind.aspect.explains(aspect))
        };
        diff(game, &copy).into_iter().all(|found| {
            let aspect = found.aspect;
            matches!(
                aspect,
                GameAspect::Tags | GameAspect::Start | GameAspect::Layout
            ) || is_told(aspect)
        })
    }

    /// Writes the movetext; returns whether no part of it could be misread.
    fn movetext(
        &mut self,
        game: &Game,
        raw: RawMovetextForm,
        out: &mut Vec<u8>,
        losses: &mut Losses,
    ) -> bool {
        // Moves of a game without diagnostics were verified already.
        let doubtful = !game.diagnostics.is_empty();
        let is_told = !doubtful && self.want().notation && game.tape.has_san_details();
        self.stand.start(game, is_told);
        let width = if self.style.one_line {
            0
        } else {
            self.style.width
        };
        self.uneven.clear();
        let is_sure = PgnMovetextWriter {
            style: &self.style,
            game,
            lines: LineWrapper::new(out, width),
            stand: &mut self.stand,
            losses,
            doubtful,
            number_due: true,
            opened: 0,
            raw,
            is_sure: true,
            uneven: &mut self.uneven,
        }
        .write();
        for kind in [&losses::COMMENT_LAYOUT, &losses::MOVETEXT_LAYOUT] {
            let mut of_kind = self.uneven.iter().filter(|(.., other)| *other == kind);
            if of_kind.any(|&(at, id, _)| {
                let written = out.get(at..).unwrap_or_default();
                !is_laid_out_so(game.tape.text(id), written)
            }) {
                losses.report(kind, game.origin.number, "");
            }
        }
        is_sure
    }
}

/// The form in which unreadable movetext is written.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum RawMovetextForm {
    /// Unchanged.
    Plain,
    /// As a comment that cannot be misread.
    Comment,
}

/// Whether the white space of a text is still the same when it is read from its place in the output.
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
    // A line break in place of a space is read as the same.
    text.len() == written.len()
        && text
            .bytes()
            .zip(written)
            .all(|(a, &b)| a == b || (a == b' ' && b == b'\n'))
}

/// Joins the lines of a written game.
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
