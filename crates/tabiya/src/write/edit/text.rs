//! A game as text for people to edit, and the edited text as a change of the game.
//!
//! Text does not show everything: extensions of one format, original bytes of texts, tags that PGN has no place for. So the
//! new text does not replace the game. It is compared with the text of the old game, and the differences are applied to the
//! old game.

use crate::error_codes;
use std::io::Cursor;

use tabiya_formats::format::OpenOptions;
use tabiya_formats::pgn::{self, PgnGameWriter, PgnStyle};
use tabiya_model::canon_game::is_same_layout;
use tabiya_model::database::for_each_game;
use tabiya_model::diff::diff;
use tabiya_model::editor::{GamePatch, PatchList, TapeItem};
use tabiya_model::tags::Tags;
use tabiya_model::{Error, Game, GameNeeds, Losses, Result, Tape};

/// Steps of comparison that two lists are worth; longer ones are compared at their ends alone.
const PATIENCE: usize = 1 << 22;

/// The result of an edited text.
#[derive(Clone, Debug)]
pub struct TextMerge {
    /// The game.
    pub game: Box<Game>,
    /// What in the text could not be read, each a sentence.
    pub problems: Vec<String>,
    /// The changes, each a sentence; empty if there are none.
    pub differences: Vec<String>,
    /// What the text does not show and would be lost with the removed parts, each a sentence.
    pub conflicts: Vec<String>,
}

/// A game as PGN.
pub fn text_of(game: &Game) -> String {
    let mut out = Vec::new();
    let mut losses = Losses::default();
    PgnGameWriter::new(PgnStyle::default()).write(game, &mut out, &mut losses);
    String::from_utf8_lossy(&out).into_owned()
}

fn read(text: &str) -> Result<Vec<Game>> {
    let Some(stream) = pgn::FORMAT.stream else {
        return Ok(Vec::new());
    };
    let bytes = Cursor::new(text.as_bytes().to_vec());
    let mut source = stream(Box::new(bytes), &OpenOptions::default())?;
    let mut games = Vec::new();
    for_each_game(&mut *source, GameNeeds::ALL, |game| {
        games.push(game.clone());
        Ok(())
    })?;
    Ok(games)
}

/// Applies the changes of an edited text to its game.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/pgn/ok/opera.pgn");
/// use tabiya::edit::{merge, text_of};
/// use tabiya::model::GameNeeds;
///
/// let old = tabiya::open(path)?[0].read(1, GameNeeds::ALL)?;
/// let merged = merge(&old, &text_of(&old).replace("costs the bishop", "costs a game"))?;
/// assert_eq!(merged.differences.len(), 1);
/// assert!(text_of(&merged.game).contains("This pin costs a game."));
/// # Ok(())
/// # }
/// ```
pub fn merge(old: &Game, text: &str) -> Result<TextMerge> {
    let shown = text_of(old);
    let before = read(&shown)?.pop().unwrap_or_default();
    let mut games = read(text)?;
    let count = games.len();
    let Some(new) = games.pop().filter(|_| count == 1) else {
        return Err(Error::new(
            &error_codes::ONE_GAME,
            format!("one game is expected, and the text has {count}"),
        )
        .with("count", count));
    };
    let known: Vec<String> = messages(&before);
    let mut merged = TextMerge {
        game: Box::new(old.clone()),
        problems: messages(&new),
        differences: Vec::new(),
        conflicts: Vec::new(),
    };
    merged.problems.retain(|problem| !known.contains(problem));
    merged.game.diagnostics.clear();
    if text.trim_end() == shown.trim_end() {
        return Ok(merged);
    }
    merged.game.tags = merge_tags(&old.tags, &before.tags, &new.tags);
    if before.outcome != new.outcome {
        merged.game.outcome = new.outcome;
    }
    let is_start_new = before.start != new.start || before.variant != new.variant;
    if is_start_new {
        merged.game.start = new.start.clone();
        merged.game.variant = new.variant;
    }
    let plan = TextMergePlan::new(&old.tape, &before.tape, &new.tape);
    let (pieces, gone) = plan.pieces(&old.tape, &new.tape);
    merged.conflicts = gone;
    if GamePatch::of_tape(pieces).apply(&mut merged.game).is_err() {
        // What the text does not show has no place in what it shows now.
        merged.game.tape = new.tape.clone();
        merged.conflicts = hidden(&old.tape, &plan);
    }
    merged.differences = diff(old, &merged.game)
        .iter()
        .map(ToString::to_string)
        .collect();
    Ok(merged)
}

fn messages(game: &Game) -> Vec<String> {
    game.diagnostics.iter().map(ToString::to_string).collect()
}

/// The number of the tags of the same name before a tag.
fn rank(tags: &Tags, index: usize) -> usize {
    let name = tags.at(index).map(|tag| tag.name);
    (0..index)
        .filter(|other| tags.at(*other).map(|tag| tag.name) == name)
        .count()
}

