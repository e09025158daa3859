//! Values without a name, circles of saved queries, and what is said of both.

use tabiya_query::{Query, QueryContext, SavedQueries};

fn parse(text: &str) -> Result<Query, String> {
    Query::parse(text, QueryContext::default()).map_err(|error| error.render(text))
}

#[test]
fn a_value_without_a_name_is_text_and_says_so() {
    let query = parse("gelfand \"Linares 1990\" elo>2600").expect("a query");
    assert_eq!(query.texts, ["gelfand", "Linares 1990"]);
    assert_eq!(query.terms.len(), 7);
    let note = query.note().expect("a note");
    assert_eq!(
        note,
        "searched as text in names, events and sites: `gelfand`, `Linares 1990`"
    );
    let note = parse("chek").expect("a query").note().expect("a note");
    assert!(note.ends_with("; did you mean the term `check`?"), "{note}");
    assert_eq!(parse("check").expect("a query").note(), None);
    assert_eq!(
        parse("not (tal or O'Kelly)").expect("a query").texts,
        ["tal", "O'Kelly"]
    );
}

#[test]
fn what_is_meant_as_a_term_stays_one() {
    for (text, wrong) in [
        ("plaer:Tal", "there is no term `plaer`"),
        ("elo", "`elo` needs"),
        ("-player:Tal", "no term begins with `-`"),
        ("same:(chek)", "only terms about a position"),
        ("tal and", "a term is missing here"),
        ("\"\"", "this text is empty"),
        ("tal then", "only terms about a position"),
    ] {
        let error = parse(text).expect_err(text);
        assert!(error.contains(wrong), "{text}: {error}");
    }
}

#[test]
fn a_circle_is_told_once_with_its_way() {
    let saved = SavedQueries::parse("a = elo>2000 @b\nb = not @c\nc = @b\n").expect("queries");
    let context = QueryContext {
        saved: Some(&saved),
        ..QueryContext::default()
    };
    let error = Query::parse("year:1999 @a", context).expect_err("a circle");
    assert_eq!(
        error.render("year:1999 @a"),
        "these saved queries use each other in a circle: `b` uses `c` uses `b`\n  year:1999 @a\n            ^^"
    );
    let twice = SavedQueries::parse("a = @b @b\nb = elo>2000\n").expect("queries");
    let context = QueryContext {
        saved: Some(&twice),
        ..QueryContext::default()
    };
    assert!(Query::parse("@a", context).is_ok(), "twice is no circle");
}
