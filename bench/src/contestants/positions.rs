//! The index of positions and the explorer, beside Scid's tree.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use shakmaty::Color;
use tabiya::explore::explorer::{self, ExploreOptions, ExploreTarget};
use tabiya::sidecar::{self, IndexBuildOptions, Sidecar};
use tabiya_formats::format::{OpenOptions, WriteOptions};
use tabiya_formats::{pgn, registry};
use tabiya_model::board::Board;
use tabiya_model::database::SinkWriter;
use tabiya_model::facts::FactFields;
use tabiya_model::{Control, Database, Game, GameNeeds, Losses};

use super::scid;
use crate::corpora::{self, Corpus, DerivedCorpus};
use crate::task::{Contestant, MissingProgram, ProgramInput, WorkCounts};

pub(crate) const GAMES: Corpus = Corpus {
    name: "otb",
    what: "286,040 master games as bases of Scid 5 and 4, warm",
    made: Some(DerivedCorpus {
        ending: "explorer.si5",
        make,
    }),
};

pub(crate) const MILLION: Corpus = Corpus {
    name: "otb",
    what: "the same games five times, 1,430,200 of them, copies with other surnames, warm",
    made: Some(DerivedCorpus {
        ending: "explorer5.si5",
        make: |pgn, to| {
            let five = to.with_extension("pgn");
            corpora::five_times(pgn, &five)?;
            make(&five, to)?;
            Ok(fs::remove_file(five)?)
        },
    }),
};

/// Positions that one run asks for.
const POSITIONS: u64 = 100;
/// Threads that build an index.
const JOBS: usize = 2;

pub(crate) fn build() -> Contestant {
    Contestant::function(
        "tabiya, 2 threads",
        "`tabiya index` on the si5 base, every position of every game; *plies* are positions",
        |input| build_index(&input.path),
    )
    .opens()
}

pub(crate) fn start() -> Contestant {
    Contestant::function(
        "tabiya",
        "base and index opened, the start position with the names of its top and latest games",
        |input| ask(&input.path, &[Board::standard()], true),
    )
    .opens()
}

pub(crate) fn start_without() -> Contestant {
    Contestant::function(
        "tabiya, no index",
        "the same by walking through all games on one thread",
        |input| ask(&input.path, &[Board::standard()], false),
    )
    .opens()
}

pub(crate) fn positions() -> Contestant {
    Contestant::function(
        "tabiya",
        "100 positions of all phases, base and index opened again for each, names of top and latest \
         games included; *games* are those that have them, *plies* the positions; one thread",
        |input| ask(&input.path, &read_positions(&input.path)?, true),
    )
    .opens()
}

pub(crate) fn scid_start() -> Contestant {
    Contestant::script(
        "scid's tree",
        "the si4 base opened, then `sc_filter search BASE tree board` and `sc_filter treestats`",
        |run| tree(run, &[Board::standard()]),
    )
}

pub(crate) fn scid_positions() -> Contestant {
    Contestant::script(
        "scid's tree",
        "the same 100 positions, the si4 base opened again for each",
        |run| {
            let boards =
                read_positions(&run.input).map_err(|error| MissingProgram(error.to_string()))?;
            tree(run, &boards)
        },
    )
}

/// Writes the bases, the index and the positions that are asked for.
fn make(games: &Path, to: &Path) -> Result<()> {
    let [si5, si4] = ["si5", "si4"].map(|extension| to.with_extension(extension));
    write_base(games, &si5, u64::MAX)?;
    write_base(games, &si4, u64::MAX)?;
    let fens: String = sample(&si5, POSITIONS)?
        .iter()
        .map(|board| board.to_fen() + "\n")
        .collect();
    fs::write(to.with_extension("fens"), fens)?;
    // Of a base that is moved afterwards, each search would compare the digest.
    build_index(&si5)?;
    Ok(())
}

/// Writes the games of a PGN file as a base, up to a number of games.
pub(crate) fn write_base(games: &Path, to: &Path, most: u64) -> Result<()> {
    let open = pgn::FORMAT.open.context("PGN cannot be read")?;
    let extension = to.extension().and_then(|name| name.to_str()).unwrap_or("");
    let create = registry::by_name(extension)
        .and_then(|format| format.create)
        .context("it is written")?;
    let database = open(games, &OpenOptions::default())?;
    let options = WriteOptions {
        force: true,
        ..WriteOptions::default()
    };
    let mut writer = SinkWriter::new(create(to, &options)?);
    let mut losses = Losses::default();
    let mut game = Game::default();
    let mut left = most;
    let mut source = database.source(None)?;
    while left > 0
        && let Some(mut block) = source.next_block()?
    {
        while left > 0 && block.next(GameNeeds::ALL, &mut game)? {
            left -= 1;
            losses.clear();
            writer.write(&game, &mut losses)?;
        }
    }
    writer.finish()?;
    Ok(())
}

