//! What every tool promises: moves in standard notation alone, legal moves beside every refusal, evaluations seen from White, and
//! queries that are wrong refused with what may be meant.

use serde_json::{Value, json};

use super::{GAMES, Tools, folder_with};

/// A repertoire for White that is compared with the games.
const WHITE: &str = "[Repertoire \"white\"]\n\n1. e4 e5 (1... c5 2. Nf3) 2. Nf3 *\n\n";

/// Games of two players that were played before, so that there is something to tell.
fn more_games() -> String {
    let game = |number: usize, moves: &str| {
        format!(
            "[Event \"Club\"]\n[Site \"?\"]\n[Date \"20{number:02}.01.02\"]\n[Round \"{number}\"]\n[White \"Adams\"]\n[Black \"Bird\"]\n\
             [Result \"1-0\"]\n\n{moves} 1-0\n\n"
        )
    };
    let lines = [
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6",
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6",
        "1. e4 e5 2. Nf3 Nf6 3. Nxe5 d6",
        "1. e4 c5 2. Nf3 d6 3. d4 cxd4",
    ];
    (1..).zip(lines).map(|(at, line)| game(at, line)).collect()
}

/// Whether a text is a move by its squares.
fn is_by_squares(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_square = |at: usize| {
        bytes
            .get(at..at + 2)
            .is_some_and(|two| (b'a'..=b'h').contains(&two[0]) && (b'1'..=b'8').contains(&two[1]))
    };
    (4..=5).contains(&bytes.len()) && is_square(0) && is_square(2)
}

/// Every text of an answer with its field, and every name of a field.
fn walk(value: &Value, field: &str, see: &mut dyn FnMut(&str, Option<&str>)) {
    match value {
        Value::String(text) => see(field, Some(text)),
        Value::Array(items) => items.iter().for_each(|item| walk(item, field, see)),
        Value::Object(fields) => {
            for (name, inner) in fields {
                see(name, None);
                walk(inner, name, see);
            }
        }
        _ => {}
    }
}

#[test]
fn moves_are_told_in_standard_notation_alone() {
    let folder = folder_with("club.pgn", &format!("{GAMES}{}", more_games()));
    std::fs::write(folder.path().join("white.pgn"), WHITE).expect("written");
    let tools = Tools::of(folder.path(), true);
    let club = json!(["club.pgn"]);
    let calls = [
        ("bases", json!({ "base": "club.pgn" })),
        ("search", json!({ "bases": club })),
        ("game", json!({ "base": "club.pgn", "game": 1 })),
        ("position", json!({ "line": "e4 e5 Nf3" })),
        ("explore", json!({ "bases": club, "line": "e4" })),
        ("stats", json!({ "bases": club, "full": true })),
        ("player", json!({ "bases": club, "name": "Adams" })),
        ("crosstable", json!({ "bases": club, "event": "Club" })),
        ("novelty", json!({ "bases": club, "order": "deepest" })),
        ("duplicates", json!({ "bases": club })),
        (
            "repertoire_check",
            json!({ "bases": club, "repertoire": "white.pgn", "gaps": true }),
        ),
        ("convert", json!({ "bases": club, "format": "cbf" })),
        (
            "edit",
            json!({ "base": "club.pgn", "preview": true, "game": 1, "changes": [{ "kind": "line", "at": "start", "moves": "d4 d5" }] }),
        ),
        ("history", json!({ "base": "club.pgn" })),
        ("job", json!({})),
    ];
    let mut moves = 0;
    for (name, arguments) in calls {
        let told = tools
            .call(name, arguments)
            .unwrap_or_else(|why| panic!("{name}: {why}"));
        walk(&told, "", &mut |field, text| {
            assert_ne!(field, "uci", "{name}");
            if let Some(text) = text {
                assert!(!is_by_squares(text), "{name}: {field} is {text}");
                moves += usize::from(text == "Nf3" || text == "Nc6");
            }
        });
    }
    assert!(moves > 6, "{moves} moves were told");
    let listed = tools.ask("tools/list", json!({}));
    walk(&listed["result"], "", &mut |field, _| {
        assert_ne!(field, "uci", "a schema");
    });
}

