//! Games written by our own encoder are read back unchanged: random games from all kinds of starts.

use tabiya_formats::cbh2::Cbh2Reader;
use tabiya_formats::format::OpenOptions;
use tabiya_model::facts::{FactFields, GameFacts, NameTable};
use tabiya_model::game::{StartingPosition, Variant};
use tabiya_model::positions::{MoveDelta, PositionSource};
use tabiya_model::tape::TapeOp;
use tabiya_model::{Database, Game, GameNeeds, Severity};

use crate::cbh::encode::{listed, tree};
use crate::cbh2::base::{Base, More};
use crate::cbh2::games::{self, Wild};

const GAMES: usize = 40;

/// Games of many kinds; long runs try more.
fn seeds() -> u64 {
    match tabiya_testing::is_full() {
        true => 200,
        false => 8,
    }
}

#[test]
fn random_games() {
    let wild = Wild {
        starts: true,
        ..Wild::TAME
    };
    for seed in 0..seeds() {
        let mut games = games::games(seed, GAMES, wild);
        // Names have little room in our containers, and NAGs one byte.
        for game in &mut games {
            for tag in ["Event", "Site", "White", "Black"] {
                if game.tags.value(tag).len() > 30 {
                    game.tags.set(tag, "?");
                }
            }
        }
        let mut base = Base::default();
        for game in &games {
            base.game(game, &More::default());
        }
        compare(&base, &games, &format!("seed {seed}"));
    }
}

fn compare(base: &Base, games: &[Game], place: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("law.2cbh");
    base.write(&path);
    let options = OpenOptions {
        audit: true,
        ..OpenOptions::default()
    };
    let reader = Cbh2Reader::open(&path, &options).expect("opened");
    let told = reader.diagnostics();
    assert!(told.is_empty(), "{place}: {told:?}");
    assert_eq!(reader.count(), games.len() as u64);
    for (number, wanted) in (1..).zip(games) {
        let mut game = Game::default();
        reader
            .read(number, GameNeeds::ALL, &mut game)
            .expect("read");
        let place = format!("{place}, game {number}");
        let damage = game.diagnostics.at_least(Severity::Damage);
        assert_eq!(damage, 0, "{place}: {:?}", game.diagnostics);
        let [got, wanted_tree] = [&game, wanted].map(|game| listed(&tree(game)));
        let differs = got.iter().zip(&wanted_tree).find(|(a, b)| a != b);
        assert_eq!(differs, None, "{place}");
        assert_eq!(got.len(), wanted_tree.len(), "{place}");
        // The fifty-move counter is not kept.
        let position = |game: &Game| {
            let fen = game.start_board().to_fen();
            fen.split(' ').take(4).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(position(&game), position(wanted), "{place}");
        for tag in ["White", "Black", "Event", "Site", "Date", "Result"] {
            let text = |game: &Game| match game.tags.value(tag) {
                "" => "?".to_owned(),
                text => text.to_owned(),
            };
            assert_eq!(text(&game), text(wanted), "{place}: {tag}");
        }
        say_the_same(&reader, number, &game, &place);
    }
}

/// Facts and positions agree with the game.
fn say_the_same(reader: &Cbh2Reader, number: u64, game: &Game, place: &str) {
    let facts = reader.facts().expect("facts");
    let fact = facts.fact(number, FactFields::ALL).expect("a fact");
    let of_game = GameFacts::of_game(game, |_, _| Some(0));
    let said = |field: FactFields| !fact.unsaid.meets(field);
    for (table, number, tag) in [
        (NameTable::Players, fact.players[0], "White"),
        (NameTable::Players, fact.players[1], "Black"),
        (NameTable::Events, fact.event, "Event"),
        (NameTable::Sites, fact.site, "Site"),
        (NameTable::Rounds, fact.round, "Round"),
    ] {
        assert!(number < facts.names(table), "{place}");
        assert_eq!(
            facts.name(table, number),
            game.tags.value(tag),
            "{place}: {tag}"
        );
    }
    assert_eq!(fact.elos, of_game.elos, "{place}");
    assert_eq!(fact.outcome, of_game.outcome, "{place}");
    assert!(
        !said(FactFields::DATE) || fact.date == of_game.date,
        "{place}"
    );
    assert!(!said(FactFields::ECO) || fact.eco == of_game.eco, "{place}");
    assert!(
        !said(FactFields::FLAGS) || fact.flags == of_game.flags,
        "{place}"
    );
    if said(FactFields::ANNOTATIONS) {
        let of = |fact: &GameFacts| (fact.comments, fact.nags, fact.variations);
        assert_eq!(of(&fact), of(&of_game), "{place}");
    }
    let mut walker = reader.walker();
    walker.open(number).expect("opened");
    let mut steps = Vec::new();
    while walker.steps(true, 7, &mut steps).expect("walked") {}
    let mut board = game.start_board();
    let mut before = board.clone();
    let mut open = Vec::new();
    let mut wanted = Vec::new();
    for op in game.tape.ops() {
        match op {
            TapeOp::Move(m) => {
                wanted.push(MoveDelta::of_move(&board, m));
                before = board.clone();
                board.play(m);
            }
            TapeOp::Begin(_) => {
                wanted.push(MoveDelta::BEGIN);
                open.push((board.clone(), before.clone()));
                board = before.clone();
            }
            TapeOp::End => {
                wanted.push(MoveDelta::END);
                (board, before) = open.pop().expect("an open line");
            }
            _ => {}
        }
    }
    assert_eq!(steps, wanted, "{place}");
    assert!(!walker.is_damaged(), "{place}");
}

#[test]
fn every_start_of_chess960() {
    let mut base = Base::default();
    let mut games = Vec::new();
    for number in (0..960).filter(|number| *number != 518) {
        let board = tabiya_formats::cbh2::start::chess960_board(number).0;
        let fen = board.to_fen();
        let (again, problems) = tabiya_model::Board::from_fen(&fen).expect("a position");
        assert!(problems.is_empty() && again == board, "{fen}");
        let mut game = Game {
            variant: Variant::Chess960,
            start: StartingPosition::Setup(Box::new(board), problems),
            ..Game::default()
        };
        game.tags.push("White", "?");
        game.tags.push("Result", "*");
        base.game(
            &game,
            &More {
                start: Some(number),
                ..More::default()
            },
        );
        games.push(fen);
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("starts.2cbh");
    base.write(&path);
    let reader = Cbh2Reader::open(&path, &OpenOptions::default()).expect("opened");
    for (number, fen) in (1..).zip(&games) {
        let mut game = Game::default();
        reader
            .read(number, GameNeeds::ALL, &mut game)
            .expect("read");
        assert_eq!(game.tags.value("FEN"), fen);
        assert_eq!(game.tags.value("Variant"), "Chess960");
        assert!(game.diagnostics.is_empty(), "{:?}", game.diagnostics);
    }
}
