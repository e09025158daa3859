//! The games of an account at chess.com.

use std::path::Path;
use std::sync::{Arc, Mutex};

use tabiya_fetch::{FetchError, FetchSite, FetchSource};

use crate::stand_in::{Asked, Reply, StandIn};
use crate::{fetch_with, games, settings, values};

/// Months with the numbers of their games; a game above a thousand has been looked through.
type Months = Arc<Mutex<Vec<(&'static str, Vec<u32>)>>>;

fn game(number: u32) -> String {
    let accuracies = match number > 1000 {
        true => r#""accuracies":{"white":90.5,"black":80},"#,
        false => "",
    };
    let number = number % 1000;
    let pgn = match number % 2 {
        0 => {
            r#""pgn":"[Event \"Live Chess\"]\n[Site \"Chess.com\"]\n[White \"SampleRook\"]\n[Black \"Other\"]\n[Result \"1-0\"]\n\n1. e4 {[%clk 0:02:59.9]} 1... e5 {[%clk 0:02:58]} 1-0\n","#
        }
        _ => "",
    };
    format!(
        concat!(
            r#"{{"url":"https://www.chess.com/game/live/{number}",{pgn}"time_control":"180","end_time":{end},"rated":true,{accuracies}"#,
            r#""tcn":"mC0K","uuid":"u-{number}","initial_setup":"","fen":"x","time_class":"blitz","rules":"chess","#,
            r#""white":{{"rating":1500,"result":"win","username":"SampleRook"}},"#,
            r#""black":{{"rating":1400,"result":"resigned","username":"Other"}}}}"#
        ),
        number = number,
        pgn = pgn,
        accuracies = accuracies,
        end = 1_714_500_000 + number,
    )
}

fn with_etag(asked: &Asked, body: String) -> Reply {
    let etag = format!("W/\"{}\"", body.len());
    if asked.header("if-none-match") == Some(&etag) {
        let mut reply = Reply::new(304, "application/json", "");
        reply.headers.push(("ETag", etag));
        return reply;
    }
    Reply::new(200, "application/json", body).with("ETag", &etag)
}

fn server(months: &Months) -> StandIn {
    let months = Arc::clone(months);
    StandIn::start(move |asked| {
        let months = months.lock().expect("a lock").clone();
        let place = asked.place();
        if place == "/pub/player/samplerook/games/archives" {
            let list: Vec<String> = months
                .iter()
                .map(|(month, _)| {
                    format!("\"https://api.chess.com/pub/player/samplerook/games/{month}\"")
                })
                .collect();
            return with_etag(asked, format!("{{\"archives\":[{}]}}", list.join(",")));
        }
        if let Some(month) = place.strip_prefix("/pub/player/samplerook/games/")
            && let Some((_, numbers)) = months.iter().find(|(known, _)| *known == month)
        {
            let list: Vec<String> = numbers.iter().map(|number| game(*number)).collect();
            return with_etag(asked, format!("{{\"games\":[{}]}}", list.join(",")));
        }
        // An account that has another name now.
        if place.starts_with("/pub/player/before/") {
            let now = asked.path.replace("/before/", "/samplerook/");
            return Reply::new(301, "text/plain", "").with("Location", &now);
        }
        Reply::new(
            404,
            "application/json",
            r#"{"code":0,"message":"User \"x\" not found."}"#,
        )
    })
}

fn ask(base: &Path, server: &StandIn, user: &str) -> Result<tabiya_fetch::FetchReport, FetchError> {
    let source = FetchSource::chesscom(user).expect("a name");
    fetch_with(base, settings(FetchSite::Chesscom, server), &source)
}

#[test]
fn months_that_are_over_are_asked_for_once() {
    let months: Months = Arc::new(Mutex::new(vec![
        ("2024/03", vec![1, 2, 3]),
        ("2024/04", vec![4, 5]),
        ("2024/05", vec![6]),
    ]));
    let server = server(&months);
    let folder = tempfile::tempdir().expect("a folder");
    let base = folder.path().join("mine.si5");
    let first = ask(&base, &server, "SampleRook").expect("fetched");
    assert_eq!((first.added, first.requests), (6, 4));
    server.take();
    // The second run: the list and the newest month, neither changed.
    let second = ask(&base, &server, "samplerook").expect("fetched");
    assert_eq!((second.added, second.renewed, second.requests), (0, 0, 2));
    for asked in server.take() {
        assert!(asked.header("if-none-match").is_some(), "{asked:?}");
    }
    // The newest month changes, a game of it is looked through, and another month begins.
    {
        let mut months = months.lock().expect("a lock");
        months[2].1 = vec![1006, 7];
        months.push(("2024/06", vec![8]));
    }
    let third = ask(&base, &server, "samplerook").expect("fetched");
    assert_eq!((third.added, third.renewed, third.requests), (2, 1, 3));
    let games = games(&base);
    assert_eq!(games.len(), 8);
    assert!(values(&games, "Link").values().all(|count| *count == 1));
    assert_eq!(values(&games, "WhiteAccuracy").get("90.5"), Some(&1));
    assert!(games.iter().all(|game| game.tape.plies() == 2));
    assert_eq!(server.most_at_once(), 1);
}

#[test]
fn a_renamed_account_is_followed_on_its_host_and_a_closed_one_is_told() {
    let months: Months = Arc::new(Mutex::new(vec![("2024/03", vec![1, 2])]));
    let server = server(&months);
    let folder = tempfile::tempdir().expect("a folder");
    let base = folder.path().join("mine.pgn");
    assert_eq!(ask(&base, &server, "before").expect("fetched").added, 2);
    let error = ask(&base, &server, "closed").expect_err("nobody");
    assert!(matches!(error, FetchError::NotThere { .. }), "{error}");
    months.lock().expect("a lock").clear();
    assert_eq!(ask(&base, &server, "samplerook").expect("fetched").added, 0);
}

#[test]
fn a_month_that_is_cut_adds_nothing_and_comes_the_next_time() {
    let months: Months = Arc::new(Mutex::new(vec![("2024/03", (1..50).collect())]));
    let whole = server(&months);
    let folder = tempfile::tempdir().expect("a folder");
    let text = game(1).repeat(3);
    let cut = StandIn::start(move |asked| match asked.place().ends_with("archives") {
        true => Reply::new(
            200,
            "application/json",
            r#"{"archives":["https://x/2024/03"]}"#,
        ),
        false => {
            let body = format!("{{\"games\":[{}", &text);
            Reply {
                cut: Some(body.len() / 2),
                ..Reply::new(200, "application/json", body)
            }
        }
    });
    let base = folder.path().join("mine.pgn");
    let error = ask(&base, &cut, "samplerook").expect_err("it was cut");
    assert!(matches!(error, FetchError::Cut { .. }), "{error}");
    assert!(!base.exists());
    assert_eq!(ask(&base, &whole, "samplerook").expect("fetched").added, 49);
}

#[test]
fn a_second_run_over_many_months_is_two_requests_without_an_answer() {
    let (years, games_of_month) = if tabiya_testing::is_full() {
        (10, 420)
    } else {
        (2, 105)
    };
    let names: Vec<String> = (0..years * 12)
        .map(|month| format!("{}/{:02}", 2014 + month / 12, month % 12 + 1))
        .collect();
    let count = names.len() * games_of_month;
    let behind = names.clone();
    // Each game has an address of its own in its month.
    let body = move |month: &str| {
        let list: Vec<String> = (0..games_of_month)
            .map(|at| {
                let of_month = format!("live/{}x", month.replace('/', ""));
                game(at as u32).replace("live/", &of_month)
            })
            .collect();
        format!("{{\"games\":[{}]}}", list.join(","))
    };
    let server = StandIn::start(move |asked| {
        let place = asked.place();
        let Some(end) = place.strip_prefix("/pub/player/samplerook/games/") else {
            return Reply::new(404, "text/plain", "");
        };
        if end == "archives" {
            let list: Vec<String> = behind
                .iter()
                .map(|month| format!("\"https://x/{month}\""))
                .collect();
            return with_etag(asked, format!("{{\"archives\":[{}]}}", list.join(",")));
        }
        assert!(behind.iter().any(|month| month == end), "{end}");
        with_etag(asked, body(end))
    });
    let folder = tempfile::tempdir().expect("a folder");
    let base = folder.path().join("mine.pgn");
    let first = ask(&base, &server, "SampleRook").expect("fetched");
    assert_eq!(first.added, count as u64);
    assert_eq!(server.take().len(), names.len() + 1);
    let before = std::fs::read(&base).expect("the base");
    let second = ask(&base, &server, "SampleRook").expect("fetched");
    assert_eq!((second.added, second.renewed, second.there), (0, 0, 0));
    let asked = server.take();
    assert_eq!(asked.len(), 2, "{asked:?}");
    assert!(
        asked
            .iter()
            .all(|asked| asked.header("if-none-match").is_some())
    );
    assert!(std::fs::read(&base).expect("the base") == before);
    let games = games(&base);
    assert_eq!(games.len(), count);
    assert!(values(&games, "Link").values().all(|count| *count == 1));
    assert_eq!(server.most_at_once(), 1);
}
