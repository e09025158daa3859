//! The nearest ASCII for characters that a charset has no code for.

/// Base letters of U+00C0 to U+017F; a space if there is no single one.
const LATIN: &str = concat!(
    "AAAAAA CEEEEIIIIDNOOOOOxOUUUUY  aaaaaa ceeeeiiiidnooooo:ouuuuy y",
    "AaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiIi  JjKkkLlLlLlL",
    "lLlNnNnNn NnOoOoOo  RrRrRrSsSsSsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZzs",
);

/// Base letters of U+1E00 to U+1EFF.
const LATIN_ADDITIONAL: &str = concat!(
    "AaBbBbBbCcDdDdDdDdDdEeEeEeEeEeFfGgHhHhHhHhHhIiIiKkKkKkLlLlLlLlMm",
    "MmMmNnNnNnNnOoOoOoOoPpPpRrRrRrRrSsSsSsSsSsTtTtTtTtUuUuUuUuUuVvVv",
    "WwWwWwWwWwXxXxYyZzZzZzhtwy      AaAaAaAaAaAaAaAaAaAaAaAaEeEeEeEe",
    "EeEeEeEeIiIiOoOoOoOoOoOoOoOoOoOoOoOoUuUuUuUuUuUuUuYyYyYyYy      ",
);

/// U+0410 to U+044F in Latin letters, as federations spell Russian names; the two signs are silent.
#[rustfmt::skip]
const CYRILLIC: [&str; 64] = [
    "A", "B", "V", "G", "D", "E", "Zh", "Z", "I", "Y", "K", "L", "M", "N", "O", "P",
    "R", "S", "T", "U", "F", "Kh", "Ts", "Ch", "Sh", "Shch", "", "Y", "", "E", "Yu", "Ya",
    "a", "b", "v", "g", "d", "e", "zh", "z", "i", "y", "k", "l", "m", "n", "o", "p",
    "r", "s", "t", "u", "f", "kh", "ts", "ch", "sh", "shch", "", "y", "", "e", "yu", "ya",
];

/// Everything else, in ascending order.
///
/// No replacement has a meaning in PGN, so a replaced character cannot break a tag or a comment: double quotes become single
/// ones.
#[rustfmt::skip]
const OTHERS: &[(char, &str)] = &[
    ('\u{A0}', " "), ('¡', "!"), ('¢', "c"), ('£', "GBP"), ('¥', "JPY"), ('¦', "|"), ('§', "S"),
    ('¨', "'"), ('©', "(c)"), ('ª', "a"), ('«', "'"), ('¬', "-"), ('\u{AD}', "-"), ('®', "(r)"),
    ('¯', "-"), ('°', "o"), ('±', "+/-"), ('²', "2"), ('³', "3"), ('´', "'"), ('µ', "u"),
    ('¶', "P"), ('·', "."), ('¸', ","), ('¹', "1"), ('º', "o"), ('»', "'"), ('¼', "1/4"),
    ('½', "1/2"), ('¾', "3/4"), ('¿', "?"), ('Æ', "AE"), ('Þ', "Th"), ('ß', "ss"), ('æ', "ae"),
    ('þ', "th"), ('Ĳ', "IJ"), ('ĳ', "ij"), ('ŉ', "'n"), ('Œ', "OE"), ('œ', "oe"), ('Ə', "A"),
    ('ƒ', "f"), ('Ơ', "O"), ('ơ', "o"), ('Ư', "U"), ('ư', "u"), ('Ǎ', "A"), ('ǎ', "a"),
    ('Ǐ', "I"), ('ǐ', "i"), ('Ǒ', "O"), ('ǒ', "o"), ('Ǔ', "U"), ('ǔ', "u"), ('Ǧ', "G"),
    ('ǧ', "g"), ('Ș', "S"), ('ș', "s"), ('Ț', "T"), ('ț', "t"), ('ə', "a"), ('ʻ', "'"),
    ('ʼ', "'"), ('ˆ', "^"), ('˜', "~"), ('Ё', "E"), ('Ђ', "Dj"), ('Є', "Ye"), ('І', "I"),
    ('Ї', "Yi"), ('Ј', "J"), ('Љ', "Lj"), ('Њ', "Nj"), ('Ћ', "C"), ('Ў', "U"), ('Џ', "Dz"),
    ('ё', "e"), ('ђ', "dj"), ('є', "ye"), ('і', "i"), ('ї', "yi"), ('ј', "j"), ('љ', "lj"),
    ('њ', "nj"), ('ћ', "c"), ('ў', "u"), ('џ', "dz"), ('Ґ', "G"), ('ґ', "g"), ('ẞ', "SS"),
    ('\u{2002}', " "), ('\u{2003}', " "), ('\u{2009}', " "), ('\u{200A}', " "), ('\u{200B}', ""), ('\u{200C}', ""), ('\u{200D}', ""),
    ('\u{200E}', ""), ('\u{200F}', ""), ('‐', "-"), ('‑', "-"), ('‒', "-"), ('–', "-"), ('—', "-"),
    ('―', "-"), ('‘', "'"), ('’', "'"), ('‚', "'"), ('‛', "'"), ('“', "'"), ('”', "'"),
    ('„', "'"), ('‟', "'"), ('•', "*"), ('…', "..."), ('\u{202F}', " "), ('′', "'"), ('″', "'"),
    ('‹', "'"), ('›', "'"), ('‼', "!!"), ('⁄', "/"), ('⁇', "??"), ('⁈', "?!"), ('⁉', "!?"),
    ('\u{2060}', ""), ('€', "EUR"), ('№', "No"), ('™', "(tm)"), ('⅓', "1/3"), ('⅔', "2/3"), ('←', "<-"),
    ('→', "->"), ('−', "-"), ('∓', "-/+"), ('∞', "inf"), ('≈', "~"), ('≠', "!="), ('≤', "<="),
    ('≥', ">="), ('♔', "K"), ('♕', "Q"), ('♖', "R"), ('♗', "B"), ('♘', "N"), ('♙', "P"),
    ('♚', "K"), ('♛', "Q"), ('♜', "R"), ('♝', "B"), ('♞', "N"), ('♟', "P"), ('⩱', "=+"),
    ('⩲', "+="), ('\u{3000}', " "), ('ﬁ', "fi"), ('ﬂ', "fl"), ('\u{FEFF}', ""),
];

