//! A month of games: it is decompressed as it comes, and continues where it was cut off.

use std::path::Path;
use std::sync::{Arc, Mutex};

use sha2::{Digest as _, Sha256};
use tabiya::Target;
use tabiya_fetch::{FetchError, FetchReport, FetchSite, FetchSource, fetch_dump};
use tabiya_model::Control;

use crate::stand_in::{Asked, Reply, StandIn};
use crate::{games, settings, values};

const PLACE: &str = "/standard/lichess_db_standard_rated_2026-10.pgn.zst";
const SUMS: &str = "/standard/sha256sums.txt";

/// So many games as PGN.
fn pgn(count: usize) -> String {
    let mut text = String::new();
    for game in 0..count {
        let rating = 1_500 + game % 1_000;
        text.push_str(&format!(
            "[Event \"Rated blitz game\"]\n[Site \"https://lichess.org/{game:08}\"]\n[White \"A{}\"]\n[Black \"B{game}\"]\n[Result \"1-0\"]\n\
             [WhiteElo \"{rating}\"]\n\n1. e4 {{ [%clk 0:03:00] }} 1... e5 2. Nf3 1-0\n\n",
            game * 7 % 13,
        ));
    }
    text
}

/// So many games, compressed.
fn month(count: usize) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let plain = folder.path().join("month.pgn");
    let packed = folder.path().join("month.pgn.zst");
    std::fs::write(&plain, pgn(count)).expect("written");
    let bases = tabiya::open(&plain).expect("games");
    let target = Target::new(&packed, None, Default::default()).expect("a target");
    let control = Control::default();
    tabiya::convert::convert(&bases, &target, &Default::default(), &control).expect("packed");
    std::fs::read(&packed).expect("packed")
}

/// The list of checksums of a site with this month.
fn checksums(month: &[u8]) -> String {
    let digest = Sha256::digest(month);
    let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let zeros = "0".repeat(64);
    format!(
        "{zeros}  lichess_db_standard_rated_2026-09.pgn.zst\n{digits}  lichess_db_standard_rated_2026-10.pgn.zst\n"
    )
}

/// What a site with this month answers, and after how many bytes of an answer it is cut.
fn answer(asked: &Asked, month: &[u8], etag: &str, cut: Option<usize>) -> Reply {
    if asked.path == SUMS {
        return Reply::new(200, "text/plain", checksums(month));
    }
    if asked.path != PLACE {
        return Reply::new(404, "text/html", "<html>no</html>");
    }
    let start = asked.header("range").map(|range| {
        assert_eq!(asked.header("if-none-match"), None);
        let start = range.strip_prefix("bytes=").expect("bytes");
        let start = start.strip_suffix('-').expect("to the end");
        start.parse::<usize>().expect("a number")
    });
    let start = start.filter(|_| asked.header("if-range") == Some(etag));
    let reply = match start {
        Some(start) if start >= month.len() => Reply::new(416, "text/plain", ""),
        Some(start) => {
            let part = format!("bytes {start}-{}/{}", month.len() - 1, month.len());
            Reply::new(206, "application/zstd", &month[start..]).with("Content-Range", &part)
        }
        None => Reply::new(200, "application/zstd", month),
    };
    Reply {
        cut,
        ..reply.with("ETag", etag)
    }
}

/// The requests for the month itself.
fn asked_for_month(server: &StandIn) -> Vec<Asked> {
    let mut asked = server.take();
    asked.retain(|asked| asked.path == PLACE);
    asked
}

fn fetch(base: &Path, query: Option<&str>, server: &StandIn) -> Result<FetchReport, FetchError> {
    let source = FetchSource::dump("2026-10").expect("a month");
    let settings = settings(FetchSite::Dumps, server);
    fetch_dump(&source, base, query, settings, &Control::default())
}

