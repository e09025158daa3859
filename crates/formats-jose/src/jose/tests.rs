//! Whole databases, compared with their known content.

use std::path::{Path, PathBuf};

use tabiya_model::database::SinkWriter;
use tabiya_model::diff::diff;
use tabiya_model::{Block, Database, Diagnostics, Game, GameAspect, GameNeeds, Losses};

use super::FORMAT;
use super::moves::{JoseEncodedMoves, JoseMoveEncoder};
use super::oracle::{JosePlainGame, plain, plain_games, shared};
use tabiya_codec::format::{OpenOptions, WriteOptions};

fn open(path: &Path) -> Box<dyn Database> {
    (FORMAT.open.expect("it can be opened"))(path, &OpenOptions::default()).expect("opened")
}

/// All games in plain form, and every finding of games.
fn games_of(database: &dyn Database) -> (Vec<JosePlainGame>, Diagnostics) {
    let mut found = Diagnostics::with_cap(1000);
    let mut games = Vec::new();
    let mut source = database.source(None).expect("a source");
    tabiya_model::database::for_each_game(&mut *source, GameNeeds::ALL, |game| {
        found.append(&game.diagnostics);
        games.push(plain(game));
        Ok(())
    })
    .expect("read");
    (games, found)
}

/// The games with complete roster tags, and tags sorted by name.
fn folded(mut games: Vec<JosePlainGame>) -> Vec<JosePlainGame> {
    for game in &mut games {
        for (name, value) in [
            ("Event", "?"),
            ("Site", "?"),
            ("Date", "????.??.??"),
            ("Round", "?"),
            ("White", "?"),
            ("Black", "?"),
        ] {
            if !game.tags.iter().any(|(tag, _)| tag == name) {
                game.tags.push((name.to_owned(), value.to_owned()));
            }
        }
        game.tags.sort();
    }
    games
}

fn compare(database: &str, expected: &str, count: usize) {
    let (Some(path), Some(pgn)) = (shared(database), shared(expected)) else {
        return;
    };
    let database = open(&path);
    let problems: Vec<_> = database
        .diagnostics()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(problems, Vec::<String>::new());
    let (games, found) = games_of(&*database);
    let wanted = plain_games(&std::fs::read_to_string(pgn).expect("readable"));
    assert_eq!(games.len(), count);
    assert_eq!(wanted.len(), count);
    let strange: Vec<_> = found
        .iter()
        .filter(|d| !["jose-slipped-date", "jose-illegal-move"].contains(&d.code.name))
        .map(ToString::to_string)
        .collect();
    assert_eq!(strange, Vec::<String>::new());
    for (number, (game, wanted)) in folded(games).iter().zip(&folded(wanted)).enumerate() {
        assert_eq!(game, wanted, "game {}", number + 1);
    }
    assert_eq!(database.len().expect("counted"), count as u64);
}

#[test]
fn the_real_archive_is_read() {
    compare(
        "oracles/jose/first5000.jose",
        "oracles/jose/first5000.expected.pgn",
        5000,
    );
}

#[test]
fn the_live_folder_is_read() {
    compare(
        "oracles/jose/livedb",
        "oracles/jose/livedb.expected.pgn",
        140,
    );
}

#[test]
fn both_dumps_are_read() {
    for dump in ["oracles/jose/dump.sql", "oracles/jose/dump-hexblob.sql"] {
        compare(dump, "oracles/jose/livedb.expected.pgn", 140);
    }
}

#[test]
fn single_games_are_the_games_of_the_whole() {
    let Some(path) = shared("oracles/jose/dump.sql") else {
        return;
    };
    let database = open(&path);
    let (games, _) = games_of(&*database);
    let mut game = Game::default();
    for number in [140, 1, 77, 76, 2] {
        database
            .read(number, GameNeeds::ALL, &mut game)
            .expect("read");
        assert_eq!(game.origin.number, number);
        assert_eq!(plain(&game), games[number as usize - 1]);
    }
    assert!(database.read(0, GameNeeds::ALL, &mut game).is_err());
    assert!(database.read(141, GameNeeds::ALL, &mut game).is_err());
    let mut source = database.source(Some(100..103)).expect("a source");
    let mut block: Box<dyn Block> = source.next_block().expect("read").expect("a block");
    assert_eq!(block.first(), Some(100));
    for wanted in &games[99..102] {
        assert!(block.next(GameNeeds::ALL, &mut game).expect("read"));
        assert_eq!(plain(&game), *wanted);
    }
    assert!(!block.next(GameNeeds::ALL, &mut game).expect("read"));
}

