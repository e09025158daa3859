//! The tables of a lake that are computed from its games: the explorer, positions, players, events.
//!
//! Each is made from a run of games and written through a [`tabiya_formats::lake::LakeChange`], so that it appears with the
//! manifest that lists it or not at all. Everything is sorted in bounded memory, with a temporary file.

pub mod explorer;
mod external_sort;
pub mod iceberg;
pub mod players_and_events;
mod position_records;
pub mod positions;
mod shards;
mod table_file;