/// The names in a folder.
fn files(folder: &Path) -> Vec<String> {
    let all = std::fs::read_dir(folder).expect("a folder");
    let names = all.map(|entry| entry.expect("a file").file_name());
    let mut names: Vec<String> = names
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn a_month_goes_on_where_it_was_cut_off() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let packed = month(20_000);
    let cuts = Arc::new(Mutex::new(vec![
        Some(packed.len() / 3),
        Some(packed.len() / 4),
        Some(0),
    ]));
    let (behind, left) = (packed.clone(), Arc::clone(&cuts));
    let server = StandIn::start(move |asked| {
        let mut cuts = left.lock().expect("a lock");
        let cut = match asked.path == PLACE && !cuts.is_empty() {
            true => cuts.remove(0),
            false => None,
        };
        answer(asked, &behind, "\"one\"", cut)
    });
    let base = at.join("month.si5");
    for _ in 0..3 {
        let error = fetch(&base, None, &server).expect_err("it is cut off");
        assert!(matches!(error, FetchError::Cut { .. }), "{error}");
        assert!(!base.exists(), "half a month is no base");
    }
    let report = fetch(&base, None, &server).expect("the rest");
    assert_eq!((report.added, report.requests), (20_000, 2));
    assert_eq!(report.notes, Vec::<String>::new());
    assert_eq!(server.most_at_once(), 1);
    let ranges: Vec<Option<String>> = asked_for_month(&server)
        .iter()
        .map(|asked| asked.header("range").map(str::to_owned))
        .collect();
    let second = packed.len() / 3;
    let third = second + packed.len() / 4;
    assert_eq!(
        ranges,
        [
            None,
            Some(format!("bytes={second}-")),
            Some(format!("bytes={third}-")),
            Some(format!("bytes={third}-")),
        ]
    );
    let found = games(&base);
    assert_eq!(found.len(), 20_000);
    assert_eq!(values(&found, "Site").len(), 20_000);
    let left: Vec<String> = files(at);
    assert!(left.iter().all(|name| !name.contains(".part")), "{left:?}");
    // It is the month as it was sent.
    let plain = at.join("plain.pgn");
    fetch(&plain, None, &server).expect("a month");
    let sent = at.join("sent.pgn.zst");
    std::fs::write(&sent, &packed).expect("written");
    let moves = |path: &Path| -> Vec<_> {
        let all = games(path);
        let all = all.iter();
        all.map(|game| (game.tags.clone(), game.tape.main_line().collect::<Vec<_>>()))
            .collect()
    };
    assert!(moves(&plain) == moves(&sent));
    server.take();
    // An existing base is not overwritten, and nothing is asked.
    let error = fetch(&base, None, &server).expect_err("it is there");
    assert!(matches!(error, FetchError::Usage(_)), "{error}");
    assert!(server.take().is_empty());
    // Only some of the games.
    let strong = at.join("strong.pgn");
    let report = fetch(&strong, Some("white-elo>=2400"), &server).expect("some");
    assert_eq!(report.added, 2_000);
    let error = fetch(&at.join("no.pgn"), Some("elo>=("), &server).expect_err("no query");
    assert!(matches!(error, FetchError::Usage(_)), "{error}");
}

#[test]
fn a_month_that_has_changed_meanwhile_begins_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let (old, new) = (month(3_000), month(4_000));
    let is_first = Arc::new(Mutex::new(true));
    let first = Arc::clone(&is_first);
    let behind = new.clone();
    let server = StandIn::start(move |asked| {
        let mut first = first.lock().expect("a lock");
        match *first {
            true => {
                *first = asked.path != PLACE;
                answer(
                    asked,
                    &old,
                    "\"one\"",
                    Some(old.len() / 2).filter(|_| !*first),
                )
            }
            false => answer(asked, &behind, "\"two\"", None),
        }
    });
    let base = at.join("month.pgn.gz");
    assert!(matches!(
        fetch(&base, None, &server),
        Err(FetchError::Cut { .. })
    ));
    let report = fetch(&base, None, &server).expect("the new one");
    assert_eq!(report.added, 4_000);
    assert_eq!(games(&base).len(), 4_000);
    // All of it came, and then something went wrong: it is not asked for again.
    let again = at.join("again.pgn");
    std::fs::write(at.join("again.pgn.part"), &new).expect("written");
    let state = format!(
        "{{\"schema\": \"tabiya-fetch-1\", \"sources\": [{{\"source\": \"dump 2026-10\", \"stamps\": {{\"{PLACE}\": {{\"etag\": \"\\\"two\\\"\"}}}}}}]}}"
    );
    std::fs::write(at.join("again.pgn.part.fetch"), state).expect("written");
    let report = fetch(&again, None, &server).expect("from what is here");
    assert_eq!((report.added, report.requests), (4_000, 2));
}

#[test]
fn what_is_no_month_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let replies = [
        (Reply::new(404, "text/plain", ""), "has no games of 2026-10"),
        (
            Reply::new(200, "text/html", "<html>login</html>"),
            "does not answer with the requested data",
        ),
        (
            Reply::new(200, "application/zstd", "no games"),
            "does not answer with compressed games",
        ),
        (Reply::new(500, "text/plain", ""), "status 500"),
    ];
    for (reply, sentence) in replies {
        let server = StandIn::start(move |_| reply.clone());
        let error = fetch(&at.join("month.si5"), None, &server).expect_err(sentence);
        assert!(error.to_string().contains(sentence), "{error}");
        assert_eq!(files(at), Vec::<String>::new(), "{sentence}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_and_leaves_no_base() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let packed = month(2_000);
    let server = StandIn::start(move |asked| answer(asked, &packed, "\"one\"", None));
    let base = at.join("month.si5");
    // What is written there finds no space.
    std::os::unix::fs::symlink("/dev/full", at.join("month.si5.part")).expect("a link");
    let error = fetch(&base, None, &server).expect_err("the disk is full");
    assert!(error.to_string().contains("No space left"), "{error}");
    assert!(error.to_string().contains("month.si5.part"), "{error}");
    assert!(!base.exists());
    std::fs::remove_file(at.join("month.si5.part")).expect("removed");
    assert_eq!(fetch(&base, None, &server).expect("a month").added, 2_000);
}

#[test]
fn a_damaged_month_never_becomes_a_base_and_is_downloaded_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let packed = month(3_000);
    let mut flipped = packed.clone();
    flipped[packed.len() / 2] ^= 0x10;
    // A bit that only the checksum sees; a stream that breaks; one that ends too early, and nobody says so.
    let plain = pgn(3_000).replacen("Rated", "Reted", 1).into_bytes();
    let early = packed[..packed.len() - 100].to_vec();
    for (name, sent) in [("plain", plain), ("flipped", flipped), ("early", early)] {
        let is_first = Arc::new(Mutex::new(true));
        let behind = packed.clone();
        let server = StandIn::start(move |asked| {
            let mut first = is_first.lock().expect("a lock");
            let is_broken = *first && asked.path == PLACE;
            *first &= asked.path != PLACE;
            match is_broken {
                true => Reply::new(200, "application/zstd", sent.clone()).with("ETag", "\"one\""),
                false => answer(asked, &behind, "\"one\"", None),
            }
        });
        let base = at.join(format!("{name}.si5"));
        let error = fetch(&base, None, &server).expect_err("damaged");
        assert!(matches!(error, FetchError::Damaged { .. }), "{error}");
        assert_eq!(files(at), Vec::<String>::new(), "{name}");
        let report = fetch(&base, None, &server).expect("sound");
        assert_eq!((report.added, report.notes.len()), (3_000, 0), "{name}");
        for file in files(at) {
            std::fs::remove_file(at.join(file)).expect("removed");
        }
    }
}

