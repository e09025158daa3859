//! The same games in the older format and in this one, and real databases of the older format written in this one.

use std::path::Path;

use tabiya_formats::cbh::{self, CbhReader};
use tabiya_formats::format::{OpenOptions, WriteOptions};
use tabiya_model::database::SinkWriter;
use tabiya_model::diff::diff;
use tabiya_model::{Game, Losses};

use super::files::Files;
use super::{all, read, write};
use crate::cbh2::games::{self, Wild};
use crate::cbh2::shared;

fn write_older(path: &Path, games: &[Game]) -> Losses {
    let options = WriteOptions {
        force: true,
        ..WriteOptions::default()
    };
    let create = cbh::FORMAT.create.expect("it is written");
    let mut writer = SinkWriter::new(create(path, &options).expect("created"));
    let mut losses = Losses::default();
    for game in games {
        writer.write(game, &mut losses).expect("written");
    }
    writer.finish().expect("finished");
    losses
}

fn older(path: &Path) -> Vec<Game> {
    all(&CbhReader::open(path, &OpenOptions::default()).expect("opened"))
}

#[test]
fn games_are_the_same_in_both_formats() {
    let folder = tempfile::tempdir().expect("a folder");
    let (first, second) = (folder.path().join("a.cbh"), folder.path().join("b.2cbh"));
    let seeds = if tabiya_testing::is_full() { 100 } else { 5 };
    let mut same = 0;
    for seed in 0..seeds {
        let games = games::games(seed, 50, Wild::TAME);
        let losses = write_older(&first, &games);
        let more = write(&second, &games);
        for (one, other) in older(&first).iter().zip(&read(&second, true)) {
            let is_told = losses
                .iter()
                .chain(more.iter())
                .any(|loss| loss.game == one.origin.number);
            let differences = diff(one, other);
            assert!(
                differences.is_empty() || is_told,
                "seed {seed}: {differences:?}"
            );
            same += usize::from(differences.is_empty());
        }
    }
    eprintln!("{same} games without a difference");
    assert!(same > 100, "{same}");
}

#[test]
fn real_databases_of_the_older_format_are_written_in_this_one() {
    let Some(root) = shared("oracles/cbh") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("newer.2cbh");
    for (name, stem) in [
        ("linares", "linares"),
        ("cb12", "cb12"),
        ("test-annotations", "test-annotations"),
        ("twic1134", "twic1134"),
    ] {
        let mut games = older(&root.join(name).join(stem).with_extension("cbh"));
        if !tabiya_testing::is_full() {
            games.truncate(1_000);
        }
        let losses = write(&path, &games);
        let files = Files::of(&path, true);
        files.hold_together();
        let mut same = 0;
        for (game, copy) in games.iter().zip(&read(&path, true)) {
            let is_told = losses.iter().any(|loss| loss.game == game.origin.number);
            let differences = diff(game, copy);
            assert!(
                differences.is_empty() || is_told,
                "{name} {}: {differences:?}",
                game.origin.number
            );
            same += usize::from(differences.is_empty());
        }
        eprintln!(
            "{name}: {same} of {} games without a difference",
            games.len()
        );
        assert!(
            same * 10 >= games.len() * 8 || name == "test-annotations",
            "{name}"
        );
    }
}
