//! Games written by our own encoder are read back unchanged: random games from all kinds of starts, in every known mode.

use tabiya_formats::cbh::CbhReader;
use tabiya_formats::format::OpenOptions;
use tabiya_model::game::Variant;
use tabiya_model::{Database, Game, GameNeeds, Severity};

use crate::cbh::base::{Base, More, NEWEST};
use crate::cbh::encode;
use crate::cbh::games::{self, Wild};

const GAMES: usize = 40;

/// Games of many kinds; long runs try more.
fn seeds() -> u64 {
    match tabiya_testing::is_full() {
        true => 200,
        false => 8,
    }
}

#[test]
fn random_games_in_every_mode() {
    let wild = Wild {
        starts: true,
        ..Wild::TAME
    };
    for seed in 0..seeds() {
        let games = games::games(seed, GAMES, wild);
        for mode in [0, 4, 5] {
            let mut base = Base::new(NEWEST);
            for game in &games {
                let mode = match game.variant {
                    Variant::Chess960 => 10,
                    _ => mode,
                };
                let more = More {
                    mode,
                    ..More::default()
                };
                base.game(game, &more);
            }
            compare(&base, &games, &format!("seed {seed}, mode {mode}"));
        }
    }
}

fn compare(base: &Base, games: &[Game], place: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("law.cbh");
    base.write(&path);
    let options = OpenOptions {
        audit: true,
        ..OpenOptions::default()
    };
    let reader = CbhReader::open(&path, &options).expect("opened");
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
        let [got, wanted_tree] = [&game, wanted].map(|game| encode::listed(&encode::tree(game)));
        let differs = got.iter().zip(&wanted_tree).find(|(a, b)| a != b);
        assert_eq!(differs, None, "{place}");
        assert_eq!(got.len(), wanted_tree.len(), "{place}");
        // Neither the fifty-move counter nor numbers beyond 255 are kept.
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
            if text(wanted).len() <= 20 {
                assert_eq!(text(&game), text(wanted), "{place}: {tag}");
            }
        }
    }
}
