//! The editor by examples: each wish on a small game, and the sentences for wishes that cannot be granted.

use tabiya_model::command::{BoardMark, ClockKind, ClockTime, Evaluation, MarkColour, MarkShape};
use tabiya_model::editor::{
    CommentSide, EditError, EditorChange, GameEditor, MergeOptions, PlayMode, StripOptions,
    TreePath, laws,
};
use tabiya_model::game::{StartingPosition, Variant};
use tabiya_model::nag::Nag;
use tabiya_model::outcome::Outcome;
use tabiya_model::{Game, Replay, TapeOp};

/// The movetext in its shortest form.
fn text(editor: &GameEditor) -> String {
    let game = editor.game();
    let mut replay = Replay::new(&game.start_board());
    let mut words = Vec::new();
    for op in game.tape.ops() {
        words.push(match op {
            TapeOp::Move(m) => {
                let mut san = Vec::new();
                replay.now().write_san(m, &mut san);
                String::from_utf8_lossy(&san).into_owned()
            }
            TapeOp::Nag(nag) => format!("${}", nag.0),
            TapeOp::Comment(id) => format!("{{{}}}", game.tape.text(id)),
            TapeOp::Raw(id) => format!("<{}>", game.tape.text(id)),
            TapeOp::Ext(_) => "[ext]".to_owned(),
            TapeOp::Begin(_) => "(".to_owned(),
            TapeOp::End => ")".to_owned(),
            TapeOp::Outcome(outcome) => outcome.as_pgn().to_owned(),
        });
        replay.follow(op);
    }
    words.join(" ")
}

/// A game with these moves, the cursor at its start.
fn editor(moves: &str) -> GameEditor {
    let mut editor = GameEditor::new(Game::default()).expect("an empty game");
    play(&mut editor, moves);
    editor.to_start();
    editor
}

fn play(editor: &mut GameEditor, moves: &str) {
    for m in moves.split_whitespace() {
        editor
            .play(m, PlayMode::Variation)
            .unwrap_or_else(|error| panic!("{m}: {error}"));
    }
}

fn go(editor: &mut GameEditor, path: &str) {
    editor
        .go_along(&path.parse().expect("a path"))
        .unwrap_or_else(|error| panic!("{path}: {error}"));
}

#[test]
fn a_move_goes_where_it_is_wished() {
    let mut e = editor("e4 e5 Nf3");
    play(&mut e, "d4 d5");
    assert_eq!(text(&e), "e4 ( d4 d5 ) e5 Nf3");
    assert_eq!(e.path().to_string(), "0.1.2");
    // Playing a move that already exists only goes to it.
    e.to_start();
    play(&mut e, "e4");
    assert_eq!((e.path().to_string(), e.done().len()), ("1".to_owned(), 5));
    e.to_start();
    e.play("c4", PlayMode::MainLine).expect("a move");
    assert_eq!(text(&e), "c4 ( e4 e5 Nf3 ) ( d4 d5 )");
    e.to_start();
    e.play("Nf3", PlayMode::Overwrite).expect("a move");
    assert_eq!(text(&e), "Nf3 ( e4 e5 Nf3 ) ( d4 d5 )");
    e.to_start();
    e.play("d4", PlayMode::MainLine).expect("a move");
    assert_eq!(text(&e), "d4 ( Nf3 ) ( e4 e5 Nf3 ) d5");
    e.to_start();
    e.play("e4", PlayMode::Overwrite).expect("a move");
    assert_eq!(text(&e), "e4 ( Nf3 ) e5 Nf3");
    let steps = e.done().len();
    e.undo().expect("undone");
    assert_eq!(text(&e), "d4 ( Nf3 ) ( e4 e5 Nf3 ) d5");
    assert_eq!(e.done().len() + 1, steps, "one wish is one step");
}

