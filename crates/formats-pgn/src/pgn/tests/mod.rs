//! Tests of reading on small texts.

mod charsets;
mod differential;
mod nasty;
mod pathological;
mod words;

use tabiya_model::board::Board;
use tabiya_model::database::GameNeeds;
use tabiya_model::game::Game;
use tabiya_model::tape::{Replay, TapeOp};

use super::laws;
use super::{NESTED_COMMENTS, PIECE_LETTERS};
use tabiya_codec::format::OpenOptions;
use tabiya_codec::options::{FormatOption, FormatSettings};

/// All games of a text, read in blocks of a size.
/// Options with one of PGN's own.
fn told(option: &FormatOption, value: &str) -> OpenOptions {
    OpenOptions {
        settings: FormatSettings::default()
            .with(option, value)
            .expect("a value"),
        ..OpenOptions::default()
    }
}

fn games_with(text: &[u8], options: &OpenOptions, want: GameNeeds, block: usize) -> Vec<Game> {
    laws::games(text, options, want, block).unwrap_or_else(|kind| panic!("{kind:?}"))
}

fn games(text: &str) -> Vec<Game> {
    games_with(
        text.as_bytes(),
        &OpenOptions::default(),
        GameNeeds::ALL,
        1 << 20,
    )
}

/// The movetext of a game in a short form.
fn show(game: &Game) -> String {
    let mut replay = Replay::new(&game.start_board());
    let mut words = Vec::new();
    for op in game.tape.ops() {
        let word = match op {
            TapeOp::Move(m) => {
                let mut san = Vec::new();
                let mut board: Board = replay.now().clone();
                board.play_san(m, &mut san);
                String::from_utf8_lossy(&san).into_owned()
            }
            TapeOp::Nag(nag) => format!("${}", nag.0),
            TapeOp::Comment(id) => format!("{{{}}}", game.tape.text(id)),
            TapeOp::Raw(id) => format!("<{}>", game.tape.text(id)),
            TapeOp::Ext(index) => format!("ext{index}"),
            TapeOp::Begin(_) => "(".to_owned(),
            TapeOp::End => ")".to_owned(),
            TapeOp::Outcome(outcome) => outcome.as_pgn().to_owned(),
        };
        words.push(word);
        replay.follow(op);
    }
    words.push(game.outcome.map_or("-", |o| o.as_pgn()).to_owned());
    words.join(" ")
}

fn codes(game: &Game) -> Vec<&'static str> {
    game.diagnostics.iter().map(|d| d.code.name).collect()
}

#[test]
fn an_ordinary_game() {
    let games = games(
        "[Event \"A\"]\n[White \"O\\\"N\\\\eill\"]\n[Result \"1-0\"]\n\n\
         1. e4 $1 e5!? {two\nlines} 2. Nf3 (2. Nc3 Nc6 (2... Nf6) 3. f4) (2. d4) 2... Nc6 ; rest\n3. Bb5 a6 1-0\n",
    );
    assert_eq!(games.len(), 1);
    let game = &games[0];
    assert_eq!(game.tags.get("White"), Some("O\"N\\eill"));
    assert_eq!(
        show(game),
        "e4 $1 e5 $5 {two\nlines} Nf3 ( Nc3 Nc6 ( Nf6 ) f4 ) ( d4 ) Nc6 { rest} Bb5 a6 1-0"
    );
    assert_eq!(codes(game), [""; 0]);
}

#[test]
fn the_next_game_is_read_after_a_bad_move() {
    let games = games(
        "[White \"A\"]\n\n1. e4 e5 2. Qh9 Nc6 (2... d6 3. d4) 1-0\n\n[White \"B\"]\n\n1. d4 *\n",
    );
    assert_eq!(games.len(), 2);
    assert_eq!(show(&games[0]), "e4 e5 <2. Qh9 Nc6 (2... d6 3. d4)> 1-0");
    assert_eq!(games[1].origin.line, 5);
    assert_eq!(show(&games[1]), "d4 *");
}

#[test]
fn the_place_of_an_unreadable_move_is_told() {
    let games = games("[White \"A\"]\n\n1. e4 e5\n2. Ke3 Nc6 1-0\n");
    assert_eq!(show(&games[0]), "e4 e5 <2. Ke3 Nc6> 1-0");
    let finding = games[0].diagnostics.iter().next().map(ToString::to_string);
    assert_eq!(
        finding.as_deref(),
        Some(
            "damage: game 1, line 4, column 4, byte 25, ply 2 (move 2.): the move \"Ke3\" cannot be played in \
             rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2 (no such move); the rest of the line is kept \
             as text [pgn-unreadable-move]"
        )
    );
}

/// The movetext of the first game, and its findings.
fn read(movetext: &str) -> (String, Vec<&'static str>) {
    let games = games(&format!("[Event \"?\"]\n\n{movetext}\n"));
    (show(&games[0]), codes(&games[0]))
}

