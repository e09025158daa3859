//! Words that are moves though not in standard form, and words that are not moves where one is expected.

use super::{codes, games, games_with, laws, read, show, told};
use crate::pgn::PIECE_LETTERS;
use tabiya_codec::format::OpenOptions;
use tabiya_model::database::GameNeeds;

/// The codes of damage among the findings of a text's first game.
fn damage(text: &str) -> Vec<&'static str> {
    let games = games(text);
    let found = games[0].diagnostics.iter();
    found
        .filter(|finding| finding.code.severity == tabiya_model::diagnostic::Severity::Damage)
        .map(|finding| finding.code.name)
        .collect()
}

#[test]
fn words_of_other_habits_are_moves() {
    for (written, meant) in [
        ("1. e4 d5 2. ed Qxd5 *", "e4 d5 exd5 Qxd5 *"),
        ("1. e4 d5 2. exd Qxd5 *", "e4 d5 exd5 Qxd5 *"),
        ("1. e4 d5 2. e:d Qxd5 *", "e4 d5 exd5 Qxd5 *"),
        ("1. e4 d5 2. ed: Qxd5 *", "e4 d5 exd5 Qxd5 *"),
        ("1. e4 d5 2. ed! Qxd5 *", "e4 d5 exd5 $1 Qxd5 *"),
        ("1. d4 d5 2. c4 dc 3. e4 *", "d4 d5 c4 dxc4 e4 *"),
        ("1.e4 d5 2.e5 f5 3.ef *", "e4 d5 e5 f5 exf6 *"),
        (
            "1. E4 E5 2. NF3 NC6 3. BB5 A6 4. BXC6 DXC6 *",
            "e4 e5 Nf3 Nc6 Bb5 a6 Bxc6 dxc6 *",
        ),
        ("1. E4 E5 2. B4 BXB4 *", "e4 e5 b4 Bxb4 *"),
        ("1. \u{435}4 e5 2. Nf3 N\u{441}6 *", "e4 e5 Nf3 Nc6 *"),
        (
            "1.\u{a0}e4\u{a0}e5 2.\u{2009}Nf3\u{200b} Nc6 *",
            "e4 e5 Nf3 Nc6 *",
        ),
        ("1. e4\u{200b}e5 2. N\u{200b}f3 *", "e4 e5 Nf3 *"),
        ("1. e4 e5\u{a0}2.\u{a0}Nf3\u{a0}1-0", "e4 e5 Nf3 1-0"),
        ("1 . e4 e5 2 . Nf3 *", "e4 e5 Nf3 *"),
        (
            "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. \u{41e}-\u{41e} *",
            "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O *",
        ),
        ("1. e4 e5 2. \u{41a}e2 *", "e4 e5 Ke2 *"),
    ] {
        let (shown, found) = read(written);
        assert_eq!(shown, meant, "{written} {found:?}");
        assert_eq!(
            damage(&format!("[Event \"?\"]\n\n{written}\n")),
            [""; 0],
            "{written}"
        );
    }
    let fen = "[FEN \"3rk3/4P3/8/8/8/8/8/4K3 w - - 0 1\"]\n[SetUp \"1\"]\n\n";
    for (word, meant) in [
        ("ed=Q+", "exd8=Q+"),
        ("edQ", "exd8=Q+"),
        ("ed=N", "exd8=N"),
        ("EXD8=R", "exd8=R+"),
    ] {
        assert_eq!(
            show(&games(&format!("{fen}1. {word} *"))[0]),
            format!("{meant} *")
        );
    }
    // Old charsets.
    for text in [
        &b"1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. \xce-\xce *"[..],
        b"1. e4\xa0e5 2. Nf3\xa0Nc6 3. Bc4 Bc5 4. O-O *",
    ] {
        let game = &games_with(text, &OpenOptions::default(), GameNeeds::ALL, 1 << 20)[0];
        assert_eq!(show(game), "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O *");
    }
}

#[test]
fn what_is_written_otherwise_is_told() {
    assert_eq!(read("1. e4 d5 2. ed *").1, ["pgn-odd-notation"]);
    assert_eq!(read("1. E4 *").1, ["pgn-odd-notation"]);
    assert_eq!(read("1.\u{a0}e4 *").1, ["pgn-odd-space"]);
    assert_eq!(read("1. e4\u{200b} *").1, ["pgn-odd-space"]);
}

