//! The same queries over every format, with every short cut on and off.

use std::path::Path;

use tabiya::formats::format::WriteOptions;
use tabiya::formats::registry;
use tabiya::model::database::Writer;
use tabiya::model::{Database, Game, Losses, Want};
use tabiya::query::{Context, Evaluator, Found, Options, Query, search};

/// Queries about what every format holds: names, results and the moves of the main line.
const NEUTRAL: [&str; 24] = [
    "white:Morphy",
    "player~a",
    "result:1-0",
    "not result:1-0",
    "plies:20..60",
    "moves>40",
    "position:\"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\"",
    "position[castling,ep]:\"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\"",
    "structure:\"8/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/8\"",
    "files:\"8/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/8\"",
    "material[lasting 3]:\"KRP* v KRP*\"",
    "material[either]:\"any, wvalue-bvalue>=9\"",
    "pattern[mirror]:\"8/8/8/8/8/8/8/6KR\"",
    "pattern[shift,flip]:\"PPP\"",
    "line:\"1.e4 e5 2.Nf3\"",
    "sequence:\"w.Nf3 w.O-O\"",
    "castling:queen-side",
    "promotion or en-passant",
    "mate",
    "ends:(check not mate)",
    "same[moves 5..25]:(check turn:black)",
    "ends:material:\"any, queens=0\"",
    "white:Morphy and (check or promotion)",
    "result:1-0 and not material:\"any, queens=0\"",
];

/// Queries whose answers depend on what a format holds.
const OTHER: [&str; 16] = [
    "elo>2000",
    "any-elo>1000",
    "elo-diff<0",
    "date:1850..1990",
    "eco:C",
    "has:comments",
    "has:variations",
    "has:nags",
    "nag:!",
    "flag:D",
    "comment~a",
    "variations:(check and material:\"any, men<=20\")",
    "position[variations]:\"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\"",
    "has:setup or event:/o/",
    "number:3..7 or annotator!=\"\"",
    "sequence[variations]:\"Nf3 Nxe5\"",
];

type Hits = Vec<(u64, Option<u32>)>;

/// The answers of the plain evaluator.
fn plain(database: &dyn Database, query: &Query) -> Hits {
    let mut evaluator = Evaluator::new(query, true);
    let mut hits = Vec::new();
    let mut source = database.source(None).expect("a source");
    tabiya::model::database::for_each_game(&mut *source, Want::ALL, |game| {
        let hit = evaluator.hit(game, game.origin.number);
        hits.extend(hit.map(|hit| (hit.number, hit.ply)));
        Ok(())
    })
    .expect("read");
    hits
}

fn compare(name: &str, database: &dyn Database) -> Vec<Hits> {
    let mut all = Vec::new();
    for text in NEUTRAL.iter().chain(&OTHER) {
        let query =
            Query::parse(text, Context::default()).unwrap_or_else(|e| panic!("{}", e.render(text)));
        let expected = plain(database, &query);
        for switches in 0..16 {
            let on = |bit: u32| switches & bit != 0;
            let options = Options {
                jobs: if on(1) { 3 } else { 1 },
                facts: on(2),
                hints: on(4),
                compact: on(8),
                plies: true,
                keep: on(1).then_some(Want::TAGS),
            };
            let mut hits = Vec::new();
            let report = search(
                database,
                &query,
                options,
                Some(&mut |found: Found| {
                    assert_eq!(found.game.is_some(), on(1));
                    hits.push((found.hit.number, found.hit.ply));
                    Ok(true)
                }),
            )
            .expect("searched");
            assert_eq!(hits, expected, "{name}: {text} {options:?}");
            assert_eq!(report.hits, hits.len() as u64);
            let counted = search(
                database,
                &query,
                Options {
                    plies: false,
                    keep: None,
                    ..options
                },
                None,
            )
            .expect("counted");
            assert_eq!(counted.hits, report.hits, "{name}: {text} {options:?}");
        }
        all.push(expected);
    }
    all
}

fn each_file(folder: &Path, each: &mut dyn FnMut(&Path)) {
    let mut entries: Vec<_> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|e| e.path())
        .collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            each_file(&entry, each);
        } else {
            each(&entry);
        }
    }
}

#[test]
fn every_format_has_the_same_answers_whatever_the_short_cuts() {
    let corpus = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus"));
    // Every sample that opens, damaged ones among them.
    let mut bases = 0;
    each_file(corpus, &mut |file| {
        let size = file.metadata().map_or(0, |m| m.len());
        let Ok(inputs) = tabiya::open(file) else {
            return;
        };
        for input in &inputs {
            if let Some(database) = input.database().filter(|_| size < 60_000) {
                compare(&input.name, database);
                bases += 1;
            }
        }
    });
    assert!(bases > 0);
    // The same games in every format that can be written.
    let mut games: Vec<Game> = Vec::new();
    each_file(&corpus.join("pgn/ok"), &mut |file| {
        for mut input in tabiya::open(file).into_iter().flatten() {
            let _ = input.for_each(|game| {
                let normal = game.start == tabiya::model::game::Start::Standard
                    && game.variant == tabiya::model::game::Variant::Standard
                    && game.diagnostics.is_empty()
                    && (1..=300).contains(&game.tape.plies());
                if normal && games.len() < 60 {
                    games.push(game.clone());
                }
                Ok(())
            });
        }
    });
    assert!(games.len() > 3, "{} games", games.len());
    let mut neutral: Option<Vec<Hits>> = None;
    for format in registry::FORMATS {
        let (Some(create), Some(_)) = (format.create, format.open) else {
            continue;
        };
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join(format!(
            "games.{}",
            format.extensions.first().unwrap_or(&"")
        ));
        let Ok(sink) = create(&target, &WriteOptions::default()) else {
            continue;
        };
        let mut writer = Writer::new(sink);
        let mut losses = Losses::default();
        for (game, number) in games.iter().zip(1..) {
            let mut game = game.clone();
            game.origin.number = number;
            writer.write(&game, &mut losses).expect("written");
        }
        writer.finish().expect("finished");
        let inputs =
            tabiya::open(&target).unwrap_or_else(|error| panic!("{}: {error}", format.name));
        let database = inputs
            .first()
            .and_then(|input| input.database())
            .expect("a database");
        let answers = compare(format.name, database);
        let len = database.len().expect("counted");
        if len != games.len() as u64 || format.name == "cbf" {
            // It could not hold all of the games, or holds less than all of their names.
            continue;
        }
        let answers = answers.into_iter().take(NEUTRAL.len()).collect();
        match &neutral {
            None => neutral = Some(answers),
            Some(expected) => {
                for ((text, expected), answer) in NEUTRAL.iter().zip(expected).zip(&answers) {
                    assert_eq!(answer, expected, "{}: {text}", format.name);
                }
            }
        }
    }
    let hits: usize = neutral.iter().flatten().map(Vec::len).sum();
    assert!(hits > 10, "{hits} hits");
}
