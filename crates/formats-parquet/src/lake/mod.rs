//! A lake: a folder of Parquet files with a manifest, for growing databases that many programs read.
//!
//! The table `games` has the columns of `parquet`, in files of some hundred thousand games each, optionally in folders of
//! years and months. There are other tables (positions, the explorer, players, events); they are computed from the games and
//! can be rebuilt at any time. Only the manifest lists the files: `manifest.rs`. `docs/formats/lake.md` has the schemas.
//!
//! A folder of Parquet files in folders of years without a manifest, as written by other programs, can be read as well.

mod change;
mod compact;
pub(crate) mod completion;
pub mod manifest;
mod partition;
mod reader;
mod writer;

pub use change::NewLakeFile;
pub use compact::{GameNumberShift, compact};
pub use completion::{LakeChange, LakeCompletion};
pub use manifest::{LakeFileEntry, LakeManifest};
pub use partition::LakePartition;
pub use writer::{append, by_months, keeps_order};

use crate::parquet;
use tabiya_codec::format::{Format, FormatProbe, ProbeAnswer};

/// The tables of a lake.
pub const TABLES: [&str; 5] = [
    manifest::GAMES,
    "positions",
    "explorer",
    "players",
    "events",
];

/// A folder of Parquet files.
pub static FORMAT: Format = Format {
    name: "lake",
    title: "Lake",
    extensions: &["lake"],
    companions: &[],
    capabilities: parquet::FORMAT.capabilities,
    identify,
    open: Some(reader::open),
    stream: None,
    create: Some(writer::create),
    salvage: None,
    open_options: &[],
    write_options: writer::OPTIONS,
    codes: parquet::FORMAT.codes,
    losses: &[],
    edit: None,
    notes: "a folder of Parquet files and tables about them ({lake}); any number of games",
};

/// The columns of the games of a lake.
#[must_use]
pub fn columns(manifest: &LakeManifest) -> Vec<tabiya_columns::ColumnSchema> {
    let moves = manifest.settings.get(parquet::writer::MOVE_COLUMN.name);
    parquet::layout::fields(match moves.map(String::as_str) {
        Some("compact") => parquet::layout::MoveColumn::Compact,
        _ => parquet::layout::MoveColumn::Fast,
    })
}

fn identify(probe: &FormatProbe<'_>) -> ProbeAnswer {
    match probe.path {
        Some(path) if probe.is_folder && reader::is_lake(path) => ProbeAnswer::Yes,
        _ => ProbeAnswer::No,
    }
}
