//! The Week in Chess, rating lists, studies and broadcasts.

use std::path::Path;
use std::sync::{Arc, Mutex};

use tabiya::edit::{EditOperation, edit};
use tabiya_fetch::{
    FetchConflictChoice, FetchConflictSide, FetchError, FetchJob, FetchReport, FetchSite,
    FetchSource, fetch_ratings,
};
use tabiya_model::{Control, Game};

use crate::stand_in::{Reply, StandIn};
use crate::{fetch_with, games, settings, values};

/// An archive with one file that is not packed.
fn zip(name: &str, content: &[u8]) -> Vec<u8> {
    let mut crc = u32::MAX;
    for byte in content {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xedb8_8320 & (0_u32.wrapping_sub(crc & 1)));
        }
    }
    let mut common = Vec::new();
    for short in [20_u16, 0, 0, 0, 33] {
        common.extend(short.to_le_bytes());
    }
    for long in [!crc, content.len() as u32, content.len() as u32] {
        common.extend(long.to_le_bytes());
    }
    common.extend((name.len() as u16).to_le_bytes());
    common.extend(0_u16.to_le_bytes());
    let mut file = b"PK\x03\x04".to_vec();
    file.extend(&common);
    file.extend(name.as_bytes());
    file.extend(content);
    let start = file.len() as u32;
    file.extend(b"PK\x01\x02\x14\x00");
    file.extend(&common);
    file.extend([0; 14]);
    file.extend(name.as_bytes());
    let length = file.len() as u32 - start;
    file.extend(b"PK\x05\x06\x00\x00\x00\x00\x01\x00\x01\x00");
    file.extend(length.to_le_bytes());
    file.extend(start.to_le_bytes());
    file.extend([0; 2]);
    file
}

fn issue(number: u32) -> Vec<u8> {
    let mut text = String::new();
    for round in 1..=20 {
        text.push_str(&format!(
            "[Event \"Open {number}\"]\n[Site \"Town\"]\n[Date \"2026.01.01\"]\n[Round \"{round}\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n\n"
        ));
    }
    zip(&format!("twic{number}.pgn"), text.as_bytes())
}

#[test]
fn issues_come_once_and_new_ones_when_they_are_there() {
    let newest = Arc::new(Mutex::new(1652));
    let known = Arc::clone(&newest);
    let server = StandIn::start(move |asked| {
        let number = asked.path.strip_prefix("/zips/twic");
        let number = number.and_then(|rest| rest.strip_suffix("g.zip"));
        let number: u32 = number.and_then(|it| it.parse().ok()).unwrap_or(0);
        match (1640..=*known.lock().expect("a lock")).contains(&number) {
            true => Reply::new(200, "application/zip", issue(number)),
            false => Reply::new(404, "text/html", "<html>no</html>"),
        }
    });
    let folder = tempfile::tempdir().expect("a folder");
    let base = folder.path().join("twic.si5");
    let ask = |source: &FetchSource| -> Result<FetchReport, FetchError> {
        fetch_with(&base, settings(FetchSite::Twic, &server), source)
    };
    let error = ask(&FetchSource::Twic).expect_err("no issue to begin with");
    assert!(matches!(error, FetchError::Usage(_)), "{error}");
    assert_eq!(
        ask(&FetchSource::TwicIssues(1650, 1651))
            .expect("fetched")
            .added,
        40
    );
    let new = ask(&FetchSource::Twic).expect("fetched");
    assert_eq!((new.added, new.requests), (20, 2));
    let before = std::fs::read(&base).expect("the base");
    server.take();
    let nothing = ask(&FetchSource::Twic).expect("fetched");
    assert_eq!((nothing.added, nothing.requests), (0, 1));
    // That is the next issue, of which there is nothing to compare with.
    let asked = server.take();
    assert_eq!(asked[0].path, "/zips/twic1653g.zip");
    assert!(std::fs::read(&base).expect("the base") == before);
    *newest.lock().expect("a lock") = 1653;
    assert_eq!(ask(&FetchSource::Twic).expect("fetched").added, 20);
    // An issue that is there is not asked for again.
    let again = ask(&FetchSource::TwicIssues(1649, 1651)).expect("fetched");
    assert_eq!((again.added, again.requests), (20, 1));
    let missing = ask(&FetchSource::TwicIssues(1600, 1600)).expect("fetched");
    assert_eq!(missing.notes, ["there is no issue 1600"]);
    let games = games(&base);
    assert_eq!(games.len(), 100);
    let from = values(&games, "FetchedFrom");
    assert_eq!(from.len(), 5);
    assert!(from.values().all(|count| *count == 20), "{from:?}");
}

