//! `tabiya repertoire` at its edges: large trees, files for nobody, parts, and what is added for one player.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;
use tabiya_model::Board;
use tabiya_model::board::Move;

use crate::program::{tabiya, text};

fn lines(output: &std::process::Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{output:?}")))
        .collect()
}

/// The pieces and the side to move.
fn place(board: &Board) -> String {
    let fen = board.to_fen();
    fen.split(' ').take(2).collect::<Vec<_>>().join(" ")
}

/// Draws numbers.
struct Draw(u64);

impl Draw {
    fn below(&mut self, below: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("small") % below
    }
}

/// A tree with one move of White and many of Black in each position.
struct WideTree {
    pgn: String,
    /// The moves of each position, by pieces and side to move.
    moves: BTreeMap<String, BTreeSet<String>>,
}

fn legal(board: &Board) -> Vec<Move> {
    let mut moves = Vec::new();
    board.legal_moves(&mut moves);
    moves
}

fn san(board: &Board, m: Move) -> String {
    let mut word = Vec::new();
    board.clone().play_san(m, &mut word);
    String::from_utf8(word).expect("ASCII")
}

impl WideTree {
    /// With so many moves of Black at each of his turns.
    fn new(widths: &[usize]) -> WideTree {
        let mut made = WideTree {
            pgn: "[Repertoire \"white\"]\n\n".to_owned(),
            moves: BTreeMap::new(),
        };
        made.add(&Board::standard(), widths);
        made.pgn.push_str("*\n");
        made
    }

    fn add(&mut self, board: &Board, widths: &[usize]) {
        let here = place(board);
        let is_new = !self.moves.contains_key(&here);
        self.moves.entry(here.clone()).or_default();
        let (chosen, rest): (Vec<Move>, &[usize]) = match (board.turn(), widths.split_first()) {
            (shakmaty::Color::White, Some(_)) => {
                // The same in the same position, whatever led to it.
                let all = legal(board);
                let at = here.bytes().fold(7_usize, |sum, byte| {
                    sum.wrapping_mul(31).wrapping_add(usize::from(byte))
                });
                let m = all.get(at % all.len().max(1)).copied();
                (m.into_iter().collect(), widths)
            }
            (shakmaty::Color::Black, Some((width, rest))) => {
                (legal(board).into_iter().take(*width).collect(), rest)
            }
            (_, None) => (Vec::new(), widths),
        };
        if !is_new && chosen.is_empty() {
            return;
        }
        for m in &chosen {
            let word = san(board, *m);
            self.moves.entry(here.clone()).or_default().insert(word);
        }
        // The first move, then the others as variations, then what follows the first.
        for (at, m) in chosen.iter().enumerate() {
            let word = san(board, *m);
            let mut after = board.clone();
            after.play(*m);
            if at == 0 {
                self.pgn.push_str(&format!("{word} "));
            } else {
                self.pgn.push_str(&format!("({word} "));
                self.add(&after, rest);
                self.pgn.push_str(") ");
            }
        }
        if let Some(m) = chosen.first() {
            let mut after = board.clone();
            after.play(*m);
            self.add(&after, rest);
        }
        self.pgn.push('\n');
    }

    /// Where a line leaves the tree: the plies before the last position of the tree, and who left.
    fn exit(&self, line: &[Move]) -> (usize, &'static str) {
        let mut board = Board::standard();
        let mut last = (0, board.clone());
        for (at, m) in line.iter().enumerate() {
            board.play(*m);
            if self.moves.contains_key(&place(&board)) {
                last = (at + 1, board.clone());
            }
        }
        let (ply, board) = last;
        let end = match (self.moves[&place(&board)].is_empty(), board.turn()) {
            _ if ply == line.len() => "inside",
            (true, _) => "line-end",
            (_, shakmaty::Color::White) => "me",
            _ => "opponent",
        };
        (ply, end)
    }
}

/// Games that stay in a tree for a while, and sometimes come back.
fn games(tree: &WideTree, count: usize, draw: &mut Draw) -> (String, Vec<Vec<Move>>) {
    let (mut pgn, mut all) = (String::new(), Vec::new());
    for _ in 0..count {
        let mut board = Board::standard();
        let mut line = Vec::new();
        let mut words = String::new();
        let stays = draw.below(11);
        for ply in 0..4 + draw.below(12) {
            let moves = legal(&board);
            let known = tree.moves.get(&place(&board));
            let inside: Vec<Move> = moves
                .iter()
                .copied()
                .filter(|m| known.is_some_and(|known| known.contains(&san(&board, *m))))
                .collect();
            let from = if ply < stays && !inside.is_empty() {
                &inside
            } else {
                &moves
            };
            let Some(m) = from.get(draw.below(from.len().max(1))).copied() else {
                break;
            };
            words.push_str(&format!("{} ", san(&board, m)));
            board.play(m);
            line.push(m);
        }
        pgn.push_str(&format!("[Result \"*\"]\n\n{words}*\n\n"));
        all.push(line);
    }
    (pgn, all)
}

