//! The guarantees of the editor, checked on any game with any bytes as a script of edits.
//!
//! The tests run scripts over games, the fuzzer over everything that it generates. The laws: a refused edit changes
//! nothing; after every edit the tape keeps to its grammar, and every kept move is made from the same position as before,
//! or is legal in its place; undoing everything restores exactly the original game, redoing everything exactly the last
//! one; a draft is the session; a path leads back to its place.

use crate::board::{Board, Move};
use crate::command::{BoardMark, ClockKind, ClockTime, Evaluation, MarkColour, MarkShape};
use crate::game::Game;
use crate::nag::Nag;
use crate::outcome::Outcome;
use crate::tape::{Replay, Tape, TapeOp};

use super::change::{GamePatch, PatchPart};
use super::{
    CommentSide, EditError, EditorChange, GameEditor, MergeOptions, PlayMode, StripOptions,
};

/// Bytes as decisions; zeros after their end.
struct EditScript<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl EditScript<'_> {
    fn is_over(&self) -> bool {
        self.at >= self.bytes.len()
    }

    fn byte(&mut self) -> u8 {
        let byte = self.bytes.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        byte
    }

    /// A number below `bound`, or 0 if that is 0.
    fn below(&mut self, bound: usize) -> usize {
        let number = usize::from(self.byte()) << 8 | usize::from(self.byte());
        number.checked_rem(bound).unwrap_or(0)
    }

    fn flag(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    fn side(&mut self) -> CommentSide {
        if self.flag() {
            CommentSide::Before
        } else {
            CommentSide::After
        }
    }

    fn text(&mut self) -> &'static str {
        const TEXTS: [&str; 8] = [
            "",
            "good",
            "[%clk 0:01:02] well",
            "a } brace\nand a line",
            "[%csl Gd4][%cal Re2e4]",
            "\u{e9}\u{4e2d} [%foo bar]",
            "[%eval 0.5,12] [%draw circle,d4,red] x",
            "  ",
        ];
        TEXTS[self.below(TEXTS.len())]
    }

    fn any_move(&mut self, board: &Board) -> Option<Move> {
        let mut moves = Vec::new();
        board.legal_moves(&mut moves);
        moves.get(self.below(moves.len())).copied()
    }

    fn line(&mut self, board: &Board) -> Vec<Move> {
        let mut board = board.clone();
        let mut line = Vec::new();
        for _ in 0..=self.below(4) {
            let Some(m) = self.any_move(&board) else {
                break;
            };
            board.play(m);
            line.push(m);
        }
        line
    }
}

/// Runs a script over a game and panics if a law is broken; returns the number of successful edits. Games that the
/// editor refuses are skipped.
///
/// # Panics
///
/// If a law is broken.
pub fn check(game: &Game, script: &[u8]) -> usize {
    let Ok(mut editor) = GameEditor::new(game.clone()) else {
        assert!(
            !game.tape.is_well_formed(),
            "a tape in good order can be edited"
        );
        return 0;
    };
    let mut script = EditScript {
        bytes: script,
        at: 0,
    };
    let mut granted = 0;
    while !script.is_over() {
        let before = editor.clone();
        let result = wish(&mut editor, &mut script);
        granted += usize::from(result.is_ok());
        check_step(&before, &editor, &result);
    }
    check_whole(game, &editor);
    granted
}