#[test]
fn an_issue_that_is_no_archive_or_is_cut_adds_nothing() {
    let whole = issue(1650);
    let replies = [
        Reply::new(200, "application/zip", "no archive at all"),
        Reply {
            cut: Some(whole.len() / 2),
            ..Reply::new(200, "application/zip", whole.clone())
        },
        Reply::new(200, "application/zip", whole[..whole.len() / 2].to_vec()),
    ];
    for reply in replies {
        let server = StandIn::start(move |_| reply.clone());
        let folder = tempfile::tempdir().expect("a folder");
        let base = folder.path().join("twic.pgn");
        let source = FetchSource::TwicIssues(1650, 1650);
        let error = fetch_with(&base, settings(FetchSite::Twic, &server), &source);
        let error = error.expect_err("no issue");
        assert!(
            matches!(error, FetchError::Cut { .. } | FetchError::NotData { .. }),
            "{error}"
        );
        assert!(!base.exists(), "no empty database is left");
    }
}

#[test]
fn a_database_that_was_deleted_is_fetched_anew() {
    let server = StandIn::start(|asked| match asked.path.as_str() {
        "/zips/twic1650g.zip" => Reply::new(200, "application/zip", issue(1650)),
        _ => Reply::new(404, "text/html", "<html>no</html>"),
    });
    let folder = tempfile::tempdir().expect("a folder");
    let base = folder.path().join("twic.pgn");
    let ask = |source: &FetchSource| fetch_with(&base, settings(FetchSite::Twic, &server), source);
    let source = FetchSource::TwicIssues(1650, 1650);
    assert_eq!(ask(&source).expect("fetched").added, 20);
    std::fs::remove_file(&base).expect("removed");
    let error = ask(&FetchSource::Twic).expect_err("no issue to begin with");
    assert!(matches!(error, FetchError::Usage(_)), "{error}");
    assert!(!base.exists());
    assert_eq!(ask(&source).expect("fetched").added, 20);
    assert_eq!(games(&base).len(), 20);
}

#[test]
fn a_database_without_games_is_made_where_a_site_has_none() {
    let server = StandIn::start(|_| Reply::new(404, "text/html", "<html>no</html>"));
    let folder = tempfile::tempdir().expect("a folder");
    let base = folder.path().join("twic.si5");
    let source = FetchSource::TwicIssues(1600, 1600);
    let fetched = fetch_with(&base, settings(FetchSite::Twic, &server), &source).expect("asked");
    assert_eq!(fetched.notes, ["there is no issue 1600"]);
    assert!(games(&base).is_empty());
    let odd = folder.path().join("twic.parquet");
    let error = fetch_with(&odd, settings(FetchSite::Twic, &server), &source);
    assert!(error.is_err(), "a database that cannot be changed");
    assert_eq!(
        server.take().len(),
        1,
        "it is refused before a site is asked"
    );
}

