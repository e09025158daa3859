//! The laws of every format, for every format of the registry.
//!
//! Every registered format takes part; no format is named here. Each law prints the formats that it was run for.

#![allow(clippy::print_stderr)] // The tests print which formats took part.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tabiya_formats::format::{
    Format, FormatProbe, FormatSupport, OpenOptions, ProbeAnswer, WriteOptions,
};
use tabiya_formats::options::OptionArgument;
use tabiya_formats::registry::{self, FORMATS};
use tabiya_model::canon_game::canon;
use tabiya_model::database::{Block, Source, for_each_game};
use tabiya_model::diff::{GameDifference, diff};
use tabiya_model::outcome::Outcome;
use tabiya_model::pipeline;
use tabiya_model::{Control, Database, Game, GameAspect, GameNeeds, Losses, Result, Sink, Tape};

use crate::games::{self, Wild};
use crate::reading::{self, read_all};

/// Seeds of the games with which every law is tried; more with `TABIYA_SEEDS`.
fn seeds() -> u64 {
    std::env::var("TABIYA_SEEDS")
        .ok()
        .and_then(|seeds| seeds.parse().ok())
        .unwrap_or(12)
}

/// Further seeds whose games once showed a fault.
const FOUND: [u64; 3] = [12, 85, 227];

/// The first seeds and those that once showed a fault.
fn tried(first: u64) -> impl Iterator<Item = u64> {
    let found = FOUND.into_iter().filter(move |seed| *seed >= first);
    (0..first).chain(found)
}

const GAMES: usize = 24;

/// A format, with one of its options that write the same games in another form.
#[derive(Clone)]
struct Way {
    format: &'static Format,
    options: WriteOptions,
    name: String,
}

impl std::ops::Deref for Way {
    type Target = Format;

    fn deref(&self) -> &Format {
        self.format
    }
}

/// All ways in which a format is written.
fn ways(format: &'static Format) -> Vec<Way> {
    let plain = Way {
        format,
        options: WriteOptions::default(),
        name: format.name.to_owned(),
    };
    let mut ways = vec![plain.clone()];
    for option in format.write_options.iter().filter(|it| it.keeps_games) {
        let OptionArgument::OneOf(words) = option.takes else {
            panic!("{}: {} has no words to be tried", format.name, option.name);
        };
        // The first word is the default.
        for (word, _) in words.iter().skip(1) {
            let mut way = plain.clone();
            way.options.settings.set(option, word).expect("a word");
            way.name = format!("{}:{word}", format.name);
            ways.push(way);
        }
    }
    ways
}

/// Formats that are both written and read.
fn both_ways() -> impl Iterator<Item = Way> {
    written().filter(|format| format.open.is_some())
}

/// Formats that can be written.
fn written() -> impl Iterator<Item = Way> {
    FORMATS
        .iter()
        .copied()
        .filter(|format| format.create.is_some())
        .flat_map(ways)
}

fn ran_for(law: &str, formats: &[String]) {
    assert!(!formats.is_empty(), "{law}: no format takes part");
    eprintln!("{law}: {}", formats.join(" "));
}

fn target_in(folder: &Path, format: &Way) -> PathBuf {
    let extension = format.extensions.first().copied().unwrap_or("");
    folder.join("games").with_extension(extension)
}

/// Losses of each game, by its number.
type Lost = BTreeMap<u64, Vec<(GameAspect, String)>>;

fn note(losses: &mut Losses, lost: &mut Lost) {
    for loss in losses.iter() {
        lost.entry(loss.game).or_default().push((
            loss.kind.aspect,
            format!("{} ({})", loss.kind.name, loss.detail),
        ));
    }
    losses.clear();
}

fn sink(format: &Way, path: &Path) -> Box<dyn Sink> {
    let create = format.create.expect("the format is written");
    create(path, &format.options).expect("the target can be created")
}