/// Writes games through a format's sink; returns the losses.
fn write_all(games: &[Game], path: &Path) -> Losses {
    let sink =
        FORMAT.create.expect("it can be written")(path, &WriteOptions::default()).expect("created");
    let mut writer = SinkWriter::new(sink);
    let mut losses = Losses::default();
    for game in games {
        writer.write(game, &mut losses).expect("written");
    }
    writer.finish().expect("finished");
    losses
}

fn read_games(database: &dyn Database) -> Vec<Game> {
    let mut games = Vec::new();
    let mut source = database.source(None).expect("a source");
    tabiya_model::database::for_each_game(&mut *source, GameNeeds::ALL, |game| {
        games.push(game.clone());
        Ok(())
    })
    .expect("read");
    games
}

/// The law: the games read back equal the written ones, apart from reported losses.
fn round_trip(games: &[Game], what: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.sql");
    let losses = write_all(games, &path);
    let database = open(&path);
    let problems: Vec<_> = database
        .diagnostics()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(problems, Vec::<String>::new(), "{what}");
    let again = read_games(&*database);
    let mut again = again.iter();
    for game in games {
        let number = game.origin.number;
        let of_game: Vec<_> = losses.iter().filter(|loss| loss.game == number).collect();
        if of_game
            .iter()
            .any(|loss| loss.kind.aspect == GameAspect::Game)
        {
            continue;
        }
        let other = again.next().expect("as many games");
        for difference in diff(game, other) {
            assert!(
                of_game
                    .iter()
                    .any(|loss| loss.kind.aspect.explains(difference.aspect)),
                "{what} game {number}: {difference}"
            );
        }
        for finding in other.diagnostics.iter() {
            assert!(
                // A tag and the movetext may name two results.
                [
                    "jose-illegal-move",
                    "jose-error-marker",
                    "jose-derived-column"
                ]
                .contains(&finding.code.name),
                "{what} game {number}: {finding}"
            );
        }
    }
    assert!(again.next().is_none());
}

fn pgn_games(path: &Path, at_most: usize) -> Vec<Game> {
    let open = tabiya_formats_pgn::pgn::FORMAT
        .open
        .expect("PGN can be read");
    let database = open(path, &OpenOptions::default()).expect("opened");
    let end = at_most as u64 + 1;
    // Some files of the corpora are not PGN.
    let Ok(mut source) = database.source(Some(1..end)) else {
        return Vec::new();
    };
    let mut games = Vec::new();
    tabiya_model::database::for_each_game(&mut *source, GameNeeds::ALL, |game| {
        games.push(game.clone());
        Ok(())
    })
    .expect("read");
    for (number, game) in (1..).zip(&mut games) {
        game.origin.number = number;
    }
    games
}

#[test]
fn what_is_written_comes_back() {
    let mut count = 0;
    for name in [
        "annotated",
        "fen",
        "promotions",
        "real",
        "quirks",
        "first5000.expected",
    ] {
        if let Some(path) = shared(format!("oracles/jose/{name}.pgn")) {
            let games = pgn_games(&path, 5000);
            count += games.len();
            round_trip(&games, name);
        }
    }
    for name in ["annotated", "annotated-human", "otb", "lichess-real"] {
        if let Some(path) = shared(format!("corpora/{name}.pgn.zst")) {
            let games = pgn_games(&path, 1000);
            count += games.len();
            round_trip(&games, name);
        }
    }
    assert!(count == 0 || count > 8000, "{count}");
}

