//! Words that name an opening when they are typed without `opening:`.

use std::collections::{BTreeSet, HashMap};
use std::sync::OnceLock;

use super::fold::fold;

/// The most words of one phrase.
pub(crate) const MAX_WORDS: usize = 6;

/// Words that mean an opening alone. Other words of names are surnames and places first.
const ALONE: &[&str] = &[
    "sicilian",
    "french",
    "najdorf",
    "dragon",
    "scheveningen",
    "sveshnikov",
    "kalashnikov",
    "taimanov",
    "alapin",
    "rossolimo",
    "benoni",
    "benko",
    "budapest",
    "catalan",
    "dutch",
    "english",
    "grunfeld",
    "nimzo",
    "slav",
    "italian",
    "evans",
    "spanish",
    "lopez",
    "scotch",
    "petrovs",
    "philidor",
    "pirc",
    "scandinavian",
    "vienna",
    "ponziani",
    "latvian",
    "englund",
    "albin",
    "trompowsky",
    "london",
    "colle",
    "stonewall",
    "leningrad",
    "winawer",
    "berlin",
    "giuoco",
    "traxler",
    "fegatello",
    "hedgehog",
    "hippopotamus",
    "orangutan",
    "sokolsky",
    "grob",
    "veresov",
    "jobava",
    "meran",
    "noteboom",
    "ragozin",
    "gambit",
    "countergambit",
    "rauzer",
    "hyperaccelerated",
    "caro",
    "kann",
    "reti",
    "chebanenko",
    "bongcloud",
    "elephant",
    "muzio",
    "kieseritzky",
    "falkbeer",
];

/// What players write, and the name in the table.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("spanish", "ruy lopez"),
    ("petrov", "petrovs"),
    ("petroff", "petrovs"),
    ("petroffs", "petrovs"),
    ("russian game", "petrovs"),
    ("kid", "kings indian"),
    ("qid", "queens indian"),
    ("qgd", "queens gambit declined"),
    ("qga", "queens gambit accepted"),
    ("grunfeld", "grunfeld"),
    ("gruenfeld", "grunfeld"),
    ("center counter", "scandinavian"),
    ("centre counter", "scandinavian"),
    ("nimzoindian", "nimzo indian"),
];

/// One word of a name, and where it is in the name.
struct NameWord {
    folded: String,
    from: usize,
    to: usize,
}

/// All names by their words.
struct PhraseTable {
    names: Vec<(&'static str, Vec<NameWord>)>,
    by_word: HashMap<String, Vec<usize>>,
}

/// The words of a text, without accents and apostrophes.
fn words_of(text: &str) -> Vec<NameWord> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’');
    let mut words = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (is_part(c), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                start = None;
                let word = text.get(from..at).unwrap_or_default();
                let folded = fold(&word.replace(['\'', '’'], "")).into_owned();
                let folded = match folded.as_str() {
                    "defence" => "defense".to_owned(),
                    _ => folded,
                };
                words.push(NameWord {
                    folded,
                    from,
                    to: at,
                });
            }
            _ => {}
        }
    }
    words
}

fn table() -> &'static PhraseTable {
    static TABLE: OnceLock<PhraseTable> = OnceLock::new();
    TABLE.get_or_init(|| {
        let unique: BTreeSet<&'static str> =
            tabiya_openings::all().map(|opening| opening.name).collect();
        let names: Vec<_> = unique
            .into_iter()
            .map(|name| (name, words_of(name)))
            .collect();
        let mut by_word: HashMap<String, Vec<usize>> = HashMap::new();
        for (index, (_, words)) in names.iter().enumerate() {
            for word in words {
                let at = by_word.entry(word.folded.clone()).or_default();
                if at.last() != Some(&index) {
                    at.push(index);
                }
            }
        }
        PhraseTable { names, by_word }
    })
}

/// How names of openings spell a phrase, and how many have it.
fn spellings(phrase: &[String]) -> (BTreeSet<&'static str>, usize) {
    let table = table();
    let mut lists = Vec::new();
    for word in phrase {
        match table.by_word.get(word) {
            Some(list) => lists.push(list),
            None => return (BTreeSet::new(), 0),
        }
    }
    let rarest = lists.into_iter().min_by_key(|list| list.len());
    let mut found = BTreeSet::new();
    let mut names = 0;
    for index in rarest.into_iter().flatten() {
        let Some((name, words)) = table.names.get(*index) else {
            continue;
        };
        let place = words.windows(phrase.len().max(1)).find(|part| {
            part.iter()
                .zip(phrase)
                .all(|(word, asked)| word.folded == *asked)
        });
        if let Some([first, ..]) = place
            && let Some(last) = place.and_then(<[NameWord]>::last)
        {
            found.extend(name.get(first.from..last.to));
            names += 1;
        }
    }
    (found, names)
}

/// An opening that words name.
pub(crate) struct OpeningPhrase {
    /// How names of openings spell it.
    pub(crate) spellings: Vec<&'static str>,
    /// How many names have it.
    pub(crate) names: usize,
    /// Whether the words mean the opening first, and not a player or a place.
    pub(crate) is_first: bool,
}

/// The opening that a phrase names.
pub(crate) fn opening(typed: &str) -> Option<OpeningPhrase> {
    let mut words: Vec<String> = words_of(typed)
        .into_iter()
        .map(|word| word.folded)
        .collect();
    let whole = words.join(" ");
    let other = OTHER_NAMES.iter().find(|(other, _)| *other == whole);
    if let Some((_, name)) = other {
        words = name.split(' ').map(str::to_owned).collect();
    }
    // Pieces and files are no names.
    let is_name = words.len() > 1 || words.iter().any(|word| word.len() >= 4);
    if !is_name || words.len() > MAX_WORDS {
        return None;
    }
    let (spellings, names) = spellings(&words);
    let spellings: Vec<_> = spellings.into_iter().collect();
    if spellings.is_empty() {
        return None;
    }
    let is_first = words.len() > 1
        || other.is_some()
        || words.iter().any(|word| ALONE.contains(&word.as_str()));
    Some(OpeningPhrase {
        spellings,
        names,
        is_first,
    })
}
