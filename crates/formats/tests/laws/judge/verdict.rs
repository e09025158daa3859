//! The differences between two games, and the losses that may explain them.
//!
//! Each kind of loss is listed here by its name with what it excuses. A kind that is not listed excuses nothing, so a new
//! one must be considered.

use tabiya_model::Loss;
use tabiya_model::outcome::Outcome;

use super::facts::{Facts, Token, same_move};

/// The parts that may differ.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// Everything: the game is missing.
    Game,
    /// The tags in the loss.
    Tag,
    /// FEN, SetUp and Variant, and the position and the variant.
    Start,
    /// White space within texts, and the form of equivalent values.
    Layout,
    /// Moves of the main line from some point on, and everything that depends on them.
    Moves,
    Variations,
    Comments,
    Nags,
    /// Results, among the moves and after them.
    Result,
    Extensions,
}

/// What a kind of loss excuses; empty if it is unknown here.
fn excused(kind: &str) -> &'static [Part] {
    use Part::*;
    match kind {
        // The target has no place for a whole game.
        "cbf-full" | "cbh-full" | "2cbh-full" | "ca-game" | "jose-setup" | "jose-too-large"
        | "scid-chess960" | "scid-position" | "scid-long-game" | "scid-full" | "book-game" => {
            &[Game]
        }
        // Tags, each named in the loss.
        "cbf-tag" | "cbh-tag" | "2cbh-tag" | "cbh-name" | "2cbh-name" | "cbf-text" | "cbf-date"
        | "cbf-elo" | "cbf-eco" | "cbf-flag" | "ca-tag" | "ca-tag-value" | "ca-name-cut"
        | "ca-tag-charset" | "epd-tags" | "epd-text" | "jose-result" | "jose-long-name"
        | "jose-info-length" | "jose-info-form" | "pgn-nul-in-tag" | "pgn-tag-name"
        | "scid-name-cut" | "scid-tag-cut" | "scid-flags" | "scid-second-tag" | "scid-fen-text"
        | "epd-result" => &[Tag],
        "pgn-start-tags" => &[Tag, Start],
        "epd-fen-tags" => &[Tag, Start, Layout],
        // The beginning.
        "cbf-start"
        | "cbh-start-position"
        | "2cbh-start-position"
        | "ca-start"
        | "ca-castling"
        | "epd-start"
        | "jose-variant"
        | "pgn-start"
        | "scid-variant" => &[Start],
        "start-tags-added" | "start-tag-form" | "scid-fen-form" => &[Layout, Start],
        // Layout.
        "cbf-layout"
        | "cbh-layout"
        | "2cbh-layout"
        | "epd-layout"
        | "pgn-tag-layout"
        | "pgn-empty-roster-tag"
        | "pgn-comment-layout"
        | "pgn-movetext-layout"
        | "empty-tag"
        | "ca-tag-layout" => &[Layout],
        // Movetext that ends, or becomes text.
        "cbf-moves"
        | "cbh-moves"
        | "2cbh-moves"
        | "ca-raw"
        | "ca-move"
        | "epd-moves"
        | "epd-raw"
        | "jose-impossible-move"
        | "jose-raw-movetext"
        | "pgn-misread"
        | "scid-unreadable-movetext"
        | "scid-move" => &[Moves, Variations, Comments, Nags, Result, Extensions],
        "cbf-variation"
        | "cbh-variation"
        | "2cbh-variation"
        | "cbh-variation-form"
        | "2cbh-variation-form"
        | "ca-variations-left-out"
        | "epd-variations"
        | "jose-structure"
        | "pgn-empty-variation"
        | "scid-long-game-variations" => &[Variations, Comments, Nags, Result, Extensions],
        "cbh-comment-moved"
        | "2cbh-comment-moved"
        | "book-advice"
        | "book-numbers"
        | "cbh-characters"
        | "2cbh-characters"
        | "cbh-comment"
        | "2cbh-comment"
        | "cbf-comment-moved"
        | "cbf-characters"
        | "cbf-comment"
        | "ca-comment-charset"
        | "ca-comment-order"
        | "ca-annotations"
        | "epd-comments"
        | "epd-fen-comments"
        | "jose-zero-in-comment"
        | "pgn-nul-in-comment"
        | "pgn-comment-brace"
        | "scid-long-game-comments"
        | "scid-comments-joined"
        | "scid-nul" => &[Comments],
        "book-symbol"
        | "cbh-nag"
        | "2cbh-nag"
        | "cbh-nag-form"
        | "2cbh-nag-form"
        | "cbf-nag"
        | "cbf-nag-form"
        | "ca-nag-order"
        | "ca-nags"
        | "ca-null-nag"
        | "epd-nags"
        | "jose-large-nag"
        | "scid-long-game-nags"
        | "scid-many-nags"
        | "scid-high-nag" => &[Nags],
        "cbh-movetext-result"
        | "2cbh-movetext-result"
        | "cbh-inner-result"
        | "2cbh-inner-result"
        | "cbf-result"
        | "ca-outcome"
        | "epd-outcome"
        | "epd-fen-outcome"
        | "pgn-result-inside"
        | "scid-inner-result"
        | "cbf-movetext-result"
        | "ca-movetext-result"
        | "epd-movetext-result"
        | "jose-movetext-result" => &[Result],
        "cbf-unread" | "cbh-extension" | "2cbh-extension" | "cbf-extension"
        | "ca-extension-order" | "ca-extension" | "epd-extension" | "jose-extension"
        | "pgn-extension" | "scid-extension" => &[Extensions],
        _ => &[],
    }
}