#[test]
fn every_notation_of_a_move() {
    let notations = [
        ("1. e2e4 e7e5 2. g1f3 b8c6 *", "e4 e5 Nf3 Nc6 *"),
        ("1. e2-e4 e7-e5 2. Ng1-f3 Nb8-c6 *", "e4 e5 Nf3 Nc6 *"),
        (
            "1. Pe4 Pe7-e5 2. \u{2658}f3 \u{265e}c6 *",
            "e4 e5 Nf3 Nc6 *",
        ),
        ("1.e4 d5 2.e4:d5 Q:d5 *", "e4 d5 exd5 Qxd5 *"),
        ("1. e4 d5 2. exd5! Qxd5+/- *", "e4 d5 exd5 $1 Qxd5 $16 *"),
        (
            "1. e4!?+/- e5\u{b1} 2. Nf3 N Nc6 D *",
            "e4 $5 $16 e5 $16 Nf3 $146 Nc6 $220 *",
        ),
        ("1. e4 = e5 \u{221e} *", "e4 $10 e5 $13 *"),
        (
            "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. 0-0 Nf6 5. d3 0-0 *",
            "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O Nf6 d3 O-O *",
        ),
        (
            "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. o-o *",
            "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O *",
        ),
        (
            "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. e1g1 *",
            "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O *",
        ),
        (
            "1. e4 -- 2. d4 Z0 3. Nf3 <> 4. c4 null 5. c5 @@@@ *",
            "e4 -- d4 -- Nf3 -- c4 -- c5 -- *",
        ),
        ("1. e4 d5 2. e5 f5 3. exf6e.p. *", "e4 d5 e5 f5 exf6 *"),
        (
            "1. e4 d5 2. e5 f5 3. exf6 e.p. exf6 *",
            "e4 d5 e5 f5 exf6 exf6 *",
        ),
        ("1. f3 e5 2. g4 Qh4mate 0-1", "f3 e5 g4 Qh4# 0-1"),
        ("1. f3 e5 2. g4 Qh4++ 0-1", "f3 e5 g4 Qh4# 0-1"),
        ("1. f3 e5 2. g4 Qh4#0-1", "f3 e5 g4 Qh4# 0-1"),
        ("1.e4e5 2.Nf3 *", "e4 <e4e5 2.Nf3> *"),
        ("1. e4 e52. Nf3 Nc63. Bb5 a6*", "e4 e5 Nf3 Nc6 Bb5 a6 *"),
        ("1. e4 e5 \u{bd}-\u{bd}", "e4 e5 1/2-1/2"),
        ("1. e4 e5 0.5-0.5", "e4 e5 1/2-1/2"),
        ("1. e4 e5 0,5-0,5", "e4 e5 1/2-1/2"),
        ("1. e4 e5 1.0-0.0", "e4 e5 1-0"),
        ("1. 5254 5755 2. 7163 2836! *", "e4 e5 Nf3 Nc6 $1 *"),
        ("1. e4 e5 2. 0000 Nc6 *", "e4 e5 -- Nc6 *"),
        ("1. e4 e5 2345 2. Nf3 *", "e4 e5 <2345> Nf3 *"),
        ("1. e4 1\u{2026}e5 *", "e4 e5 *"),
        ("1. f3 e5 2. g4 Qh4 # 0-1", "f3 e5 g4 Qh4# 0-1"),
        ("1. e4 # e5 + *", "e4 <#> e5 <+> *"),
        ("1. e4 e5 1/2", "e4 e5 1/2-1/2"),
        ("1. e4, e5. 2. Nf3; comment\n*", "e4 e5 Nf3 { comment} *"),
    ];
    for (written, meant) in notations {
        let (shown, codes) = read(written);
        if written.starts_with("1.e4e5") {
            assert_eq!(codes, ["pgn-unreadable-move"]);
            continue;
        }
        assert_eq!(shown, meant, "{written} {codes:?}");
    }
}

#[test]
fn every_form_of_castling() {
    let fen = "[FEN \"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1\"]\n[SetUp \"1\"]\n\n";
    for (short, long) in [
        ("O-O", "O-O-O"),
        ("0-0", "0-0-0"),
        ("o-o", "o-o-o"),
        ("OO", "OOO"),
        ("00", "000"),
        ("oo", "ooo"),
        ("O\u{2013}O", "O\u{2013}O\u{2013}O"),
        ("O-0", "0-0-O"),
        ("e1g1", "e8c8"),
        ("e1h1", "e8a8"),
        ("Ke1-g1", "Ke8-c8"),
        ("5171", "5838"),
        ("O-O", "O-OO"),
    ] {
        let games = games(&format!("{fen}1. {short} {long} *"));
        assert_eq!(show(&games[0]), "O-O O-O-O *", "{short} {long}");
    }
    let games = games(&format!(
        "{}1. 77883 *",
        fen.replace("/8/8/8/8/8/8/", "/6P1/8/8/8/8/8/")
    ));
    assert_eq!(show(&games[0]), "gxh8=B *");
}

#[test]
fn white_lines_before_a_game_are_no_text() {
    for text in ["\n", " \n\n", "\r\n", "\u{feff}\n", "\u{feff} \t\r\n"] {
        let games = games(&format!("{text}[White \"A\"]\n\n1. e4 *\n"));
        assert_eq!(
            (games.len(), show(&games[0])),
            (1, "e4 *".to_owned()),
            "{text:?}"
        );
        assert_eq!(codes(&games[0]), [""; 0], "{text:?}");
    }
}

