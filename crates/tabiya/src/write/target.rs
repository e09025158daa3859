//! The only way into a new database: a target, what its sources say about themselves, and their games.
//!
//! [`Target::begin`] takes the bases, so that none of their files is overwritten. Only a [`SourceCopier`] takes games, and
//! it is made with what its source says about itself: nothing can be written without it.
//!
//! Most targets are only passed to a job, such as [`convert`](crate::write::convert::convert()). For games of your own:
//!
//! ```
//! # fn main() -> tabiya::model::Result<()> {
//! # let folder = tempfile::tempdir()?;
//! use tabiya::Target;
//! use tabiya::model::{DatabaseMetadata, Game};
//!
//! let target = Target::new(folder.path().join("mine.pgn"), None, Default::default())?;
//! let mut writing = target.begin(&[])?;
//! let mut feed = writing.feed(DatabaseMetadata::default(), Default::default());
//! let mut games = feed.singles(1);
//! let mut game = Game::default();
//! game.tags.set("White", "Morphy, Paul");
//! games.push(game)?;
//! games.finish()?;
//! assert_eq!(writing.finish()?.games, 1);
//! # Ok(())
//! # }
//! ```

use std::collections::{BTreeMap, HashMap};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;

use tabiya_formats::format::{Format, WriteOptions};
use tabiya_formats::{pgn, registry};
use tabiya_io::change::PATIENCE;
use tabiya_io::compression::Compression;
use tabiya_io::interrupt;
use tabiya_io::lock::DatabaseLock;
use tabiya_model::pipeline;
use tabiya_model::{
    Block, Control, DatabaseMetadata, Diagnostic, Diagnostics, EncodedGames, Encoder, Error, Game,
    Loss, Losses, Result, Severity, Sink, Source, UserHint, WriteSummary,
};

use crate::error_codes;
use crate::open::base::Base;
use crate::open::{database_server, lake_tables};
use crate::write::report::{SourceReport, of_game};

/// Where games are written, and how.
#[derive(Clone, Debug)]
pub struct Target {
    /// A file, `-` for standard output, or the address of a server.
    pub path: PathBuf,
    /// The format.
    pub format: &'static Format,
    /// Options of the format.
    pub options: WriteOptions,
}

impl Target {
    /// A target; without a format, its name determines it.
    pub fn new(
        path: impl Into<PathBuf>,
        format: Option<&'static Format>,
        options: WriteOptions,
    ) -> Result<Target> {
        let path = path.into();
        let format = match format {
            Some(format) => format,
            None => format_of(&path)?,
        };
        Ok(Target {
            path,
            format,
            options,
        })
    }

    /// Whether the target can be read again.
    pub fn is_readable(&self) -> bool {
        self.path.as_os_str() != "-" && (self.format.open.is_some() || self.format.stream.is_some())
    }

    /// Whether the target keeps games in the order in which they are written.
    pub fn keeps_order(&self) -> bool {
        lake_tables::keeps_order(&self.options.settings)
    }

    /// Whether a loss does not count, so that a copy with it is still complete: layout has no meaning, a table by its
    /// nature leaves out what it has no column for, and an option of PGN leaves out what the user has requested.
    pub fn is_asked_for(&self, loss: &Loss) -> bool {
        self.format.is_table() || loss.kind.asked_for || loss.kind.is_layout()
    }