/// Writes games in parts of several and returns the losses.
fn write(format: &Way, path: &Path, games: &[Game]) -> Lost {
    let mut sink = sink(format, path);
    let mut encoder = sink.encoder();
    let (mut losses, mut lost) = (Losses::default(), Lost::new());
    for part in games.chunks(7) {
        for game in part {
            encoder.encode(game, &mut losses);
        }
        sink.append(encoder.take(), 1, &mut losses)
            .expect("the part is taken");
        note(&mut losses, &mut lost);
    }
    sink.finish().expect("the target is completed");
    lost
}

fn open(format: &Way, path: &Path) -> Box<dyn Database> {
    let open = format.open.expect("the format is read");
    open(path, &OpenOptions::default()).unwrap_or_else(|error| panic!("{}: {error}", format.name))
}

/// Every file of a folder with its bytes.
fn content(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("within").to_owned();
                files.insert(name, std::fs::read(&path).expect("a file"));
            }
        }
    }
    files
}

fn unexplained(game: &Game, copy: &Game, lost: &[(GameAspect, String)]) -> Vec<GameDifference> {
    diff(game, copy)
        .into_iter()
        .filter(|difference| {
            !lost
                .iter()
                .any(|(aspect, _)| aspect.explains(difference.aspect))
        })
        .collect()
}

/// What a writer must report about every game: a game that is not kept is lost as a whole.
fn check_law(format: &Way, seed: u64, wild: Wild) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = target_in(folder.path(), format);
    let games = games::games(seed, GAMES, wild);
    let lost = write(format, &path, &games);
    let database = open(format, &path);
    let copies = read_all(&*database, GameNeeds::ALL);
    let none = Vec::new();
    let lost_of = |game: &Game| lost.get(&game.origin.number).unwrap_or(&none);
    let kept: Vec<&Game> = games
        .iter()
        .filter(|game| {
            !lost_of(game)
                .iter()
                .any(|(aspect, _)| *aspect == GameAspect::Game)
        })
        .collect();
    if kept.is_empty() {
        // An opening book keeps no game: the games that it shows are its own lines.
        return;
    }
    assert_eq!(
        copies.len(),
        kept.len(),
        "{} seed {seed}: number of games",
        format.name
    );
    for (game, copy) in kept.into_iter().zip(&copies) {
        let differences = unexplained(game, copy, lost_of(game));
        assert!(
            differences.is_empty(),
            "{} seed {seed} game {}: {}\n  losses: {:?}\n  findings: {:?}",
            format.name,
            game.origin.number,
            differences
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join("\n  "),
            lost_of(game),
            copy.diagnostics
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
        );
    }
}