#[test]
fn a_game_goes_on_behind_an_empty_line() {
    for text in [
        "1. e4\n\n{text}\n\n1... e5 2. Nf3 1-0",
        "1. e4\n\n{text}\n\n1. ... e5 2. Nf3 1-0",
        "1. e4\n\n{text}\n\n1.\u{2026} e5 2. Nf3 1-0",
    ] {
        let games = games(text);
        let shown: Vec<_> = games.iter().map(show).collect();
        assert_eq!(shown, ["e4 {text} e5 Nf3 1-0"], "{text:?}");
        laws::check(text.as_bytes(), &OpenOptions::default());
    }
}

#[test]
fn what_is_told_of_a_word_does_not_depend_on_what_is_read_beside_it() {
    for text in [
        // Numbers within a remark do not affect those after it.
        "1. e4 e5 (see the notes to number\n\n1. {kept})SSSS 2. Nf3 Nc6 1-0",
        // The game after an odd one is not read.
        "[Event \"a\"]\n\n1.\"0-1\"]\n\n1. e4 e5 2. Nf3 1-0\n",
        // A remark in parentheses is not the start of a game.
        "[Event \"a\"]\n\n(see td comment} 4... he notes to number two)\n\n1. e4 e5 1-0\n",
        // A move before a tag is a move, whether the tag is read or not.
        "1. d4 *\ne4#????[Event \"b\"]\n\n1. d4 *\n",
        // Text before a game does not affect its first number.
        "1. d4 *\n\n\u{0}1. O-O b6 2. Nb3 *\n",
        "1. d4 *\n\n\u{a0}1. O-O b6 2. Nb3 *\n",
    ] {
        laws::check(text.as_bytes(), &OpenOptions::default());
        let all = games(text);
        for game in &all {
            let from = usize::try_from(game.origin.byte).expect("small");
            let to = from + usize::try_from(game.origin.length).expect("small");
            let alone = games(&text[from..to]);
            assert_eq!(alone.len(), 1, "{text:?}");
            assert_eq!(show(&alone[0]), show(game), "{text:?}");
        }
    }
}

#[test]
fn a_closed_comment_may_hold_a_game() {
    let inner = "before\n\n[Event \"x\"]\n[White \"y\"]\n\n1. d4 d5 1-0\n\n";
    let text = format!("[Event \"a\"]\n\n1. e4 {{{inner}}} e5 *\n\n[Event \"b\"]\n\n1. c4 *\n");
    let games = self::games(&text);
    let shown: Vec<_> = games.iter().map(show).collect();
    assert_eq!(shown, [format!("e4 {{{inner}}} e5 *"), "c4 *".to_owned()]);
    laws::check(text.as_bytes(), &OpenOptions::default());
    // A comment that was never closed ends where the next game begins, and so does one that is too long to be plausible.
    for close in ["", &format!("{}}}", "x ".repeat(40_000)), "{}"] {
        let text = format!("[Event \"a\"]\n\n1. e4 {{{inner}{close}\n\n[Event \"b\"]\n\n1. c4 *\n");
        assert_eq!(self::games(&text).len(), 3, "{}", close.len());
        laws::check(text.as_bytes(), &OpenOptions::default());
    }
}

/// Games without tags that follow each other without a result: each begins with its first number, anywhere on its line.
#[test]
fn a_first_number_behind_spaces_begins_a_game() {
    for indent in ["", " ", "    ", "\t", " \t ", "\u{feff}"] {
        for blank in ["\n\n", "\r\n\r\n", "\n \t\n"] {
            for first in [
                "1. e4 e5",
                "1. e4 {a remark} e5",
                "1. e4 e5 2. Nf3 Nc6 (2... d6)",
            ] {
                for last in [
                    "1. d4 d5 *",
                    "1. d4 d5 2. c4 e6 3. Nc3 1/2-1/2",
                    "1. d4 {x} d5 1-0",
                ] {
                    let text = format!("[Event \"A\"]\n\n{first}{blank}{indent}{last}\n");
                    let games = games(&text);
                    assert_eq!(games.len(), 2, "{text:?}");
                    assert!(show(&games[1]).starts_with("d4 "), "{text:?}");
                    laws::check(text.as_bytes(), &OpenOptions::default());
                }
            }
        }
    }
    // Without an empty line, or after the dots of Black, the game continues.
    for text in [
        "1. e4 e5\n  1. d4 d5 2. Nf3 *\n",
        "1. e4 e5\n\n  1... d5 2. Nf3 *\n",
        "1. e4 e5\n\n  1. ... d5 2. Nf3 *\n",
    ] {
        assert_eq!(games(text).len(), 1, "{text:?}");
        laws::check(text.as_bytes(), &OpenOptions::default());
    }
}