    /// Begins to write games of some bases. The target does not exist under its name before [`TargetWriter::finish`].
    pub fn begin(&self, sources: &[Base]) -> Result<TargetWriter<'_>> {
        let mut options = self.options.clone();
        options.sources.extend(sources.iter().flat_map(Base::files));
        let sink = if let Some(url) = database_server::server_url(&self.path) {
            database_server::create(url, &options)?
        } else {
            let create = self.format.create.ok_or_else(|| {
                Error::new(
                    &error_codes::ONLY_READ,
                    format!("writing {} is not supported ", self.format.title),
                )
                .with("format", self.format.title)
                .with_hint(UserHint::ListFormats)
            })?;
            create(&self.path, &options)?
        };
        Ok(TargetWriter {
            target: self,
            sink,
            is_part: sources.len() > 1,
        })
    }

    /// What is to be kept of what a source says about itself: what the user has said replaces it.
    fn not_replaced(&self, mut about: DatabaseMetadata) -> DatabaseMetadata {
        let options = &self.options;
        if options.description.is_some() {
            about.description.clear();
        }
        if options.kind.is_some() {
            about.kind = None;
        }
        if options.autoload.is_some() {
            about.autoload = None;
        }
        if !options.labels.is_empty() {
            about.labels.clear();
        }
        about
    }

    /// An empty report about a source.
    pub fn report(&self, source: &Base) -> SourceReport {
        SourceReport {
            name: source.name().to_owned(),
            format: source.format().name,
            is_table: self.format.is_table(),
            ..SourceReport::default()
        }
    }

    /// The first loss or damage that nobody has asked for, in words.
    fn fault(&self, losses: &Losses, diagnostics: &Diagnostics) -> Option<String> {
        let loss = losses.iter().find(|loss| !self.is_asked_for(loss));
        let loss = loss.map(|loss| {
            let Loss { kind, detail, .. } = loss;
            format!("{}{} ({detail})", of_game(loss), kind.summary)
        });
        let is_damage = |found: &&Diagnostic| found.code.severity == Severity::Damage;
        loss.or_else(|| diagnostics.iter().find(is_damage).map(ToString::to_string))
    }
}

/// The format that the name of a target says.
fn format_of(path: &Path) -> Result<&'static Format> {
    if database_server::server_url(path).is_some() {
        return Ok(&tabiya_formats::jose::FORMAT);
    }
    if path.as_os_str() == "-" {
        return Ok(&pgn::FORMAT);
    }
    // Of all formats whose name says nothing, a lake alone is a folder.
    if path
        .as_os_str()
        .to_string_lossy()
        .ends_with(['/', MAIN_SEPARATOR])
        && let Some(lake) = lake_tables::FOLDER_FORMAT
    {
        return Ok(lake);
    }
    let inner = Compression::of_target(path).map(|(_, inner)| inner);
    let name = inner.as_deref().unwrap_or(path);
    let extension = name.extension().map(|e| e.to_string_lossy().into_owned());
    extension
        .as_deref()
        .and_then(registry::by_extension)
        .ok_or_else(|| {
            let names: Vec<String> = registry::FORMATS
                .iter()
                .filter(|format| format.create.is_some())
                .map(|format| format.name.to_owned())
                .collect();
            Error::new(&error_codes::UNKNOWN_TARGET, "unknown or missing extension")
                .in_file(path.display().to_string())
                .with_hint(UserHint::NameTargetFormat { formats: names })
        })
}

/// A target that is being written; dropped before [`TargetWriter::finish`], it leaves nothing.
pub struct TargetWriter<'t> {
    target: &'t Target,
    sink: Box<dyn Sink>,
    is_part: bool,
}

/// For each game that lost something: the aspects it lost, as bits.
pub(crate) type LostAspects = HashMap<u64, u16>;

impl<'t> TargetWriter<'t> {
    /// Its path.
    pub fn target(&self) -> &'t Target {
        self.target
    }

    /// Takes the games of one source from here on, beginning with what it says about itself.
    pub fn feed(&mut self, about: DatabaseMetadata, report: SourceReport) -> SourceCopier<'_, 't> {
        let about = DatabaseMetadata {
            is_part: self.is_part,
            ..self.target.not_replaced(about)
        };
        let mut losses = Losses::default();
        self.sink.describe(&about, &mut losses);
        let mut feed = SourceCopier {
            writing: self,
            report,
            aspects: None,
            fault: None,
        };
        feed.fault = feed.writing.target.fault(&losses, &Diagnostics::default());
        feed.lose(&losses);
        feed
    }

    /// Takes games of several sources from here on, mixed, as if they are sorted: what each of them says about itself holds
    /// for no part of the target, and is lost.
    pub fn feed_mixed(
        &mut self,
        abouts: &[DatabaseMetadata],
        report: SourceReport,
    ) -> SourceCopier<'_, 't> {
        if let [about] = abouts {
            return self.feed(about.clone(), report);
        }
        self.is_part = true;
        let mut feed = self.feed(DatabaseMetadata::default(), report);
        for about in abouts {
            let mut losses = Losses::default();
            feed.writing
                .target
                .not_replaced(about.clone())
                .lose(&mut losses);
            feed.lose(&losses);
        }
        feed
    }

    /// Completes the files and gives them their names. If an existing base is being edited, this waits a little: a change
    /// that was reported as done would be lost otherwise.
    pub fn finish(self) -> Result<WriteSummary> {
        let path = &self.target.path;
        let is_replaced = self.target.options.force && database_server::server_url(path).is_none();
        let there = tabiya_io::held_folder::real(path).ok();
        let there = there.filter(|path| is_replaced && tabiya_io::held_folder::is_file(path));
        let _lock = match there {
            Some(path) => Some(DatabaseLock::take(&path, PATIENCE)?),
            None => None,
        };
        if database_server::server_url(path).is_none() {
            return self.sink.finish();
        }
        // What is put into a server is there when this ends, and not before.
        let _inside = interrupt::enter()?;
        let summary = self.sink.finish()?;
        interrupt::decide(path);
        Ok(summary)
    }
}

