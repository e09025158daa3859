//! The tasks and who does them. A new contestant is one line in the list of its task.

mod awkward;
mod cbf;
mod cbh;
mod chess_assistant;
mod engine;
mod evaluations;
mod floor;
mod headers;
mod jose;
mod pgn_extract;
mod pgn_reader;
pub(crate) mod positions;
pub(crate) mod program;
mod python_chess;
mod scid;
pub(crate) mod search;
mod stats;
mod tabiya;

use crate::corpora;
use crate::task::{BenchTask, Contestant};

/// The name of the contestant that only touches every byte: nothing can be faster.
pub(crate) const FLOOR: &str = "floor";

/// Every task, in the order of the results.
pub(crate) fn tasks() -> Vec<BenchTask> {
    vec![
        BenchTask {
            name: "read-otb",
            title: "Reading bare games, every move of the main line verified",
            corpus: corpora::OTB,
            peer: "pgn-reader",
            contestants: vec![
                floor::floor(),
                tabiya::read(),
                tabiya::read_on_two_threads(),
                pgn_reader::main_line(),
                python_chess::read().slice(2),
            ],
        },
        BenchTask {
            name: "read-annotated",
            title: "Reading games with nested variations, comments and NAGs",
            corpus: corpora::ANNOTATED,
            peer: "pgn-reader",
            contestants: vec![
                floor::floor(),
                tabiya::read(),
                tabiya::read_on_two_threads(),
                pgn_reader::main_line(),
                python_chess::read().slice(2),
            ],
        },
        BenchTask {
            name: "rewrite-otb",
            title: "PGN to PGN, bare games",
            corpus: corpora::OTB,
            peer: "pgn-extract",
            contestants: vec![
                floor::floor(),
                program::to_pgn(),
                pgn_extract::rewrite(),
                scid::rewrite(),
            ],
        },
        BenchTask {
            name: "rewrite-lichess",
            title: "PGN to PGN, games with clocks and evaluations",
            corpus: corpora::LICHESS,
            peer: "pgn-extract",
            contestants: vec![
                floor::floor(),
                program::to_pgn(),
                pgn_extract::rewrite(),
                scid::rewrite(),
            ],
        },
        BenchTask {
            name: "read-awkward",
            title: "Reading unusual PGN files",
            corpus: awkward::GAMES,
            peer: "tabiya, clean",
            contestants: vec![floor::floor(), tabiya::read(), tabiya::read_clean()],
        },
        BenchTask {
            name: "write-si5",
            title: "PGN to a base of Scid 5",
            corpus: corpora::OTB,
            peer: "scid",
            contestants: vec![floor::floor(), program::to_si5(), scid::import_si5()],
        },
        BenchTask {
            name: "write-si4",
            title: "PGN to a base of Scid 4",
            corpus: corpora::OTB,
            peer: "scid",
            contestants: vec![floor::floor(), program::to_si4(), scid::import_si4()],
        },
        BenchTask {
            name: "read-si5",
            title: "A base of Scid 5 to PGN",
            corpus: corpora::OTB_SI5,
            peer: "scid",
            contestants: vec![floor::floor(), program::to_pgn(), scid::export()],
        },
        BenchTask {
            name: "open-si5",
            title: "Opening a base of Scid 5 with 1.43 million games",
            corpus: corpora::FIVE_SI5,
            peer: "scid",
            contestants: vec![
                floor::floor(),
                program::info(),
                program::page(),
                scid::page(),
            ],
        },
        BenchTask {
            name: "search-otb",
            title: "Opening a base of Scid and searching it, without an index of positions",
            corpus: corpora::OTB_SEARCH,
            peer: "scid, Najdorf",
            contestants: plain_search(),
        },
        BenchTask {
            name: "search-million",
            title: "The same with 1.43 million games",
            corpus: corpora::FIVE_SI5,
            peer: "scid, Najdorf",
            contestants: plain_search(),
        },
        BenchTask {
            name: "search-index",
            title: "Opening a base of Scid and searching for a position, with the index of positions",
            corpus: positions::GAMES,
            peer: "scid, Najdorf",
            contestants: indexed_search(),
        },
        BenchTask {
            name: "search-index-million",
            title: "The same with 1.43 million games and the index of positions",
            corpus: positions::MILLION,
            peer: "scid, Najdorf",
            contestants: indexed_search(),
        },
        BenchTask {
            name: "search-pgn-header",
            title: "Searching the headers of plain PGN",
            corpus: corpora::OTB,
            peer: FLOOR,
            contestants: vec![floor::floor(), search::header(), search::header_slowly()],
        },
        BenchTask {
            name: "search-pgn-index",
            title: "Searching PGN with the index beside it",
            corpus: search::INDEXED_PGN,
            peer: "player, no index",
            contestants: vec![
                search::pgn_player(),
                search::pgn_player_read(),
                search::pgn_header(),
                search::pgn_header_read(),
                search::pgn_material(),
                search::pgn_material_read(),
                search::pgn_position(),
                search::pgn_position_read(),
            ],
        },
        BenchTask {
            name: "stats-otb",
            title: "Statistics of a base of Scid",
            corpus: corpora::OTB_SI5,
            peer: "search",
            contestants: vec![stats::rows(), stats::query(), stats::full(), stats::tags()],
        },
        BenchTask {
            name: "stats-million",
            title: "The same with 1.43 million games",
            corpus: corpora::FIVE_SI5,
            peer: "search",
            contestants: vec![stats::rows(), stats::query(), stats::full(), stats::tags()],
        },
        BenchTask {
            name: "stats-pgn-index",
            title: "Statistics of PGN with the index beside it",
            corpus: search::INDEXED_PGN,
            peer: "search",
            contestants: vec![stats::rows(), stats::query(), stats::full(), stats::tags()],
        },
        BenchTask {
            name: "search-decode",
            title: "Decoding the games of a base of Scid for a search",
            corpus: corpora::OTB_SEARCH,
            peer: FLOOR,
            contestants: vec![floor::floor(), search::walk()],
        },
        BenchTask {
            name: "jose-moves",
            title: "Decoding the moves of jose's rows, every move verified",
            corpus: jose::ROWS,
            peer: FLOOR,
            contestants: vec![floor::floor(), jose::moves()],
        },
        BenchTask {
            name: "jose-dump",
            title: "Reading a SQL dump of jose's tables",
            corpus: jose::DUMP,
            peer: FLOOR,
            contestants: vec![floor::floor(), jose::dump()],
        },
        BenchTask {
            name: "cbf",
            title: "Reading a ChessBase database for DOS, every move verified, and rewriting it",
            corpus: cbf::GAMES,
            peer: FLOOR,
            contestants: vec![floor::floor(), cbf::read(), cbf::rewrite()],
        },
        BenchTask {
            name: "cbh-million",
            title: "Reading a ChessBase database (CBH) of a million games",
            corpus: cbh::MILLION,
            peer: "cbvault",
            contestants: vec![cbh::read(), cbh::trees(), cbh::cbvault()],
        },
        BenchTask {
            name: "cbh-week",
            title: "Reading a ChessBase database (CBH) of a week",
            corpus: cbh::WEEK,
            peer: "cbh2pgn",
            contestants: vec![cbh::read(), cbh::to_pgn(), cbh::cbvault(), cbh::cbh2pgn()],
        },
        BenchTask {
            name: "cbh-linares",
            title: "Reading an annotated ChessBase database (CBH): variations and symbols",
            corpus: cbh::LINARES,
            peer: "cbvault",
            contestants: vec![cbh::read(), cbh::trees(), cbh::cbvault()],
        },
        BenchTask {
            name: "cbh-hedgehog",
            title: "Reading an annotated ChessBase database (CBH): comments",
            corpus: cbh::HEDGEHOG,
            peer: "cbvault",
            contestants: vec![cbh::read(), cbh::trees(), cbh::cbvault()],
        },
        BenchTask {
            name: "cbh-page",
            title: "A page of the list of a ChessBase database (CBH) of a million games",
            corpus: cbh::MILLION,
            peer: "tabiya, page",
            contestants: vec![program::info(), program::page()],
        },
        BenchTask {
            name: "cbh-headers",
            title: "Searching the headers of a ChessBase database (CBH) of a million games",
            corpus: cbh::MILLION,
            peer: "player, si5",
            contestants: vec![
                cbh::player(),
                cbh::player_si5(),
                cbh::header(),
                cbh::header_si5(),
            ],
        },
        BenchTask {
            name: "ca-read",
            title: "Reading a Chess Assistant database, every move verified",
            corpus: chess_assistant::GAMES,
            peer: FLOOR,
            contestants: vec![floor::floor(), chess_assistant::read()],
        },
        BenchTask {
            name: "ca-names",
            title: "Names and headers of a Chess Assistant database of a million games",
            corpus: chess_assistant::MILLION,
            peer: FLOOR,
            contestants: vec![floor::floor(), chess_assistant::names()],
        },
        BenchTask {
            name: "player-formats",
            title: "Finding a player's games in each format",
            corpus: headers::SIDE_BY_SIDE,
            peer: "Scid 5",
            contestants: vec![
                headers::si5(),
                headers::ca(),
                headers::cbf(),
                headers::jose(),
            ],
        },
        BenchTask {
            name: "index-build",
            title: "Building the index of positions",
            corpus: positions::GAMES,
            peer: FLOOR,
            contestants: vec![floor::floor(), positions::build()],
        },
        BenchTask {
            name: "explore-start",
            title: "Explorer at the starting position, opening the base included",
            corpus: positions::GAMES,
            peer: "scid's tree",
            contestants: vec![
                positions::start(),
                positions::start_without(),
                positions::scid_start(),
            ],
        },
        BenchTask {
            name: "explore-position",
            title: "Explorer at 100 positions of all phases, opening the base included each time",
            corpus: positions::GAMES,
            peer: "scid's tree",
            contestants: vec![positions::positions(), positions::scid_positions()],
        },
        BenchTask {
            name: "index-build-million",
            title: "Building the index of positions of 1.43 million games",
            corpus: positions::MILLION,
            peer: FLOOR,
            contestants: vec![floor::floor(), positions::build()],
        },
        BenchTask {
            name: "explore-start-million",
            title: "Explorer at the starting position of 1.43 million games, opening the base included",
            corpus: positions::MILLION,
            peer: "scid's tree",
            contestants: vec![
                positions::start(),
                positions::start_without(),
                positions::scid_start(),
            ],
        },
        BenchTask {
            name: "explore-position-million",
            title: "Explorer at 100 positions of all phases of 1.43 million games, opening the base included each time",
            corpus: positions::MILLION,
            peer: "scid's tree",
            contestants: vec![positions::positions(), positions::scid_positions()],
        },
        BenchTask {
            name: "engine-drive",
            title: "Analysing games with an engine",
            corpus: engine::ANALYSED,
            peer: "bare loop",
            contestants: vec![
                engine::bare(),
                engine::bare_twice(),
                engine::one_process(),
                engine::two_processes(),
            ],
        },
        BenchTask {
            name: "engine-live",
            title: "Live analysis, from the start of the engine",
            corpus: engine::ANALYSED,
            peer: "first line",
            contestants: vec![
                engine::first_line(),
                engine::three_first_lines(),
                engine::three_gone(),
            ],
        },
        BenchTask {
            name: "search-evaluations",
            title: "Searching the evaluations in games",
            corpus: corpora::LICHESS,
            peer: "eval>3 result:0-1",
            contestants: vec![
                floor::floor(),
                evaluations::comment(),
                evaluations::eval(),
                evaluations::blunder(),
                evaluations::mistake(),
                evaluations::missed_mate(),
                evaluations::best_move(),
                evaluations::accuracy(),
                evaluations::average_loss(),
                evaluations::swing(),
                evaluations::position(),
            ],
        },
    ]
}

fn plain_search() -> Vec<Contestant> {
    vec![
        search::najdorf(),
        search::scid_najdorf(),
        search::berlin(),
        search::scid_berlin(),
        search::rooks(),
        search::scid_rooks(),
        search::material(),
        search::scid_material(),
        search::player(),
        search::scid_player(),
    ]
}

fn indexed_search() -> Vec<Contestant> {
    vec![
        search::with_index(search::najdorf()),
        search::scid_najdorf(),
        search::with_index(search::berlin()),
        search::scid_berlin(),
        search::with_index(search::rooks()),
        search::scid_rooks(),
    ]
}