#[test]
fn every_tool_refuses_a_wrong_move_with_the_legal_ones() {
    let folder = folder_with("club.pgn", GAMES);
    let tools = Tools::of(folder.path(), true);
    for line in [
        "e4 e5 Ke3",
        "e4 e5 e4",
        "e4 e5 g1f3",
        "e4 e5 Nf3+",
        "e4 e5 Nxf3",
    ] {
        let add = json!([{ "kind": "line", "at": "start", "moves": line }]);
        for (name, arguments) in [
            ("position", json!({ "line": line })),
            ("explore", json!({ "line": line })),
            ("analyse", json!({ "line": line })),
            ("edit", json!({ "game": 1, "changes": add })),
            ("edit", json!({ "changes": add })),
        ] {
            let refusal = tools.call(name, arguments).expect_err(line);
            assert_eq!(refusal["code"], "illegal-move", "{name}: {line}");
            let legal = refusal["legal_moves"].as_array().expect("moves");
            assert_eq!(legal.len(), 29, "{name}: {line}: {refusal}");
            assert!(legal.contains(&json!("Nf3")) && legal.contains(&json!("Ke2")));
            let fen = refusal["fen"].as_str().expect("a position");
            assert!(fen.starts_with("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w"));
        }
    }
    let knights = "4k3/8/8/8/8/2N3N1/8/4K3 w - - 0 1";
    let refusal = tools
        .call("position", json!({ "fen": knights, "line": "Ne4" }))
        .expect_err("two knights can go there");
    assert_eq!(refusal["code"], "ambiguous-move");
    let legal = refusal["legal_moves"].as_array().expect("moves");
    assert!(legal.contains(&json!("Nce4")) && legal.contains(&json!("Nge4")));
}

#[test]
fn evaluations_say_that_they_are_seen_from_white() {
    let games =
        "[White \"A\"]\n\n1. e4 {[%eval 0.3,20]} e5 {[%eval -1.25]} 2. Ke2 {[%eval #-7]} *\n";
    let folder = folder_with("club.pgn", games);
    let tools = Tools::of(folder.path(), false);
    let told = tools.call("game", json!({ "game": 1 })).expect("a game");
    let nodes = told["nodes"].as_array().expect("nodes");
    for (at, centipawns, mate, depth) in [
        (1, json!(30), Value::Null, json!(20)),
        (2, json!(-125), Value::Null, Value::Null),
        (3, Value::Null, json!(-7), Value::Null),
    ] {
        let position = tools
            .call("position", json!({ "game": 1, "node": nodes[at]["id"] }))
            .expect("a position");
        for evaluation in [&nodes[at]["evaluation"], &position["evaluation"]] {
            assert_eq!(evaluation["centipawns"], centipawns, "{evaluation}");
            assert_eq!(evaluation["mate"], mate, "{evaluation}");
            assert_eq!(evaluation["depth"], depth, "{evaluation}");
            assert_eq!(evaluation["seen_from"], "White");
            assert_eq!(evaluation["by"], "the game");
        }
    }
    // Where nobody has said anything there is none.
    let position = tools.call("position", json!({})).expect("a position");
    assert_eq!(position["evaluation"], Value::Null);
}

#[test]
fn a_query_that_is_wrong_is_refused_with_its_place_and_what_may_be_meant() {
    let folder = folder_with("club.pgn", GAMES);
    let tools = Tools::of(folder.path(), false);
    // The place is counted as scripts count: the letter before it takes two units.
    let query = "event:\"𝄞\" wite:Adams";
    let start = "event:\"xx\" ".len();
    for name in [
        "search",
        "explore",
        "stats",
        "novelty",
        "duplicates",
        "convert",
    ] {
        let mut arguments = json!({ "query": query });
        if name == "convert" {
            arguments["format"] = json!("pgn");
        }
        let refusal = tools.call(name, arguments).expect_err(query);
        assert_eq!(refusal["code"], "bad-query", "{name}: {refusal}");
        let fault = &refusal["fault"];
        assert_eq!(fault["start"], start, "{refusal}");
        assert!(
            fault["end"]
                .as_u64()
                .is_some_and(|end| end >= start as u64 + 4),
            "{refusal}"
        );
        let help = refusal["help"].as_str().expect("help");
        assert!(help.contains("did you mean `white`?"), "{help}");
        assert_eq!(fault["help"], help);
    }
    // A name that nobody has: the one that is spelt nearly so.
    let found = tools
        .call("search", json!({ "query": "white:Adems" }))
        .expect("nothing found");
    assert_eq!((&found["total"], &found["rows"]), (&json!(0), &json!([])));
    let notes = found["notes"].to_string();
    assert!(
        notes.contains("did you mean") && notes.contains("Adams"),
        "{notes}"
    );
    let refusal = tools
        .call("player", json!({ "name": "Adems" }))
        .expect_err("no such player");
    assert_eq!(refusal["code"], "nothing-found");
    assert!(
        refusal["help"]
            .as_str()
            .is_some_and(|help| help.contains("Adams"))
    );
    // A database and a format that there are not.
    let refusal = tools
        .call("game", json!({ "base": "clob.pgn", "game": 1 }))
        .expect_err("no such database");
    assert_eq!(refusal["choices"], json!(["club.pgn"]));
    let refusal = tools
        .call("convert", json!({ "format": "docx" }))
        .expect_err("no such format");
    assert!(
        refusal["choices"]
            .as_array()
            .is_some_and(|all| all.contains(&json!("pgn")))
    );
}

