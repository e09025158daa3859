//! The charsets against the codecs of another program.

use tabiya_text::charset::{Charset, decode_mixed, decode_utf8_or, redecode};

/// One line per charset: its name and the characters of the bytes 0x80 to 0xFF.
const CODECS: &str = include_str!("data/charsets.txt");

/// Expands `<XX>`, a character by its number.
fn expand(line: &str) -> Vec<char> {
    let mut characters = Vec::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        if let Some((number, after)) = rest.strip_prefix('<').and_then(|r| r.split_once('>')) {
            let code = u32::from_str_radix(number, 16).expect("a hexadecimal number");
            characters.push(char::from_u32(code).expect("a character"));
            rest = after;
        } else {
            characters.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    characters
}

#[test]
fn tables_agree_with_python() {
    let mut checked = 0;
    for line in CODECS.lines().filter(|line| !line.starts_with('#')) {
        let (name, characters) = line.split_once('\t').expect("a name and its characters");
        let charset = Charset::from_name(name).expect(name);
        let expected = expand(characters);
        assert_eq!(expected.len(), 128, "{name}");
        let bytes: Vec<u8> = (128..=255).collect();
        assert_eq!(
            charset.decode(&bytes).chars().collect::<Vec<_>>(),
            expected,
            "{name}"
        );
        checked += 1;
    }
    let tables = Charset::all()
        .filter(|c| c.is_single_byte() && *c != Charset::Ascii)
        .count();
    assert_eq!(checked, tables);
}

#[test]
fn known_bytes() {
    for (charset, bytes, text) in [
        (Charset::Cp850, &b"M\x81ller"[..], "Müller"),
        (Charset::Cp437, b"Gr\x94\xE1e", "Größe"),
        (Charset::Cp1252, b"\x93Caf\xE9\x94 \x96 \x80", "“Café” – €"),
        (Charset::Cp1251, b"\xCA\xE0\xF0\xEF\xEE\xE2", "Карпов"),
        (Charset::Cp866, b"\x8A\xA0\xE0\xAF\xAE\xA2", "Карпов"),
        (Charset::Koi8R, b"\xEB\xC1\xD2\xD0\xCF\xD7", "Карпов"),
        (Charset::Cp1250, b"Rados\xB3aw", "Radosław"),
        (Charset::Cp852, b"Rados\x88aw", "Radosław"),
        (Charset::Latin2, b"\xA9ustr", "Šustr"),
        (Charset::MacRoman, b"Andr\x8E", "André"),
        (Charset::Utf16Le, b"T\0\xE1\0l\0", "Tál"),
        (Charset::Utf16Be, b"\x04\x1A\xD8\x3D\xDE\x00", "К😀"),
        (
            Charset::Cesu8,
            b"a\xED\xA0\xBD\xED\xB8\x80\xED\x95\x9Cb",
            "a😀한b",
        ),
        (Charset::Cesu8, "é😀".as_bytes(), "é😀"),
    ] {
        assert_eq!(charset.decode(bytes), text, "{}", charset.name());
    }
}

#[test]
fn malformed_bytes_are_marked() {
    for (charset, bytes, text) in [
        (Charset::Utf8, &b"a\xFFb"[..], "a\u{FFFD}b"),
        (Charset::Cesu8, b"\xED\xA0\xBDx", "\u{FFFD}x"),
        (
            Charset::Cesu8,
            b"\xED\xB8\x80\xED\xA0\xBD",
            "\u{FFFD}\u{FFFD}",
        ),
        (Charset::Cesu8, b"\xED", "\u{FFFD}"),
        (Charset::Cesu8, b"x\xED\xA0", "x\u{FFFD}\u{FFFD}"),
        (Charset::Utf16Le, b"a\0\x3D\xD8b", "a\u{FFFD}\u{FFFD}"),
        (Charset::Utf16Be, b"\xDE\0\0a", "\u{FFFD}a"),
    ] {
        assert_eq!(charset.decode(bytes), text, "{}", charset.name());
        assert!(!charset.round_trips(bytes), "{}", charset.name());
    }
}

#[test]
fn every_byte_comes_back() {
    let all: Vec<u8> = (0..=255).collect();
    for charset in Charset::all().filter(|c| c.is_single_byte()) {
        assert_eq!(
            charset.encode(&charset.decode(&all)).as_deref(),
            Ok(&all[..]),
            "{}",
            charset.name()
        );
        assert!(charset.round_trips(&all));
    }
}

#[test]
fn what_has_no_code_is_named_or_replaced() {
    let error = Charset::Cp1252
        .encode("a Карпов")
        .expect_err("no Cyrillic in CP1252");
    assert_eq!((error.character, error.at), ('К', 2));
    assert_eq!(error.to_string(), "CP1252 has no code for 'К' (at byte 2)");
    for (charset, text, bytes, replaced) in [
        (Charset::Ascii, "Müller", &b"Muller"[..], 1),
        (Charset::Cp1252, "Müller", b"M\xFCller", 0),
        (Charset::Cp850, "“Łódź” ½–½", b"'L\xA2dz' \xAB-\xAB", 5),
        (Charset::Cp1252, "Щукин", b"Shchukin", 5),
        (Charset::Latin1, "漢字", b"??", 2),
    ] {
        assert_eq!(
            charset.encode_lossy(text),
            (bytes.to_vec(), replaced),
            "{text}"
        );
    }
}

#[test]
fn names_of_charsets() {
    for charset in Charset::all() {
        assert_eq!(Charset::from_name(charset.name()), Some(charset));
    }
    for (name, charset) in [
        ("utf8", Charset::Utf8),
        ("Windows-1251", Charset::Cp1251),
        ("latin_1", Charset::Latin1),
        ("koi8r", Charset::Koi8R),
        ("850", Charset::Cp850),
    ] {
        assert_eq!(Charset::from_name(name), Some(charset), "{name}");
    }
    for name in ["", "-", "utf-9", "é", "klingon"] {
        assert_eq!(Charset::from_name(name), None, "{name}");
    }
}

#[test]
fn strings_of_mixed_databases() {
    assert_eq!(
        decode_utf8_or("Tál".as_bytes(), Charset::Cp1252),
        ("Tál".into(), Charset::Utf8)
    );
    assert_eq!(
        decode_utf8_or(b"T\xE1l", Charset::Cp1252),
        ("Tál".into(), Charset::Cp1252)
    );
    // An old import converted the letters to UTF-8, but left quotes and dashes unchanged.
    assert_eq!(
        decode_mixed(b"\x93M\xC3\xBCller\x94", Charset::Cp1252),
        "“Müller”"
    );
}

#[test]
fn wrong_guesses_are_undone() {
    assert_eq!(
        redecode("Êàðïîâ", Charset::Cp1252, Charset::Cp1251).as_deref(),
        Some("Карпов")
    );
    assert_eq!(
        redecode("MÃ¼ller", Charset::Cp1252, Charset::Utf8).as_deref(),
        Some("Müller")
    );
    assert_eq!(redecode("Müller", Charset::Cp1252, Charset::Utf8), None);
    assert_eq!(redecode("Карпов", Charset::Cp1252, Charset::Cp1251), None);
}

mod properties {
    use proptest::prelude::*;
    use tabiya_text::charset::Charset;

    proptest! {
        #[test]
        fn decoding_never_fails(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            for charset in Charset::all() {
                let text = charset.decode(&bytes);
                let again = charset.encode(&text);
                prop_assert_eq!(charset.round_trips(&bytes), again == Ok(bytes.clone()));
                let (lossy, replaced) = charset.encode_lossy(&text);
                prop_assert_eq!((Ok(lossy), replaced), (again, 0));
            }
        }

        #[test]
        fn surrogates_in_three_bytes(units in prop::collection::vec(prop::sample::select(vec![&b"\xED\xA0\xBD"[..], b"\xED\xB8\x80", b"\xED", b"a", b"\xC3\xA9", b"\xBD"]), 0..12)) {
            let bytes = units.concat();
            let text = Charset::Cesu8.decode(&bytes).into_owned();
            let again = Charset::Cesu8.encode(&text).expect("CESU-8 holds all characters");
            prop_assert_eq!(Charset::Cesu8.decode(&again), text);
        }

        #[test]
        fn unicode_holds_any_text(text in ".{0,40}") {
            for charset in [Charset::Utf8, Charset::Cesu8, Charset::Utf16Le, Charset::Utf16Be] {
                let bytes = charset.encode(&text).expect("Unicode holds all characters");
                prop_assert_eq!(charset.decode(&bytes), text.as_str());
            }
        }

        #[test]
        fn any_text_is_encoded_somehow(text in ".{0,40}") {
            for charset in Charset::all() {
                let (bytes, replaced) = charset.encode_lossy(&text);
                prop_assert_eq!(charset.encode(&text) == Ok(bytes), replaced == 0);
            }
        }
    }
}
