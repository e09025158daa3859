//! What single terms mean, on games made for them.

use tabiya_model::game::StartingPosition;
use tabiya_model::{Board, Game};
use tabiya_query::{Query, QueryContext, QueryEvaluator};

/// A game of moves in SAN from the normal start, with tags.
fn game(moves: &str, tags: &[(&str, &str)]) -> Game {
    game_from(None, moves, tags)
}

fn game_from(fen: Option<&str>, moves: &str, tags: &[(&str, &str)]) -> Game {
    let mut game = Game::default();
    for (name, value) in tags {
        game.tags.push(name, value);
    }
    if let Some(fen) = fen {
        let (board, problems) = Board::from_fen(fen).expect("a position");
        game.start = StartingPosition::Setup(Box::new(board), problems);
    }
    let mut board = game.start_board();
    for san in moves.split_whitespace() {
        let (m, _) = board.read_san(san.as_bytes()).expect("a move");
        let m = m.unwrap_or_else(|_| panic!("{san} is legal"));
        game.tape.push_move(m);
        board.play(m);
    }
    game
}

fn hit(query: &str, game: &Game) -> Option<Option<u32>> {
    let parsed = Query::parse(query, QueryContext::default());
    let parsed = parsed.unwrap_or_else(|error| panic!("{}", error.render(query)));
    let found = QueryEvaluator::new(&parsed, true).hit(game, 1);
    found.map(|found| found.ply)
}

fn holds(query: &str, game: &Game) -> bool {
    hit(query, game).is_some()
}

const NAJDORF: &str = "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Be2 e5";

#[test]
fn an_opening_has_the_name_of_its_positions_where_tags_say_none() {
    let plain = game(NAJDORF, &[("ECO", "B92")]);
    for query in [
        "opening:Sicilian",
        "opening:najdorf",
        "opening:/^sicilian defense: najdorf/",
        "opening~\"opocensky\"",
        "opening:(French or Najdorf)",
        "opening!=Sicilian",
        "not opening:French",
        "opening:S*",
    ] {
        assert!(holds(query, &plain), "{query}");
    }
    for query in [
        "opening:French",
        "opening=Sicilian",
        "opening=\"\"",
        "not opening:Najdorf",
    ] {
        assert!(!holds(query, &plain), "{query}");
    }
    // It has no place.
    assert_eq!(hit("opening:Najdorf", &plain), Some(None));
    // What a tag says counts, and alone.
    for tag in ["Opening", "Variation", "SubVariation"] {
        let told = game(NAJDORF, &[(tag, "Sizilianisch")]);
        assert!(holds("opening:sizilianisch", &told), "{tag}");
        assert!(!holds("opening:Sicilian", &told), "{tag}");
    }
    let blank = game(NAJDORF, &[("Opening", ""), ("Variation", " ")]);
    assert!(holds("opening:Najdorf", &blank));
    // Other orders of moves have the same name.
    let other = game("e4 c5 Nc3 a6 Nf3 d6 d4 cxd4 Nxd4 Nf6", &[]);
    assert!(holds("opening:Najdorf", &other));
    // The last position that has a name tells, and not those before.
    assert!(!holds("opening:\"King's Pawn\"", &plain));
    // Games without a name.
    let bare = game("", &[]);
    let ending = game_from(Some("8/8/4k3/8/8/4K3/4P3/8 w - - 0 1"), "Kd4", &[]);
    for game in [&bare, &ending] {
        assert!(holds("opening=\"\"", game) && !holds("opening:Sicilian", game));
        assert!(!holds("opening!=\"\"", game));
    }
}

#[test]
fn an_opening_has_the_code_of_its_positions_where_no_tag_has_one() {
    let untold = [
        game(NAJDORF, &[]),
        game(NAJDORF, &[("ECO", "")]),
        game(NAJDORF, &[("ECO", "?")]),
        game(NAJDORF, &[("Opening", "Sizilianisch")]),
    ];
    for (query, answer) in [
        ("eco:B92", true),
        ("B92", true),
        ("b92", true),
        ("B90-B99", true),
        ("B90..B99", true),
        ("eco:B9", true),
        ("eco:B90..", true),
        ("eco:..B92", true),
        ("eco>=B92", true),
        ("eco:C10,B92", true),
        ("eco:(C10 or B92)", true),
        ("eco!=B90", true),
        ("eco:B90", false),
        ("B93-B99", false),
        ("eco:..B91", false),
        ("eco>=B93", false),
        ("eco:A00,C10,E", false),
        ("not eco:B92", false),
        ("eco!=B92", false),
    ] {
        for game in &untold {
            assert_eq!(holds(query, game), answer, "{query} {:?}", game.tags);
        }
    }
    // What the tag says counts, and alone.
    for code in ["C10", "C10/2", "none"] {
        let told = game(NAJDORF, &[("ECO", code)]);
        assert!(!holds("B92", &told), "{code}");
        assert_eq!(holds("eco:C10", &told), code != "none", "{code}");
    }
    // Other orders of moves have the same code; a game without moves has none.
    let other = game("e4 c5 Nc3 a6 Nf3 d6 d4 cxd4 Nxd4 Nf6", &[]);
    assert!(holds("B90", &other));
    let bare = game("", &[]);
    assert!(!holds("eco:A..E", &bare) && holds("eco!=A00", &bare));
}

