//! The options of `tabiya convert` beside those of pgn-extract: the same games, and the same movetext but for white space and for what
//! is told here with its reason.

#![allow(clippy::print_stderr, reason = "what was skipped is said")]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tabiya_testing::{is_full, shared};

/// What two programs write differently, and why.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Difference {
    /// pgn-extract marks checks behind squares and writes what a pawn becomes as `Q` alone; engines know `q`, PGN `=Q`.
    Promotions,
    /// pgn-extract leaves the hyphen out where a pawn becomes another piece.
    Hyphens,
    /// pgn-extract marks a check by castling twice where moves are long.
    Twice,
    /// pgn-extract marks checks where moves are squares; engines do not.
    Checks,
    /// pgn-extract writes `ep` behind a capture in passing.
    Passing,
    /// pgn-extract calls a game unfinished whose end it has cut off; here the result stays what it was.
    Results,
    /// pgn-extract writes the result of a game without moves all the same, and no FEN.
    Empty,
    /// pgn-extract names a square of passing behind each double step; here only where a pawn can take.
    PassingSquares,
    /// pgn-extract drops zeros in front of a hash.
    Zeros,
    /// pgn-extract writes quotes around the last FEN.
    Quotes,
    /// In Chess960, castling goes by the king's two squares there, and rights by the rooks' files; here the king takes its rook, as
    /// engines want it, and rights are X-FEN's. The moves of such games are not compared.
    Castling,
    /// Where Black begins, pgn-extract counts half-moves as if White had moved before. The moves of such games are not compared.
    BlackBegins,
}

use Difference::{
    BlackBegins, Castling, Checks, Empty, Hyphens, Passing, PassingSquares, Promotions, Quotes,
    Results, Twice, Zeros,
};

/// Options of pgn-extract, options here, and what differs.
type Case = (
    &'static [&'static str],
    &'static [&'static str],
    &'static [Difference],
);

const CASES: &[Case] = &[
    (&[], &[], &[]),
    (&["-7"], &["--tags", "roster,SetUp,FEN"], &[]),
    (&["-C"], &["--no-comments"], &[]),
    (&["-V"], &["--no-variations"], &[]),
    (&["-N"], &["--no-nags"], &[]),
    (
        &["-C", "-V", "-N"],
        &[
            "--strip",
            "comments,clocks,evaluations,marks,variations,nags",
        ],
        &[],
    ),
    (&["-w60"], &["--width", "60"], &[]),
    (
        &["-Wlalg"],
        &["--moves", "uci"],
        &[Checks, Promotions, Castling],
    ),
    (
        &["-Whalg"],
        &["--moves", "squares"],
        &[Hyphens, Promotions, Castling],
    ),
    (
        &["-Welalg"],
        &["--moves", "joined"],
        &[Promotions, Passing, Castling],
    ),
    (&["-Wxolalg"], &["--moves", "long"], &[Promotions, Twice]),
    (&["-WsanBSLTDK"], &["--pieces", "german"], &[]),
    (
        &["-Wuci"],
        &[
            "--moves",
            "uci",
            "--no-numbers",
            "--no-comments",
            "--no-nags",
            "--no-variations",
            "--width",
            "0",
        ],
        &[Promotions, Castling],
    ),
    (&["--nochecks"], &["--no-checks"], &[]),
    (&["--nomovenumbers"], &["--no-numbers"], &[]),
    (&["--noresults"], &["--no-results"], &[Empty]),
    (&["--commentlines"], &["--comment-lines"], &[]),
    (
        &["--plycount", "--totalplycount"],
        &["--compute", "ply-count,total-ply-count"],
        &[],
    ),
    // Variations are cut at the same half-move there, and stay whole here.
    (
        &["--plylimit", "20", "-V"],
        &["--cut", "..20", "--no-variations"],
        &[Results, BlackBegins],
    ),
    // A game of which nothing is left is left out there.
    (
        &["--dropply", "7", "-pl8"],
        &["--cut", "8..", "--query", "plies>=8"],
        &[BlackBegins],
    ),
    (
        &["--fencomments"],
        &["--fen-comments"],
        &[PassingSquares, Castling],
    ),
    (&["--hashcomments"], &["--hash-comments"], &[Zeros]),
    (
        &["-F"],
        &["--fen-comments=end"],
        &[Quotes, PassingSquares, Castling, Empty],
    ),
    (&["-M"], &["--query", "ends:mate"], &[]),
    (&["--stalemate"], &["--query", "ends:stalemate"], &[]),
    (&["--underpromotion"], &["--query", "under-promotion"], &[]),
    (&["-D"], &["--unique=moves"], &[]),
    (&["--stopafter", "50"], &["--first", "50"], &[]),
    (&["--selectonly", "3,7,8,20"], &["--only", "3,7,8,20"], &[]),
    (
        &["--skipmatching", "3,7,8,20"],
        &["--without", "3,7,8,20"],
        &[],
    ),
    (&["-Tr1-0"], &["--query", "result:1-0"], &[]),
    // pgn-extract looks at the tag alone.
    (&["-TeB2"], &["--query", "eco:B2 tag[ECO]:B*"], &[]),
    (&["-pl80"], &["--query", "plies>=80"], &[]),
    (&["-pu40"], &["--query", "plies<=40"], &[]),
    // Where Black begins, half-moves are counted in another way there.
    (
        &["-p60", "--nosetuptags"],
        &["--query", "plies:60 not has:tag[SetUp]"],
        &[],
    ),
    (&["-bl40"], &["--query", "moves>=40"], &[]),
    (
        &["-bu30", "--nosetuptags"],
        &["--query", "moves<=30 not has:tag[SetUp]"],
        &[],
    ),
    (&["--nosetuptags"], &["--query", "not has:tag[SetUp]"], &[]),
];

