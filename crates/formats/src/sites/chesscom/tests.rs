use std::io::Cursor;

use tabiya_codec::format::OpenOptions;
use tabiya_codec::text_file::TextInput;
use tabiya_codec::unpack_failure::UnpackFailure;
use tabiya_model::database::for_each_game;
use tabiya_model::{Game, GameNeeds, TapeOp};

use super::reader::ChesscomReader;
use super::recognise;
use crate::sites::FIELDS_TAG;
use crate::sites::object_source::SiteSource;

const GAMES: &str = include_str!("../../../../../corpus/chesscom/ok/month.chesscom");
const BROKEN: &str = include_str!("../../../../../corpus/chesscom/bad/broken.chesscom");

fn read_with(text: &str, block: usize, want: GameNeeds) -> Vec<Game> {
    let options = OpenOptions::default();
    let source = SiteSource::<ChesscomReader>::new(TextInput {
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

fn codes(game: &Game) -> Vec<&'static str> {
    game.diagnostics.iter().map(|d| d.code.name).collect()
}

#[test]
fn a_game_is_its_pgn_and_what_pgn_does_not_say() {
    let games = read(GAMES);
    let game = &games[0];
    assert_eq!(codes(game), Vec::<&str>::new());
    assert_eq!(game.tape.plies(), 7);
    let tag = |name: &str| game.tags.get(name).unwrap_or("none");
    for (name, value) in [
        ("White", "SampleRook"),
        ("Link", "https://www.chess.com/game/live/900000001"),
        ("WhiteAccuracy", "93.21"),
        ("BlackAccuracy", "60.5"),
        ("BlackResult", "checkmated"),
        ("GameUuid", "00000000-0000-11ef-0000-000000000001"),
        ("EndedAt", "1714586460"),
        ("Rules", "chess"),
        ("Rated", "true"),
        // These are in the PGN already.
        ("GameUrl", "none"),
        ("WhiteRating", "none"),
        ("WhiteId", "none"),
        ("InitialSetup", "none"),
        (FIELDS_TAG, "none"),
    ] {
        assert_eq!(tag(name), value, "{name}");
    }
}

#[test]
fn a_game_without_pgn_is_read_from_its_tcn() {
    let games = read(GAMES);
    assert_eq!(games.len(), 4);
    let tag = |at: usize, name: &str| games[at].tags.get(name).unwrap_or("none").to_owned();
    assert_eq!(games[1].tape.plies(), 4);
    assert_eq!(codes(&games[1]), Vec::<&str>::new());
    assert_eq!(tag(1, "Result"), "1/2-1/2");
    assert_eq!(tag(1, "Date"), "2024.05.01");
    assert_eq!(tag(1, "TimeControl"), "600");
    assert_eq!(tag(1, "WhiteElo"), "1510");
    assert_eq!(tag(2, "Variant"), "Chess960");
    assert_eq!(tag(2, "Result"), "0-1");
    assert_eq!(tag(2, "Date"), "2024.04.29");
    assert_eq!(tag(2, "EndDate"), "2024.05.01");
    assert_eq!(
        tag(2, "BlackId"),
        "https://api.chess.com/pub/player/renamed"
    );
    assert_eq!(games[2].tape.plies(), 1);
    assert_eq!(codes(&games[3]), ["site-variant"]);
    let raw: Vec<&str> = games[3]
        .tape
        .ops()
        .filter_map(|op| match op {
            TapeOp::Raw(id) => Some(games[3].tape.text(id)),
            _ => None,
        })
        .collect();
    assert_eq!(raw, ["e2e4 d7d5 e4d5 P@e4"]);
    assert_eq!(tag(3, FIELDS_TAG), r#"{"new_field.a":[1,2]}"#);
}

#[test]
fn broken_games_do_not_hide_their_neighbours() {
    let games = read(BROKEN);
    let links: Vec<&str> = games
        .iter()
        .map(|game| game.tags.value("Link").rsplit('/').next().unwrap_or(""))
        .collect();
    assert_eq!(links, ["900000011", "900000012", "900000013", "900000014"]);
    assert_eq!(codes(&games[0]), ["site-other-moves"]);
    assert_eq!(codes(&games[1]), ["site-unreadable-move"]);
    assert!(codes(&games[2]).contains(&"site-broken-game"));
    assert!(codes(&games[2]).contains(&"pgn-unreadable-move"));
    assert_eq!(codes(&games[3]), ["site-broken-game"]);
    assert_eq!(games[3].tape.plies(), 2);
}

#[test]
fn blocks_of_any_size_give_the_same_games() {
    for text in [GAMES, BROKEN] {
        let whole = read(text);
        for block in [1, 7, 100, 1000, 5000] {
            let games = read_with(text, block, GameNeeds::ALL);
            assert_eq!(games, whole, "blocks of {block}");
        }
        let few = read_with(text, 1 << 20, GameNeeds::TAGS);
        for (few, whole) in few.iter().zip(whole) {
            assert_eq!(few.tags, whole.tags);
        }
    }
}

#[test]
fn an_empty_month_has_no_games_and_other_json_is_refused() {
    assert!(read("{\"games\":[]}").is_empty());
    assert!(recognise(b" { \"games\" : [ ] } "));
    assert!(!recognise(b"{\"message\":\"User not found.\",\"code\":0}"));
    assert!(!recognise(b"{\"archives\":[]}"));
    let two = format!("{GAMES}{GAMES}");
    assert_eq!(read(&two).len(), 8);
}
