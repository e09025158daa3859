//! The samples under `corpus/2cbh` and `corpus/2cbh-parts` are made here, and tested to be equal; `TABIYA_BLESS=1` writes
//! them again.

use std::path::{Path, PathBuf};

use tabiya_formats::cbh2::Cbh2Reader;
use tabiya_formats::format::OpenOptions;
use tabiya_model::{Database, Game, GameNeeds, Severity};

use crate::cbh2::base::{Base, Item, More, games, string};

/// Nested variations, NAGs, texts, promotions, a null move, castling on both sides, Chess960.
const LINES: &str = r#"
[Event "Nørresundby Open"]
[Site "Nørresundby"]
[Date "2024.02.29"]
[Round "3.12"]
[White "Tal, Jörg"]
[Black "O'Kelly"]
[Result "1/2-1/2"]
[WhiteElo "2412"]
[BlackElo "2388"]
[ECO "B33/10"]
[EventDate "2024.02.24"]
[EventEndDate "2024.03.03"]
[TestKind "100"]
[TestNation "37"]
[EventCategory "11"]
[TestFlags "6"]
[EventRounds "9"]
[WhiteTeam "Skakklubben"]
[Board "4"]
[Annotator "Žižka, Jan"]
[Source "Tabiya"]
[SourceTitle "Samples"]
[SourceDate "2026.??.??"]

{Before the first move.} 1. e4 $1 c5 {the Sicilian} (1... c6 $6 2. d4 {♔ ♕ ♖} (2. d3 d5) 2... d5) (1... e5 2. a4) 2. Nf3
d6 (2... Nc6 {a knight} 3. Bb5 g6 4. O-O) 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 -- 6. Be3 $13 $146 1/2-1/2

[Event "?"]
[White "Pawns"]
[Black "?"]
[Result "1-0"]
[SetUp "1"]
[FEN "6k1/P7/8/8/8/8/1p4K1/QQQ1Q3 w - - 0 1"]

1. Qe5 bxa1=R 2. a8=B (2. a8=Q+ Kf7 3. Qf3+) Rxb1 3. Qcxb1 Kf7 4. Bd5+ 1-0

[Event "?"]
[White "Passing"]
[Black "By"]
[Result "0-1"]
[SetUp "1"]
[FEN "r3k3/8/8/8/4pP2/8/4K3/8 b q f3 0 53"]

53... exf3+ (53... O-O-O 54. Kf1) 54. Kf1 f2 55. Ke2 f1=N 0-1

[Event "Shuffle"]
[White "Frøya"]
[Black "Łukasz"]
[Result "1-0"]
[Variant "Chess960"]
[SetUp "1"]
[FEN "rkbqnbnr/pppppppp/8/8/8/8/PPPPPPPP/RKBQNBNR w KQkq - 0 1"]

1. d4 d5 2. Bf4 Bf5 3. Qd2 Qd7 4. O-O-O O-O-O (4... e6 5. f3) 5. Nd3 1-0

[Event "Shuffle"]
[White "Forfeit"]
[Black "Deleted"]
[Result "0-1"]
[Variant "Chess960"]
[SetUp "1"]
[FEN "1k5r/8/8/8/8/8/8/RK5R w KQk - 0 20"]

20. O-O Kc7 21. Rad1 Re8 0-1
"#;