#[test]
fn a_rating_list_is_fetched_when_it_has_changed() {
    let list = Arc::new(Mutex::new(zip(
        "players_list_xml_foa.xml",
        b"<playerslist></playerslist>",
    )));
    let known = Arc::clone(&list);
    let server = StandIn::start(move |asked| {
        assert_eq!(asked.path, "/download/players_list_xml.zip");
        let list = known.lock().expect("a lock").clone();
        let date = format!("Mon, {:02} Nov 2026 00:00:00 GMT", list.len() % 28 + 1);
        let etag = format!("\"{}\"", list.len());
        let is_same = asked.header("if-modified-since") == Some(&date)
            && asked.header("if-none-match") == Some(&etag);
        match is_same {
            true => Reply::new(304, "application/zip", ""),
            false => Reply::new(200, "application/zip", list)
                .with("Last-Modified", &date)
                .with("ETag", &etag),
        }
    });
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("fide.zip");
    let ask = || {
        fetch_ratings(
            &file,
            settings(FetchSite::Fide, &server),
            &Control::default(),
        )
    };
    assert!(ask().expect("fetched").is_some());
    assert!(ask().expect("fetched").is_none());
    let asked = server.take();
    assert_eq!(asked.len(), 2);
    for name in ["if-none-match", "if-modified-since"] {
        let has = |asked: &crate::stand_in::Asked| asked.header(name).is_some();
        assert_eq!((has(&asked[0]), has(&asked[1])), (false, true), "{name}");
    }
    *list.lock().expect("a lock") =
        zip("players_list_xml_foa.xml", b"<playerslist> </playerslist>");
    assert!(ask().expect("fetched").is_some());
    let read = std::fs::read(&file).expect("the list");
    assert_eq!(read, *list.lock().expect("a lock"));
    // A page instead of the list leaves the list as it is.
    *list.lock().expect("a lock") = b"<html>maintenance</html>".to_vec();
    assert!(matches!(ask(), Err(FetchError::NotData { .. })));
    assert_eq!(std::fs::read(&file).expect("the list"), read);
}

fn chapter(id: &str, moves: &str) -> String {
    format!(
        "[Event \"Study: {id}\"]\n[Site \"https://lichess.org/study/AbCd1234/{id}\"]\n[Result \"*\"]\n[Variant \"Standard\"]\n[StudyName \"Study\"]\n[ChapterName \"{id}\"]\n[ChapterURL \"https://lichess.org/study/AbCd1234/{id}\"]\n\n{moves} *\n\n\n"
    )
}

fn comment(base: &Path, number: u64, text: &str) {
    let mut game: Game = games(base)[number as usize - 1].clone();
    game.tape.push_comment(text);
    let replace = EditOperation::Replace {
        number,
        game: Box::new(game),
        was: None,
    };
    edit(
        &tabiya::Opener::default(),
        base,
        &replace,
        &Control::default(),
    )
    .expect("replaced");
}

#[test]
fn chapters_change_where_only_one_side_has_changed_them() {
    // The second has no room for tags of its own, and keeps them in a comment.
    for name in ["study.pgn", "study.sql"] {
        change_chapters(name);
    }
}

