//! Searches: questions that Scid can be asked, headers of plain PGN, and what decoding for a search costs.

use anyhow::Result;
use tabiya_formats::format::OpenOptions;
use tabiya_formats::registry::by_name;
use tabiya_model::positions::{PiecePlacement, WalkStart};

use super::{positions, program, scid::question};
use crate::corpora::{Corpus, DerivedCorpus};
use crate::task::{Contestant, MissingProgram, ProgramInput, WorkCounts};

/// A question in our words and in Scid's.
pub(crate) struct SearchQuestion {
    pub(crate) ours: &'static str,
    /// A command that asks it of `$base`.
    theirs: &'static str,
}

/// The position of the Najdorf after 5...a6.
const NAJDORF: SearchQuestion = SearchQuestion {
    ours: "position:\"rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w KQkq - 0 6\"",
    theirs: "sc_game startBoard {rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w KQkq - 0 6}; sc_search board RESET Exact false 0",
};

/// The endgame of the Berlin defence.
const BERLIN: SearchQuestion = SearchQuestion {
    ours: "position:\"r1bk1b1r/ppp2ppp/2p5/4Pn2/8/5N2/PPP2PPP/RNB2RK1 w - - 0 9\"",
    theirs: "sc_game startBoard {r1bk1b1r/ppp2ppp/2p5/4Pn2/8/5N2/PPP2PPP/RNB2RK1 w - - 0 9}; sc_search board RESET Exact false 0",
};

/// A position of a rook ending that few games have.
const ROOKS: SearchQuestion = SearchQuestion {
    ours: "position:\"8/8/p2R2p1/1p4k1/rP6/7P/6P1/6K1 w - - 1 45\"",
    theirs: "sc_game startBoard {8/8/p2R2p1/1p4k1/rP6/7P/6P1/6K1 w - - 1 45}; sc_search board RESET Exact false 0",
};

/// Rook and pawn against rook, in this balance.
const MATERIAL: SearchQuestion = SearchQuestion {
    ours: "material:\"KRP v KR\"",
    theirs: "sc_search material -wq {0 0} -bq {0 0} -wr {1 1} -br {1 1} -wb {0 0} -bb {0 0} -wn {0 0} -bn {0 0} -wm {0 0} -bm {0 0} -wp {1 1} -bp {0 0} -flip 0 -filter 2 -range {1 999} -length 1 -bishops Either -diff {-40 40}",
};

/// A player by the beginning of the name.
const PLAYER: SearchQuestion = SearchQuestion {
    ours: "player:\"Kasparov\"",
    theirs: "sc_search header -filter 2 -player Kasparov",
};

/// All questions with short names.
pub(crate) const QUESTIONS: [(&str, SearchQuestion); 5] = [
    ("Najdorf", NAJDORF),
    ("Berlin", BERLIN),
    ("rook ending", ROOKS),
    ("KRP v KR", MATERIAL),
    ("player", PLAYER),
];

/// A position, with the index of positions that lies beside the base.
pub(crate) fn with_index(position: Contestant) -> Contestant {
    position.noted("`tabiya search --count --jobs 2`, with the index of positions beside the base")
}

fn ask(
    run: &ProgramInput,
    question: &SearchQuestion,
) -> Result<std::process::Command, MissingProgram> {
    let mut command = program::command(["search", "--count", "--jobs", "2"], &run.input)?;
    command.arg(question.ours);
    Ok(command)
}

macro_rules! questions {
    ($($ours:ident, $theirs:ident, $question:ident, $name:literal, $their_name:literal;)*) => {
        $(
            pub(crate) fn $ours() -> Contestant {
                Contestant::program(
                    $name,
                    "`tabiya search --count --jobs 2`, without an index of positions",
                    |run| ask(run, &$question),
                )
            }

            pub(crate) fn $theirs() -> Contestant {
                Contestant::program(
                    $their_name,
                    "opens the base and searches it",
                    |run| question(run, $question.theirs),
                )
            }
        )*
    };
}

questions! {
    najdorf, scid_najdorf, NAJDORF, "tabiya, Najdorf", "scid, Najdorf";
    berlin, scid_berlin, BERLIN, "tabiya, Berlin", "scid, Berlin";
    rooks, scid_rooks, ROOKS, "tabiya, rook ending", "scid, rook ending";
    material, scid_material, MATERIAL, "tabiya, KRP v KR", "scid, KRP v KR";
    player, scid_player, PLAYER, "tabiya, player", "scid, player";
}

