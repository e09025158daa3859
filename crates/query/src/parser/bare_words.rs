//! Words without a term: a line, an ECO code, a result, a year, an opening, two players, or text in names, events and
//! sites.

use super::{ParserResult, QueryParser};
use crate::language::error::QueryError;
use crate::language::keywords::{KEYS, nearest};
use crate::language::opening_phrases::{self, MAX_WORDS};
use crate::language::synonyms;
use crate::language::values::{TermValue, ValueKind};
use crate::terms::fields::{FieldTerm, TextField, results};
use crate::terms::query::{QueryExpr, QueryTerm};
use crate::terms::text::TextTest;

/// Words that have a meaning between terms.
const BETWEEN: [&str; 6] = ["and", "or", "not", "then", "until", "by"];

/// What stands between two players.
const AGAINST: [&str; 6] = ["vs", "vs.", "v", "v.", "versus", "-"];

/// Where such a text is looked for.
const FIELDS: [TextField; 3] = [TextField::Player, TextField::Event, TextField::Site];

/// Of so many readings it is told how they are read; a query with more words than that is plain text from there on.
const MAX_READINGS: usize = 16;

/// In so many names of openings a surname or a place is before it is told.
const MANY_NAMES: usize = 10;

/// The characters at which a word ends.
fn is_end(c: char) -> bool {
    c.is_whitespace() || matches!(c, '(' | ')' | '"')
}

impl<'a> QueryParser<'a> {
    /// Reads words without a name; nothing where a term stands here.
    pub(super) fn bare_words(&mut self, depth: usize) -> ParserResult<Option<QueryExpr>> {
        let start = self.at;
        if self.rest().starts_with('"') {
            let text = self.value()?.text;
            if text.trim().is_empty() {
                return Err(QueryError::new(start..self.at, "this text is empty"));
            }
            let words: Vec<&str> = text.split_whitespace().collect();
            if is_numbered(&words) {
                let line = format!("line:\"{}\"", words.join(" "));
                return self.reading(&text, &line, start, depth).map(Some);
            }
            return self.text_of(text.trim(), None, start).map(Some);
        }
        let word = self.bare_word();
        if let Some(sign) = ["<", ">", "=", "≥", "≤"]
            .iter()
            .find(|sign| word.starts_with(**sign))
        {
            return Err(QueryError::new(
                start..start + sign.len(),
                "there is nothing to compare with the value",
            )
            .help("write a term before it: `elo>2500`, `year>=1990`, `moves<20`"));
        }
        if word.starts_with('-') {
            return Err(QueryError::new(start..start + 1, "no term begins with `-`")
                .help("use `not` to exclude: `not player:Tal`; ranges have no spaces: `elo:2500-2600`"));
        }
        if let Some(expr) = self.bare_moves(depth)? {
            return Ok(Some(expr));
        }
        if let Some(expr) = self.side_phrase(word, depth)? {
            return Ok(Some(expr));
        }
        if let Some(meant) = short_meaning(word) {
            self.at += word.len();
            return self.reading(word, &meant, start, depth).map(Some);
        }
        if !is_text(word) {
            return Ok(None);
        }
        let words = self.run_of_words();
        let end = |count: usize| {
            let last = words.get(count.saturating_sub(1));
            last.map_or(start, |(at, word)| at + word.len())
        };
        let text_of = |from: usize, to: usize| {
            let part = words.get(from..to).unwrap_or_default();
            let part: Vec<&str> = part.iter().map(|(_, word)| plain(word)).collect();
            part.join(" ")
        };
        if let Some(at) = words.iter().position(|(_, word)| is_against(word))
            && at > 0
            && at + 1 < words.len()
        {
            self.at = end(words.len());
            let (one, other) = (text_of(0, at), text_of(at + 1, words.len()));
            if is_side(&one) && is_side(&other) {
                let material = format!("material:\"{one} v {other}\"");
                let typed = format!("{one} v {other}");
                return self.reading(&typed, &material, start, depth).map(Some);
            }
            let pair = format!("player:\"{one}\" opponent:\"{other}\"");
            let typed = self.text.get(start..self.at).unwrap_or_default();
            return self.reading(typed, &pair, start, depth).map(Some);
        }
        let most = words.len().min(MAX_WORDS);
        if self.readings.len() < MAX_READINGS {
            for count in (1..=most).rev() {
                let typed = text_of(0, count);
                let Some(opening) = opening_phrases::opening(&typed) else {
                    continue;
                };
                if count == 1 && !opening.is_first {
                    if opening.names < MANY_NAMES {
                        break;
                    }
                    let said =
                        format!("opening names also contain `{typed}`: write `opening:{typed}`");
                    self.readings.push(said);
                    break;
                }
                self.at = end(count);
                return self
                    .text_of(&typed, Some(&opening.spellings), start)
                    .map(Some);
            }
        }
        let word = words.first().map_or("", |(_, word)| plain(word));
        self.at = end(1);
        let key = word.to_ascii_lowercase().replace('_', "-");
        if let Some(advice) = synonyms::advice(&key) {
            self.readings.push(advice.to_owned());
        }
        self.text_of(word, None, start).map(Some)
    }