#[test]
fn nasty_games_come_back_but_for_what_was_reported() {
    let Some(folder) = shared("corpora/nasty") else {
        return;
    };
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|e| e.expect("an entry").path())
        .collect();
    files.sort();
    let mut count = 0;
    for path in files {
        let games = pgn_games(&path, 30);
        count += games.len();
        round_trip(&games, &path.display().to_string());
    }
    assert!(count > 500, "{count}");
}

#[test]
fn encoding_the_pgn_of_others_gives_their_bytes() {
    let mut encoder = JoseMoveEncoder::default();
    let mut encoded = JoseEncodedMoves::default();
    for name in ["annotated", "fen", "promotions", "real"] {
        let (Some(pgn), Some(table)) = (
            shared(format!("oracles/jose/{name}.pgn")),
            shared(format!("oracles/jose/{name}.tsv")),
        ) else {
            return;
        };
        let rows = super::oracle::tsv(&std::fs::read_to_string(table).expect("readable"));
        let games = pgn_games(&pgn, 1000);
        assert_eq!(rows.len(), games.len());
        for (row, game) in rows.iter().zip(&games) {
            let mut losses = Losses::default();
            assert!(encoder.encode(game, &mut encoded, &mut losses));
            assert_eq!(
                encoded.bin,
                super::oracle::unhex(&row[5]),
                "{name} {}",
                row[0]
            );
            let comments = super::oracle::unhex(row.get(6).map_or("", |hex| hex));
            // The PGN of the real rows was made from them, with a space at both ends of each comment.
            let trimmed = |bytes: &[u8]| -> Vec<Vec<u8>> {
                let cut = |text: &[u8]| match name {
                    "real" => text.trim_ascii().to_vec(),
                    _ => text.to_vec(),
                };
                bytes.split(|&byte| byte == 0).map(cut).collect()
            };
            assert_eq!(
                trimmed(&encoded.comments),
                trimmed(&comments),
                "{name} {}",
                row[0]
            );
            assert_eq!(encoded.attributes.to_string(), row[2], "{name} {}", row[0]);
            assert_eq!(encoded.plies.to_string(), row[3], "{name} {}", row[0]);
        }
    }
}

fn sample(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/jose")).join(name)
}

/// The dump of the small sample is the same, byte for byte; `TABIYA_BLESS=1` writes it again.
#[test]
fn the_sample_dump_is_the_same() {
    let games = pgn_games(&sample("ok/small.expected.pgn"), 100);
    assert_eq!(games.len(), 6);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("small.sql");
    write_all(&games, &path);
    let written = std::fs::read(&path).expect("readable");
    if std::env::var_os("TABIYA_BLESS").is_some() {
        std::fs::write(sample("ok/small.sql"), &written).expect("written");
    }
    let wanted = std::fs::read(sample("ok/small.sql")).expect("readable");
    assert!(
        written == wanted,
        "run with TABIYA_BLESS=1 if this is meant"
    );
    round_trip(&games, "the sample");
}

/// The small sample in every container: files are discovered, so a new one only has to be put there.
#[test]
fn every_sample_is_read() {
    let expected = pgn_games(&sample("ok/small.expected.pgn"), 100);
    let mut paths: Vec<_> = std::fs::read_dir(sample("ok"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|e| e != "pgn" && e != "golden")
        })
        .collect();
    paths.sort();
    assert!(paths.len() >= 6);
    for path in paths {
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let head = std::fs::read(&path).expect("readable");
        let database = open(&path);
        let problems: Vec<_> = database
            .diagnostics()
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(problems, Vec::<String>::new(), "{name}");
        let games = read_games(&*database);
        // Every fifth id was deleted there, and the fifth game has one of them.
        let moved = name.starts_with("live");
        let wanted = expected
            .iter()
            .enumerate()
            .filter(|(at, _)| !moved || *at != 4);
        let mut found = games.iter();
        for (_, wanted) in wanted {
            let found = found
                .next()
                .unwrap_or_else(|| panic!("{name}: too few games"));
            let mut wanted = wanted.clone();
            if !name.starts_with("live") && !name.ends_with(".sql") {
                // Archives have no trash.
                wanted.tags.remove("ScidFlags");
            }
            assert_eq!(diff(&wanted, found), [], "{name}");
            assert!(found.diagnostics.is_empty(), "{name}");
        }
        assert!(found.next().is_none(), "{name}");
        // The same out of a pipe.
        let stream = FORMAT.stream.expect("a pipe can be read");
        let mut source = stream(
            Box::new(std::io::Cursor::new(head)),
            &OpenOptions::default(),
        )
        .expect("opened");
        let mut count = 0;
        tabiya_model::database::for_each_game(&mut *source, GameNeeds::ALL, |game| {
            assert_eq!(diff(game, &games[count]), []);
            count += 1;
            Ok(())
        })
        .expect("read");
        assert_eq!(count, games.len());
    }
}