#[test]
fn a_tree_of_a_hundred_thousand_positions_is_one_like_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let tree = WideTree::new(&[20, 22, 26, 12]);
    let positions = tree.moves.len();
    assert!(positions > 100_000, "{positions}");
    fs::write(at.join("wide.pgn"), &tree.pgn).expect("written");
    let mut draw = Draw(tabiya_testing::seed());
    let (pgn, played) = games(&tree, 300, &mut draw);
    fs::write(at.join("games.pgn"), pgn).expect("written");
    let converted = tabiya(at, &["convert", "games.pgn", "games.si5"]);
    assert_eq!(converted.status.code(), Some(0), "{converted:?}");
    let checked = tabiya(
        at,
        &[
            "repertoire",
            "check",
            "games.pgn",
            "--with",
            "wide.pgn",
            "--json",
        ],
    );
    let told = lines(&checked);
    assert_eq!(told.len(), played.len(), "{checked:?}");
    let mut by_end: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for (number, (told, line)) in (1..).zip(told.iter().zip(&played)) {
        let (ply, end) = tree.exit(line);
        assert_eq!(
            (&told["ply"], &told["end"]),
            (&Value::from(ply), &Value::from(end)),
            "{told}"
        );
        by_end.entry(end).or_default().push(number);
    }
    assert_eq!(by_end.len(), 4, "{by_end:?}");
    for (query, end) in [
        ("repertoire:wide.pgn", "inside"),
        ("leaves[by me]:wide.pgn", "me"),
        ("leaves[by opponent]:wide.pgn", "opponent"),
        ("leaves[by nobody]:wide.pgn", "line-end"),
    ] {
        let found = tabiya(at, &["search", "games.si5", query, "--json"]);
        let found: Vec<u64> = lines(&found)
            .iter()
            .map(|line| line["number"].as_u64().expect("a number"))
            .collect();
        assert_eq!(found, by_end[end], "{query}");
    }
    let shown = tabiya(at, &["repertoire", "show", "wide.pgn", "--json"]);
    let rows = lines(&shown);
    let with_moves = tree.moves.values().filter(|moves| !moves.is_empty());
    assert_eq!(rows.len(), with_moves.count());
    for row in &rows {
        let fen = row["fen"].as_str().expect("FEN");
        let here: Vec<&str> = fen.split(' ').take(2).collect();
        let moves = row["moves"].as_array().expect("moves").iter();
        let sans: BTreeSet<String> = moves
            .map(|m| m["san"].as_str().expect("a move").to_owned())
            .collect();
        assert_eq!(sans, tree.moves[&here.join(" ")], "{fen}");
    }
    let gaps = tabiya(
        at,
        &[
            "repertoire",
            "gaps",
            "wide.pgn",
            "--reference",
            "games.si5",
            "--min-games",
            "1",
            "--share",
            "0",
            "--json",
            "-n",
            "1000000",
        ],
    );
    // A move that leads to a position with an answer is answered, and a move that ends the game needs none.
    for gap in lines(&gaps) {
        let (mut board, _) =
            Board::from_fen(gap["fen"].as_str().expect("FEN")).expect("a position");
        let m = board.parse_uci(gap["uci"].as_str().expect("a move").as_bytes());
        board.play(m.expect("legal"));
        let after = tree.moves.get(&place(&board));
        assert!(after.is_none_or(BTreeSet::is_empty), "{gap}");
    }
}

/// The moves of each position of a repertoire, with their marks, by pieces and side to move.
fn tree_of(at: &Path, file: &str) -> BTreeMap<String, BTreeSet<String>> {
    let shown = tabiya(at, &["repertoire", "show", file, "--json"]);
    let rows = lines(&shown).into_iter().map(|row| {
        let moves = row["moves"].as_array().expect("moves").iter();
        let sans = moves.map(|m| format!("{} {}", m["san"], m["marks"]));
        let fen = row["fen"].as_str().expect("FEN");
        let here: Vec<&str> = fen.split(' ').take(2).collect();
        (here.join(" "), sans.collect())
    });
    rows.collect()
}

