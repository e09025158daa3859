//! NDJSON: one game per line as a JSON object, for programs and pipes.
//!
//! The schema holds the whole game: tags in their order with duplicates, the starting position, the tree of moves with
//! comments, NAGs and variations in their places, unreadable movetext, data specific to one format, the original bytes
//! of texts if they would be lost otherwise, and the findings of the reader. In addition there are derived fields for
//! computing: notation, plies, clocks, evaluations, marks.
//!
//! ```json
//! {"schema":"tabiya-game-1","number":1,"tags":[["White","A"],["Black","B"]],"result":"1-0","plies":1,
//!  "moves":[{"ply":1,"uci":"e2e4","san":"e4","nags":[1],"clk":59.5},{"comment":"[%clk 0:00:59.5]","text":""}]}
//! ```
//!
//! (in one line). The reader uses the fields that are not derived: for a move `uci`, or `san` if that is missing. Every
//! line is independent; a broken one is a damaged game, and the next is read normally.

mod codes;
mod database;
mod reader;
mod source;
mod writer;

#[cfg(test)]
mod tests;

pub use writer::NdjsonGameWriter;

use tabiya_codec::format::{Format, FormatCapabilities, FormatProbe, FormatSupport, ProbeAnswer};

/// The name and version of the schema, in every line.
pub const SCHEMA: &str = "tabiya-game-1";

/// The common beginning of all versions of the schema.
const FAMILY: &str = "\"tabiya-game-";

/// The name of the extension with the rest of an unreadable line.
pub const REST: &str = "ndjson.rest";

/// The file name for findings that are stored with their game: they refer to the place where it was first read.
const ORIGINAL: &str = "original";

/// NDJSON.
pub static FORMAT: Format = Format {
    name: "ndjson",
    title: "NDJSON",
    extensions: &["ndjson", "jsonl", "json"],
    companions: &[],
    capabilities: FormatCapabilities {
        read: FormatSupport::Full,
        write: FormatSupport::Full,
        edit: true,
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
    stream: Some(database::stream),
    create: Some(writer::create),
    salvage: None,
    open_options: &[],
    write_options: &[],
    codes: codes::CODES,
    losses: &[],
    edit: Some(|path, options| tabiya_codec::edit::splice::open(&FORMAT, path, options)),
    notes: "our own schema, tabiya-game-1, which holds everything",
};

fn identify(probe: &FormatProbe<'_>) -> ProbeAnswer {
    if probe.is_folder {
        return ProbeAnswer::No;
    }
    let is_named = matches!(probe.extension, "ndjson" | "jsonl" | "json");
    let head = probe
        .head
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(probe.head);
    let head = head.trim_ascii_start();
    let speaks = source::looks_like_games(head) && (is_named || head.starts_with(b"{"));
    // An empty file with the general extension may be in any format.
    if speaks || (is_named && head.is_empty() && probe.extension != "json") {
        ProbeAnswer::Yes
    } else if is_named && head.starts_with(b"{") {
        ProbeAnswer::Maybe
    } else {
        ProbeAnswer::No
    }
}
