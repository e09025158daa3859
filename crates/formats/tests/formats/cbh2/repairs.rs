//! Repair, compared with the undamaged database: everything that the damage did not affect is restored unchanged, and the
//! rest is reported.

use tabiya_formats::cbh2::Cbh2Reader;
use tabiya_formats::format::OpenOptions;
use tabiya_model::{Database, Game, GameNeeds};

use crate::cbh::encode::{listed, tree};
use crate::cbh2::samples::corpus;

fn games(reader: &Cbh2Reader) -> Vec<Game> {
    let mut games = Vec::new();
    let mut source = reader.source(None).expect("a source");
    tabiya_model::database::for_each_game(&mut *source, GameNeeds::ALL, |game| {
        games.push(game.clone());
        Ok(())
    })
    .expect("games are never errors");
    games
}

/// The start of a game, its moves, and its texts.
fn moves(game: &Game) -> impl PartialEq + std::fmt::Debug + use<> {
    let nodes = listed(&tree(game)).into_iter();
    let moves: Vec<_> = nodes.map(|(parent, node)| (parent, node.m)).collect();
    let body = game
        .tape
        .extensions()
        .iter()
        .find(|it| it.name == "2cbh.text");
    (game.start.clone(), moves, body.map(|it| it.data.clone()))
}

/// Games whose headers are cut off are found by their moves; those with headers are unchanged.
#[test]
fn games_without_headers_are_found() {
    let sample = corpus("2cbh/ok/modern.2cbh");
    let options = OpenOptions::default();
    let whole = games(&Cbh2Reader::open(&sample, &options).expect("opened"));
    for kept in [0, 1, 5, 7] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("cut.2cbh");
        for extension in ["2cbg", "2cba", "2lid", "ini"] {
            let to = path.with_extension(extension);
            std::fs::copy(sample.with_extension(extension), to).expect("copied");
        }
        let headers = std::fs::read(&sample).expect("read");
        std::fs::write(&path, &headers[..192 * (kept + 1)]).expect("written");
        let reader = Cbh2Reader::salvage(&path, &options).expect("opened");
        assert_eq!(reader.count(), whole.len() as u64, "{kept}");
        let found = games(&reader);
        assert_eq!(found[..kept], whole[..kept], "{kept}");
        // Records are in the order of their games.
        for (found, whole) in found.iter().zip(&whole).skip(kept) {
            assert_eq!(moves(found), moves(whole), "{kept}");
            assert_eq!(found.diagnostics.count_of("2cbh-rescued"), 1);
        }
        let lost = reader.missing();
        assert!(
            lost.iter().any(|loss| loss.kind.name == "headers-gone"),
            "{kept}"
        );
        assert!(
            !lost.iter().any(|loss| loss.kind.name == "games-gone"),
            "{kept}"
        );
        // Without any header file, only the moves are left. Windows keeps the name of a file as long as it is open.
        drop(reader);
        std::fs::remove_file(&path).expect("removed");
        let other = path.with_extension("2cbg");
        assert!(Cbh2Reader::open(&other, &options).is_err());
        let reader = Cbh2Reader::salvage(&other, &options).expect("opened");
        assert_eq!(reader.count(), whole.len() as u64);
    }
}

/// A sound database is unchanged by salvaging.
#[test]
fn a_sound_database_is_salvaged_as_it_is() {
    let sample = corpus("2cbh/ok/modern.2cbh");
    let options = OpenOptions::default();
    let whole = games(&Cbh2Reader::open(&sample, &options).expect("opened"));
    let reader = Cbh2Reader::salvage(&sample, &options).expect("opened");
    assert!(
        reader.diagnostics().is_empty(),
        "{:?}",
        reader.diagnostics()
    );
    assert!(reader.missing().is_empty());
    assert_eq!(games(&reader), whole);
}
