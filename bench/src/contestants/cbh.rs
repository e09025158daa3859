//! ChessBase's databases: our reader, and two programs that read them too.
//!
//! `cbvault-walk` is found on the path: a program of a few lines over the crate cbvault 0.1.6 whose sink counts what
//! `for_each_game` hands it, and prints games and plies. `cbh2pgn.py` of asdfjkl/cbh2pgn is found there as well.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use tabiya_formats::cbh::CbhReader;
use tabiya_formats::format::OpenOptions;
use tabiya_model::database::for_each_game;
use tabiya_model::{Database, Error, GameNeeds};

use super::program;
use crate::corpora::{Corpus, DerivedCorpus};
use crate::measure::find_program;
use crate::task::{Contestant, FunctionInput, MissingProgram, WorkCounts};

/// A week of tournaments.
pub(crate) const WEEK: Corpus = Corpus {
    name: "oracles/cbh/twic1134/twic1134.cbh",
    what: "6,117 tournament games, bare scores; the size is that of the headers",
    made: None,
};

pub(crate) const MILLION: Corpus = Corpus {
    what: "the 6,117 games again and again, a million in all, moves and both headers each time; the size is that of the \
           headers",
    made: Some(DerivedCorpus {
        ending: "million.cbh",
        make,
    }),
    ..WEEK
};

pub(crate) const LINARES: Corpus = Corpus {
    name: "oracles/cbh/linares/linares.cbh",
    what: "503 games with 49,606 moves in deep variations and 7,711 annotations; the size is that of the headers",
    made: None,
};

pub(crate) const HEDGEHOG: Corpus = Corpus {
    name: "oracles/cbh/hedgehog/Hedgehog.cbh",
    what: "204 games and 27 texts with 15,889 annotations, most of them comments; the size is that of the headers",
    made: None,
};

/// Games in the large base.
const GAMES: usize = 1_000_000;
/// The bytes of a header, and where those of the files stand.
const HEADER: usize = 46;
/// The header of `.cbj`.
const SECOND: usize = 32;

/// Repeats the games of a database, each time with moves and headers of their own; and makes a base of Scid of them.
fn make(from: &Path, to: &Path) -> Result<()> {
    let target = to.with_extension("cbh");
    for extension in ["cba", "cbp", "cbt", "cbc", "cbs", "cbe", "cbl", "cbtt"] {
        fs::copy(from.with_extension(extension), to.with_extension(extension))?;
    }
    let [headers, moves, seconds] =
        ["cbh", "cbg", "cbj"].map(|extension| fs::read(from.with_extension(extension)));
    let (headers, moves, seconds) = (headers?, moves?, seconds?);
    let start = usize::from(u16::from_be_bytes(
        *moves.first_chunk().context("a header")?,
    ));
    let body = moves.get(start..).context("moves")?;
    let size: [u8; 4] = *seconds
        .get(4..)
        .and_then(<[u8]>::first_chunk)
        .context("a size")?;
    let size = u32::from_le_bytes(size) as usize;
    let times = GAMES.div_ceil(headers.len() / HEADER - 1);
    let mut all = moves.get(..start).context("a header")?.to_vec();
    let (mut first, mut second) = (headers[..HEADER].to_vec(), seconds[..SECOND].to_vec());
    for turn in 0..times {
        let shift = turn * body.len();
        all.extend_from_slice(body);
        for record in headers[HEADER..].chunks_exact(HEADER) {
            let at = u32::from_be_bytes([record[1], record[2], record[3], record[4]]);
            let at = u32::try_from(at as usize + shift)?;
            first.push(record[0]);
            first.extend_from_slice(&at.to_be_bytes());
            first.extend_from_slice(&record[5..]);
        }
        for record in seconds[SECOND..].chunks_exact(size) {
            let begin = second.len();
            second.extend_from_slice(record);
            let offset = second
                .get_mut(begin + 30..)
                .and_then(<[u8]>::first_chunk_mut::<8>);
            let offset = offset.context("an offset")?;
            let at = u64::from_be_bytes(*offset);
            if at != 0 {
                *offset = (at + shift as u64).to_be_bytes();
            }
        }
    }
    first.truncate((GAMES + 1) * HEADER);
    second.truncate(SECOND + GAMES * size);
    let next = u32::try_from(GAMES + 1)?.to_be_bytes();
    first[6..10].copy_from_slice(&next);
    first[40..44].copy_from_slice(&next);
    second[8..12].copy_from_slice(&u32::try_from(GAMES)?.to_le_bytes());
    let length = all.len() as u64;
    all[2..6].copy_from_slice(&u32::try_from(length)?.to_be_bytes());
    all[10..18].copy_from_slice(&length.to_be_bytes());
    fs::write(to.with_extension("cbg"), all)?;
    fs::write(to.with_extension("cbj"), second)?;
    fs::write(&target, first)?;
    program::make(&target, &to.with_extension("si5"))
}

