//! What players type, and what it means to the language.

use tabiya_query::{Query, QueryContext, SavedQueries};

const TABLE: &str = include_str!("typed_queries.txt");

/// What a query asks, without how it is written.
fn asked(query: &Query) -> String {
    format!("{:?} {:?}", query.expr, query.terms)
}

/// Whether a row of the table holds, or what is wrong.
fn holds(typed: &str, kind: &str, meaning: &str) -> Result<(), String> {
    let read = Query::parse(typed, QueryContext::default());
    match (kind, read) {
        ("=", Ok(query)) => {
            let meant = Query::parse(meaning, QueryContext::default())
                .map_err(|error| error.render(meaning))?;
            match asked(&query) == asked(&meant) {
                true => Ok(()),
                false => Err(format!(
                    "it asks {}\nand not {}",
                    asked(&query),
                    asked(&meant)
                )),
            }
        }
        ("~", Ok(query)) => {
            let note = query.note().unwrap_or_default();
            match note.contains(meaning) {
                true => Ok(()),
                false => Err(format!("it is said: {note}")),
            }
        }
        ("?", Err(error)) => {
            let said = error.render(typed);
            match said.contains(meaning) {
                true => Ok(()),
                false => Err(said),
            }
        }
        ("x", _) => Ok(()),
        (_, Ok(query)) => Err(format!("it is a query: {}", asked(&query))),
        (_, Err(error)) => Err(error.render(typed)),
    }
}

#[test]
fn what_is_typed_is_what_is_meant() {
    let (mut rows, mut failed, mut wrong) = (0, 0, Vec::new());
    for line in TABLE.lines() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut columns = line
            .split("  ")
            .map(str::trim)
            .filter(|part| !part.is_empty());
        let (Some(typed), Some(kind), Some(meaning)) =
            (columns.next(), columns.next(), columns.next())
        else {
            panic!("not a row: {line}");
        };
        assert_eq!(columns.next(), None, "not a row: {line}");
        rows += 1;
        failed += u32::from(kind == "x");
        if let Err(what) = holds(typed, kind, meaning) {
            wrong.push(format!("{typed}\n  {what}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(rows >= 170, "{rows} rows");
    // Nineteen of twenty do what is meant, or say how.
    assert!(failed * 20 <= rows, "{failed} of {rows} are not understood");
}

/// Queries as the release before this one had them, with its words.
const SAVED: &str = "\
passers = men:\"P passed\">=2 and elo>=2600
flipped = men[flip]:\"q pinned\"
few = material:\"any, men<=7\"
both = @passers and @few
knights = some[n]:\"N\" (men:\"$n attacks k\" men:\"$n attacks q\")
text = gelfand \"Linares 1990\"
order = (check turn:white) then within 2 plies captured:Q
";

#[test]
fn saved_queries_of_the_last_release_are_read() {
    let saved = SavedQueries::parse(SAVED).expect("saved queries");
    let context = QueryContext {
        saved: Some(&saved),
        ..QueryContext::default()
    };
    let names: Vec<&str> = saved.iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), 7);
    for name in names {
        let text = format!("@{name}");
        let query =
            Query::parse(&text, context).unwrap_or_else(|error| panic!("{}", error.render(&text)));
        assert!(!query.terms.is_empty(), "{name}");
    }
    let now = "pieces:\"P passed\">=2 and elo>=2600 and material:\"any, total<=7\"";
    let now = Query::parse(now, context).expect("a query");
    let then = Query::parse("@both", context).expect("a query");
    assert_eq!(format!("{:?}", then.terms), format!("{:?}", now.terms));
}