/// Two concatenated files, of which the first ends within a comment: the games of the second are found.
#[test]
fn a_comment_that_is_not_closed_ends_before_the_tags_of_a_game() {
    let first = "[Event \"A\"]\n[White \"Somebody\"]\n[Result \"*\"]\n\n1. e4 e5 {it was never closed [%clk 0:10]";
    let tags = "[Event \"B\"]\n[Site \"Some place or other\"]\n[White \"Another player\"]\n[Result \"1-0\"]\n\n";
    let second = format!("{tags}1. d4 d5 1-0\n\n[Event \"C\"]\n[White \"z\"]\n\n1. c4 1-0\n");
    let noted = second.replace("d4 d5", "d4 {a remark} d5 (1... f5 {another})");
    let indented = noted.replace('[', "  [");
    for between in [
        "",
        "\n",
        "\n\n",
        "\r\n",
        " \n",
        "\n\u{feff}",
        "\n\n\u{feff}",
        "\n; a line\n",
    ] {
        for second in [&second, &noted, &indented] {
            // Without a line break, nothing shows that another game begins here.
            if between.is_empty() && std::ptr::eq(second, &indented) {
                continue;
            }
            let text = format!("{first}{between}{second}");
            let games = games(&text);
            let events: Vec<_> = games.iter().map(|game| game.tags.value("Event")).collect();
            assert_eq!(events, ["A", "B", "C"], "{text:?}");
            assert!(
                codes(&games[0]).contains(&"pgn-unclosed-comment"),
                "{text:?}"
            );
            assert!(
                show(&games[0]).starts_with("e4 e5 {it was never closed [%clk 0:10]"),
                "{text:?}"
            );
            assert!(show(&games[1]).starts_with("d4 "), "{text:?}");
            laws::check(text.as_bytes(), &OpenOptions::default());
        }
    }
    // Before the moves, in a variation and after the result it is not another game.
    for first in [
        "[Event \"A\"]\n\n{it was never closed, and no move follows it\n",
        "[Event \"A\"]\n\n1. e4 e5 (1... c5 2. Nf3 {it was never closed, in a line\n",
        "[Event \"A\"]\n\n1. e4 e5 1-0 {it was never closed, behind the result\n",
    ] {
        for second in [&second, &noted] {
            let text = format!("{first}{second}");
            let games = games(&text);
            let events: Vec<_> = games.iter().map(|game| game.tags.value("Event")).collect();
            assert_eq!(events, ["A", "B", "C"], "{text:?}");
            assert!(
                codes(&games[0]).contains(&"pgn-unclosed-comment"),
                "{text:?}"
            );
            laws::check(text.as_bytes(), &OpenOptions::default());
        }
    }
}

/// Lines in brackets that belong to a comment of any length.
#[test]
fn a_comment_may_hold_lines_in_brackets() {
    let long = "so much for the opening, which is well known by now. ".repeat(3);
    for comment in [
        format!("{long}\n[Event \"B\"]\n[White \"w\"]\n\n1. d4 d5 1-0\n"),
        format!("{long}\n\n[Event \"B\"]\n[White \"w\"]\n\n1. d4 d5 1-0\n"),
        format!("{long}\n[Diagram \"2\"]\n{{ and a brace {long}"),
        format!("{long}[%csl Ra1]\n[%cal Ra1a2]\n{{ {long}"),
        format!("{long}\n[the Event \"B\" and\n[White \"w\" {{ {long}"),
    ] {
        let text =
            format!("[Event \"A\"]\n\n1. e4 {{{comment}}} e5 1-0\n\n[Event \"Z\"]\n\n1. c4 *\n");
        let games = games(&text);
        assert_eq!(games.len(), 2, "{text:?}");
        assert_eq!(show(&games[0]), format!("e4 {{{comment}}} e5 1-0"));
        assert_eq!(codes(&games[0]), [""; 0], "{text:?}");
        laws::check(text.as_bytes(), &OpenOptions::default());
    }
}

#[test]
fn every_form_of_promotion() {
    let fen = "[FEN \"8/PPPPP3/8/8/8/8/8/k6K w - - 0 1\"]\n[SetUp \"1\"]\n\n";
    let games = games(&format!(
        "{fen}1. a8Q+ Kb2 2. b8=R+ Kc2 3. c8(N) Kd2 4. d8/B Ke2 5. e7e8q+ *"
    ));
    assert_eq!(
        show(&games[0]),
        "a8=Q+ Kb2 b8=R+ Kc2 c8=N Kd2 d8=B Ke2 e8=Q+ *"
    );
    let games = self::games(&format!("{fen}1. a8+ Kb2 2. b8=(N) Kc2 *"));
    assert_eq!(show(&games[0]), "a8=Q+ Kb2 b8=N Kc2 *");
    assert_eq!(codes(&games[0]), ["pgn-promotion", "pgn-odd-notation"]);
}

