//! The words that the app offers while a query is typed are words of the language.

use std::collections::BTreeMap;

use tabiya_query::{Query, QueryContext};

#[test]
fn every_word_that_is_offered_is_one() {
    let text = include_str!("../../../../web/src/games/terms.json");
    let terms: BTreeMap<String, String> = serde_json::from_str(text).expect("words");
    assert!(terms.len() > 70);
    for (term, example) in terms {
        assert!(example.contains(&term), "{term}: {example}");
        match Query::parse(&example, QueryContext::default()) {
            // What is no word is searched as text, and said to be.
            Ok(query) => assert_eq!(query.note(), None, "{example}"),
            Err(error) => panic!("{example}: {}", error.message),
        }
    }
}
