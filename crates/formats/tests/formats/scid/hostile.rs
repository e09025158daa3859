//! Damage: every truncation and every flipped byte gives a diagnostic or an error, and has no other effect.

use std::path::{Path, PathBuf};

use tabiya_formats::format::OpenOptions;
use tabiya_formats::scid::{ScidReader, ScidVersion, salvage};
use tabiya_model::board::Board;
use tabiya_model::facts::FactFields;
use tabiya_model::game::StartingPosition;
use tabiya_model::nag::Nag;
use tabiya_model::outcome::Outcome;
use tabiya_model::{Database, Game, GameNeeds};

use crate::scid::law;

/// A few small games with everything in them.
fn games() -> Vec<Game> {
    let mut list = Vec::new();
    for number in 1..=4_u64 {
        let mut game = Game::default();
        game.origin.number = number;
        for (name, value) in [
            ("Event", "Test"),
            ("Site", "Nowhere"),
            ("Date", "2001.02.03"),
            ("Round", "1.2"),
            ("White", "Alpha, A"),
            ("Black", if number == 2 { "Beta" } else { "Alpha, B" }),
            ("Result", "1-0"),
            ("WhiteElo", "2500"),
            ("ECO", "C20"),
            ("EventDate", "2001.02.01"),
            ("ScidFlags", "D1"),
            ("Annotator", "Somebody"),
            ("Mood", "fine"),
        ] {
            game.tags.push(name, value);
        }
        game.outcome = Some(Outcome::WhiteWins);
        let mut board = Board::standard();
        if number == 3 {
            let fen = "4k3/P7/8/8/8/8/8/4K2R w K - 0 1";
            let (set_up, problems) = Board::from_fen(fen).expect("a position");
            board = set_up.clone();
            game.start = StartingPosition::Setup(Box::new(set_up), problems);
            game.tags.push("FEN", fen);
        }
        let line: &[&str] = if number == 3 {
            &["a7a8q", "e8d7", "e1h1"]
        } else {
            &["e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7"]
        };
        game.tape.push_comment("before");
        for (at, uci) in line.iter().enumerate() {
            let m = board.parse_uci(uci.as_bytes()).expect("a move");
            game.tape.push_move(m);
            if at == 1 {
                game.tape.push_nag(Nag(1));
                game.tape.push_nag(Nag(15));
                game.tape.push_comment("a comment");
                game.tape.begin_variation();
                let other = if number == 3 { "e8e7" } else { "c7c5" };
                game.tape
                    .push_move(board.parse_uci(other.as_bytes()).expect("a move"));
                game.tape.end_variation();
            }
            board.play(m);
        }
        list.push(game);
    }
    list
}

fn small_base(version: ScidVersion, folder: &Path) -> PathBuf {
    let path = folder.join("small").with_extension(version.extensions()[0]);
    let losses = law::write(version, &path, &games());
    assert!(losses.iter().all(|losses| losses.is_empty()), "{losses:?}");
    path
}

/// Reads everything that is there; returns the number of findings, or `None` if the database is refused.
fn read_all(path: &Path, mmap: bool, rescue: bool) -> Option<u64> {
    let options = OpenOptions {
        audit: true,
        mmap,
        ..OpenOptions::default()
    };
    let base: Box<dyn Database> = if rescue {
        salvage::salvage(path, &options).ok()?
    } else {
        Box::new(ScidReader::open(path, &options).ok()?)
    };
    let counts =
        |found: &tabiya_model::Diagnostics| found.counts().iter().map(|(_, n)| n).sum::<u64>();
    let mut found = counts(&base.diagnostics());
    let mut game = Game::default();
    for number in 1..=base.len().expect("counted") {
        for want in [GameNeeds::ALL, GameNeeds::MAIN_LINE, GameNeeds::TAGS] {
            base.read(number, want, &mut game).expect("read");
            if want == GameNeeds::ALL {
                found += counts(&game.diagnostics);
            }
        }
        let facts = base.facts().expect("facts");
        assert!(facts.fact(number, FactFields::ALL).is_some());
    }
    base.info();
    Some(found)
}

#[test]
fn a_sound_base_has_no_findings() {
    let folder = tempfile::tempdir().expect("a folder");
    for version in [ScidVersion::Si4, ScidVersion::Si5] {
        let path = small_base(version, folder.path());
        for mmap in [true, false] {
            assert_eq!(read_all(&path, mmap, false), Some(0));
            assert_eq!(read_all(&path, mmap, true), Some(0));
        }
    }
}

#[test]
fn every_truncation_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    for version in [ScidVersion::Si4, ScidVersion::Si5] {
        let path = small_base(version, folder.path());
        for extension in version.extensions() {
            let file = path.with_extension(extension);
            let whole = std::fs::read(&file).expect("read");
            for length in 0..whole.len() {
                std::fs::write(&file, &whole[..length]).expect("written");
                let told = read_all(&path, true, false).is_none_or(|found| found > 0);
                // Files of si5 have neither header nor end: a file that ends between two entries, or of which no name is
                // used any more, is complete. The former shows by bytes without a game.
                let between = version == ScidVersion::Si5 && extension == "si5" && length % 56 == 0;
                assert!(
                    told || (between && length == 0),
                    "{extension} cut at {length}"
                );
                assert!(
                    read_all(&path, true, true).is_some(),
                    "{extension} cut at {length}"
                );
            }
            std::fs::write(&file, &whole).expect("written");
        }
    }
}