#[test]
fn a_move_in_another_s_place_keeps_what_can_be_kept() {
    let mut e = editor("e4 e5 Nf3 Nc6 Bb5");
    go(&mut e, "2");
    play(&mut e, "f4");
    go(&mut e, "2");
    // Without the knight's move, the rest continues; the variation stays.
    e.play("Nc3", PlayMode::Replace { cut: false })
        .expect("a move");
    assert_eq!(text(&e), "e4 e5 Nc3 ( f4 ) Nc6 Bb5");
    go(&mut e, "2");
    assert_eq!(
        e.play("Ba6", PlayMode::Replace { cut: false }),
        Err(EditError::WouldCut { moves: 1 })
    );
    e.play("Ba6", PlayMode::Replace { cut: true })
        .expect("a move");
    assert_eq!(text(&e), "e4 e5 Ba6 ( f4 ) Nc6");
    // Two moves that were forgotten at the start.
    e.to_start();
    let start = e.board().clone();
    let mut after = start.clone();
    let first = start.parse_uci(b"h2h3").expect("a move");
    after.play(first);
    let second = after.parse_uci(b"h7h6").expect("a move");
    e.insert(&[first, second], false).expect("inserted");
    assert_eq!(text(&e), "h3 h6 e4 e5 Ba6 ( f4 ) Nc6");
    e.to_start();
    assert!(matches!(
        e.insert(&[first], false),
        Err(EditError::Illegal { .. } | EditError::WouldCut { .. })
    ));
}

#[test]
fn null_moves_pass_unless_in_check() {
    let mut e = editor("e4 -- d4");
    assert_eq!(text(&e), "e4 -- d4");
    e.to_end();
    play(&mut e, "f6 a3 a6 Qh5+");
    assert!(matches!(
        e.play("--", PlayMode::Variation),
        Err(EditError::Illegal { .. })
    ));
}

#[test]
fn lines_are_promoted_and_demoted() {
    let mut e = editor("e4 e5");
    for line in ["d4 d5", "c4", "b3 b6"] {
        e.to_start();
        play(&mut e, line);
    }
    assert_eq!(text(&e), "e4 ( d4 d5 ) ( c4 ) ( b3 b6 ) e5");
    e.promote().expect("promoted");
    assert_eq!(text(&e), "e4 ( d4 d5 ) ( b3 b6 ) ( c4 ) e5");
    assert_eq!(e.path().to_string(), "0.2.2");
    e.promote_to_main().expect("promoted");
    assert_eq!(text(&e), "b3 ( e4 e5 ) ( d4 d5 ) ( c4 ) b6");
    assert_eq!(e.path().to_string(), "2");
    assert_eq!(e.promote(), Err(EditError::NotInVariation));
    assert_eq!(e.demote(), Err(EditError::LastAlready));
    e.back().expect("a move");
    e.demote().expect("demoted");
    assert_eq!(text(&e), "e4 ( b3 b6 ) ( d4 d5 ) ( c4 ) e5");
    e.demote().expect("demoted");
    assert_eq!(text(&e), "e4 ( d4 d5 ) ( b3 b6 ) ( c4 ) e5");
    go(&mut e, "0.1.1");
    play(&mut e, "Nf6");
    e.promote_fully().expect("promoted");
    assert_eq!(text(&e), "d4 ( e4 e5 ) ( b3 b6 ) ( c4 ) Nf6 ( d5 )");
    e.undo().expect("undone");
    assert_eq!(text(&e), "e4 ( d4 d5 ( Nf6 ) ) ( b3 b6 ) ( c4 ) e5");
}