/// Tries a law with every format, so that a failure of one does not hide another.
fn try_each(law: &str, formats: impl Iterator<Item = Way>, check: impl Fn(&Way)) {
    let (mut ran, mut failed) = (Vec::new(), Vec::new());
    for format in formats {
        ran.push(format.name.clone());
        let check = std::panic::AssertUnwindSafe(|| check(&format));
        if let Err(panic) = std::panic::catch_unwind(check) {
            failed.push(message(panic));
        }
    }
    ran_for(law, &ran);
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn every_difference_is_a_reported_loss() {
    try_each(
        "every difference is a reported loss",
        both_ways(),
        |format| {
            for seed in tried(seeds()) {
                // Each trait of wild games is tried alone first, so that a failure shows its cause.
                for wild in [
                    Wild::TAME,
                    Wild {
                        starts: true,
                        ..Wild::TAME
                    },
                    Wild {
                        texts: true,
                        ..Wild::TAME
                    },
                    Wild {
                        oddities: true,
                        ..Wild::TAME
                    },
                    Wild::ALL,
                ] {
                    check_law(format, seed, wild);
                }
            }
        },
    );
}

fn message(panic: Box<dyn std::any::Any + Send>) -> String {
    panic
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
        .unwrap_or_default()
}

#[test]
fn what_was_written_once_is_written_the_same_again() {
    // A copy that a format could hold once is kept completely: the second generation loses nothing more.
    try_each(
        "the second generation is the first",
        both_ways(),
        |format| {
            for seed in tried(seeds() / 3 + 1) {
                let folder = tempfile::tempdir().expect("a folder");
                let first = target_in(folder.path(), format);
                write(format, &first, &games::games(seed, GAMES, Wild::ALL));
                let once = read_all(&*open(format, &first), GameNeeds::ALL);
                let again = tempfile::tempdir().expect("a folder");
                let second = target_in(again.path(), format);
                write(format, &second, &once);
                let twice = read_all(&*open(format, &second), GameNeeds::ALL);
                assert_eq!(once.len(), twice.len(), "{} seed {seed}", format.name);
                for (a, b) in once.iter().zip(&twice) {
                    assert_eq!(
                        canon(a),
                        canon(b),
                        "{} seed {seed} game {}",
                        format.name,
                        a.origin.number
                    );
                }
            }
        },
    );
}

#[test]
fn the_same_games_give_the_same_bytes() {
    try_each("same games, same bytes", written(), |format| {
        for seed in tried(seeds() / 4 + 1) {
            let games = games::games(seed, GAMES, Wild::ALL);
            let [a, b] = [0, 1].map(|_| {
                let folder = tempfile::tempdir().expect("a folder");
                write(format, &target_in(folder.path(), format), &games);
                content(folder.path())
            });
            assert_eq!(a, b, "{} seed {seed}", format.name);
        }
    });
}

/// Games in memory, in blocks of five.
struct Memory<'g> {
    games: &'g [Game],
    at: usize,
}

struct MemoryBlock<'g> {
    games: &'g [Game],
}

impl<'g> Source<'g> for Memory<'g> {
    fn next_block(&mut self) -> Result<Option<Box<dyn Block + 'g>>> {
        let rest = &self.games[self.at..];
        let count = rest.len().min(5);
        self.at += count;
        let games = &rest[..count];
        Ok((count > 0).then(|| Box::new(MemoryBlock { games }) as Box<dyn Block + 'g>))
    }
}

impl Block for MemoryBlock<'_> {
    fn next(&mut self, _: GameNeeds, game: &mut Game) -> Result<bool> {
        let Some((first, rest)) = self.games.split_first() else {
            return Ok(false);
        };
        game.clone_from(first);
        self.games = rest;
        Ok(true)
    }
}

fn write_on(format: &Way, path: &Path, games: &[Game], jobs: usize) {
    let mut sink = sink(format, path);
    let encoders = std::sync::Mutex::new((0..jobs).map(|_| sink.encoder()).collect::<Vec<_>>());
    let make = || {
        let mut encoder = encoders
            .lock()
            .expect("no panic")
            .pop()
            .expect("one a thread");
        let mut game = Game::default();
        move |block: &mut dyn Block| {
            let mut losses = Losses::default();
            while block.next(GameNeeds::ALL, &mut game)? {
                if game.origin.number % 10 == 0 {
                    std::thread::yield_now();
                }
                encoder.encode(&game, &mut losses);
            }
            Ok(encoder.take())
        }
    };
    let control = Control::default().with_threads(jobs);
    pipeline::run(&mut Memory { games, at: 0 }, &control, make, |part| {
        sink.append(part, 1, &mut Losses::default())?;
        Ok(true)
    })
    .expect("every game is written");
    sink.finish().expect("the target is completed");
}

#[test]
fn threads_do_not_change_what_is_written() {
    let games = games::games(77, 60, Wild::ALL);
    try_each("threads and writing", written(), |format| {
        let of = |jobs: usize| {
            let folder = tempfile::tempdir().expect("a folder");
            write_on(format, &target_in(folder.path(), format), &games, jobs);
            content(folder.path())
        };
        let one = of(1);
        for jobs in [2, 5] {
            assert_eq!(of(jobs), one, "{} with {jobs} threads", format.name);
        }
    });
}

