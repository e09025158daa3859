//! Games in the forms that styles request.

use tabiya_model::board::{Move, SanDetails};
use tabiya_model::game::StartingPosition;
use tabiya_model::nag::Nag;
use tabiya_model::outcome::Outcome;
use tabiya_model::{Board, Game, Losses, Replay};

use super::PgnGameWriter;
use crate::pgn::losses;
use crate::pgn::style::PgnStyle;

fn write(style: PgnStyle, build: impl FnOnce(&mut Game)) -> (String, Losses) {
    let mut game = Game::default();
    build(&mut game);
    let (mut out, mut losses) = (Vec::new(), Losses::default());
    PgnGameWriter::new(style).write(&game, &mut out, &mut losses);
    (String::from_utf8(out).expect("text"), losses)
}

/// 1. e4 $1 {why [%clk 0:01:00] not} (1. d4 d5) (1. c4) 1... e5
fn sample(game: &mut Game) {
    let mut replay = Replay::new(&game.start_board());
    let play = |game: &mut Game, replay: &mut Replay, uci: &str| {
        let m = replay.now().parse_uci(uci.as_bytes()).expect("legal");
        game.tape.push_move(m);
        replay.play(m);
    };
    game.tags.push("Zeta", "a \"b\" \\");
    game.tags.push("White", "W");
    play(game, &mut replay, "e2e4");
    game.tape.push_nag(Nag(1));
    game.tape.push_comment("why\n[%clk  0:01:00] not");
    for line in [&["d2d4", "d7d5"][..], &["c2c4"][..]] {
        game.tape.begin_variation();
        replay.begin();
        for uci in line {
            play(game, &mut replay, uci);
        }
        replay.end();
        game.tape.end_variation();
    }
    play(game, &mut replay, "e7e5");
    game.outcome = Some(Outcome::Draw);
}

#[test]
fn a_variation_without_moves_is_told() {
    let inside = |comment: &str, raw: &str| {
        let (written, losses) = write(PgnStyle::default(), |game| {
            let m = game.start_board().parse_uci(b"e2e4").expect("legal");
            game.tape.push_move(m);
            game.tape.begin_variation();
            if !comment.is_empty() {
                game.tape.push_comment(comment);
            }
            if !raw.is_empty() {
                game.tape.push_raw(raw);
            }
            game.tape.end_variation();
        });
        let kinds: Vec<_> = losses.iter().map(|loss| loss.kind.name).collect();
        let (_, moves) = written.split_once("1. e4 ").expect("the move");
        (moves.trim_end().to_owned(), kinds)
    };
    let told = vec!["pgn-empty-variation"];
    assert_eq!(inside("", ""), ("*".to_owned(), told.clone()));
    assert_eq!(inside("why", ""), ("{why} *".to_owned(), told));
    let hidden = inside("", "xyzzy");
    assert_eq!(hidden, ("({[%raw xyzzy]}) *".to_owned(), Vec::new()));
    let kept = inside("", "Ke7 d5");
    assert_eq!(kept, ("(Ke7 d5) *".to_owned(), Vec::new()));
}

#[test]
fn the_export_format() {
    let (text, losses) = write(PgnStyle::default(), sample);
    let expected = "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n[White \"W\"]\n\
        [Black \"?\"]\n[Result \"1/2-1/2\"]\n[Zeta \"a \\\"b\\\" \\\\\"]\n\n\
        1. e4 $1 {why [%clk 0:01:00] not} (1. d4 d5) (1. c4) 1... e5 1/2-1/2\n\n";
    assert_eq!(text, expected);
    assert!(
        losses
            .iter()
            .all(|loss| loss.kind == &losses::COMMENT_LAYOUT)
    );
}

#[test]
fn the_reduced_format_says_what_it_left_out() {
    let (text, losses) = write(PgnStyle::reduced(), sample);
    assert!(text.ends_with("\n\n1. e4 e5 1/2-1/2\n\n"), "{text}");
    let names: Vec<_> = losses.iter().map(|loss| loss.kind.name).collect();
    assert_eq!(
        names,
        [
            "pgn-tags-left-out",
            "pgn-comments-left-out",
            "pgn-nags-left-out",
            "pgn-variations-left-out"
        ]
    );
}

