//! The repertoires that queries of the command line name: files.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use shakmaty::Color;
use tabiya::repertoire::{self, Repertoire};
use tabiya::{Base, Opener};
use tabiya_query::RepertoireSource;

use crate::interrupt;
use crate::output::say;

/// Reads repertoires that are named by their paths, each once.
#[derive(Debug, Default)]
pub(crate) struct RepertoireFiles {
    read: Mutex<BTreeMap<(String, bool, bool), Arc<Repertoire>>>,
}

/// The bases of a path.
fn open(path: &str) -> Result<Vec<Base>, String> {
    let opened = Opener::default().open_all(&[PathBuf::from(path)]);
    let failed = opened
        .failed
        .first()
        .map(|failure| match failure.error.file() {
            Some(_) => failure.error.to_string(),
            None => format!("{}: {}", failure.name, failure.error),
        });
    match failed {
        Some(failed) => Err(failed),
        None => Ok(opened.bases),
    }
}

impl RepertoireSource for RepertoireFiles {
    fn repertoire(&self, name: &str, color: Option<Color>) -> Result<Arc<Repertoire>, String> {
        let place = (
            name.to_owned(),
            color == Some(Color::White),
            color == Some(Color::Black),
        );
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = read.get(&place) {
            return Ok(Arc::clone(known));
        }
        let made = repertoire::read(&open(name)?, color, &interrupt::control());
        let made = made.map(|all| all.into_iter().map(Arc::new).collect());
        let one = repertoire::only_repertoire(name, made)?;
        say_color(name, &one);
        read.insert(place, Arc::clone(&one));
        Ok(one)
    }
}

/// Says for which side a repertoire is, if that was recognised.
pub(crate) fn say_color(name: &str, repertoire: &Repertoire) {
    if let Some(note) = repertoire::color_note(name, repertoire) {
        say(&note);
    }
}
