//! The same games in every charset, with every line end, in every compression.

use std::io::Write;
use std::path::Path;

use tabiya_model::canon_game::{CanonGame, canon};
use tabiya_model::charset::Charset;
use tabiya_model::database::{GameNeeds, for_each_game};

use super::super::{FORMAT, laws};
use tabiya_codec::format::OpenOptions;
use tabiya_io::compressed_writer::compressed_writer;
use tabiya_io::compression::Compression;

/// Games in the letters of Western Europe; every charset but the Cyrillic ones has them.
fn western() -> String {
    let names = [
        "M\u{fc}ller, J\u{f6}rg",
        "Andr\u{e9}, Fran\u{e7}ois",
        "Mu\u{f1}oz, \u{c1}lvaro",
        "\u{c5}ström, Göran",
    ];
    text(&names, "sch\u{f6}ner Zug, tr\u{e8}s \u{e9}l\u{e9}gant")
}

fn cyrillic() -> String {
    let names = [
        "Каспаров, Гарри",
        "Карпов, Анатолий",
        "Ботвинник, Михаил",
        "Смыслов, Василий",
    ];
    text(&names, "сильный ход, с инициативой")
}

fn text(names: &[&str], remark: &str) -> String {
    let mut text = String::new();
    for (number, white) in (1..).zip(names) {
        let black = names[names.len() - number];
        text.push_str(&format!(
            "[Event \"Open\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"1-0\"]\n\n\
             1. e4 $1 {{{remark}\nin two lines}} e5 (1... c5 2. Nf3 ; {remark}\n) 2. Nf3 Nc6 1-0\n\n"
        ));
    }
    text
}

fn canons(path: &Path, options: &OpenOptions) -> Vec<CanonGame> {
    let open = FORMAT.open.unwrap_or_else(|| panic!("cannot be opened"));
    let database = open(path, options).unwrap_or_else(|error| panic!("{error}"));
    let mut source = database
        .source(None)
        .unwrap_or_else(|error| panic!("{error}"));
    let mut games = Vec::new();
    for_each_game(&mut *source, GameNeeds::ALL, |game| {
        games.push(canon(game));
        Ok(())
    })
    .unwrap_or_else(|error| panic!("{error}"));
    games
}

#[test]
fn every_charset_line_end_and_compression() {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let path = folder.path().join("games.pgn");
    let plain = OpenOptions::default();
    let compressions = [
        None,
        Some(Compression::Gzip),
        Some(Compression::Zstd),
        Some(Compression::Bzip2),
        Some(Compression::Xz),
    ];
    let mut tried = 0;
    for text in [western(), cyrillic()] {
        std::fs::write(&path, &text).unwrap_or_else(|error| panic!("{error}"));
        let expected = canons(&path, &plain);
        assert_eq!(expected.len(), 4);
        for charset in Charset::all() {
            for line_end in ["\n", "\r\n", "\r"] {
                let Ok(bytes) = charset
                    .encode(&text.replace('\n', line_end))
                    .map(|b| b.to_vec())
                else {
                    continue;
                };
                let marks: &[&[u8]] = match charset.byte_order_mark() {
                    Some(mark) => &[mark, &[]],
                    None => &[&[]],
                };
                for mark in marks {
                    let bytes = [*mark, &bytes[..]].concat();
                    for compression in compressions {
                        let mut writer = compressed_writer(compression, Vec::new())
                            .unwrap_or_else(|error| panic!("{error}"));
                        let packed = writer
                            .write_all(&bytes)
                            .and_then(|()| writer.finish())
                            .unwrap_or_else(|error| panic!("{error}"));
                        std::fs::write(&path, packed).unwrap_or_else(|error| panic!("{error}"));
                        let mut options = vec![OpenOptions {
                            encoding: Some(charset),
                            ..OpenOptions::default()
                        }];
                        // These are detected without the option.
                        if matches!(
                            charset,
                            Charset::Utf8
                                | Charset::Utf16Le
                                | Charset::Utf16Be
                                | Charset::Cp1251
                                | Charset::Cp1252
                                | Charset::Latin1
                                | Charset::Cp866
                                | Charset::Koi8R
                        ) {
                            options.push(plain.clone());
                        }
                        for options in options {
                            assert!(
                                canons(&path, &options) == expected,
                                "{charset:?} {line_end:?} {compression:?} {:?}",
                                options.encoding
                            );
                            tried += 1;
                        }
                    }
                }
            }
        }
    }
    assert!(tried > 300, "{tried}");
}