/// A written database with more games than fit into a block.
fn large(format: &Way, folder: &Path) -> (PathBuf, Vec<Game>) {
    let path = target_in(folder, format);
    let few = games::games(5, 150, Wild::ALL);
    let mut games = Vec::new();
    for _ in 0..8 {
        games.extend(few.iter().cloned());
    }
    for (index, game) in games.iter_mut().enumerate() {
        game.origin.number = index as u64 + 1;
    }
    write(format, &path, &games);
    (path, games)
}

#[test]
fn threads_do_not_change_what_is_read() {
    try_each("threads and reading", both_ways(), |format| {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, _) = large(format, folder.path());
        reading::threads_read_alike(&format.name, &*open(format, &path));
    });
}

#[test]
fn a_game_is_read_again_as_it_was_read_at_first() {
    try_each("reading again", both_ways(), |format| {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, _) = large(format, folder.path());
        let blocks = reading::blocks_read_again(&format.name, &*open(format, &path));
        assert!(blocks.all_repeatable, "{}", format.name);
    });
}

#[test]
fn less_that_is_wanted_is_a_part_of_all() {
    try_each("less that is wanted", both_ways(), |format| {
        for seed in tried(seeds() / 2 + 1) {
            let folder = tempfile::tempdir().expect("a folder");
            let path = target_in(folder.path(), format);
            write(format, &path, &games::games(seed, GAMES, Wild::ALL));
            let name = format!("{} seed {seed}", format.name);
            reading::less_is_a_part_of_all(&name, &*open(format, &path));
        }
    });
}

#[test]
fn the_result_is_the_same_whatever_is_wanted() {
    try_each("the result", both_ways(), |format| {
        let folder = tempfile::tempdir().expect("a folder");
        let path = target_in(folder.path(), format);
        let mut games = games::games(1, GAMES, Wild::ALL);
        // The movetext may end with another result than that of the tag.
        for (game, outcome) in games.iter_mut().zip(Outcome::ALL.into_iter().cycle()) {
            game.outcome = Some(outcome);
        }
        write(format, &path, &games);
        let database = open(format, &path);
        let wants = [GameNeeds::ALL, GameNeeds::MAIN_LINE, GameNeeds::TAGS];
        let [all, main, tags] = wants.map(|want| read_all(&*database, want));
        for ((all, main), tags) in all.iter().zip(&main).zip(&tags) {
            let at = format!("{} game {}", format.name, all.origin.number);
            assert_eq!(all.result(), main.result(), "{at}");
            assert_eq!(all.result(), tags.result(), "{at}");
        }
    });
}

#[test]
fn random_access_is_streaming() {
    try_each("random access", both_ways(), |format| {
        let folder = tempfile::tempdir().expect("a folder");
        let (path, _) = large(format, folder.path());
        reading::random_access_is_streaming(&format.name, &*open(format, &path));
    });
}

#[test]
fn no_games_are_a_database_too() {
    try_each("no games", both_ways(), |format| {
        let folder = tempfile::tempdir().expect("a folder");
        let path = target_in(folder.path(), format);
        write(format, &path, &[]);
        let database = open(format, &path);
        assert!(database.is_empty().expect("a count"), "{}", format.name);
        assert!(read_all(&*database, GameNeeds::ALL).is_empty());
    });
}

/// Games of a format as a compressed stream.
fn packed(format: &Way) -> Vec<u8> {
    use std::io::Write;
    use tabiya_io::compression::Compression;

    let folder = tempfile::tempdir().expect("a folder");
    let path = target_in(folder.path(), format);
    write(format, &path, &games::games(1, GAMES, Wild::TAME));
    let zstd = Some(Compression::Zstd);
    let mut packer =
        tabiya_io::compressed_writer::compressed_writer(zstd, Vec::new()).expect("a packer");
    let content = std::fs::read(&path).expect("written");
    packer.write_all(&content).expect("packed");
    packer.finish().expect("packed")
}

