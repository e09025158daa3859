//! PGN files with random access: an index of the games' places, made when it is first asked for.

use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use tabiya_model::charset::Charset;
use tabiya_model::database::{Block, Database, DatabaseInfo, GameNeeds, Source};
use tabiya_model::diagnostic::Diagnostics;
use tabiya_model::error::{Error, ErrorKind, Result};
use tabiya_model::game::Game;
use tabiya_model::game_offsets::{GameOffsets, GameSpan, OffsetLookup};

use super::block::PgnBlock;
use super::block_start::PgnBlockStart;
use super::codes;
use super::line_numbers::line_breaks;
use super::settings::PgnReaderSettings;
use super::source::PgnSource;
use crate::format::OpenOptions;
use crate::game_places::{self, GamePlaceList};
use crate::unpack_failure::UnpackFailure;
use tabiya_io::compression;
use tabiya_io::held_folder;
use tabiya_io::random_file::RandomFile;
use tabiya_io::seek_points::SeekPoints;

/// Opens a file of PGN, compressed or not.
pub(super) fn open(path: &Path, options: &OpenOptions) -> Result<Box<dyn Database>> {
    PgnReaderSettings::check(options)?;
    let size = held_folder::metadata(path)
        .map_err(|error| Error::from(error).in_file(path.display().to_string()))?
        .len();
    Ok(Box::new(PgnFile {
        path: path.to_owned(),
        size,
        options: options.clone(),
        index: OnceLock::new(),
        kept: OnceLock::new(),
        making: Mutex::new(()),
        cut: UnpackFailure::default(),
        points: SeekPoints::default(),
        file: OnceLock::new(),
    }))
}

/// Reads PGN from a pipe, compressed or not.
pub(super) fn stream(
    input: Box<dyn Read + Send>,
    options: &OpenOptions,
) -> Result<Box<dyn Source<'static>>> {
    PgnReaderSettings::check(options)?;
    let input =
        compression::unpack_stream("input", input, &options.unpacking()).map_err(unpacking)?;
    Ok(Box::new(PgnSource::new(
        input,
        "input".to_owned(),
        options,
        None,
    )))
}

fn unpacking(error: compression::UnpackError) -> Error {
    Error::new(ErrorKind::Io, error.to_string()).because(error)
}

/// What one walk over the file has found, or what is kept of an earlier one.
struct PgnIndex {
    places: Arc<dyn OffsetLookup>,
    settings: Arc<PgnReaderSettings>,
    /// Whether places are offsets in the file as it is.
    plain: bool,
    /// Whether they are offsets in a text of another charset than that of the file.
    transcoded: bool,
}

/// Places that somebody has kept from an earlier walk.
struct PgnSavedPlaces {
    places: Arc<dyn OffsetLookup>,
    settings: Arc<PgnReaderSettings>,
}

/// A file of PGN.
struct PgnFile {
    path: PathBuf,
    size: u64,
    options: OpenOptions,
    index: OnceLock<PgnIndex>,
    /// They count as long as there is no index.
    kept: OnceLock<PgnSavedPlaces>,
    /// One thread makes the index.
    making: Mutex<()>,
    cut: UnpackFailure,
    /// Where it can be unpacked from, as far as it was read.
    points: SeekPoints,
    /// The file, when it is open for single games.
    file: OnceLock<RandomFile>,
}

impl PgnFile {
    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn stream(&self) -> Result<PgnSource> {
        let limits = self.options.unpacking();
        let input = self
            .points
            .open_stream(&self.path, &limits)
            .map_err(unpacking)?;
        Ok(
            PgnSource::new(input, self.name(), &self.options, Some(self.size))
                .with_unpack_failure(self.cut.clone()),
        )
    }

    fn index(&self) -> Result<&PgnIndex> {
        if let Some(index) = self.index.get() {
            return Ok(index);
        }
        let _making = self.making.lock();
        // Another thread may have been here meanwhile.
        if let Some(index) = self.index.get() {
            return Ok(index);
        }
        if let Some(index) = self.kept.get().and_then(|kept| self.index_of(kept)) {
            return Ok(self.index.get_or_init(|| index));
        }
        let mut source = self.stream()?;
        let places = GamePlaceList::scan(&mut source)?;
        let read = source.position();
        let as_it_is = !source.is_transcoded() && read == self.size;
        let index = PgnIndex {
            places: Arc::new(places),
            settings: source.settings(),
            transcoded: source.is_transcoded(),
            plain: as_it_is
                && compression::is_plain(&self.path, &self.options.unpacking())
                    .map_err(unpacking)?,
        };
        Ok(self.index.get_or_init(|| index))
    }

    /// The index of places that were kept, if they can be those of this file.
    fn index_of(&self, kept: &PgnSavedPlaces) -> Option<PgnIndex> {
        let fits = game_places::fit(&*kept.places, self.size);
        fits.then(|| PgnIndex {
            places: Arc::clone(&kept.places),
            settings: Arc::clone(&kept.settings),
            plain: true,
            transcoded: false,
        })
    }

    /// Where a single game stands in the file as it is, if that is known without a walk over it.
    fn place(&self, number: u64) -> Option<(GameSpan, Arc<PgnReaderSettings>)> {
        // Text before the first game is a part of it.
        if number <= 1 {
            return None;
        }
        let (places, settings) = match self.index.get() {
            Some(index) if index.plain => (&index.places, &index.settings),
            Some(_) => return None,
            None => {
                let kept = self.kept.get()?;
                (&kept.places, &kept.settings)
            }
        };
        let (place, settings) = (
            game_places::saved_place(&**places, number, self.size)?,
            Arc::clone(settings),
        );
        let fits = place.length() <= self.options.limits.game_bytes as u64;
        fits.then_some((place, settings))
    }

