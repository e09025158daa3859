//! Databases that are one text with one game after another, compressed or not. The offsets of the games are found by scanning
//! the text when they are first needed, or taken over from an earlier scan.

use std::io::{Cursor, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tabiya_io::compression;
use tabiya_io::held_folder;
use tabiya_io::random_file::RandomFile;
use tabiya_io::seek_points::SeekPoints;
use tabiya_model::database::{Block, Database, DatabaseInfo, GameNeeds, Source};
use tabiya_model::diagnostic::{DiagnosticCode, Diagnostics};
use tabiya_model::error::{Error, Result};
use tabiya_model::error_codes;
use tabiya_model::game::Game;
use tabiya_model::game_offsets::{GameOffsets, GameSpan, OffsetLookup};

use crate::format::OpenOptions;
use crate::game_places;
use crate::unpack_failure::UnpackFailure;

/// The part of a text format that is its own: finding games in a text, and reading them.
pub trait TextFormat: Sized + 'static {
    /// The games of a text, split into blocks.
    type Source: for<'a> Source<'a> + 'static;

    /// Settings detected at the beginning of a text, which are needed to read a part of it.
    type Settings: Clone + Send + Sync + 'static;

    /// The name of the format.
    const NAME: &'static str;

    /// The finding for a truncated compressed text.
    const CUT: Option<&'static DiagnosticCode> = None;

    /// Whether text before the first game belongs to it.
    const HAS_PREAMBLE: bool = false;

    /// Reads a text, or a part of one.
    fn source(input: TextInput<'_, Self::Settings>) -> Self::Source;

    /// Scans a whole text.
    fn walk(source: Self::Source) -> Result<TextWalk<Self::Settings>>;

    /// The settings found by a scan, from [`OffsetLookup::about`].
    fn settings_of(about: &str, options: &OpenOptions) -> Option<Self::Settings>;

    /// The same in words, for [`GameOffsets::about`].
    fn about(_settings: &Self::Settings) -> String {
        String::new()
    }

    /// Further information, besides its files and games.
    fn describe(_info: &mut DatabaseInfo) {}

    /// The bytes of a text from its beginning, as counted by offsets, if they are not those of the file.
    fn transcoded(source: Self::Source) -> Result<Box<dyn Read + Send>> {
        drop(source);
        Ok(Box::new(std::io::empty()))
    }

    /// A block of one game whose text is available, if that is faster than a source; otherwise the text.
    fn block(
        text: Vec<u8>,
        _start: &TextStart<'_, Self::Settings>,
    ) -> std::result::Result<Box<dyn Block + 'static>, Vec<u8>> {
        Err(text)
    }
}

/// A text to be read.
pub struct TextInput<'a, S> {
    /// Its bytes, decompressed.
    pub text: Box<dyn Read + Send>,
    /// The name of the file, for messages.
    pub name: String,
    /// The options of the user.
    pub options: &'a OpenOptions,
    /// Its size, for progress.
    pub total: Option<u64>,
    /// Where decompression failed, if it did.
    pub cut: UnpackFailure,
    /// Its start, if it is a part of a known text.
    pub start: Option<TextStart<'a, S>>,
}

/// The start of a part of a text.
pub struct TextStart<'a, S> {
    /// The offset of its first byte.
    pub byte: u64,
    /// The line of that byte.
    pub line: u64,
    /// The number of its first game.
    pub number: u64,
    /// The settings detected at the beginning of the text.
    pub settings: &'a S,
    /// The offsets of all games, if they are known.
    pub places: Option<&'a Arc<dyn OffsetLookup>>,
}

/// The result of scanning a text.
pub struct TextWalk<S> {
    /// The offsets of the games.
    pub places: Arc<dyn OffsetLookup>,
    /// The settings detected at the beginning.
    pub settings: S,
    /// The offset up to which the text was read.
    pub end: u64,
    /// Whether places are offsets in a text of another charset than that of the file.
    pub is_transcoded: bool,
}

/// The places of the games, and whether they are offsets in the unchanged file.
struct TextIndex<S> {
    places: Arc<dyn OffsetLookup>,
    settings: S,
    is_plain: bool,
    is_transcoded: bool,
}

/// Saved places from an earlier scan.
struct SavedTextPlaces<S> {
    places: Arc<dyn OffsetLookup>,
    settings: S,
}

/// A file of text.
pub struct TextFile<F: TextFormat> {
    path: PathBuf,
    size: u64,
    options: OpenOptions,
    index: OnceLock<TextIndex<F::Settings>>,
    /// They are used as long as there is no index.
    saved: OnceLock<SavedTextPlaces<F::Settings>>,
    /// Lets only one thread make the index.
    making: Mutex<()>,
    cut: UnpackFailure,
    /// The places from which it can be decompressed, as far as it was read.
    points: SeekPoints,
    /// The file, once it has been opened for single games.
    file: OnceLock<RandomFile>,
}

