//! Lichess's games as lines of JSON (`application/x-ndjson`), in the format of its programming interface.
//!
//! `docs/formats/sites.md` has the tag of every field.

mod reader;
mod tags;
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
use super::object_source::SiteSource;
use reader::LichessReader;
pub(crate) use reader::{finish, place_findings};

/// Lichess's games in JSON.
pub static FORMAT: Format = Format {
    name: "lichess",
    title: "Lichess games in JSON",
    extensions: &["ndjson"],
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
    notes: "read only; the format of the Lichess API, implemented from its documentation",
};

fn identify(probe: &FormatProbe<'_>) -> ProbeAnswer {
    match !probe.is_folder && recognise(probe.head) {
        true => ProbeAnswer::Yes,
        false => ProbeAnswer::No,
    }
}

/// Whether a text begins with a game of Lichess.
fn recognise(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let head = head.trim_ascii_start();
    let head = head.strip_prefix(b"[").unwrap_or(head).trim_ascii_start();
    let names = |name: &[u8]| memmem::find(head, name).is_some();
    head.starts_with(b"{")
        && names(b"\"id\"")
        && names(b"\"variant\"")
        && names(b"\"players\"")
        && (names(b"\"createdAt\"") || names(b"\"lastMoveAt\""))
        && !names(b"\"tabiya-game-")
}

fn open(path: &Path, options: &OpenOptions) -> Result<Box<dyn Database>> {
    let file = TextFile::<LichessText>::open(path, options)?;
    // A file in another format is reported now, and not only when the first game is read.
    file.all()?.next_block()?;
    Ok(Box::new(file))
}

fn stream(input: Box<dyn Read + Send>, options: &OpenOptions) -> Result<Box<dyn Source<'static>>> {
    text_file::stream::<LichessText>(input, options)
}

/// Texts of Lichess's lines.
struct LichessText;

impl TextFormat for LichessText {
    type Source = SiteSource<LichessReader>;
    type Settings = ();

    const NAME: &'static str = "lichess";
    const CUT: Option<&'static DiagnosticCode> = Some(&codes::CUT_INPUT);

    fn source(input: TextInput<'_, ()>) -> SiteSource<LichessReader> {
        SiteSource::new(input)
    }

    fn walk(mut source: SiteSource<LichessReader>) -> Result<TextWalk<()>> {
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
