//! Files of games in JSON with random access: an index of their lines, made when it is first asked for.

use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use tabiya_model::database::{Database, DatabaseInfo, GameNeeds, Source};
use tabiya_model::diagnostic::Diagnostics;
use tabiya_model::error::{Error, ErrorKind, Result};
use tabiya_model::game::Game;
use tabiya_model::game_offsets::{GameOffsets, GameSpan, OffsetLookup};

use super::codes;
use super::source::{NdjsonBlockStart, NdjsonSource};
use crate::format::OpenOptions;
use crate::game_places::{self, GamePlaceList};
use crate::unpack_failure::UnpackFailure;
use tabiya_io::compression;
use tabiya_io::held_folder;
use tabiya_io::seek_points::SeekPoints;

/// Opens a file of games in JSON, compressed or not.
pub(super) fn open(path: &Path, options: &OpenOptions) -> Result<Box<dyn Database>> {
    let size = held_folder::metadata(path)
        .map_err(|error| Error::from(error).in_file(path.display().to_string()))?
        .len();
    let file = NdjsonFile {
        path: path.to_owned(),
        size,
        options: options.clone(),
        index: OnceLock::new(),
        kept: OnceLock::new(),
        making: Mutex::new(()),
        cut: UnpackFailure::default(),
        points: SeekPoints::default(),
    };
    // What is something else is said now and not when the first game is read.
    file.stream()?.next_block()?;
    Ok(Box::new(file))
}

/// Reads games in JSON from a pipe, compressed or not.
pub(super) fn stream(
    input: Box<dyn Read + Send>,
    options: &OpenOptions,
) -> Result<Box<dyn Source<'static>>> {
    let input =
        compression::unpack_stream("input", input, &options.unpacking()).map_err(unpacking)?;
    Ok(Box::new(NdjsonSource::new(
        input,
        "input".to_owned(),
        options.limits,
        None,
    )))
}

fn unpacking(error: compression::UnpackError) -> Error {
    Error::new(ErrorKind::Io, error.to_string()).because(error)
}

/// What one walk over the file has found, or what is kept of an earlier one.
struct NdjsonIndex {
    places: Arc<dyn OffsetLookup>,
    /// Whether places are offsets in the file as it is.
    plain: bool,
}

/// A file of games in JSON.
struct NdjsonFile {
    path: PathBuf,
    size: u64,
    options: OpenOptions,
    index: OnceLock<NdjsonIndex>,
    /// Places that somebody has kept from an earlier walk. They count as long as there is no index.
    kept: OnceLock<Arc<dyn OffsetLookup>>,
    /// One thread makes the index.
    making: Mutex<()>,
    cut: UnpackFailure,
    /// Where it can be unpacked from, as far as it was read.
    points: SeekPoints,
}

impl NdjsonFile {
    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn text(&self) -> Result<Box<dyn Read + Send>> {
        self.points
            .open_stream(&self.path, &self.options.unpacking())
            .map_err(unpacking)
    }

    fn stream(&self) -> Result<NdjsonSource> {
        Ok(NdjsonSource::new(
            self.text()?,
            self.name(),
            self.options.limits,
            Some(self.size),
        )
        .with_unpack_failure(self.cut.clone()))
    }

    fn index(&self) -> Result<&NdjsonIndex> {
        if let Some(index) = self.index.get() {
            return Ok(index);
        }
        let _making = self.making.lock();
        // Another thread may have been here meanwhile.
        if let Some(index) = self.index.get() {
            return Ok(index);
        }
        let kept = self.kept.get();
        let index = match kept.filter(|kept| game_places::fit(&***kept, self.size)) {
            Some(kept) => NdjsonIndex {
                places: Arc::clone(kept),
                plain: true,
            },
            None => {
                let places = GamePlaceList::scan(&mut self.stream()?)?.without_gaps();
                let plain = game_places::end(&places) <= self.size
                    && compression::is_plain(&self.path, &self.options.unpacking())
                        .map_err(unpacking)?;
                NdjsonIndex {
                    places: Arc::new(places),
                    plain,
                }
            }
        };
        Ok(self.index.get_or_init(|| index))
    }

    /// Where a single game stands in the file as it is, if somebody has kept it.
    fn kept_place(&self, number: u64) -> Option<GameSpan> {
        if self.index.get().is_some() {
            return None;
        }
        game_places::saved_place(&**self.kept.get()?, number, self.size)
    }

    /// The games of a range, read from where they stand.
    fn part(&self, games: Range<u64>) -> Result<NdjsonSource> {
        let index = self.index()?;
        let places = &*index.places;
        let start = games.start.max(1);
        let last = games.end.saturating_sub(1).min(places.count());
        let first = game_places::of(places, start)?.filter(|_| start <= last);
        let Some((first, last)) = first.zip(game_places::of(places, last)?) else {
            let nothing = Box::new(std::io::empty());
            return Ok(
                NdjsonSource::new(nothing, self.name(), self.options.limits, Some(0))
                    .at(NdjsonBlockStart::START),
            );
        };
        let end = last.end.max(first.byte);
        let place = GameSpan { end, ..first };
        if index.plain {
            return self.read_from(place, start);
        }
        let input = self
            .points
            .open_at(&self.path, &self.options.unpacking(), place.byte)
            .map_err(unpacking)?;
        Ok(self.lines(Box::new(input.take(place.length())), place, start))
    }

    /// The games at a place in the file as it is; the first has the number `game`.
    fn read_from(&self, place: GameSpan, game: u64) -> Result<NdjsonSource> {
        let mut file = tabiya_io::regular_file::open(&self.path)
            .map_err(|error| Error::from(error).in_file(self.name()))?;
        file.seek(SeekFrom::Start(place.byte))?;
        Ok(self.lines(Box::new(file.take(place.length())), place, game))
    }

    fn lines(&self, input: Box<dyn Read + Send>, place: GameSpan, game: u64) -> NdjsonSource {
        let GameSpan { byte, line, .. } = place;
        let length = place.length();
        let limits = self.options.limits;
        NdjsonSource::new(input, self.name(), limits, Some(length))
            .with_unpack_failure(self.cut.clone())
            .at(NdjsonBlockStart { byte, line, game })
    }
}

impl Database for NdjsonFile {
    fn info(&self) -> DatabaseInfo {
        let mut info = DatabaseInfo {
            format: super::FORMAT.name,
            version: super::SCHEMA.to_owned(),
            files: vec![(self.path.clone(), self.size)],
            games: self.index.get().map(|index| index.places.count()),
            ..DatabaseInfo::default()
        };
        info.field("schema", super::SCHEMA);
        game_places::describe_packing(&mut info, self.points.pieces());
        info
    }

    fn len(&self) -> Result<u64> {
        Ok(self.index()?.places.count())
    }

    fn read(&self, number: u64, want: GameNeeds, game: &mut Game) -> Result<()> {
        let mut source = match self.kept_place(number) {
            Some(place) => self.read_from(place, number)?,
            None => self.part(number..number.saturating_add(1))?,
        };
        if let Some(mut block) = source.next_block()?
            && block.next(want, game)?
        {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Usage, format!("there is no game {number}")).in_file(self.name()))
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
        Ok(index.places.all().filter(|_| index.plain))
    }

    fn keep_places(&self, places: Arc<dyn OffsetLookup>) {
        // Places that are known already are as good.
        let _ = self.kept.set(places);
    }

    fn diagnostics(&self) -> Diagnostics {
        let mut found = Diagnostics::default();
        self.cut.report(&codes::CUT_INPUT, &self.name(), &mut found);
        found
    }
}
