//! Files of games in JSON with random access: an index of their lines, made when it is first asked for.

use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use tabiya_model::database::{Database, Info, Source, Want};
use tabiya_model::diagnostic::Diagnostics;
use tabiya_model::error::{Error, ErrorKind, Result};
use tabiya_model::game::Game;
use tabiya_model::places::{KeptPlaces, Place, Places};

use super::blocks::{Base, LineSource};
use super::codes;
use crate::cut::Cut;
use crate::format::OpenOptions;
use crate::places::{self, Walked};
use tabiya_io::compression;
use tabiya_io::held;
use tabiya_io::seek::SeekPoints;

/// Opens a file of games in JSON, compressed or not.
pub(super) fn open(path: &Path, options: &OpenOptions) -> Result<Box<dyn Database>> {
    let size = held::metadata(path)
        .map_err(|error| Error::from(error).in_file(path.display().to_string()))?
        .len();
    let file = NdjsonFile {
        path: path.to_owned(),
        size,
        options: options.clone(),
        index: OnceLock::new(),
        kept: OnceLock::new(),
        making: Mutex::new(()),
        cut: Cut::default(),
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
    Ok(Box::new(LineSource::new(
        input,
        "input".to_owned(),
        options.limits,
        None,
    )))
}

fn unpacking(error: compression::Error) -> Error {
    Error::new(ErrorKind::Io, error.to_string()).because(error)
}

/// What one walk over the file has found, or what is kept of an earlier one.
struct Index {
    places: Arc<dyn KeptPlaces>,
    /// Whether places are offsets in the file as it is.
    plain: bool,
}

/// A file of games in JSON.
struct NdjsonFile {
    path: PathBuf,
    size: u64,
    options: OpenOptions,
    index: OnceLock<Index>,
    /// Places that somebody has kept from an earlier walk. They count as long as there is no index.
    kept: OnceLock<Arc<dyn KeptPlaces>>,
    /// One thread makes the index.
    making: Mutex<()>,
    cut: Cut,
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

    fn stream(&self) -> Result<LineSource> {
        Ok(LineSource::new(
            self.text()?,
            self.name(),
            self.options.limits,
            Some(self.size),
        )
        .telling(self.cut.clone()))
    }

    fn index(&self) -> Result<&Index> {
        if let Some(index) = self.index.get() {
            return Ok(index);
        }
        let _making = self.making.lock();
        // Another thread may have been here meanwhile.
        if let Some(index) = self.index.get() {
            return Ok(index);
        }
        let kept = self.kept.get();
        let index = match kept.filter(|kept| places::fit(&***kept, self.size)) {
            Some(kept) => Index {
                places: Arc::clone(kept),
                plain: true,
            },
            None => {
                let places = Walked::over(&mut self.stream()?)?.without_gaps();
                let plain = places::end(&places) <= self.size
                    && compression::is_plain(&self.path, &self.options.unpacking())
                        .map_err(unpacking)?;
                Index {
                    places: Arc::new(places),
                    plain,
                }
            }
        };
        Ok(self.index.get_or_init(|| index))
    }

    /// Where a single game stands in the file as it is, if somebody has kept it.
    fn kept_place(&self, number: u64) -> Option<Place> {
        if self.index.get().is_some() {
            return None;
        }
        places::kept(&**self.kept.get()?, number, self.size)
    }

    /// The games of a range, read from where they stand.
    fn part(&self, games: Range<u64>) -> Result<LineSource> {
        let index = self.index()?;
        let places = &*index.places;
        let start = games.start.max(1);
        let last = games.end.saturating_sub(1).min(places.count());
        let first = places::of(places, start)?.filter(|_| start <= last);
        let Some((first, last)) = first.zip(places::of(places, last)?) else {
            let nothing = Box::new(std::io::empty());
            return Ok(
                LineSource::new(nothing, self.name(), self.options.limits, Some(0)).at(Base::START),
            );
        };
        let end = last.end.max(first.byte);
        let place = Place { end, ..first };
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
    fn read_from(&self, place: Place, game: u64) -> Result<LineSource> {
        let mut file = tabiya_io::regular::open(&self.path)
            .map_err(|error| Error::from(error).in_file(self.name()))?;
        file.seek(SeekFrom::Start(place.byte))?;
        Ok(self.lines(Box::new(file.take(place.length())), place, game))
    }

    fn lines(&self, input: Box<dyn Read + Send>, place: Place, game: u64) -> LineSource {
        let Place { byte, line, .. } = place;
        let length = place.length();
        let limits = self.options.limits;
        LineSource::new(input, self.name(), limits, Some(length))
            .telling(self.cut.clone())
            .at(Base { byte, line, game })
    }
}

impl Database for NdjsonFile {
    fn info(&self) -> Info {
        let mut info = Info {
            format: super::FORMAT.name,
            version: super::SCHEMA.to_owned(),
            files: vec![(self.path.clone(), self.size)],
            games: self.index.get().map(|index| index.places.count()),
            ..Info::default()
        };
        info.field("schema", super::SCHEMA);
        places::tell_pieces(&mut info, self.points.pieces());
        info
    }

    fn len(&self) -> Result<u64> {
        Ok(self.index()?.places.count())
    }

    fn read(&self, number: u64, want: Want, game: &mut Game) -> Result<()> {
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

    fn places(&self) -> Result<Option<Places>> {
        let index = self.index()?;
        Ok(index.places.all().filter(|_| index.plain))
    }

    fn keep_places(&self, places: Arc<dyn KeptPlaces>) {
        // Places that are known already are as good.
        let _ = self.kept.set(places);
    }

    fn diagnostics(&self) -> Diagnostics {
        let mut found = Diagnostics::default();
        self.cut.tell(&codes::CUT_INPUT, &self.name(), &mut found);
        found
    }
}
