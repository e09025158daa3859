//! A client that was written for the explorer of Lichess, pointed at this server, works as it is.

use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;

use serde_json::Value;
use tabiya_model::Control;
use tabiya_server::{ServerConfig, serve};
use tabiya_testing::python_with;

const GAMES: &str = r#"[White "Tal"]
[Black "Smyslov"]
[Date "1959.09.08"]
[WhiteElo "2600"]
[BlackElo "2660"]
[TimeControl "40/7200"]
[Result "1-0"]

1. e4 c6 2. d3 1-0

[White "Smyslov"]
[Black "Tal"]
[Date "1959.10.01"]
[WhiteElo "2640"]
[BlackElo "2600"]
[TimeControl "40/7200"]
[Result "1/2-1/2"]

1. e4 e5 2. Nf3 1/2-1/2

[White "Anderssen"]
[Black "Kieseritzky"]
[Date "1851.06.21"]
[Result "1-0"]

1. e4 e5 2. f4 1-0
"#;

#[test]
fn the_client_of_lichess_asks_this_server() {
    let Some(mut python) = python_with("berserk") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("games.pgn"), GAMES).expect("written");
    let token = "a-token-of-the-test";
    let config = ServerConfig {
        paths: vec![folder.path().to_owned()],
        token: Some(token.to_owned()),
        ..ServerConfig::default()
    };
    let control = Control::default();
    let (told, telling) = mpsc::channel();
    let inner = control.clone();
    let server = std::thread::spawn(move || {
        serve(config, &inner, |ready| {
            told.send(ready.address).expect("somebody listens");
        })
    });
    let address = telling
        .recv_timeout(Duration::from_secs(30))
        .expect("ready");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/explorer.py");
    let output = python
        .arg(script)
        .args([&format!("http://{address}"), token, "another-token-of-it"])
        .stdin(Stdio::null())
        .output()
        .expect("python runs");
    control.stop();
    server.join().expect("it ends").expect("it serves");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
    let answers: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let sums = |name: &str| {
        let answer = &answers[name];
        ["white", "draws", "black"].map(|key| answer[key].as_u64().expect(name))
    };
    assert_eq!(sums("lichess"), [2, 1, 0]);
    assert_eq!(answers["lichess"]["moves"][0]["san"], "e4");
    // The ratings of both together say which game is on top.
    let top = answers["lichess"]["topGames"].as_array().expect("games");
    let whites: Vec<&Value> = top.iter().map(|game| &game["white"]["name"]).collect();
    assert_eq!(whites, ["Tal", "Smyslov", "Anderssen"]);
    assert_eq!(sums("played"), [1, 1, 0]);
    for list in ["moves", "topGames", "recentGames"] {
        let length = answers["played"][list].as_array().expect(list).len();
        assert_eq!(length, 1, "{list}");
    }
    assert_eq!(answers["fen"]["moves"][0]["uci"], "e7e5");
    assert_eq!(sums("since"), [1, 1, 0]);
    assert_eq!(sums("rated"), [1, 1, 0]);
    assert_eq!(sums("masters"), [1, 1, 0]);
    assert_eq!(sums("player"), [1, 0, 0]);
    assert_eq!(answers["streamed"][0]["draws"], 1);
    assert_eq!(answers["refused"], serde_json::json!([401, 400, 400]));
}