    /// The characters up to the next space or parenthesis.
    fn bare_word(&self) -> &'a str {
        let rest = self.rest();
        let end = rest.find(is_end).unwrap_or(rest.len());
        rest.get(..end).unwrap_or_default()
    }

    /// The words from here on that are no terms, each with its place.
    fn run_of_words(&self) -> Vec<(usize, &'a str)> {
        let mut at = self.at;
        let mut words = Vec::new();
        while words.len() < 2 * MAX_WORDS {
            let rest = self.text.get(at..).unwrap_or_default();
            let lead = rest.len() - rest.trim_start().len();
            at += lead;
            let rest = rest.trim_start();
            let word = rest.get(..rest.find(is_end).unwrap_or(rest.len()));
            let word = word.unwrap_or_default();
            let goes_on = is_text(word) || (is_against(word) && !words.is_empty());
            let is_other = short_meaning(word).is_some() || is_move(word);
            if word.is_empty() || !goes_on || (is_other && !words.is_empty()) {
                break;
            }
            words.push((at, word));
            at += word.len();
        }
        // What compares two sides has two of them.
        while words.last().is_some_and(|(_, word)| is_against(word)) {
            words.pop();
        }
        words
    }

    /// Reads a text that is looked for in names, events and sites, and perhaps in names of openings.
    fn text_of(
        &mut self,
        text: &str,
        opening: Option<&[&'static str]>,
        start: usize,
    ) -> ParserResult<QueryExpr> {
        let mut parts = Vec::new();
        for field in FIELDS {
            let test = TextTest::contains(text);
            parts.push(self.push(QueryTerm::Field(FieldTerm::Text(field, test)), start)?);
        }
        let Some(spellings) = opening else {
            self.texts.push(text.to_owned());
            return Ok(QueryExpr::Or(parts));
        };
        let tests = std::iter::once(text).chain(spellings.iter().copied());
        let test = TextTest::Any(tests.map(TextTest::contains).collect());
        parts.push(self.opening(test, start)?);
        self.readings.push(format!(
            "`{text}` is searched as an opening, and in names, events and sites"
        ));
        Ok(QueryExpr::Or(parts))
    }

    /// Reads `white wins`, `black to move` and the like.
    fn side_phrase(&mut self, word: &str, depth: usize) -> ParserResult<Option<QueryExpr>> {
        let side = match word.to_ascii_lowercase().as_str() {
            "white" => "white",
            "black" => "black",
            _ => return Ok(None),
        };
        let start = self.at;
        self.at += word.len();
        let meant = if ["wins", "won", "win"].iter().any(|verb| self.keyword(verb)) {
            format!("result:{side}")
        } else if self.keyword("to") && self.keyword("move") {
            format!("turn:{side}")
        } else {
            self.at = start;
            return Ok(None);
        };
        let typed = self.text.get(start..self.at).unwrap_or_default();
        self.reading(typed, &meant, start, depth).map(Some)
    }

    /// Reads moves without a name: from the start of the game, or anywhere in it.
    fn bare_moves(&mut self, depth: usize) -> ParserResult<Option<QueryExpr>> {
        let start = self.at;
        let (words, end) = self.run_of_moves();
        let Some(first) = words.first() else {
            return Ok(None);
        };
        let typed = words.join(" ");
        let line = format!("line:\"{typed}\"");
        let is_one = words.len() == 1 && is_move(first);
        self.at = end;
        let (terms, readings) = (self.terms.len(), self.readings.len());
        let written = self.written.len();
        match self.reading(&typed, &line, start, depth) {
            Ok(expr) => Ok(Some(expr)),
            Err(error) if is_numbered(&words) => Err(error),
            Err(_) => {
                self.terms.truncate(terms);
                self.readings.truncate(readings);
                self.written.truncate(written);
                let meant = match is_one {
                    true => format!("move:\"{typed}\""),
                    false => format!("sequence:\"{typed}\""),
                };
                self.reading(&typed, &meant, start, depth).map(Some)
            }
        }
    }

    /// The moves and numbers of moves from here on, and where they end.
    fn run_of_moves(&self) -> (Vec<&'a str>, usize) {
        let mut words = Vec::new();
        let mut end = self.at;
        loop {
            let rest = self.text.get(end..).unwrap_or_default();
            let lead = rest.len() - rest.trim_start().len();
            let rest = rest.trim_start();
            let word = rest.get(..rest.find(is_end).unwrap_or(rest.len()));
            let word = word.unwrap_or_default();
            if !is_move(word) && !is_move_number(word) {
                break;
            }
            words.push(word);
            end += lead + word.len();
        }
        // A number alone is none of a move.
        match words
            .iter()
            .any(|word| word.contains(|c: char| c.is_ascii_alphabetic()))
        {
            true => (words, end),
            false => (Vec::new(), self.at),
        }
    }

    /// Takes the moves that follow a value without quotes: `line:1.e4 c5`.
    pub(super) fn more_moves(&mut self, value: &mut TermValue) {
        if value.kind != ValueKind::Bare {
            return;
        }
        let (words, end) = self.run_of_moves();
        if words.is_empty() {
            return;
        }
        self.at = end;
        value.text = self
            .text
            .get(value.inner..end)
            .unwrap_or_default()
            .to_owned();
        value.span.end = end;
    }

    /// Reads a query in the place of what was typed, and says so.
    fn reading(
        &mut self,
        typed: &str,
        meant: &str,
        start: usize,
        depth: usize,
    ) -> ParserResult<QueryExpr> {
        self.read_as(typed, meant);
        self.read_again(meant, start, depth)
    }

    /// Says how a word is read.
    pub(super) fn read_as(&mut self, typed: &str, meant: &str) {
        let said = format!("`{typed}` is read as `{meant}`");
        if self.readings.len() < MAX_READINGS && !self.readings.contains(&said) {
            self.readings.push(said);
        }
    }

    /// Reads another text in the place of what stands from `start` to here.
    pub(super) fn read_again(
        &mut self,
        meant: &str,
        start: usize,
        depth: usize,
    ) -> ParserResult<QueryExpr> {
        let span = start..self.at;
        let depth = self.nested(depth)?;
        let mut inner = QueryParser {
            text: meant,
            at: 0,
            variations: self.variations,
            context: self.context,
            terms: &mut *self.terms,
            texts: &mut *self.texts,
            readings: &mut *self.readings,
            written: &mut *self.written,
            within: self.within,
            names: Vec::new(),
        };
        inner.whole(depth).map_err(|error| {
            let mut placed = QueryError::new(span, error.message);
            placed.help = error.help;
            placed
        })
    }
}

