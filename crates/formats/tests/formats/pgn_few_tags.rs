//! Reading a few tags of every game finds the same games, with the same content, as reading everything.

use std::io::Cursor;

use tabiya_formats::format::OpenOptions;
use tabiya_formats::pgn;
use tabiya_model::tags::TagSet;
use tabiya_model::{Game, GameNeeds};
use tabiya_testing::TestRandom;

/// The parts in which both ways of reading must agree.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    byte: u64,
    length: u64,
    outcome: Option<tabiya_model::outcome::Outcome>,
    white: Vec<String>,
    result: Vec<String>,
}

const WANTED: [&str; 2] = ["White", "Result"];

impl Seen {
    fn of(game: &Game) -> Seen {
        let values = |name: &str| {
            game.tags
                .iter()
                .filter(|tag| tag.name.eq_ignore_ascii_case(name))
                .map(|tag| tag.value.to_owned())
                .collect()
        };
        Seen {
            byte: game.origin.byte,
            length: game.origin.length,
            outcome: game.outcome,
            white: values(WANTED[0]),
            result: values(WANTED[1]),
        }
    }
}

/// Reads every game with `want`, and once more completely if `again` is set.
fn read(text: &[u8], want: GameNeeds, again: bool) -> Vec<(Seen, Option<Game>)> {
    let stream = pgn::FORMAT.stream.expect("PGN is read from pipes");
    let mut all = Vec::new();
    let input = Box::new(Cursor::new(text.to_vec()));
    let Ok(mut source) = stream(input, &OpenOptions::default()) else {
        return all;
    };
    let mut game = Game::default();
    while let Ok(Some(mut block)) = source.next_block() {
        while block.next(want, &mut game).expect("read") {
            let seen = Seen::of(&game);
            let whole = again.then(|| {
                assert!(block.again(GameNeeds::ALL, &mut game).expect("read again"));
                game.clone()
            });
            all.push((seen, whole));
        }
    }
    all
}

fn check(text: &[u8]) {
    let few = GameNeeds {
        tags: TagSet::of(&WANTED),
        ..GameNeeds::TAGS
    };
    let shown = || String::from_utf8_lossy(text).into_owned();
    let plain = read(text, GameNeeds::ALL, false);
    for again in [false, true] {
        let gated = read(text, few, again);
        let count = |seen: &[(Seen, Option<Game>)]| seen.len();
        assert_eq!(count(&gated), count(&plain), "{}", shown());
        for ((gated, _), (plain, _)) in gated.iter().zip(&plain) {
            assert_eq!(gated, plain, "{}", shown());
        }
    }
    let once = read(text, GameNeeds::ALL, true);
    let twice = read(text, few, true);
    for ((_, once), (_, twice)) in once.iter().zip(&twice) {
        assert_eq!(once, twice, "{}", shown());
    }
}

const GAMES: &str = "[Event \"Paris\"]\n[Site \"?\"]\n[Date \"1858.??.??\"]\n[White \"Morphy, Paul\"]\n\
    [Black \"Allies\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5\n6. Bc4 Nf6 7. Qb3 Qe7 1-0\n\n\
    [Event \"London\"]\n[White \"Staunton, H\"]\n[Black \"Anderssen\"]\n[Result \"0-1\"]\n[ECO \"A10\"]\n\n\
    1. c4 f5 2. Nc3 {a comment} Nf6 3. g3 (3. d4 e6 4. Bg5) 3... e5 4. Bg2\n4... c6 5. d3 0-1\n\n\
    [Event \"?\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"1/2-1/2\"]\n\n1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 1/2-1/2\n";

#[test]
fn a_few_tags_are_read_as_all_are() {
    check(GAMES.as_bytes());
    check(GAMES.replace('\n', "\r\n").as_bytes());
    check(GAMES.replace('\n', "\r").as_bytes());
    let games = read(GAMES.as_bytes(), GameNeeds::TAGS, false);
    assert_eq!(games.len(), 3);
}

#[test]
fn damage_changes_nothing_about_that() {
    const PIECES: [&str; 24] = [
        "[",
        "]",
        "\"",
        "\\",
        "{",
        "}",
        "(",
        ")",
        ";",
        "%",
        "\n",
        "\n\n",
        "\r",
        " ",
        "*",
        "1-0",
        "1/2",
        "\n1. ",
        "[White \"X\"]",
        "\u{e9}",
        "\n\n[White \"Y\"]\n",
        "-",
        "\0",
        "\n%",
    ];
    let mut random = TestRandom::new(1);
    let mut below = |limit: usize| random.below(limit);
    for _ in 0..6000 {
        let mut text = GAMES.as_bytes().to_vec();
        for _ in 0..=below(3) {
            let at = below(text.len());
            let end = (at + below(4)).min(text.len());
            text.splice(at..end, PIECES[below(PIECES.len())].bytes());
        }
        check(&text);
    }
}
