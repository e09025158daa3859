//! The common code of the tests of Scid's databases: the oracle data, and a small PGN reader of their own as a second
//! opinion.

use std::io::Read;
use std::path::{Path, PathBuf};

use tabiya_formats::scid::{ScidFiles, ScidVersion};
use tabiya_model::board::{Board, SanError};
use tabiya_model::game::FLAGS_TAG;
use tabiya_model::{Game, Move, Replay, TapeOp};
pub(crate) use tabiya_testing::shared;

/// The content of a file, unpacked if necessary; from `name` or `name.gz`.
pub(crate) fn content(folder: &Path, name: &str) -> Option<Vec<u8>> {
    if let Ok(bytes) = std::fs::read(folder.join(name)) {
        return Some(bytes);
    }
    let file = std::fs::File::open(folder.join(format!("{name}.gz"))).ok()?;
    let mut bytes = Vec::new();
    flate2::read::MultiGzDecoder::new(file)
        .read_to_end(&mut bytes)
        .expect("a whole gzip file");
    Some(bytes)
}

/// A database of the oracle with the files that Scid made from it.
pub(crate) struct OracleBase {
    pub(crate) version: ScidVersion,
    pub(crate) folder: PathBuf,
    /// Such as `w474`.
    pub(crate) name: String,
    pub(crate) files: ScidFiles,
    /// Kept for a database if one of its files had to be unpacked.
    _unpacked: Option<tempfile::TempDir>,
}

impl OracleBase {
    /// Scid's own export.
    pub(crate) fn export(&self) -> Option<Vec<u8>> {
        self.text("export.pgn")
            .or_else(|| content(&self.folder, &format!("{}.scid5.pgn", self.name)))
    }

    /// Scid's list of games.
    pub(crate) fn list(&self) -> Option<Vec<u8>> {
        self.text("list.tsv")
    }

    fn text(&self, kind: &str) -> Option<Vec<u8>> {
        content(&self.folder, &format!("{}.{kind}", self.name)).or_else(|| {
            let same = std::fs::read_to_string(self.folder.join("SAME.txt")).ok()?;
            let wanted = format!("{}.{kind} is byte-identical to ", self.name);
            let other = same.lines().find_map(|line| line.strip_prefix(&wanted))?;
            content(&self.folder, other.trim())
        })
    }
}

impl std::fmt::Display for OracleBase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}/{} {:?}",
            self.folder.display(),
            self.name,
            self.version
        )
    }
}

/// Every database of the oracle.
pub(crate) fn oracle_bases() -> Vec<OracleBase> {
    let mut bases = Vec::new();
    let Some(root) = shared("oracles/scid") else {
        return bases;
    };
    let mut folders = vec![root];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let extension = path.extension().unwrap_or_default().to_string_lossy();
            let Some(version) = [ScidVersion::Si3, ScidVersion::Si4, ScidVersion::Si5]
                .into_iter()
                .find(|version| version.extensions()[0] == extension)
            else {
                continue;
            };
            let name = path
                .file_stem()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            let mut unpacked = None;
            let index = if ScidFiles::find(&path).is_err() {
                // The game file is compressed because of its size.
                let place = tempfile::tempdir().expect("a folder");
                for extension in version.extensions() {
                    let file = format!("{name}.{extension}");
                    let bytes = content(&folder, &file).expect("a file of the base");
                    std::fs::write(place.path().join(&file), bytes).expect("written");
                }
                let index = place.path().join(path.file_name().expect("a name"));
                unpacked = Some(place);
                index
            } else {
                path.clone()
            };
            let files = ScidFiles::find(&index).expect("three files").1;
            bases.push(OracleBase {
                version,
                folder: folder.clone(),
                name,
                files,
                _unpacked: unpacked,
            });
        }
    }
    bases.sort_by(|a, b| a.files.index.cmp(&b.files.index));
    bases
}

/// A token of movetext.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Token {
    Move(Move),
    Nag(u32),
    Comment(Vec<u8>),
    Begin,
    End,
    /// Anything else.
    Other(String),
}

/// A game as in PGN.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Plain {
    /// Names and values, sorted.
    pub(crate) tags: Vec<(Vec<u8>, Vec<u8>)>,
    pub(crate) tokens: Vec<Token>,
}

/// Folds white space for the comparison.
pub(crate) fn fold(bytes: &[u8]) -> Vec<u8> {
    let words: Vec<&[u8]> = bytes
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
        .collect();
    words.join(&b' ')
}

/// Reads PGN as Scid 5 exports it.
pub(crate) fn parse_pgn(text: &[u8]) -> Vec<Plain> {
    let mut games = Vec::new();
    let mut at = 0;
    loop {
        while text.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        if at >= text.len() {
            return games;
        }
        let mut game = Plain::default();
        let mut fen = None;
        while text.get(at) == Some(&b'[') {
            let name_end = at
                + text[at..]
                    .iter()
                    .position(u8::is_ascii_whitespace)
                    .expect("a tag");
            let name = text[at + 1..name_end].to_vec();
            at = name_end;
            while text[at] != b'"' {
                at += 1;
            }
            at += 1;
            let mut value = Vec::new();
            while text[at] != b'"' {
                if text[at] == b'\\' {
                    at += 1;
                }
                value.push(text[at]);
                at += 1;
            }
            while text[at] != b']' {
                at += 1;
            }
            at += 1;
            while text.get(at).is_some_and(u8::is_ascii_whitespace) {
                at += 1;
            }
            if name == b"FEN" {
                fen = Some(String::from_utf8(fold(&value)).expect("a FEN"));
            }
            game.tags.push((name, fold(&value)));
        }
        at = parse_moves(text, at, fen.as_deref(), &mut game.tokens);
        games.push(game);
    }
}

