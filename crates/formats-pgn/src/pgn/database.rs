//! PGN files with random access.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use tabiya_codec::format::OpenOptions;
use tabiya_codec::game_places::GamePlaceList;
use tabiya_codec::text_file::{self, TextFile, TextFormat, TextInput, TextStart, TextWalk};
use tabiya_model::DiagnosticCode;
use tabiya_model::charset::Charset;
use tabiya_model::database::{Block, Database, Source};
use tabiya_model::error::Result;

use super::block::PgnBlock;
use super::block_start::PgnBlockStart;
use super::codes;
use super::line_numbers::line_breaks;
use super::settings::PgnReaderSettings;
use super::source::PgnSource;

/// Opens a file of PGN, compressed or not.
pub(super) fn open(path: &Path, options: &OpenOptions) -> Result<Box<dyn Database>> {
    PgnReaderSettings::check(options)?;
    Ok(Box::new(TextFile::<PgnText>::open(path, options)?))
}

/// Reads PGN from a pipe, compressed or not.
pub(super) fn stream(
    input: Box<dyn Read + Send>,
    options: &OpenOptions,
) -> Result<Box<dyn Source<'static>>> {
    PgnReaderSettings::check(options)?;
    text_file::stream::<PgnText>(input, options)
}

/// Texts of PGN.
struct PgnText;

impl TextFormat for PgnText {
    type Source = PgnSource;
    type Settings = Arc<PgnReaderSettings>;

    const NAME: &'static str = "pgn";
    const CUT: Option<&'static DiagnosticCode> = Some(&codes::CUT_INPUT);
    const HAS_PREAMBLE: bool = true;

    fn source(input: TextInput<'_, Arc<PgnReaderSettings>>) -> PgnSource {
        let source = PgnSource::new(input.text, input.name, input.options, input.total)
            .with_unpack_failure(input.cut);
        let Some(start) = input.start else {
            return source;
        };
        let source = match start.places {
            Some(places) => source.numbered(Arc::clone(places)),
            None => source,
        };
        if start.byte == 0 {
            return source.with_fallback_charset(start.settings.fallback);
        }
        source.at(begin(&start), Arc::clone(start.settings))
    }

    fn walk(mut source: PgnSource) -> Result<TextWalk<Arc<PgnReaderSettings>>> {
        let places = GamePlaceList::scan(&mut source)?;
        Ok(TextWalk {
            places: Arc::new(places),
            settings: source.settings(),
            end: source.position(),
            is_transcoded: source.is_transcoded(),
        })
    }

    fn settings_of(about: &str, options: &OpenOptions) -> Option<Arc<PgnReaderSettings>> {
        let fallback = Charset::from_name(about)?;
        Some(Arc::new(PgnReaderSettings {
            fallback,
            ..PgnReaderSettings::new(options)
        }))
    }

    fn about(settings: &Arc<PgnReaderSettings>) -> String {
        settings.fallback.name().to_owned()
    }

    fn transcoded(source: PgnSource) -> Result<Box<dyn Read + Send>> {
        source.into_text()
    }

    fn block(
        text: Vec<u8>,
        start: &TextStart<'_, Arc<PgnReaderSettings>>,
    ) -> std::result::Result<Box<dyn Block + 'static>, Vec<u8>> {
        let (_, lone_returns) = line_breaks(&text);
        let settings = Arc::clone(start.settings);
        let block = PgnBlock::new(text, lone_returns > 0, begin(start), settings);
        Ok(Box::new(block.numbered(Some(start.number))))
    }
}

/// The beginning of a part of a text, with its lines counted from 0.
fn begin(start: &TextStart<'_, Arc<PgnReaderSettings>>) -> PgnBlockStart {
    PgnBlockStart {
        byte: start.byte,
        line: start.line.saturating_sub(1),
    }
}