#[test]
fn a_word_in_the_place_of_a_move_is_damage_and_ends_its_line() {
    for (written, meant) in [
        (
            "1. e4 e5 2. Nf3 xyzzy 3. Bb5 a6 *",
            "e4 e5 Nf3 <xyzzy 3. Bb5 a6> *",
        ),
        (
            "1. e4 e5 2. xyzzy Nc6 3. Bb5 1-0",
            "e4 e5 <2. xyzzy Nc6 3. Bb5> 1-0",
        ),
        ("1. e4 xyzzy d4 d5 *", "e4 <xyzzy d4 d5> *"),
        (
            "1. e4 e5 2. Nf3 Nc6 (2... xyz 3. d4) 3. Bb5 *",
            "e4 e5 Nf3 Nc6 ( <2... xyz 3. d4> ) Bb5 *",
        ),
        ("1. e4 e5 2. xx yy 3. Bb5 *", "e4 e5 <2. xx yy 3. Bb5> *"),
        ("1. e4 e5 2. xyzzy *", "e4 e5 <2. xyzzy> *"),
        ("1. e4 [d5] 2. exd5 *", "e4 <[d5] 2. exd5> *"),
        ("1. e4 e5 2. Qh9 Nc6 *", "e4 e5 <2. Qh9 Nc6> *"),
        ("1. e4 d6 2. ed Nc6 *", "e4 d6 <2. ed Nc6> *"),
    ] {
        let (shown, found) = read(written);
        assert_eq!(shown, meant, "{written}");
        assert!(
            found.contains(&"pgn-unreadable-move"),
            "{written} {found:?}"
        );
        laws::check(
            format!("[Event \"?\"]\n\n{written}").as_bytes(),
            &OpenOptions::default(),
        );
    }
    // Remarks are not moves: the game continues as if they were not there.
    for (written, meant) in [
        ("1. e4 best e5 2. Nf3 *", "e4 <best> e5 Nf3 *"),
        (
            "1. e4 e5 2. better Nf3 Nc6 3. Bb5 *",
            "e4 e5 <better> Nf3 Nc6 Bb5 *",
        ),
        (
            "1. e4 e5 2. Nf3 White resigns 1-0",
            "e4 e5 Nf3 <White> <resigns> 1-0",
        ),
        ("1. e4 the best e5 2. Nf3 *", "e4 <the> <best> e5 Nf3 *"),
        ("3. e4 e5 word 4. Nf3 *", "e4 e5 <word> Nf3 *"),
    ] {
        let (shown, found) = read(written);
        assert_eq!(shown, meant, "{written}");
        assert!(found.contains(&"pgn-unknown-word"), "{written} {found:?}");
        assert!(
            !found.contains(&"pgn-unreadable-move"),
            "{written} {found:?}"
        );
    }
}

#[test]
fn a_guess_between_two_pieces_is_damage() {
    assert_eq!(
        read("1. Nc3 e6 2. e3 e5 3. Ne2 d6 *").1,
        ["pgn-guessed-move"]
    );
    let (shown, found) = read("1. Nc3 e6 2. e3 e5 3. Ne2 d6 4. Nb5 *");
    assert_eq!(
        (shown.as_str(), found),
        ("Nc3 e6 e3 e5 Nge2 d6 Nb5 *", vec!["pgn-ambiguous-move"])
    );
}

#[test]
fn the_language_of_a_game_is_found_out() {
    for (written, meant, language) in [
        (
            "1. e4 e5 2. Sf3 Sc6 3. Lb5 a6 4. O-O *",
            "e4 e5 Nf3 Nc6 Bb5 a6 O-O *",
            "German",
        ),
        // The rook has the king's letter in English, and the king that of the rook.
        (
            "1. e4 e5 2. Cf3 Cc6 3. Fb5 a6 4. Re2 Dh4 *",
            "e4 e5 Nf3 Nc6 Bb5 a6 Ke2 Qh4 *",
            "French",
        ),
        (
            "1. e4 e5 2. \u{41a}f3 \u{41a}c6 3. \u{421}b5 \u{41a}\u{440}e7 *",
            "e4 e5 Nf3 Nc6 Bb5 Ke7 *",
            "Russian",
        ),
        (
            "1. e4 e5 2. Pf3 Pc6 3. Lb5 a6 *",
            "e4 e5 Nf3 Nc6 Bb5 a6 *",
            "Dutch",
        ),
    ] {
        let text = format!("[Event \"?\"]\n\n{written}\n");
        let game = &games(&text)[0];
        assert_eq!(show(game), meant, "{written}");
        assert_eq!(damage(&text), [""; 0], "{written}");
        let finding = game
            .diagnostics
            .iter()
            .find(|d| d.code.name == "pgn-language");
        assert!(
            finding.is_some_and(|d| d.message.contains(language)),
            "{written}"
        );
        laws::check(text.as_bytes(), &OpenOptions::default());
    }
    // In the charset of old files.
    let text = b"[Event \"?\"]\n\n1. e4 e5 2. \xcaf3 \xcac6 3. \xd1b5 \xca\xf0e7 *\n";
    let game = &games_with(text, &OpenOptions::default(), GameNeeds::ALL, 1 << 20)[0];
    assert_eq!(show(game), "e4 e5 Nf3 Nc6 Bb5 Ke7 *");
    // Not if a letter is a slip, or if languages disagree.
    for written in [
        "1. e4 e5 2. Cf3 Nc6 3. Bb5 *",
        "1. e4 e5 2. Sf3 *",
        "1. e4 e5 2. Xf3 Xc6 *",
    ] {
        let text = format!("[Event \"?\"]\n\n{written}\n");
        assert_eq!(damage(&text), ["pgn-foreign-letters"], "{written}");
    }
    // Each game is detected separately, wherever reading begins.
    let text = "[White \"A\"]\n\n1. Sf3 Sf6 *\n\n[White \"B\"]\n\n1. Nf3 Nf6 *\n";
    let shown: Vec<String> = games(text).iter().map(show).collect();
    assert_eq!(shown, ["Nf3 Nf6 *", "Nf3 Nf6 *"]);
    laws::check(text.as_bytes(), &OpenOptions::default());
}