fn parse_moves(text: &[u8], mut at: usize, fen: Option<&str>, tokens: &mut Vec<Token>) -> usize {
    let start = fen.map_or_else(Board::standard, |fen| {
        Board::from_fen(fen).expect("a position").0
    });
    let mut replay = Replay::new(&start);
    while at < text.len() {
        match text[at] {
            b' ' | b'\n' | b'\r' | b'\t' => at += 1,
            b'{' => {
                let end = at + text[at..].iter().position(|b| *b == b'}').expect("an end");
                tokens.push(Token::Comment(fold(&text[at + 1..end])));
                at = end + 1;
            }
            b'(' => {
                tokens.push(Token::Begin);
                replay.begin();
                at += 1;
            }
            b')' => {
                tokens.push(Token::End);
                replay.end();
                at += 1;
            }
            _ => {
                let ends = |b: &u8| b.is_ascii_whitespace() || b"(){}".contains(b);
                let end = text[at..]
                    .iter()
                    .position(ends)
                    .map_or(text.len(), |n| at + n);
                let word = std::str::from_utf8(&text[at..end]).expect("ASCII");
                at = end;
                if ["1-0", "0-1", "1/2-1/2", "*"].contains(&word) {
                    return at;
                }
                if let Some(number) = word.strip_prefix('$') {
                    tokens.push(Token::Nag(number.parse().expect("a number")));
                    continue;
                }
                // A move number may directly precede the move, without a space.
                let word = match word.trim_start_matches(|c: char| c.is_ascii_digit()) {
                    rest if rest.starts_with('.') => rest.trim_start_matches('.'),
                    "" => "",
                    _ => word,
                };
                if word.is_empty() {
                    continue;
                }
                let m = if word == "--" {
                    Some(Move::NULL)
                } else {
                    find(replay.now(), word)
                };
                match m {
                    Some(m) => {
                        tokens.push(Token::Move(m));
                        replay.play(m);
                    }
                    None => tokens.push(Token::Other(word.to_owned())),
                }
            }
        }
    }
    at
}

fn find(board: &Board, word: &str) -> Option<Move> {
    let (found, _) = board.read_san(word.as_bytes())?;
    match found {
        Ok(m) | Err(SanError::Illegal(m) | SanError::Ambiguous(m)) => Some(m),
        Err(SanError::NoSuchMove) => None,
    }
}

/// A game as Scid 5 would export it: one NAG of each group, the last text of a tag, no marks before a first move.
pub(crate) fn as_exported(game: &Game) -> Plain {
    let mut plain = Plain::default();
    for index in 0..game.tags.len() {
        let name = game.tags.at(index).expect("a tag").name;
        if name == FLAGS_TAG {
            continue;
        }
        let value = fold(&game.tags.original(index));
        let name = name.as_bytes().to_vec();
        match plain.tags.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => plain.tags.push((name, value)),
        }
    }
    let mut nags: Vec<u32> = Vec::new();
    let mut has_move = false;
    let flush = |nags: &mut Vec<u32>, tokens: &mut Vec<Token>| {
        tokens.extend(nags.drain(..).map(Token::Nag));
    };
    for op in game.tape.ops() {
        match op {
            TapeOp::Nag(nag) => {
                if has_move {
                    add_nag(&mut nags, nag.0);
                }
                continue;
            }
            _ => flush(&mut nags, &mut plain.tokens),
        }
        match op {
            TapeOp::Move(m) => {
                has_move = true;
                plain.tokens.push(Token::Move(m));
            }
            TapeOp::Comment(id) => {
                let text = fold(&game.tape.texts().original(id));
                if !text.is_empty() {
                    plain.tokens.push(Token::Comment(text));
                }
            }
            TapeOp::Begin(_) => {
                has_move = false;
                plain.tokens.push(Token::Begin);
            }
            TapeOp::End => {
                has_move = true;
                plain.tokens.push(Token::End);
            }
            other => plain.tokens.push(Token::Other(format!("{other:?}"))),
        }
    }
    flush(&mut nags, &mut plain.tokens);
    plain
}

/// Adds a NAG as Scid does in memory.
fn add_nag(nags: &mut Vec<u32>, nag: u32) {
    match nag {
        0 => {}
        1..=6 => match nags.first_mut() {
            Some(first @ 1..=6) => *first = nag,
            _ => nags.insert(0, nag),
        },
        10..=21 => match nags.iter_mut().find(|old| (10..=21).contains(*old)) {
            Some(old) => *old = nag,
            None => nags.push(nag),
        },
        _ => nags.push(nag),
    }
}