#[test]
fn a_narrow_line_never_breaks_a_command() {
    let style = PgnStyle {
        width: 20,
        compact_numbers: true,
        glyphs: true,
        ..PgnStyle::default()
    };
    let (text, _) = write(style, sample);
    assert!(
        text.ends_with("1.e4! {why\n[%clk 0:01:00] not}\n(1.d4 d5) (1.c4)\n1...e5 1/2-1/2\n\n"),
        "{text}"
    );
}

#[test]
fn a_brace_in_a_comment_makes_it_run_to_the_end_of_the_line() {
    let (text, losses) = write(PgnStyle::default(), |game| {
        game.tape.push_comment("a } b\nc");
    });
    assert!(text.ends_with("\n\n;a } b c\n*\n\n"), "{text}");
    assert!(
        losses
            .iter()
            .all(|loss| loss.kind == &losses::COMMENT_LAYOUT)
    );
    let one_line = PgnStyle {
        one_line: true,
        ..PgnStyle::default()
    };
    let (text, losses) = write(one_line, |game| {
        game.tape.push_comment("a } b");
    });
    assert!(text.ends_with("[Result \"*\"] {a ) b} *\n"), "{text}");
    assert_eq!(losses.len(), 1);
}

/// Two games of the same random moves with all kinds of items between them: in one of them, the moves have SAN details.
fn random_pair(seed: u64, fen: &str) -> [Game; 2] {
    let mut state = seed;
    let mut random = move |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(state >> 33).unwrap_or(0) % below
    };
    let mut games = [Game::default(), Game::default()];
    let (board, problems) = Board::from_fen(fen).expect("a position");
    for game in &mut games {
        game.start = StartingPosition::Setup(Box::new(board.clone()), problems);
    }
    let mut replay = Replay::new(&board);
    replay.expect_variations(true);
    let (mut depth, mut has_move, mut legal) = (0, false, Vec::new());
    for _ in 0..300 {
        let what = random(40);
        replay.now().legal_moves(&mut legal);
        let m = match legal.len() {
            0 => Move::NULL,
            some => legal[random(some)],
        };
        if what == 0 && has_move {
            replay.begin();
            games
                .iter_mut()
                .for_each(|game| game.tape.begin_variation());
            (depth, has_move) = (depth + 1, false);
        } else if what == 1 && depth > 0 && has_move {
            replay.end();
            for game in &mut games {
                game.tape.end_variation();
            }
            depth -= 1;
        } else if what == 2 && has_move {
            let nag = Nag([1, 3, 14, 146][random(4)]);
            games.iter_mut().for_each(|game| game.tape.push_nag(nag));
        } else if what == 3 {
            let text = [
                "why",
                "a longer one that is broken now and then",
                "[%clk 0:01:00]",
            ];
            let text = text[random(3)];
            for game in &mut games {
                game.tape.push_comment(text);
            }
        } else {
            let notation = match m.is_null() {
                true => {
                    replay.play(m);
                    SanDetails::default()
                }
                false => replay.play_with(|board| board.play_with_details(m)),
            };
            games[0].tape.push_move_with_details(m, notation);
            games[1].tape.push_move(m);
            has_move = true;
        }
    }
    for game in &mut games {
        while game.tape.end_variation() {}
    }
    games
}

#[test]
fn moves_that_are_told_are_written_as_those_of_a_board() {
    let starts = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 97",
        "n3k3/PPP3pp/8/8/8/8/pp3PPP/4K2N b - - 0 970",
        "4k3/8/8/8/Q7/Q1Q5/8/4K2Q w - - 0 1200",
    ];
    let mut breaks = 0;
    for seed in 0..400_u64 {
        let start = starts[usize::try_from(seed % 4).expect("small")];
        let games = random_pair(seed, start);
        assert!(games[0].tape.has_san_details() && !games[1].tape.has_san_details());
        for width in [0, 1, 9, 25, 40, 79, 80, 255] {
            for glyphs in [false, true] {
                let style = PgnStyle {
                    width,
                    glyphs,
                    ..PgnStyle::default()
                };
                let [told, board] = games.each_ref().map(|game| {
                    let (mut out, mut losses) = (Vec::new(), Losses::default());
                    PgnGameWriter::new(style.clone()).write(game, &mut out, &mut losses);
                    String::from_utf8(out).expect("text")
                });
                breaks += told.matches('\n').count();
                assert_eq!(told, board, "{seed}, {width} wide");
            }
        }
    }
    assert!(breaks > 100_000, "{breaks}");
}