#[test]
fn lines_and_moves_are_deleted() {
    let mut e = editor("e4 e5 Nf3");
    play(&mut e, "d4 d5");
    e.delete_line().expect("deleted");
    assert_eq!((text(&e).as_str(), e.place()), ("e4 e5 Nf3", 0));
    assert_eq!(e.delete_line(), Err(EditError::NotInVariation));
    play(&mut e, "d4 d5");
    go(&mut e, "1");
    e.remove().expect("removed");
    assert_eq!(text(&e), "d4 d5");
    e.undo().expect("undone");
    go(&mut e, "1");
    e.set_text(CommentSide::After, "best").expect("a comment");
    e.delete_after().expect("deleted");
    assert_eq!(text(&e), "e4 {best} ( d4 d5 )");
    assert_eq!(e.delete_after(), Err(EditError::NothingBehind));
    go(&mut e, "0.1.1");
    e.delete_before().expect("deleted");
    assert_eq!(text(&e), "d5");
    assert_eq!(
        e.game().tags.get("FEN"),
        Some("rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1")
    );
    assert_eq!(e.game().tags.get("SetUp"), Some("1"));
    assert_eq!(e.delete_before(), Err(EditError::NothingBefore));
    e.undo().expect("undone");
    assert_eq!(e.game().start, StartingPosition::Standard);
    assert_eq!(e.game().tags.get("FEN"), None);
}

#[test]
fn comments_stand_on_either_side() {
    let mut e = editor("e4 e5 Nf3");
    play(&mut e, "d4");
    e.set_comment(CommentSide::Before, "instead")
        .expect("a comment");
    e.set_text(CommentSide::After, "more quiet")
        .expect("a comment");
    go(&mut e, "2");
    e.set_comment(CommentSide::Before, "the main line")
        .expect("a comment");
    assert_eq!(
        text(&e),
        "e4 ( {instead} d4 {more quiet} ) {the main line} e5 Nf3"
    );
    e.set_comment(CommentSide::After, "a [%clk 0:01:00] b")
        .expect("a comment");
    e.set_text(CommentSide::After, "c").expect("a comment");
    let after = e.comments(CommentSide::After).expect("comments");
    assert_eq!(
        after.iter().map(|(_, text)| *text).collect::<Vec<_>>(),
        ["[%clk 0:01:00] c"]
    );
    let (index, _) = after[0];
    e.set_comment_at(index, "").expect("a comment");
    assert!(e.comments(CommentSide::After).expect("none").is_empty());
    assert!(e.set_comment_at(0, "x").is_err());
    e.to_start();
    e.set_text(CommentSide::After, "a game").expect("a comment");
    assert!(text(&e).starts_with("{a game} e4"));
    assert_eq!(
        e.set_text(CommentSide::Before, "x"),
        Err(EditError::AtStart)
    );
}

#[test]
fn clocks_evaluations_marks_and_nags() {
    let mut e = editor("e4 e5");
    go(&mut e, "1");
    let time = ClockTime::parse("0:59:58");
    e.set_clock(ClockKind::Remaining, time).expect("a clock");
    e.set_evaluation(Some((Evaluation::Centipawns(31), Some(20))))
        .expect("an evaluation");
    let square = BoardMark::Square {
        square: shakmaty::Square::D4,
        shape: MarkShape::Full,
        colour: MarkColour::Green,
    };
    let arrow = BoardMark::Arrow {
        from: shakmaty::Square::E2,
        to: shakmaty::Square::E4,
        colour: MarkColour::Red,
    };
    e.toggle_mark(square.clone()).expect("a mark");
    e.toggle_mark(arrow.clone()).expect("a mark");
    e.set_text(CommentSide::After, "so").expect("a comment");
    assert_eq!(e.clock(ClockKind::Remaining), time);
    assert_eq!(e.marks(), [square.clone(), arrow]);
    assert_eq!(
        text(&e),
        "e4 {[%csl Gd4] [%cal Re2e4] [%eval 0.31,20] [%clk 0:59:58] so} e5"
    );
    e.toggle_mark(square).expect("a mark");
    e.set_clock(ClockKind::Remaining, None).expect("a clock");
    assert_eq!(text(&e), "e4 {[%cal Re2e4] [%eval 0.31,20] so} e5");
    e.toggle_nag(Nag(1)).expect("a NAG");
    e.toggle_nag(Nag(14)).expect("a NAG");
    e.toggle_nag(Nag(2)).expect("a NAG");
    assert_eq!(e.nags(), [Nag(2), Nag(14)]);
    e.toggle_nag(Nag(2)).expect("a NAG");
    e.add_nag(Nag(7)).expect("a NAG");
    assert_eq!(e.add_nag(Nag(7)), Err(EditError::NothingToDo));
    assert!(matches!(
        e.remove_nag(Nag(3)),
        Err(EditError::NotHere { .. })
    ));
    assert!(text(&e).starts_with("e4 $14 $7 {"));
    let mut all = StripOptions::default();
    for kind in StripOptions::KINDS {
        assert!(all.add(kind));
    }
    e.strip(&all).expect("stripped");
    assert_eq!(text(&e), "e4 e5");
    assert_eq!(e.strip(&all), Err(EditError::NothingToDo));
}