/// Reads a text from a pipe, compressed or not.
pub fn stream<F: TextFormat>(
    input: Box<dyn Read + Send>,
    options: &OpenOptions,
) -> Result<Box<dyn Source<'static>>> {
    let text = compression::unpack_stream("input", input, &options.unpacking())?;
    Ok(Box::new(F::source(TextInput {
        text,
        name: "input".to_owned(),
        options,
        total: None,
        cut: UnpackFailure::default(),
        start: None,
    })))
}

impl<F: TextFormat> TextFile<F> {
    /// Opens a text file, compressed or not, without reading it.
    pub fn open(path: &Path, options: &OpenOptions) -> Result<TextFile<F>> {
        let size = held_folder::metadata(path)
            .map_err(|error| Error::from(error).in_file(path.display().to_string()))?
            .len();
        Ok(TextFile {
            path: path.to_owned(),
            size,
            options: options.clone(),
            index: OnceLock::new(),
            saved: OnceLock::new(),
            making: Mutex::new(()),
            cut: UnpackFailure::default(),
            points: SeekPoints::default(),
            file: OnceLock::new(),
        })
    }

    /// The whole text.
    pub fn all(&self) -> Result<F::Source> {
        let limits = self.options.unpacking();
        let text = self.points.open_stream(&self.path, &limits)?;
        Ok(self.source_of(text, &self.options, Some(self.size), None))
    }

    fn source_of(
        &self,
        text: Box<dyn Read + Send>,
        options: &OpenOptions,
        total: Option<u64>,
        start: Option<TextStart<'_, F::Settings>>,
    ) -> F::Source {
        F::source(TextInput {
            text,
            name: self.name(),
            options,
            total,
            cut: self.cut.clone(),
            start,
        })
    }

    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn index(&self) -> Result<&TextIndex<F::Settings>> {
        if let Some(index) = self.index.get() {
            return Ok(index);
        }
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have made it meanwhile.
        if let Some(index) = self.index.get() {
            return Ok(index);
        }
        let saved = self
            .saved
            .get()
            .filter(|saved| game_places::fit(&*saved.places, self.size));
        let index = match saved {
            Some(saved) => TextIndex {
                places: Arc::clone(&saved.places),
                settings: saved.settings.clone(),
                is_plain: true,
                is_transcoded: false,
            },
            None => {
                let walk = F::walk(self.all()?)?;
                let as_it_is = !walk.is_transcoded && walk.end <= self.size;
                TextIndex {
                    is_plain: as_it_is
                        && compression::is_plain(&self.path, &self.options.unpacking())?,
                    places: walk.places,
                    settings: walk.settings,
                    is_transcoded: walk.is_transcoded,
                }
            }
        };
        Ok(self.index.get_or_init(|| index))
    }

    /// The place of a single game in the unchanged file, if it is known without a scan.
    fn known_place(&self, number: u64) -> Option<(GameSpan, &F::Settings)> {
        if F::HAS_PREAMBLE && number <= 1 {
            return None;
        }
        let (places, settings) = match self.index.get() {
            Some(index) if index.is_plain => (&index.places, &index.settings),
            Some(_) => return None,
            None => {
                let saved = self.saved.get()?;
                (&saved.places, &saved.settings)
            }
        };
        let place = game_places::saved_place(&**places, number, self.size)?;
        let is_usual = place.length() <= self.options.limits.game_bytes as u64;
        is_usual.then_some((place, settings))
    }

    /// Reads the game at a place; false if there is none.
    fn read_at(
        &self,
        place: GameSpan,
        settings: &F::Settings,
        number: u64,
        want: GameNeeds,
        game: &mut Game,
    ) -> Result<bool> {
        let start = TextStart {
            byte: place.byte,
            line: place.line,
            number,
            settings,
            places: None,
        };
        let file = match self.file.get() {
            Some(file) => file,
            None => {
                let file = RandomFile::open(&self.path)
                    .map_err(|error| Error::from(error).in_file(self.name()))?;
                self.file.get_or_init(|| file)
            }
        };
        let mut text = vec![0; usize::try_from(place.length()).unwrap_or(0)];
        file.read_exact_at(&mut text, place.byte)
            .map_err(|error| Error::from(error).in_file(self.name()))?;
        match F::block(text, &start) {
            Ok(mut block) => block.next(want, game),
            Err(text) => {
                let text = Box::new(Cursor::new(text));
                let length = Some(place.length());
                let mut source = self.source_of(text, &self.options, length, Some(start));
                first_game(&mut source, want, game)
            }
        }
    }