#[test]
fn letters_of_other_languages() {
    let text = "[Event \"?\"]\n\n1. e4 e5 2. Sf3 Sc6 3. Lb5 a6 4. O-O *";
    let slip = games("[Event \"?\"]\n\n1. e4 e5 2. Sf3 Nc6 3. Bb5 *");
    assert_eq!(show(&slip[0]), "e4 e5 <2. Sf3 Nc6 3. Bb5> *");
    let plain = games("[Event \"?\"]\n\n1. e4 e5 2. Sf3 *");
    let message = plain[0]
        .diagnostics
        .iter()
        .next()
        .map(|d| d.message.clone());
    assert!(message.is_some_and(|m| m.contains("KDTLS")));
    let options = told(&PIECE_LETTERS, "KDTLS");
    let german = games_with(text.as_bytes(), &options, GameNeeds::ALL, 1 << 20);
    assert_eq!(show(&german[0]), "e4 e5 Nf3 Nc6 Bb5 a6 O-O *");
    let options = told(&PIECE_LETTERS, "КФЛСК");
    let text = "1. e4 e5 2. Кf3 Кc6 3. Сb5 Крe7 *";
    let russian = games_with(text.as_bytes(), &options, GameNeeds::ALL, 1 << 20);
    assert_eq!(show(&russian[0]), "e4 e5 Nf3 Nc6 Bb5 Ke7 *");
    // In French, R is the king.
    let options = told(&PIECE_LETTERS, "RDTFC");
    let french = games_with(b"1. e4 e5 2. Re2 Dh4 *", &options, GameNeeds::ALL, 1 << 20);
    assert_eq!(show(&french[0]), "e4 e5 Ke2 Qh4 *");
}

#[test]
fn ambiguous_moves_are_decided_by_what_follows() {
    // Only after the move of the knight on g1 can the other one go to b5.
    let (shown, codes) = read("1. Nc3 e6 2. e3 e5 3. Ne2 d6 4. Nb5 *");
    assert_eq!(shown, "Nc3 e6 e3 e5 Nge2 d6 Nb5 *");
    assert_eq!(codes, ["pgn-ambiguous-move"]);
}

#[test]
fn an_illegal_move_that_can_be_played_stays_a_move() {
    let (shown, codes) = read("1. e4 e5 2. Qh5 Nf6 3. Qxf7+ h6 *");
    assert_eq!(shown, "e4 e5 Qh5 Nf6 Qxf7+ h6 *");
    assert_eq!(codes, ["pgn-illegal-move"]);
}

#[test]
fn games_are_told_apart_without_help() {
    let cases: [(&str, usize); 9] = [
        ("1. e4 e5 1-0\n\n1. d4 d5 0-1\n", 2),
        ("1. e4 e5\n\n1. d4 d5 0-1\n", 2),
        (
            "[Event \"a\"]\n[Result \"*\"]\n1. e4 e5 *\n[Event \"b\"]\n1. d4 *",
            2,
        ),
        ("[Event \"a\"]\n\n\n[Event \"b\"]\n\n0-1", 2),
        (
            "[Event \"a\"]\n\n1. e4 {never closed\n\n[Event \"b\"]\n\n1. d4 *",
            2,
        ),
        (
            "[Event \"a\"]\n\n1. e4 {[Event \"no\"]\n\n[White \"no\"]} e5 *",
            1,
        ),
        (
            "[Event \"a\"]\r\r1. e4 e5 1-0\r\r[Event \"b\"]\r\r1. d4 *\r",
            2,
        ),
        (
            "[Event \"x\"][Site \"y\"] [White \"A\"][Black \"B\"] 1. e4 *",
            1,
        ),
        ("e4 e5 * Nf3 Nc6 * c4 *", 3),
    ];
    for (text, count) in cases {
        let all = games(text);
        assert_eq!(all.len(), count, "{text:?}");
        for want in [GameNeeds::TAGS, GameNeeds::MAIN_LINE] {
            let some = games_with(text.as_bytes(), &OpenOptions::default(), want, 1);
            let origins = |games: &[Game]| games.iter().map(|g| g.origin).collect::<Vec<_>>();
            assert_eq!(origins(&all), origins(&some), "{text:?}");
        }
    }
}

#[test]
fn nothing_between_games_is_lost() {
    let games = games(
        "From: somebody\n\n[Event \"a\"]\n\n1. e4 *\n\n<html>\n</html>\n% escaped\n\n[Event \"b\"]\n\n*",
    );
    assert_eq!(games.len(), 2);
    assert_eq!(
        show(&games[0]),
        "{From: somebody} e4 {<html>\n</html>} ext0 *"
    );
    assert_eq!(games[0].tape.extensions()[0].data, b" escaped");
}

#[test]
fn tags_of_every_kind() {
    let games = games(
        "[event \"a \"quoted\" event\"]\n[ White  \"A\" ]\n[Белые \"Б\"]\n[Black Smith]\n[Site \"open\n[Date \"2020\"]\n[Event \"over\nlines\"]\n\n*\n",
    );
    let tags: Vec<_> = games[0].tags.iter().map(|t| (t.name, t.value)).collect();
    assert_eq!(
        tags,
        [
            ("Event", "a \"quoted\" event"),
            ("White", "A"),
            ("Белые", "Б"),
            ("Black", "Smith"),
            ("Site", "open"),
            ("Date", "2020"),
            ("Event", "over\nlines"),
        ]
    );
}