/// Makes one edit.
fn wish(editor: &mut GameEditor, script: &mut EditScript<'_>) -> Result<(), EditError> {
    match script.byte() % 48 {
        0..=3 => editor.forward(),
        4 => editor.back(),
        5 | 6 => {
            let count = editor.branches().len() + 1;
            editor.enter(script.below(count))
        }
        7 => editor.leave(),
        8 => {
            editor.to_start();
            Ok(())
        }
        9 => {
            editor.to_end();
            Ok(())
        }
        10..=13 => {
            let len = editor.game().tape.len() + 1;
            editor.go_to(script.below(len))
        }
        14..=21 => {
            let Some(m) = script.any_move(editor.board()) else {
                return Err(EditError::NothingToDo);
            };
            let how = match script.byte() % 6 {
                0..=2 => PlayMode::Variation,
                3 => PlayMode::MainLine,
                4 => PlayMode::Overwrite,
                _ => PlayMode::Replace { cut: script.flag() },
            };
            editor.play_move(m, how)
        }
        22 => {
            let line = script.line(editor.board());
            editor.insert(&line, script.flag())
        }
        23 => {
            let line = script.line(editor.board());
            editor.add_line(&line)
        }
        24 => editor.play("--", PlayMode::Variation),
        25 | 26 => editor.promote(),
        27 => editor.demote(),
        28 => editor.promote_to_main(),
        29 => editor.promote_fully(),
        30 => editor.delete_line(),
        31 => editor.remove(),
        32 => editor.delete_after(),
        33 => editor.delete_before(),
        34 => annotate(editor, script),
        35 => {
            let (side, text) = (script.side(), script.text());
            match script.byte() % 3 {
                0 => editor.set_comment(side, text),
                1 => editor.set_text(side, text),
                _ => editor.add_comment(side, text),
            }
        }
        36 => tags(editor, script),
        37 => {
            let fen = editor.board().to_fen();
            let fen = script.flag().then_some(fen.as_str());
            editor.set_start(fen, script.flag())
        }
        38 => {
            let mut what = StripOptions::default();
            for kind in StripOptions::KINDS {
                if script.flag() {
                    assert!(what.add(kind));
                }
            }
            editor.strip(&what)
        }
        39 => {
            let other = editor.clone().into_game();
            let options = MergeOptions {
                plies: script.below(40),
                annotations: script.flag(),
                names: script.flag(),
                ..MergeOptions::default()
            };
            editor.merge(&other, &options)
        }
        40 => {
            let mut other = editor.clone();
            let line = script.line(editor.board());
            other.to_start();
            let _ = other.add_line(&line);
            let _ = other.promote_fully();
            let options = MergeOptions {
                plies: script.below(40),
                ..MergeOptions::default()
            };
            let games = [other.into_game(), editor.game().clone()];
            editor.merge_tree(&games, &options).map(|_| ())
        }
        41 | 42 => editor.undo().map(|_| ()),
        43 => editor.redo().map(|_| ()),
        44 => {
            let fails = script.flag();
            let text = script.text();
            let m = script.any_move(editor.board());
            editor.together("both", |editor| {
                if let Some(m) = m {
                    editor.play_move(m, PlayMode::Variation)?;
                }
                editor.set_text(CommentSide::After, text)?;
                if fails {
                    return Err(EditError::NothingToDo);
                }
                editor.toggle_nag(Nag(1))
            })
        }
        45 => editor.play("Ke1e5", PlayMode::Variation),
        46 => editor.read_move("\u{2658}f3").map(|_| ()),
        _ => {
            let count = editor.game().tape.len();
            let (index, text) = (script.below(count), script.text());
            editor.set_comment_at(index, text)
        }
    }
}

