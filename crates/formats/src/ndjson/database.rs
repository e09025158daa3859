//! Files of games in JSON with random access.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use tabiya_codec::format::OpenOptions;
use tabiya_codec::game_places::{self, GamePlaceList};
use tabiya_codec::text_file::{self, TextFile, TextFormat, TextInput, TextWalk};
use tabiya_model::DiagnosticCode;
use tabiya_model::database::{Database, DatabaseInfo, Source};
use tabiya_model::error::Result;

use super::codes;
use super::source::{NdjsonBlockStart, NdjsonSource};

/// Opens a file of games in JSON, compressed or not.
pub(super) fn open(path: &Path, options: &OpenOptions) -> Result<Box<dyn Database>> {
    let file = TextFile::<NdjsonText>::open(path, options)?;
    // A file in another format is reported now, and not only when the first game is read.
    file.all()?.next_block()?;
    Ok(Box::new(file))
}

/// Reads games in JSON from a pipe, compressed or not.
pub(super) fn stream(
    input: Box<dyn Read + Send>,
    options: &OpenOptions,
) -> Result<Box<dyn Source<'static>>> {
    text_file::stream::<NdjsonText>(input, options)
}

/// Texts of lines in JSON.
struct NdjsonText;

impl TextFormat for NdjsonText {
    type Source = NdjsonSource;
    type Settings = ();

    const NAME: &'static str = "ndjson";
    const CUT: Option<&'static DiagnosticCode> = Some(&codes::CUT_INPUT);

    fn source(input: TextInput<'_, ()>) -> NdjsonSource {
        let limits = input.options.limits;
        let source = NdjsonSource::new(input.text, input.name, limits, input.total)
            .with_unpack_failure(input.cut);
        match input.start {
            None => source,
            Some(start) => source.at(NdjsonBlockStart {
                byte: start.byte,
                line: start.line,
                game: start.number,
            }),
        }
    }

    fn walk(mut source: NdjsonSource) -> Result<TextWalk<()>> {
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

    fn describe(info: &mut DatabaseInfo) {
        super::SCHEMA.clone_into(&mut info.version);
        info.field("schema", super::SCHEMA);
    }
}
