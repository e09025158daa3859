//! Jobs that answer a question about games: statistics, explorer, duplicates, novelties, names, engines.

pub mod analyse;
pub mod check;
pub mod crosstable;
pub mod dedupe;
pub mod diff;
pub mod dossier;
pub mod eco;
pub mod explorer;
pub mod info;
pub mod mistakes;
pub(crate) mod named_games;
pub mod names;
pub mod novelty;
pub mod pages;
pub mod player;
pub mod repertoire;
pub mod stats;
pub mod tactics;