/// A word without the comma behind it.
fn plain(word: &str) -> &str {
    match word.trim_end_matches(',') {
        "" => word,
        plain => plain,
    }
}

fn is_against(word: &str) -> bool {
    AGAINST.contains(&word.to_ascii_lowercase().as_str())
}

/// Whether these are the pieces of one side, such as `KRP`.
fn is_side(word: &str) -> bool {
    word.starts_with('K') && word.bytes().all(|byte| b"KQRBNP".contains(&byte))
}

/// Whether a word is no beginning of a term.
fn is_text(word: &str) -> bool {
    let key = word.to_ascii_lowercase().replace('_', "-");
    word.starts_with(|c: char| c.is_alphanumeric())
        && !word.contains([
            ':', '=', '~', '<', '>', '[', '@', '/', '|', '&', '≤', '≥', '≠',
        ])
        && !KEYS.contains(&key.as_str())
        && !BETWEEN.contains(&key.as_str())
        && !synonyms::is_term(&key)
}

/// What one word means by its form.
fn short_meaning(word: &str) -> Option<String> {
    let word = plain(word);
    let key = word.to_ascii_lowercase().replace('_', "-");
    if let Some(query) = synonyms::query_of(&key) {
        return Some(query.to_owned());
    }
    let is_code = |code: &str| {
        let bytes = code.as_bytes();
        matches!(bytes, [b'A'..=b'E' | b'a'..=b'e', b'0'..=b'9', b'0'..=b'9'])
    };
    let ends = |word: &str| {
        let ends = word
            .split_once("..")
            .or_else(|| word.split_once(['-', '–']));
        ends.map(|(low, high)| (low.to_owned(), high.to_owned()))
    };
    if is_code(word) {
        return Some(format!("eco:{}", word.to_ascii_uppercase()));
    }
    if let Some((low, high)) = ends(word)
        && is_code(&low)
        && (is_code(&high) || high.is_empty())
    {
        return Some(
            format!("eco:{low}..{high}")
                .to_ascii_uppercase()
                .replace("ECO", "eco"),
        );
    }
    if word.contains(['-', '/', '½']) && results(word).is_some() {
        return Some(format!("result:{word}"));
    }
    if is_side_pair(word) {
        return Some(format!("material:{word}"));
    }
    let is_year = |year: &str| {
        year.len() == 4
            && year.bytes().all(|byte| byte.is_ascii_digit())
            && ("1475".."2100").contains(&year)
    };
    if is_year(word) {
        return Some(format!("(year:{word} or event:{word})"));
    }
    match ends(word) {
        Some((low, high)) if is_year(&low) && is_year(&high) => Some(format!("year:{low}..{high}")),
        _ => None,
    }
}

