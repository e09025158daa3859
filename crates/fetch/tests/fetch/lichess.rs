//! The games of an account at Lichess.

use std::path::Path;
use std::sync::{Arc, Mutex};

use tabiya::edit::{EditOperation, edit};
use tabiya_fetch::{FetchError, FetchSite, FetchSource};
use tabiya_model::nag::Nag;
use tabiya_model::{Control, TapeOp};

use crate::stand_in::{Asked, Reply, StandIn};
use crate::{DAY, NOW, fetch_with, games, settings, values};

/// One game at the stand-in.
#[derive(Clone, Debug)]
pub(crate) struct SiteGame {
    pub(crate) id: String,
    pub(crate) began: u64,
    pub(crate) is_over: bool,
    pub(crate) is_analysed: bool,
}

const LINES: [&str; 4] = [
    "e4 e5 Nf3 Nc6 Bb5 a6",
    "d4 d5 c4 e6 Nc3 Nf6",
    "e4 c5 Nf3 d6 d4 cxd4",
    "c4 e5 Nc3 Nf6 g3 d5",
];

impl SiteGame {
    fn json(&self, at: usize) -> String {
        let SiteGame {
            id,
            began,
            is_over,
            is_analysed,
        } = self;
        let status = if *is_over { "resign" } else { "started" };
        let (analysis, loss) = match is_analysed {
            true => (
                r#","analysis":[{"eval":20},{"eval":31},{"eval":-5},{"eval":12},{"eval":0},{"eval":7}]"#,
                r#","analysis":{"inaccuracy":1,"mistake":0,"blunder":0,"acpl":20,"accuracy":95}"#,
            ),
            false => ("", ""),
        };
        format!(
            concat!(
                r#"{{"id":"{id}","rated":true,"variant":"standard","speed":"blitz","perf":"blitz","#,
                r#""createdAt":{began},"lastMoveAt":{last},"status":"{status}","players":{{"white":{{"user":{{"#,
                r#""name":"SampleRook","id":"samplerook"}},"rating":1500{loss}}},"black":{{"user":{{"name":"Other{at}","#,
                r#""id":"other{at}"}},"rating":1510{loss}}}}},"winner":"white","moves":"{moves}","#,
                r#""clocks":[30003,30003,29900,29800,29700,29600],"clock":{{"initial":300,"increment":0,"totalTime":300}}{analysis}}}"#,
                "\n"
            ),
            id = id,
            began = began,
            last = began + 60_000,
            status = status,
            loss = loss,
            at = at,
            moves = LINES[at % LINES.len()],
            analysis = analysis,
        )
    }
}

/// The account at the stand-in.
pub(crate) type Account = Arc<Mutex<Vec<SiteGame>>>;

/// An account with so many games, one a day, the last one yesterday; more than a thousand days ago, one an hour.
pub(crate) fn account(count: usize) -> Account {
    let began = |games_ago: u64| {
        let days = games_ago.min(1_000);
        NOW - DAY * days - DAY / 24 * (games_ago - days)
    };
    let games = (0..count)
        .map(|at| SiteGame {
            id: format!("gm{at:06}"),
            began: began((count - at) as u64),
            is_over: true,
            is_analysed: at % 3 == 0,
        })
        .collect();
    Arc::new(Mutex::new(games))
}