/// The losses of one game.
#[derive(Clone, Default, Debug)]
pub(crate) struct Told {
    losses: Vec<(&'static str, String)>,
}

impl Told {
    pub(crate) fn add(&mut self, loss: &Loss) {
        self.losses.push((loss.kind.name, loss.detail.clone()));
    }

    fn excuses(&self, part: Part) -> bool {
        (self.losses.iter()).any(|(kind, _)| excused(kind).contains(&part))
    }

    /// Whether no loss was reported.
    pub(crate) fn is_empty(&self) -> bool {
        self.losses.is_empty()
    }

    /// Whether the position or the variant may differ.
    pub(crate) fn may_differ_in_start(&self) -> bool {
        let layout = ["start-tags-added", "start-tag-form", "scid-fen-form"];
        (self.losses.iter())
            .any(|(kind, _)| excused(kind).contains(&Part::Start) && !layout.contains(kind))
    }

    /// Whether the whole game is reported as lost.
    pub(crate) fn is_gone(&self) -> bool {
        self.excuses(Part::Game)
    }

    /// Whether a loss of tags contains this name, or, if it has no room for names, this value.
    fn names(&self, name: &str, values: &[&str]) -> bool {
        let is_told = |kind: &str, detail: &str| {
            let shown = format!("{name:?}");
            let shown = shown.trim_matches('"');
            let by_value = || {
                (values.iter()).any(|value| {
                    let shown = format!("{value:?}");
                    detail == *value || detail.contains(&shown)
                })
            };
            speaks_of(detail, name)
                || speaks_of(detail, shown)
                || BY_VALUE.contains(&kind) && by_value()
        };
        (self.losses.iter())
            .any(|(kind, detail)| excused(kind).contains(&Part::Tag) && is_told(kind, detail))
    }

    /// Whether names were stored in another form, so that a ChessBase for DOS file keeps the originals.
    fn changes_names(&self) -> bool {
        let kinds = ["cbf-text", "cbf-tag", "cbf-layout"];
        (self.losses.iter()).any(|(kind, _)| kinds.contains(kind))
    }

    /// The reported losses, in words.
    pub(crate) fn shown(&self) -> String {
        let all = self.losses.iter();
        all.map(|(kind, detail)| format!("{kind} ({detail})"))
            .collect::<Vec<_>>()
            .join("; ")
    }
}

/// Kinds of loss whose detail is the value of a tag.
const BY_VALUE: [&str; 4] = ["scid-second-tag", "scid-flags", "scid-fen-text", "epd-text"];

/// Whether a text contains a name as a word.
fn speaks_of(text: &str, name: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    text.match_indices(name).any(|(at, found)| {
        let (before, after) = (&text[..at], &text[at + found.len()..]);
        let begins = !is_part(before.chars().next_back()) || !is_part(name.chars().next());
        begins && (!is_part(after.chars().next()) || !is_part(name.chars().next_back()))
    })
}

/// The seven roster tags, and their values if unknown.
const ROSTER: [(&str, &str); 7] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
    ("Result", "*"),
];

/// Every difference that no reported loss explains.
pub(crate) fn unexplained(game: &Facts, copy: &Facts, told: &Told) -> Vec<String> {
    let mut found = Vec::new();
    tags(game, copy, told, &mut found);
    end(game, copy, told, &mut found);
    tokens(game, copy, told, &mut found);
    found
}

fn words(text: &str) -> Vec<&str> {
    text.split([' ', '\n', '\r', '\t', '\u{b}', '\u{c}'])
        .filter(|word| !word.is_empty())
        .collect()
}