/// The value of a tag by its name and its number among those of the name.
fn ranked<'t>(tags: &'t Tags, name: &str, rank: usize) -> Option<&'t str> {
    let mut named = tags.iter().filter(|tag| tag.name == name);
    named.nth(rank).map(|tag| tag.value)
}

fn merge_tags(old: &Tags, shown: &Tags, new: &Tags) -> Tags {
    let mut merged = Tags::default();
    for index in 0..old.len() {
        let Some(tag) = old.at(index) else {
            continue;
        };
        let rank = rank(old, index);
        match (ranked(shown, tag.name, rank), ranked(new, tag.name, rank)) {
            // Not shown, or not touched: the very bytes stay.
            (None, _) => merged.push_from(old, index),
            (Some(before), Some(now)) if before == now => merged.push_from(old, index),
            (Some(_), Some(now)) => merged.push(tag.name, now),
            (Some(_), None) => {}
        }
    }
    for index in 0..new.len() {
        let Some(tag) = new.at(index) else {
            continue;
        };
        let rank = rank(new, index);
        let is_old = ranked(old, tag.name, rank).is_some();
        let is_touched = ranked(shown, tag.name, rank) != Some(tag.value);
        if !is_old && is_touched {
            merged.push(tag.name, tag.value);
        }
    }
    merged
}

fn items(tape: &Tape) -> Vec<TapeItem> {
    tape.ops().map(|op| TapeItem::of(tape, op)).collect()
}

fn is_alike(a: &TapeItem, b: &TapeItem) -> bool {
    match (a, b) {
        (TapeItem::Comment(a), TapeItem::Comment(b)) => is_same_layout(&a.text, &b.text),
        (TapeItem::Raw(a), TapeItem::Raw(b)) => is_same_layout(&a.text, &b.text),
        (a, b) => a == b,
    }
}

/// How the operations of an old tape, of what was shown of it, and of a new one belong together.
struct TextMergePlan {
    /// For each operation of the old tape the one that showed it.
    shown: Vec<Option<usize>>,
    /// For each operation that was shown the one of the new tape that it still is.
    stays: Vec<Option<usize>>,
}

impl TextMergePlan {
    fn new(old: &Tape, shown: &Tape, new: &Tape) -> TextMergePlan {
        let (old, seen, new) = (items(old), items(shown), items(new));
        let mut at = 0;
        let shown = old
            .iter()
            .map(|item| {
                let is_shown = seen.get(at).is_some_and(|seen| is_alike(item, seen));
                at += usize::from(is_shown);
                is_shown.then(|| at - 1)
            })
            .collect();
        TextMergePlan {
            shown,
            stays: common(&seen, &new),
        }
    }

    /// The new tape put together from the old one, and what goes unseen.
    fn pieces(&self, old: &Tape, new: &Tape) -> (PatchList<TapeItem>, Vec<String>) {
        let new = items(new);
        let (mut pieces, mut gone) = (PatchList::default(), Vec::new());
        let mut done = 0;
        // Whether what stood before an unseen operation is still there.
        let mut owner_stays = true;
        for (index, shown) in self.shown.iter().enumerate() {
            match shown.map(|shown| self.stays.get(shown).copied().flatten()) {
                Some(Some(stays)) if stays >= done => {
                    pieces.put_all(new.get(done..stays).unwrap_or_default().iter().cloned());
                    pieces.keep(index..index + 1);
                    done = stays + 1;
                    owner_stays = true;
                }
                Some(_) => owner_stays = false,
                None if owner_stays => pieces.keep(index..index + 1),
                None => gone.extend(unseen(old, index)),
            }
        }
        pieces.put_all(new.get(done..).unwrap_or_default().iter().cloned());
        (pieces, gone)
    }
}

/// Everything of a tape that was not shown.
fn hidden(old: &Tape, plan: &TextMergePlan) -> Vec<String> {
    let shown = plan.shown.iter().enumerate();
    shown
        .filter(|(_, shown)| shown.is_none())
        .filter_map(|(index, _)| unseen(old, index))
        .collect()
}

/// What goes with an operation that the text does not show, in a sentence.
fn unseen(tape: &Tape, index: usize) -> Option<String> {
    let op = tape.get(index)?;
    Some(match TapeItem::of(tape, op) {
        TapeItem::Ext(extension) => format!(
            "{} ({} bytes that PGN does not show) is at a move that was removed",
            extension.name,
            extension.data.len()
        ),
        other => format!("{other:?} is not shown as PGN and is at a move that was removed"),
    })
}