/// What Lichess answers.
pub(crate) fn answer(account: &Account, asked: &Asked) -> Reply {
    let games = account.lock().expect("a lock").clone();
    let all = games.iter().enumerate();
    let text: String = match (&asked.method[..], asked.place()) {
        ("GET", "/api/games/user/samplerook") => {
            assert_eq!(asked.value("sort"), Some("dateAsc"));
            let since = asked.value("since").and_then(|since| since.parse().ok());
            let is_ongoing_wanted = asked.value("ongoing") == Some("true");
            all.filter(|(_, game)| game.began >= since.unwrap_or(0))
                .filter(|(_, game)| game.is_over || is_ongoing_wanted)
                .map(|(at, game)| game.json(at))
                .collect()
        }
        ("POST", "/api/games/export/_ids") => {
            let ids: Vec<&str> = asked.body.split(',').collect();
            assert!(ids.len() <= 300, "{} ids", ids.len());
            all.filter(|(_, game)| ids.contains(&&game.id[..]))
                .map(|(at, game)| game.json(at))
                .collect()
        }
        ("GET", "/api/games/user/empty") => String::new(),
        _ => return Reply::new(404, "application/json", r#"{"error":"Not found"}"#),
    };
    Reply::new(200, "application/x-ndjson", text)
}

fn server(account: &Account) -> StandIn {
    let account = Arc::clone(account);
    StandIn::start(move |asked| answer(&account, asked))
}

fn rook() -> FetchSource {
    FetchSource::lichess("SampleRook").expect("a name")
}

fn assert_no_doubles(base: &Path, count: usize) {
    let games = games(base);
    assert_eq!(games.len(), count);
    assert!(values(&games, "GameId").values().all(|count| *count == 1));
}

#[test]
fn a_second_run_asks_only_for_what_is_new() {
    let count = if tabiya_testing::is_full() {
        50_000
    } else {
        2_500
    };
    let account = account(count);
    let server = server(&account);
    let folder = tempfile::tempdir().expect("a folder");
    let base = folder.path().join("mine.pgn");
    let ask =
        || fetch_with(&base, settings(FetchSite::Lichess, &server), &rook()).expect("fetched");
    let first = ask();
    assert_eq!(first.added, count as u64);
    assert_no_doubles(&base, count);
    server.take();
    let before = std::fs::read(&base).expect("the base");
    let second = ask();
    assert_eq!((second.added, second.renewed), (0, 0));
    assert_eq!(std::fs::read(&base).expect("the base"), before);
    let asked = server.take();
    assert_eq!(asked.len(), 2, "{asked:?}");
    // The newest game is the only one that comes again, and the others without an analysis of thirty days are named.
    let since = asked[0].value("since").map(str::to_owned);
    assert_eq!(since, Some((NOW - DAY).to_string()));
    let ids: Vec<&str> = asked[1].body.split(',').collect();
    let expected: Vec<String> = (count - 30..count - 1)
        .filter(|at| at % 3 != 0)
        .map(|at| format!("gm{at:06}"))
        .collect();
    assert_eq!(ids, expected);
    assert_eq!(server.most_at_once(), 1);
    // A new game.
    account.lock().expect("a lock").push(SiteGame {
        id: "gmNEW001".to_owned(),
        began: NOW - 1000,
        is_over: true,
        is_analysed: false,
    });
    assert_eq!(ask().added, 1);
    assert_no_doubles(&base, count + 1);
}

#[test]
fn a_game_that_was_analysed_later_is_renewed_and_what_the_user_wrote_stays() {
    for extension in ["pgn", "si5"] {
        let account = account(10);
        let server = server(&account);
        let folder = tempfile::tempdir().expect("a folder");
        let base = folder.path().join("mine").with_extension(extension);
        let ask =
            || fetch_with(&base, settings(FetchSite::Lichess, &server), &rook()).expect("fetched");
        assert_eq!(ask().added, 10);
        // One game gets a tag of the user's, another one a symbol.
        let set = EditOperation::Set {
            games: (8..9).into(),
            tags: vec![("Mood".to_owned(), "tired".to_owned())],
        };
        let opener = tabiya::Opener::default();
        edit(&opener, &base, &set, &Control::default()).expect("set");
        let mut annotated = games(&base)[8].clone();
        annotated.tape.push_nag(Nag(9));
        let replace = EditOperation::Replace {
            number: 9,
            game: Box::new(annotated),
            was: None,
        };
        edit(&opener, &base, &replace, &Control::default()).expect("replaced");
        for game in account.lock().expect("a lock").iter_mut() {
            game.is_analysed = true;
        }
        let report = ask();
        assert_eq!(report.added, 0);
        // Numbers 1, 4, 7 and 10 had their analysis; 9 has the symbol.
        assert_eq!(report.renewed, 5, "{extension}");
        assert_eq!(report.notes.len(), 1, "{:?}", report.notes);
        let games = games(&base);
        assert_eq!(games.len(), 10);
        assert_eq!(games[7].tags.value("Mood"), "tired");
        assert_eq!(games[7].tags.value("WhiteAccuracy"), "95");
        let has_eval = |at: usize| {
            let tape = &games[at].tape;
            let mut comments = tape.ops().filter_map(|op| match op {
                TapeOp::Comment(id) => Some(tape.text(id)),
                _ => None,
            });
            comments.any(|comment| comment.contains("[%eval"))
        };
        assert!((0..10).all(|at| has_eval(at) == (at != 8)));
        // And nothing changes any more.
        let report = ask();
        assert_eq!((report.added, report.renewed), (0, 0));
    }
}

#[test]
fn a_game_that_is_under_way_comes_when_it_is_over() {
    let account = account(5);
    account.lock().expect("a lock")[1].is_over = false;
    let server = server(&account);
    let folder = tempfile::tempdir().expect("a folder");
    let base = folder.path().join("mine.pgn");
    let ask =
        || fetch_with(&base, settings(FetchSite::Lichess, &server), &rook()).expect("fetched");
    assert_eq!(ask().added, 4);
    assert_eq!(ask().added, 0);
    account.lock().expect("a lock")[1].is_over = true;
    assert_eq!(ask().added, 1);
    assert_eq!(ask().added, 0);
    assert_no_doubles(&base, 5);
}

#[test]
fn after_a_cut_the_next_run_goes_on() {
    let account = account(3_000);
    let whole = server(&account);
    let folder = tempfile::tempdir().expect("a folder");
    let undisturbed = folder.path().join("whole.pgn");
    fetch_with(&undisturbed, settings(FetchSite::Lichess, &whole), &rook()).expect("fetched");
    let length = {
        let asked = Asked {
            method: "GET".to_owned(),
            path: "/api/games/user/samplerook?sort=dateAsc".to_owned(),
            ..Asked::default()
        };
        answer(&account, &asked).body.len()
    };
    for cut in [0, 1, 300, length / 2, length - 1] {
        let cuts = Arc::new(Mutex::new(Some(cut)));
        let (left, behind) = (Arc::clone(&cuts), Arc::clone(&account));
        let server = StandIn::start(move |asked| {
            let mut reply = answer(&behind, asked);
            reply.cut = left.lock().expect("a lock").take();
            reply
        });
        let base = folder.path().join(format!("cut{cut}.pgn"));
        let ask = || fetch_with(&base, settings(FetchSite::Lichess, &server), &rook());
        let error = ask().expect_err("the answer was cut");
        assert!(matches!(error, FetchError::Cut { .. }), "{error}");
        ask().expect("fetched");
        let text = |path: &Path| std::fs::read_to_string(path).expect("a base");
        assert!(text(&base) == text(&undisturbed), "cut after {cut}");
    }
}

#[test]
fn accounts_without_games_and_without_existence_are_told_apart() {
    let server = server(&account(1));
    let folder = tempfile::tempdir().expect("a folder");
    let base = folder.path().join("mine.pgn");
    let ask = |user: &str| {
        let source = FetchSource::lichess(user).expect("a name");
        fetch_with(&base, settings(FetchSite::Lichess, &server), &source)
    };
    assert_eq!(ask("empty").expect("an answer").added, 0);
    let error = ask("closed").expect_err("nobody");
    assert!(matches!(error, FetchError::NotThere { .. }), "{error}");
    assert!(games(&base).is_empty());
}

#[test]
fn several_accounts_and_games_of_others_share_a_base() {
    let account = account(4);
    let server = server(&account);
    let folder = tempfile::tempdir().expect("a folder");
    let base = folder.path().join("mine.pgn");
    // The user has one of the games already, from the site itself.
    let own = "[Event \"x\"]\n[Site \"https://lichess.org/gm000002\"]\n[White \"SampleRook\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n[Event \"club\"]\n[Site \"Paris\"]\n[Result \"*\"]\n\n1. d4 *\n\n";
    std::fs::write(&base, own).expect("written");
    let report =
        fetch_with(&base, settings(FetchSite::Lichess, &server), &rook()).expect("fetched");
    assert_eq!((report.added, report.there), (3, 1));
    let games = games(&base);
    assert_eq!(games.len(), 5);
    assert_eq!(
        values(&games, "FetchedFrom").get("lichess samplerook"),
        Some(&3)
    );
}

#[test]
fn a_game_that_a_base_cannot_hold_does_not_keep_the_others_out() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/lichess/ok/games.ndjson");
    let sample = std::fs::read(corpus).expect("a sample");
    let count = sample
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .count();
    let server = StandIn::start(move |asked| match asked.method == "GET" {
        true => Reply::new(200, "application/x-ndjson", sample.clone()),
        false => Reply::new(200, "application/x-ndjson", ""),
    });
    let folder = tempfile::tempdir().expect("a folder");
    let all = |name: &str| {
        let base = folder.path().join(name);
        let ask =
            || fetch_with(&base, settings(FetchSite::Lichess, &server), &rook()).expect("fetched");
        let (first, second) = (ask(), ask());
        assert_eq!(second.added, 0, "{name}");
        assert_eq!(games(&base).len() as u64, first.added, "{name}");
        (first.added, first.refused)
    };
    assert_eq!(all("mine.pgn"), (count as u64, 0));
    // Scid joins the comments of a game of a variant that it does not know.
    assert_eq!(all("mine.si5"), (count as u64 - 1, 1));
}
