//! EPD and lists of FEN: one position per line, with its operations.
//!
//! A record is four fields of a FEN (pieces, side to move, castling, en passant), perhaps the two counters of a FEN, then
//! operations: `opcode operand … ;`. Each record is a game that starts from its position. `pv` is its moves, `c0` to `c9`
//! are the comments before them, `hmvc` and `fmvn` are counters of the position; every other operation is a tag, in its
//! order and under its own name, except `id` and `eco`, which are `Event` and `ECO` in PGN. For the rest, see
//! `docs/formats/epd.md`.

pub mod codes;
mod database;
mod layout;
pub mod losses;
mod reader;
mod writer;

use tabiya_codec::format::{Format, FormatCapabilities, FormatProbe, FormatSupport, ProbeAnswer};

/// EPD, and lists of FEN.
pub static FORMAT: Format = Format {
    name: "epd",
    title: "EPD and FEN lists",
    extensions: &["epd", "fen"],
    companions: &[],
    capabilities: FormatCapabilities {
        read: FormatSupport::Full,
        write: FormatSupport::Full,
        edit: false,
        repair: false,
        any_tag: false,
        variations: false,
        comments: false,
        nags: false,
        setups: true,
        chess960: true,
        null_moves: true,
        raw_movetext: false,
        deleted: true,
    },
    identify,
    open: Some(database::open),
    stream: Some(database::stream),
    create: Some(writer::create),
    salvage: None,
    edit: None,
    open_options: &[],
    write_options: &[],
    codes: codes::CODES,
    losses: losses::LOSSES,
    notes: "Checked against python-chess. Positions with their operations; the main line of a game is `pv`. Targets that \
            end in `.fen` hold positions alone.",
};

fn identify(probe: &FormatProbe<'_>) -> ProbeAnswer {
    if probe.is_folder {
        return ProbeAnswer::No;
    }
    let is_named = matches!(probe.extension, "epd" | "fen");
    let head = probe
        .head
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(probe.head);
    let mut records = head
        .split(|byte| *byte == b'\n')
        .filter(|line| layout::is_record(line));
    match records.next() {
        None if is_named => ProbeAnswer::Yes,
        None => ProbeAnswer::No,
        Some(first) if layout::looks_like_position(first) => ProbeAnswer::Yes,
        Some(_) if is_named => ProbeAnswer::Maybe,
        Some(_) => ProbeAnswer::No,
    }
}