/// For each item of a list the one of another list that it stays, in their order.
fn common(a: &[TapeItem], b: &[TapeItem]) -> Vec<Option<usize>> {
    let head = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (rest_a, rest_b) = (a.get(head..).unwrap_or(&[]), b.get(head..).unwrap_or(&[]));
    let tail = rest_a
        .iter()
        .rev()
        .zip(rest_b.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let (n, m) = (rest_a.len() - tail, rest_b.len() - tail);
    let mut stays: Vec<Option<usize>> = (0..a.len()).map(|at| (at < head).then_some(at)).collect();
    for back in 1..=tail {
        if let Some(slot) = stays.get_mut(a.len() - back) {
            *slot = Some(b.len() - back);
        }
    }
    if n.saturating_mul(m) > PATIENCE {
        return stays;
    }
    // The longest common list of what lies between, told by its lengths from every pair of places on.
    let width = m + 1;
    let mut lengths = vec![0_u32; (n + 1) * width];
    let length = |lengths: &[u32], i: usize, j: usize| {
        lengths.get(i * width + j).copied().unwrap_or_default()
    };
    let is_equal = |i: usize, j: usize| rest_a.get(i) == rest_b.get(j);
    for i in (0..n).rev() {
        for j in (0..m).rev() {
            let best = if is_equal(i, j) {
                length(&lengths, i + 1, j + 1) + 1
            } else {
                length(&lengths, i + 1, j).max(length(&lengths, i, j + 1))
            };
            if let Some(slot) = lengths.get_mut(i * width + j) {
                *slot = best;
            }
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < n && j < m {
        if is_equal(i, j) {
            if let Some(slot) = stays.get_mut(head + i) {
                *slot = Some(head + j);
            }
            (i, j) = (i + 1, j + 1);
        } else if length(&lengths, i + 1, j) >= length(&lengths, i, j + 1) {
            i += 1;
        } else {
            j += 1;
        }
    }
    stays
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[Event \"E\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n\
        1. e4 {good} e5 2. Nf3 (2. f4 exf4) 2... Nc6 3. Bb5 1-0\n";

    fn game() -> Game {
        read(TEXT).expect("read").pop().expect("one")
    }

    /// The game with an extension behind an operation.
    fn with_extension(at: usize) -> Game {
        let mut game = game();
        let mut pieces = PatchList::default();
        let extension = tabiya_model::tape::TapeExtension {
            name: "cbh.medal".to_owned(),
            data: vec![1, 2],
        };
        pieces.keep(0..at);
        pieces.put(TapeItem::Ext(extension));
        pieces.keep(at..game.tape.len());
        GamePatch::of_tape(pieces)
            .apply(&mut game)
            .expect("applies");
        game
    }

    #[test]
    fn a_text_that_was_not_touched_changes_nothing() {
        for at in 1..3 {
            let old = with_extension(at);
            let merged = merge(&old, &text_of(&old)).expect("merges");
            assert_eq!(merged.game.tape, old.tape);
            assert_eq!(merged.game.tags, old.tags);
            assert!(merged.differences.is_empty() && merged.conflicts.is_empty());
        }
    }

    #[test]
    fn what_the_text_does_not_show_stays() {
        let old = with_extension(1);
        let text = text_of(&old)
            .replace("good", "the best")
            .replace("3. Bb5", "3. Bc4 Bc5");
        let merged = merge(&old, &text).expect("merges");
        assert!(merged.problems.is_empty(), "{:?}", merged.problems);
        assert!(merged.conflicts.is_empty(), "{:?}", merged.conflicts);
        let mut plain = Game::clone(&merged.game);
        assert_eq!(plain.tape.extensions().len(), 1);
        assert!(!merged.differences.is_empty());
        let shown = text_of(&plain);
        assert!(
            shown.contains("the best") && shown.contains("3. Bc4 Bc5"),
            "{shown}"
        );
        plain.tags.set("White", "A");
        assert_eq!(plain.tags, old.tags);
    }

    #[test]
    fn what_goes_unseen_is_told() {
        let old = with_extension(game().tape.len());
        let text = text_of(&old).replace(" 3. Bb5", "");
        let merged = merge(&old, &text).expect("merges");
        assert_eq!(merged.conflicts.len(), 1, "{:?}", merged.conflicts);
        assert_eq!(merged.game.tape.plies(), 4);
    }

    #[test]
    fn bytes_of_tags_that_were_not_touched_stay() {
        let mut old = game();
        let mut tags = Tags::default();
        tags.push_bytes(
            b"White",
            b"M\xfcller",
            tabiya_model::charset::Charset::Cp1252,
        );
        tags.push("Black", "B");
        old.tags = tags;
        let text = text_of(&old).replace("\"B\"", "\"C\"");
        let merged = merge(&old, &text).expect("merges");
        assert_eq!(&*merged.game.tags.original(0), b"M\xfcller");
        assert_eq!(merged.game.tags.value("Black"), "C");
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        let old = game();
        let text = text_of(&old).replace("Nc6", "Qh7");
        let merged = merge(&old, &text).expect("merges");
        assert!(!merged.problems.is_empty());
        assert!(merge(&old, &format!("{TEXT}\n{TEXT}")).is_err());
        assert!(merge(&old, "").is_err());
    }
}