    /// Reads the game that stands at a place; false where there is none.
    fn read_at(
        &self,
        place: GameSpan,
        settings: Arc<PgnReaderSettings>,
        number: u64,
        want: GameNeeds,
        game: &mut Game,
    ) -> Result<bool> {
        let file = match self.file.get() {
            Some(file) => file,
            None => {
                let file = RandomFile::open(&self.path)
                    .map_err(|error| Error::from(error).in_file(self.name()))?;
                self.file.get_or_init(|| file)
            }
        };
        let mut data = vec![0; usize::try_from(place.length()).unwrap_or(0)];
        file.read_exact_at(&mut data, place.byte)
            .map_err(|error| Error::from(error).in_file(self.name()))?;
        let base = PgnBlockStart {
            byte: place.byte,
            line: place.line.saturating_sub(1),
        };
        let (_, lone_returns) = line_breaks(&data);
        PgnBlock::new(data, lone_returns > 0, base, settings)
            .numbered(Some(number))
            .next(want, game)
    }

    /// The games of a range, read from where they stand.
    fn part(&self, games: Range<u64>) -> Result<PgnSource> {
        let index = self.index()?;
        let Some(first) = game_places::of(&*index.places, games.start.max(1))? else {
            return Ok(self.nothing());
        };
        let end = match game_places::of(&*index.places, games.end)? {
            Some(next) => next.byte,
            None => game_places::end(&*index.places),
        };
        // Text before the first game is a part of it.
        let from = if games.start <= 1 { 0 } else { first.byte };
        let length = end.saturating_sub(from);
        if length == 0 {
            return Ok(self.nothing());
        }
        let input: Box<dyn Read + Send> = if index.plain {
            let mut file = tabiya_io::regular_file::open(&self.path)
                .map_err(|error| Error::from(error).in_file(self.name()))?;
            file.seek(SeekFrom::Start(from))?;
            Box::new(file.take(length))
        } else if index.transcoded {
            let mut input = self.stream()?.into_text()?;
            std::io::copy(&mut (&mut input).take(from), &mut std::io::sink())?;
            Box::new(input.take(length))
        } else {
            let limits = self.options.unpacking();
            let input = self.points.open_at(&self.path, &limits, from);
            Box::new(input.map_err(unpacking)?.take(length))
        };
        // What is read here is UTF-8 by now, even where the user has said that the file is not.
        let mut options = self.options.clone();
        options.encoding = options.encoding.filter(|_| index.plain);
        let source = PgnSource::new(input, self.name(), &options, Some(length))
            .with_unpack_failure(self.cut.clone());
        if from == 0 {
            let charset = index.settings.fallback;
            return Ok(source
                .with_fallback_charset(charset)
                .numbered(Arc::clone(&index.places)));
        }
        let base = PgnBlockStart {
            byte: first.byte,
            line: first.line.saturating_sub(1),
        };
        Ok(source
            .numbered(Arc::clone(&index.places))
            .at(base, Arc::clone(&index.settings)))
    }

    fn nothing(&self) -> PgnSource {
        let settings = Arc::new(PgnReaderSettings::new(&self.options));
        PgnSource::new(Box::new(std::io::empty()), self.name(), &self.options, None)
            .at(PgnBlockStart::default(), settings)
    }
}

impl Database for PgnFile {
    fn info(&self) -> DatabaseInfo {
        let index = self.index.get();
        let mut info = DatabaseInfo {
            format: "pgn",
            files: vec![(self.path.clone(), self.size)],
            games: index.map(|index| index.places.count()),
            ..DatabaseInfo::default()
        };
        let pieces = self.points.pieces();
        game_places::describe_packing(
            &mut info,
            match index.is_some_and(|index| index.transcoded) {
                true => pieces.and(Some(1)),
                false => pieces,
            },
        );
        info
    }

    fn len(&self) -> Result<u64> {
        Ok(self.index()?.places.count())
    }

    fn read(&self, number: u64, want: GameNeeds, game: &mut Game) -> Result<()> {
        if let Some((place, settings)) = self.place(number)
            && self.read_at(place, settings, number, want, game)?
        {
            return Ok(());
        }
        let mut source = self.part(number..number.saturating_add(1))?;
        while let Some(mut block) = source.next_block()? {
            if block.next(want, game)? {
                return Ok(());
            }
        }
        Err(Error::usage(format!("there is no game {number}")).in_file(self.name()))
    }

    fn finds_games(&self) -> bool {
        match self.index.get() {
            Some(index) => index.plain,
            None => self.kept.get().is_some(),
        }
    }

    fn source(&self, games: Option<Range<u64>>) -> Result<Box<dyn Source<'_> + '_>> {
        match games {
            None => Ok(Box::new(self.stream()?)),
            Some(range) => Ok(Box::new(self.part(range)?)),
        }
    }

    fn places(&self) -> Result<Option<GameOffsets>> {
        let index = self.index()?;
        Ok(index
            .places
            .all()
            .filter(|_| index.plain)
            .map(|places| GameOffsets {
                about: index.settings.fallback.name().to_owned(),
                ..places
            }))
    }

    fn keep_places(&self, places: Arc<dyn OffsetLookup>) {
        if let Some(fallback) = Charset::from_name(places.about()) {
            let settings = Arc::new(PgnReaderSettings {
                fallback,
                ..PgnReaderSettings::new(&self.options)
            });
            // Places that are known already are as good.
            let _ = self.kept.set(PgnSavedPlaces { places, settings });
        }
    }

    fn diagnostics(&self) -> Diagnostics {
        let mut found = Diagnostics::default();
        self.cut.report(&codes::CUT_INPUT, &self.name(), &mut found);
        found
    }
}