#[test]
fn tags_result_and_start() {
    let mut e = editor("e4 e5");
    e.set_tag("Annotator", "me").expect("a tag");
    e.set_tag("White", "A").expect("a tag");
    e.set_tag("Event", "B").expect("a tag");
    e.set_result(Outcome::Draw).expect("a result");
    let names: Vec<_> = e
        .game()
        .tags
        .iter()
        .map(|tag| tag.name.to_owned())
        .collect();
    assert_eq!(names, ["Event", "White", "Result", "Annotator"]);
    e.set_tag("Result", "1-0").expect("a tag");
    assert_eq!(e.game().outcome, Some(Outcome::WhiteWins));
    let steps = e.done().len();
    e.set_tag("White", "A").expect("the same");
    assert_eq!(e.done().len(), steps, "no step for no change");
    assert!(matches!(
        e.set_tag("a b", "x"),
        Err(EditError::BadTagName { .. })
    ));
    assert!(matches!(
        e.set_tag("FEN", "x"),
        Err(EditError::Derived { .. })
    ));
    assert!(matches!(
        e.remove_tag("Site"),
        Err(EditError::NotHere { .. })
    ));
    let without_rook = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN1 w Qkq - 0 1";
    e.set_start(Some(without_rook), false).expect("a start");
    assert_eq!(text(&e), "e4 e5");
    assert_eq!(e.game().tags.get("FEN"), Some(without_rook));
    let bare = "4k3/8/8/8/8/8/8/4K3 w - - 0 1";
    assert_eq!(
        e.set_start(Some(bare), false),
        Err(EditError::WouldCut { moves: 2 })
    );
    assert!(matches!(
        e.set_start(Some("nonsense"), true),
        Err(EditError::BadPosition { .. })
    ));
    e.set_start(Some(bare), true).expect("a start");
    assert_eq!(text(&e), "");
    e.set_start(None, false).expect("a start");
    assert_eq!(
        (e.game().start.clone(), e.game().tags.get("FEN")),
        (StartingPosition::Standard, None)
    );
    e.set_tag("Variant", "Atomic").expect("a tag");
    assert_eq!(e.game().variant, Variant::Other);
    assert_eq!(
        e.play("e4", PlayMode::Variation),
        Err(EditError::OtherRules)
    );
    while e.undo().is_ok() {}
    assert!(*e.game() == Game::default());
}

