//! From CBF to PGN and back: the result is the game, apart from the losses that were reported on either way.

use std::io::Cursor;
use std::path::{Path, PathBuf};

use tabiya_formats::cbf::CbfReader;
use tabiya_formats::format::OpenOptions;
use tabiya_formats::pgn;
use tabiya_model::database::for_each_game;
use tabiya_model::{Game, GameNeeds, Losses};

use crate::cbf::law::write;
use crate::cbf::oracles::read_all;
use crate::cbf::{kept, shared};

/// A game as PGN, read again, and its losses on the way.
fn through_pgn(game: &Game) -> (Game, Losses) {
    let (mut text, mut losses) = (Vec::new(), Losses::default());
    pgn::PgnGameWriter::new(pgn::PgnStyle::default()).write(game, &mut text, &mut losses);
    let stream = pgn::FORMAT.stream.expect("PGN is read from pipes");
    let mut source =
        stream(Box::new(Cursor::new(text)), &OpenOptions::default()).expect("it is PGN");
    let mut games = Vec::new();
    for_each_game(&mut *source, GameNeeds::ALL, |game| {
        games.push(game.clone());
        Ok(())
    })
    .expect("read");
    assert_eq!(games.len(), 1, "one game stays one game");
    let mut copy = games.remove(0);
    copy.origin.number = game.origin.number;
    (copy, losses)
}

fn bases(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension.eq_ignore_ascii_case("cbf"))
            {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn what_the_way_through_pgn_changes_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let again = folder.path().join("again.cbf");
    let mut compared = 0;
    for shared_folder in ["oracles/cbf", "oracles/cbf-cblib"] {
        let Some(shared_folder) = shared(shared_folder) else {
            continue;
        };
        for path in bases(&shared_folder) {
            let Ok(reader) = CbfReader::open(&path, &OpenOptions::default()) else {
                continue;
            };
            let games = read_all(&reader);
            let (texts, mut losses): (Vec<Game>, Vec<Losses>) =
                games.iter().map(through_pgn).unzip();
            for (losses, mut more) in losses.iter_mut().zip(write(&again, &texts)) {
                losses.append(&mut more);
            }
            let copies =
                read_all(&CbfReader::open(&again, &OpenOptions::default()).expect("opened"));
            assert_eq!(copies.len(), games.len(), "{}", path.display());
            for ((game, copy), losses) in games.iter().zip(&copies).zip(&losses) {
                let place = format!("{}, game {}", path.display(), game.origin.number);
                kept::assert_told(&place, game, copy, losses);
                compared += 1;
            }
        }
    }
    assert!(
        compared > 150 || shared("oracles/cbf").is_none(),
        "{compared} games"
    );
}