#[test]
fn odd_variations_become_what_the_tape_can_hold() {
    assert_eq!(
        read("1. e4 (1. d4 d5 (1... Nf6 2. c4 *").0,
        "e4 ( d4 d5 ( Nf6 c4 ) ) *"
    );
    assert_eq!(read("1. e4 ) e5 ) } *").0, "e4 <)> e5 <)> <}> *");
    assert_eq!(read("1. e4 (1. d4 1-0) e5 *").0, "e4 ( d4 1-0 ) e5 *");
    assert_eq!(read("1. e4 () e5 *").0, "e4 e5 *");
    assert_eq!(read("1. e4 ({better}) e5 *").0, "e4 {better} e5 *");
    assert_eq!(read("1. e4 (=) e5 ($14) *").0, "e4 $10 e5 $14 *");
    assert_eq!(read("(1. d4 d5) 1. e4 e5 *").0, "e4 ( d4 d5 ) e5 *");
    assert_eq!(
        read("1. e4 ((1. d4) 1. c4) e5 *").0,
        "e4 ( c4 ( d4 ) ) e5 *"
    );
    assert_eq!(read("(1. d4 d5) *").0, "<(1. d4 d5)> *");
}

#[test]
fn variants_come_out_as_they_went_in() {
    let games =
        games("[Variant \"Crazyhouse\"]\n\n1. e4 d5 {c} 2. exd5 Qxd5 (2... P@d4) 3. P@d6 *\n");
    assert_eq!(
        show(&games[0]),
        "<1. e4 d5 {c} 2. exd5 Qxd5 (2... P@d4) 3. P@d6> *"
    );
}

/// A text with some of everything.
const SAMPLE: &str = "[Event \"Pa\\\"ris\"]\n[White \"M\u{fc}ller\"]\n[Result \"1-0\"]\n\n{start} 1. e4 $1 (1. d4 d5 (1... Nf6)) 1... e5!? 2. Nf3 \
; line\n% escaped\n Nc6 () 3. Bb5 a6 1-0\n\ntext\n\n[FEN \"4k3/P7/8/8/8/8/8/R3K2R w KQ - 0 1\"]\n[SetUp \"1\"]\n\n\
1. O-O (1. a8Q+) Kd7 2. -- *\n\n1. d4 d5 1/2-1/2\n\n[Variant \"Atomic\"]\n\n1. e4 e5 0-1\n";

#[test]
fn every_cut_and_every_changed_byte_can_be_read() {
    let bytes = SAMPLE.as_bytes();
    let check = |bytes: &[u8]| {
        let checked = std::panic::catch_unwind(|| laws::check(bytes, &OpenOptions::default()));
        assert!(checked.is_ok(), "{}", String::from_utf8_lossy(bytes));
    };
    for end in 0..bytes.len() {
        check(bytes.get(..end).unwrap_or(&[]));
    }
    let mut changed = bytes.to_vec();
    for at in 0..bytes.len() {
        for byte in *b"[{()\n\r\";*1" {
            changed[at] = byte;
            check(&changed);
        }
        changed[at] = bytes[at];
    }
}

#[test]
fn nested_comments_are_an_option() {
    let text = "[Event \"a\"]\n\n1. e4 {one {two} three} e5 *";
    let plain = games(text);
    assert_eq!(show(&plain[0]), "e4 {one {two} <three> <}> e5 *");
    let options = told(&NESTED_COMMENTS, "");
    let nested = games_with(text.as_bytes(), &options, GameNeeds::ALL, 1 << 20);
    assert_eq!(show(&nested[0]), "e4 {one {two} three} e5 *");
    laws::check(text.as_bytes(), &options);
}

#[test]
fn limits_cut_and_say_so() {
    let mut options = OpenOptions::default();
    options.limits.depth = 2;
    let text = "[Event \"a\"]\n\n1. e4 (1. d4 (1. c4 (1. b4 b5) c5) d5) e5 *";
    let deep = games_with(text.as_bytes(), &options, GameNeeds::ALL, 1 << 20);
    assert_eq!(show(&deep[0]), "e4 ( d4 ( c4 <(1. b4 b5)> c5 ) d5 ) e5 *");
    assert_eq!(codes(&deep[0]), ["pgn-depth"]);
    let mut options = OpenOptions::default();
    options.limits.game_bytes = 64;
    let text = format!("[Event \"a\"]\n\n{} *", "Nf3 Nf6 Ng1 Ng8 ".repeat(20));
    let cut = games_with(text.as_bytes(), &options, GameNeeds::ALL, 32);
    // Text after a cut does not begin at the first move, and is kept as text.
    let words: usize = cut.iter().map(|game| show(game).matches("N").count()).sum();
    assert!(cut.len() > 1);
    assert_eq!(words, 80);
    assert!(codes(&cut[0]).contains(&"pgn-size"));
}

#[test]
fn a_packed_file_as_long_as_its_text_is_no_plain_one() {
    use std::io::Write;

    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.pgn.gz");
    let (text, packed) = (0..100)
        .find_map(|filler| {
            let filler = "a".repeat(filler);
            let text = format!(
                "[White \"A\"]\n[Black \"B\"]\n\n1. e4 {{{filler}}} *\n\n[White \"C\"]\n[Black \"D\"]\n\n1. d4 1-0\n"
            );
            let level = flate2::Compression::new(9);
            let mut packer = flate2::write::GzEncoder::new(Vec::new(), level);
            packer.write_all(text.as_bytes()).expect("packed");
            let packed = packer.finish().expect("packed");
            (packed.len() == text.len()).then_some((text, packed))
        })
        .expect("a text that packing leaves as long as it is");
    std::fs::write(&path, &packed).expect("written");
    let database = super::database::open(&path, &OpenOptions::default()).expect("open");
    assert_eq!(database.len().expect("read"), 2, "{text}");
    let mut game = Game::default();
    for (number, white) in [(1, "A"), (2, "C")] {
        database
            .read(number, GameNeeds::ALL, &mut game)
            .expect("read");
        assert_eq!(game.tags.value("White"), white);
    }
    assert!(!database.finds_games());
    assert!(database.places().expect("read").is_none());
}

