//! The content of a game as plain facts: tags as pairs in order, the result at the end of the movetext, and its tokens.
//!
//! Facts are made in two ways, from a PGN text by a scanner of its own, and from a game by a plain walk. Neither uses the
//! canonical form, the reader of PGN, or a board: a move is identified by its piece, its target square and its promotion
//! piece, which every notation has.

use tabiya_model::game::{Game, StartingPosition};
use tabiya_model::{Replay, TapeOp};

/// A token of movetext.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Token {
    /// A move: its piece (`?` if the notation does not have it), its target, and its promotion piece.
    Move(String),
    Nag(u64),
    Comment(String),
    /// A word that is none of the others.
    Word(String),
    Open,
    Close,
    /// A result that does not end the game.
    Result(&'static str),
    /// An extension.
    Extension(String),
}

/// A game as facts.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Facts {
    pub(crate) tags: Vec<(String, String)>,
    /// The result at the end; `None` if there is none.
    pub(crate) end: Option<&'static str>,
    pub(crate) tokens: Vec<Token>,
}

impl Facts {
    /// The values of all tags of a name, in order.
    pub(crate) fn values(&self, name: &str) -> Vec<&str> {
        let of_name = self.tags.iter().filter(|(other, _)| other == name);
        of_name.map(|(_, value)| value.as_str()).collect()
    }

    /// The facts of a game.
    pub(crate) fn of_game(game: &Game) -> Facts {
        let mut facts = Facts {
            tags: (game.tags.iter())
                .map(|tag| (tag.name.to_owned(), tag.value.to_owned()))
                .collect(),
            end: game.outcome.map(|outcome| outcome.as_pgn()),
            tokens: Vec::new(),
        };
        let mut replay = Replay::new(&game.start_board());
        let mut san = Vec::new();
        for op in game.tape.ops() {
            facts.tokens.push(match op {
                TapeOp::Move(m) => {
                    san.clear();
                    replay.now().write_san(m, &mut san);
                    let word = String::from_utf8_lossy(&san).into_owned();
                    match san_move(&word) {
                        Some((key, _)) => Token::Move(key),
                        None => Token::Word(word),
                    }
                }
                TapeOp::Nag(nag) => Token::Nag(u64::from(nag.0)),
                TapeOp::Comment(id) => Token::Comment(game.tape.text(id).to_owned()),
                TapeOp::Raw(id) => Token::Word(game.tape.text(id).to_owned()),
                TapeOp::Begin(_) => Token::Open,
                TapeOp::End => Token::Close,
                TapeOp::Outcome(outcome) => Token::Result(outcome.as_pgn()),
                TapeOp::Ext(index) => {
                    let extensions = game.tape.extensions();
                    let found = extensions.get(index as usize).expect("there");
                    Token::Extension(format!("{} {:?}", found.name, found.data))
                }
            });
            replay.follow(op);
        }
        facts
    }
}

/// The position and the variant of a game.
pub(crate) fn beginning(game: &Game) -> String {
    let position = match &game.start {
        StartingPosition::Standard => "normal".to_owned(),
        StartingPosition::Setup(board, _) => board.to_fen(),
    };
    format!("{position} {:?}", game.variant)
}

/// The end of a game in the form of PGN.
pub(crate) fn ending(word: &str) -> Option<&'static str> {
    ["1-0", "0-1", "1/2-1/2", "*"]
        .into_iter()
        .find(|end| *end == word)
}

/// A word as a move in one of the usual notations, with the NAGs of the symbols after it.
pub(crate) fn san_move(word: &str) -> Option<(String, Option<u64>)> {
    let signs = [
        ("!!", 3),
        ("??", 4),
        ("!?", 5),
        ("?!", 6),
        ("!", 1),
        ("?", 2),
    ];
    let (word, nag) = signs
        .into_iter()
        .find_map(|(sign, nag)| Some((word.strip_suffix(sign)?, Some(nag))))
        .unwrap_or((word, None));
    let word = word.trim_end_matches(['+', '#']);
    let castling: String = word.replace('0', "O");
    if matches!(castling.as_str(), "O-O" | "O-O-O") {
        return Some((castling, nag));
    }
    if matches!(word, "--" | "Z0") {
        return Some(("--".to_owned(), nag));
    }
    let bytes = word.as_bytes();
    let (piece, rest) = match bytes.split_first()? {
        (b'K' | b'Q' | b'R' | b'B' | b'N', rest) => (char::from(bytes[0]), rest),
        _ => ('P', bytes),
    };
    let (rest, promotion) = match rest {
        [rest @ .., b'=', role @ (b'Q' | b'R' | b'B' | b'N' | b'K')] => (rest, Some(*role)),
        [rest @ .., role @ (b'Q' | b'R' | b'B' | b'N')] if piece == 'P' => (rest, Some(*role)),
        _ => (rest, None),
    };
    let is_file = |byte: &u8| (b'a'..=b'h').contains(byte);
    let is_rank = |byte: &u8| (b'1'..=b'8').contains(byte);
    let [before @ .., file, rank] = rest else {
        return None;
    };
    if !is_file(file) || !is_rank(rank) {
        return None;
    }
    // A capture mark or a dash can only precede the target.
    let before = match before {
        [before @ .., b'x' | b'-'] => before,
        all => all,
    };
    let (piece, fits) = match before {
        [] => (piece, true),
        [f] => (piece, is_file(f) || is_rank(f)),
        // Squares alone: the notations for pawns and for engines are the same.
        [f, r] if piece == 'P' => ('?', is_file(f) && is_rank(r)),
        [f, r] => (piece, is_file(f) && is_rank(r)),
        _ => (piece, false),
    };
    // A pawn that reaches its last rank needs a promotion piece.
    let fits = fits && (piece != 'P' || promotion.is_some() || !matches!(rank, b'1' | b'8'));
    let mut key = format!("{piece}{}{}", char::from(*file), char::from(*rank));
    key.extend(promotion.map(char::from));
    fits.then_some((key, nag))
}

