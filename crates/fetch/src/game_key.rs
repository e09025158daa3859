//! What a fetched game is known by, and where a database has it: in the tags, or in the comment before the first move that
//! tells which tags its format could not hold.

use std::borrow::Cow;

use tabiya_formats::format::Format;
use tabiya_model::command::{CommentPart, pieces};
use tabiya_model::{Game, GameNeeds, Tags, Tape, TapeOp};

/// The tag that says where a game was fetched from.
pub(crate) const FROM_TAG: &str = "FetchedFrom";

/// Tags that a game has once it was analysed.
const ANALYSIS_TAGS: [&str; 2] = ["WhiteCentipawnLoss", "WhiteAccuracy"];

/// A format may cut a longer value where it tells it.
const LONG_VALUE: usize = 1000;

/// What a game is known by: its address at its site.
pub(crate) fn key(tags: &Tags) -> Option<String> {
    for name in ["ChapterURL", "GameURL", "Link", "Site"] {
        let value = tags.value(name);
        let is_address = value.starts_with("https://") || value.starts_with("http://");
        let has_game = match name {
            // Of other sites it says only where the game was played.
            "Site" => tags.get("GameId").is_some() || value.starts_with("https://lichess.org/"),
            _ => true,
        };
        if is_address && has_game {
            return Some(value.trim_end_matches('/').to_owned());
        }
    }
    // A format with few tags may have only the id.
    let id = tags.get("GameId")?;
    let is_id = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_here = tags.value(FROM_TAG).starts_with("lichess ");
    (is_id && is_here).then(|| format!("https://lichess.org/{id}"))
}

/// Whether a game has the analysis of its site.
pub(crate) fn is_analysed(tags: &Tags) -> bool {
    ANALYSIS_TAGS.iter().any(|name| tags.get(name).is_some())
}

/// Where the games of a database have their tags.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) enum TagStorage {
    /// In their tags, all of them.
    #[default]
    Tags,
    /// In their tags as far as the format has room for them; the others are in the comment before the first move.
    TagsAndComment(&'static Format),
}

impl TagStorage {
    /// The storage of tags in a format. Only a format that holds everything that a site sends, such as moves that cannot be read,
    /// has room for tags of any length, too.
    pub(crate) fn of(format: &'static Format) -> TagStorage {
        let can = format.capabilities;
        match can.any_tag && can.raw_movetext {
            true => TagStorage::Tags,
            false => TagStorage::TagsAndComment(format),
        }
    }

    /// What is read of a game whose tags are wanted.
    pub(crate) fn needs(self) -> GameNeeds {
        match self {
            TagStorage::Tags => GameNeeds::TAGS,
            TagStorage::TagsAndComment(_) => GameNeeds::ALL,
        }
    }

    /// The tags that a game was given.
    pub(crate) fn tags(self, game: &Game) -> Cow<'_, Tags> {
        let mut tags = Cow::Borrowed(&game.tags);
        let TagStorage::TagsAndComment(format) = self else {
            return tags;
        };
        let told = first_comments(&game.tape).filter_map(|text| ToldTags::of(text, format));
        for (name, value) in told.flat_map(|told| told.tags) {
            if tags.get(name).is_none() {
                tags.to_mut().push(name, &value);
            }
        }
        tags
    }

    /// The game as it was given, as far as the database has it: what the comment before the first move tells is in the tags.
    pub(crate) fn restored(self, game: Game) -> Game {
        let TagStorage::TagsAndComment(format) = self else {
            return game;
        };
        let told = |text| ToldTags::of(text, format).filter(|told| told.is_whole);
        if !first_comments(&game.tape).any(|text| told(text).is_some()) {
            return game;
        }
        let tags = self.tags(&game).into_owned();
        let mut tape = Tape::default();
        let mut is_first = true;
        for op in game.tape.ops() {
            is_first &= !matches!(op, TapeOp::Move(_));
            let told = match op {
                TapeOp::Comment(id) if is_first => told(game.tape.text(id)),
                _ => None,
            };
            match told {
                None => tape.push_from(&game.tape, op),
                Some(told) if told.before.is_empty() => {}
                Some(told) => {
                    tape.push_comment(told.before);
                }
            }
        }
        Game { tags, tape, ..game }
    }
}

/// The comments before the first move.
fn first_comments(tape: &Tape) -> impl Iterator<Item = &str> {
    tape.ops()
        .take_while(|op| !matches!(op, TapeOp::Move(_)))
        .filter_map(|op| match op {
            TapeOp::Comment(id) => Some(tape.text(id)),
            _ => None,
        })
}

/// What a comment tells because a format could not hold it: sentences, each with the lost text in parentheses.
#[derive(Debug, PartialEq)]
struct ToldTags<'c> {
    /// The comment before the first sentence.
    before: &'c str,
    /// The tags that the sentences name.
    tags: Vec<(&'c str, String)>,
    /// Whether there is nothing but sentences after it.
    is_whole: bool,
}

