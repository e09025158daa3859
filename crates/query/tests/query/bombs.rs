//! Queries that cost as much as a query can, over a game as long as a file can make one: each ends when it is told to, and within
//! its budget.

use std::sync::OnceLock;
use std::time::Duration;

use tabiya_model::{Board, Control, Game};
use tabiya_query::{Query, QueryContext, QueryEvaluator};
use tabiya_testing::TestRandom;

/// Moves of the game.
const LONG: usize = 300_000;

/// A game in which knights go back and forth.
fn long_game() -> &'static Game {
    static GAME: OnceLock<Game> = OnceLock::new();
    GAME.get_or_init(|| {
        let mut game = Game::default();
        let mut board = Board::standard();
        let there_and_back = ["Nf3", "Nf6", "Ng1", "Ng8"];
        for san in there_and_back.iter().cycle().take(LONG) {
            let (m, _) = board.read_san(san.as_bytes()).expect("a move");
            let m = m.expect("a legal one");
            game.tape.push_move(m);
            board.play(m);
        }
        game
    })
}

/// A set of squares that is dear to find: sets within sets.
fn set(chance: &mut TestRandom, depth: usize) -> String {
    if depth == 0 {
        return chance
            .pick(&["*", "A", "a", "(* or -)", "(not K)"])
            .to_string();
    }
    let (one, other) = (set(chance, depth - 1), set(chance, depth - 1));
    match chance.below(6) {
        0 => format!("({one} attacks {other})"),
        1 => format!("({one} attacked-by {other})"),
        2 => format!("({one} or {other})"),
        3 => format!("(near {} {one})", 1 + chance.below(7)),
        4 => format!("({one} x-rays {other})"),
        _ => format!("(between {one} {other})"),
    }
}

/// A query of which no position is like it, so that all of them are looked at.
fn bomb(chance: &mut TestRandom) -> String {
    let depth = 2 + chance.below(3);
    let (one, other) = (set(chance, depth), set(chance, depth));
    let question = format!("(men:\"{one}\">=65 or men:\"{other}\">=65)");
    let all = "(* or -)";
    let of_two = format!("some[x]:\"{all}\" (some[y]:\"{all}\" {question})");
    match chance.below(5) {
        // Each square, and for each of them each other one.
        0 => of_two,
        1 => format!("count:({of_two})>=3"),
        // The board turned within the turned board, again and again.
        2 => {
            let turns = 6 + chance.below(20);
            let head = "same[flip, mirror]:(";
            format!("{}{question}{}", head.repeat(turns), ")".repeat(turns))
        }
        3 => format!("({of_two}) then last ({question})"),
        _ => format!("({of_two}) or repetition>1000000"),
    }
}

/// So many of them that are understood.
fn bombs(count: usize) -> Vec<Query> {
    let mut chance = TestRandom::new(1);
    let mut all = Vec::new();
    let mut tried = 0;
    while all.len() < count {
        tried += 1;
        assert!(tried < 20 * count, "{} queries of {tried}", all.len());
        let text = bomb(&mut chance);
        all.extend(Query::parse(&text, QueryContext::default()));
    }
    all
}

#[test]
fn each_ends_within_its_budget_and_says_so() {
    let game = long_game();
    let mut spent = 0;
    for query in bombs(200) {
        let control = Control::default().with_steps(1 << 17);
        let hit = QueryEvaluator::new(&query, true)
            .under(&control)
            .hit(game, 7);
        match control.reason() {
            Some(reason) => {
                assert!(reason.contains("game 7"), "{reason}");
                assert!(hit.is_none(), "what is not whole says nothing");
                assert!(!control.completion().is_whole());
                spent += 1;
            }
            None => assert!(control.completion().is_whole()),
        }
    }
    assert!(spent > 150, "{spent} of 200 are bombs");
}

#[test]
fn each_ends_when_it_is_told_to() {
    let game = long_game();
    for query in bombs(200) {
        let control = Control::default().with_steps(u64::MAX);
        let told = control.clone();
        std::thread::scope(|scope| {
            // That this comes to its end at all is what is asked for: without a look at the control it takes hours.
            scope.spawn(|| {
                QueryEvaluator::new(&query, true)
                    .under(&control)
                    .hit(game, 1)
            });
            std::thread::sleep(Duration::from_millis(2));
            told.stop();
        });
        assert!(control.reason().is_none());
    }
}

#[test]
fn an_honest_question_of_a_long_game_is_answered_whole() {
    let game = long_game();
    let query = Query::parse(
        "some[x]:\"N\" men:\"$x attacked-by p\"",
        QueryContext::default(),
    );
    let query = query.expect("a query");
    let control = Control::default();
    let hit = QueryEvaluator::new(&query, true)
        .under(&control)
        .hit(game, 1);
    assert!(hit.is_none() && control.completion().is_whole());
}