/// Everything of every game, with every move verified.
pub(crate) fn read() -> Contestant {
    Contestant::function(
        "tabiya",
        "the database opened from the disk; of every game all tags, all moves with variations, all annotations; every \
         move verified; one thread",
        |input| each(input, GameNeeds::ALL),
    )
    .opens()
}

/// The same without a look at the rules.
pub(crate) fn trees() -> Contestant {
    Contestant::function(
        "tabiya, not verified",
        "the same without a look at the rules of chess; one thread",
        |input| {
            let want = GameNeeds {
                verify: false,
                ..GameNeeds::ALL
            };
            each(input, want)
        },
    )
    .opens()
}

fn each(input: &FunctionInput, want: GameNeeds) -> Result<WorkCounts> {
    let reader = CbhReader::open(&input.path, &OpenOptions::default())?;
    let mut counts = WorkCounts::default();
    let mut source = reader.source(None)?;
    for_each_game(&mut *source, want, |game| {
        counts.games += 1;
        counts.plies += game.tape.plies() as u64;
        Ok::<(), Error>(())
    })?;
    ensure!(counts.games > 0, "no games");
    Ok(counts)
}

pub(crate) fn cbvault() -> Contestant {
    Contestant::program(
        "cbvault",
        "cbvault 0.1.6: `for_each_game` into a sink that counts: main lines without variations, names of players, event \
         and site; one thread",
        |run| {
            let mut command = Command::new(find_program("cbvault-walk")?);
            command.arg(run.input.with_extension(""));
            Ok(command)
        },
    )
}

pub(crate) fn cbh2pgn() -> Contestant {
    Contestant::program(
        "cbh2pgn",
        "asdfjkl/cbh2pgn at 42b3592: `python3 cbh2pgn.py -i IN -o OUT`, with CPython: moves and a few tags to PGN",
        |run| {
            let mut command = Command::new(find_program("python3")?);
            command.arg(find_program("cbh2pgn.py")?);
            command.arg("-i").arg(&run.input).arg("-o").arg(&run.output);
            Ok(command)
        },
    )
}

/// The same to PGN as users run it.
pub(crate) fn to_pgn() -> Contestant {
    let noted = program::to_pgn().noted(
        "`tabiya convert --jobs 2 IN OUT.pgn`: everything, every move verified, the whole process",
    );
    Contestant {
        name: "tabiya, to PGN",
        ..noted
    }
}

fn ask(input: &Path, question: &str) -> Result<Command, MissingProgram> {
    let mut command = program::command(["search", "--count", "--jobs", "1"], input)?;
    command.arg(question);
    Ok(command)
}

/// Questions to headers of both bases.
macro_rules! headers {
    ($($ours:ident, $theirs:ident, $name:literal, $question:literal;)*) => {
        $(
            pub(crate) fn $ours() -> Contestant {
                Contestant::program(
                    $name,
                    concat!("`tabiya search --count --jobs 1 IN '", $question, "'`"),
                    |run| ask(&run.input, $question),
                )
            }

            pub(crate) fn $theirs() -> Contestant {
                Contestant::program(
                    concat!($name, ", si5"),
                    "the same of the same games in a base of Scid 5",
                    |run| ask(&run.input.with_extension("si5"), $question),
                )
            }
        )*
    };
}

headers! {
    player, player_si5, "player", "player:\"Svidler\"";
    header, header_si5, "header", "eco:B90..B99 elo>2500 result:1-0";
}