#[test]
fn a_month_without_a_checksum_is_said_to_be_unchecked() {
    let folder = tempfile::tempdir().expect("a folder");
    let packed = month(100);
    for (list, is_list) in [
        (Reply::new(404, "text/html", "<html>no</html>"), true),
        (Reply::new(200, "text/plain", "x other.zst\n"), true),
        (
            Reply::new(
                200,
                "text/plain",
                "abc  lichess_db_standard_rated_2026-10.pgn.zst\n",
            ),
            false,
        ),
        (
            Reply {
                endless: true,
                ..Reply::new(200, "text/plain", "0123456789abcdef  x\n".repeat(4_000))
            },
            false,
        ),
    ] {
        let behind = packed.clone();
        let server = StandIn::start(move |asked| match asked.path == SUMS {
            true => list.clone(),
            false => answer(asked, &behind, "\"one\"", None),
        });
        let base = folder.path().join("month.pgn");
        match (fetch(&base, None, &server), is_list) {
            (Ok(report), true) => {
                assert_eq!((report.added, report.notes.len()), (100, 1));
                std::fs::remove_file(&base).expect("removed");
            }
            (Err(FetchError::NotData { .. } | FetchError::TooLong { .. }), false) => {
                assert_eq!(files(folder.path()), Vec::<String>::new());
            }
            (other, _) => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_part_that_was_not_requested_is_refused_and_what_arrived_stays() {
    let folder = tempfile::tempdir().expect("a folder");
    let packed = month(3_000);
    let half = packed.len() / 2;
    let turn = Arc::new(Mutex::new(0));
    let behind = packed.clone();
    let server = StandIn::start(move |asked| {
        if asked.path != PLACE {
            return answer(asked, &behind, "\"one\"", None);
        }
        let mut turn = turn.lock().expect("a lock");
        *turn += 1;
        match *turn {
            1 => answer(asked, &behind, "\"one\"", Some(half)),
            2 => Reply::new(206, "application/zstd", &behind[half + 1..])
                .with("Content-Range", &format!("bytes {}-9/10", half + 1)),
            3 => Reply::new(206, "application/zstd", &behind[half..]),
            _ => answer(asked, &behind, "\"one\"", None),
        }
    });
    let base = folder.path().join("month.pgn");
    let ask = || fetch(&base, None, &server);
    assert!(matches!(ask(), Err(FetchError::Cut { .. })));
    for _ in 0..2 {
        assert!(matches!(ask(), Err(FetchError::NotData { .. })));
    }
    assert_eq!(ask().expect("the rest").added, 3_000);
    let ranges = asked_for_month(&server);
    let last = ranges.last().and_then(|asked| asked.header("range"));
    assert_eq!(last, Some(&format!("bytes={half}-")[..]));
}

#[test]
fn a_stopped_month_continues_and_leaves_no_base() {
    let folder = tempfile::tempdir().expect("a folder");
    let packed = month(3_000);
    let control = Control::default();
    let (stopping, behind) = (control.clone(), packed.clone());
    let server = StandIn::start(move |asked| {
        let reply = answer(asked, &behind, "\"one\"", None);
        if asked.path == PLACE {
            stopping.stop();
        }
        reply
    });
    let base = folder.path().join("month.si5");
    let source = FetchSource::dump("2026-10").expect("a month");
    let stopped = fetch_dump(
        &source,
        &base,
        None,
        settings(FetchSite::Dumps, &server),
        &control,
    );
    assert!(matches!(stopped, Err(FetchError::Stopped)), "{stopped:?}");
    assert!(!base.exists());
    assert_eq!(fetch(&base, None, &server).expect("a month").added, 3_000);
}