fn tags(game: &Facts, copy: &Facts, told: &Told, found: &mut Vec<String>) {
    let mut names: Vec<&str> = (game.tags.iter().chain(&copy.tags))
        .map(|(name, _)| name.as_str())
        .collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let (mut before, after) = (game.values(name), copy.values(name));
        let unknown = ROSTER.iter().find(|(n, _)| *n == name);
        let is_rating = name.ends_with("Elo");
        // An empty value is reported if it becomes a question mark, or is dropped.
        if let Some(first) = before.first_mut()
            && words(first).is_empty()
            && (unknown.is_some() || is_rating)
            && told.excuses(Part::Layout)
        {
            let is_end = |value: &str| name == "Result" && Some(value) == game.end;
            match after.first() {
                Some(value) if unknown.is_some_and(|(_, it)| value == it) || is_end(value) => {
                    *first = value;
                }
                None => drop(before.remove(0)),
                Some(_) => {}
            }
        }
        if before == after {
            continue;
        }
        let is_start = matches!(name, "FEN" | "SetUp" | "Variant");
        let folded = |values: &[&str]| -> Vec<String> {
            values.iter().map(|value| words(value).join(" ")).collect()
        };
        let explained = if let Some((_, unknown)) = unknown
            && is_unknown(name, unknown, game, &before)
            && is_unknown(name, unknown, game, &after)
        {
            !before.contains(&"") || after.contains(&"")
        } else if folded(&before) == folded(&after) {
            told.excuses(Part::Layout) || told.names(name, &before)
        } else if is_start && told.excuses(Part::Start) {
            true
        } else if before.is_empty() && ["CbfPlayers", "CbfSource"].contains(&name) {
            told.changes_names()
        } else {
            let gone: Vec<&str> = (before.iter().chain(&after)).copied().collect();
            told.names(name, &gone)
        };
        if !explained {
            found.push(format!("tag {name}: {before:?} became {after:?}"));
        }
    }
}

/// Whether the values of a roster tag mean that it is unknown, or equal the result at the end of the game.
fn is_unknown(name: &str, unknown: &str, game: &Facts, values: &[&str]) -> bool {
    match values {
        [] => true,
        [value] if name == "Result" => {
            value.is_empty() || Some(*value) == game.end || game.end.is_none() && *value == unknown
        }
        [value] => value.is_empty() || *value == unknown,
        _ => false,
    }
}

fn end(game: &Facts, copy: &Facts, told: &Told, found: &mut Vec<String>) {
    if game.end == copy.end || told.excuses(Part::Result) {
        return;
    }
    // Without a result at the end, that of the tag counts, or it is unknown.
    let implied = |facts: &Facts| {
        let said = facts.values("Result");
        let said = said.first().and_then(|value| Outcome::read(value));
        said.map_or("*", Outcome::as_pgn)
    };
    let [before, after] = [game, copy].map(|facts| facts.end.unwrap_or(implied(facts)));
    if before != after {
        found.push(format!("end: {:?} became {:?}", game.end, copy.end));
    }
}

fn tokens(game: &Facts, copy: &Facts, told: &Told, found: &mut Vec<String>) {
    let [before, after] = [game, copy].map(|facts| kept(&facts.tokens, told));
    if told.excuses(Part::Moves) {
        // The remaining part of the main line is its beginning.
        let moves = |tokens: &[Token]| -> Vec<String> {
            let mut depth = 0;
            let mut moves = Vec::new();
            for token in tokens {
                match token {
                    Token::Open => depth += 1,
                    Token::Close => depth -= 1,
                    Token::Move(key) if depth == 0 => moves.push(key.clone()),
                    _ => {}
                }
            }
            moves
        };
        let [before, after] = [moves(&game.tokens), moves(&copy.tokens)];
        let is_beginning =
            after.len() <= before.len() && after.iter().zip(&before).all(|(a, b)| same_move(a, b));
        if !is_beginning && !told.shown().contains("misread") {
            found.push(format!("moves: {before:?} became {after:?}"));
        }
        return;
    }
    let is_same = |a: &Token, b: &Token| same_token(a, b, told.excuses(Part::Layout));
    let at = before
        .iter()
        .zip(&after)
        .take_while(|(a, b)| is_same(a, b))
        .count();
    if at < before.len().max(after.len()) {
        found.push(format!(
            "movetext: {:?} became {:?} at token {at}",
            before.get(at),
            after.get(at)
        ));
    }
}