/// Why a text is not scanned: the scanner accepts only strictly plain PGN, so that it never has to guess.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct NotPlain(pub(crate) String);

/// The games of a text that is strictly plain PGN.
pub(crate) fn scan(text: &str) -> Result<Vec<Facts>, NotPlain> {
    let text = unpacked(text);
    let mut scanner = Scanner { rest: &text };
    let mut games = Vec::new();
    loop {
        scanner.white();
        if scanner.rest.is_empty() {
            return Ok(games);
        }
        games.push(scanner.game()?);
    }
}

/// Replaces comments `{[%raw …]}` by the movetext that they contain, with symbols as numbers.
fn unpacked(mut text: &str) -> String {
    let mut plain = String::new();
    while let Some((before, after)) = text.split_once("{[%raw ") {
        let Some((packed, rest)) = after.split_once("]}") else {
            break;
        };
        plain.push_str(before);
        plain.push_str(&numbers_as_signs(packed));
        text = rest;
    }
    plain.push_str(text);
    plain
}

/// A text in which `%` and two hexadecimal digits represent an ASCII character.
fn numbers_as_signs(packed: &str) -> String {
    let mut parts = packed.split('%');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let sign = (part.get(..2)).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match sign.filter(u8::is_ascii) {
            Some(sign) => {
                plain.push(char::from(sign));
                plain.push_str(&part[2..]);
            }
            None => {
                plain.push('%');
                plain.push_str(part);
            }
        }
    }
    plain
}

/// Names of tags with a meaning.
const KNOWN: [&str; 14] = [
    "Event",
    "Site",
    "Date",
    "Round",
    "White",
    "Black",
    "Result",
    "FEN",
    "SetUp",
    "Variant",
    "WhiteElo",
    "BlackElo",
    "ECO",
    "Annotator",
];

struct Scanner<'t> {
    rest: &'t str,
}

impl<'t> Scanner<'t> {
    fn refuse<T>(&self, why: &str) -> Result<T, NotPlain> {
        let here: String = self.rest.chars().take(30).collect();
        Err(NotPlain(format!("{why} at {here:?}")))
    }

    fn white(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\n', '\r', '\t']);
    }