#[test]
fn another_game_becomes_a_variation() {
    let mut theirs = editor("d4 d5 c4 e6");
    theirs.set_tag("White", "A").expect("a tag");
    theirs.set_tag("Black", "B").expect("a tag");
    go(&mut theirs, "3");
    theirs
        .set_text(CommentSide::After, "the gambit")
        .expect("a comment");
    go(&mut theirs, "2");
    play(&mut theirs, "Nf3");
    let theirs = theirs.into_game();
    let mut e = editor("d4 d5 e4 dxe4");
    e.merge(&theirs, &MergeOptions::default()).expect("merged");
    assert_eq!(
        text(&e),
        "d4 d5 e4 ( c4 {the gambit} e6 {A - B, *} ) ( Nf3 ) dxe4"
    );
    // At the end of a line it continues, and it is found by its position.
    let mut e = editor("c4 d5 d4");
    e.to_end();
    e.merge(
        &theirs,
        &MergeOptions {
            names: false,
            annotations: false,
            ..MergeOptions::default()
        },
    )
    .expect("merged");
    assert_eq!(text(&e), "c4 d5 d4 e6");
    let mut e = editor("a3");
    e.to_end();
    assert_eq!(
        e.merge(&theirs, &MergeOptions::default()),
        Err(EditError::NotReached)
    );
}

#[test]
fn many_games_become_a_tree() {
    let games: Vec<Game> = ["e4 e5 Nf3", "d4 d5", "d4 Nf6 c4", "d4 d5 c4", "e4 c5"]
        .iter()
        .map(|moves| editor(moves).into_game())
        .collect();
    let options = MergeOptions {
        names: false,
        ..MergeOptions::default()
    };
    let mut e = editor("");
    assert_eq!(e.merge_tree(&games, &options), Ok(5));
    assert_eq!(text(&e), "d4 ( e4 e5 ( c5 ) Nf3 ) d5 ( Nf6 c4 ) c4");
    let mut e = editor("e4 e5");
    e.merge_tree(&games, &options).expect("merged");
    assert_eq!(text(&e), "e4 ( d4 d5 ( Nf6 c4 ) c4 ) e5 ( c5 ) Nf3");
    let mut e = editor("");
    let few = MergeOptions {
        games: 2,
        plies: 1,
        ..options
    };
    assert_eq!(e.merge_tree(&games, &few), Ok(2));
    assert_eq!(text(&e), "e4 ( d4 )");
}

#[test]
fn what_is_not_understood_stays() {
    let mut game = editor("e4 e5").into_game();
    game.tape.push_raw("Qz9 and more");
    game.tape.push_extension("scid.odd", b"\x01\x02");
    let mut e = GameEditor::new(game).expect("a game");
    go(&mut e, "2");
    e.set_text(CommentSide::After, "strange")
        .expect("a comment");
    play(&mut e, "Nf3");
    assert_eq!(text(&e), "e4 e5 {strange} <Qz9 and more> [ext] Nf3");
    e.to_start();
    play(&mut e, "d4");
    e.promote().expect("promoted");
    assert_eq!(text(&e), "d4 ( e4 e5 {strange} <Qz9 and more> [ext] Nf3 )");
}

#[test]
fn bad_wishes_get_one_sentence() {
    let mut e = editor("e4 e5");
    let illegal = e.play("Ke3", PlayMode::Variation).expect_err("illegal");
    assert_eq!(
        illegal.to_string(),
        "the move Ke3 is not possible here: no such move (position: \
         rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1)"
    );
    assert_eq!(
        e.play("what?", PlayMode::Variation)
            .expect_err("nonsense")
            .to_string(),
        "\"what?\" is not a move"
    );
    assert_eq!(
        e.enter(7).expect_err("no branch").to_string(),
        "there is no continuation 7 here: the count is 1"
    );
    assert_eq!(e.leave(), Err(EditError::NotInVariation));
    assert_eq!(e.back(), Err(EditError::AtStart));
    assert_eq!(e.remove(), Err(EditError::AtStart));
    assert!(matches!(e.go_to(17), Err(EditError::NoSuchPlace { .. })));
    for path in ["", "x", "1.", "1.2", "9", "0.1.1", "-1", "0.0.0"] {
        let went = path.parse::<TreePath>().and_then(|path| e.go_along(&path));
        assert!(matches!(went, Err(EditError::NoSuchPlace { .. })), "{path}");
    }
    let mut fresh = editor("");
    assert_eq!(fresh.undo(), Err(EditError::NothingToUndo));
    assert_eq!(fresh.redo(), Err(EditError::NothingToRedo));
}