#[test]
fn every_flipped_byte_is_survived() {
    let folder = tempfile::tempdir().expect("a folder");
    for version in [ScidVersion::Si4, ScidVersion::Si5] {
        let path = small_base(version, folder.path());
        for extension in version.extensions() {
            let file = path.with_extension(extension);
            let whole = std::fs::read(&file).expect("read");
            for at in 0..whole.len() {
                for mask in [0x01, 0x80, 0xff] {
                    let mut flipped = whole.clone();
                    flipped[at] ^= mask;
                    std::fs::write(&file, &flipped).expect("written");
                    read_all(&path, true, false);
                    assert!(read_all(&path, true, true).is_some(), "{extension} at {at}");
                }
            }
            std::fs::write(&file, &whole).expect("written");
        }
    }
}

#[test]
fn names_that_nobody_asked_for_are_met_by_nobody() {
    let folder = tempfile::tempdir().expect("a folder");
    for version in [ScidVersion::Si4, ScidVersion::Si5] {
        let path = small_base(version, folder.path());
        let names = path.with_extension(version.extensions()[2]);
        let whole = std::fs::read(&names).expect("read");
        std::fs::write(&names, &whole[..whole.len() / 2]).expect("written");
        let base = ScidReader::open(&path, &OpenOptions::default()).expect("opened");
        assert!(base.met().is_empty(), "{version:?}: {:?}", base.met());
        let mut game = Game::default();
        base.read(1, GameNeeds::ALL, &mut game).expect("read");
        let met = base.met();
        assert_eq!(met.count_of("scid-bad-names"), 1, "{version:?}: {met:?}");
        assert_eq!(met.counts(), base.diagnostics().counts());
    }
}

/// The movetexts of all games of a database.
fn tapes(base: &dyn Database) -> Vec<tabiya_model::Tape> {
    let mut game = Game::default();
    (1..=base.len().expect("counted"))
        .map(|number| {
            base.read(number, GameNeeds::ALL, &mut game).expect("read");
            game.tape.clone()
        })
        .collect()
}

#[test]
fn games_are_rescued_without_index_or_names() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = OpenOptions::default();
    for version in [ScidVersion::Si4, ScidVersion::Si5] {
        let path = small_base(version, folder.path());
        let expected = tapes(&ScidReader::open(&path, &options).expect("opened"));
        let [index, games, names] = version
            .extensions()
            .map(|extension| path.with_extension(extension));
        std::fs::remove_file(&index).expect("removed");
        std::fs::remove_file(&names).expect("removed");
        let rescued = salvage::salvage(&games, &options).expect("opened");
        assert_eq!(tapes(&*rescued), expected);
        let mut game = Game::default();
        rescued.read(1, GameNeeds::ALL, &mut game).expect("read");
        assert_eq!(game.tags.get("White"), Some("?"));
        assert_eq!(game.tags.get("Mood"), Some("fine"));
        assert_eq!(game.diagnostics.count_of("scid-rescued"), 1);
        // The first half of an index still gives its own games their names.
        small_base(version, folder.path());
        let bytes = std::fs::read(&index).expect("read");
        let kept = version.header_size() + 2 * version.entry_size() + 5;
        std::fs::write(&index, &bytes[..kept]).expect("written");
        let rescued = salvage::salvage(&games, &options).expect("opened");
        assert_eq!(tapes(&*rescued), expected);
        rescued.read(2, GameNeeds::ALL, &mut game).expect("read");
        assert_eq!(game.tags.get("Black"), Some("Beta"));
        rescued.read(3, GameNeeds::ALL, &mut game).expect("read");
        assert_eq!(game.tags.get("Black"), Some("?"));
    }
}

#[test]
fn comments_that_are_fewer_or_more_than_their_places_are_damage() {
    for version in [ScidVersion::Si4, ScidVersion::Si5] {
        let folder = tempfile::tempdir().expect("a folder");
        let [index, sg, _] = version.extensions();
        let path = folder.path().join(format!("base.{index}"));
        law::write(version, &path, &games());
        let file = path.with_extension(sg);
        let bytes = std::fs::read(&file).expect("read");
        let open = || ScidReader::open(&path, &OpenOptions::default()).expect("opened");
        let base = open();
        let mut game = Game::default();
        base.read(1, GameNeeds::ALL, &mut game).expect("read");
        assert!(game.diagnostics.is_empty());
        let (start, end) = (game.origin.byte, game.origin.byte + game.origin.length);
        let (start, end) = (start as usize, end as usize);
        // Windows does not let a mapped file be written anew.
        drop(base);
        // A NAG becomes two more places; a place becomes a null move; a text loses its end, or gets one within it.
        let nag = memchr::memmem::find(&bytes[start..end], &[11, 1]).expect("a NAG") + start;
        let text = memchr::memmem::find(&bytes[start..end], b"comment").expect("a text") + start;
        type Change = fn(&mut Vec<u8>, usize, usize, usize);
        let changes: [Change; 3] = [
            |bytes, nag, _, _| bytes[nag..nag + 2].fill(12),
            |bytes, _, text, _| bytes[text] = 0,
            |bytes, _, _, end| bytes[end - 1] = b'x',
        ];
        for (number, change) in changes.into_iter().enumerate() {
            let mut bytes = bytes.clone();
            change(&mut bytes, nag, text, end);
            std::fs::write(&file, bytes).expect("written");
            let base = open();
            base.read(1, GameNeeds::ALL, &mut game).expect("read");
            let found = &game.diagnostics;
            assert!(
                found.at_least(tabiya_model::Severity::Damage) > 0,
                "{version:?}, change {number}: {found:?}"
            );
        }
    }
}