#[test]
fn a_foreign_archive_says_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.jose");
    std::fs::write(&path, b"Rar!\x1A\x07\x00 and so on").expect("written");
    let open = FORMAT.open.expect("it can be opened");
    let error = open(&path, &OpenOptions::default())
        .map(|_| ())
        .expect_err("not read");
    assert!(error.to_string().contains("unpack the archive"), "{error}");
    for other in [&b""[..], b"1. e4 e5 *", b"SELECT 1;", &[0; 2000]] {
        std::fs::write(&path, other).expect("written");
        let error = open(&path, &OpenOptions::default())
            .map(|_| ())
            .expect_err("not read");
        assert_eq!(
            error.kind,
            tabiya_model::ErrorKind::NotThisFormat,
            "{error}"
        );
    }
}

#[test]
fn identity_is_told_by_content() {
    let identify = |path: &str, head: &[u8]| {
        let path = Path::new(path);
        let extension = path
            .extension()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let probe = tabiya_codec::format::FormatProbe {
            path: Some(path),
            extension: &extension,
            head,
            is_folder: path.is_dir(),
        };
        (FORMAT.identify)(&probe)
    };
    use tabiya_codec::format::ProbeAnswer::{Maybe, No, Yes};
    let tar = std::fs::read(sample("ok/plain-tar.jose")).expect("readable");
    assert_eq!(identify("x", &tar[..512]), Yes);
    assert_eq!(identify("x", b"h91AY&SY and so on, long enough"), Yes);
    assert_eq!(identify("x.jose", b"PK\x03\x04"), Yes);
    assert_eq!(identify("x.zip", b"PK\x03\x04"), No);
    assert_eq!(identify("x.txt", b"-- MySQL dump 10.13"), Yes);
    assert_eq!(identify("x.sql", b"hm"), Maybe);
    assert_eq!(identify("x.pgn", b"[Event \"x\"]"), No);
    assert_eq!(identify(env!("CARGO_MANIFEST_DIR"), b""), No);
}

/// Reads everything in a database; it may be damaged, but must not cause a failure.
fn survey(path: &Path) -> Option<usize> {
    let open = FORMAT.open.expect("it can be opened");
    let database = open(path, &OpenOptions::default()).ok()?;
    let mut count = 0;
    let mut source = database.source(None).expect("a source");
    tabiya_model::database::for_each_game(&mut *source, GameNeeds::ALL, |game| {
        assert_eq!(game.tape.depth(), 0);
        let _ = tabiya_model::canon_game::canon(game);
        count += 1;
        Ok(())
    })
    .expect("what was found once is found again");
    assert_eq!(database.len().expect("counted"), count as u64);
    Some(count)
}

#[test]
fn cut_and_flipped_dumps_keep_the_readable_games() {
    let dump = std::fs::read(sample("ok/small.sql")).expect("readable");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.sql");
    let mut whole = 0;
    for end in 0..dump.len() {
        std::fs::write(&path, &dump[..end]).expect("written");
        let found = survey(&path).unwrap_or(0);
        assert!(found <= 6);
        whole += usize::from(found == 6);
    }
    // The rows of the games precede those of the names.
    assert!(whole > 100, "{whole}");
    for at in (0..dump.len()).step_by(3) {
        let mut flipped = dump.clone();
        flipped[at] ^= 1 << (at % 8);
        std::fs::write(&path, &flipped).expect("written");
        // Damage in a row affects at most that row and the next one.
        let line = dump[..at]
            .iter()
            .rposition(|&b| b == b'\n')
            .map_or(0, |at| at + 1);
        let found = survey(&path);
        if dump[line] == b'(' {
            assert!(
                found.is_some_and(|found| found >= 4),
                "byte {at}: {found:?}"
            );
        }
    }
}

