//! A month of games as chess.com publishes it for programs: one object with a list of games.
//!
//! `docs/formats/sites.md` has the tag of every field.

mod reader;
mod tags;
mod tcn;
#[cfg(test)]
mod tests;

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use memchr::memmem;
use tabiya_codec::format::{
    Format, FormatCapabilities, FormatProbe, FormatSupport, OpenOptions, ProbeAnswer,
};
use tabiya_codec::game_places::{self, GamePlaceList};
use tabiya_codec::text_file::{self, TextFile, TextFormat, TextInput, TextWalk};
use tabiya_model::DiagnosticCode;
use tabiya_model::database::{Database, Source};
use tabiya_model::error::Result;

use super::codes;
use super::object_source::{self, SiteGameReader, SiteSource};
use reader::ChesscomReader;

/// chess.com's games in JSON.
pub static FORMAT: Format = Format {
    name: "chesscom",
    title: "chess.com games in JSON",
    extensions: &["json"],
    companions: &[],
    capabilities: FormatCapabilities {
        read: FormatSupport::Full,
        write: FormatSupport::None,
        edit: false,
        repair: false,
        any_tag: true,
        variations: true,
        comments: true,
        nags: true,
        setups: true,
        chess960: true,
        null_moves: false,
        raw_movetext: true,
        deleted: false,
    },
    identify,
    open: Some(open),
    stream: Some(stream),
    create: None,
    salvage: None,
    edit: None,
    open_options: &[],
    write_options: &[],
    codes: codes::CODES,
    losses: &[],
    notes: "read only; the monthly archives of chess.com; a game without PGN is read from its moves in TCN",
};

fn identify(probe: &FormatProbe<'_>) -> ProbeAnswer {
    match !probe.is_folder && recognise(probe.head) {
        true => ProbeAnswer::Yes,
        false => ProbeAnswer::No,
    }
}

/// Whether a text begins with a month of games of chess.com, or with one of its games.
fn recognise(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let start = object_source::pass_head(ChesscomReader::HEAD, head, 0);
    let games = head.get(start.unwrap_or(0)..).unwrap_or_default();
    let games = games.trim_ascii_start();
    if start.is_some() && games.starts_with(b"]") {
        return true;
    }
    let names = |name: &[u8]| memmem::find(games, name).is_some();
    games.starts_with(b"{")
        && names(b"\"url\"")
        && (names(b"chess.com/") || names(b"\"time_class\"") || names(b"\"tcn\""))
        && (names(b"\"pgn\"") || names(b"\"rules\"") || names(b"\"time_control\""))
}

fn open(path: &Path, options: &OpenOptions) -> Result<Box<dyn Database>> {
    let file = TextFile::<ChesscomText>::open(path, options)?;
    // A file in another format is reported now, and not only when the first game is read.
    file.all()?.next_block()?;
    Ok(Box::new(file))
}

fn stream(input: Box<dyn Read + Send>, options: &OpenOptions) -> Result<Box<dyn Source<'static>>> {
    text_file::stream::<ChesscomText>(input, options)
}

/// Texts of chess.com's months.
struct ChesscomText;

impl TextFormat for ChesscomText {
    type Source = SiteSource<ChesscomReader>;
    type Settings = ();

    const NAME: &'static str = "chesscom";
    const CUT: Option<&'static DiagnosticCode> = Some(&codes::CUT_INPUT);

    fn source(input: TextInput<'_, ()>) -> SiteSource<ChesscomReader> {
        SiteSource::new(input)
    }

    fn walk(mut source: SiteSource<ChesscomReader>) -> Result<TextWalk<()>> {
        let places = GamePlaceList::scan(&mut source)?.without_gaps();
        Ok(TextWalk {
            end: game_places::end(&places),
            places: Arc::new(places),
            settings: (),
            is_transcoded: false,
        })
    }

    fn settings_of(_about: &str, _options: &OpenOptions) -> Option<()> {
        Some(())
    }
}