/// Whether a word is material as endgame tables write it: `KRPvKR`, `KRPKR`.
fn is_side_pair(word: &str) -> bool {
    let second = word
        .get(1..)
        .and_then(|rest| rest.find('K'))
        .map(|at| at + 1);
    let pair = match (word.split_once('v'), second) {
        (Some(pair), _) => Some(pair),
        (None, Some(at)) => word.split_at_checked(at),
        _ => None,
    };
    pair.is_some_and(|(one, other)| is_side(one) && is_side(other) && one.len() + other.len() > 2)
}

/// Whether a word is a number of a move, with the move behind it or without: `1.`, `1.e4`, `12...Nf6`.
fn is_move_number(word: &str) -> bool {
    let rest = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = word.len() - rest.len();
    let after = rest.trim_start_matches(['.', '…']);
    (1..=3).contains(&digits) && after.len() < rest.len() && (after.is_empty() || is_move(after))
}

/// Whether the first of some words is the number of a move.
fn is_numbered(words: &[&str]) -> bool {
    let moves = |word: &&str| is_move_number(word) || is_move(word);
    words.first().is_some_and(|word| is_move_number(word))
        && words.iter().all(moves)
        && words
            .iter()
            .any(|word| word.contains(|c: char| c.is_ascii_alphabetic()))
}

/// Whether a word is written like a move: `e4`, `Nf3`, `exd5`, `Bxh7+`, `e8=Q`, `O-O`.
fn is_move(word: &str) -> bool {
    let word = word.trim_end_matches(['+', '#', '!', '?']);
    if matches!(word, "O-O" | "O-O-O" | "0-0" | "0-0-0") {
        return true;
    }
    let (word, is_promotion) = match word.split_once('=') {
        Some((word, "Q" | "R" | "B" | "N")) => (word, true),
        Some(_) => return false,
        None => (word, false),
    };
    let bytes = word.as_bytes();
    let [from @ .., b'a'..=b'h', b'1'..=b'8'] = bytes else {
        return false;
    };
    let (from, takes) = match from {
        [from @ .., b'x'] => (from, true),
        from => (from, false),
    };
    match from {
        [] => !takes,
        [b'a'..=b'h'] => takes,
        [b'K' | b'Q' | b'R' | b'B' | b'N', rest @ ..] => {
            !is_promotion
                && matches!(
                    rest,
                    [] | [b'a'..=b'h'] | [b'1'..=b'8'] | [b'a'..=b'h', b'1'..=b'8']
                )
        }
        _ => false,
    }
}

/// What is said of words without a name: how they are read, and which terms are near.
pub(super) fn note(texts: &[String], readings: &[String]) -> Option<String> {
    let mut said = readings.to_vec();
    if !texts.is_empty() {
        let all: Vec<String> = texts.iter().map(|text| format!("`{text}`")).collect();
        said.push(format!(
            "searched as text in names, events and sites: {}",
            all.join(", ")
        ));
    }
    let near = |text: &String| nearest(&text.to_lowercase(), KEYS.iter().copied());
    let near: Vec<String> = texts
        .iter()
        .filter_map(near)
        .map(|key| format!("`{key}`"))
        .collect();
    if !near.is_empty() {
        said.push(format!("did you mean the term {}?", near.join(", ")));
    }
    (!said.is_empty()).then(|| said.join("; "))
}