#[test]
fn a_file_packed_in_pieces_gives_single_games() {
    use std::io::Write;

    let folder = tempfile::tempdir().expect("a folder");
    let game = |number: usize| {
        let filler = "word ".repeat(number % 97);
        format!("[White \"{number}\"]\n[Black \"B\"]\n\n1. e4 {{{filler}}} *\n\n")
    };
    let numbers: Vec<usize> = (1..=2000).collect();
    let texts: Vec<String> = numbers
        .chunks(300)
        .map(|part| part.iter().map(|number| game(*number)).collect())
        .collect();
    let wide = |text: &String| {
        text.encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect::<Vec<u8>>()
    };
    let mut parts: Vec<Vec<u8>> = texts.iter().map(wide).collect();
    parts[0].splice(0..0, [0xff, 0xfe]);
    let narrow = texts.iter().map(|text| text.clone().into_bytes()).collect();
    for (parts, said) in [(narrow, "in 7 pieces: "), (parts, "in one piece: ")] {
        let mut packed = Vec::new();
        for part in parts {
            let mut packer =
                flate2::write::GzEncoder::new(&mut packed, flate2::Compression::fast());
            packer.write_all(&part).expect("packed");
            packer.finish().expect("packed");
        }
        let path = folder.path().join("games.pgn.gz");
        std::fs::write(&path, &packed).expect("written");
        let database = super::database::open(&path, &OpenOptions::default()).expect("open");
        assert_eq!(database.info().value("packed"), None);
        assert_eq!(database.len().expect("read"), 2000);
        let info = database.info();
        assert!(
            info.value("packed")
                .is_some_and(|text| text.starts_with(said))
        );
        let mut read = Game::default();
        for number in [2000, 1, 301, 300, 1234, 2] {
            database
                .read(number, GameNeeds::ALL, &mut read)
                .expect("read");
            assert_eq!(read.tags.value("White"), number.to_string());
            assert_eq!(
                (read.origin.number, read.origin.line),
                (number, (number - 1) * 5 + 1)
            );
        }
        let mut source = database.source(Some(899..902)).expect("a part");
        let mut found = Vec::new();
        while let Some(mut block) = source.next_block().expect("read") {
            while block.next(GameNeeds::ALL, &mut read).expect("read") {
                found.push(read.tags.value("White").to_owned());
            }
        }
        assert_eq!(found, ["899", "900", "901"]);
    }
}

#[test]
fn what_is_no_pgn_is_said_so() {
    for text in ["", " \n\t\r\n", "\u{feff}"] {
        let none = laws::games(
            text.as_bytes(),
            &OpenOptions::default(),
            GameNeeds::ALL,
            1 << 20,
        );
        assert_eq!(none.map(|games| games.len()), Ok(0), "{text:?}");
    }
    for text in ["<html></html>", "Dear Sir,\nthank you", "\x7fELF\0\0\x01"] {
        let none = laws::games(
            text.as_bytes(),
            &OpenOptions::default(),
            GameNeeds::ALL,
            1 << 20,
        );
        assert_eq!(
            none.err(),
            Some(tabiya_model::ErrorKind::NotThisFormat),
            "{text:?}"
        );
    }
}

#[test]
fn tags_that_are_odd_are_named() {
    let games = games(
        "[Event \"a\"]\n[WHITE \"b\"]\n[my tag \"c\"]\n[Event \"d\"]\n1. e4 *\n[Event \"e\"]\n\n*\n",
    );
    assert_eq!(
        codes(&games[0]),
        [
            "pgn-tag-name",
            "pgn-tag-name",
            "pgn-duplicate-tag",
            "pgn-no-blank-line"
        ]
    );
    assert_eq!(codes(&games[1]), ["pgn-no-blank-line"]);
    assert_eq!(games[0].tags.get("White"), Some("b"));
}

#[test]
fn results_that_disagree_are_named() {
    let games = games(
        "[Result \"1-0\"]\n\n1. e4 0-1\n\n[Result \"won\"]\n\n1. e4 1-0 1-0\n\n[Result \"1-0\"]\n\n1. e4\n",
    );
    let all: Vec<_> = games.iter().map(codes).collect();
    assert_eq!(
        all,
        [
            vec!["pgn-result-mismatch"],
            vec!["pgn-extra-result", "pgn-bad-result"],
            vec!["pgn-missing-terminator"]
        ]
    );
    assert_eq!(
        games[0].outcome,
        Some(tabiya_model::outcome::Outcome::BlackWins)
    );
    assert_eq!(games[2].outcome, None);
}

#[test]
fn every_code_has_its_page() {
    for code in super::codes::CODES {
        assert!(code.name.starts_with("pgn-"));
        assert!(
            code.summary.ends_with('.') && code.help.ends_with('.') && code.page.ends_with('.')
        );
    }
}

