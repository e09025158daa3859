//! Searches beside those that Scid itself made of the same databases.

use std::path::PathBuf;
use std::process::Command;

use tabiya::query::{Context, Found, Options, Query, search};

fn shared() -> Option<PathBuf> {
    let folder = std::env::var_os("TABIYA_SHARED").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")),
        PathBuf::from,
    );
    let folder = folder.join("oracles/scid/s11_otb3000");
    folder.is_dir().then_some(folder)
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
        ("HEADER", r#"-eco "B20 B99z""#) => "eco:B20..B99",
        ("HEADER", r#"-eco "E60 E99""#) => "eco:E60..E99",
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
    let Some(folder) = shared() else {
        eprintln!("skipped: the databases of Scid are not here");
        return;
    };
    let unpacked = Command::new("gzip")
        .args(["-dc"])
        .arg(folder.join("search_oracle.tsv.gz"))
        .output()
        .expect("gzip runs");
    let table = String::from_utf8(unpacked.stdout).expect("UTF-8");
    let mut rows = 0;
    for base in ["w474.si4", "w43.si4", "w5.si5"] {
        let inputs = tabiya::open(folder.join(base)).expect("opened");
        let database = inputs
            .first()
            .and_then(|input| input.database())
            .expect("a database");
        for line in table.lines() {
            let mut columns = line.split('\t');
            let mut next = || columns.next().unwrap_or_default();
            let (kind, asked, count, result) = (next(), next(), next(), next());
            if kind == "TREE" || kind == "kind" {
                continue;
            }
            let (text, plies) =
                translate(kind, asked).unwrap_or_else(|| panic!("{kind} {asked} is not known"));
            let query = Query::parse(&text, Context::default())
                .unwrap_or_else(|e| panic!("{}", e.render(&text)));
            for (facts, hints, compact) in [
                (true, true, true),
                (true, false, true),
                (false, true, false),
                (false, false, false),
            ] {
                let options = Options {
                    plies,
                    facts,
                    hints,
                    compact,
                    ..Options::default()
                };
                let mut found = Vec::new();
                let report = search(
                    database,
                    &query,
                    options,
                    Some(&mut |hit: Found| {
                        found.push(match hit.hit.ply {
                            Some(ply) if plies => format!("{}_{ply}", hit.hit.number),
                            _ => hit.hit.number.to_string(),
                        });
                        Ok(true)
                    }),
                )
                .expect("searched");
                assert_eq!(found.join(" "), result, "{base}: {text} ({asked})");
                assert_eq!(report.hits.to_string(), count, "{base}: {text}");
                assert_eq!(report.damaged, 0);
                rows += 1;
            }
        }
    }
    assert_eq!(rows, 42 * 12);
}
