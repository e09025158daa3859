//! Folding: texts without case and accents, so that `Müller`, `MULLER` and `muller` are equal.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Letters that no decomposition takes apart, with what people type for them.
const LETTERS: [(char, &str); 18] = [
    ('ß', "ss"),
    ('æ', "ae"),
    ('œ', "oe"),
    ('ø', "o"),
    ('đ', "d"),
    ('ð', "d"),
    ('ħ', "h"),
    ('ı', "i"),
    ('ĸ', "k"),
    ('ł', "l"),
    ('ŋ', "n"),
    ('þ', "th"),
    ('ŧ', "t"),
    ('ƒ', "f"),
    ('ſ', "s"),
    ('ʻ', "'"),
    ('’', "'"),
    ('‘', "'"),
];

/// The text in lower case and without accents.
pub fn fold(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        if text.bytes().any(|b| b.is_ascii_uppercase()) {
            return Cow::Owned(text.to_ascii_lowercase());
        }
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    fold_wide(text, &mut out);
    Cow::Owned(out)
}

fn fold_wide(text: &str, out: &mut String) {
    for c in text.nfkd().filter(|c| !is_combining_mark(*c)) {
        for lower in c.to_lowercase() {
            match LETTERS.iter().find(|(letter, _)| *letter == lower) {
                Some((_, plain)) => out.push_str(plain),
                // The lower case of a few capitals has a combining mark of its own.
                None if is_combining_mark(lower) => {}
                None => out.push(lower),
            }
        }
    }
}

/// The text without accents, its case kept: what regular expressions see.
pub fn without_accents(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.nfkd().filter(|c| !is_combining_mark(*c)) {
        match LETTERS.iter().find(|(letter, _)| *letter == c) {
            Some((_, plain)) => out.push_str(plain),
            None => out.push(c),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents_and_case_go() {
        assert_eq!(fold("Müller"), "muller");
        assert_eq!(
            fold("Ñandú ŁÓDŹ Ørsted Straße"),
            "nandu lodz orsted strasse"
        );
        assert_eq!(fold("ЁЛКИ"), "елки");
        assert_eq!(fold("İstanbul"), "istanbul");
        assert!(matches!(fold("plain text"), Cow::Borrowed(_)));
        assert_eq!(without_accents("Čech"), "Cech");
    }

    #[test]
    fn folding_twice_changes_nothing() {
        for text in ["Ǆ İ ẞ ﬁ Å", "Đoković", "’tis"] {
            let once = fold(text).into_owned();
            assert_eq!(fold(&once), once);
        }
    }
}