#[test]
fn a_long_game_is_cut_and_its_rest_comes_by_cursors() {
    // Each move has a comment, so that the tree is far longer than an answer.
    let mut moves = String::new();
    for (at, san) in ["Nf3", "Nf6", "Ng1", "Ng8"]
        .iter()
        .cycle()
        .take(400)
        .enumerate()
    {
        if at % 2 == 0 {
            moves.push_str(&format!("{}. ", at / 2 + 1));
        }
        moves.push_str(&format!("{san} {{{}}} ", "x".repeat(100)));
    }
    let folder = folder_with("long.pgn", &format!("[White \"A\"]\n\n{moves} *\n"));
    let tools = Tools::of(folder.path(), false);
    let result = tools.result("game", json!({ "game": 1 }));
    assert!(result.to_string().len() < 50_000);
    let told = &result["structuredContent"];
    let cut = &told["cut"][0];
    assert_eq!(
        (&cut["path"], &cut["total"]),
        (&json!("/nodes"), &json!(401))
    );
    let mut nodes = told["nodes"].as_array().expect("nodes").clone();
    assert_eq!(cut["shown"], nodes.len());
    let mut cursor = cut["cursor"].clone();
    while cursor.is_string() {
        let more = tools.result("more", json!({ "cursor": cursor }));
        assert!(more.to_string().len() < 50_000);
        let more = &more["structuredContent"];
        nodes.extend(more["items"].as_array().expect("items").clone());
        cursor = more["next"].clone();
    }
    assert_eq!(nodes.len(), 401);
    let plies: Vec<u64> = nodes
        .iter()
        .filter_map(|node| node["ply"].as_u64())
        .collect();
    assert_eq!(plies, (0..=400).collect::<Vec<u64>>());
}

#[test]
fn what_is_offered_is_said_truly() {
    let folder = folder_with("club.pgn", GAMES);
    let tools = Tools::of(folder.path(), false);
    let begun = tools.ask(
        "initialize",
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {} }),
    );
    assert_eq!(
        begun["result"]["capabilities"],
        json!({ "tools": {}, "resources": {} })
    );
    // The resources are texts of the program, which do not change: nobody can wait for that.
    for method in [
        "resources/subscribe",
        "resources/unsubscribe",
        "subscriptions/listen",
        "prompts/list",
        "logging/setLevel",
        "completion/complete",
    ] {
        let told = tools.ask(method, json!({ "uri": "tabiya://query" }));
        assert_eq!(told["error"]["code"], -32601, "{method}");
    }
    let listed = tools.ask("tools/list", json!({}))["result"]["tools"].clone();
    let names: Vec<&str> = (listed.as_array().expect("tools").iter())
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert_eq!(
        names,
        [
            "bases",
            "search",
            "game",
            "position",
            "explore",
            "stats",
            "player",
            "crosstable",
            "novelty",
            "duplicates",
            "repertoire_check",
            "convert",
            "history",
            "analyse",
            "job",
            "more"
        ]
    );
    let all = Tools::of(folder.path(), true).ask("tools/list", json!({}));
    let count = all["result"]["tools"].as_array().map(Vec::len);
    assert_eq!(count, Some(names.len() + 2));
}