#[test]
fn parts_by_opening_are_together_what_they_were_made_of() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let white = "[Repertoire \"white\"]\n\n1. e4 {King} c5 (1... e5 2. Nf3 Nc6 3. Bb5 $1 (3. Bc4 $6 Nf6)) (1... e6 2. d4 c5 3. Nf3 cxd4 4. Nxd4) \
        2. Nf3 e6 (2... d6 3. d4 cxd4 4. Nxd4) 3. d4 cxd4 4. Nxd4 a6 *\n\n\
        [Repertoire \"white\"]\n[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. Kd2 (1. e4 Kd7) *\n\n";
    fs::write(at.join("white.pgn"), white).expect("written");
    for by in ["opening", "variation", "eco", "eco:1", "side"] {
        let parts = format!("by-{}", by.replace(':', ""));
        let split = tabiya(
            at,
            &["repertoire", "split", "white.pgn", "--by", by, "-o", &parts],
        );
        assert_eq!(split.status.code(), Some(0), "{split:?}");
        assert_eq!(tree_of(at, &parts), tree_of(at, "white.pgn"), "{by}");
        let said = text(&split);
        let files = fs::read_dir(at.join(&parts)).expect("a folder").count();
        assert_eq!(said.lines().count(), files, "{said}");
        // Each move is counted in one part.
        let moves: u64 = said
            .lines()
            .map(|line| {
                let words: Vec<&str> = line.split(' ').collect();
                words[words.len() - 2].parse::<u64>().expect("a number")
            })
            .sum();
        assert_eq!(moves, 25, "{said}");
        if by == "opening" {
            let sicilian = fs::read_to_string(at.join(&parts).join("Sicilian Defense.pgn"));
            let sicilian = sicilian.expect("a part");
            // The French move order leads there.
            assert!(
                sicilian.contains("e6") && !sicilian.contains("Bb5"),
                "{sicilian}"
            );
            assert!(said.contains("Ruy Lopez.pgn: 1 move\n"), "{said}");
            assert!(files >= 5, "{said}");
        }
        if by == "side" {
            assert_eq!(said, "White.pgn: 25 moves\n");
        }
        // What stands there is not given up.
        let again = tabiya(at, &["repertoire", "split", "white.pgn", "-o", &parts]);
        assert_eq!(again.status.code(), Some(2), "{again:?}");
    }
    let both = format!("{white}{}", white.replace("white", "black"));
    fs::write(at.join("both.pgn"), both).expect("written");
    let split = tabiya(
        at,
        &[
            "repertoire",
            "split",
            "both.pgn",
            "--by",
            "side",
            "--to",
            "si5",
            "-o",
            "sides",
        ],
    );
    assert_eq!(text(&split), "White.si5: 25 moves\nBlack.si5: 25 moves\n");
    assert_eq!(tree_of(at, "sides/White.si5"), tree_of(at, "white.pgn"));
    // A null move is left out, and said to be.
    fs::write(
        at.join("null.pgn"),
        "[Repertoire \"white\"]\n\n1. e4 -- 2. d4 *\n",
    )
    .expect("written");
    let split = tabiya(at, &["repertoire", "split", "null.pgn", "-o", "null"]);
    let said = String::from_utf8_lossy(&split.stderr);
    assert_eq!(split.status.code(), Some(3), "{said}");
    assert!(said.contains("2 moves left out"), "{said}");
    let wrong = tabiya(
        at,
        &[
            "repertoire",
            "split",
            "white.pgn",
            "--by",
            "year",
            "-o",
            "years",
        ],
    );
    let said = String::from_utf8_lossy(&wrong.stderr);
    assert_eq!(wrong.status.code(), Some(2), "{said}");
    assert!(said.contains("opening, variation, eco"), "{said}");
}

#[test]
fn games_of_a_player_are_added_to_the_side_that_the_player_had() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let both = "[Repertoire \"white\"]\n\n1. e4 e5 *\n\n[Repertoire \"black\"]\n\n1. d4 d5 *\n\n";
    fs::write(at.join("both.pgn"), both).expect("written");
    let game = |white: &str, black: &str, moves: &str| {
        format!("[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"*\"]\n\n{moves} *\n\n")
    };
    let games = [
        game("Me, I", "You", "1. e4 c5 2. Nf3"),
        game("You", "Me, I", "1. d4 Nf6 2. c4"),
        game("You", "She", "1. b3 b6"),
    ];
    fs::write(at.join("games.pgn"), games.concat()).expect("written");
    let added = tabiya(
        at,
        &[
            "repertoire",
            "add",
            "games.pgn",
            "--with",
            "both.pgn",
            "--player",
            "Me",
            "-o",
            "more.pgn",
        ],
    );
    assert_eq!(added.status.code(), Some(0), "{added:?}");
    let moves = |side: &str| -> Vec<String> {
        let shown = tabiya(
            at,
            &["repertoire", "show", "more.pgn", "--side", side, "--json"],
        );
        let mut told: Vec<String> = lines(&shown)
            .iter()
            .flat_map(|row| row["moves"].as_array().expect("moves").clone())
            .map(|m| m["san"].as_str().expect("a move").to_owned())
            .collect();
        told.sort();
        told
    };
    assert_eq!(moves("white"), ["Nf3", "c5", "e4", "e5"]);
    assert_eq!(moves("black"), ["Nf6", "c4", "d4", "d5"]);
}