#[test]
fn what_stands_in_variations_names_no_opening() {
    let mut with = game("e4", &[]);
    let french = game("e4 e6", &[]);
    let mut board = Board::standard();
    board.play(with.tape.main_line().next().expect("a move"));
    let answer = french.tape.main_line().nth(1).expect("a move");
    with.tape
        .push_move(board.read_san(b"e5").expect("a move").0.expect("legal"));
    with.tape.begin_variation();
    with.tape.push_move(answer);
    with.tape.end_variation();
    assert!(holds("opening:\"King's Pawn\"", &with));
    assert!(!holds("opening:French", &with));
}

/// The bishop is given on the seventh ply, and the check that wins it back never comes.
const GIVEN: &str = "e4 e5 Bc4 Nc6 Qh5 g6 Bxf7+ Kxf7 Qf3+ Kg7 a3 a6 b3 b6 c3 d6 d3 Be6";

#[test]
fn a_sacrifice_heeds_its_options() {
    let game = game(GIVEN, &[]);
    assert_eq!(hit("sacrifice[white]>=2", &game), Some(Some(8)));
    for (options, is_there) in [
        ("plies 0..1", false),
        ("plies 0..7", false),
        ("plies 8..8", true),
        ("plies 9..", false),
        ("moves ..4", false),
        ("moves 5..5", true),
        ("moves 6..", false),
        ("black", false),
        ("white, plies 8.., moves ..5", true),
        ("main", true),
    ] {
        let query = format!("sacrifice[{options}]>=2");
        assert_eq!(holds(&query, &game), is_there, "{query}");
    }
    for query in [
        "sacrifice[lasting 4]",
        "sacrifice[lasting 1..3]>=2",
        "sacrifice[flip]",
    ] {
        assert!(
            Query::parse(query, QueryContext::default()).is_err(),
            "{query}"
        );
    }
}

#[test]
fn an_exchange_takes_the_options_of_captures() {
    // White takes first, and each side takes a queen.
    let game = game("e4 e5 Qh5 Qh4 Qxh4 d6 Qd8+ Kxd8", &[]);
    assert!(!holds("exchange:Q", &game));
    let pair = game_of_queens();
    for (query, ply) in [
        ("exchange:Q", Some(8)),
        ("exchange[white]:Q", Some(8)),
        ("exchange[black]:Q", None),
        ("exchange[black, flip]:Q", Some(8)),
        ("exchange[white, mirror]:Q", Some(8)),
        ("exchange:any", Some(6)),
        ("exchange[plies 7..]:any", Some(8)),
        ("exchange[plies ..7]:Q", None),
        ("exchange:RB", None),
    ] {
        assert_eq!(hit(query, &pair), ply.map(Some), "{query}");
    }
    for query in ["exchange[lasting 2]:Q", "exchange[lasting 1..5]:Q"] {
        assert!(
            Query::parse(query, QueryContext::default()).is_err(),
            "{query}"
        );
    }
}

/// Pawns are exchanged by the sixth ply, queens by the eighth.
fn game_of_queens() -> Game {
    game("e4 e5 d4 d6 dxe5 dxe5 Qxd8+ Kxd8", &[])
}

#[test]
fn a_ray_is_a_line_with_nothing_between_its_pieces() {
    let game = game_from(Some("4k3/8/4n3/8/4R3/8/8/4K3 w - - 0 1"), "", &[]);
    for (query, is_there) in [
        ("ray:\"R, n, k\"", true),
        ("ray:\"k, n, R\"", true),
        ("ray[straight]:\"R, n, k\"", true),
        ("ray[diagonal]:\"R, n, k\"", false),
        ("ray[straight, diagonal]:\"R, n, k\"", true),
        ("ray:\"R, k\"", false),
        ("ray:\"K, R, n, k\"", true),
        // Empty squares are met where a set has them.
        ("ray:\"R, [e5], n\"", true),
        ("ray:\"R, -, n, -, k\"", true),
        ("ray:\"R, -, -, n\"", false),
        ("ray:\"[e5], n, k\"", true),
    ] {
        assert_eq!(holds(query, &game), is_there, "{query}");
    }
}

#[test]
fn an_annotator_is_found_by_a_form_of_a_name_or_a_part_of_the_text() {
    for (value, query, is_there) in [
        ("Garry Kasparov", "annotator:\"Kasparov, G\"", true),
        ("Stockfish 16.1", "annotator:stockfish", true),
        ("Karpov/Kasparov", "annotator:Kasparov", true),
        ("https://lichess.org/@/somebody", "annotator:lichess", true),
        ("Anand", "annotator:Kasparov", false),
        ("", "annotator:\"\"", true),
        ("Anand", "annotator:\"\"", false),
        ("Anand,V", "annotator=Anand", false),
    ] {
        let game = game("e4", &[("Annotator", value)]);
        assert_eq!(holds(query, &game), is_there, "{query} {value}");
    }
}

#[test]
fn a_game_of_no_known_speed_is_of_unknown_speed() {
    for (control, query, is_there) in [
        ("180+2", "speed:blitz", true),
        ("180+2", "speed:unknown", false),
        ("600", "speed:rapid", true),
        ("", "speed:unknown", true),
        ("?", "speed:unknown", true),
        ("", "speed:classical", false),
        ("1/86400", "speed:correspondence", true),
    ] {
        let game = game("e4", &[("TimeControl", control)]);
        assert_eq!(holds(query, &game), is_there, "{query} {control}");
    }
}