/// Positions of all phases: every so many games, a ply that differs from game to game.
pub(crate) fn sample(base: &Path, count: u64) -> Result<Vec<Board>> {
    let inputs = tabiya::open(base)?;
    let database = database(&inputs)?;
    let mut game = Game::default();
    let mut boards = Vec::new();
    for index in 0..count {
        let number = 1 + database.len()? * index / count;
        database.read(number, GameNeeds::MAIN_LINE, &mut game)?;
        let plies = game.tape.plies() as u64;
        let wanted = usize::try_from(index * 7919 % (plies + 1))?;
        let mut board = game.start_board();
        for m in game.tape.main_line().take(wanted) {
            board.play(m);
        }
        boards.push(board);
    }
    Ok(boards)
}

fn read_positions(base: &Path) -> Result<Vec<Board>> {
    fs::read_to_string(base.with_extension("fens"))?
        .lines()
        .map(|fen| {
            Board::from_fen(fen)
                .map(|(board, _)| board)
                .map_err(|error| anyhow::anyhow!("{fen}: {error}"))
        })
        .collect()
}

fn database(inputs: &[tabiya::Base]) -> Result<&dyn Database> {
    inputs
        .first()
        .and_then(tabiya::Base::database)
        .context("there is a database")
}

/// Builds the index of a base anew.
pub(crate) fn build_index(base: &Path) -> Result<WorkCounts> {
    let inputs = tabiya::open(base)?;
    let making = IndexBuildOptions {
        reading: &OpenOptions::default(),
        extend: false,
        control: &Control::default().with_threads(JOBS).with_memory(96 << 20),
    };
    let (built, _) = sidecar::make(database(&inputs)?, &making)?;
    Ok(WorkCounts {
        games: built.games,
        plies: built.positions,
    })
}

/// Asks for positions, with everything opened anew each time.
pub(crate) fn ask(base: &Path, boards: &[Board], with_index: bool) -> Result<WorkCounts> {
    let mut counts = WorkCounts::default();
    for board in boards {
        let inputs = tabiya::open(base)?;
        let database = database(&inputs)?;
        let targets = [ExploreTarget::of_board(board)];
        let options = ExploreOptions::default();
        let control = Control::default().with_threads(1);
        let explored = if with_index {
            let Sidecar::Fresh(index) = sidecar::open(database, &OpenOptions::default())? else {
                bail!("{} has no index", base.display());
            };
            let explored = explorer::with_index(database, &index, &targets, &options, &control)?
                .context("the index is damaged")?;
            show(database, |number| index.card(number).is_some(), &explored)?;
            explored
        } else {
            let explored = explorer::scan(database, None, &targets, &options, &control)?;
            show(database, |_| false, &explored)?;
            explored
        };
        counts.games += explored
            .tallies
            .iter()
            .map(|t| t.total().games)
            .sum::<u64>();
        counts.plies += 1;
    }
    Ok(counts)
}

/// Looks the names of the shown games up, as an answer needs them.
fn show(
    database: &dyn Database,
    has_card: impl Fn(u64) -> bool,
    explored: &explorer::ExploreTallies,
) -> Result<()> {
    let facts = database.facts().context("there are facts")?;
    for tally in &explored.tallies {
        for shown in tally.top().iter().chain(tally.recent()) {
            if !has_card(shown.number) {
                let fact = facts.fact(shown.number, FactFields::ALL);
                let fact = fact.context("a fact for every game")?;
                std::hint::black_box([
                    facts.player(&fact, Color::White),
                    facts.player(&fact, Color::Black),
                ]);
            }
        }
    }
    Ok(())
}

/// Scid's tree for positions; says how long it took, and in how many games they stand.
const TREE: &str = "
set start [clock microseconds]
set games 0
set positions 0
foreach fen $fens {
    set base [sc_base open SCID4 [lindex $argv 0]]
    sc_base switch 9
    sc_game startBoard $fen
    sc_filter search $base tree board
    sc_filter treestats $base tree
    incr games [sc_filter count $base tree]
    incr positions
    sc_base close $base
}
puts \"[expr {1000 * ([clock microseconds] - $start)}] $games $positions\"
exit
";

fn tree(run: &ProgramInput, boards: &[Board]) -> Result<Command, MissingProgram> {
    let fens: String = boards
        .iter()
        .map(|board| format!("    {{{}}}\n", board.to_fen()))
        .collect();
    let base: PathBuf = run.input.with_extension("");
    let mut command = scid::start(run, &format!("set fens {{\n{fens}}}\n{TREE}"))?;
    command.arg(base).stderr(Stdio::null());
    Ok(command)
}
