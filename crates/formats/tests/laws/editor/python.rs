//! python-chess's tree operations compared with ours: the same random edits, the same tree after each.
//!
//! Both sides print their tree on one line: for each node its moves in order, in UCI notation.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Stdio;

use tabiya_model::board::{Board, CastlingStyle, Move};
use tabiya_model::editor::{GameEditor, PlayMode};
use tabiya_model::{Game, TapeOp};

use tabiya_testing::TestRandom;

const THEIRS: &str = "
import sys, chess, chess.pgn

def text(game):
    out, stack = [], [game]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            out.append(node)
            continue
        children = node.variations
        if not children:
            continue
        out.append('[')
        out.extend(child.move.uci() + ' ' for child in children)
        out.append(']')
        stack.extend(reversed(children))
    return ''.join(out)

def node_of(game, path):
    node = game
    for number in path:
        node = node.variations[number]
    return node

for line in sys.stdin:
    game = chess.pgn.Game()
    said = []
    for wish in line.strip().split(';'):
        if not wish:
            continue
        kind, path, move = wish.split(',')
        path = [int(number) for number in path.split('.') if number]
        node = node_of(game, path)
        if kind == 'add':
            node.add_variation(chess.Move.from_uci(move))
        elif kind == 'main':
            node.add_main_variation(chess.Move.from_uci(move))
        elif kind == 'promote':
            node.parent.promote(node)
        elif kind == 'demote':
            node.parent.demote(node)
        elif kind == 'first':
            node.parent.promote_to_main(node)
        elif kind == 'remove':
            node.parent.remove_variation(node)
        said.append(text(game))
    print(';'.join(said))
";

fn uci(m: Move) -> String {
    // Castling is not played here: its two notations have nothing to do with trees.
    let mut text = Vec::new();
    Board::standard().write_uci(m, CastlingStyle::KingTakesRook, &mut text);
    String::from_utf8(text).expect("ASCII")
}

/// Our tree in the form of theirs.
fn text(editor: &GameEditor) -> String {
    let mut out = String::new();
    let mut editor = editor.clone();
    let mut open = vec![0];
    while let Some(place) = open.pop() {
        editor.go_to(place).expect("a place");
        let branches = editor.branches();
        if branches.is_empty() {
            continue;
        }
        out.push('[');
        for branch in &branches {
            let _ = write!(out, "{} ", uci(branch.m.expect("a move")));
        }
        out.push(']');
        open.extend(branches.iter().rev().map(|branch| branch.place));
    }
    out
}

/// The numbers of the branches that lead to the cursor.
fn numbers(editor: &GameEditor) -> Vec<usize> {
    let mut editor = editor.clone();
    let mut path = Vec::new();
    loop {
        let here = editor.place();
        if editor.back().is_err() {
            break;
        }
        let number = editor
            .branches()
            .iter()
            .position(|branch| branch.place == here);
        path.push(number.expect("a branch"));
    }
    path.reverse();
    path
}

/// Goes to a move at random; short distances are more frequent.
fn wander(editor: &mut GameEditor, random: &mut TestRandom) {
    editor.to_start();
    for _ in 0..random.below(8) {
        let count = editor.branches().len();
        if count == 0 {
            return;
        }
        editor.enter(random.below(count)).expect("a branch");
    }
}

/// One script: the edits as text, and our tree after each.
fn script(seed: u64) -> (String, String) {
    let mut random = TestRandom::new(seed);
    let mut editor = GameEditor::new(Game::default()).expect("an empty game");
    let (mut wishes, mut said) = (String::new(), Vec::new());
    while said.len() < 40 {
        wander(&mut editor, &mut random);
        let path = numbers(&editor);
        let mut told = None;
        let kind = match random.below(10) {
            0..=4 => {
                let mut moves = Vec::new();
                editor.board().legal_moves(&mut moves);
                moves.retain(|m| !m.is_castle());
                let branches = editor.branches();
                moves.retain(|m| branches.iter().all(|branch| branch.m != Some(*m)));
                if moves.is_empty() {
                    continue;
                }
                let m = moves[random.below(moves.len())];
                told = Some(m);
                if random.chance(70) {
                    editor
                        .play_move(m, PlayMode::Variation)
                        .expect("a legal move");
                    "add"
                } else {
                    editor
                        .play_move(m, PlayMode::MainLine)
                        .expect("a legal move");
                    "main"
                }
            }
            // The first or last one cannot be moved further: python-chess does nothing then.
            kind => {
                let Some(&number) = path.last() else { continue };
                let siblings = {
                    let mut parent = editor.clone();
                    parent.back().expect("a parent");
                    parent.branches().len()
                };
                match kind {
                    5 | 6 if number > 0 => {
                        editor.promote().expect("promoted");
                        "promote"
                    }
                    7 if number + 1 < siblings => {
                        editor.demote().expect("demoted");
                        "demote"
                    }
                    8 if number > 0 => {
                        editor.promote_to_main().expect("promoted");
                        "first"
                    }
                    9 => {
                        editor.remove().expect("removed");
                        "remove"
                    }
                    _ => continue,
                }
            }
        };
        let path: Vec<String> = path.iter().map(ToString::to_string).collect();
        let told = told.map_or_else(String::new, uci);
        let _ = write!(wishes, "{kind},{},{told};", path.join("."));
        said.push(text(&editor));
    }
    while editor.undo().is_ok() {}
    assert!(*editor.game() == Game::default());
    (wishes, said.join(";"))
}

#[test]
fn trees_are_those_of_python_chess() {
    let Some(mut python) = tabiya_testing::python_with("chess.pgn") else {
        return;
    };
    let count = if tabiya_testing::is_full() {
        10_000
    } else {
        300
    };
    let (mut input, mut expected) = (String::new(), Vec::new());
    for number in 0..count {
        let (wishes, said) = script(super::seed() + number);
        input.push_str(&wishes);
        input.push('\n');
        expected.push((wishes, said));
    }
    let mut child = python
        .args(["-c", THEIRS])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    let mut stdin = child.stdin.take().expect("piped");
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().expect("ended");
    writer.join().expect("joined").expect("written");
    assert!(output.status.success());
    let printed = String::from_utf8(output.stdout).expect("ASCII");
    let mut steps = 0;
    for ((wishes, ours), theirs) in expected.iter().zip(printed.lines()) {
        for (number, (ours, theirs)) in ours.split(';').zip(theirs.split(';')).enumerate() {
            assert_eq!(ours, theirs, "after wish {number} of {wishes}");
            steps += 1;
        }
    }
    assert_eq!(printed.lines().count(), expected.len());
    assert_eq!(steps, expected.len() * 40);
}

#[test]
fn a_tree_is_told_in_order() {
    let mut editor = GameEditor::new(Game::default()).expect("an empty game");
    for (text, how) in [("e4", PlayMode::Variation), ("e5", PlayMode::Variation)] {
        editor.play(text, how).expect("a move");
    }
    editor.to_start();
    editor.play("d4", PlayMode::Variation).expect("a move");
    assert_eq!(text(&editor), "[e2e4 d2d4 ][e7e5 ]");
    assert_eq!(
        editor
            .game()
            .tape
            .ops()
            .filter(|op| matches!(op, TapeOp::Begin(_)))
            .count(),
        1
    );
}