fn change_chapters(name: &str) {
    let text = Arc::new(Mutex::new(
        ["1. e4 e5", "1. d4 d5", "1. c4 { a note }", "1. f4"]
            .iter()
            .zip(["chapter1", "chapter2", "chapter3", "chapter4"])
            .map(|(moves, id)| chapter(id, moves))
            .collect::<Vec<_>>(),
    ));
    let known = Arc::clone(&text);
    let server = StandIn::start(move |asked| match asked.place() {
        "/api/study/AbCd1234.pgn" => {
            let text = known.lock().expect("a lock").concat();
            Reply::new(200, "application/x-chess-pgn", text)
        }
        _ => Reply::new(404, "text/plain", ""),
    });
    let folder = tempfile::tempdir().expect("a folder");
    let base = folder.path().join(name);
    let source = FetchSource::study("https://lichess.org/study/AbCd1234").expect("an id");
    let ask = || fetch_with(&base, settings(FetchSite::Lichess, &server), &source);
    assert_eq!(ask().expect("fetched").added, 4);
    let same = ask().expect("fetched");
    assert_eq!((same.added, same.renewed, same.there), (0, 0, 4));
    // There: the first and the third. Here: the second and the third.
    {
        let mut text = text.lock().expect("a lock");
        text[0] = chapter("chapter1", "1. e4 e5 2. Nf3");
        text[2] = chapter("chapter3", "1. c4 { another note }");
        text.push(chapter("chapter5", "1. b3"));
    }
    comment(&base, 2, "mine");
    comment(&base, 3, "mine too");
    let report = ask().expect("fetched");
    assert_eq!((report.added, report.renewed, report.there), (1, 1, 2));
    assert_eq!(report.notes.len(), 1, "{:?}", report.notes);
    assert!(report.notes[0].contains("chapter3"), "{:?}", report.notes);
    // Both versions are shown.
    let [conflict] = &report.conflicts[..] else {
        panic!("{name}: {:?}", report.conflicts);
    };
    assert!(conflict.chapter.ends_with("/chapter3"), "{conflict:?}");
    assert_eq!(conflict.number, 3);
    assert!(conflict.here.contains("mine too"), "{conflict:?}");
    assert!(conflict.there.contains("another note"), "{conflict:?}");
    let differences = conflict.differences.join(" ");
    assert!(differences.contains("another note"), "{conflict:?}");
    let all = games(&base);
    assert_eq!(all.len(), 5);
    assert_eq!(all[0].tape.plies(), 3);
    let written = std::fs::read(&base).expect("the base");
    let written = String::from_utf8_lossy(&written);
    assert!(written.contains("mine too") && !written.contains("another note"));
    // A third look changes nothing more, and the conflict stays.
    let report = ask().expect("fetched");
    assert_eq!((report.added, report.renewed, report.there), (0, 0, 4));
    assert_eq!(report.conflicts.len(), 1, "{name}");
    // Somebody chooses the version there; another chapter is nobody's choice.
    let settle = |side, chapter: &str| {
        let choice = FetchConflictChoice {
            side,
            chapters: vec![chapter.to_owned()],
        };
        let mut job = FetchJob::open(
            &base,
            settings(FetchSite::Lichess, &server),
            &Control::default(),
        )
        .expect("a job");
        job.settle_study(&source, &choice).expect("settled")
    };
    let report = settle(FetchConflictSide::There, "chapter2");
    assert_eq!((report.conflicts.len(), report.renewed), (1, 0), "{name}");
    assert!(report.notes.iter().any(|note| note.contains("chapter2")));
    let report = settle(FetchConflictSide::There, "chapter3");
    assert_eq!((report.conflicts.len(), report.renewed), (0, 1), "{name}");
    assert_eq!(report.notes, Vec::<String>::new(), "{name}");
    let written = std::fs::read(&base).expect("the base");
    let written = String::from_utf8_lossy(&written);
    assert!(!written.contains("mine too") && written.contains("another note"));
    assert!(written.contains("mine"), "{name}: the other change stays");
    let report = ask().expect("fetched");
    assert_eq!((report.conflicts.len(), report.renewed), (0, 0), "{name}");
    // A choice without a conflict is told, although nothing is new there.
    let report = settle(FetchConflictSide::There, "chapter3");
    assert!(report.notes.iter().any(|note| note.contains("chapter3")));
    // What was given up can be had back.
    edit(
        &tabiya::Opener::default(),
        &base,
        &EditOperation::Undo,
        &Control::default(),
    )
    .expect("undone");
    let written = std::fs::read(&base).expect("the base");
    let written = String::from_utf8_lossy(&written);
    assert!(written.contains("mine too") && !written.contains("another note"));
    let error = fetch_with(
        &base,
        settings(FetchSite::Lichess, &server),
        &FetchSource::study("ZZZZ0000").expect("an id"),
    );
    assert!(matches!(error, Err(FetchError::NotThere { .. })));
}

