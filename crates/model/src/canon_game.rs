//! The canonical form of a game: the parts that two formats must agree on, without their peculiarities.
//!
//! It normalises the same things as the export format of PGN: tags of the Seven Tag Roster first and always present,
//! other tags by name, white space in texts, adjacent pieces of unreadable movetext joined. Everything else is kept:
//! order and repeats of NAGs, comments and variations. Normalised white space is compared separately, as layout.

use std::borrow::Cow;

use crate::board::{Board, CastlingStyle};
use crate::game::{Game, StartingPosition, Variant};
use crate::outcome::Outcome;
use crate::rating::RatingKind;
use crate::tags::ROSTER;
use crate::tape::{Replay, TapeOp};

/// One step of a canonical movetext.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CanonStep {
    /// A move by its squares, with the text for people.
    Move {
        /// Unambiguous, also in Chess960: from, to, promotion.
        uci: UciMove,
    },
    /// A NAG.
    Nag(u32),
    /// A comment with folded white space.
    Comment(String),
    /// Unreadable movetext with folded white space.
    Raw(String),
    /// An extension: its name and content.
    Extension(String, Vec<u8>),
    /// The start of a variation.
    Begin,
    /// The end of a variation.
    End,
    /// A result within the movetext.
    Outcome(Outcome),
}

/// A move by its squares. Large games have many moves, so it is stored inline.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub struct UciMove([u8; 5]);

impl UciMove {
    /// The squares, and the promotion piece.
    pub fn as_str(&self) -> &str {
        let end = self.0.iter().position(|byte| *byte == 0);
        let text = self.0.get(..end.unwrap_or(self.0.len()));
        text.and_then(|text| std::str::from_utf8(text).ok())
            .unwrap_or_default()
    }
}

/// A game in canonical form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CanonGame {
    /// Roster first, then by name; equal names in their order.
    pub tags: Vec<(String, String)>,
    /// The full starting position, or `None` for the normal one.
    pub start: Option<String>,
    /// Chess960 or another variant, or nothing.
    pub variant: Variant,
    /// The movetext.
    pub steps: Vec<CanonStep>,
    /// The result at the end of the movetext.
    pub outcome: Outcome,
}

/// The canonical form of a game.
pub fn canon(game: &Game) -> CanonGame {
    let start = match &game.start {
        StartingPosition::Standard => None,
        StartingPosition::Setup(board, _) => Some(board.to_fen()),
    };
    CanonGame {
        tags: tags(game),
        start,
        variant: game.variant,
        steps: steps(game),
        outcome: game.ending(),
    }
}

fn tags(game: &Game) -> Vec<(String, String)> {
    tags_with(game, fold)
}

/// The tags in canonical order, with values as `shown`.
pub(crate) fn tags_with(game: &Game, shown: impl Fn(&str) -> String) -> Vec<(String, String)> {
    let mut tags: Vec<(String, String)> = Vec::with_capacity(game.tags.len().max(ROSTER.len()));
    for name in ROSTER {
        let value = match (name, game.tags.get(name)) {
            (_, Some(value)) if !value.trim_matches(is_white).is_empty() => value,
            // A missing Result tag equals the result of the movetext.
            ("Result", _) => game.result().as_pgn(),
            ("Date", _) => "????.??.??",
            _ => "?",
        };
        tags.push((name.to_owned(), shown(value)));
    }
    let mut roster_seen = [false; ROSTER.len()];
    let mut others: Vec<(String, String)> = Vec::new();
    for (index, tag) in game.tags.iter().enumerate() {
        if let Some(at) = ROSTER.iter().position(|name| *name == tag.name)
            && let Some(seen) = roster_seen.get_mut(at)
            && !std::mem::replace(seen, true)
        {
            continue;
        }
        if game.is_start_tag(index) {
            continue;
        }
        // An empty rating equals a missing one.
        if tag.value.trim().is_empty() && RatingKind::from_tag_name(tag.name).is_some() {
            continue;
        }
        // If the position shows the variant without the tag, writers add a missing one.
        if game.variant == Variant::Chess960 && tag.name == "Variant" && names_chess960(tag.value) {
            continue;
        }
        others.push((tag.name.to_owned(), shown(tag.value)));
    }
    others.sort_by(|a, b| a.0.cmp(&b.0));
    tags.append(&mut others);
    tags
}