#[test]
fn letters_are_told_by_the_name_of_a_language() {
    for (name, text) in [
        ("german", "1. Sf3 *"),
        ("French", "1. Cf3 *"),
        ("\u{41a}\u{424}\u{41b}\u{421}\u{41a}", "1. \u{41a}f3 *"),
        ("russian", "1. \u{41a}f3 *"),
        ("english", "1. Nf3 *"),
    ] {
        let games = games_with(
            text.as_bytes(),
            &told(&PIECE_LETTERS, name),
            GameNeeds::ALL,
            1 << 20,
        );
        assert_eq!(show(&games[0]), "Nf3 *", "{name}");
    }
    for wrong in ["klingon", "KDT", "kdtls"] {
        let empty = Box::new(std::io::empty());
        let stream = crate::pgn::database::stream(empty, &told(&PIECE_LETTERS, wrong));
        assert!(stream.is_err(), "{wrong}");
    }
}

#[test]
fn signs_and_spaces_before_the_first_move_are_no_reason_to_refuse() {
    for (text, meant) in [
        ("$1 1. e4 e5 *\n", "$1 e4 e5 *"),
        ("{x} 1. e4 e5 *\n", "{x} e4 e5 *"),
        ("1 . e4 e5 *\n", "e4 e5 *"),
        ("1.\u{a0}e4 e5 *\n", "e4 e5 *"),
        ("1. E4 E5 *\n", "e4 e5 *"),
    ] {
        assert_eq!(show(&games(text)[0]), meant, "{text}");
        assert!(
            crate::pgn::source::looks_like_pgn(text.as_bytes()),
            "{text}"
        );
        laws::check(text.as_bytes(), &OpenOptions::default());
    }
}

#[test]
fn files_put_together_with_their_marks_are_read_as_they_were() {
    for gap in ["\n\n", "\n", "", "\r\n\r\n"] {
        let text = format!(
            "\u{feff}[White \"A\"]\n[Black \"B\"]\n\n1. e4 1-0{gap}\u{feff}[White \"C\"]\n[Black \"D\"]\n\n1. d4 *\n"
        );
        let games = games(&text);
        let shown: Vec<_> = games
            .iter()
            .map(|game| (game.tags.value("White").to_owned(), show(game)))
            .collect();
        assert_eq!(
            shown,
            [
                ("A".to_owned(), "e4 1-0".to_owned()),
                ("C".to_owned(), "d4 *".to_owned())
            ],
            "{gap:?}"
        );
        assert!(!codes(&games[1]).contains(&"pgn-text-between-games"));
        laws::check(text.as_bytes(), &OpenOptions::default());
    }
    let shown: Vec<String> = games("1. e4 *\n\n\u{feff}1. d4 *\n")
        .iter()
        .map(show)
        .collect();
    assert_eq!(shown, ["e4 *", "d4 *"]);
}

#[test]
fn tags_may_stand_on_several_lines() {
    for tag in [
        "[Site\n\"b\"]",
        "[Site \"b\"\n]",
        "[\nSite \"b\"]",
        "[Site\r\n\t\"b\" ]",
        "[Site\u{b}\"b\"]",
        "[\u{b}Site\u{b}\"b\"\u{b}]\u{b}",
    ] {
        for text in [
            format!("[Event \"a\"]\n{tag}\n[White \"c\"]\n\n1. e4 *\n\n[Event \"d\"]\n\n*\n"),
            format!("{tag}\n[Event \"a\"]\n[White \"c\"]\n\n1. e4 *\n\n[Event \"d\"]\n\n*\n"),
        ] {
            let games = games(&text);
            assert_eq!(games.len(), 2, "{text:?}");
            assert_eq!(games[0].tags.len(), 3, "{text:?}");
            assert_eq!(games[0].tags.get("Site"), Some("b"), "{text:?}");
            assert_eq!(show(&games[0]), "e4 *");
            assert_eq!(codes(&games[0]), [""; 0], "{text:?}");
            laws::check(text.as_bytes(), &OpenOptions::default());
        }
    }
}

#[test]
fn what_stands_before_the_first_tag_is_what_it_is() {
    for (head, meant) in [
        ("% one\n% two\n\n", "ext0 ext1"),
        ("{a comment}\n\n", "{a comment}"),
        ("{a\n\ncomment} ; another\n\n", "{a\n\ncomment} { another}"),
        ("% one\n{two}\nthree\nfour\n\n", "ext0 {two} {three\nfour}"),
        ("{never closed\n\n", "{{never closed}"),
    ] {
        let text = format!("{head}[White \"A\"]\n\n1. e4 *\n");
        let games = games(&text);
        assert_eq!(games.len(), 1, "{head:?}");
        assert_eq!(show(&games[0]), format!("{meant} e4 *"), "{head:?}");
        laws::check(text.as_bytes(), &OpenOptions::default());
    }
}
