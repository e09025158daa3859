//! The skeleton of a name, without differences of spelling: so `Korchnoi, Viktor` and `Kortschnoi, V` are forms of one
//! name, and `Müller` is `Mueller`. People do not see it.

use crate::language::fold::fold;

/// What is written in several ways and begins with a letter, and what stands for all of them. Longer ones come first.
fn sounds(first: char) -> &'static [(&'static str, &'static str)] {
    match first {
        'a' => &[("ae", "a")],
        'c' => &[("cz", "c"), ("ch", "c"), ("ck", "k"), ("cs", "c")],
        'd' => &[("dzh", "j"), ("dsh", "j")],
        'e' => &[("ey", "ei")],
        'g' => &[("gh", "g")],
        'i' => &[("ij", "i"), ("iy", "i")],
        'j' => &[("ju", "iu"), ("ja", "ia"), ("j", "i")],
        'k' => &[("kh", "h"), ("ks", "x")],
        'o' => &[("oe", "o"), ("ou", "u")],
        'p' => &[("ph", "f")],
        'q' => &[("q", "k")],
        's' => &[
            ("schtsch", "s"),
            ("shch", "s"),
            ("szcz", "s"),
            ("sch", "s"),
            ("sh", "s"),
            ("sz", "s"),
        ],
        't' => &[
            ("tsch", "c"),
            ("tch", "c"),
            ("th", "t"),
            ("ts", "c"),
            ("tz", "c"),
        ],
        'u' => &[("ue", "u")],
        'w' => &[("w", "v")],
        'y' => &[
            ("yo", "io"),
            ("yu", "iu"),
            ("ya", "ia"),
            ("yi", "i"),
            ("y", "i"),
        ],
        'z' => &[("zh", "s"), ("z", "s")],
        _ => &[],
    }
}

/// Letters of Cyrillic, as they are written in Latin ones.
const CYRILLIC: [(char, &str); 35] = [
    ('а', "a"),
    ('б', "b"),
    ('в', "v"),
    ('г', "g"),
    ('д', "d"),
    ('е', "e"),
    ('ж', "zh"),
    ('з', "z"),
    ('и', "i"),
    ('й', "i"),
    ('к', "k"),
    ('л', "l"),
    ('м', "m"),
    ('н', "n"),
    ('о', "o"),
    ('п', "p"),
    ('р', "r"),
    ('с', "s"),
    ('т', "t"),
    ('у', "u"),
    ('ф', "f"),
    ('х', "kh"),
    ('ц', "ts"),
    ('ч', "ch"),
    ('ш', "sh"),
    ('щ', "shch"),
    ('ъ', ""),
    ('ы', "y"),
    ('ь', ""),
    ('э', "e"),
    ('ю', "yu"),
    ('я', "ya"),
    ('і', "i"),
    ('ї', "i"),
    ('є', "e"),
];

/// The skeleton of a name: folded, in Latin letters, each sound in one spelling, no letter twice in a row. Commas and
/// spaces stay, so that it can be read as a name again.
pub fn skeleton(name: &str) -> String {
    let mut latin = fold(name);
    if !latin.is_ascii() {
        let mut letters = String::with_capacity(latin.len());
        for c in latin.chars() {
            match CYRILLIC.iter().find(|(letter, _)| *letter == c) {
                Some((_, text)) => letters.push_str(text),
                None => letters.push(c),
            }
        }
        latin = letters.into();
    }
    let mut out = String::with_capacity(latin.len());
    let mut rest = &*latin;
    while let Some(first) = rest.chars().next() {
        let sound = sounds(first)
            .iter()
            .find(|(text, _)| rest.starts_with(text));
        let length = match sound {
            Some((text, sound)) => {
                push_once(&mut out, sound);
                text.len()
            }
            None => {
                let mut letter = [0; 4];
                push_once(&mut out, first.encode_utf8(&mut letter));
                first.len_utf8()
            }
        };
        rest = rest.get(length..).unwrap_or("");
    }
    out
}

/// Appends letters, each only where it does not stand at the end already.
fn push_once(out: &mut String, text: &str) {
    for c in text.chars() {
        if !c.is_alphabetic() || !out.ends_with(c) {
            out.push(c);
        }
    }
}

/// The shortest surname in which one letter may be wrong.
pub const LONG: usize = 6;

/// Whether one letter was added, left out or changed, or two neighbours have changed places.
pub fn is_one_letter_apart(one: &str, other: &str) -> bool {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let (short, long) = if one.len() <= other.len() {
        (one, other)
    } else {
        (other, one)
    };
    if long.len() - short.len() > 1 {
        return false;
    }
    let same = short.iter().zip(&long).take_while(|(a, b)| a == b).count();
    let rest = |signs: &[char], from: usize| signs.get(from..).unwrap_or(&[]).to_vec();
    if short.len() < long.len() {
        return rest(&short, same) == rest(&long, same + 1);
    }
    let swapped = short.get(same) == long.get(same + 1) && short.get(same + 1) == long.get(same);
    rest(&short, same + 1) == rest(&long, same + 1)
        || (swapped && rest(&short, same + 2) == rest(&long, same + 2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::names::NameTest;

    #[test]
    fn spellings_of_a_name_have_one_skeleton() {
        for (one, two) in [
            ("Müller, Karsten", "Mueller, Karsten"),
            ("Korchnoi, Viktor", "Kortschnoi, Viktor"),
            ("Yusupov, Artur", "Jussupow, Artur"),
            ("Иванчук, Василий", "Ivanchuk, Vasily"),
            ("Tchigorin, M", "Chigorin, M"),
            ("Khalifman, A", "Halifman, A"),
        ] {
            assert_eq!(skeleton(one), skeleton(two), "{one} / {two}");
        }
        for (one, two) in [
            ("Karpov, A", "Kasparov, A"),
            ("Polgar, J", "Polgar, S"),
            ("Short, N", "Shirov, A"),
        ] {
            assert_ne!(skeleton(one), skeleton(two), "{one} / {two}");
        }
    }

    #[test]
    fn skeletons_are_names() {
        let test = NameTest::new(&skeleton("Jussupow, A"));
        assert!(test.matches(&skeleton("Yusupov, Artur")));
        assert!(!test.matches(&skeleton("Yusupov, Igor")));
    }
}