    /// The bytes of a place in the unchanged file.
    fn plain(&self, from: u64, length: u64) -> Result<Box<dyn Read + Send>> {
        let mut file = tabiya_io::regular_file::open(&self.path)
            .map_err(|error| Error::from(error).in_file(self.name()))?;
        file.seek(SeekFrom::Start(from))?;
        Ok(Box::new(file.take(length)))
    }

    /// The games of a range, read from their places; `None` if there are none.
    fn part(&self, games: Range<u64>) -> Result<Option<F::Source>> {
        let index = self.index()?;
        let number = games.start.max(1);
        if games.end <= number {
            return Ok(None);
        }
        let Some(first) = game_places::of(&*index.places, number)? else {
            return Ok(None);
        };
        let end = match game_places::of(&*index.places, games.end)? {
            Some(next) => next.byte,
            None => game_places::end(&*index.places),
        };
        let is_start = F::HAS_PREAMBLE && number == 1;
        let from = if is_start { 0 } else { first.byte };
        let length = end.saturating_sub(from);
        if length == 0 {
            return Ok(None);
        }
        let limits = self.options.unpacking();
        let text: Box<dyn Read + Send> = if index.is_plain {
            self.plain(from, length)?
        } else if index.is_transcoded {
            let mut text = F::transcoded(self.all()?)?;
            std::io::copy(&mut (&mut text).take(from), &mut std::io::sink())?;
            Box::new(text.take(length))
        } else {
            let text = self.points.open_at(&self.path, &limits, from);
            Box::new(text?.take(length))
        };
        let mut options = self.options.clone();
        if index.is_transcoded {
            // This text is UTF-8 already, even if the user has given another encoding for the file.
            options.encoding = None;
        }
        let start = TextStart {
            byte: from,
            line: if is_start { 1 } else { first.line },
            number,
            settings: &index.settings,
            places: Some(&index.places),
        };
        Ok(Some(self.source_of(
            text,
            &options,
            Some(length),
            Some(start),
        )))
    }
}

/// Reads the first game of a source; false if it has none.
fn first_game(source: &mut dyn Source<'static>, want: GameNeeds, game: &mut Game) -> Result<bool> {
    while let Some(mut block) = source.next_block()? {
        if block.next(want, game)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A range without games.
struct NoGames;

impl<'a> Source<'a> for NoGames {
    fn next_block(&mut self) -> Result<Option<Box<dyn Block + 'a>>> {
        Ok(None)
    }
}

impl<F: TextFormat> Database for TextFile<F> {
    fn info(&self) -> DatabaseInfo {
        let index = self.index.get();
        let mut info = DatabaseInfo {
            format: F::NAME,
            files: vec![(self.path.clone(), self.size)],
            games: index.map(|index| index.places.count()),
            ..DatabaseInfo::default()
        };
        F::describe(&mut info);
        let pieces = self.points.pieces();
        game_places::describe_packing(
            &mut info,
            match index.is_some_and(|index| index.is_transcoded) {
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
        if let Some((place, settings)) = self.known_place(number)
            && self.read_at(place, settings, number, want, game)?
        {
            return Ok(());
        }
        if let Some(mut source) = self.part(number..number.saturating_add(1))?
            && first_game(&mut source, want, game)?
        {
            return Ok(());
        }
        Err(Error::new(
            &error_codes::NO_SUCH_GAME,
            format!("there is no game {number}"),
        )
        .with("number", number)
        .in_file(self.name()))
    }

    fn finds_games(&self) -> bool {
        match self.index.get() {
            Some(index) => index.is_plain,
            None => self.saved.get().is_some(),
        }
    }

    fn source(&self, games: Option<Range<u64>>) -> Result<Box<dyn Source<'_> + '_>> {
        let Some(games) = games else {
            return Ok(Box::new(self.all()?));
        };
        Ok(match self.part(games)? {
            Some(source) => Box::new(source),
            None => Box::new(NoGames),
        })
    }

    fn places(&self) -> Result<Option<GameOffsets>> {
        let index = self.index()?;
        Ok(index
            .places
            .all()
            .filter(|_| index.is_plain)
            .map(|places| GameOffsets {
                about: F::about(&index.settings),
                ..places
            }))
    }

    fn keep_places(&self, places: Arc<dyn OffsetLookup>) {
        if let Some(settings) = F::settings_of(places.about(), &self.options) {
            // If places are known already, they are just as good.
            let _ = self.saved.set(SavedTextPlaces { places, settings });
        }
    }

    fn diagnostics(&self) -> Diagnostics {
        let mut found = Diagnostics::default();
        if let Some(code) = F::CUT {
            self.cut.report(code, &self.name(), &mut found);
        }
        found
    }
}
