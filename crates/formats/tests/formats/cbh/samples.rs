//! The samples under `corpus/cbh` are made here, and tested to be equal; `TABIYA_BLESS=1` writes them again.

use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use tabiya_formats::cbh::CbhReader;
use tabiya_formats::cbh::entities::CbhEntityTable;
use tabiya_formats::format::OpenOptions;
use tabiya_io::cbv::CbzReader;
use tabiya_io::compression::UnpackLimits;
use tabiya_io::container::InputFiles;
use tabiya_model::charset::Charset;
use tabiya_model::{Database, GameNeeds, Severity};

use crate::cbh::base::{Base, Item, More, NEWEST, NINTH, OLDEST, games};
use crate::cbh::{encode, pack};

/// Nested variations, NAGs, texts, promotions, a null move, castling on both sides.
const LINES: &str = r#"
[Event "Nørresundby Open"]
[Site "Nørresundby"]
[Date "2024.02.29"]
[Round "3.12"]
[White "Müller, Jörg"]
[Black "O'Kelly"]
[Result "1/2-1/2"]
[WhiteElo "2412"]
[BlackElo "2388"]
[ECO "B33/10"]
[EventDate "2024.02.24"]
[TestKind "100"]
[TestTeam "1"]
[TestNation "37"]
[EventCategory "11"]
[TestFlags "6"]
[EventRounds "9"]
[Annotator "Žižka, Jan"]
[Source "Tabiya"]
[SourceTitle "Samples"]
[SourceDate "2026.??.??"]

{Before the first move.} 1. e4 $1 c5 {the Sicilian} (1... c6 $6 2. d4 {♔ ♕ ♖} (2. d3 d5) 2... d5) (1... e5 2. a4) 2. Nf3
d6 (2... Nc6 {a knight} 3. Bb5 g6 4. O-O) 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 -- 6. Be3 $13 $146 1/2-1/2

[Event "Nørresundby Open"]
[White "Pawns"]
[Black "?"]
[Result "1-0"]
[SetUp "1"]
[FEN "6k1/P7/8/8/8/8/1p4K1/QQQ1Q3 w - - 0 1"]

1. Qe5 {the fourth queen has no number} bxa1=R 2. a8=B (2. a8=Q+ Kf7 3. Qf3+) Rxb1 3. Qcxb1 Kf7 4. Bd5+ 1-0

[Event "?"]
[White "Passing"]
[Black "By"]
[Result "0-1"]
[SetUp "1"]
[FEN "r3k3/8/8/8/4pP2/8/4K3/8 b q f3 0 53"]

53... exf3+ (53... O-O-O 54. Kf1) 54. Kf1 f2 55. Ke2 f1=N 0-1

[Event "?"]
[White "Taken, Back"]
[Black "Nobody"]
[Result "*"]

1. d4 *

[Event "Shuffle"]
[White "Frøya"]
[Black "Łukasz"]
[Result "1-0"]
[Variant "Chess960"]
[SetUp "1"]
[FEN "rkbqnnbr/pppppppp/8/8/8/8/PPPPPPPP/RKBQNNBR w KQkq - 0 1"]

1. d4 d5 2. Bf4 Bf5 3. Qd2 Qd7 4. O-O-O O-O-O (4... e6 5. f3) 5. Ne3 1-0

[Event "Modes"]
[White "Four"]
[Black "Five"]
[Result "1/2-1/2"]

1. c4 e5 2. Nc3 Nf6 (2... Nc6 3. g3 (3. Nf3 f5) 3... g6) 3. Nf3 Nc6 4. e3 Bb4 1/2-1/2
"#;