/// The tokens that no loss excuses.
fn kept(tokens: &[Token], told: &Told) -> Vec<Token> {
    let mut depth = 0_usize;
    let mut left: Vec<Token> = Vec::new();
    for token in tokens {
        let is_inside = depth > 0;
        match token {
            Token::Open => depth += 1,
            Token::Close => depth = depth.saturating_sub(1),
            _ => {}
        }
        let part = match token {
            Token::Open | Token::Close => Part::Variations,
            _ if is_inside && told.excuses(Part::Variations) => continue,
            Token::Comment(_) => Part::Comments,
            Token::Nag(_) => Part::Nags,
            Token::Result(_) => Part::Result,
            Token::Extension(_) => Part::Extensions,
            Token::Move(_) | Token::Word(_) => Part::Moves,
        };
        if told.excuses(part) {
            continue;
        }
        match (left.last_mut(), token) {
            // Where one piece of unreadable movetext ends and the next begins is not stored in any format.
            (Some(Token::Word(before)), Token::Word(more)) => {
                before.push(' ');
                before.push_str(more);
            }
            _ => left.push(token.clone()),
        }
    }
    left
}

fn same_token(a: &Token, b: &Token, layout: bool) -> bool {
    match (a, b) {
        (Token::Move(a), Token::Move(b)) => same_move(a, b),
        (Token::Comment(a), Token::Comment(b)) | (Token::Word(a), Token::Word(b)) => {
            a == b || words(a) == words(b) && (layout || is_only_broken(a, b))
        }
        _ => a == b,
    }
}

/// Whether a copy of a text differs only in line breaks in place of single spaces, or in space at its ends.
fn is_only_broken(text: &str, copy: &str) -> bool {
    let plain = |text: &str| {
        let text = text.trim_matches([' ', '\n', '\r', '\t', '\u{b}', '\u{c}']);
        text.replace("\r\n", "\n")
    };
    let (text, copy) = (plain(text), plain(copy));
    text.len() == copy.len()
        && (text.chars().zip(copy.chars())).all(|(a, b)| a == b || a == ' ' && b == '\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(text: &str) -> Facts {
        super::super::facts::scan(text).expect("plain").remove(0)
    }

    #[test]
    fn each_sort_of_difference_is_seen() {
        let game = "[White \"a\"]\n[Result \"1-0\"]\n[Note \"x\"]\n[Note \"y\"]\n\n1. e4! {one  two} e5 (1... c5 $2) 2. Nf3 0-1";
        let none = Told::default();
        assert_eq!(
            unexplained(&facts(game), &facts(game), &none),
            Vec::<String>::new()
        );
        for (from, to) in [
            ("\"a\"", "\"b\""),
            ("\"1-0\"", "\"0-1\""),
            (" 0-1", " 1-0"),
            (" 0-1", " *"),
            ("[Note \"x\"]\n", ""),
            ("\"x\"]\n[Note \"y\"", "\"y\"]\n[Note \"x\""),
            ("e4!", "e4"),
            ("e4!", "d4!"),
            ("one  two", "one two"),
            (" {one  two}", ""),
            (" (1... c5 $2)", ""),
            ("$2", "$4"),
            (" 2. Nf3", ""),
            ("Nf3", "Bf3"),
        ] {
            let changed = game.replacen(from, to, 1);
            assert_ne!(changed, game, "{from}");
            assert_eq!(
                unexplained(&facts(game), &facts(&changed), &none).len(),
                1,
                "{from:?} for {to:?}"
            );
        }
        // Equivalent texts are not a difference.
        for (from, to) in [
            ("e4!", "e4 $1"),
            ("e4!", "e2-e4!"),
            ("Nf3", "Ngf3"),
            ("1. e4", "1.e4"),
        ] {
            let changed = game.replacen(from, to, 1);
            assert_eq!(
                unexplained(&facts(game), &facts(&changed), &none),
                Vec::<String>::new(),
                "{to}"
            );
        }
    }

    #[test]
    fn a_loss_excuses_only_what_it_tells() {
        let game = facts("[White \"a\"]\n[Black \"b\"]\n[Result \"*\"]\n\n1. e4 {c} *");
        let copy = facts("[White \"A\"]\n[Black \"B\"]\n[Result \"*\"]\n\n1. e4 *");
        let mut told = Told::default();
        told.losses
            .push(("scid-name-cut", "White \"a\"".to_owned()));
        let found = unexplained(&game, &copy, &told);
        assert_eq!(found.len(), 2, "{found:?}");
        told.losses.push(("scid-nul", String::new()));
        assert_eq!(unexplained(&game, &copy, &told).len(), 1);
        told.losses.push(("no-such-kind", "Black".to_owned()));
        assert_eq!(unexplained(&game, &copy, &told).len(), 1);
    }
}