fn annotate(editor: &mut GameEditor, script: &mut EditScript<'_>) -> Result<(), EditError> {
    let nag = Nag(u32::from(script.byte() % 24));
    match script.byte() % 8 {
        0 => editor.add_nag(nag),
        1 => editor.remove_nag(nag),
        2 => editor.toggle_nag(nag),
        3 => editor.set_nags(&[nag, Nag(7)]),
        4 => {
            let time = ClockTime::parse("0:10:01").filter(|_| script.flag());
            editor.set_clock(ClockKind::Remaining, time)?;
            assert_eq!(editor.clock(ClockKind::Remaining), time);
            Ok(())
        }
        5 => {
            let score = (Evaluation::Centipawns(i32::from(script.byte())), Some(20));
            let score = script.flag().then_some(score);
            editor.set_evaluation(score)?;
            assert_eq!(editor.evaluation(), score);
            Ok(())
        }
        _ => {
            let square = shakmaty::Square::new(u32::from(script.byte() & 63));
            let mark = if script.flag() {
                BoardMark::Arrow {
                    from: square,
                    to: shakmaty::Square::E4,
                    colour: MarkColour::Green,
                }
            } else {
                BoardMark::Square {
                    square,
                    shape: MarkShape::Full,
                    colour: MarkColour::Red,
                }
            };
            let was_there = editor.marks().contains(&mark);
            editor.toggle_mark(mark.clone())?;
            assert_eq!(editor.marks().contains(&mark), !was_there);
            Ok(())
        }
    }
}

fn tags(editor: &mut GameEditor, script: &mut EditScript<'_>) -> Result<(), EditError> {
    const NAMES: [&str; 8] = [
        "White",
        "Event",
        "Result",
        "FEN",
        "Note",
        "a b",
        "Variant",
        "ScidFlags",
    ];
    const VALUES: [&str; 5] = ["", "1-0", "Chess960", "x \"y\" \\", "D"];
    let name = NAMES[script.below(NAMES.len())];
    let value = VALUES[script.below(VALUES.len())];
    let count = editor.game().tags.len() + 1;
    match script.byte() % 6 {
        0 | 1 => editor.set_tag(name, value),
        2 => editor.add_tag(name, value),
        3 => editor.remove_tag(name),
        4 => editor.remove_tag_at(script.below(count)),
        _ => {
            let outcome = Outcome::from_scid(script.byte());
            editor.set_result(outcome)?;
            assert_eq!(editor.game().result(), outcome);
            Ok(())
        }
    }
}

/// The laws of one step.
fn check_step(before: &GameEditor, after: &GameEditor, result: &Result<(), EditError>) {
    assert!(
        after.game.tape.is_well_formed(),
        "the tape keeps its grammar"
    );
    if let Err(error) = result {
        assert!(
            before.game == after.game && before.done == after.done && before.undone == after.undone,
            "a refused wish changes nothing: {error}"
        );
        assert_eq!(before.place(), after.place(), "nor the cursor: {error}");
        let sentence = error.to_string();
        assert!(
            !sentence.is_empty() && !sentence.contains('\n'),
            "an error is one sentence: {sentence:?}"
        );
        return;
    }
    let mut at_cursor = after.clone();
    at_cursor.to_start();
    let path = after.path();
    let went = at_cursor.go_along(&path);
    assert!(
        went.is_ok() && at_cursor.place() == after.place(),
        "the path {path} leads to its place"
    );
    assert_eq!(at_cursor.board(), after.board(), "and to its position");
    for (number, branch) in after.branches().iter().enumerate() {
        let entered = at_cursor.enter(number);
        assert!(entered.is_ok() && at_cursor.place() == branch.place);
        let direct = {
            let mut direct = after.clone();
            direct.go_to(branch.place).map(|()| direct)
        };
        assert_eq!(
            direct.map(|direct| (direct.board().clone(), direct.ply())),
            Ok((at_cursor.board().clone(), at_cursor.ply())),
            "each way to a place gives the same position"
        );
        let back = at_cursor.back();
        assert!(
            back.is_ok() && at_cursor.place() == after.place(),
            "back leads back"
        );
    }
    if after.done.len() == before.done.len() + 1
        && let Some(change) = after.done.last()
    {
        check_change(&before.game, &after.game, change);
    }
}