    /// Takes the text before a character, and skips the character.
    fn until(&mut self, end: char) -> Option<&'t str> {
        let (text, rest) = self.rest.split_once(end)?;
        self.rest = rest;
        Some(text)
    }

    fn game(&mut self) -> Result<Facts, NotPlain> {
        let mut facts = Facts::default();
        while self.rest.starts_with('[') {
            let tag = self.tag()?;
            facts.tags.push(tag);
            let before = self.rest;
            self.white();
            let white = &before[..before.len() - self.rest.len()];
            if self.rest.starts_with('[') && white.matches('\n').count() > 1 {
                return self.refuse("a tag behind an empty line");
            }
        }
        let is_number = self.rest.starts_with(|c: char| c.is_ascii_digit());
        if facts.tags.is_empty() && is_number && !self.rest.starts_with("1.") {
            return self.refuse("neither a tag nor a first move");
        }
        let mut depth = 0_usize;
        let mut has_moved = vec![false];
        loop {
            let before = self.rest;
            self.white();
            let white = &before[..before.len() - self.rest.len()];
            // A first move after an empty line may begin another game.
            if white.matches('\n').count() > 1
                && has_moved != [false]
                && self.rest.starts_with("1.")
            {
                return self.refuse("a first move behind an empty line");
            }
            let Some(first) = self.rest.chars().next() else {
                return self.refuse("no result at the end");
            };
            match first {
                '{' => {
                    self.rest = &self.rest[1..];
                    let Some(text) = self.until('}') else {
                        return self.refuse("an open comment");
                    };
                    if text.contains('{') {
                        return self.refuse("a brace within a comment");
                    }
                    facts.tokens.push(Token::Comment(text.to_owned()));
                }
                '(' => {
                    self.rest = &self.rest[1..];
                    if has_moved.last() != Some(&true) {
                        return self.refuse("a variation that replaces no move");
                    }
                    depth += 1;
                    has_moved.push(false);
                    facts.tokens.push(Token::Open);
                }
                ')' => {
                    self.rest = &self.rest[1..];
                    if depth == 0 || has_moved.pop() != Some(true) {
                        return self.refuse("a parenthesis");
                    }
                    depth -= 1;
                    facts.tokens.push(Token::Close);
                }
                '[' | ';' | '%' | '<' | '>' => {
                    return self.refuse("a sign that is not looked into");
                }
                _ => {
                    let end = (self.rest)
                        .find([' ', '\n', '\r', '\t', '{', '(', ')', ';', '[', '$'])
                        .unwrap_or(self.rest.len());
                    let end = if first == '$' {
                        let digits = self.rest[1..].find(|c: char| !c.is_ascii_digit());
                        1 + digits.unwrap_or(self.rest.len() - 1)
                    } else {
                        end
                    };
                    let (word, rest) = self.rest.split_at(end);
                    if let Some(end) = ending(word) {
                        if depth > 0 {
                            return self.refuse("a result within a variation");
                        }
                        self.rest = rest;
                        facts.end = Some(end);
                        self.white();
                        // Only the tags of another game may follow, or nothing.
                        return match self.rest.is_empty() || self.rest.starts_with('[') {
                            true => Ok(facts),
                            false => self.refuse("something behind the result"),
                        };
                    }
                    self.word(word, &mut facts, &mut has_moved)?;
                    self.rest = rest;
                }
            }
        }
    }

    fn tag(&mut self) -> Result<(String, String), NotPlain> {
        let line = match self.rest.split_once('\n') {
            Some((line, _)) => line,
            None => self.rest,
        };
        let inner = line.trim_end().strip_prefix('[');
        let Some((name, value)) = inner.and_then(|inner| {
            let (name, value) = inner.split_once(" \"")?;
            Some((name, value.strip_suffix("\"]")?))
        }) else {
            return self.refuse("a tag of another form");
        };
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.is_empty() || !name.chars().all(is_name) {
            return self.refuse("the name of a tag");
        }
        let mut plain = String::new();
        let mut letters = value.chars();
        while let Some(c) = letters.next() {
            match c {
                '\\' => match letters.next() {
                    Some(escaped @ ('"' | '\\')) => plain.push(escaped),
                    _ => return self.refuse("an escape"),
                },
                '"' => return self.refuse("a quote"),
                c if c.is_control() => return self.refuse("a control character"),
                c => plain.push(c),
            }
        }
        self.rest = &self.rest[line.len()..];
        // Names that every reader knows count in upper and lower case.
        let known = KNOWN.iter().find(|known| known.eq_ignore_ascii_case(name));
        Ok((known.map_or(name, |known| known).to_owned(), plain))
    }

    fn word(&self, word: &str, facts: &mut Facts, has_moved: &mut [bool]) -> Result<(), NotPlain> {
        if let Some(number) = word.strip_prefix('$') {
            let Ok(number) = number.parse() else {
                return self.refuse("a NAG");
            };
            facts.tokens.push(Token::Nag(number));
            return Ok(());
        }
        // `1.`, `1...`, and `1.e4` without a space between them.
        let digits = word.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_numbered = digits.len() < word.len();
        let stripped = digits.trim_start_matches('.');
        let word = match is_numbered && stripped.len() < digits.len() {
            true if stripped.is_empty() => return Ok(()),
            true => stripped,
            // Four digits without a dot may be a correspondence move.
            false if is_numbered && digits.is_empty() && word.len() < 4 => return Ok(()),
            false => word,
        };
        let Some((key, nag)) = san_move(word) else {
            return self.refuse("a word that is no move");
        };
        facts.tokens.push(Token::Move(key));
        facts.tokens.extend(nag.map(Token::Nag));
        if let Some(moved) = has_moved.last_mut() {
            *moved = true;
        }
        Ok(())
    }
}

/// Whether two moves are the same as far as their notations show.
pub(crate) fn same_move(a: &str, b: &str) -> bool {
    let unknown = |text: &str| text.starts_with('?');
    if unknown(a) || unknown(b) {
        let [a, b] = [a, b].map(|text| match text {
            "O-O" => "?g",
            "O-O-O" => "?c",
            other => other,
        });
        // Castling given by squares has the rank, too.
        let castles = |text: &str| matches!(text, "?g" | "?c");
        if castles(a) || castles(b) {
            return a.get(1..2) == b.get(1..2);
        }
        return a.get(1..) == b.get(1..);
    }
    a == b
}
