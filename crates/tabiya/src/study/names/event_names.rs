//! Events, sites and rounds that are spelt in several ways.

use std::collections::BTreeMap;

use tabiya_model::facts::NameTable;
use tabiya_model::{Control, JobCompletion};
use tabiya_query::spelling::skeleton;

use super::known_names::KnownNames;
use super::{NameUsage, NameVariant, NamesCluster, VariantKind};

/// What is left of a text: the skeletons of its words.
fn words(text: &str) -> String {
    let bones = skeleton(text);
    let words = bones.split(|sign: char| !sign.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// The number of a round as it is said in words and signs: `5` of `Round 5`, `R05` and `5.`, `5.2` of `05.02`.
fn round(text: &str) -> String {
    let lower = text.trim().to_lowercase();
    let rest = ["round", "runde", "rd", "r", "#"]
        .iter()
        .find_map(|front| lower.strip_prefix(front))
        .unwrap_or(&lower);
    let parts = rest.trim().trim_end_matches('.').split('.');
    let parts: Option<Vec<String>> = parts
        .map(|part| {
            part.trim()
                .parse::<u64>()
                .ok()
                .map(|number| number.to_string())
        })
        .collect();
    match parts {
        Some(parts) => parts.join("."),
        None => words(text),
    }
}

/// A site without the country in three capitals at its end.
fn without_country(site: &str) -> Option<&str> {
    let (front, code) = site.trim().rsplit_once(' ')?;
    let is_code = code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase());
    is_code.then(|| front.trim_end_matches([' ', ',']))
}

/// The texts that are one.
pub(super) fn groups(
    names: &KnownNames<'_>,
    table: NameTable,
    control: &Control,
) -> (Vec<NamesCluster>, JobCompletion) {
    let mut by_key: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, known) in names.all.iter().enumerate() {
        if control.is_stopped() {
            return (Vec::new(), control.completion());
        }
        let key = match table {
            NameTable::Rounds => round(known.name),
            _ => words(known.name),
        };
        if !key.is_empty() {
            by_key.entry(key).or_default().push(at);
        }
    }
    // A site that is there with one country only is the same without it.
    let mut with_country: BTreeMap<String, Vec<String>> = BTreeMap::new();
    if table == NameTable::Sites {
        for (key, places) in &by_key {
            for at in places {
                let front = names
                    .all
                    .get(*at)
                    .and_then(|known| without_country(known.name));
                if let Some(front) = front {
                    let full = with_country.entry(words(front)).or_default();
                    if !full.contains(key) {
                        full.push(key.clone());
                    }
                }
            }
        }
    }
    let mut joined: BTreeMap<String, Vec<(usize, VariantKind)>> = BTreeMap::new();
    for (key, places) in &by_key {
        let (key, how) = match with_country.get(key).map(Vec::as_slice) {
            Some([full]) if full != key => (full, VariantKind::Country),
            _ => (key, VariantKind::Spelling),
        };
        let own = joined.entry(key.clone()).or_default();
        own.extend(places.iter().map(|at| (*at, how)));
    }
    let mut groups: Vec<NamesCluster> = joined
        .into_values()
        .filter(|places| places.len() > 1)
        .filter_map(|places| group(names, table, &places))
        .collect();
    groups.sort_by_key(|group| {
        let games: u64 = group
            .variants
            .iter()
            .map(|variant| variant.named.games)
            .sum();
        (
            std::cmp::Reverse(games + group.keep.games),
            group.keep.name.clone(),
        )
    });
    (groups, JobCompletion::Whole)
}

fn group(
    names: &KnownNames<'_>,
    table: NameTable,
    places: &[(usize, VariantKind)],
) -> Option<NamesCluster> {
    let mut all: Vec<(NameUsage, VariantKind)> = places
        .iter()
        .filter_map(|(at, how)| Some((names.named(names.all.get(*at)?), *how)))
        .collect();
    // A site keeps its country; of the others the one with the most games stays.
    all.sort_by_key(|(named, how)| {
        (
            *how == VariantKind::Country,
            std::cmp::Reverse(named.games),
            named.name.clone(),
        )
    });
    let mut all = all.into_iter();
    let (keep, _) = all.next()?;
    let variants = all.map(|(named, how)| {
        let evidence = match (keep.years, named.years) {
            (Some((first, last)), Some((their_first, their_last))) => {
                vec![format!(
                    "years {first}-{last} and {their_first}-{their_last}"
                )]
            }
            _ => Vec::new(),
        };
        NameVariant {
            named,
            how,
            evidence,
            or: Vec::new(),
        }
    });
    let variants = variants.collect();
    Some(NamesCluster {
        table,
        keep,
        variants,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_numbers() {
        for text in ["5", "05", "5.", "Round 5", "R5", "rd. 5", "#5"] {
            let expected = if text == "rd. 5" { "rd 5" } else { "5" };
            assert_eq!(round(text), expected, "{text}");
        }
        assert_eq!(
            (round("05.02"), round("Final")),
            ("5.2".to_owned(), words("final"))
        );
    }

    #[test]
    fn countries_are_three_capitals() {
        assert_eq!(without_country("Wijk aan Zee NED"), Some("Wijk aan Zee"));
        assert_eq!(without_country("London, ENG"), Some("London"));
        assert_eq!(without_country("New York"), None);
    }
}
