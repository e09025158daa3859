//! Inputs that are made to be slow: the time for each of them grows only with its length.

use tabiya_model::database::{GameNeeds, for_each_game};
use tabiya_model::{Game, Losses};

use super::super::source::PgnSource;
use super::super::{PgnGameWriter, PgnStyle};
use tabiya_codec::format::OpenOptions;

/// The size of the inputs: small in ordinary runs, or as given by the variable for a long run.
fn size() -> usize {
    std::env::var("TABIYA_PATHOLOGICAL")
        .ok()
        .and_then(|value| value.parse().ok())
        .unwrap_or(200_000)
}

/// The games, operations and findings of a text.
fn read(text: &str) -> (u64, usize, u64) {
    let (mut ops, mut findings) = (0, 0);
    let mut games = 0;
    for want in [GameNeeds::TAGS, GameNeeds::MAIN_LINE, GameNeeds::ALL] {
        let input = Box::new(std::io::Cursor::new(text.as_bytes().to_vec()));
        let mut source = PgnSource::new(input, "test".to_owned(), &OpenOptions::default(), None);
        (ops, findings) = (0, 0);
        let count = for_each_game(&mut source, want, |game| {
            ops += game.tape.len();
            findings += game
                .diagnostics
                .counts()
                .iter()
                .map(|(_, n)| n)
                .sum::<u64>();
            Ok(())
        });
        // Text that is not PGN at all was read to its end, too.
        let count = count.unwrap_or(0);
        assert!(games == 0 || games == count);
        games = count;
    }
    (games, ops, findings)
}

fn with_tag(movetext: &str) -> String {
    format!("[Event \"?\"]\n\n{movetext}")
}

#[test]
fn open_brackets() {
    let n = size();
    let (games, ops, _) = read(&with_tag(&"(".repeat(n)));
    assert_eq!((games, ops), (1, 1));
    let (games, ops, _) = read(&with_tag(&format!("e4 {}", "(e4 ".repeat(n / 4))));
    assert_eq!(games, 1);
    assert!(ops > n / 8);
    let (games, _, _) = read(&with_tag(&format!("e4 {}", "({x} (".repeat(n / 4))));
    assert_eq!(games, 1);
    let (games, _, _) = read(&with_tag(&"( m (".repeat(n / 4)));
    assert_eq!(games, 1);
    read(&format!("{}[Event \"a\"]", "[".repeat(n)));
    read(&format!("[Event \"a\"]{}", "[a".repeat(n)));
    read(&format!("[Event \"a\"]\n{}", "[a \"b\n".repeat(n / 4)));
    read(&format!("[Event \"a\"]\n{}", "[a \"\\".repeat(n / 4)));
    read(&format!("[Event \"a\"]\n{}", "\n\n[a b".repeat(n / 4)));
}

#[test]
fn many_tags() {
    let n = size() / 8;
    for gap in ["\n", "\n\n"] {
        let tags: String = (0..n).map(|i| format!("[T{i} \"x\"]{gap}")).collect();
        let text = format!("{tags}[T{} \"again\"]\n[t7 \"other\"]\n\n1. e4 *\n", n - 1);
        let (games, _, findings) = read(&text);
        // A tag that occurs twice after an empty line begins another game.
        assert_eq!(games, if gap.len() == 1 { 1 } else { 2 });
        assert!(findings > 0);
    }
}

#[test]
fn commands_that_never_end_are_written() {
    let n = size() / 2;
    for text in [
        "[%".repeat(n),
        "[% x ".repeat(n / 2),
        "  [%  ".repeat(n / 3),
    ] {
        let mut game = Game::default();
        game.tape.push_comment(&text);
        let (mut out, mut losses) = (Vec::new(), Losses::default());
        PgnGameWriter::new(PgnStyle::default()).write(&game, &mut out, &mut losses);
        assert!(out.len() > text.len() / 2);
        assert!(losses.iter().all(|loss| loss.kind.is_layout()));
    }
}

#[test]
fn many_comments_and_escaped_lines() {
    let n = size() / 2;
    for text in ["{a} ", "{a}", ";a\n", "%a\n", "{a}\n\n"] {
        let text = text.repeat(n);
        for text in [with_tag(&format!("e4 {text}*")), format!("e4 *\n{text}")] {
            let (games, ops, _) = read(&text);
            assert_eq!(games, 1);
            assert!(ops >= n);
        }
        let (games, _, _) = read(&format!("{text}[A \"b\"]\n\n*"));
        assert_eq!(games, 1);
    }
    let mut game = Game::default();
    for _ in 0..n {
        game.tape.push_comment("some words");
    }
    let (mut out, mut losses) = (Vec::new(), Losses::default());
    PgnGameWriter::new(PgnStyle::default()).write(&game, &mut out, &mut losses);
    assert!(losses.is_empty() && out.len() > 10 * n);
}

