use std::io::Cursor;

use tabiya_codec::format::OpenOptions;
use tabiya_codec::text_file::TextInput;
use tabiya_codec::unpack_failure::UnpackFailure;
use tabiya_model::database::for_each_game;
use tabiya_model::{Game, GameNeeds, TapeOp};

use super::reader::LichessReader;
use crate::sites::FIELDS_TAG;
use crate::sites::object_source::SiteSource;

const GAMES: &str = include_str!("../../../../../corpus/lichess/ok/games.ndjson");
const BROKEN: &str = include_str!("../../../../../corpus/lichess/bad/broken.ndjson");

fn read_with(text: &str, block: usize, want: GameNeeds) -> Vec<Game> {
    let options = OpenOptions::default();
    let source = SiteSource::<LichessReader>::new(TextInput {
        text: Box::new(Cursor::new(text.as_bytes().to_vec())),
        name: "test".to_owned(),
        options: &options,
        total: None,
        cut: UnpackFailure::default(),
        start: None,
    });
    let mut games = Vec::new();
    for_each_game(&mut source.with_block_size(block), want, |game| {
        games.push(game.clone());
        Ok(())
    })
    .expect("games");
    games
}

fn read(text: &str) -> Vec<Game> {
    read_with(text, 1 << 20, GameNeeds::ALL)
}

fn comments(game: &Game) -> Vec<String> {
    game.tape
        .ops()
        .filter_map(|op| match op {
            TapeOp::Comment(id) => Some(game.tape.text(id).to_owned()),
            _ => None,
        })
        .collect()
}

fn codes(game: &Game) -> Vec<&'static str> {
    game.diagnostics.iter().map(|d| d.code.name).collect()
}

#[test]
fn every_field_is_in_the_game() {
    let games = read(GAMES);
    let game = &games[0];
    let tag = |name: &str| game.tags.get(name).unwrap_or("none");
    for (name, value) in [
        ("Event", "Sample Arena"),
        ("Site", "https://lichess.org/tAb1yA01"),
        ("Date", "2017.12.28"),
        ("UTCTime", "23:52:30"),
        ("CreatedAt", "1514505150384"),
        ("LastMoveAt", "1514505592843"),
        ("White", "SampleRook"),
        ("WhiteTitle", "NM"),
        ("WhiteElo", "2389"),
        ("WhiteRatingDiff", "+4"),
        ("BlackRatingDiff", "-4"),
        ("WhiteBerserk", "true"),
        ("BlackProvisional", "true"),
        ("WhiteAccuracy", "90"),
        ("BlackMistakes", "1"),
        ("BlackCentipawnLoss", "60"),
        ("Result", "1-0"),
        ("Status", "resign"),
        ("Termination", "Normal"),
        ("ECO", "C50"),
        ("OpeningPly", "5"),
        ("MiddlegamePly", "8"),
        ("EndgamePly", "20"),
        ("TimeControl", "300+3"),
        ("ArenaId", "arena001"),
        ("GameSource", "arena"),
        ("Rated", "true"),
    ] {
        assert_eq!(tag(name), value, "{name}");
    }
    // Fields without a tag are kept, also the clock of a thirteenth ply that has no move.
    assert_eq!(
        tag(FIELDS_TAG),
        concat!(
            r#"{"players.white.user.flair":"nature.owl","players.white.user.patron":true,"#,
            r#""clocks[12..]":[25900]}"#
        )
    );
    assert_eq!(game.tape.plies(), 12);
    let comments = comments(game);
    assert_eq!(comments[0], "[%eval 0.18] [%clk 0:05:00.03]");
    assert_eq!(comments[3], "[%eval -0.05] [%clk 0:04:59.5]");
    assert_eq!(
        comments[5],
        "[%eval 1.40] [%clk 0:04:50] Inaccuracy. Bc5 was best."
    );
    let mate = comments.iter().find(|comment| comment.contains("#2"));
    assert!(mate.is_some_and(|comment| comment.starts_with("[%eval #2] [%clk 0:04:30] Checkmate")));
    let nags: Vec<u32> = game
        .tape
        .ops()
        .filter_map(|op| match op {
            TapeOp::Nag(nag) => Some(nag.0),
            _ => None,
        })
        .collect();
    assert_eq!(nags, [6, 2, 4]);
    let variations = game.tape.ops().filter(|op| matches!(op, TapeOp::Begin(_)));
    assert_eq!(variations.count(), 3);
    assert!(game.diagnostics.is_empty(), "{:?}", game.diagnostics);
    for game in &games {
        assert!(game.tape.is_well_formed());
    }
}