#[test]
fn cut_and_flipped_archives_do_no_harm() {
    let archive = std::fs::read(sample("ok/plain-tar.jose")).expect("readable");
    let packed = std::fs::read(sample("ok/gzip.jose")).expect("readable");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.jose");
    for end in (0..archive.len()).step_by(97) {
        std::fs::write(&path, &archive[..end]).expect("written");
        survey(&path);
    }
    for at in (0..archive.len())
        .step_by(31)
        .filter(|&at| archive[at] != 0)
    {
        let mut flipped = archive.clone();
        flipped[at] ^= 1 << (at % 8);
        std::fs::write(&path, &flipped).expect("written");
        survey(&path);
    }
    for end in (0..packed.len()).step_by(7) {
        std::fs::write(&path, &packed[..end]).expect("written");
        survey(&path);
    }
}

#[test]
fn a_cut_archive_is_told_by_what_is_gone() {
    let archive = std::fs::read(sample("ok/plain-tar.jose")).expect("readable");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.jose");
    std::fs::write(&path, &archive).expect("written");
    let whole = open(&path);
    assert!(whole.missing().is_empty(), "{:?}", whole.missing());
    let count = whole.len().expect("counted");
    let (mut opened, mut fewer) = (0, 0);
    // Everything after the last table is padding.
    let end = archive.iter().rposition(|byte| *byte != 0).expect("bytes");
    for end in (0..end).step_by(512) {
        std::fs::write(&path, &archive[..end]).expect("written");
        let open = FORMAT.open.expect("it can be opened");
        let Ok(cut) = open(&path, &OpenOptions::default()) else {
            continue;
        };
        opened += 1;
        let damage = cut.diagnostics().at_least(tabiya_model::Severity::Damage);
        assert!(damage > 0, "cut at {end}");
        let kinds: Vec<_> = cut.missing().iter().map(|loss| loss.kind.name).collect();
        if cut.len().expect("counted") < count {
            fewer += 1;
            assert!(kinds.contains(&"games-gone"), "cut at {end}: {kinds:?}");
        }
    }
    assert!(
        opened > 0 && fewer > 0,
        "{opened} opened, {fewer} with fewer games"
    );
}

#[test]
fn a_wrong_checksum_of_a_header_is_told_and_read_on() {
    let archive = std::fs::read(sample("ok/plain-tar.jose")).expect("readable");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.jose");
    std::fs::write(&path, &archive).expect("written");
    let (whole, _) = games_of(&*open(&path));
    let headers: Vec<usize> = (0..archive.len())
        .step_by(512)
        .filter(|at| archive.get(at + 257..at + 262) == Some(b"ustar"))
        .collect();
    assert!(headers.len() > 10);
    for at in headers {
        let mut damaged = archive.clone();
        // The modification time, which only the checksum covers.
        damaged[at + 140] ^= 1;
        std::fs::write(&path, &damaged).expect("written");
        let database = open(&path);
        let damage = database
            .diagnostics()
            .at_least(tabiya_model::Severity::Damage);
        assert_eq!(damage, 1, "header at {at}");
        assert_eq!(games_of(&*database).0, whole, "header at {at}");
        assert!(database.missing().is_empty());
    }
}

