//! The letters of the pieces in other languages: to read moves that people type, and to show users which ones a file seems
//! to use.

/// The languages with their letters of king, queen, rook, bishop and knight.
pub const LANGUAGES: [(&str, &str); 20] = [
    (
        "German, Danish, Norwegian, Swedish, Croatian or Slovenian",
        "KDTLS",
    ),
    ("French", "RDTFC"),
    ("Spanish or Italian", "RDTAC"),
    ("Dutch", "KDTLP"),
    ("Portuguese", "RDTBC"),
    ("Polish", "KHWGS"),
    ("Czech", "KDVSJ"),
    ("Hungarian", "KVBFH"),
    ("Finnish", "KDTLR"),
    ("Romanian", "RDTNC"),
    ("Estonian", "KLVOR"),
    ("Icelandic", "KDHBR"),
    ("Catalan", "RDTAC"),
    ("Turkish", "\u{15e}VKFA"),
    ("Russian", "\u{41a}\u{424}\u{41b}\u{421}\u{41a}"),
    ("Bulgarian", "\u{426}\u{414}\u{422}\u{41e}\u{41a}"),
    ("Serbian in Cyrillic", "\u{41a}\u{414}\u{422}\u{41b}\u{421}"),
    ("Ukrainian", "\u{41a}\u{424}\u{422}\u{421}\u{41a}"),
    ("Greek", "\u{3a1}\u{392}\u{3a0}\u{391}\u{399}"),
    ("Esperanto", "RDTKC"),
];

/// The letters of a language by its name, in any case; `figurine` and `english` are known, too.
#[must_use]
pub fn letters_of(name: &str) -> Option<&'static str> {
    let name = name.trim().to_lowercase();
    match name.as_str() {
        "figurine" | "figurines" => {
            return Some("\u{2654}\u{2655}\u{2656}\u{2657}\u{2658}");
        }
        "english" => return Some("KQRBN"),
        // Words of the list that are not names of languages.
        "" | "or" | "in" | "cyrillic" => return None,
        _ => {}
    }
    let is_named = |names: &str| {
        let mut words = names.split([' ', ',']);
        words.any(|word| word.to_lowercase() == name)
    };
    let found = LANGUAGES.iter().find(|(names, _)| is_named(names));
    found.map(|(_, letters)| *letters)
}

/// Advice for a user about the letters in a file.
pub fn advice(seen: &[char]) -> String {
    let fits = |letters: &str| {
        seen.iter()
            .filter(|letter| letter.is_alphabetic())
            .all(|letter| letters.contains(*letter))
    };
    let found: Vec<_> = LANGUAGES
        .iter()
        .filter(|(_, letters)| fits(letters))
        .take(3)
        .map(|(language, letters)| format!("{language} ({letters})"))
        .collect();
    if found.is_empty() {
        String::new()
    } else {
        format!("; the letters may be {}", found.join(" or "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_found_by_each_of_their_names() {
        for (name, letters) in [
            ("german", Some("KDTLS")),
            ("Slovenian", Some("KDTLS")),
            ("Serbian", Some("\u{41a}\u{414}\u{422}\u{41b}\u{421}")),
            ("english", Some("KQRBN")),
            ("", None),
            ("or", None),
            ("KDTLS", None),
        ] {
            assert_eq!(letters_of(name), letters, "{name}");
        }
    }
}