#[test]
fn a_version_that_is_not_whole_here_is_kept_and_never_sent() {
    let text = Arc::new(Mutex::new(chapter("chapter1", "1. e4 e5")));
    let known = Arc::clone(&text);
    // Nothing else is asked of it: whoever sends a chapter fails.
    let server = StandIn::start(move |asked| match asked.place() {
        "/api/study/AbCd1234.pgn" => {
            let text = known.lock().expect("a lock").clone();
            Reply::new(200, "application/x-chess-pgn", text)
        }
        _ => Reply::new(404, "text/plain", ""),
    });
    let folder = tempfile::tempdir().expect("a folder");
    // It has no room for most tags, and keeps them in comments.
    let base = folder.path().join("study.cbh");
    let source = FetchSource::study("AbCd1234").expect("an id");
    let job = || {
        let settings = settings(FetchSite::Lichess, &server);
        FetchJob::open(&base, settings, &Control::default()).expect("a job")
    };
    assert_eq!(job().fetch(&source).expect("fetched").added, 1);
    comment(&base, 1, "mine");
    *text.lock().expect("a lock") = chapter("chapter1", "1. e4 e5 2. Nf3");
    assert_eq!(job().fetch(&source).expect("fetched").conflicts.len(), 1);
    let choice = FetchConflictChoice {
        side: FetchConflictSide::Here,
        chapters: vec!["chapter1".to_owned()],
    };
    let settled = job().settle_study(&source, &choice).expect("settled");
    assert_eq!((settled.conflicts.len(), settled.renewed), (0, 0));
    let fetched = job().fetch(&source).expect("fetched");
    assert_eq!((fetched.conflicts.len(), fetched.renewed), (0, 0));
    assert_eq!(games(&base)[0].tape.plies(), 2);
    assert_eq!(job().push_study(&source).expect("looked").sent, 0);
    // Changed once more it is not sent either, and that is told.
    comment(&base, 1, "and more");
    let looked = job().push_study(&source).expect("looked");
    assert_eq!((looked.sent, looked.conflicts.len()), (0, 0));
    assert!(
        looked.notes[0].contains("does not hold"),
        "{:?}",
        looked.notes
    );
}

/// A text out of a form.
pub(crate) fn unform(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digits: String = rest.by_ref().take(2).map(char::from).collect();
                u8::from_str_radix(&digits, 16).expect("digits")
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).expect("text")
}

