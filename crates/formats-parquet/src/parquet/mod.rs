//! Parquet: one game per row, for computing with tables.
//!
//! Headers are typed columns, the main line is a column of two bytes per ply that ten lines in any language can read, and
//! clocks and evaluations have their own columns. Everything without a column (the order of tags, rare tags, variations,
//! comments, NAGs, unreadable movetext, data specific to another format) is in three further columns, which are empty if
//! there is nothing: a file holds every game completely. `docs/formats/lake.md` has the schema.
//!
//! Files of other programs are read if they have the column `moves`; data of other missing columns is missing in the
//! games, and columns with other names are skipped.

mod annotations;
mod audit;
mod clocks;
mod codes;
mod column_buffer;
mod compact_moves;
pub(crate) mod database;
mod derived_columns;
pub(crate) mod encode;
mod fact_slots;
mod facts;
pub(crate) mod layout;
mod main_line;
mod move_ranks;
mod moves;
mod positions;
pub(crate) mod reader;
mod record;
mod row_buffer;
mod tags;
mod text;
pub(crate) mod writer;

#[cfg(test)]
mod tests;

pub use column_buffer::ParquetColumnBuffer;
pub use derived_columns::day_number;
pub use moves::find as find_move;
pub use row_buffer::ParquetRowBuffer;

use tabiya_codec::format::{Format, FormatCapabilities, FormatProbe, FormatSupport, ProbeAnswer};

/// Parquet.
pub static FORMAT: Format = Format {
    name: "parquet",
    title: "Parquet",
    extensions: &["parquet"],
    companions: &[],
    capabilities: FormatCapabilities {
        read: FormatSupport::Full,
        write: FormatSupport::Full,
        edit: false,
        repair: false,
        any_tag: true,
        variations: true,
        comments: true,
        nags: true,
        setups: true,
        chess960: true,
        null_moves: true,
        raw_movetext: true,
        deleted: true,
    },
    identify,
    open: Some(database::open),
    stream: None,
    create: Some(writer::create),
    salvage: None,
    open_options: &[],
    write_options: writer::OPTIONS,
    codes: codes::CODES,
    losses: &[],
    edit: None,
    notes: "our own documented columns, which hold everything; read by DuckDB, Polars and pandas",
};

fn identify(probe: &FormatProbe<'_>) -> ProbeAnswer {
    if !probe.is_folder && probe.head.starts_with(tabiya_columns::MAGIC) {
        ProbeAnswer::Yes
    } else {
        ProbeAnswer::No
    }
}