/// Takes the games of one source into a target.
pub struct SourceCopier<'w, 't> {
    writing: &'w mut TargetWriter<'t>,
    /// The report about the source so far.
    pub report: SourceReport,
    aspects: Option<LostAspects>,
    fault: Option<String>,
}

/// Changes a game before it is written, and reports requested losses; or omits the game, and may write others instead. Each
/// thread has its own.
pub type GameTransform<'c> =
    Box<dyn FnMut(&mut Game, &mut Losses, &mut ReplacementWriter<'_>) -> bool + Send + 'c>;

/// Writes a game instead of one that is omitted.
pub type ReplacementWriter<'o> = dyn FnMut(&Game) + 'o;

impl SourceCopier<'_, '_> {
    /// Notes for each game what it lost.
    pub(crate) fn with_aspects(mut self) -> Self {
        self.aspects = Some(LostAspects::new());
        self
    }

    /// The first loss or damage that was not requested, in words.
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    pub(crate) fn into_parts(self) -> (SourceReport, LostAspects) {
        (self.report, self.aspects.unwrap_or_default())
    }

    /// Tells what was lost.
    pub(crate) fn lose(&mut self, losses: &Losses) {
        let target = self.writing.target;
        self.report
            .record_losses(losses, |loss| target.is_asked_for(loss));
        if let Some(aspects) = &mut self.aspects {
            for loss in losses.iter() {
                *aspects.entry(loss.game).or_default() |= loss.kind.aspect.bit();
            }
        }
    }

    /// Takes all games of a source, on all threads. With `strict`, it ends at the first loss or damage.
    pub fn take_all<'c>(
        &mut self,
        source: &mut dyn Source<'_>,
        make: &(dyn Fn() -> GameTransform<'c> + Sync),
        strict: bool,
        control: &Control,
    ) -> Result<()> {
        if strict && self.fault.is_some() {
            return Ok(());
        }
        let threads = control.threads();
        let encoders: Vec<_> = (0..threads).map(|_| self.writing.sink.encoder()).collect();
        let encoders = Mutex::new(encoders);
        let worker = || {
            let encoder = encoders
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .pop();
            let mut worker = encoder.map(|encoder| BlockEncoder {
                encoder,
                game: Game::default(),
                change: make(),
            });
            move |block: &mut dyn Block| match &mut worker {
                Some(worker) => worker.block(block),
                None => Err(Error::new(
                    &error_codes::INTERNAL,
                    "more threads than encoders",
                )),
            }
        };
        pipeline::run(source, control, worker, |mut done: EncodedBlock| {
            let base = match done.first {
                Some(_) => 0,
                None => self.report.games,
            };
            done.number(base);
            self.writing
                .sink
                .append(done.part, base + 1, &mut done.losses)?;
            self.report.games += done.games;
            self.report.skipped += done.skipped;
            self.report.damaged += done.damaged;
            self.report.diagnostics.append(&done.diagnostics);
            self.lose(&done.losses);
            if self.fault.is_none() {
                let target = self.writing.target;
                self.fault = target.fault(&done.losses, &done.diagnostics);
            }
            Ok(!(control.is_stopped() || strict && self.fault.is_some()))
        })?;
        self.report.diagnostics.append(&source.diagnostics());
        self.lose(&source.missing());
        Ok(())
    }

    /// Counts what the source claims to hold and is missing, and damage around its games, after these were taken one by
    /// one.
    pub fn note_missing(&mut self, source: &Base) {
        self.report.diagnostics.append(&source.diagnostics());
        if let Some(database) = source.database() {
            self.lose(&database.missing());
        }
    }

    /// Takes games one by one, and encodes them on several threads.
    pub fn singles(&mut self, threads: usize) -> SingleGameCopier<'_> {
        let target = self.writing.target;
        SingleGameCopier {
            sink: &mut *self.writing.sink,
            report: &mut self.report,
            target,
            threads: threads.max(1),
            batch: Vec::new(),
            pool: None,
            encoder: None,
        }
    }
}