#[test]
fn all_kinds_of_games_are_read() {
    let games = read(GAMES);
    assert_eq!(games.len(), 6);
    let tag = |at: usize, name: &str| games[at].tags.get(name).unwrap_or("none").to_owned();
    assert_eq!(tag(1, "White"), "Anonymous");
    assert_eq!(tag(1, "Black"), "lichess AI level 3");
    assert_eq!(tag(1, "FEN"), "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1");
    assert_eq!(games[1].tape.plies(), 1);
    assert_eq!(tag(2, "Variant"), "Chess960");
    assert_eq!(games[2].tape.plies(), 8);
    assert_eq!(tag(2, "BlackId"), "sampleknight");
    assert_eq!(tag(2, "WhiteId"), "none");
    assert_eq!(codes(&games[3]), ["site-variant"]);
    assert_eq!(
        tag(3, FIELDS_TAG),
        r#"{"clocks[0..]":[6003,6003,5990,5980]}"#
    );
    assert_eq!(tag(3, "WhiteRatingDiff"), "0");
    assert_eq!(tag(4, "Result"), "*");
    assert_eq!(tag(4, "TimeControl"), "1/259200");
    assert_eq!(tag(4, "ArenaId"), "old00001");
    assert_eq!(games[5].tape.plies(), 2);
    assert_eq!(tag(5, "Rated"), "true");
    assert_eq!(tag(5, "WhiteElo"), "1500");
    assert_eq!(tag(5, FIELDS_TAG), "none");
}

#[test]
fn broken_games_do_not_hide_their_neighbours() {
    let games = read(BROKEN);
    let ids: Vec<&str> = games.iter().map(|game| game.tags.value("GameId")).collect();
    assert_eq!(
        ids,
        [
            "tAb1yB01", "tAb1yB02", "tAb1yB03", "tAb1yB04", "", "tAb1yB05"
        ]
    );
    assert_eq!(codes(&games[0]), ["site-unreadable-move"]);
    assert_eq!(codes(&games[1]), ["site-broken-game"]);
    assert_eq!(codes(&games[2]), ["site-broken-game"]);
    assert_eq!(codes(&games[3]), ["site-bad-fen"]);
    assert_eq!(codes(&games[4]), ["site-broken-game"]);
    // Annotations of moves that cannot be played, and unknown fields, are kept.
    let kept = |at: usize| {
        let extension = games[at].tape.extensions().first().expect("an extension");
        String::from_utf8_lossy(&extension.data).into_owned()
    };
    assert_eq!(
        kept(0),
        r#"{"analysis[0].new":7,"clocks[2..4]":[3,4],"analysis[2..4]":[{"eval":1},{"eval":2}]}"#
    );
    assert_eq!(kept(1).trim_end(), r#","clocks":[30003,"#);
    assert!(kept(2).starts_with(r#","moves":"e4 e5 Nf"#));
    assert_eq!(kept(4), "stray words");
    assert_eq!(kept(5), r#"{"clocks[0]":"x","analysis[1]":7}"#);
    assert!(comments(&games[5]).contains(&"best: zz".to_owned()));
}

#[test]
fn blocks_of_any_size_give_the_same_games() {
    for text in [GAMES, BROKEN] {
        let whole = read(text);
        for block in [1, 7, 100, 1000, 5000] {
            let games = read_with(text, block, GameNeeds::ALL);
            assert_eq!(games, whole, "blocks of {block}");
        }
    }
}

#[test]
fn tags_do_not_depend_on_what_was_asked_for() {
    for text in [GAMES, BROKEN] {
        let few = read_with(text, 1 << 20, GameNeeds::TAGS);
        for (few, whole) in few.iter().zip(read(text)) {
            assert_eq!(few.tags, whole.tags);
        }
    }
}