/// The number of games in a stream.
fn streamed(format: &Way, content: &[u8], options: &OpenOptions) -> Result<usize> {
    let stream = format.stream.expect("a format with streams");
    let mut source = stream(Box::new(std::io::Cursor::new(content.to_vec())), options)?;
    let mut games = 0;
    for_each_game(&mut *source, GameNeeds::ALL, |_| {
        games += 1;
        Ok(())
    })?;
    Ok(games)
}

#[test]
fn what_is_packed_keeps_the_bounds_that_were_set() {
    // An archive is not a stream that could be compressed once more.
    let unpacks = |format: &Way| {
        let all = |games| games == GAMES;
        let options = OpenOptions::default();
        format.stream.is_some() && streamed(format, &packed(format), &options).is_ok_and(all)
    };
    try_each(
        "bounds of unpacking",
        both_ways().filter(unpacks),
        |format| {
            let mut options = OpenOptions::default();
            options.limits.window = 1 << 16;
            let read = streamed(format, &packed(format), &options);
            assert!(read.is_err(), "{}: {read:?}", format.name);
        },
    );
}

fn probe_of(format: &Way, path: &Path) -> Option<(&'static Format, ProbeAnswer)> {
    let head = std::fs::read(path).unwrap_or_default();
    let head = &head[..head.len().min(tabiya_io::compression::HEAD)];
    let extension = path.extension().map_or("", |e| e.to_str().expect("text"));
    let probe = FormatProbe {
        path: Some(path),
        extension,
        head,
        is_folder: path.is_dir(),
    };
    assert_eq!(
        (format.identify)(&probe),
        ProbeAnswer::Yes,
        "{}",
        format.name
    );
    for other in FORMATS
        .iter()
        .filter(|other| other.name != format.format.name)
    {
        assert_ne!(
            (other.identify)(&probe),
            ProbeAnswer::Yes,
            "{} takes a file of {} for its own",
            other.name,
            format.name
        );
    }
    registry::identify(&probe)
}

#[test]
fn formats_know_their_own_files() {
    try_each("identification", written(), |format| {
        let folder = tempfile::tempdir().expect("a folder");
        let path = target_in(folder.path(), format);
        write(format, &path, &games::games(3, 3, Wild::TAME));
        let found = probe_of(format, &path).map(|(format, _)| format.name);
        assert_eq!(found, Some(format.format.name));
    });
}

#[test]
fn descriptors_say_what_is_there() {
    let mut names = Vec::new();
    for format in FORMATS {
        let can = &format.capabilities;
        let reads = format.open.is_some() || format.stream.is_some();
        assert_eq!(can.read != FormatSupport::None, reads, "{}", format.name);
        let writes = format.create.is_some();
        assert_eq!(can.write != FormatSupport::None, writes, "{}", format.name);
        assert!(!names.contains(&format.name), "{} twice", format.name);
        names.push(format.name);
        for code in format.codes {
            let is_kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(code.name.chars().all(is_kebab), "{}", code.name);
            assert!(
                !code.summary.is_empty() && !code.help.is_empty(),
                "{}",
                code.name
            );
        }
    }
    let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    ran_for("descriptors", &names);
}

#[test]
fn a_tape_is_its_operations() {
    for seed in 0..seeds() * 10 {
        let game = games::game(seed, Wild::ALL);
        let mut copy = Game {
            tape: Tape::default(),
            ..game.clone()
        };
        for op in game.tape.ops() {
            copy.tape.push_from(&game.tape, op);
        }
        assert_eq!(copy.tape, game.tape, "seed {seed}");
        assert_eq!(canon(&copy), canon(&game), "seed {seed}");
        assert!(diff(&copy, &game).is_empty(), "seed {seed}");
    }
}