const BARE: &str = r#"
[Event "Annotations"]
[White "All"]
[Black "Kinds"]
[Result "*"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 *
"#;

/// A text annotation.
fn text(place: i32, kind: u8, nation: u8, bytes: &[u8]) -> Item {
    (place, kind, [&[0, nation], bytes].concat())
}

fn words(list: &[u16]) -> Vec<u8> {
    list.iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// Texts in several languages, encoded as in training questions and guiding texts.
fn localised(list: &[(u16, &str)]) -> Vec<u8> {
    let mut bytes = (list.len() as u16).to_le_bytes().to_vec();
    for (language, text) in list {
        bytes.extend_from_slice(&language.to_le_bytes());
        bytes.extend_from_slice(&(text.len() as u16).to_le_bytes());
        bytes.extend_from_slice(text.as_bytes());
    }
    bytes
}

fn training() -> Vec<u8> {
    let mut inner = Vec::new();
    inner.extend_from_slice(&90_u32.to_le_bytes());
    inner.extend_from_slice(&5_u16.to_le_bytes());
    inner.extend(localised(&[(0, "What now?"), (1, "Was nun?")]));
    inner.extend(localised(&[(0, "Look at f7.")]));
    inner.extend(localised(&[(0, "The bishop.")]));
    inner.extend(localised(&[]));
    inner.push(2);
    // Ba4 and Bxc6: from b5 to a4 and c6.
    for (to, points, text) in [(3, 5, "Quiet."), (21, 2, "Greedy.")] {
        inner.extend_from_slice(&[12, to, 0, points]);
        inner.extend(localised(&[(0, text)]));
    }
    let size = (inner.len() as u16 + 2).to_le_bytes();
    [&[1, 0, 1, size[0], size[1]], &inner[..]].concat()
}

fn quotation() -> Vec<u8> {
    let name = |name: &str| [&[name.len() as u8], name.as_bytes(), &[0]].concat();
    let mut inner = words(&[2, 0]);
    inner.extend(name("Greco, Gioachino"));
    inner.extend(name("N.N."));
    inner.extend(words(&[0, 0, 250 << 7]));
    inner.extend(name("Rome"));
    inner.extend(name("Roma"));
    inner.extend_from_slice(&(1619_u32 << 9).to_be_bytes());
    inner.extend(words(&[0, 70, 0, 0]));
    inner.extend_from_slice(&[0, 1, 2, 0, 10]);
    inner.extend_from_slice(&[0x11, 0x22, 0x33]);
    [words(&[inner.len() as u16 + 2]), inner].concat()
}

/// Annotations of every documented type, and of some others.
fn every_kind() -> Vec<Item> {
    let mut items: Vec<Item> = vec![
        (-1, 0x22, 4_u32.to_be_bytes().to_vec()),
        (-1, 0x16, 540_050_u32.to_be_bytes().to_vec()),
        (-1, 0x17, 536_000_u32.to_be_bytes().to_vec()),
    ];
    let mut control = Vec::new();
    for (start, increment, moves, kind) in [
        (720_000_u32, 0_u32, 40_u16, 1),
        (360_000, 0, 20, 1),
        (90_000, 3_000, 1000, 1),
    ] {
        control.extend_from_slice(&start.to_be_bytes());
        control.extend_from_slice(&increment.to_be_bytes());
        control.extend_from_slice(&moves.to_be_bytes());
        control.push(kind);
    }
    items.push((-1, 0x24, control));
    let mut profile = words(&[4]);
    for (flag, depth, value) in [(0, 20, 31), (0, 18, -7), (1, 30, 5), (255, 0, 0)] {
        profile.extend_from_slice(&[flag, depth]);
        profile.extend_from_slice(&i16::to_be_bytes(value));
    }
    items.push((-1, 0x26, profile));
    for (nation, words) in [
        (0, "for everybody"),
        (42, "in English"),
        (53, "auf Deutsch: schön"),
        (49, "en français"),
        (43, "en español"),
        (70, "in italiano"),
        (103, "in het Nederlands"),
        (117, "em português"),
        (116, "po polsku: źle"),
        (55, "στα ελληνικά"),
        (121, "по-русски"),
    ] {
        items.push(text(0, 0x02, nation, words.as_bytes()));
    }
    items.extend([
        (0, 0x03, vec![1, 14, 0]),
        (1, 0x04, vec![2, 1, 3, 37, 4, 64]),
        (1, 0x05, vec![2, 34, 36, 3, 1, 64]),
        // A colour without a known meaning.
        (2, 0x04, vec![2, 1, 9, 2]),
        (2, 0x07, vec![0, 1, 2, 96]),
        (
            2,
            0x21,
            [35_i16, 0, 18]
                .iter()
                .flat_map(|word| word.to_le_bytes())
                .collect(),
        ),
        (
            3,
            0x21,
            [-3_i16, 1, 40]
                .iter()
                .flat_map(|word| word.to_le_bytes())
                .collect(),
        ),
        (3, 0x14, vec![3]),
        (3, 0x15, vec![3, 37]),
        (4, 0x09, training()),
        (4, 0x18, vec![3]),
        text(5, 0x82, 42, b"before the move"),
        (5, 0x13, quotation()),
        (5, 0x23, vec![1, 0x10, 0x20, 0xff]),
        (5, 0x25, 1234_u32.to_be_bytes().to_vec()),
        // Types without a known layout, and one with an invalid layout.
        (6, 0x08, vec![1]),
        (6, 0x20, b"\x01\x2avideo.wmv".to_vec()),
        (6, 0x61, vec![1, 2, 3, 4]),
        (6, 0x18, vec![3, 3]),
        text(7, 0x02, 0, b"\x04 a diagram"),
    ]);
    let (address, caption) = (b"https://example.org/", b"a page");
    let mut link = (address.len() as u16 + caption.len() as u16 + 4)
        .to_le_bytes()
        .to_vec();
    for text in [&address[..], caption] {
        link.push(text.len() as u8);
        link.extend_from_slice(text);
    }
    items.push((7, 0x1c, link));
    items
}

/// The body of a guiding text in HTML.
fn html_body() -> Vec<u8> {
    let mut bytes = vec![3, 0];
    bytes.extend(localised(&[
        (0, "Openings"),
        (1, "Eröffnungen"),
        (7, "otvoritve"),
    ]));
    bytes.extend_from_slice(&[1, 2, 0]);
    for (language, html) in [
        (
            0_u16,
            "<html><body><h1>Openings</h1><p>One &amp; <b>two</b>.</body></html>",
        ),
        (1, "<p>Größer &lt; kleiner<br>Ende"),
    ] {
        bytes.extend_from_slice(&language.to_le_bytes());
        bytes.extend_from_slice(&(html.len() as u32).to_le_bytes());
        bytes.extend_from_slice(html.as_bytes());
        bytes.extend_from_slice(&[0; 4]);
    }
    bytes
}

/// The body of a guiding text without HTML, in Windows' code page 1251.
fn plain_body() -> Vec<u8> {
    let text = Charset::Cp1251
        .encode("Ёж — система защиты.\rВторая строка.")
        .expect("Cyrillic");
    let mut bytes = vec![1, 0];
    bytes.extend(localised(&[]));
    bytes.extend_from_slice(&[1, 1, 0, 0, 0]);
    bytes.extend_from_slice(&(text.len() as u16).to_le_bytes());
    bytes.extend(text);
    bytes.extend_from_slice(&[3, 0, 9, 9, 9]);
    bytes
}

/// UTF-8, every kind of annotation, HTML, titles, media, teams: as written by a current program.
fn modern() -> Base {
    let mut base = Base::new(NEWEST);
    let teams = ["Nørresundby", "Aalborg"].map(|name| {
        let year = 2023_u32.to_le_bytes();
        let fields = [
            (0, name.as_bytes()),
            (45, &[2][..]),
            (49, &[1]),
            (50, &year),
            (54, &[37]),
        ];
        base.name(CbhEntityTable::Teams, &fields)
    });
    let titles = [
        (0, &b"A fine game"[..]),
        (200, "Eine schöne Partie".as_bytes()),
    ];
    let title = base.name(CbhEntityTable::Titles, &titles);
    let mut fide = [0; 16];
    fide[..9].copy_from_slice(b"\x00\x01\x00\x01\x00FIDE");
    let mut national = [0; 16];
    national[..8].copy_from_slice(b"\x00\x02\x03\x00\x35DWZ");
    let games = games(LINES);
    let more = [
        More {
            teams: teams.map(Some),
            title: Some(title),
            ratings: [fide, national],
            version: 7,
            created: 448_410_991_712,
            saved: 0x01b2_1dd2_1381_4000,
            medals: 5,
            ..More::default()
        },
        More::default(),
        More::default(),
        More {
            is_deleted: true,
            line_nag: 14,
            ..More::default()
        },
        More {
            mode: 10,
            chess960: Some(785),
            ..More::default()
        },
        More {
            mode: 4,
            result: Some(6),
            ..More::default()
        },
    ];
    assert_eq!(games.len(), more.len());
    for (game, more) in games.iter().zip(&more) {
        base.game(game, more);
    }
    let last = games.last().expect("games");
    let both_lost = More {
        mode: 5,
        result: Some(7),
        ..More::default()
    };
    base.game(last, &both_lost);
    let annotated = More {
        items: every_kind(),
        ..More::default()
    };
    base.game(&self::games(BARE)[0], &annotated);
    let text = More {
        media: Some(0),
        title: Some(title),
        ..More::default()
    };
    base.text(&html_body(), &text);
    let mut media: Vec<u8> = [1_u32, 64, 1].map(u32::to_le_bytes).concat();
    media.resize(32, 0);
    media.extend_from_slice(&u32::MAX.to_le_bytes());
    media.extend_from_slice(&1_u32.to_le_bytes());
    media.extend_from_slice(b"FilesUsed\n1\nboard.jpg\n\0");
    media.resize(32 + 64, 0xcc);
    let mut places: Vec<u8> = [3_u32, 65, 0].map(u32::to_le_bytes).concat();
    places.resize(32, 0);
    places.extend_from_slice(&57.0625_f64.to_le_bytes());
    places.extend_from_slice(&9.9375_f64.to_le_bytes());
    places.resize(32 + 50, 0);
    places.extend_from_slice(&[4, 2, 0, 0, 0, 0, 0, 0, 0, 0, 2]);
    places.extend_from_slice(&(2024_u32 << 9 | 3 << 5 | 3).to_le_bytes());
    base.others = vec![
        ("cbm", media),
        ("cbtt", places),
        (
            "ini",
            b"[DescrCBG]\r\nTitle=Samples of Tabiya\r\nType=26\r\n".to_vec(),
        ),
    ];
    base
}

/// Code page 1252 with bytes of the symbol font, two pairs of which happen to be UTF-8.
fn western() -> Base {
    let mut base = Base::new(NINTH);
    base.encode = |text| Charset::Cp1252.encode(text).expect("Western");
    let game = &games(
        "[White \"Hübner, R\"]\n[Black \"Sämisch\"]\n[Site \"Çeşme\"]\n[Result \"*\"]\n\n1. e4 e5 2. Nf3 Nc6 *\n"
            .replace('ş', "s")
            .as_str(),
    )[0];
    let more = More {
        items: vec![
            text(
                0,
                2,
                0,
                b"Der L\xe4ufer geh\xf6rt nach c4, \xa5c4 und \xa6e1.",
            ),
            text(1, 2, 0, b"better \xd7\xa4 than \xd7\xa2d5"),
            text(2, 2, 53, b"Stellung \x9e nach \x9eivko\x9e"),
            text(3, 2, 0, "Büchlein für UTF-8: ♘f3 ü".as_bytes()),
            text(3, 2, 116, b"Gda\xf1sk, \xbf\xf3\xb3\x9fci"),
            text(3, 2, 0, "עץ".as_bytes()),
        ],
        ..More::default()
    };
    base.game(game, &more);
    base
}

/// The oldest sizes, code page 1251, a guiding text without HTML.
fn cyrillic() -> Base {
    let mut base = Base::new(OLDEST);
    base.encode = |text| Charset::Cp1251.encode(text).expect("Cyrillic");
    let text = "[White \"Карпов, Анатолий\"]\n[Black \"Каспаров, Гарри\"]\n[Event \"Чемпионат мира\"]\n[Site \"Москва\"]\n\
                [Date \"1985.11.09\"]\n[Round \"24\"]\n[Result \"0-1\"]\n[ECO \"B84\"]\n\n1. e4 c5 2. Nf3 d6 0-1\n";
    let more = More {
        items: vec![self::text(
            3,
            2,
            0,
            &Charset::Cp1251
                .encode("Схевенингенский вариант сицилианской защиты")
                .expect("Cyrillic"),
        )],
        ..More::default()
    };
    base.game(&games(text)[0], &more);
    base.text(&plain_body(), &More::default());
    base
}

/// Games that are each damaged in a different way.
fn damaged() -> Base {
    let mut base = Base::new(NEWEST);
    let game = &games(BARE)[0];
    let (sound, ..) = encode::game(game, 0);
    let mut absent = sound.clone();
    // The second queen of a side that has one.
    absent[6] = sound[6].wrapping_add(40);
    let mut endless = sound.clone();
    endless.pop();
    endless[3] -= 1;
    for moves in [
        absent,
        endless,
        encode::record(62, &[1, 2, 3]),
        encode::record(64, &[1, 0, 0, 0, 0b1011_1000]),
        vec![0, 0, 0, 2],
    ] {
        let more = More {
            moves: Some(moves),
            ..More::default()
        };
        base.game(game, &more);
    }
    let far = More {
        items: vec![text(99, 2, 0, b"at no move"), (0, 2, Vec::new())],
        ..More::default()
    };
    base.game(game, &far);
    base
}

fn corpus(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../corpus")
        .join(folder)
}

/// Compares a file with its expected content, or writes it.
fn settle(path: &Path, bytes: &[u8]) {
    let is_there = std::fs::read(path).is_ok_and(|there| there == bytes);
    if !is_there && std::env::var_os("TABIYA_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, bytes).expect("written");
    } else {
        let path = path.display();
        assert!(is_there, "{path}: TABIYA_BLESS=1 writes it anew");
    }
}

#[test]
fn samples_are_what_is_made_here() {
    for (name, base) in [
        ("cbh/ok/modern", modern()),
        ("cbh/ok/western", western()),
        ("cbh/ok/cyrillic", cyrillic()),
        ("cbh/bad/damaged", damaged()),
    ] {
        for (extension, bytes) in base.files() {
            settle(&corpus(name).with_extension(extension), &bytes);
        }
    }
}

/// The archives of a sample: as packed by the program, and the same encrypted.
#[test]
fn archives_are_what_is_made_here() {
    let files = modern().files().into_iter();
    let files: Vec<_> = files
        .map(|(extension, bytes)| (format!("modern.{extension}"), bytes))
        .collect();
    let archive = pack::archive(&files);
    settle(&corpus("cbh/ok/packed.cbv"), &archive);
    let hidden = pack::enciphered(&archive, *b"password");
    settle(&corpus("cbh/ok/hidden.cbz"), &hidden);
    let limits = UnpackLimits::default();
    let plain = InputFiles::open(&corpus("cbh/ok/packed.cbv"), &limits).expect("opened");
    let deciphered = Box::new(CbzReader::new(Cursor::new(hidden), b"password"));
    let hidden = InputFiles::from_reader("hidden.cbz", deciphered, &limits);
    for members in [plain, hidden] {
        let unpacked = members.map(|member| {
            let mut member = member.expect("a member");
            let mut content = Vec::new();
            member.read_to_end(&mut content).expect("unpacked");
            let name = Path::new(member.name()).file_name().expect("a name");
            (name.to_string_lossy().into_owned(), content)
        });
        assert!(unpacked.eq(files.iter().cloned()));
    }
}

proptest! {
    /// Everything that is packed is unpacked again: runs, copies from near and far, and noise.
    #[test]
    fn what_is_packed_is_unpacked(parts in prop::collection::vec((any::<u8>(), 1..600_usize, 0..4_u8), 0..30)) {
        let mut file: Vec<u8> = Vec::new();
        for (seed, length, kind) in parts {
            for place in 0..length {
                let back = usize::from(seed) * 16 + 3;
                file.push(match kind {
                    0 => seed,
                    1 if file.len() >= back => file[file.len() - back],
                    _ => seed.wrapping_mul(31).wrapping_add(place.wrapping_mul(place + 7).to_le_bytes()[usize::from(kind & 1)]),
                });
            }
        }
        let archive = pack::archive(&[("x".to_owned(), file.clone())]);
        let reader = Box::new(Cursor::new(archive));
        let mut members = InputFiles::from_reader("x.cbv", reader, &UnpackLimits::default());
        let mut content = Vec::new();
        members.next().expect("a member").expect("sound").read_to_end(&mut content).expect("unpacked");
        prop_assert!(content == file);
    }
}

/// Seeds for fuzzing the readers of the inner structures.
#[test]
fn pieces_of_samples_are_what_is_made_here() {
    let file = |base: &Base, extension: &str| {
        let files = base.files();
        let found = files.into_iter().find(|(own, _)| *own == extension);
        found.expect("a file").1
    };
    let (modern, cyrillic) = (modern(), cyrillic());
    let mut pieces = vec![
        ("names.entities".to_owned(), file(&modern, "cbt")),
        ("old-names.entities".to_owned(), file(&cyrillic, "cbp")),
        ("games.headers".to_owned(), file(&modern, "cbh")),
        ("second.headers".to_owned(), file(&modern, "cbj")),
        ("html.text".to_owned(), html_body()),
        ("plain.text".to_owned(), plain_body()),
    ];
    let notes = file(&modern, "cba");
    let mut at = 26;
    while let Some(head) = notes.get(at..at + 14) {
        let size = u32::from_be_bytes([head[10], head[11], head[12], head[13]]) as usize;
        let piece = notes[at + 14..at + size].to_vec();
        pieces.push((format!("at-{at}.annotations"), piece));
        at += size;
    }
    for mode in [0, 4, 5, 10] {
        let nodes = encode::tree(&games(LINES)[0]);
        let (bytes, _) = encode::moves(&nodes, &tabiya_model::Board::standard(), mode);
        pieces.push((format!("mode-{mode}.moves"), [&[mode][..], &bytes].concat()));
    }
    for (name, bytes) in pieces {
        settle(&corpus("cbh-parts/ok").join(name), &bytes);
    }
}

#[test]
fn sound_samples_are_read_without_damage() {
    for (name, charset, games) in [
        ("modern", "CP1252 (assumed)", 9),
        ("western", "CP1252 (detected)", 1),
        ("cyrillic", "CP1251 (detected)", 2),
    ] {
        let path = corpus("cbh/ok").join(name).with_extension("cbh");
        let options = OpenOptions {
            audit: true,
            mmap: false,
            ..OpenOptions::default()
        };
        let reader = CbhReader::open(&path, &options).expect("opened");
        assert!(
            reader.diagnostics().is_empty(),
            "{name}: {:?}",
            reader.diagnostics()
        );
        assert_eq!(reader.count(), games, "{name}");
        let info = format!("{:?}", reader.info().fields);
        assert!(info.contains(charset), "{name}: {info}");
        let mut source = reader.source(None).expect("a source");
        tabiya_model::database::for_each_game(&mut *source, GameNeeds::ALL, |game| {
            let damage = game.diagnostics.at_least(Severity::Damage);
            assert_eq!(
                damage, 0,
                "{name} {}: {:?}",
                game.origin.number, game.diagnostics
            );
            Ok(())
        })
        .expect("read");
    }
}
