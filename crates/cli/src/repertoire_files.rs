//! The repertoires that queries of the command line name: files.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use shakmaty::Color;
use tabiya::repertoire::{self, Repertoire};
use tabiya::{Base, Opener};
use tabiya_model::error_codes::FILE_NOT_FOUND;
use tabiya_query::RepertoireSource;

use crate::output::say;
use crate::{interrupt, report};

/// Reads repertoires that are named by their paths, each once.
#[derive(Debug, Default)]
pub(crate) struct RepertoireFiles {
    read: Mutex<BTreeMap<(String, bool, bool), Arc<Repertoire>>>,
}

/// The bases of a path.
fn open(path: &str) -> Result<Vec<Base>, String> {
    let opened = Opener::default().open_all(&[PathBuf::from(path)]);
    let Some(failure) = opened.failed.first() else {
        return Ok(opened.bases);
    };
    let error = &failure.error;
    Err(match error.file() {
        _ if *error.code == FILE_NOT_FOUND => {
            format!("there is no file or folder {}", failure.name)
        }
        Some(_) => error.to_string(),
        None => format!("{}: {error}", failure.name),
    })
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
        let bases = open(name)?;
        let made = repertoire::read(&bases, color, &interrupt::control());
        let made = made.map(|all| all.into_iter().map(Arc::new).collect());
        let one = repertoire::only_repertoire(name, made)?;
        keep_damage(&bases, one.damaged());
        say_color(name, &one);
        read.insert(place, Arc::clone(&one));
        Ok(one)
    }
}

/// Whether something that was read as a repertoire is damaged.
static IS_DAMAGED: AtomicBool = AtomicBool::new(false);

/// Whether something that this process has read as a repertoire is damaged: what comes of it is incomplete.
pub(crate) fn is_damaged() -> bool {
    IS_DAMAGED.load(Ordering::Relaxed)
}

/// Keeps whether a repertoire, or what is around its games, is damaged. The damage of games is told by who asks.
pub(crate) fn keep_damage(bases: &[Base], games: u64) {
    if report::print_container_damage(bases) || games > 0 {
        IS_DAMAGED.store(true, Ordering::Relaxed);
    }
}

/// Says for which side a repertoire is, if that was recognised.
pub(crate) fn say_color(name: &str, repertoire: &Repertoire) {
    if let Some(note) = repertoire::color_note(name, repertoire) {
        say(&note);
    }
}