#[test]
fn charsets_are_told_apart_within_a_file() {
    let mut bytes = Charset::Cp1252
        .encode(&western())
        .map(|b| b.to_vec())
        .unwrap_or_default();
    bytes.extend(
        Charset::Cp1251
            .encode(&cyrillic())
            .map(|b| b.to_vec())
            .unwrap_or_default(),
    );
    bytes.extend("[White \"Каспаров – Müller\"]\n\n*\n".as_bytes());
    let games = laws::games(&bytes, &OpenOptions::default(), GameNeeds::ALL, 1 << 20);
    let games = games.unwrap_or_default();
    let white = |n: usize| games[n].tags.value("White").to_owned();
    assert_eq!(white(0), "M\u{fc}ller, J\u{f6}rg");
    assert_eq!(white(4), "Каспаров, Гарри");
    assert_eq!(white(8), "Каспаров – Müller");
    assert_eq!(
        games[4].tags.original(1).to_vec(),
        Charset::Cp1251
            .encode("Каспаров, Гарри")
            .map(|b| b.to_vec())
            .unwrap_or_default()
    );
}

#[test]
fn a_wrong_charset_can_be_undone() {
    // Written in CP1251, then read as CP1252 and stored as UTF-8 by another program.
    let bytes = Charset::Cp1251
        .encode(&cyrillic())
        .map(|b| b.to_vec())
        .unwrap_or_default();
    let wrong = Charset::Cp1252.decode(&bytes).into_owned();
    let options = OpenOptions {
        redecode: Some((Charset::Cp1252, Charset::Cp1251)),
        ..OpenOptions::default()
    };
    let games =
        laws::games(wrong.as_bytes(), &options, GameNeeds::ALL, 1 << 20).unwrap_or_default();
    assert_eq!(games[0].tags.value("White"), "Каспаров, Гарри");
    assert_eq!(games.len(), 4);
}

#[test]
fn a_few_stray_bytes_do_not_spoil_a_text() {
    let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
    let path = folder.path().join("games.pgn");
    let (value, remark) = (b"M\xc3\xbcller \xa1Ole!", b"Schlu\xc3\x9fzug? \xa1Ole!");
    let text = [
        b"[Event \"E\"]\n[White \"",
        &value[..],
        b"\"]\n\n1. e4 {",
        remark,
        b"} *\n",
    ]
    .concat();
    std::fs::write(&path, text).unwrap_or_else(|error| panic!("{error}"));
    let open = FORMAT.open.unwrap_or_else(|| panic!("cannot be opened"));
    let database = open(&path, &OpenOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    let mut game = tabiya_model::Game::default();
    database
        .read(1, GameNeeds::ALL, &mut game)
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(game.tags.value("White"), "Müller ¡Ole!");
    let at = game.tags.position("White").unwrap_or(usize::MAX);
    assert_eq!(&*game.tags.original(at), value);
    let comments: Vec<_> = game
        .tape
        .ops()
        .filter_map(|op| match op {
            tabiya_model::TapeOp::Comment(id) => Some(game.tape.text(id).to_owned()),
            _ => None,
        })
        .collect();
    assert_eq!(comments, ["Schlußzug? ¡Ole!"]);
    assert_eq!(game.diagnostics.count_of("pgn-mixed-text"), 2);
}

#[test]
fn the_charset_that_the_user_says_wins() {
    // Three of the four bytes of the name are well-formed UTF-8.
    let name = Charset::Cp866.encode("Юрий").unwrap_or_default();
    let utf8 = "Лёша".as_bytes();
    let text = [
        b"[White \"",
        &name[..],
        b"\"]\n[Black \"",
        utf8,
        b"\"]\n\n1. e4 {",
        &name[..],
        b"} *\n",
    ]
    .concat();
    let options = OpenOptions {
        encoding: Some(Charset::Cp866),
        ..OpenOptions::default()
    };
    let games = laws::games(&text, &options, GameNeeds::ALL, 1 << 20).unwrap_or_default();
    let [game] = games.as_slice() else {
        panic!("{games:?}");
    };
    assert_eq!(game.tags.value("White"), "Юрий");
    assert_eq!(game.tags.value("Black"), "Лёша");
    let comment = game.tape.ops().find_map(|op| match op {
        tabiya_model::TapeOp::Comment(id) => Some(game.tape.text(id).to_owned()),
        _ => None,
    });
    assert_eq!(comment.as_deref(), Some("Юрий"));
    assert_eq!(game.diagnostics.count_of("pgn-mixed-text"), 0);
}
