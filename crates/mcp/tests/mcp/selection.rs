//! Unfinished games, chosen by every tool that takes a choice: what it says is what it says of a base with these games alone.

use serde_json::{Value, json};

use super::{Tools, folder_with};

fn game(round: usize, [white, black]: [&str; 2], moves: &str, result: &str) -> String {
    format!(
        "[Event \"Open\"]\n[Site \"Bonn\"]\n[Date \"2001.02.0{round}\"]\n[Round \"{round}\"]\n[White \"{white}\"]\n\
         [Black \"{black}\"]\n[Result \"{result}\"]\n\n{moves} {result}\n\n"
    )
}

#[test]
fn unfinished_games_are_chosen_by_every_tool() {
    let berg = ["Berg, Bo", "Abel, Anna"];
    let spanish = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6";
    let unfinished = [
        game(1, berg, spanish, "*"),
        game(1, berg, spanish, "*"),
        game(2, ["Berg, B", "Cohn, Carl"], "1. e4 c5 2. Nf3 d6", "*"),
    ]
    .concat();
    let finished = [
        game(3, berg, "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5", "1-0"),
        game(3, berg, "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5", "1-0"),
        game(4, berg, "1. d4 d5 2. c4 e5", "1/2-1/2"),
    ]
    .concat();
    // The same games have the same numbers in both.
    let folder = folder_with("all.pgn", &format!("{unfinished}{finished}"));
    std::fs::write(folder.path().join("few.pgn"), unfinished).expect("written");
    let lines = "[Repertoire \"white\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 *\n\n";
    std::fs::write(folder.path().join("white.pgn"), lines).expect("written");
    let tools = Tools::of(folder.path(), false);
    let mut left: Vec<String> = tools.ask("tools/list", json!({}))["result"]["tools"]
        .as_array()
        .expect("tools")
        .iter()
        .filter(|tool| tool["inputSchema"]["properties"]["deleted"].is_object())
        .map(|tool| tool["name"].as_str().expect("a name").to_owned())
        .collect();
    for (name, arguments) in [
        ("search", json!({})),
        ("explore", json!({ "line": "e4" })),
        ("stats", json!({ "full": true })),
        ("player", json!({ "name": "Berg" })),
        ("crosstable", json!({ "event": "Open" })),
        ("novelty", json!({ "reference": ["few.pgn"] })),
        ("duplicates", json!({})),
        ("repertoire_check", json!({ "repertoire": "white.pgn" })),
        ("convert", json!({ "format": "cbf" })),
    ] {
        left.retain(|tool| tool != name);
        let ask = |base: &str, unfinished: Option<bool>| -> Value {
            let mut asked = arguments.clone();
            asked["bases"] = json!([base]);
            if let Some(unfinished) = unfinished {
                asked["unfinished"] = json!(unfinished);
            }
            let told = tools.call(name, asked);
            let told = told.unwrap_or_else(|why| panic!("{name}: {why}"));
            serde_json::from_str(&told.to_string().replace(base, "BASE")).expect("JSON")
        };
        let alone = ask("few.pgn", None);
        assert_eq!(ask("all.pgn", Some(true)), alone, "{name}");
        let all = ask("all.pgn", None);
        assert_eq!(ask("all.pgn", Some(false)), all, "{name}");
        assert_ne!(all, alone, "{name}: the choice makes no difference");
    }
    assert_eq!(left, Vec::<String>::new(), "tools that were not asked");
}