#[test]
fn changed_chapters_are_sent_read_back_and_never_written_over() {
    let ids = ["chapter1", "chapter2", "chapter3"];
    let first = ["1. e4 e5", "1. d4 d5", "1. c4 c5"];
    let chapters: Vec<String> = ids
        .iter()
        .zip(first)
        .map(|(id, moves)| chapter(id, moves))
        .collect();
    let text = Arc::new(Mutex::new(chapters));
    // The site says that all is well, and makes nothing of it.
    let is_deaf = Arc::new(Mutex::new(false));
    let (known, deaf) = (Arc::clone(&text), Arc::clone(&is_deaf));
    let server = StandIn::start(move |asked| {
        let mut text = known.lock().expect("a lock");
        if asked.method == "GET" {
            return Reply::new(200, "application/x-chess-pgn", text.concat());
        }
        let place = asked
            .place()
            .strip_prefix("/api/study/AbCd1234/")
            .expect("a chapter");
        let (id, part) = place.split_once('/').expect("a part");
        let at = ids
            .iter()
            .position(|known| *known == id)
            .expect("a chapter");
        assert_eq!(
            asked.header("content-type"),
            Some("application/x-www-form-urlencoded")
        );
        let pgn = unform(asked.body.strip_prefix("pgn=").expect("PGN"));
        if *deaf.lock().expect("a lock") {
            return Reply::new(204, "text/plain", "");
        }
        match part {
            "moves" => {
                let (_, moves) = pgn.split_once("\n\n").expect("moves");
                text[at] = chapter(id, moves.trim().trim_end_matches('*').trim());
            }
            "tags" => {
                let head = text[at].replacen("[Variant", &format!("{}[Variant", pgn), 1);
                text[at] = head;
            }
            other => panic!("{other}"),
        }
        Reply::new(204, "text/plain", "")
    });
    let folder = tempfile::tempdir().expect("a folder");
    let base = folder.path().join("study.pgn");
    let source = FetchSource::study("AbCd1234").expect("an id");
    let job = || {
        let settings = settings(FetchSite::Lichess, &server);
        FetchJob::open(&base, settings, &Control::default()).expect("a job")
    };
    assert_eq!(job().fetch(&source).expect("fetched").added, 3);
    server.take();
    // Nothing was changed: one look, nothing sent.
    let nothing = job().push_study(&source).expect("looked");
    assert_eq!((nothing.sent, nothing.requests), (0, 1));
    comment(&base, 1, "A thought: 100% \u{e9} & more + \"so\"");
    let sent = job().push_study(&source).expect("sent");
    assert_eq!((sent.sent, sent.notes.len()), (1, 0), "{:?}", sent.notes);
    assert!(text.lock().expect("a lock")[0].contains("A thought: 100% \u{e9} & more + \"so\""));
    assert_eq!(
        text.lock().expect("a lock")[1],
        chapter("chapter2", "1. d4 d5")
    );
    // Both sides have changed the second one: it is not sent, and nothing is fetched over it.
    comment(&base, 2, "mine");
    let theirs = chapter("chapter2", "1. d4 d5 2. c4");
    text.lock().expect("a lock")[1].clone_from(&theirs);
    let conflict = job().push_study(&source).expect("looked");
    assert_eq!(conflict.sent, 0);
    assert!(
        conflict.notes[0].contains("chapter2"),
        "{:?}",
        conflict.notes
    );
    assert_eq!(text.lock().expect("a lock")[1], theirs);
    let both = &conflict.conflicts[0];
    assert!(
        both.here.contains("mine") && both.there.contains("2. c4"),
        "{both:?}"
    );
    // Somebody keeps the version here: then it is sent.
    let choice = FetchConflictChoice {
        side: FetchConflictSide::Here,
        chapters: Vec::new(),
    };
    let settled = job().settle_study(&source, &choice).expect("settled");
    assert_eq!((settled.conflicts.len(), settled.renewed), (0, 0));
    assert_eq!(text.lock().expect("a lock")[1], theirs);
    let sent = job().push_study(&source).expect("sent");
    assert_eq!((sent.sent, sent.notes.len()), (1, 0), "{:?}", sent.notes);
    let now = text.lock().expect("a lock")[1].clone();
    assert!(now.contains("mine") && !now.contains("2. c4"), "{now}");
    // The site makes nothing of what it gets: that is told.
    *is_deaf.lock().expect("a lock") = true;
    comment(&base, 3, "lost on the way");
    let lost = job().push_study(&source).expect("sent");
    assert_eq!(lost.sent, 0);
    assert!(
        lost.notes.iter().any(|note| note.contains("chapter3")),
        "{:?}",
        lost.notes
    );
    *is_deaf.lock().expect("a lock") = false;
    let again = job().push_study(&source).expect("sent");
    assert_eq!(again.sent, 1, "{:?}", again.notes);
    // What was sent is not fetched as something new.
    let fetched = job().fetch(&source).expect("fetched");
    assert_eq!((fetched.added, fetched.renewed), (0, 0));
    assert_eq!(server.most_at_once(), 1);
}

#[test]
fn all_studies_of_an_account_are_fetched_and_sent_back() {
    let other = |moves: &str| chapter("chapter9", moves).replace("AbCd1234", "EfGh5678");
    let text = Arc::new(Mutex::new([
        chapter("chapter1", "1. e4 e5"),
        other("1. d4 d5"),
    ]));
    let known = Arc::clone(&text);
    let server = StandIn::start(move |asked| {
        let mut text = known.lock().expect("a lock");
        match (&asked.method[..], asked.place()) {
            ("GET", "/api/study/by/samplerook/export.pgn") => {
                Reply::new(200, "application/x-chess-pgn", text.concat())
            }
            ("POST", "/api/study/EfGh5678/chapter9/moves") => {
                let pgn = unform(asked.body.strip_prefix("pgn=").expect("PGN"));
                let (_, moves) = pgn.split_once("\n\n").expect("moves");
                text[1] = other(moves.trim().trim_end_matches('*').trim());
                Reply::new(204, "text/plain", "")
            }
            _ => Reply::new(404, "text/plain", ""),
        }
    });
    let folder = tempfile::tempdir().expect("a folder");
    let base = folder.path().join("studies.pgn");
    let source = FetchSource::study("SampleRook").expect("an account");
    let job = || {
        let settings = settings(FetchSite::Lichess, &server);
        FetchJob::open(&base, settings, &Control::default()).expect("a job")
    };
    assert_eq!(job().fetch(&source).expect("fetched").added, 2);
    let again = job().fetch(&source).expect("fetched");
    assert_eq!((again.added, again.renewed, again.there), (0, 0, 2));
    comment(&base, 2, "mine");
    let sent = job().push_study(&source).expect("sent");
    assert_eq!(sent.sent, 1, "{:?}", sent.notes);
    assert!(text.lock().expect("a lock")[1].contains("mine"));
    // Tags that only say that nothing is known are none.
    let asked = server.take();
    assert!(asked.iter().all(|asked| !asked.place().ends_with("/tags")));
    let nobody = FetchSource::study("@nobody12").expect("an account");
    let error = job().fetch(&nobody).expect_err("nobody");
    assert!(matches!(error, FetchError::NotThere { .. }), "{error}");
    let listed = job().sources();
    assert_eq!(listed, [source]);
}