#[test]
fn tables_without_their_forms_or_partners() {
    // The files of the archive as a folder, with one after the other removed.
    let archive = sample("ok/plain-tar.jose");
    let members = tabiya_io::container::InputFiles::open(
        &archive,
        &tabiya_io::compression::UnpackLimits::default(),
    )
    .expect("opened");
    let mut files = Vec::new();
    for member in members {
        let mut member = member.expect("sound");
        let name = member.name().rsplit('/').next().expect("a name").to_owned();
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut member, &mut bytes).expect("read");
        files.push((name, bytes));
    }
    assert_eq!(files.len(), 21);
    let all = pgn_games(&sample("ok/small.expected.pgn"), 100);
    for missing in 0..=files.len() {
        let folder = tempfile::tempdir().expect("a folder");
        for (at, (name, bytes)) in files.iter().enumerate() {
            if at != missing {
                std::fs::write(folder.path().join(name), bytes).expect("written");
            }
        }
        let open = FORMAT.open.expect("it can be opened");
        let name = files.get(missing).map_or("nothing", |(name, _)| name);
        let opened = open(folder.path(), &OpenOptions::default());
        if name == "IO_Game.MYI" || name == "IO_Game.MYD" {
            assert!(opened.is_err(), "without {name}");
            continue;
        }
        let database = opened.unwrap_or_else(|error| panic!("without {name}: {error}"));
        let games = read_games(&*database);
        assert_eq!(games.len(), 6, "without {name}");
        if name == "nothing" || name.ends_with(".frm") {
            assert_eq!(database.diagnostics().counts().len(), 0, "without {name}");
            for (game, wanted) in games.iter().zip(&all) {
                let mut wanted = wanted.clone();
                wanted.tags.remove("ScidFlags");
                assert_eq!(diff(&wanted, game), [], "without {name}");
            }
        } else {
            assert!(
                database.diagnostics().counts().iter().any(|(_, n)| *n > 0),
                "without {name}"
            );
        }
    }
}

#[test]
fn nothing_that_is_read_is_written_to() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("small.sql");
    std::fs::copy(sample("ok/small.sql"), &path).expect("copied");
    let create = FORMAT.create.expect("it can be written");
    let options = WriteOptions {
        force: true,
        sources: vec![path.clone()],
        ..WriteOptions::default()
    };
    assert!(create(&path, &options).is_err());
    let before = std::fs::read(&path).expect("readable");
    survey(&path);
    assert_eq!(std::fs::read(&path).expect("readable"), before);
    assert_eq!(
        std::fs::read_dir(folder.path()).expect("a folder").count(),
        1
    );
    // A target that is abandoned leaves nothing.
    let other = folder.path().join("other.sql");
    drop(create(&other, &WriteOptions::default()).expect("created"));
    assert!(!other.exists());
    assert!(create(&folder.path().join("x.jose"), &WriteOptions::default()).is_err());
}

#[test]
fn a_dump_that_was_cut_between_two_statements_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games.sql");
    let mut sink = super::writer::create(&path, &WriteOptions::default()).expect("created");
    let mut encoder = sink.encoder();
    let mut losses = Losses::default();
    for number in 1..=3 {
        let mut game = Game::default();
        game.origin.number = number;
        game.tags.push("White", &format!("White {number}"));
        encoder.encode(&game, &mut losses);
    }
    sink.append(encoder.take(), 1, &mut losses).expect("taken");
    sink.finish().expect("completed");
    let whole = std::fs::read(&path).expect("read");
    let open = || {
        let open = super::FORMAT.open.expect("the format is read");
        let base = open(&path, &OpenOptions::default()).expect("opened");
        let told = base.diagnostics().count_of("jose-cut-dump");
        let gone: Vec<&str> = base.missing().iter().map(|loss| loss.kind.name).collect();
        (told, gone)
    };
    assert_eq!(open(), (0, Vec::new()));
    let ends: Vec<usize> = memchr::memmem::find_iter(&whole, b";\n")
        .map(|at| at + 2)
        .collect();
    for end in ends {
        if memchr::memmem::find(&whole[..end], b"INSERT INTO `Game`").is_none() {
            continue;
        }
        std::fs::write(&path, &whole[..end]).expect("written");
        let has_players = memchr::memmem::find(&whole[..end], b"INSERT INTO `Player`").is_some();
        let gone = if has_players {
            vec![]
        } else {
            vec!["names-gone"]
        };
        assert_eq!(open(), (1, gone), "cut at {end}");
    }
    // Tables of a server that were never unlocked.
    let mut locked = b"LOCK TABLES `Game` WRITE;\n".to_vec();
    locked.extend_from_slice(&whole);
    std::fs::write(&path, &locked).expect("written");
    assert_eq!(open().0, 1);
}
