//! What the files should hold: a repair is compared with it. Also the facts in headers without their records.

use std::path::Path;

use tabiya_formats::chess_assistant::{CaReader, EXTENSIONS};
use tabiya_formats::format::OpenOptions;
use tabiya_model::facts::{self, FactFields, NameTable};
use tabiya_model::{Database, Game};

use crate::chess_assistant::generate;
use crate::chess_assistant::law::write;
use crate::chess_assistant::oracles::read_all;

fn options() -> OpenOptions {
    OpenOptions {
        mmap: false,
        ..OpenOptions::default()
    }
}

/// The number of games that a repair finds, and what it reports as lost.
fn salvage(path: &Path) -> (u64, Vec<String>) {
    let reader = CaReader::salvage(path, &options()).expect("opened");
    let gone = reader.missing();
    let kinds = gone.iter().map(|loss| loss.kind.name.to_owned());
    (reader.len().expect("counted"), kinds.collect())
}

#[test]
fn an_entry_behind_another_one_is_no_lost_game() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.cdp");
    write(&path, &generate::games(30, 3));
    assert_eq!(salvage(&path), (30, Vec::new()));
    // Every second game is reached through a negative entry, as left by programs that move records.
    let a02 = path.with_extension("a02");
    let mut table = std::fs::read(&a02).expect("readable");
    for game in (1..30).step_by(2) {
        let entry: [u8; 4] = table[4 * game..4 * game + 4]
            .try_into()
            .expect("four bytes");
        let number = i32::try_from(table.len() / 4).expect("small");
        table.extend(entry);
        table[4 * game..4 * game + 4].copy_from_slice(&(-number).to_le_bytes());
    }
    std::fs::write(&a02, &table).expect("written");
    let opened = CaReader::open(&path, &options()).expect("opened");
    assert_eq!(opened.len().expect("counted"), 30);
    assert_eq!(salvage(&path), (30, Vec::new()));
}

#[test]
fn what_is_gone_is_told_by_what_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.cdp");
    let [cdp, emb, d00, a02, d02] = EXTENSIONS;
    for (lost, expected) in [
        (cdp, &["about-gone"][..]),
        (emb, &["names-gone"]),
        (d00, &["headers-gone"]),
        (d02, &["moves-gone"]),
    ] {
        write(&path, &generate::games(20, 5));
        let file = path.with_extension(lost);
        std::fs::remove_file(&file).expect("removed");
        let by = if lost == cdp {
            path.with_extension(d02)
        } else {
            path.clone()
        };
        let (_, kinds) = salvage(&by);
        for kind in expected {
            assert!(kinds.iter().any(|found| found == kind), "{lost}: {kinds:?}");
        }
    }
    // Truncated addresses: the records are found, and their headers remain without them.
    write(&path, &generate::games(20, 5));
    let file = path.with_extension(a02);
    let bytes = std::fs::read(&file).expect("readable");
    std::fs::write(&file, &bytes[..40]).expect("written");
    let (_, kinds) = salvage(&path);
    assert!(kinds.iter().any(|kind| kind == "moves-gone"), "{kinds:?}");
    // Truncated headers.
    write(&path, &generate::games(20, 5));
    let file = path.with_extension(d00);
    let bytes = std::fs::read(&file).expect("readable");
    std::fs::write(&file, &bytes[..38 * 12]).expect("written");
    let (count, kinds) = salvage(&path);
    assert!(count <= 20 && !kinds.is_empty(), "{count} {kinds:?}");
    let opened = CaReader::open(&path, &options()).expect("opened");
    assert_eq!(
        opened.missing().iter().count(),
        1,
        "eight games have no header"
    );
}

#[test]
fn a00_survives_and_number_0_is_told_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.cdp");
    let mut games: Vec<Game> = generate::games(9, 11);
    for (number, game) in games.iter_mut().enumerate() {
        game.tags.remove("ECO");
        if number % 3 != 0 {
            game.tags
                .push("ECO", if number % 3 == 1 { "A00" } else { "B12" });
        }
    }
    let losses = write(&path, &games);
    assert!(
        losses
            .iter()
            .all(|losses| losses.iter().all(|loss| !loss.detail.contains("ECO")))
    );
    let reader = CaReader::open(&path, &options()).expect("opened");
    let again = read_all(&reader);
    for (game, again) in games.iter().zip(&again) {
        assert_eq!(game.tags.get("ECO"), again.tags.get("ECO"));
    }
    assert_eq!(reader.diagnostics().count_of("ca-eco-zero"), 1);
}

#[test]
fn facts_are_what_the_games_say() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.cdp");
    write(&path, &generate::games(120, 17));
    let reader = CaReader::open(&path, &options()).expect("opened");
    let known = reader.facts().expect("facts");
    let games = read_all(&reader);
    assert_eq!(known.len(), games.len() as u64);
    for game in &games {
        let number = game.origin.number;
        let fact = known.fact(number, FactFields::ALL).expect("a fact");
        let tags = &game.tags;
        for (table, id, tag) in [
            (NameTable::Players, fact.players[0], "White"),
            (NameTable::Players, fact.players[1], "Black"),
            (NameTable::Events, fact.event, "Event"),
            (NameTable::Sites, fact.site, "Site"),
            (NameTable::Rounds, fact.round, "Round"),
        ] {
            assert!(id < known.names(table));
            assert_eq!(known.name(table, id), tags.value(tag), "game {number}");
        }
        for (rating, color) in fact.ratings.into_iter().zip(shakmaty::Color::ALL) {
            assert_eq!(rating, facts::rating(tags, color).unwrap_or(0));
        }
        assert_eq!(fact.date, facts::date(tags, "Date").unwrap_or_default());
        assert_eq!(fact.outcome, game.result());
        assert!(fact.unsaid.meets(FactFields::PLIES) && !fact.unsaid.meets(FactFields::WHITE));
    }
    assert_eq!(known.fact(0, FactFields::ALL), None);
    assert_eq!(known.fact(games.len() as u64 + 1, FactFields::ALL), None);
}