#[test]
fn what_a_database_tells_of_its_format_is_never_sent() {
    let sent = Arc::new(Mutex::new(Vec::new()));
    let behind = Arc::clone(&sent);
    let server = StandIn::start(move |asked| {
        if asked.method == "GET" {
            let long = "x".repeat(300);
            let text = chapter("chapter1", "1. e4 e5") + &chapter("chapter2", "1. d4");
            let text = text.replacen("[Variant", &format!("[Mood \"{long}\"]\n[Variant"), 1);
            return Reply::new(200, "application/x-chess-pgn", text);
        }
        behind.lock().expect("a lock").push(unform(&asked.body));
        Reply::new(204, "text/plain", "")
    });
    let folder = tempfile::tempdir().expect("a folder");
    let source = FetchSource::study("AbCd1234").expect("an id");
    for name in ["study.sql", "study.cbh", "study.si5"] {
        let base = folder.path().join(name);
        let job = || {
            let settings = settings(FetchSite::Lichess, &server);
            FetchJob::open(&base, settings, &Control::default()).expect("a job")
        };
        assert_eq!(job().fetch(&source).expect("fetched").added, 2, "{name}");
        let nothing = job().push_study(&source).expect("looked");
        assert_eq!((nothing.sent, nothing.requests), (0, 1), "{name}");
        assert!(sent.lock().expect("a lock").is_empty(), "{name}");
        comment(&base, 2, "mine");
        job().push_study(&source).expect("sent");
        for text in sent.lock().expect("a lock").drain(..) {
            let (_, moves) = text.split_once("\n\n").expect("moves");
            assert_eq!(moves.trim(), "1. d4 {mine} *", "{name}");
        }
    }
}

#[test]
fn games_of_a_broadcast_grow_and_are_never_doubled() {
    let game = |id: &str, moves: &str, result: &str| {
        format!(
            "[Event \"Cup\"]\n[Site \"?\"]\n[White \"A{id}\"]\n[Black \"B\"]\n[Result \"{result}\"]\n[WhiteFideId \"100\"]\n[BroadcastName \"Cup\"]\n[BroadcastURL \"https://lichess.org/broadcast/cup/round-1/R1\"]\n[GameURL \"https://lichess.org/broadcast/cup/round-1/R1/{id}\"]\n\n{moves} {result}\n\n\n"
        )
    };
    let text = Arc::new(Mutex::new(
        game("g1", "1. e4 { [%clk 1:00:00] }", "*") + &game("g2", "1. d4", "*"),
    ));
    let known = Arc::clone(&text);
    let server = StandIn::start(move |_| {
        Reply::new(
            200,
            "application/x-chess-pgn",
            known.lock().expect("a lock").clone(),
        )
    });
    let folder = tempfile::tempdir().expect("a folder");
    let base = folder.path().join("cup.si5");
    let source = FetchSource::broadcast("AbCd1234").expect("an id");
    let ask =
        || fetch_with(&base, settings(FetchSite::Lichess, &server), &source).expect("fetched");
    assert_eq!(ask().added, 2);
    assert_eq!(ask().there, 2);
    *text.lock().expect("a lock") = game("g1", "1. e4 { [%clk 1:00:00] } e5 2. Nf3", "1-0")
        + &game("g2", "1. d4", "*")
        + &game("g3", "", "*");
    let report = ask();
    assert_eq!((report.added, report.renewed, report.there), (1, 1, 1));
    let games = games(&base);
    assert_eq!(games.len(), 3);
    assert_eq!(games[0].tape.plies(), 3);
    assert_eq!(games[0].tags.value("Result"), "1-0");
    assert_eq!(games[0].tags.value("FetchedFrom"), "broadcast AbCd1234");
}