fn names_chess960(value: &str) -> bool {
    value.trim_matches(is_white) == "Chess960"
}

fn steps(game: &Game) -> Vec<CanonStep> {
    let mut replay = Replay::new(&game.start_board());
    let mut steps = Vec::with_capacity(game.tape.len());
    let mut text = Vec::with_capacity(5);
    for op in game.tape.ops() {
        match op {
            TapeOp::Move(m) => steps.push(CanonStep::Move {
                uci: uci(replay.now(), m, &mut text),
            }),
            TapeOp::Nag(nag) => steps.push(CanonStep::Nag(nag.0)),
            TapeOp::Comment(id) => steps.push(CanonStep::Comment(fold(game.tape.text(id)))),
            TapeOp::Raw(id) => {
                let text = fold(game.tape.text(id));
                match steps.last_mut() {
                    // Where one piece of unreadable text ends and the next begins has no meaning.
                    Some(CanonStep::Raw(before)) => {
                        before.push(' ');
                        before.push_str(&text);
                    }
                    _ => steps.push(CanonStep::Raw(text)),
                }
            }
            TapeOp::Ext(index) => {
                if let Some(extension) = game.tape.extensions().get(index as usize) {
                    steps.push(CanonStep::Extension(
                        extension.name.clone(),
                        extension.data.clone(),
                    ));
                }
            }
            TapeOp::Begin(_) => steps.push(CanonStep::Begin),
            TapeOp::End => steps.push(CanonStep::End),
            TapeOp::Outcome(outcome) => steps.push(CanonStep::Outcome(outcome)),
        }
        replay.follow(op);
    }
    steps
}

fn uci(board: &Board, m: crate::board::Move, text: &mut Vec<u8>) -> UciMove {
    text.clear();
    board.write_uci(m, CastlingStyle::KingTakesRook, text);
    let mut uci = UciMove([0; 5]);
    for (byte, from) in uci.0.iter_mut().zip(&*text) {
        *byte = *from;
    }
    uci
}

/// Whether a character is white space that layout may change: a space, a tab or a line break.
#[inline]
pub fn is_white(c: char) -> bool {
    matches!(c, ' ' | '\t'..='\r')
}

/// Whether a copy of a text has the white space of the text, apart from its ends, where lines may have been broken at
/// single spaces.
pub fn is_same_layout(text: &str, copy: &str) -> bool {
    let (text, copy) = (text.trim_matches(is_white), copy.trim_matches(is_white));
    if text == copy {
        return true;
    }
    let (mut text, mut copy) = (text, copy);
    loop {
        let (word, rest) = text.split_at(text.find(is_white).unwrap_or(text.len()));
        let (other, rest_of_copy) = copy.split_at(copy.find(is_white).unwrap_or(copy.len()));
        if word != other {
            return false;
        }
        let end = |rest: &str| rest.len() - rest.trim_start_matches(is_white).len();
        let (space, next) = rest.split_at(end(rest));
        let (other, next_of_copy) = rest_of_copy.split_at(end(rest_of_copy));
        let is_broken = space == " " && matches!(other, "\n" | "\r\n");
        // The line ends of a file are not part of its texts.
        let same_breaks = || space.replace("\r\n", "\n") == other.replace("\r\n", "\n");
        if space != other && !is_broken && !same_breaks() {
            return false;
        }
        if next.is_empty() || next_of_copy.is_empty() {
            return next.is_empty() && next_of_copy.is_empty();
        }
        (text, copy) = (next, next_of_copy);
    }
}

/// The result of [`fold`] for a text, which is usually the text itself.
pub fn folded(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    // Without an early exit, these loops check many bytes at a time.
    let is_printable = bytes
        .iter()
        .fold(true, |is, byte| is & matches!(byte, b' '..=b'~'));
    let pairs = bytes.iter().zip(bytes.iter().skip(1));
    let is_even = pairs.fold(true, |even, (a, b)| even & ((*a != b' ') | (*b != b' ')));
    let is_closed = bytes.first() != Some(&b' ') && bytes.last() != Some(&b' ');
    if is_printable && is_even && is_closed {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(fold(text))
    }
}

