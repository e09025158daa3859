//! Searches beside those that Scid itself made of the same databases.

use std::path::Path;
use std::process::Command;

use tabiya::Base;
use tabiya::explore::IndexedDatabase;
use tabiya::explore::index::ExplorerIndex;
use tabiya::formats::format::{OpenOptions, WriteOptions};
use tabiya::formats::registry;
use tabiya::model::database::{SinkWriter, for_each_game};
use tabiya::model::facts::{FROM_THE_GAME, FactFields, FactSource, GameFacts, NameTable, SETUP};
use tabiya::model::{Control, Database, GameNeeds, Losses};
use tabiya::query::{MatchedGame, Query, QueryContext, QueryOptions, SearchShortcuts, search};
use tabiya::sidecar::{self, IndexBuildOptions, Sidecar};

fn open(path: &Path) -> Base {
    tabiya::open(path).expect("opened").pop().expect("one")
}

/// The games of a database as PGN, its index, and the games of which PGN could not hold everything.
fn as_pgn(database: &dyn Database, folder: &Path) -> (Base, Box<ExplorerIndex>, Vec<u64>) {
    let path = folder.join("games.pgn");
    let create = registry::by_name("pgn").and_then(|format| format.create);
    let sink = create.expect("it can be written")(&path, &WriteOptions::default());
    let mut writer = SinkWriter::new(sink.expect("created"));
    let mut source = database.source(None).expect("a source");
    let mut lossy = Vec::new();
    for_each_game(&mut *source, GameNeeds::ALL, |game| {
        let mut losses = Losses::default();
        writer.write(game, &mut losses)?;
        lossy.extend((!losses.is_empty()).then_some(game.origin.number));
        Ok(())
    })
    .expect("written");
    writer.finish().expect("finished");
    let input = open(&path);
    let database = input.database().expect("a database");
    let making = IndexBuildOptions {
        reading: &OpenOptions::default(),
        extend: false,
        control: &Control::default().with_threads(2).with_memory(1 << 20),
    };
    sidecar::make(database, &making).expect("made");
    let found = sidecar::open(database, making.reading).expect("opened");
    let Sidecar::Fresh(index) = found else {
        panic!("the index is not of this database");
    };
    index.tell_places(database);
    (input, index, lossy)
}