#[test]
fn a_tree_in_pgn_has_the_figures_of_a_reference() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    fs::write(
        at.join("white.pgn"),
        "[Repertoire \"white\"]\n\n1. e4 {King} e5 (1... c5) 2. Nf3 *\n",
    )
    .expect("written");
    let games =
        "[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 1-0\n\n[Result \"1/2-1/2\"]\n\n1. e4 c5 1/2-1/2\n\n";
    fs::write(at.join("games.pgn"), games).expect("written");
    let shown = tabiya(
        at,
        &[
            "repertoire",
            "show",
            "white.pgn",
            "--reference",
            "games.pgn",
            "--pgn",
        ],
    );
    let shown = text(&shown);
    let words: Vec<&str> = shown.split_whitespace().collect();
    let words = words.join(" ");
    for part in [
        "1. e4 {King} {2 games, 75 %}",
        "1... e5 {1 game, 100 %} (1... c5 {1 game, 50 %}) 2. Nf3 {1 game, 100 %}",
    ] {
        assert!(words.contains(part), "{part}: {words}");
    }
    let games = format!("{games}[Result \"*\"]\n\n1. d4 *\n\n[Result \"*\"]\n\n1. e4 *\n\n");
    fs::write(at.join("games.pgn"), games).expect("written");
    let covered = tabiya(
        at,
        &[
            "repertoire",
            "coverage",
            "white.pgn",
            "--reference",
            "games.pgn",
            "--pgn",
        ],
    );
    let covered = text(&covered);
    let words: Vec<&str> = covered.split_whitespace().collect();
    let words = words.join(" ");
    for part in [
        "{Here: 1 game left by me} 1. e4 {King} {Here: 1 game inside to the end}",
        "(1... c5 {Here: 1 game inside to the end})",
        "2. Nf3 {Here: 1 game inside to the end}",
    ] {
        assert!(words.contains(part), "{part}: {words}");
    }
}

#[test]
fn files_for_nobody_end_in_one_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let files = [
        ("empty.pgn", "", "there is no game in the repertoire"),
        (
            "black.pgn",
            "[Repertoire \"black\"]\n\n1. e4 e5 *\n",
            "for the other side",
        ),
        ("nothing.pgn", "[Result \"*\"]\n\n*\n", "give --side"),
    ];
    fs::write(at.join("games.pgn"), "1. e4 e5 2. Nf3 *\n").expect("written");
    for (name, pgn, sentence) in files {
        fs::write(at.join(name), pgn).expect("written");
        let side: &[&str] = match name {
            "nothing.pgn" => &[],
            _ => &["--side", "white"],
        };
        for words in [
            &["check", "games.pgn", "--with", name][..],
            &["gaps", name, "--reference", "games.pgn"],
            &["conflicts", name],
            &["coverage", name, "--reference", "games.pgn"],
            &["show", name],
            &["split", name, "-o", "parts"],
            &["add", "games.pgn", "--with", name, "-o", "added.pgn"],
            &["due", name, "--log", "none.log"],
            &["train", name, "--log", "none.log"],
        ] {
            let found = tabiya(at, &[&["repertoire"], words, side].concat());
            let said = String::from_utf8_lossy(&found.stderr);
            assert_eq!(found.status.code(), Some(2), "{words:?}: {found:?}");
            assert!(said.contains(sentence), "{words:?}: {said}");
            assert_eq!(said.trim_end().lines().count(), 1, "{words:?}: {said}");
            assert!(found.stdout.is_empty(), "{words:?}: {found:?}");
        }
    }
    assert!(!at.join("parts").exists() && !at.join("added.pgn").exists());
    // With a side, a file without a move is a repertoire of one position: every game leaves it at once.
    let found = tabiya(
        at,
        &[
            "repertoire",
            "check",
            "games.pgn",
            "--with",
            "nothing.pgn",
            "--side",
            "white",
            "--json",
        ],
    );
    assert_eq!(lines(&found)[0]["end"], "line-end");
}