#[test]
fn many_words_that_cannot_be_read() {
    let n = size() / 8;
    for text in ["e9 {", "[l\n\"", "} ", "$ ", "xyzzy\n", "* ", "e4(("] {
        let text = with_tag(&text.repeat(n));
        read(&text);
        let input = Box::new(std::io::Cursor::new(text.into_bytes()));
        let mut source = PgnSource::new(input, "test".to_owned(), &OpenOptions::default(), None);
        let mut writer = PgnGameWriter::new(PgnStyle::default());
        let (mut out, mut losses) = (Vec::new(), Losses::default());
        for_each_game(&mut source, GameNeeds::ALL, |game| {
            writer.write(game, &mut out, &mut losses);
            Ok(())
        })
        .expect("every game is read");
        assert!(!out.is_empty());
    }
}

#[test]
fn variations_before_moves() {
    let n = size() / 8;
    let nested = format!("{}e4{} e5", "( e4 ".repeat(n), ")".repeat(n));
    assert_eq!(read(&with_tag(&nested)).0, 1);
    let mut deferred = String::from("e4");
    for _ in 0..200 {
        deferred = format!("({deferred}) e4");
    }
    assert_eq!(read(&with_tag(&deferred)).0, 1);
    let row = format!("{} e4", "(d4) ".repeat(n));
    let (games, ops, _) = read(&with_tag(&row));
    assert_eq!((games, ops), (1, 3 * n + 1));
}

#[test]
fn a_long_tag_and_a_long_comment() {
    let n = size();
    let text = format!(
        "[Event \"{}\"]\n\n1. e4 {{{}}} *",
        "a".repeat(n),
        "b".repeat(n)
    );
    assert_eq!(read(&text), (1, 2, 0));
    let open = format!("[Event \"{}\n\n1. e4 {{{}", "a".repeat(n), "b ".repeat(n));
    assert_eq!(read(&open).0, 1);
}

#[test]
fn many_variations_and_comments() {
    let n = size() / 8;
    let (games, ops, findings) = read(&with_tag(&format!("1. e4 {}*", "(1. d4) ".repeat(n))));
    assert_eq!((games, ops, findings), (1, 1 + 3 * n, 0));
    let (games, ops, _) = read(&with_tag(&format!("1. e4 {}*", "() ".repeat(n))));
    assert_eq!((games, ops), (1, 1));
    let (games, ops, _) = read(&with_tag(&format!("e4 * {}", "\n\n{c}".repeat(n))));
    assert_eq!((games, ops), (1, n + 1));
}

#[test]
fn long_numbers_and_words() {
    let n = size();
    let (games, ops, _) = read(&with_tag(&format!("{}. e4 *", "1".repeat(n))));
    assert_eq!((games, ops), (1, 1));
    let (games, ops, _) = read(&with_tag(&format!("1. e4 ${} *", "1".repeat(n))));
    assert_eq!((games, ops), (1, 2));
    let (games, ops, _) = read(&with_tag(&format!("1. e4 {} *", "N".repeat(n))));
    assert_eq!((games, ops), (1, 2));
    for text in ["\u{200b}", "x\u{200b}", "N\u{200b}", "\u{a0}", "e4\u{feff}"] {
        assert_eq!(
            read(&with_tag(&format!("e4 {} *", text.repeat(n / 8)))).0,
            1
        );
    }
    assert_eq!(read(&with_tag(&format!("e4 {} *", "e4-".repeat(n)))).0, 1);
    assert_eq!(
        read(&with_tag(&format!("e4 {} *", "!".repeat(n)))).1,
        n / 2 + 1
    );
}

#[test]
fn many_games_in_one_line() {
    let n = size() / 4;
    assert_eq!(read(&with_tag(&"e4 * ".repeat(n))).0, n as u64);
    assert_eq!(read(&with_tag(&"Qh9 * ".repeat(n))).0, 1);
    let tagged = "[White \"A\"] 1. e4 e5 2. Nf3 Nc6 1-0 ".repeat(n / 8);
    assert_eq!(read(&tagged).0, (n / 8) as u64);
    assert_eq!(read(&with_tag(&"\n\n*".repeat(n))).0, n as u64);
    assert_eq!(
        read(&with_tag(&format!("e4 * {}", "text\n".repeat(n)))).0,
        1
    );
}