/// Our query for one of Scid's, and whether its hits have plies.
fn translate(kind: &str, query: &str) -> Option<(String, bool)> {
    let same = |terms: &str| {
        let turn = if query.contains(" w ") {
            "white"
        } else {
            "black"
        };
        Some((format!("same:({terms} turn:{turn})"), true))
    };
    let text = match (kind, query) {
        ("HEADER", "-white adams") => "white~adams",
        ("HEADER", r#"-player "\"Adams, Michael\"""#) => r#"player~"\"Adams, Michael\"""#,
        ("HEADER", r#"-elo "2600 4000""#) => "elo:2600..4000",
        ("HEADER", r#"-welo "2400 2500" -belo "2400 2500""#) => {
            "white-elo:2400..2500 black-elo:2400..2500"
        }
        ("HEADER", r#"-delo "200 1000""#) => "elo-diff:200..1000",
        ("HEADER", r#"-result "1""#) => "result:1-0",
        ("HEADER", r#"-result "=""#) => "result:draw",
        // Scid looks at the tag alone.
        ("HEADER", r#"-eco "B20 B99z""#) => "eco:B20..B99 tag[ECO]:B*",
        ("HEADER", r#"-eco "E60 E99""#) => "eco:E60..E99 tag[ECO]:E*",
        ("HEADER", r#"-date "1990 1995.06.15""#) => "date:1990.01.01..1995.06.15",
        ("HEADER", r#"-length "1 40""#) => "plies:1..40",
        ("HEADER", r#"-length "120 1023""#) => "plies:120..1023",
        ("HEADER", "-event ch") => "event~ch",
        ("HEADER", "-site london") => "site~london",
        ("HEADER", r#"-round "1""#) => "round~1",
        ("HEADER", r#"-event! open -date "2000 2010""#) => "not event~open date:2000.01.01..2009",
        ("HEADER", "-white kasparov -black| kasparov") => "white~kasparov or black~kasparov",
        ("HEADER", "-flag S") => "has:setup",
        ("HEADER", r#"-gnum "100 199""#) => "number:100..199",
        ("HEADER", r#"-n_comments "1 100""#) => "has:comments",
        ("BOARD-Exact", fen) => return Some((format!("position:\"{fen}\""), true)),
        ("BOARD-Pawns", fen) => return same(&format!("structure:\"{fen}\" material:\"{fen}\"")),
        ("BOARD-Fyles", fen) => return same(&format!("files:\"{fen}\" material:\"{fen}\"")),
        ("BOARD-Material", fen) => return same(&format!("material:\"{fen}\"")),
        ("MATERIAL", ranges) if ranges.starts_with("-wq {0 0} -bq {0 0} -wr {1 1}") => {
            "material[lasting 2]:\"KRP* v KRP*\""
        }
        ("MATERIAL", ranges) if ranges.starts_with("-wq {1 1}") => "material:\"KQP* v KQP*\"",
        ("MATERIAL", ranges) if ranges.contains("-bishops Opposite") => {
            "material:\"KBP* v KBP*, bishops=opposite\""
        }
        ("MATERIAL", ranges) if ranges.contains("-flip 1 -length 4") => {
            "material[either, lasting 4]:\"Q{0..2}R{0..2}B{2}P* v Q{0..2}R{0..2}B{0..2}N{2}P*\""
        }
        _ => return None,
    };
    Some((text.to_owned(), false))
}

#[test]
fn the_answers_are_those_of_scid() {
    let Some(folder) = tabiya_testing::shared("oracles/scid") else {
        eprintln!("skipped: the databases of Scid are not here");
        return;
    };
    let folder = folder.join("s11_otb3000");
    let unpacked = Command::new("gzip")
        .args(["-dc"])
        .arg(folder.join("search_oracle.tsv.gz"))
        .output()
        .expect("gzip runs");
    let table = String::from_utf8(unpacked.stdout).expect("UTF-8");
    let mut rows = 0;
    for base in ["w474.si4", "w43.si4", "w5.si5"] {
        let input = open(&folder.join(base));
        rows += asked(&table, base, input.database().expect("a database"), None);
    }
    // The same games where no index of Scid answers.
    let base = open(&folder.join("w5.si5"));
    let place = tempfile::tempdir().expect("a folder");
    let (input, index, _) = as_pgn(base.database().expect("a database"), place.path());
    let database = input.database().expect("a database");
    rows += asked(&table, "PGN with an index", database, Some(&index));
    assert_eq!(rows, 42 * 16);
}

/// Asks every question of the table in several ways; says how often.
fn asked(table: &str, base: &str, database: &dyn Database, index: Option<&ExplorerIndex>) -> usize {
    let indexed = index.map(|index| IndexedDatabase::new(database, index));
    let database = match &indexed {
        Some(indexed) => indexed,
        None => database,
    };
    let mut rows = 0;
    for line in table.lines() {
        let mut columns = line.split('\t');
        let mut next = || columns.next().unwrap_or_default();
        let (kind, asked, count, result) = (next(), next(), next(), next());
        if kind == "TREE" || kind == "kind" {
            continue;
        }
        let (text, plies) =
            translate(kind, asked).unwrap_or_else(|| panic!("{kind} {asked} is not known"));
        let query = Query::parse(&text, QueryContext::default())
            .unwrap_or_else(|e| panic!("{}", e.render(&text)));
        for (facts, hints, compact) in [
            (true, true, true),
            (true, false, true),
            (false, true, false),
            (false, false, false),
        ] {
            let options = QueryOptions {
                plies,
                shortcuts: SearchShortcuts {
                    facts,
                    hints,
                    compact,
                    ..SearchShortcuts::default()
                },
                ..QueryOptions::default()
            };
            let mut found = Vec::new();
            let mut each = |hit: MatchedGame| {
                found.push(match hit.hit.ply {
                    Some(ply) if plies => format!("{}_{ply}", hit.hit.number),
                    _ => hit.hit.number.to_string(),
                });
                Ok(true)
            };
            let report = search(
                database,
                &query,
                options,
                &Control::default(),
                Some(&mut each),
            );
            let report = report.expect("searched");
            assert_eq!(found.join(" "), result, "{base}: {text} ({asked})");
            assert_eq!(report.hits.to_string(), count, "{base}: {text}");
            assert_eq!(report.damaged, 0);
            rows += 1;
        }
    }
    rows
}

#[test]
fn the_rows_of_an_index_say_what_scid_says() {
    let Some(folder) = tabiya_testing::shared("oracles/scid") else {
        eprintln!("skipped: the databases of Scid are not here");
        return;
    };
    let (mut games, mut moves) = (0, 0);
    for set in [
        "s01_classic",
        "s02_annotated",
        "s03_fenstart",
        "s04_special",
        "s05_tags",
        "s07_otb600",
        "s09_flags",
        "s11_otb3000",
        "s12_chess960",
    ] {
        let base = open(&folder.join(set).join("w5.si5"));
        let scid = base.database().expect("a database");
        let place = tempfile::tempdir().expect("a folder");
        let (_input, index, lossy) = as_pgn(scid, place.path());
        let (scid, rows) = (scid.facts().expect("facts"), index.facts().expect("rows"));
        assert_eq!(rows.len(), scid.len(), "{set}");
        for number in 1..=scid.len() {
            let said = rows.fact(number, FactFields::ALL).expect("a row");
            let expected = scid.fact(number, FactFields::ALL).expect("a fact");
            if lossy.contains(&number) {
                continue;
            }
            moves += same(set, number, (rows, &said), (scid, &expected));
            games += 1;
        }
        assert!(rows.fact(scid.len() + 1, FactFields::ALL).is_none());
    }
    assert!(games > 4000 && moves > 3600, "{games} games, {moves} moves");
}

/// Compares what is said about a game with what Scid says; answers whether its moves could be compared.
fn same(
    set: &str,
    number: u64,
    (rows, said): (&dyn FactSource, &GameFacts),
    (scid, expected): (&dyn FactSource, &GameFacts),
) -> usize {
    let told = format!("{set}: game {number}: {said:?} {expected:?}");
    let unless = |field: FactFields, check: &dyn Fn()| {
        if !said.unsaid.meets(field) {
            check();
        }
    };
    let name = |table, one, other, field| {
        unless(field, &|| {
            // PGN has no empty tags of the roster.
            let expected = match scid.name(table, other) {
                empty if empty.is_empty() => "?".into(),
                name => name,
            };
            assert_eq!(rows.name(table, one), expected, "{told}");
        });
    };
    let [white, black] = said.players;
    name(
        NameTable::Players,
        white,
        expected.players[0],
        FactFields::WHITE,
    );
    name(
        NameTable::Players,
        black,
        expected.players[1],
        FactFields::BLACK,
    );
    name(
        NameTable::Events,
        said.event,
        expected.event,
        FactFields::EVENT,
    );
    name(NameTable::Sites, said.site, expected.site, FactFields::SITE);
    name(
        NameTable::Rounds,
        said.round,
        expected.round,
        FactFields::ROUND,
    );
    unless(FactFields::RATINGS, &|| {
        for (rating, expected) in said.ratings.iter().zip(expected.ratings) {
            // What Scid's index has no value for may stand among the other tags.
            let elsewhere = expected == 0 && scid.has_more_tags(number, FactFields::RATINGS);
            assert!(elsewhere || *rating == expected, "{told}");
        }
    });
    unless(FactFields::DATE, &|| {
        assert_eq!(said.date, expected.date, "{told}")
    });
    unless(FactFields::EVENT_DATE, &|| {
        assert_eq!(said.event_date, expected.event_date, "{told}")
    });
    unless(FactFields::OUTCOME, &|| {
        assert_eq!(said.outcome, expected.outcome, "{told}")
    });
    unless(FactFields::ECO, &|| {
        assert_eq!(said.eco, expected.eco, "{told}")
    });
    unless(FactFields::FLAGS, &|| {
        let letters = !FROM_THE_GAME;
        assert_eq!(said.flags & letters, expected.flags & letters, "{told}");
    });
    unless(FactFields::ANNOTATIONS, &|| {
        assert_eq!(said.variations, expected.variations, "{told}");
        assert_eq!(said.nags, expected.nags, "{told}");
        assert_eq!(said.comments, expected.comments, "{told}");
    });
    if let (Some(plies), Some(expected)) = (said.plies, expected.plies) {
        assert_eq!(plies, expected, "{told}");
    }
    if let (Some(moves), Some(of_scid)) = (said.moves, expected.moves) {
        assert_eq!(
            said.flags & FROM_THE_GAME & !SETUP,
            expected.flags & FROM_THE_GAME & !SETUP,
            "{told}"
        );
        assert_eq!(moves.material, of_scid.material, "{told}");
        assert_eq!(moves.home_count, of_scid.home_count, "{told}");
        assert_eq!(moves.home_pawns, of_scid.home_pawns, "{told}");
        return 1;
    }
    0
}