/// A game: what of its tags is ASCII, and its movetext.
#[derive(PartialEq, Eq, Debug)]
struct Written {
    players: String,
    movetext: String,
}

/// The first games of a corpus as a file.
fn beginning(corpus: &str, games: usize, folder: &Path) -> Option<PathBuf> {
    let source = shared(format!("corpora/{corpus}.pgn.zst"))?;
    let Ok(mut unpacking) = Command::new("zstdcat")
        .arg(&source)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
    else {
        eprintln!("skipped: zstd is not there");
        return None;
    };
    let path = folder.join(format!("{corpus}.pgn"));
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path).expect("a file"));
    let mut seen = 0;
    let mut lines = BufReader::new(unpacking.stdout.take().expect("a pipe"));
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line).expect("it is read") > 0 {
        seen += usize::from(line.starts_with(b"[Event "));
        if seen > games {
            break;
        }
        file.write_all(&line).expect("it is written");
        line.clear();
    }
    file.flush().expect("it is written");
    let _ = unpacking.kill();
    let _ = unpacking.wait();
    Some(path)
}

/// The games of a file, each with its white space folded.
fn games(path: &Path, differences: &[Difference], tags: &[&str]) -> Vec<Written> {
    let bytes = std::fs::read(path).expect("a file");
    // What is not ASCII is written in another charset there.
    let text: String = bytes
        .iter()
        .filter(|byte| byte.is_ascii())
        .map(|byte| char::from(*byte))
        .collect();
    let mut games = Vec::new();
    let (mut players, mut movetext) = (String::new(), String::new());
    // What keeps the moves of a game from being compared.
    let mut odd = Vec::new();
    // Games may have neither moves nor a result.
    let mut has_all_tags = false;
    let mut end = |players: &mut String, movetext: &mut String, odd: &[Difference]| {
        if odd.iter().any(|odd| differences.contains(odd)) {
            movetext.clear();
        }
        games.push(written(players, movetext, differences));
    };
    for line in text.lines() {
        let is_tag = line.starts_with('[')
            && line.ends_with("\"]")
            && movetext.matches('{').count() == movetext.matches('}').count();
        if is_tag {
            if std::mem::take(&mut has_all_tags) {
                end(&mut players, &mut movetext, &odd);
                odd.clear();
            }
            odd.extend(says_shuffled(line).then_some(Castling));
            odd.extend((line.starts_with("[FEN ") && line.contains(" b ")).then_some(BlackBegins));
            if tags.iter().any(|tag| line.starts_with(&format!("[{tag} "))) {
                players.push_str(line);
            }
        } else {
            has_all_tags |= !players.is_empty();
            movetext.push_str(line.trim());
            movetext.push(' ');
        }
    }
    end(&mut players, &mut movetext, &odd);
    games
}

/// Whether a tag says that the pieces begin in another order: by its name, or by a full last rank that is not the usual one.
fn says_shuffled(tag: &str) -> bool {
    let last_rank = tag
        .strip_prefix("[FEN \"")
        .and_then(|fen| fen.split('/').next());
    let is_named = tag.starts_with("[Variant ") && (tag.contains("960") || tag.contains("ischer"));
    let is_full = |rank: &str| rank.len() == 8 && rank.bytes().all(|b| b.is_ascii_lowercase());
    is_named || last_rank.is_some_and(|rank| is_full(rank) && rank != "rnbqkbnr")
}