/// Folds every run of white space into one space and trims the ends.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for word in text.split(is_white) {
        if !word.is_empty() {
            if !folded.is_empty() {
                folded.push(' ');
            }
            folded.push_str(word);
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_folded_already_stays() {
        for text in [
            "", " ", "a", "a b", "a  b", " a", "a ", "ä b", "a\tb", "a\u{a0}b", "a\0b",
        ] {
            assert_eq!(folded(text), fold(text), "{text:?}");
        }
        assert!(matches!(folded("a b c"), Cow::Borrowed(_)));
    }

    #[test]
    fn what_the_variant_says_is_not_said_again_by_a_tag() {
        let bare = Game {
            variant: Variant::Chess960,
            ..Game::default()
        };
        let mut tagged = bare.clone();
        tagged.tags.push("Variant", "Chess960");
        assert_eq!(canon(&bare), canon(&tagged));
        tagged.tags.push("Variant", "Fischerandom");
        assert_ne!(canon(&bare), canon(&tagged));
    }

    #[test]
    fn lines_may_be_broken_at_spaces() {
        for (text, copy) in [
            ("a b", "a b"),
            ("a b c", "a\nb\r\nc"),
            ("a\r\n\r\nb", "a\n\nb"),
            (" a ", "a"),
            ("", " "),
        ] {
            assert!(is_same_layout(text, copy), "{text:?} {copy:?}");
        }
        for (text, copy) in [
            ("a\nb", "a b"),
            ("a  b", "a b"),
            ("a b", "a  b"),
            ("a", "b"),
            ("a b", "a"),
        ] {
            assert!(!is_same_layout(text, copy), "{text:?} {copy:?}");
        }
    }

    #[test]
    fn an_odd_result_is_kept() {
        let mut game = Game::default();
        game.tags.push("Result", "0-0");
        assert!(
            canon(&game)
                .tags
                .contains(&("Result".to_owned(), "0-0".to_owned()))
        );
        game.tags.set("Result", "1/2-1/2");
        assert_eq!(game.tags.odd_result(), None);
        assert_eq!(canon(&game).outcome, Outcome::Draw);
    }

    #[test]
    fn the_tag_and_the_end_of_the_movetext_are_two_facts() {
        let with = |tag: Option<&str>, outcome| {
            let mut game = Game {
                outcome,
                ..Game::default()
            };
            if let Some(tag) = tag {
                game.tags.push("Result", tag);
            }
            game
        };
        use Outcome::{BlackWins, Unknown, WhiteWins};
        let games = [
            with(Some("1-0"), Some(WhiteWins)),
            with(Some("1-0"), Some(BlackWins)),
            with(Some("1-0"), Some(Unknown)),
            with(Some("*"), Some(WhiteWins)),
            with(Some("1:0"), Some(WhiteWins)),
        ];
        for (at, game) in games.iter().enumerate() {
            for other in games.get(at + 1..).expect("the rest") {
                assert_ne!(canon(game), canon(other));
            }
        }
        // Either of them counts for both.
        let both = canon(&with(Some("1-0"), Some(WhiteWins)));
        assert_eq!(both, canon(&with(None, Some(WhiteWins))));
        assert_eq!(both, canon(&with(Some(""), Some(WhiteWins))));
        assert_eq!(both, canon(&with(Some("1-0"), None)));
    }

    #[test]
    fn roster_and_white_space_are_folded() {
        let mut game = Game::default();
        game.tags.push("Zeta", "1");
        game.tags.push("Black", "B");
        game.tags.push("Annotator", "x");
        game.tape.push_comment(" a \n b\t");
        let canon = canon(&game);
        let names: Vec<_> = canon.tags.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            names,
            [
                "Event",
                "Site",
                "Date",
                "Round",
                "White",
                "Black",
                "Result",
                "Annotator",
                "Zeta"
            ]
        );
        assert_eq!(canon.steps, [CanonStep::Comment("a b".to_owned())]);
        assert_eq!(canon.outcome, Outcome::Unknown);
    }
}
