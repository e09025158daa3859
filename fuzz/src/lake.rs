//! A lake: a manifest and the one file of games that it lists, laid out as the folder that they are.

use std::path::Path;

use tabiya_formats::{
    format::OpenOptions,
    lake::{FORMAT, manifest},
};

use crate::{BUDGET, FuzzTarget, databases};

/// Where the file of games stands in the samples.
const GAMES: &str = "games/000001-00001.parquet";

/// One target: opens the folder, whatever its files say of each other.
pub fn targets() -> Vec<FuzzTarget> {
    vec![FuzzTarget {
        name: FORMAT.name.to_owned(),
        folder: "lake-parts".to_owned(),
        suffixes: vec![".manifest".to_owned(), ".games".to_owned()],
        words: &[],
        budget: BUDGET,
        run: Box::new(|parts| {
            let [manifest, games] = *parts else { return };
            let folder = databases::folder().join("input.lake");
            lay_out(&folder, manifest, games);
            if let Some(open) = FORMAT.open
                && let Ok(database) = open(&folder, &OpenOptions::default())
            {
                databases::survey(&*database);
            }
        }),
    }]
}

fn lay_out(folder: &Path, manifest: &[u8], games: &[u8]) {
    std::fs::create_dir_all(folder.join("games")).expect("the folder of the input can be made");
    for (name, bytes) in [(manifest::NAME, manifest), (GAMES, games)] {
        let path = folder.join(name);
        // A new file each time: the old one may still be mapped.
        let _ = std::fs::remove_file(&path);
        std::fs::write(path, bytes).expect("the input can be written");
    }
}