#[test]
fn a_step_is_one_wish() {
    let mut e = editor("e4");
    e.together("play and say", |e| {
        e.play("d4", PlayMode::Variation)?;
        e.set_text(CommentSide::After, "also good")
    })
    .expect("both");
    assert_eq!(text(&e), "e4 ( d4 {also good} )");
    assert_eq!(e.undo(), Ok("play and say"));
    assert_eq!(text(&e), "e4");
    let failed = e.together("play and fail", |e| {
        e.play("d4", PlayMode::Variation)?;
        e.play("nonsense", PlayMode::Variation)
    });
    assert!(failed.is_err());
    assert_eq!((text(&e).as_str(), e.undone().len()), ("e4", 1));
    assert_eq!(e.redo(), Ok("play and say"));
}

#[test]
fn a_draft_is_a_session() {
    let mut e = editor("e4 e5");
    play(&mut e, "d4");
    e.promote().expect("promoted");
    e.undo().expect("undone");
    let draft = e.to_draft();
    assert_eq!(draft.lines().count(), 1 + 4 + 2);
    let again = GameEditor::from_draft(&draft).expect("read");
    assert_eq!(text(&again), text(&e));
    assert_eq!((again.place(), again.undone()), (e.place(), e.undone()));
    // A line that was cut off while being written is left out.
    let cut = &draft[..draft.len() - 3];
    assert_eq!(text(&GameEditor::from_draft(cut).expect("read")), text(&e));
    for end in 0..draft.len() {
        if let Ok(part) = GameEditor::from_draft(&draft[..end]) {
            assert!(part.game().tape.is_well_formed());
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let mut e = editor("e4 e5");
    let mut other = editor("d4 d5 c4 c6");
    other.to_end();
    other.play("Nf3", PlayMode::Variation).expect("a move");
    let change = other.done().last().cloned().expect("a change");
    let before = e.game().clone();
    assert_eq!(e.apply(&change), Err(EditError::NotOfThisGame));
    // It matches the operations, but no piece could make the move.
    let json = "{\"wish\":\"play\",\"from\":0,\"to\":1,\"do\":[{\"tape\":[[0,2],\"Qa5-a6\"]}]}";
    let change = EditorChange::from_json(json).expect("a change");
    assert_eq!(e.apply(&change), Err(EditError::NotOfThisGame));
    for tape in [
        "[\"(\",[0,2]]",
        "[[0,2],[1,2]]",
        "[[0,9]]",
        "[[0,1],\")\",[1,2]]",
    ] {
        let json = format!("{{\"wish\":\"\",\"from\":0,\"to\":0,\"do\":[{{\"tape\":{tape}}}]}}");
        let change = EditorChange::from_json(&json).expect("a change");
        assert_eq!(e.apply(&change), Err(EditError::NotOfThisGame), "{tape}");
    }
    assert!(*e.game() == before);
    for line in [
        "",
        "{}",
        "[]",
        "{\"do\":1}",
        "{\"do\":[{\"tape\":[\"Zz\"]}]}",
        "{\"do\":[]} x",
    ] {
        assert!(
            matches!(
                EditorChange::from_json(line),
                Err(EditError::BadDraft { .. })
            ),
            "{line}"
        );
    }
    for draft in [
        "",
        "\n",
        "{\"draft\":2}\n",
        "{\"draft\":1,\"tape\":[\"(\"]}\n",
    ] {
        assert!(GameEditor::from_draft(draft).is_err(), "{draft:?}");
    }
}

#[test]
fn the_laws_hold_on_an_empty_game() {
    let mut granted = 0;
    let mut state = 1_u32;
    for _ in 0..300 {
        let script: Vec<u8> = (0..60)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                state.to_be_bytes()[0]
            })
            .collect();
        granted += laws::check(&Game::default(), &script);
    }
    assert!(granted > 1_000, "{granted}");
}
