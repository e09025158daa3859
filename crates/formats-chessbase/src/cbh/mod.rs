//! ChessBase since Windows: the databases of `.cbh` and its companions, and the archives in which they travel.
//!
//! `docs/formats/chessbase-modern.md` has every byte. A database is a set of files of one name ([`files`]):
//!
//! * `.cbh` holds 46 bytes for each game or guiding text ([`layout`]), and numbers that lead to
//! * names of players, tournaments, annotators, sources and teams, a file each ([`entities`]),
//! * `.cbg`: moves as codes for numbered pieces, disguised by a permutation of bytes ([`moves`]), and the bodies of texts,
//! * `.cba`: annotations of two dozen types at the moves that they belong to ([`mod@annotations`]),
//! * `.cbj`: a second header for each game ([`second_header`]).
//!
//! All but `.cbh` may be missing. The charset is not stored ([`text`]).
//!
//! | in the files | in the game |
//! |---|---|
//! | players, tournament, date, round, result, ratings, ECO | the tags of PGN; sub-codes as in `B33/10` |
//! | kind, rounds, nation, category of a tournament | `EventType`, `EventRounds`, `EventCountry`, `EventCategory` |
//! | its end, its place on the globe, its tie-breaks, its flags | `EventEndDate`, `CbhEventPlace`, `CbhEventTieBreaks`, `CbhEventFlags` |
//! | annotator, source | `Annotator`, `Source`, `SourceTitle`, `SourceDate`, `SourceVersion`, `SourceVersionDate`, `SourceQuality` |
//! | teams | `WhiteTeam`, `WhiteTeamNumber`, `WhiteTeamCountry`, `WhiteTeamSeason`, … |
//! | forfeits and games that both lost | the nearest result, and `CbhResult` |
//! | evaluation of a line, medals of a game | `CbhEvaluation`, `CbhMedals` |
//! | kinds of ratings other than international, times of saving | `CbhWhiteRating`, …, `CbhSaves`, `CbhCreated`, `CbhSaved` |
//! | titles of games and texts | `CbhTitleEn`, `CbhTitleDe`, … |
//! | guiding texts | games without moves with `CbhKind`, their text as comments |
//! | deleted | `D` in `ScidFlags` |
//! | symbols | NAGs |
//! | texts | comments, each with its language as in `[%lang de]` |
//! | squares, arrows, times, evaluations, medals and more | commands within the comments |
//! | moves and annotations without a known meaning, HTML | extensions |

pub(crate) mod annotated_moves;
pub mod annotations;
mod archive;
mod audit;
mod base;
pub mod codes;
pub mod commands;
pub(crate) mod database_title;
mod edit;
pub(crate) mod encode;
pub mod entities;
pub(crate) mod facts;
pub mod files;
pub mod layout;
pub mod losses;
pub mod moves;
mod name_files;
pub(crate) mod positions;
mod reader;
pub mod record;
mod salvage;
pub(crate) mod sample;
mod scratch;
pub mod second_header;
pub mod tables;
pub mod tags;
pub mod text;
mod writer;

pub use self::base::CbhReader;

use std::path::Path;

use tabiya_model::error_codes;
use tabiya_model::{Database, Error, Result, Sink};

use layout::{CbhFileHeader, RECORD};
use tabiya_codec::format::{
    Format, FormatCapabilities, FormatProbe, FormatSupport, OpenOptions, ProbeAnswer, WriteOptions,
};

/// ChessBase.
pub static FORMAT: Format = Format {
    name: "cbh",
    title: "ChessBase (CBH; CBV and CBZ archives)",
    extensions: &["cbh", "cbg"],
    companions: &files::COMPANIONS,
    capabilities: FormatCapabilities {
        read: FormatSupport::Full,
        write: FormatSupport::Experimental,
        edit: true,
        repair: true,
        any_tag: false,
        variations: true,
        comments: true,
        nags: true,
        setups: true,
        chess960: true,
        null_moves: true,
        raw_movetext: false,
        deleted: true,
    },
    identify,
    open: Some(open),
    stream: None,
    create: Some(create),
    salvage: Some(salvage),
    edit: Some(edit::open),
    open_options: &[],
    write_options: &[],
    codes: codes::CODES,
    losses: losses::LOSSES,
    notes: "The files do not store their charset: it is detected, {encoding} overrides it; they are written in UTF-8. \
            Compared with real databases of four generations; Chess960 and two-byte moves were tested with only one \
            record each, and sounds, pictures, videos, clocks, links and correspondence data were never seen. Games in \
            rare encodings and moves within quotations are kept as raw bytes. Search boosters and keys are neither read \
            nor written. Real databases are written again with the same bytes of moves; written databases were read by \
            two programs of others, and not opened with ChessBase.",
};

/// Extensions of the program's newer databases, which are something else.
const NEWER: [&str; 3] = ["2cbh", "2cbg", "2cba"];

fn open(path: &Path, options: &OpenOptions) -> Result<Box<dyn Database>> {
    refuse_newer(path)?;
    Ok(Box::new(CbhReader::open(path, options)?))
}

fn create(path: &Path, options: &WriteOptions) -> Result<Box<dyn Sink>> {
    match archive::is_archive(path) {
        true => archive::create(path, options),
        false => writer::create(path, options),
    }
}

fn salvage(path: &Path, options: &OpenOptions) -> Result<Box<dyn Database>> {
    refuse_newer(path)?;
    Ok(Box::new(CbhReader::salvage(path, options)?))
}

fn is_newer(extension: &str) -> bool {
    NEWER
        .iter()
        .any(|newer| newer.eq_ignore_ascii_case(extension))
}

fn refuse_newer(path: &Path) -> Result<()> {
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    if is_newer(&extension) {
        return Err(Error::new(
            &error_codes::NOT_THIS_FORMAT,
            "this file belongs to a database in ChessBase's newer format: open its .2cbh file",
        )
        .in_file(path.to_string_lossy()));
    }
    Ok(())
}

fn identify(probe: &FormatProbe<'_>) -> ProbeAnswer {
    if probe.is_folder {
        return ProbeAnswer::No;
    }
    match probe.extension {
        "cbh" => match CbhFileHeader::decode(probe.head) {
            Some(header) if header.is_known() => ProbeAnswer::Yes,
            _ => ProbeAnswer::Maybe,
        },
        "cbg" => match layout::CbhDataHeader::decode(probe.head) {
            Some(header) if matches!(header.length, 10 | 26) => ProbeAnswer::Yes,
            _ => ProbeAnswer::Maybe,
        },
        // Another format of the same program, of which only its name is known.
        extension if is_newer(extension) => ProbeAnswer::No,
        _ => match CbhFileHeader::decode(probe.head) {
            // Six bytes are not enough to be sure, and without its name the other files are not found.
            Some(header)
                if header.is_known()
                    && probe.head.first() == Some(&0)
                    && probe.head.get(RECORD).is_none_or(|byte| byte & 1 == 1) =>
            {
                ProbeAnswer::Maybe
            }
            _ => ProbeAnswer::No,
        },
    }
}