/// Games that one thread encodes at a time.
const BATCH: usize = 64;

/// Batches under way or waiting for their turn, per thread.
const AHEAD: usize = 3;

/// Games that are written one by one, with numbers of their own.
pub struct SingleGameCopier<'f> {
    sink: &'f mut dyn Sink,
    report: &'f mut SourceReport,
    target: &'f Target,
    threads: usize,
    batch: Vec<Game>,
    pool: Option<EncoderPool>,
    encoder: Option<Box<dyn Encoder>>,
}

impl SingleGameCopier<'_> {
    /// Adds a game that was read for it.
    pub fn push(&mut self, game: Game) -> Result<()> {
        self.report.games += 1;
        if game.diagnostics.at_least(Severity::Damage) > 0 {
            self.report.damaged += 1;
        }
        if !game.diagnostics.is_empty() {
            self.report.diagnostics.append(&game.diagnostics);
        }
        self.put(game)
    }

    /// Adds a game that is counted elsewhere.
    pub(crate) fn put(&mut self, game: Game) -> Result<()> {
        self.batch.push(game);
        if self.batch.len() < BATCH {
            return Ok(());
        }
        let batch = std::mem::take(&mut self.batch);
        if self.threads == 1 {
            return self.encode_here(&batch);
        }
        let pool = match &mut self.pool {
            Some(pool) => pool,
            None => {
                let encoders = (0..self.threads).map(|_| self.sink.encoder());
                self.pool.insert(EncoderPool::new(encoders))
            }
        };
        while pool.under_way() >= self.threads * AHEAD {
            let done = pool.next()?;
            place(self.sink, self.report, self.target, done)?;
        }
        pool.send(batch)?;
        while let Some(done) = pool.ready() {
            place(self.sink, self.report, self.target, done)?;
        }
        Ok(())
    }

    fn encode_here(&mut self, batch: &[Game]) -> Result<()> {
        let encoder = match &mut self.encoder {
            Some(encoder) => encoder,
            None => self.encoder.insert(self.sink.encoder()),
        };
        let mut losses = Losses::default();
        for game in batch {
            encoder.encode(game, &mut losses);
        }
        let part = encoder.take();
        place(self.sink, self.report, self.target, (part, losses))
    }

    /// Tells what a game has lost on its way here.
    pub(crate) fn lose(&mut self, losses: &Losses) {
        let target = self.target;
        self.report
            .record_losses(losses, |loss| target.is_asked_for(loss));
    }

    /// Waits until everything is in the target.
    pub fn finish(mut self) -> Result<()> {
        if let Some(mut pool) = self.pool.take() {
            while pool.under_way() > 0 {
                let done = pool.next()?;
                place(self.sink, self.report, self.target, done)?;
            }
            pool.join();
        }
        let batch = std::mem::take(&mut self.batch);
        self.encode_here(&batch)
    }
}

fn place(
    sink: &mut dyn Sink,
    report: &mut SourceReport,
    target: &Target,
    (part, mut losses): (EncodedGames, Losses),
) -> Result<()> {
    // The games have their numbers already.
    sink.append(part, 1, &mut losses)?;
    report.record_losses(&losses, |loss| target.is_asked_for(loss));
    Ok(())
}

/// Threads that encode, and what they have done on its way back into order.
struct EncoderPool {
    to: Option<SyncSender<(usize, Vec<Game>)>>,
    from: Receiver<(usize, EncodedGames, Losses)>,
    sent: usize,
    taken: usize,
    waiting: BTreeMap<usize, (EncodedGames, Losses)>,
    workers: Vec<JoinHandle<()>>,
}

