//! Tabiya, the universal chess database: opens every chess database people own and loses nothing on the way.
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
//! * An [`Opener`] finds out what paths hold; a [`Base`] is a database that is open: owned, cheap to clone, shared by
//!   threads, with its index, and with a [`base::BaseGeneration`] that tells when its files have changed.
//! * A job is a function that takes bases, options and a [`model::Control`] and gives a value: [`convert`], ….
//!   It prints nothing. What comes in numbers comes to a callback while it is found.
//! * Everything that is written goes through a [`Target`], which cannot forget what a source says about itself.
//! * [`formats`], [`query`], [`explore`] and [`model`] are the floors below, for what no job does.
//!
//! Features: `parquet`, on unless it is left out, reads and writes Parquet files and lakes; `serde` lets data (dates, results,
//! findings, losses, what is known of a base) be serialised. Databases on a running server need a client of the program
//! ([`database_server`]). `docs/library.md` has the rest of what a program that uses this has to know.

pub mod error_codes;
mod open;
mod select;
mod study;
mod write;

pub use open::base::Base;
pub use open::opener::{BaseFailure, OpenedBases, Opener, Password, PasswordPrompt, open};
pub use open::temporary_folder::TemporaryFolder;
pub use open::{
    archive, base, database_server, folder_listing, foreign_formats, identify, opener, sidecar,
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
pub use write::{bulk, convert, edit, history, index, made_games, report, target};

/// Finds games in bases: counts them, streams them in their order or sorted, or copies them to a target.
pub mod search {
    pub use crate::select::search::*;
    pub use crate::write::search_copy::{SearchCopyReport, copy};
}

/// The recipes of the document, which run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/library.md")]
struct LibraryDocument;

/// Removes what jobs under way have not finished: temporary files, locks, and folders that archives were unpacked to. From now
/// on nothing is put under its name any more. For a program that ends without waiting for its jobs.
pub fn clean_up() {
    tabiya_io::interrupt::stop(true);
}

/// The same, unless something was put in place already: then nothing is done, and this is false. The job ends by itself, and
/// tells what it has done.
pub fn stop() -> bool {
    tabiya_io::interrupt::stop(false)
}

/// Whether this program has put something in place: a new base, a change of one, an index.
pub fn has_written() -> bool {
    tabiya_io::interrupt::is_decided()
}