/// The character at an index of a table of single characters.
fn single(table: &'static str, place: u32) -> Option<&'static str> {
    let place = usize::try_from(place).ok()?;
    table.get(place..=place).filter(|base| *base != " ")
}

/// The nearest ASCII text, or `None` if there is none; for an invisible mark it is empty, `""`.
pub(super) fn in_ascii(character: char) -> Option<&'static str> {
    let code = u32::from(character);
    let base = match code {
        0x00C0..=0x017F => single(LATIN, code - 0x00C0),
        0x0300..=0x036F => Some(""),
        0x0410..=0x044F => CYRILLIC.get(usize::try_from(code - 0x0410).ok()?).copied(),
        0x1E00..=0x1EFF => single(LATIN_ADDITIONAL, code - 0x1E00),
        _ => None,
    };
    base.or_else(|| {
        let place = OTHERS
            .binary_search_by_key(&character, |&(known, _)| known)
            .ok()?;
        OTHERS.get(place).map(|&(_, near)| near)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_the_right_size_and_order() {
        assert!(LATIN.is_ascii() && LATIN.len() == 0x0180 - 0x00C0);
        assert!(LATIN_ADDITIONAL.is_ascii() && LATIN_ADDITIONAL.len() == 0x1F00 - 0x1E00);
        assert!(OTHERS.is_sorted_by(|a, b| a.0 < b.0));
        for (character, near) in OTHERS {
            assert!(!character.is_ascii() && near.is_ascii());
            assert!(
                !near.contains(['"', '\\', '{', '}', '[', ']', ';', '%']),
                "{near} means something in PGN"
            );
        }
    }

    #[test]
    fn near_characters() {
        let near =
            |text: &str| -> String { text.chars().map(|c| in_ascii(c).unwrap_or("?")).collect() };
        for (text, ascii) in [
            ("éÉßøŁżőŠřđþ", "eEssoLzoSrdth"),
            ("ÀỳṀ", "AyM"),
            ("КарповЩёь", "KarpovShche"),
            ("“„’–…", "'''-..."),
            ("♘½→", "N1/2->"),
            ("\u{301}", ""),
            ("漢", "?"),
        ] {
            assert_eq!(near(text), ascii, "{text}");
        }
    }
}