impl EncoderPool {
    fn new(encoders: impl ExactSizeIterator<Item = Box<dyn Encoder>>) -> EncoderPool {
        let (to, work) = sync_channel::<(usize, Vec<Game>)>(encoders.len() * AHEAD);
        let (results, from) = channel();
        let work = Arc::new(Mutex::new(work));
        let workers = encoders.map(|mut encoder| {
            let (work, results) = (Arc::clone(&work), results.clone());
            std::thread::spawn(move || {
                loop {
                    let next = work.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok((number, games)) = next else {
                        return;
                    };
                    let mut losses = Losses::default();
                    for game in &games {
                        encoder.encode(game, &mut losses);
                    }
                    if results.send((number, encoder.take(), losses)).is_err() {
                        return;
                    }
                }
            })
        });
        EncoderPool {
            to: Some(to),
            from,
            sent: 0,
            taken: 0,
            waiting: BTreeMap::new(),
            workers: workers.collect(),
        }
    }

    fn under_way(&self) -> usize {
        self.sent - self.taken
    }

    fn send(&mut self, games: Vec<Game>) -> Result<()> {
        let sent = self.to.as_ref().map(|to| to.send((self.sent, games)));
        match sent {
            Some(Ok(())) => {
                self.sent += 1;
                Ok(())
            }
            _ => Err(encoder_ended()),
        }
    }

    fn turn(&mut self) -> Option<(EncodedGames, Losses)> {
        let done = self.waiting.remove(&self.taken)?;
        self.taken += 1;
        Some(done)
    }

    /// What is next in order, if it is done.
    fn ready(&mut self) -> Option<(EncodedGames, Losses)> {
        while let Ok((number, part, losses)) = self.from.try_recv() {
            self.waiting.insert(number, (part, losses));
        }
        self.turn()
    }

    /// Waits for what is next in order.
    fn next(&mut self) -> Result<(EncodedGames, Losses)> {
        loop {
            if let Some(done) = self.turn() {
                return Ok(done);
            }
            match self.from.recv() {
                Ok((number, part, losses)) => {
                    self.waiting.insert(number, (part, losses));
                }
                Err(mpsc::RecvError) => return Err(encoder_ended()),
            }
        }
    }

    /// Ends the threads, and passes on the panic of one.
    fn join(&mut self) {
        self.to = None;
        for worker in self.workers.drain(..) {
            if let Err(panic) = worker.join() {
                std::panic::resume_unwind(panic);
            }
        }
    }
}

fn encoder_ended() -> Error {
    Error::new(
        &error_codes::THREAD_ENDED,
        "a thread that encodes games has ended early",
    )
}

/// Decodes and encodes blocks on one thread.
struct BlockEncoder<'c> {
    encoder: Box<dyn Encoder>,
    game: Game,
    change: GameTransform<'c>,
}

/// What became of a block.
struct EncodedBlock {
    part: EncodedGames,
    first: Option<u64>,
    games: u64,
    skipped: u64,
    damaged: u64,
    losses: Losses,
    diagnostics: Diagnostics,
}

impl BlockEncoder<'_> {
    fn block(&mut self, block: &mut dyn Block) -> Result<EncodedBlock> {
        let (mut games, mut skipped, mut damaged) = (0, 0, 0);
        let (mut losses, mut diagnostics) = (Losses::default(), Diagnostics::default());
        let want = self.encoder.want();
        while block.next(want, &mut self.game)? {
            games += 1;
            if !self.game.diagnostics.is_empty() {
                damaged += u64::from(self.game.diagnostics.at_least(Severity::Damage) > 0);
                diagnostics.append(&self.game.diagnostics);
            }
            let (mut others, mut lost) = (0_u64, Losses::default());
            let encoder = &mut self.encoder;
            let is_kept = (self.change)(&mut self.game, &mut losses, &mut |other| {
                others += 1;
                encoder.encode(other, &mut lost);
            });
            losses.append(&mut lost);
            if is_kept {
                self.encoder.encode(&self.game, &mut losses);
            } else if others == 0 {
                skipped += 1;
            }
        }
        Ok(EncodedBlock {
            part: self.encoder.take(),
            first: block.first(),
            games,
            skipped,
            damaged,
            losses,
            diagnostics,
        })
    }
}

impl EncodedBlock {
    /// Adds what came before to numbers that count from the block's start.
    fn number(&mut self, base: u64) {
        for loss in self.losses.iter_mut() {
            loss.game += base;
        }
        for diagnostic in self.diagnostics.iter_mut() {
            if let Some(game) = &mut diagnostic.place.game {
                *game += base;
            }
        }
    }
}