/// The laws of a change: kept parts are unchanged, and its inverse restores the game.
fn check_change(before: &Game, after: &Game, change: &EditorChange) {
    let mut game = before.clone();
    for patch in &change.does {
        let old = game.clone();
        let applied = patch.apply(&mut game);
        assert!(
            applied.is_ok(),
            "a change fits the game that it was made for"
        );
        check_moves(&old, &game, patch, &change.wish);
    }
    assert!(game == *after, "a change does what was done");
    let undone = change.inverse().apply(&mut game);
    assert!(
        undone.is_ok() && game == *before,
        "the inverse of {} leads back to the very game",
        change.wish
    );
    let json = change.to_json(true);
    assert!(!json.contains('\n'), "a change is one line");
    assert_eq!(
        EditorChange::from_json(&json).as_ref(),
        Ok(change),
        "a change can be written down"
    );
}

/// For each operation of a tape that is a move, the hash of the position before it.
fn positions(start: &Board, tape: &Tape) -> Vec<Option<u64>> {
    let mut replay = Replay::new(start);
    tape.ops()
        .map(|op| {
            let hash = matches!(op, TapeOp::Move(_)).then(|| replay.now().zobrist());
            replay.follow(op);
            hash
        })
        .collect()
}

fn check_moves(old: &Game, new: &Game, patch: &GamePatch, wish: &str) {
    let Some(pieces) = &patch.tape else { return };
    let was = positions(&old.start_board(), &old.tape);
    let is = positions(&new.start_board(), &new.tape);
    // These edits move lines to another position; they may keep only moves that are legal there.
    let moves_on = matches!(wish, "insert" | "replace" | "set start");
    let mut replay = Replay::new(&new.start_board());
    let legal: Vec<bool> = new
        .tape
        .ops()
        .map(|op| {
            let legal = match op {
                TapeOp::Move(m) => m.is_null() || replay.now().is_legal(m),
                _ => true,
            };
            replay.follow(op);
            legal
        })
        .collect();
    let mut at = 0;
    for piece in pieces.iter() {
        match piece {
            PatchPart::Keep(run) => {
                for index in run.clone() {
                    let same = was.get(index) == is.get(at);
                    let fits = same || (moves_on && legal.get(at) == Some(&true));
                    assert!(fits, "{wish}: a kept move is made from where it was made");
                    let keeps = |game: &Game, index| {
                        game.tape
                            .get(index)
                            .filter(|op| matches!(op, TapeOp::Move(_)))
                    };
                    assert_eq!(keeps(old, index), keeps(new, at), "{wish}: and is the same");
                    at += 1;
                }
            }
            PatchPart::New(items) => {
                for _ in items {
                    // A merged line is the same here as in the other game.
                    let fits = wish.starts_with("merge") || legal.get(at) == Some(&true);
                    assert!(fits, "{wish}: a new move is legal");
                    at += 1;
                }
            }
        }
    }
}

/// The laws of a whole session.
fn check_whole(first: &Game, editor: &GameEditor) {
    let draft = editor.to_draft();
    match GameEditor::from_draft(&draft) {
        Ok(again) => {
            let bare = |game: &Game| Game {
                diagnostics: crate::diagnostic::Diagnostics::default(),
                origin: crate::game::GameOrigin::default(),
                ..game.clone()
            };
            assert!(
                bare(&again.game) == bare(&editor.game),
                "a draft is the game"
            );
            assert!(again.done == editor.done, "with what was done");
            assert!(again.undone == editor.undone, "and undone");
            assert_eq!(again.place(), editor.place(), "at the same place");
        }
        Err(error) => {
            // The moves of a hostile tape need not have a piece to make them, and a draft with such moves is refused.
            let playable = |game: &Game| super::draft::is_playable(&game.start_board(), &game.tape);
            assert!(!playable(first), "a draft can be read again: {error}");
        }
    }
    let mut back = editor.clone();
    while back.redo().is_ok() {}
    let end = back.game.clone();
    while back.undo().is_ok() {}
    assert!(
        back.game == *first,
        "undoing everything gives the very game back"
    );
    while back.redo().is_ok() {}
    assert!(
        back.game == end,
        "redoing everything gives the last one back"
    );
}
