//! Repair, compared with the undamaged database: everything that the damage did not affect is restored unchanged, and the
//! rest is reported.

use std::path::Path;

use tabiya_formats::cbh::CbhReader;
use tabiya_formats::format::OpenOptions;
use tabiya_model::charset::Charset;
use tabiya_model::{Database, Game, GameNeeds, Severity};

use crate::cbh::encode::{listed, tree};
use crate::cbh::hostile::sets;
use crate::cbh::shared;

fn options() -> OpenOptions {
    OpenOptions {
        audit: true,
        mmap: false,
        encoding: Some(Charset::Cp1252),
        ..OpenOptions::default()
    }
}

fn games(reader: &CbhReader) -> Vec<Game> {
    let mut games = Vec::new();
    let mut source = reader.source(None).expect("a source");
    tabiya_model::database::for_each_game(&mut *source, GameNeeds::ALL, |game| {
        games.push(game.clone());
        Ok(())
    })
    .expect("games are never errors");
    games
}

fn whole(path: &Path) -> Vec<Game> {
    games(&CbhReader::open(path, &options()).expect("opened"))
}

/// Everything in a game except the findings.
fn content(game: &Game) -> impl PartialEq + use<> {
    let Game {
        tags,
        start,
        variant,
        tape,
        outcome,
        ..
    } = game.clone();
    (tags, start, variant, tape, outcome)
}

/// The start of a game and its moves.
fn moves(game: &Game) -> impl PartialEq + use<> {
    let nodes = listed(&tree(game));
    let moves: Vec<_> = nodes
        .into_iter()
        .map(|(parent, node)| (parent, node.m))
        .collect();
    (game.start.clone(), moves)
}

/// Tags without those of a start position, which is stored with the moves.
fn tags(game: &Game) -> Vec<(String, String)> {
    let all = game.tags.iter();
    all.map(|tag| (tag.name.to_owned(), tag.value.to_owned()))
        .filter(|(name, _)| !["SetUp", "FEN", "Variant"].contains(&&**name) && !is_title(name))
        .collect()
}

fn is_title(name: &str) -> bool {
    name.starts_with("CbhTitle")
}

/// The guiding text, as in the file.
fn text(game: &Game) -> Option<&[u8]> {
    let extensions = game.tape.extensions();
    let body = extensions.iter().find(|it| it.name == "cbh.text");
    body.map(|it| &*it.data)
}

fn is_told(game: &Game) -> bool {
    game.diagnostics.at_least(Severity::Damage) > 0
}

/// The numbers of the games that are missing in another list, where each game matches only one.
fn missing<C: PartialEq>(
    whole: &[Game],
    repaired: &[Game],
    content: impl Fn(&Game) -> C,
) -> Vec<u64> {
    let mut rest: Vec<C> = repaired.iter().map(&content).collect();
    let is_missing = |game: &&Game| {
        let wanted = content(game);
        let place = rest.iter().position(|other| *other == wanted);
        place.map(|place| rest.swap_remove(place)).is_none()
    };
    let missing = whole.iter().filter(is_missing);
    missing.map(|game| game.origin.number).collect()
}

/// The expected faults of a repaired variant.
struct Wrong {
    variant: &'static str,
    /// Games that have changed.
    changed: &'static [u64],
    /// Games whose moves have changed.
    cut: &'static [u64],
    /// Games that are reported as damaged.
    told: &'static [u64],
    /// The findings about the whole database.
    codes: &'static [&'static str],
}

const WRONG: [Wrong; 7] = [
    Wrong {
        variant: "cba-other-game",
        changed: &[],
        cut: &[],
        told: &[],
        codes: &[],
    },
    Wrong {
        variant: "cbg-truncated",
        changed: &[8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19],
        cut: &[9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19],
        told: &[8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19],
        codes: &[],
    },
    Wrong {
        variant: "cbh-truncated",
        changed: &[10, 11, 12, 13, 14, 15, 16, 17, 18, 19],
        cut: &[],
        told: &[],
        codes: &["cbh-rescued"],
    },
    Wrong {
        variant: "mode-62",
        changed: &[5],
        cut: &[5],
        told: &[5],
        codes: &[],
    },
    Wrong {
        variant: "no-cba",
        changed: &[3, 9, 13, 14, 15],
        cut: &[],
        told: &[],
        codes: &["cbh-missing-file"],
    },
    Wrong {
        variant: "player-id-out-of-range",
        changed: &[2],
        cut: &[],
        told: &[2],
        codes: &[],
    },
    Wrong {
        variant: "record-size-zero",
        changed: &[3],
        cut: &[3],
        told: &[3],
        codes: &[],
    },
];