impl<'c> ToldTags<'c> {
    /// What a comment tells; `None` if it has no such sentence.
    fn of(text: &'c str, format: &Format) -> Option<ToldTags<'c>> {
        let next = |text: &str| {
            let found = format.losses.iter().filter_map(|kind| {
                let at = text.find(kind.summary)?;
                Some((at, kind.summary.len()))
            });
            // The first one, and the longest there.
            found.min_by_key(|(at, length)| (*at, usize::MAX - length))
        };
        let (begin, _) = next(text)?;
        let (before, mut rest) = text.split_at_checked(begin)?;
        let mut told = ToldTags {
            before: before.trim_end(),
            tags: Vec::new(),
            is_whole: true,
        };
        while let Some((at, length)) = next(rest) {
            told.is_whole &= at == 0;
            rest = rest.get(at + length..)?;
            let Some(detail) = rest.strip_prefix(" (") else {
                rest = rest.strip_prefix("; ").unwrap_or(rest);
                continue;
            };
            // A text may have parentheses: it ends where another sentence begins, or at the end.
            let is_end = |at: &usize| {
                let after = detail.get(at + 1..).unwrap_or_default();
                let other = after.strip_prefix("; ");
                after.is_empty() || other.is_some_and(|other| matches!(next(other), Some((0, _))))
            };
            // No text holds a sentence: what stands before the next one and is no end was written by somebody.
            let limit = next(detail).map_or(detail.len(), |(at, _)| at);
            let mut ends = detail.get(..limit)?.match_indices(')').map(|(at, _)| at);
            let end = ends.clone().find(is_end);
            // Somebody may have written something behind it.
            let Some(end) = end.or_else(|| ends.next()) else {
                break;
            };
            told.tags.extend(told_tag(detail.get(..end)?));
            rest = detail.get(end + 1..)?;
            rest = rest.strip_prefix("; ").unwrap_or(rest);
        }
        told.is_whole &= rest.is_empty();
        Some(told)
    }
}

/// A tag as formats tell it: as in PGN, or its name and its value.
fn told_tag(text: &str) -> Option<(&str, String)> {
    let plain = text.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    let (name, value) = plain.unwrap_or(text).split_once(' ')?;
    let is_name = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let quoted = value
        .strip_prefix('"')
        .and_then(|value| value.strip_suffix('"'));
    let value = match quoted {
        Some(quoted) => quoted.replace("\\\"", "\"").replace("\\\\", "\\"),
        None => value.to_owned(),
    };
    is_name.then_some((name, value))
}

/// Whether a value that a comment has told may be that of the site: it may be cut there, and has other brackets.
pub(crate) fn is_told_form(told: &str, value: &str) -> bool {
    let is_changed = told.contains('(') || told.ends_with('…') || told.len() >= LONG_VALUE;
    let value = value.replace('{', "(").replace('}', ")");
    is_changed && value.starts_with(told.trim_end_matches('…'))
}

/// Whether somebody has annotated a game: what only the site's clocks say is no annotation.
pub(crate) fn is_annotated(game: &Game) -> bool {
    game.tape.ops().any(|op| match op {
        TapeOp::Comment(id) => pieces(game.tape.text(id)).any(|part| match part {
            CommentPart::Text { text, .. } => !text.trim().is_empty(),
            CommentPart::Command { name, .. } => !matches!(name, "clk" | "emt" | "eval"),
        }),
        TapeOp::Nag(_) | TapeOp::Begin(_) => true,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use tabiya_formats::registry::FORMATS;
    use tabiya_model::GameAspect;

    use super::*;

    #[test]
    fn told_tags_are_read_whatever_they_hold() {
        let mut tried = 0;
        for format in FORMATS {
            let mut kinds = format.losses.iter();
            let Some(kind) = kinds.find(|kind| kind.aspect == GameAspect::Tags) else {
                continue;
            };
            tried += 1;
            let sentence = kind.summary;
            let text = format!(
                "A good game. {sentence} ([Link \"https://x/1\"]); {sentence} (Mood a (very); good] one); {sentence} ([Quote \"a \\\"b\\\"\"])"
            );
            let told = ToldTags::of(&text, format).expect("tags");
            assert!(told.is_whole);
            assert_eq!(told.before, "A good game.");
            let tags = [
                ("Link", "https://x/1".to_owned()),
                ("Mood", "a (very); good] one".to_owned()),
                ("Quote", "a \"b\"".to_owned()),
            ];
            assert_eq!(told.tags, tags);
            assert_eq!(ToldTags::of("A good game.", format), None);
            // What somebody has written into it is not lost, and the address is still known.
            for text in [
                format!("{sentence} (Link https://x/1) I was tired."),
                format!("{sentence} (Link https://x/1); I was tired. {sentence} (Mood tired)"),
                format!("{sentence} (Link https://x/1); {sentence} (Mood tired"),
            ] {
                let told = ToldTags::of(&text, format).expect("a sentence");
                assert!(!told.is_whole, "{text}");
                let link = ("Link", "https://x/1".to_owned());
                assert_eq!(told.tags.first(), Some(&link), "{text}");
            }
        }
        assert!(tried >= 6, "{tried} formats");
    }

    #[test]
    fn a_cut_value_is_known_again() {
        assert!(is_told_form("(\"a\":[1])", "{\"a\":[1]}"));
        assert!(is_told_form("abc…", "abcdef"));
        assert!(!is_told_form("abc", "abcdef"));
        assert!(!is_told_form("xyz…", "abcdef"));
    }
}