/// The PGN of games, and the names of what was lost.
fn written(games: &[Game]) -> (String, Vec<&'static str>) {
    let mut writer = super::PgnGameWriter::new(super::PgnStyle::default());
    let (mut out, mut losses) = (Vec::new(), tabiya_model::Losses::default());
    for game in games {
        writer.write(game, &mut out, &mut losses);
    }
    let names = losses.iter().map(|loss| loss.kind.name).collect();
    (String::from_utf8(out).expect("text"), names)
}

#[test]
fn what_cannot_be_read_is_written_so_that_it_is_read_again() {
    for (movetext, form) in [
        ("1. e4 e9 Nf3 *", "1. e4 e9 Nf3 *"),
        ("1. e4 e9 {unclosed", "1. e4 {[%raw e9 %7Bunclosed]} *"),
        ("1. e4 xyzzy\n% hidden\n*", "1. e4 xyzzy\n% hidden\n*"),
        ("1. e4 e9 * {after}", "1. e4 {[%raw e9]} {after} *"),
        ("1. e4 ) e5 *", "1. e4 ) 1... e5 *"),
        ("1. e4 $0 e5 *", "1. e4 $0 e5 *"),
        ("1. e4 * *", "1. e4 * *"),
        ("1. e4 1-0 {c} 0-1", "1. e4 1-0 {c} 0-1"),
    ] {
        let games = games(&format!("[Event \"?\"]\n\n{movetext}\n"));
        let (text, lost) = written(&games);
        let (_, body) = text.split_once("\n\n").expect("movetext");
        assert_eq!((body.trim_end(), lost), (form, vec![]), "{movetext:?}");
        let again = self::games(&text);
        assert_eq!(again.len(), 1, "{movetext:?}");
        let found = tabiya_model::diff::diff(&games[0], &again[0]);
        assert!(found.is_empty(), "{movetext:?}: {found:?}");
    }
}

#[test]
fn odd_results_are_kept() {
    for (tag, end, outcome) in [
        ("0-0", "*", "*"),
        ("1-0 ff", "1-0", "1-0"),
        ("+-", "*", "*"),
        ("White wins", "*", "*"),
        ("+--", "1-0", "1-0"),
        ("1/2", "1/2-1/2", "1/2-1/2"),
    ] {
        let games = games(&format!("[Result \"{tag}\"]\n\n1. e4 {end}\n"));
        assert_eq!(codes(&games[0]), ["pgn-bad-result"], "{tag}");
        let (text, lost) = written(&games);
        assert!(text.contains(&format!("[Result \"{tag}\"]")), "{text}");
        assert!(text.ends_with(&format!("1. e4 {outcome}\n\n")), "{text}");
        assert!(lost.is_empty(), "{lost:?}");
    }
}

#[test]
fn a_double_forfeit_at_the_end_is_no_castling() {
    for (tag, movetext, code) in [
        ("0-0", "1. e4 e5 0-0", "pgn-bad-result"),
        ("0-0", "1. e4 e5 0-0 *", "pgn-bad-result"),
        ("0-0", "1. e4 e5 0-0 d6 *", "pgn-unreadable-move"),
        ("*", "1. e4 e5 0-0 *", "pgn-unreadable-move"),
    ] {
        let games = games(&format!("[Result \"{tag}\"]\n\n{movetext}\n"));
        assert_eq!(codes(&games[0])[0], code, "{tag} {movetext}");
        let (text, lost) = written(&games);
        assert!(text.contains("e5 0-0"), "{text}");
        assert!(lost.is_empty(), "{lost:?}");
    }
}

#[test]
fn what_is_folded_is_told() {
    let games = games("[Event \"?\"]\n[Site \"\"]\n\n1. e4 { one\n\n  two\u{1} } *\n");
    let (text, lost) = written(&games);
    assert!(text.contains("1. e4 {one two\u{1}} *"), "{text}");
    assert_eq!(lost, ["pgn-empty-roster-tag", "pgn-comment-layout"]);
    // A line break at the same place as before is not a change.
    let long = format!("1. e4 {{{}}} *\n", "several words ".repeat(20));
    let (text, lost) = written(&self::games(&long));
    assert_eq!(lost, [""; 0]);
    let again = written(&self::games(&text));
    assert_eq!(again, (text, vec![]));
}

#[test]
fn what_was_unpacked_before_a_cut_is_read() {
    use std::io::Write;

    let text: String = (0..500)
        .map(|n| format!("[White \"Player {n}\"]\n\n1. e4 {{{}}} *\n\n", n * 7919))
        .collect();
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(6));
    packer.write_all(text.as_bytes()).expect("packed");
    let mut packed = packer.finish().expect("packed");
    packed.truncate(packed.len() / 2);
    let input = Box::new(std::io::Cursor::new(packed));
    let mut source = super::database::stream(input, &OpenOptions::default()).expect("a stream");
    let mut count = 0;
    tabiya_model::database::for_each_game(&mut *source, GameNeeds::ALL, |_| {
        count += 1;
        Ok(())
    })
    .expect("what can be had is read");
    assert!((100..500).contains(&count), "{count}");
    assert_eq!(source.diagnostics().count_of("pgn-cut-input"), 1);
}