/// A question about headers of PGN on one thread.
pub(crate) fn header() -> Contestant {
    Contestant::program(
        "tabiya",
        "`tabiya search --count --jobs 1 IN 'white:\"Kasparov\"'`, without any index",
        |run| {
            let mut command = program::command(["search", "--count", "--jobs", "1"], &run.input)?;
            command.arg("white:\"Kasparov\"");
            Ok(command)
        },
    )
}

/// The same where every game is read with all of its tags.
pub(crate) fn header_slowly() -> Contestant {
    Contestant::program(
        "tabiya, all tags",
        "the same `--without tags`: every tag of every game is read",
        |run| {
            let mut command = program::command(
                ["search", "--count", "--jobs", "1", "--disable", "tags"],
                &run.input,
            )?;
            command.arg("white:\"Kasparov\"");
            Ok(command)
        },
    )
}

/// Master games in PGN with the index beside them.
pub(crate) const INDEXED_PGN: Corpus = Corpus {
    name: "otb",
    what: "286,040 master games in PGN, the index beside them, warm",
    made: Some(DerivedCorpus {
        ending: "indexed.pgn",
        make: |pgn, to| {
            let copy = to.with_extension("pgn");
            std::fs::copy(pgn, &copy)?;
            positions::build_index(&copy)?;
            Ok(())
        },
    }),
};

/// A question about PGN, with its index or without.
macro_rules! of_pgn {
    ($($with:ident, $without:ident, $question:expr, $name:literal;)*) => {
        $(
            pub(crate) fn $with() -> Contestant {
                Contestant::program(
                    $name,
                    concat!("`tabiya search --count --jobs 2 IN '", $question, "'`"),
                    |run| ask_of_pgn(run, &[], $question),
                )
                .may_exit(program::DONE)
            }

            pub(crate) fn $without() -> Contestant {
                Contestant::program(
                    concat!($name, ", no index"),
                    "the same `--without index`",
                    |run| ask_of_pgn(run, &["--no-index"], $question),
                )
                .may_exit(program::DONE)
            }
        )*
    };
}

of_pgn! {
    pgn_player, pgn_player_read, "player:\"Kasparov\"", "player";
    pgn_header, pgn_header_read, "eco:B90..B99 elo>2600 date:2000.. result:1-0", "header";
    pgn_material, pgn_material_read, "material:\"KRP v KR\"", "KRP v KR";
    pgn_position, pgn_position_read,
        "position:\"r1bk1b1r/ppp2ppp/2p5/4Pn2/8/5N2/PPP2PPP/RNB2RK1 w - - 0 9\" elo>2600",
        "Berlin between strong players";
}

fn ask_of_pgn(
    run: &ProgramInput,
    without: &[&str],
    query: &str,
) -> Result<std::process::Command, MissingProgram> {
    let args = ["search", "--count", "--jobs", "2"];
    let mut command = program::command(args.iter().chain(without).copied(), &run.input)?;
    command.arg(query);
    Ok(command)
}

/// Walks all games of a base of Scid with a board of pieces beside.
pub(crate) fn walk() -> Contestant {
    Contestant::function(
        "tabiya",
        "opens the base, decodes every main line and keeps a board of 64 squares; one thread",
        |input| {
            let open = by_name("si5")
                .and_then(|format| format.open)
                .expect("bases are read");
            let database = open(&input.path, &OpenOptions::default())?;
            let positions = database.positions().expect("bases are walked");
            let mut walker = positions.walker();
            let mut steps = Vec::new();
            let mut counts = WorkCounts { games: 0, plies: 0 };
            for number in 1..=database.len()? {
                let mut pieces = match walker.open(number)? {
                    WalkStart::Standard => PiecePlacement::STANDARD,
                    WalkStart::Setup(board) => PiecePlacement::of(&board),
                    WalkStart::Unreadable => continue,
                };
                counts.games += 1;
                let mut more = true;
                while more {
                    steps.clear();
                    more = walker.steps(false, 96, &mut steps)?;
                    for delta in &steps {
                        pieces.play(*delta);
                    }
                    counts.plies += steps.len() as u64;
                }
                std::hint::black_box(&pieces);
            }
            Ok(counts)
        },
    )
    .opens()
}