const BARE: &str = r#"
[Event "?"]
[White "All"]
[Black "Kinds"]
[Result "*"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 *
"#;

/// A text annotation.
fn text(place: i32, kind: u16, language: u16, bytes: &[u8]) -> Item {
    let head = [&[0, 0][..], &language.to_le_bytes()].concat();
    (place, kind, [head, string(bytes)].concat())
}

/// A list of texts or drawings of a training question.
fn list(parts: &[(u16, &[u8])]) -> Vec<u8> {
    let mut bytes = (parts.len() as u16).to_le_bytes().to_vec();
    for (kind, part) in parts {
        bytes.extend_from_slice(&kind.to_le_bytes());
        bytes.extend(string(part));
    }
    bytes
}

/// A training question whose solutions are moves, or answers.
fn training(variant: u8) -> Vec<u8> {
    let mut bytes = vec![1, 1, variant, 0, 0, 0];
    bytes.extend_from_slice(&90_i32.to_le_bytes());
    bytes.extend_from_slice(&10_i16.to_le_bytes());
    for part in [
        &[(0, &b"What now?"[..])][..],
        &[(0, b"Look at f7.")],
        &[],
        &[],
    ] {
        bytes.extend(list(part));
    }
    bytes.push(1);
    match variant {
        // From e1 to g1, by files.
        1 => {
            bytes.extend_from_slice(&[32, 48, 0, 5]);
            bytes.extend(list(&[(0, b"Castle.")]));
        }
        _ => {
            bytes.push(5);
            bytes.extend(list(&[(8, &[4, 0x1d])]));
            bytes.extend(list(&[]));
        }
    }
    bytes
}

/// A quoted game with two moves.
fn quotation() -> Vec<u8> {
    let mut bytes = vec![1, 2, 0, 0, 0, 1, 0, 0, 0, 0];
    for name in ["Morphy", "Paul", "Duke Karl", "", "Paris", "Opera"] {
        bytes.push(name.len() as u8 + 1);
        bytes.extend_from_slice(name.as_bytes());
        bytes.push(0);
    }
    let mut header = [0; 35];
    header[..4].copy_from_slice(&(1858_i32 << 9).to_le_bytes());
    header[0x22] = 2;
    bytes.extend_from_slice(&header);
    let mut more = [0; 44];
    more[8] = 1;
    bytes.extend_from_slice(&more);
    for name in ["FIDE", ""] {
        bytes.extend_from_slice(&[1, 0, 1, 0, 0]);
        bytes.extend(string(name.as_bytes()));
    }
    bytes.extend_from_slice(&[0; 26]);
    bytes.extend_from_slice(&[1, 0, 0]);
    bytes.extend_from_slice(&2_i32.to_le_bytes());
    bytes.extend_from_slice(&[33, 35, 0, 0, 0, 38, 36, 0, 0, 0]);
    bytes.extend_from_slice(&[0; 4]);
    bytes
}

/// An annotation of every known type.
fn every_kind() -> Vec<Item> {
    let mut control = vec![1];
    for (start, increment, moves, kind) in [
        (720_000, 0, 40, 1),
        (360_000, 0, 20, 1),
        (90_000, 3_050, 1000, 3),
    ] {
        control.extend_from_slice(&i32::to_le_bytes(start));
        control.extend_from_slice(&i32::to_le_bytes(increment));
        control.extend_from_slice(&i16::to_le_bytes(moves));
        control.push(kind);
    }
    control.extend_from_slice(&[0; 4]);
    let mut profile = 3_i16.to_le_bytes().to_vec();
    profile.extend_from_slice(&[0, 0, 0, 255, 30, 0, 12, 0, 0xfb, 0xff, 20, 1]);
    let link = [string(b"https://example.org/"), string("Straße".as_bytes())].concat();
    vec![
        (-1, 0x24, control),
        (-1, 0x16, 123_456_i32.to_le_bytes().to_vec()),
        (-1, 0x17, 360_000_i32.to_le_bytes().to_vec()),
        (-1, 0x26, [vec![1], string(&profile)].concat()),
        text(0, 2, 1, "Läufer \u{e027} und \u{e00a}".as_bytes()),
        text(0, 2, 0, b"caf\xe9"),
        text(0, 2, 999, b"of some language"),
        text(1, 0x82, 3, b"antes"),
        (1, 4, string(&[2, 1, 4, 64, 7, 5])),
        (1, 5, string(&[3, 1, 64])),
        (2, 7, vec![0, 28, 54, 1]),
        (2, 8, vec![6, 0, 0, 0]),
        (3, 9, training(1)),
        (3, 9, training(2)),
        (4, 0x13, quotation()),
        (4, 0x14, vec![3]),
        (4, 0x15, string(&[1, 10])),
        (5, 0x18, vec![2]),
        (5, 0x1c, [vec![1], link].concat()),
        (6, 0x20, [vec![1, 0, 7, 0], string(b"clip.wmv")].concat()),
        (6, 0x21, vec![0xe2, 0xff, 0, 0, 20, 0]),
        (6, 0x22, 5_u32.to_le_bytes().to_vec()),
        (7, 0x23, vec![0, 0x80, 0xff, 1]),
        (7, 0x25, 372_111_i32.to_le_bytes().to_vec()),
        (7, 0x27, vec![1, 0]),
    ]
}

/// Games of every kind, an analysis and a guiding text.
fn modern() -> Base {
    let mut base = Base::default();
    base.title = "Samples of Tabiya";
    base.has_long_header = true;
    let lines = games(LINES);
    let more = [
        More {
            titles: vec![(42, "Model game"), (53, "Musterpartie")],
            ..More::default()
        },
        More::default(),
        More::default(),
        More {
            start: Some(710),
            ..More::default()
        },
        More {
            is_deleted: true,
            result: Some(4),
            ..More::default()
        },
    ];
    assert_eq!(lines.len(), more.len());
    for (game, more) in lines.iter().zip(&more) {
        base.game(game, more);
    }
    let bare = &games(BARE)[0];
    let annotated = More {
        items: every_kind(),
        ..More::default()
    };
    base.game(bare, &annotated);
    let analysis = More {
        is_analysis: true,
        titles: vec![(42, "1.e4 e5")],
        items: vec![text(2, 2, 7, b"an idea")],
        ..More::default()
    };
    base.game(bare, &analysis);
    let html = "<html><head><title>t</title></head><body><h1>Chapter</h1><p>1.e4 &amp; more</p></body></html>";
    let guide = More {
        titles: vec![(42, "Introduction")],
        ..More::default()
    };
    base.text(
        &[(42, html), (53, ""), (70, "<p>Capitolo</p>")],
        &guide,
        &lines[0],
    );
    base
}

/// Games that are each damaged in a different way.
fn damaged() -> Base {
    let mut base = Base::default();
    let bare = &games(BARE)[0];
    let with = |items: Vec<Item>| More {
        items,
        ..More::default()
    };
    // An unknown type, and one with an invalid layout.
    base.game(
        bare,
        &with(vec![
            text(1, 2, 7, b"read"),
            (3, 0x1a, vec![9, 9]),
            text(4, 2, 7, b"kept"),
        ]),
    );
    base.game(
        bare,
        &with(vec![text(1, 2, 7, b"read"), (3, 4, vec![0xff; 4])]),
    );
    base.game(
        bare,
        &with(vec![
            text(99, 2, 7, b"at no move"),
            (0, 4, string(&[2, 99])),
        ]),
    );
    base.game(bare, &More::default());
    base.game(bare, &More::default());
    base
}

/// The files of the damaged games, with data that an encoder does not write.
fn damaged_files() -> Vec<(&'static str, Vec<u8>)> {
    let mut files = damaged().files();
    for (extension, bytes) in &mut files {
        match *extension {
            "2cbg" => {
                // The fourth game: the second move is one of a missing king. Its checksum is therefore wrong, too.
                let frames: Vec<usize> = (0..bytes.len() - 8)
                    .filter(|at| bytes[*at..].starts_with(&[0x88, 0x77, 0x66, 0x55]))
                    .collect();
                bytes[frames[3] + 26 + 4..][..2].copy_from_slice(&[1, 0]);
            }
            "2cbh" => {
                // The fifth: its moves are elsewhere, and White's name is missing.
                bytes[5 * 192 + 8] ^= 2;
                bytes[5 * 192 + 0x18] = 200;
            }
            _ => {}
        }
    }
    files
}

pub(crate) fn corpus(folder: &str) -> PathBuf {
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
    for (name, files) in [
        ("2cbh/ok/modern", modern().files()),
        ("2cbh/bad/damaged", damaged_files()),
    ] {
        for (extension, bytes) in files {
            settle(&corpus(name).with_extension(extension), &bytes);
        }
    }
}

/// Seeds for fuzzing the readers of the inner structures.
#[test]
fn pieces_of_samples_are_what_is_made_here() {
    let files = modern().files();
    let file = |extension: &str| {
        let found = files.iter().find(|(own, _)| *own == extension);
        &found.expect("a file").1
    };
    let mut pieces = vec![
        ("names.entities".to_owned(), file("2lid").clone()),
        ("games.headers".to_owned(), file("2cbh").clone()),
    ];
    for (extension, suffix) in [("2cbg", "moves"), ("2cba", "annotations")] {
        let bytes = file(extension);
        for at in 0..bytes.len() {
            if bytes[at..].starts_with(&[0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11]) {
                let size =
                    u32::from_le_bytes(bytes[at + 8..at + 12].try_into().expect("four bytes"));
                let content = &bytes[at + 26..at + 26 + size as usize];
                // The kind of the record comes first.
                let tag = &bytes[at + 24..at + 26];
                let piece = match suffix {
                    "moves" => [tag, content].concat(),
                    _ => content.to_vec(),
                };
                pieces.push((format!("at-{at}.{suffix}"), piece));
            }
        }
    }
    for (name, bytes) in pieces {
        settle(&corpus("2cbh-parts/ok").join(name), &bytes);
    }
}

fn read(name: &str) -> (Cbh2Reader, Vec<Game>) {
    let options = OpenOptions {
        audit: true,
        mmap: false,
        ..OpenOptions::default()
    };
    let reader = Cbh2Reader::open(&corpus(name), &options).expect("opened");
    let mut games = Vec::new();
    let mut source = reader.source(None).expect("a source");
    tabiya_model::database::for_each_game(&mut *source, GameNeeds::ALL, |game| {
        games.push(game.clone());
        Ok(())
    })
    .expect("read");
    drop(source);
    (reader, games)
}

#[test]
fn the_sound_sample_is_read_without_damage() {
    let (reader, games) = read("2cbh/ok/modern.2cbh");
    let told = reader.diagnostics();
    assert!(told.is_empty(), "{told:?}");
    assert_eq!(
        (games.len(), reader.about_title()),
        (8, "Samples of Tabiya".to_owned())
    );
    for game in &games {
        let number = game.origin.number;
        let damage = game.diagnostics.at_least(Severity::Damage);
        assert_eq!(damage, 0, "{number}: {:?}", game.diagnostics);
        assert_eq!(
            game.diagnostics.count_of("2cbh-wrong-field"),
            0,
            "{number}: {:?}",
            game.diagnostics
        );
    }
    let value = |number: usize, tag: &str| games[number - 1].tags.value(tag).to_owned();
    for (number, tag, wanted) in [
        (1, "White", "Tal, Jörg"),
        (1, "Round", "3.12"),
        (1, "Board", "4"),
        (1, "ECO", "B33/10"),
        (1, "EventType", "swiss (blitz) (rapid)"),
        (1, "EventEndDate", "2024.03.03"),
        (1, "CbhEventPlace", "59.25,-10.5"),
        (1, "CbhEventFlags", "complete, board points"),
        (1, "WhiteTeamSeason", "2024/2025"),
        (1, "CbhTitleDe", "Musterpartie"),
        (1, "Annotator", "Žižka, Jan"),
        (1, "SourceDate", "2026.??.??"),
        (3, "FEN", "r3k3/8/8/8/4pP2/8/4K3/8 b q f3 0 53"),
        (4, "Variant", "Chess960"),
        (4, "CbhStartNumber", "710"),
        (5, "FEN", "1k5r/8/8/8/8/8/8/RK5R w KQk - 0 20"),
        (5, "CbhResult", "-:+"),
        (5, "ScidFlags", "D"),
        (7, "CbhKind", "analysis"),
        (8, "CbhKind", "text"),
        (8, "CbhTitleEn", "Introduction"),
    ] {
        assert_eq!(value(number, tag), wanted, "{number}: {tag}");
    }
}

/// The result for annotations of every type, in order.
#[test]
fn annotations_of_every_type_are_said_or_kept() {
    let (_, games) = read("2cbh/ok/modern.2cbh");
    let game = &games[5];
    let comments: Vec<&str> = game
        .tape
        .ops()
        .filter_map(|op| match op {
            tabiya_model::tape::TapeOp::Comment(id) => Some(game.tape.text(id)),
            _ => None,
        })
        .collect();
    assert_eq!(
        comments,
        [
            "[%timecontrol 40/7200:20/3600:900+30.50 1,1,3] [%wclk 0:20:34.56] [%bclk 1:00:00] \
             [%evp 0,2,32767,30,-29995][%evpdepth 0,12,20]",
            "[%lang de] Läufer ♗ und \u{e00a}",
            "[%lang en] café",
            "[%lang 999] of some language",
            "[%lang es] antes",
            "[%csl Ga1,Rh8][%cal Ya1h8]",
            "[%emt 1:54:28]",
            "[%tqu \"\",\"What now?\",\"Look at f7.\",\"\",\"e1g1\",\"Castle.\",5]",
            "[%pawnstructure 3][%piecepath 1,b2]",
            "Morphy, Paul - Duke Karl, 1-0, Opera, Paris (1) 1858.??.??",
            "[%critical middlegame][%link \"https://example.org/\",\"Straße\"]",
            "[%eval -0.30,20] [%mdl 5] clip.wmv",
            "[%variationcolour #0080ff,1][%videotime 372111]",
        ]
    );
    let kept: Vec<&str> = game.tape.extensions().iter().map(|it| &*it.name).collect();
    assert_eq!(
        kept,
        [
            // A square in an unknown colour, a question with more data, all of a quotation.
            "2cbh.annotation-04",
            "2cbh.annotation-08",
            "2cbh.annotation-09",
            "2cbh.annotation-09",
            "2cbh.annotation-13",
            "2cbh.annotation-20",
            "2cbh.annotation-27",
        ]
    );
    let told: Vec<&str> = game.diagnostics.iter().map(|it| it.code.name).collect();
    assert_eq!(told, ["2cbh-unknown-annotation"; 2]);
}

#[test]
fn the_damaged_sample_is_told() {
    let (_, games) = read("2cbh/bad/damaged.2cbh");
    let told: Vec<Vec<&str>> = games
        .iter()
        .map(|game| {
            let found = game.diagnostics.iter();
            found.map(|it| it.code.name).collect()
        })
        .collect();
    assert_eq!(
        told,
        [
            vec!["2cbh-annotation-kind"],
            vec!["2cbh-annotation"],
            vec!["2cbh-annotation-place", "2cbh-unknown-annotation"],
            vec!["2cbh-checksum", "2cbh-bad-move"],
            vec!["2cbh-unknown-name", "2cbh-no-record"],
        ]
    );
    for (number, name) in [
        (0, "2cbh.annotations"),
        (1, "2cbh.annotations"),
        (3, "2cbh.moves"),
    ] {
        let extensions = games[number].tape.extensions();
        assert!(extensions.iter().any(|it| it.name == name), "{number}");
    }
    assert_eq!(games[3].tape.plies(), 1);
}

trait AboutTitle {
    fn about_title(&self) -> String;
}

impl AboutTitle for Cbh2Reader {
    fn about_title(&self) -> String {
        let source = self.source(None).expect("a source");
        source.about().description
    }
}
