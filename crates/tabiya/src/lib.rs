//! Tabiya, the universal chess database: opens every chess database people own, without losing anything.
//!
//! Open any database and walk its games:
//!
//! ```
//! # fn main() -> tabiya::model::Result<()> {
//! # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/pgn/ok/opera.pgn");
//! use tabiya::model::GameNeeds;
//!
//! for base in tabiya::open(path)? {
//!     for game in base.games(GameNeeds::ALL)? {
//!         let game = game?;
//!         println!("{} - {}: {} plies", game.tags.value("White"), game.tags.value("Black"), game.tape.plies());
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Which level to use for what:
//!
//! * An [`Opener`] finds out what paths hold; a [`Base`] is an open database: owned, cheap to clone, shared by threads,
//!   with its index, and with a [`base::BaseGeneration`] that shows when its files have changed.
//! * A job is a function that takes bases, options and a [`model::Control`] and returns a value: [`convert`], …. It prints
//!   nothing. If there can be many results, a callback gets each as it is found.
//! * Everything is written through a [`Target`], which always keeps what a source says about itself.
//! * [`formats`], [`query`], [`explore`] and [`model`] are the layers below, for what no job does.
//!
//! Features: `parquet`, on by default, reads and writes Parquet files and lakes; `serde` lets data (dates, results,
//! findings, losses, facts about a base) be serialised. Databases on a running server need a client of the program
//! ([`database_server`]). `docs/library.md` has everything else that a program using this library has to know.

pub mod error_codes;
pub mod fetch_file;
mod open;
pub mod secrets;
mod select;
mod study;
mod write;

pub use open::base::Base;
pub use open::opener::{BaseFailure, OpenedBases, Opener, Password, PasswordPrompt, open};
pub use open::temporary_folder::TemporaryFolder;
pub use open::{
    archive, base, database_server, folder_listing, foreign_formats, identify, opener, sidecar,
    window_list,
};
pub use select::game_order::GameOrder;
pub use select::numbers::GameNumbers;
pub use select::selection::{DeletedGames, Selection};
pub use select::{fact_sort, game_order, list, numbers, sample, selection, show};
pub use study::{
    analyse, check, crosstable, dedupe, diff, dossier, eco, explorer, info, mistakes, names,
    novelty, pages, player, repertoire, stats, tactics,
};
pub use tabiya_answers as answers;
pub use tabiya_engine as engine;
pub use tabiya_explore as explore;
pub use tabiya_formats as formats;
pub use tabiya_model as model;
pub use tabiya_openings as openings;
pub use tabiya_query as query;
pub use tabiya_stats as statistics;
#[cfg(feature = "parquet")]
pub use write::lake;
pub use write::target::Target;
pub use write::{book, bulk, convert, edit, history, index, made_games, report, target};

/// Finds games in bases: counts them, streams them in order or sorted, or copies them to a target.
pub mod search {
    pub use crate::select::search::*;
    pub use crate::write::search_copy::{SearchCopyReport, copy};
}

/// The recipes of the document, which run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/library.md")]
struct LibraryDocument;

/// Removes what unfinished jobs have left: temporary files, locks, and folders of unpacked archives. From now on no target
/// is put in place. For a program that ends without waiting for its jobs.
pub fn clean_up() {
    tabiya_io::interrupt::stop(true);
}

/// The same, unless a target is already in place: then nothing is done, and this returns false. The job ends by itself and
/// reports what it has done.
pub fn stop() -> bool {
    tabiya_io::interrupt::stop(false)
}

/// Whether this program has put a target in place: a new base, a change of one, an index.
pub fn has_written() -> bool {
    tabiya_io::interrupt::is_decided()
}
