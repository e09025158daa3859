//! Large games remain editable: the cost of an edit grows linearly with the tape.

use tabiya_model::board::Board;
use tabiya_model::editor::{CommentSide, GameEditor, PlayMode};
use tabiya_model::{Game, Tape};

/// A game of `moves` plies, most of them in variations, each with a comment.
fn large(moves: usize) -> Game {
    let start = Board::standard();
    let line: Vec<_> = {
        let mut board = start.clone();
        ["g1f3", "g8f6", "f3g1", "f6g8"]
            .iter()
            .map(|text| {
                let m = board.parse_uci(text.as_bytes()).expect("a move");
                board.play(m);
                m
            })
            .collect()
    };
    let knight = start.parse_uci(b"b1c3").expect("a move");
    let mut tape = Tape::default();
    let mut count = 0;
    while count < moves {
        for (number, m) in line.iter().enumerate() {
            tape.push_move(*m);
            count += 1;
            if number == 0 {
                tape.begin_variation();
                tape.push_move(knight);
                tape.push_comment("another knight");
                tape.end_variation();
                count += 1;
            }
        }
    }
    Game {
        tape,
        ..Game::default()
    }
}

#[test]
fn a_game_of_many_moves_takes_many_edits() {
    // 300 edits and their undoing would take far too long if one of them compared pairs of moves.
    let game = large(100_000);
    let mut editor = GameEditor::new(game.clone()).expect("edited");
    let places = game.tape.len();
    let mut granted = 0;
    for number in 0..100 {
        let mut place = number * places / 100;
        while editor.go_to(place).is_err() {
            place += 1;
        }
        granted += usize::from(editor.set_text(CommentSide::After, "looked at").is_ok());
        let mut moves = Vec::new();
        editor.board().legal_moves(&mut moves);
        granted += usize::from(
            editor
                .play_move(moves[number % moves.len()], PlayMode::Variation)
                .is_ok(),
        );
        granted += usize::from(editor.promote().is_ok());
    }
    assert!(granted > 200, "{granted}");
    while editor.undo().is_ok() {}
    assert!(*editor.game() == game);
}

#[test]
fn variations_within_variations_are_no_danger() {
    let depth = 50_000;
    let start = Board::standard();
    let moves: Vec<_> = ["e2e4", "d2d4"]
        .iter()
        .map(|text| start.parse_uci(text.as_bytes()).expect("a move"))
        .collect();
    let mut tape = Tape::default();
    for level in 0..depth {
        tape.push_move(moves[level % 2]);
        tape.begin_variation();
    }
    tape.push_move(moves[0]);
    for _ in 0..depth {
        tape.end_variation();
    }
    let game = Game {
        tape,
        ..Game::default()
    };
    let mut editor = GameEditor::new(game.clone()).expect("edited");
    assert_eq!(editor.branches().len(), depth + 1);
    editor.go_to(2 * depth + 1).expect("the innermost move");
    assert_eq!(editor.depth(), depth);
    editor
        .set_text(CommentSide::After, "deep")
        .expect("a comment");
    editor.promote().expect("promoted");
    editor.undo().expect("undone");
    editor.undo().expect("undone");
    assert!(*editor.game() == game);
    let draft = editor.to_draft();
    assert!(*GameEditor::from_draft(&draft).expect("read").game() == game);
}
