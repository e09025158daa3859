//! File names made from tags: safe on every system, and unique.

use std::collections::HashSet;

/// The most bytes of a name that is made of a text.
const LONGEST: usize = 120;

/// Names that Windows keeps for devices, whatever extension follows.
const DEVICES: [&str; 8] = [
    "con", "prn", "aux", "nul", "conin$", "conout$", "com", "lpt",
];

/// Names in use.
#[derive(Clone, Debug, Default)]
pub struct UniqueFileNames {
    /// In the form in which case-insensitive file systems compare them.
    given: HashSet<String>,
}

impl UniqueFileNames {
    /// A name for a text that no other text has.
    pub fn name(&mut self, text: &str) -> String {
        let plain = safe(text);
        let mut name = plain.clone();
        let mut number = 1_u64;
        while !self.given.insert(name.to_lowercase()) {
            number += 1;
            name = format!("{plain}~{number}");
        }
        name
    }
}

/// A text as the stem of a file name: nothing that leads elsewhere, hides it, or that some system refuses.
fn safe(text: &str) -> String {
    let mut name = String::new();
    let mut is_changed = false;
    for c in text.trim().chars() {
        // A letter and an accent of its own are the same name as the accented letter on some systems.
        let is_accent = ('\u{300}'..='\u{36f}').contains(&c);
        is_changed |= is_accent;
        let is_bad = c.is_control()
            || matches!(
                c,
                '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' | '\0'
            )
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
        let c = if is_bad { '_' } else { c };
        if name.len() + c.len_utf8() > LONGEST {
            is_changed = true;
            break;
        }
        name.push(c);
    }
    // Windows drops dots and blanks at the end; a dot in front hides a file, a hyphen looks like an option.
    name.truncate(name.trim_end_matches(['.', ' ', '\u{a0}']).len());
    if name.starts_with(['.', '-', '~', ' ']) {
        name.insert(0, '_');
    }
    if name.chars().all(|c| c == '_') {
        name = "unknown".to_owned();
    }
    if is_device(&name) {
        name.insert(0, '_');
    }
    if is_changed {
        name.push_str(&format!("~{:08x}", checksum(text)));
    }
    name
}

fn is_device(name: &str) -> bool {
    let stem = name
        .split('.')
        .next()
        .unwrap_or(name)
        .trim_end()
        .to_lowercase();
    let (plain, has_digit) = match stem.char_indices().last() {
        Some((at, c)) if c.is_ascii_digit() || matches!(c, '¹' | '²' | '³') => {
            (stem.get(..at).unwrap_or(""), true)
        }
        _ => (stem.as_str(), false),
    };
    match plain {
        "com" | "lpt" => has_digit,
        other => !has_digit && DEVICES.contains(&other),
    }
}

/// FNV-1a of 32 bits.
fn checksum(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_leads_elsewhere() {
        let mut names = UniqueFileNames::default();
        let given: Vec<String> = [
            "Kasparov, Garry",
            "../../etc/passwd",
            "..",
            "CON",
            "con.txt",
            "LPT1",
            "COM",
            "a/b\\c",
            ".hidden",
            "-rf",
            "Nunn ",
            "nunn",
            "NUNN",
            "?",
            "",
            "\u{0}\u{7}",
            "nunn~2",
        ]
        .iter()
        .map(|text| names.name(text))
        .collect();
        assert_eq!(
            given,
            [
                "Kasparov, Garry",
                "_.._.._etc_passwd",
                "unknown",
                "_CON",
                "_con.txt",
                "_LPT1",
                "COM",
                "a_b_c",
                "_.hidden",
                "_-rf",
                "Nunn",
                "nunn~2",
                "NUNN~3",
                "unknown~2",
                "unknown~3",
                "unknown~4",
                "nunn~2~2",
            ]
        );
    }

    #[test]
    fn long_names_are_cut_and_stay_apart() {
        let mut names = UniqueFileNames::default();
        let long = "é".repeat(2048);
        let one = names.name(&long);
        let other = names.name(&format!("{long}x"));
        assert!(one.len() <= LONGEST + 9 && other.len() <= LONGEST + 9);
        assert_ne!(one, other);
        let composed = names.name("M\u{fc}ller");
        let decomposed = names.name("Mu\u{308}ller");
        assert_ne!(composed.chars().next_back(), decomposed.chars().next_back());
    }
}