/// A game of a round as it stands.
fn round_game(id: &str, moves: &str, result: &str) -> String {
    format!(
        "[Event \"Cup\"]\n[Site \"?\"]\n[White \"A{id}\"]\n[Black \"B\"]\n[Result \"{result}\"]\n[BroadcastName \"Cup\"]\n[GameURL \"https://lichess.org/broadcast/cup/round-1/AbCd1234/{id}\"]\n\n{moves} {result}\n\n\n"
    )
}

#[test]
fn a_round_is_followed_to_its_end_and_taken_up_where_it_is_cut_off() {
    let start = round_game("g1", "", "*") + &round_game("g2", "1. d4", "*");
    let first = start.clone()
        + &round_game("g1", "1. e4", "*")
        + "\n\n"
        + &round_game("g1", "1. e4 e5", "*")
        + &round_game("g2", "1. d4 d5", "1/2-1/2");
    // The last move of the first game was wrong, and is taken back.
    let second = round_game("g1", "1. e4 e5 2. Nf3", "*")
        + &round_game("g1", "1. e4 c5", "*")
        + &round_game("g1", "1. e4 e5 2. Nf3", "*")
        + &round_game("g2", "1. d4 d5", "1/2-1/2")
        + round_game("g1", "1. e4 e5 2. Nf3 Nc6", "1-0").trim_end();
    let times = Arc::new(Mutex::new(0));
    let asked_before = Arc::clone(&times);
    let server = StandIn::start(move |asked| {
        if asked.place() != "/api/stream/broadcast/round/AbCd1234.pgn" {
            return Reply::new(404, "text/plain", "");
        }
        let mut times = asked_before.lock().expect("a lock");
        *times += 1;
        match *times {
            // In the middle of a game.
            1 => Reply {
                cut: Some(first.len() - 30),
                ..Reply::new(200, "application/x-chess-pgn", first.clone())
            },
            _ => Reply::new(200, "application/x-chess-pgn", second.clone()),
        }
    });
    let folder = tempfile::tempdir().expect("a folder");
    let base = folder.path().join("cup.pgn");
    let round = FetchSource::broadcast("https://lichess.org/broadcast/cup/round-1/AbCd1234");
    let round = round.expect("an id");
    let job = || {
        let settings = settings(FetchSite::Lichess, &server);
        FetchJob::open(&base, settings, &Control::default()).expect("a job")
    };
    let report = job().follow_round(&round).expect("followed");
    assert_eq!((report.added, report.requests), (2, 2));
    let all = games(&base);
    let plies: Vec<usize> = all.iter().map(|game| game.tape.plies()).collect();
    let results: Vec<&str> = all.iter().map(|game| game.tags.value("Result")).collect();
    assert_eq!(
        (&plies[..], &results[..]),
        (&[4, 2][..], &["1-0", "1/2-1/2"][..])
    );
    // Followed again, nothing changes.
    let again = job().follow_round(&round).expect("followed");
    assert_eq!((again.added, again.renewed), (0, 0));
    let missing = FetchSource::broadcast("ZZZZ0000").expect("an id");
    let error = job().follow_round(&missing).expect_err("no such round");
    assert!(matches!(error, FetchError::NotThere { .. }), "{error}");
}