#[test]
fn damaged_databases_give_back_what_is_not_damaged() {
    let Some(root) = shared("oracles/cbh") else {
        return;
    };
    let whole = whole(&root.join("cbhlib_test/cbhlib_test.cbh"));
    for wrong in WRONG {
        let variant = wrong.variant;
        let path = root.join("damaged").join(variant).join("cbhlib_test.cbh");
        let reader = CbhReader::salvage(&path, &options()).expect("repaired");
        let repaired = games(&reader);
        assert_eq!(
            missing(&whole, &repaired, content),
            wrong.changed,
            "{variant}"
        );
        assert_eq!(missing(&whole, &repaired, moves), wrong.cut, "{variant}");
        let told = repaired.iter().filter(|game| is_told(game));
        let told: Vec<u64> = told.map(|game| game.origin.number).collect();
        assert_eq!(told, wrong.told, "{variant}");
        let codes: Vec<&str> = reader.diagnostics().iter().map(|it| it.code.name).collect();
        assert_eq!(codes, wrong.codes, "{variant}");
    }
}

/// Without some of the headers the games are found by their moves, and those with headers are unchanged.
#[test]
fn headers_cut_anywhere_leave_all_moves() {
    for set in sets() {
        let whole = whole(&set.header);
        let bytes = std::fs::read(&set.header).expect("read");
        for left in 0..whole.len() {
            // Within a record, or right after one.
            let cut = 46 * (left + 1) + [0, 1, 45][left % 3];
            std::fs::write(&set.header, &bytes[..cut]).expect("written");
            let reader = CbhReader::salvage(&set.header, &options()).expect("repaired");
            let repaired = games(&reader);
            let place = format!("{:?} of {left} records", set.header);
            assert!(
                missing(&whole[..left], &repaired, content).is_empty(),
                "{place}"
            );
            assert_eq!(missing(&whole, &repaired, moves), [0; 0], "{place}");
            // Guiding texts are found too.
            let texts = |games: &[Game]| {
                let texts = games.iter().filter_map(text);
                texts.map(<[u8]>::to_vec).collect::<Vec<_>>()
            };
            assert_eq!(texts(&repaired), texts(&whole), "{place}");
            assert!(!reader.diagnostics().is_empty(), "{place}");
        }
        std::fs::write(&set.header, bytes).expect("written");
    }
}

/// A truncated file of moves loses the games after the cut and no others.
#[test]
fn moves_cut_anywhere_leave_the_games_before() {
    for set in sets() {
        let whole = whole(&set.header);
        let path = set.header.with_extension("cbg");
        let bytes = std::fs::read(&path).expect("read");
        let mut last = whole.len() + 1;
        for cut in (26..bytes.len()).rev().step_by(13) {
            std::fs::write(&path, &bytes[..cut]).expect("written");
            let reader = CbhReader::salvage(&set.header, &options()).expect("repaired");
            let repaired = games(&reader);
            let place = format!("{path:?} cut at {cut}");
            assert_eq!(repaired.len(), whole.len(), "{place}");
            let changed = missing(&whole, &repaired, content);
            for number in &changed {
                let game = &repaired[*number as usize - 1];
                assert!(is_told(game), "{place}: game {number}");
                let had = tags(&whole[*number as usize - 1]);
                assert_eq!(tags(game), had, "{place}: game {number}");
            }
            assert!(whole.len() - changed.len() <= last, "{place}");
            last = whole.len() - changed.len();
        }
        std::fs::write(&path, bytes).expect("written");
    }
}