fn written(players: &mut String, movetext: &mut String, differences: &[Difference]) -> Written {
    let mut folded = movetext.split_whitespace().collect::<Vec<_>>().join(" ");
    for (from, to) in [("{ ", "{"), (" }", "}"), ("( ", "("), (" )", ")")] {
        folded = folded.replace(from, to);
    }
    let words = folded
        .split(' ')
        .map(|word| word_without(word, differences));
    let mut folded = words.collect::<Vec<_>>().join(" ");
    if differences.contains(&PassingSquares) {
        folded = without_passing_squares(&folded);
    }
    // A comment at the most, and a result.
    let bare = folded.rsplit('}').next().unwrap_or("").trim();
    let is_one_comment = folded.starts_with('{') && folded.matches('{').count() == 1;
    if differences.contains(&Empty)
        && matches!(bare, "1-0" | "0-1" | "1/2-1/2" | "*")
        && (is_one_comment || bare == folded)
    {
        folded.clear();
    }
    if differences.contains(&Results) {
        let end = folded.rfind(' ').unwrap_or(0);
        folded.truncate(end);
    }
    movetext.clear();
    Written {
        players: std::mem::take(players),
        movetext: folded,
    }
}

/// A word without what is known to differ.
fn word_without(word: &str, differences: &[Difference]) -> String {
    let mut word = word.to_owned();
    for difference in differences {
        word = match difference {
            Checks => word.replace(['+', '#'], ""),
            Twice => word.replace("++", "+"),
            Hyphens => word.replace('-', ""),
            Promotions => {
                let is_square = |text: &[u8]| matches!(text, [b'a'..=b'h', b'1' | b'8']);
                let plain = word.replace('=', "");
                let bytes = plain.as_bytes();
                let mut out = String::new();
                for (at, byte) in bytes.iter().enumerate() {
                    let is_after = at >= 2 && is_square(&bytes[at - 2..at]);
                    let is_piece = matches!(byte, b'q' | b'r' | b'b' | b'n');
                    let ends = !bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric);
                    out.push(char::from(if is_after && is_piece && ends {
                        byte.to_ascii_uppercase()
                    } else {
                        *byte
                    }));
                }
                out
            }
            // Checks may follow.
            Passing => word.replace("3ep", "3").replace("6ep", "6"),
            Zeros => match word.strip_prefix('{') {
                Some(hash) => format!("{{{}", hash.trim_start_matches('0')),
                None => word,
            },
            Quotes => word.replace('"', ""),
            Results | Empty | PassingSquares | Castling | BlackBegins => word,
        };
    }
    word
}

/// A text without the squares of passing in FENs.
fn without_passing_squares(text: &str) -> String {
    let mut words: Vec<&str> = text.split(' ').collect();
    for at in 3..words.len() {
        let is_rights = |word: &str| {
            word == "-" || word.chars().all(|c| "KQkq".contains(c)) && !word.is_empty()
        };
        if words[at - 3].contains('/')
            && matches!(words[at - 2], "w" | "b")
            && is_rights(words[at - 1])
        {
            words[at] = "-";
        }
    }
    words.join(" ")
}

#[test]
fn both_programs_write_the_same() {
    let Some(theirs) = tabiya_testing::pgn_extract() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let number = if is_full() { 10_000 } else { 150 };
    let mut compared = 0;
    for corpus in ["otb", "annotated"] {
        let Some(source) = beginning(corpus, number, folder.path()) else {
            return;
        };
        for (of_theirs, of_ours, differences) in CASES {
            let (one, other) = (
                folder.path().join("theirs.pgn"),
                folder.path().join("ours.pgn"),
            );
            let run = Command::new(&theirs)
                .args(["-s", "--quiet"])
                .args(*of_theirs)
                .arg(format!("-o{}", one.display()))
                .arg(&source)
                .stderr(Stdio::null())
                .status()
                .expect("it runs");
            assert!(run.success(), "{of_theirs:?}");
            let run = Command::new(env!("CARGO_BIN_EXE_tabiya"))
                .arg("convert")
                .args([&source, &other])
                .arg("--force")
                .args(*of_ours)
                .output()
                .expect("it runs");
            assert!(
                matches!(run.status.code(), Some(0 | 3)),
                "{of_ours:?}: {run:?}"
            );
            let mut tags = vec!["White", "Black", "Date"];
            if of_ours.contains(&"--compute") {
                tags.extend(["PlyCount", "TotalPlyCount"]);
            }
            let of = |path: &Path| games(path, differences, &tags);
            let (one, other) = (of(&one), of(&other));
            assert_eq!(one.len(), other.len(), "{corpus} {of_theirs:?} {of_ours:?}");
            for (number, (one, other)) in one.iter().zip(&other).enumerate() {
                if one != other {
                    let same = one.movetext.bytes().zip(other.movetext.bytes());
                    let at = same.take_while(|(a, b)| a == b).count().saturating_sub(30);
                    let end = |text: &str| text.chars().skip(at).take(100).collect::<String>();
                    panic!(
                        "{corpus} {of_theirs:?} {of_ours:?}: game {}: {} and {}\n{}\n{}",
                        number + 1,
                        one.players,
                        other.players,
                        end(&one.movetext),
                        end(&other.movetext)
                    );
                }
            }
            compared += one.len();
        }
    }
    eprintln!(
        "{compared} games compared with {} pairs of options",
        CASES.len()
    );
    assert!(compared > number * CASES.len());
}
