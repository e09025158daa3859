//! What other programs say of the same games.

use std::path::PathBuf;

use serde_json::Value;
use tabiya::Opener;
use tabiya_model::command::Evaluation;
use tabiya_model::judgement::Evaluations;
use tabiya_model::nag::Nag;
use tabiya_model::{Control, TapeOp};
use tabiya_query::{Query, QueryContext};

use super::{Place, answers, games, read, script, stockfish, succeed, tabiya};

/// The file of games that a peer is asked about, and how many: of the large corpus where it is there.
fn sample(place: &Place) -> (PathBuf, u64) {
    let path = place.path("games.pgn");
    let count = if tabiya_testing::is_full() { 200 } else { 4 };
    let Some(corpus) = tabiya_testing::shared("corpora/otb.pgn.zst") else {
        eprintln!("games at random are taken instead");
        std::fs::write(&path, games(count, 30)).expect("written");
        return (path, count);
    };
    let mut command = tabiya();
    command.arg("search").arg(&corpus);
    command.arg(format!("number<={count}")).arg("-o").arg(&path);
    succeed(&mut command);
    (path, count)
}

#[test]
fn another_program_finds_the_same() {
    let Some(stockfish) = stockfish() else { return };
    let Some(mut peer) = script("annotate.py") else {
        return;
    };
    let place = Place::new();
    let (path, count) = sample(&place);
    let nodes = "1000";
    let mut command = tabiya();
    command.arg("analyse").arg(&path);
    command.arg("-o").arg(place.path("out.pgn"));
    command.arg("--report").arg(place.path("report.json"));
    command.arg("--engine").arg(&stockfish);
    command.args(["--nodes", nodes, "--reproducible", "--hash", "16", "--redo"]);
    succeed(&mut command);
    peer.arg(&stockfish).args([&count.to_string(), nodes]);
    let peer = answers(peer.arg(&path));
    let report: Value = serde_json::from_slice(&place.read("report.json")).expect("JSON");
    let ours = read(&place.path("out.pgn"));
    assert_eq!((ours.len(), peer.len() as u64), (peer.len(), count));
    let mut compared = 0;
    for (index, (game, peer)) in ours.iter().zip(&peer).enumerate() {
        let all = Evaluations::of(game);
        let scores: Vec<Value> = all
            .after
            .iter()
            .map(|score| match score {
                None => Value::Null,
                Some(Evaluation::Centipawns(value)) => {
                    serde_json::json!(["cp", value])
                }
                Some(Evaluation::Mate(moves)) => {
                    serde_json::json!(["mate", moves])
                }
            })
            .collect();
        assert_eq!(Value::from(scores), peer["scores"], "game {}", index + 1);
        let judgements: Vec<Value> = all
            .steps()
            .map(|step| step.judgement().map(|judgement| judgement.name()).into())
            .collect();
        compared += judgements.len();
        assert_eq!(
            Value::from(judgements),
            peer["judgements"],
            "game {}",
            index + 1
        );
        for side in ["white", "black"] {
            let (found, wanted) = (&report["games_found"][index][side], &peer["sides"][side]);
            if wanted.is_null() {
                assert!(found["accuracy"].is_null());
                continue;
            }
            let number = |value: &Value| value["accuracy"].as_f64().expect("a number");
            assert!(
                (number(found) - number(wanted)).abs() < 1e-9,
                "{found} {wanted}"
            );
            assert_eq!(found["average_loss"], wanted["average_loss"]);
        }
        // The signs in the game are those of the judgements, where nobody else has put one.
        let signs = game
            .tape
            .ops()
            .filter(|op| matches!(op, TapeOp::Nag(Nag(2 | 4 | 6))))
            .count();
        assert!(
            signs
                >= all
                    .steps()
                    .filter(|step| step.judgement().is_some())
                    .count()
        );
    }
    eprintln!("{compared} moves of {count} games compared");
    assert!(compared > 50);
}

/// The terms about evaluations that both are asked for.
const TERMS: [&str; 24] = [
    "inaccuracy>=3",
    "mistake",
    "mistake:0",
    "blunder",
    "blunder>=2 by:white",
    "blunder:0 by:black",
    "blunder by:winner",
    "blunder by:loser",
    "mistake by:any",
    "missed-mate",
    "missed-mate by:white",
    "missed-mate>=2 by:black",
    "best-move>=20",
    "best-move>60%",
    "best-move>50% by:white",
    "best-move<30% by:black",
    "accuracy>90",
    "accuracy>90 by:white",
    "accuracy<60 by:any",
    "acpl<20 by:white",
    "acpl>50 by:loser",
    "eval-swing>5",
    "eval-swing>2 by:black",
    "eval-swing<1.5",
];

#[test]
fn another_program_finds_the_same_games() {
    let Some(_) = script("queries.py") else {
        return;
    };
    let mut found = 0;
    for name in ["lichess-real", "lichess"] {
        let Some(corpus) = tabiya_testing::shared(format!("corpora/{name}.pgn.zst")) else {
            continue;
        };
        let place = Place::new();
        let path = place.path("games.pgn");
        let most = if tabiya_testing::is_full() {
            8_000
        } else {
            400
        };
        let mut command = tabiya();
        command.arg("search").arg(&corpus);
        // Reading games without evaluations says nothing, and takes the peer long.
        command.args(["has:eval", "--first", &most.to_string(), "-o"]);
        succeed(command.arg(&path));
        let bases = Opener::default().open(&path).expect("opens");
        let base = bases.first().expect("a base");
        let Some(mut peer) = script("queries.py") else {
            return;
        };
        let peer = answers(peer.arg(&path).args(TERMS));
        assert_eq!(peer.len(), TERMS.len());
        for (term, wanted) in TERMS.iter().zip(&peer) {
            let query = Query::parse(term, QueryContext::default()).expect(term);
            let games = tabiya::Selection::default().matching(query);
            let numbers = games.numbers_in(base, &Control::default());
            let numbers = numbers.expect("searched").expect("a query");
            found += numbers.len();
            assert_eq!(&Value::from(numbers), wanted, "{name}: {term}");
        }
    }
    eprintln!("{found} hits are the same");
}
