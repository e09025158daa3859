//! Names that are spelt in several ways: found, shown with the evidence, and corrected.

mod corrections;
mod event_names;
mod known_names;
mod players;
pub mod rating_list;
pub mod spelling_file;

use tabiya_answers::{NameAnswer, NameGroupAnswer, NameKindAnswer, NameVariantAnswer, NamesAnswer};
use tabiya_model::facts::NameTable;
use tabiya_model::{Control, JobCompletion, Result};

use self::spelling_file::{SpellingCorrection, SpellingFileEntry};
use crate::select::gather::gather;
use crate::select::selection::Selection;

pub use corrections::{NamesCorrection, NamesCorrectionReport, NamesFillOptions, copy, in_place};

/// Which names are compared.
#[derive(Clone, Debug)]
pub struct NamesOptions {
    /// The kinds of names.
    pub tables: Vec<NameTable>,
    /// Names that differ in one letter are shown too.
    pub misspelt: bool,
}

impl Default for NamesOptions {
    fn default() -> NamesOptions {
        NamesOptions {
            tables: TABLES.iter().map(|(_, table)| *table).collect(),
            misspelt: true,
        }
    }
}

/// The kinds of names, as they are chosen.
pub const TABLES: [(&str, NameTable); 4] = [
    ("players", NameTable::Players),
    ("events", NameTable::Events),
    ("sites", NameTable::Sites),
    ("rounds", NameTable::Rounds),
];

/// The name of a kind.
#[must_use]
pub fn table_name(table: NameTable) -> &'static str {
    let known = TABLES.iter().find(|(_, known)| *known == table);
    known.map_or("", |(name, _)| name)
}

/// How a name differs from the one that is kept.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum VariantKind {
    /// In case, accents, punctuation, or transliteration.
    Spelling,
    /// It has a title before it.
    Title,
    /// First and last name have changed places.
    Swapped,
    /// Given names are abbreviated or missing.
    Short,
    /// One letter differs.
    Misspelt,
    /// The country is missing or added.
    Country,
}

impl VariantKind {
    /// Its name for programs.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            VariantKind::Spelling => "spelling",
            VariantKind::Title => "title",
            VariantKind::Swapped => "swapped",
            VariantKind::Short => "short",
            VariantKind::Misspelt => "misspelt",
            VariantKind::Country => "country",
        }
    }
}

/// A name, and its games.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NameUsage {
    /// The name.
    pub name: String,
    /// Its games.
    pub games: u64,
    /// The first and the last year of its games.
    pub years: Option<(u16, u16)>,
    /// The lowest and the highest Elo in its games.
    pub elos: Option<(u16, u16)>,
}

/// A name that may be another spelling.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NameVariant {
    /// The name.
    pub named: NameUsage,
    /// How it differs.
    pub how: VariantKind,
    /// The evidence, each a sentence.
    pub evidence: Vec<String>,
    /// Other names that it may stand for as well: then it is ambiguous, and nothing is corrected.
    pub or: Vec<String>,
}

/// A name with its variants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamesCluster {
    /// The kind of name.
    pub table: NameTable,
    /// The one that is kept.
    pub keep: NameUsage,
    /// The others.
    pub variants: Vec<NameVariant>,
}

/// The variants that were found.
#[derive(Clone, Debug, Default)]
pub struct NamesReport {
    /// The groups, those with the most games first.
    pub groups: Vec<NamesCluster>,
    /// Names that were compared.
    pub names: u64,
    /// Damaged games among those that had to be read.
    pub damaged: u64,
    /// Notes on indexes that are not used, and on names that were not compared.
    pub notes: Vec<String>,
    /// Whether all games were read.
    pub ended: JobCompletion,
}

impl NameUsage {
    fn answer(&self) -> NameAnswer {
        NameAnswer {
            name: self.name.clone(),
            games: self.games,
            years: self.years,
            elos: self.elos,
        }
    }
}

impl NamesCluster {
    /// The group for programs.
    #[must_use]
    pub fn answer(&self) -> NameGroupAnswer {
        let variants = self.variants.iter().map(|variant| NameVariantAnswer {
            name: variant.named.answer(),
            how: variant.how.name(),
            evidence: variant.evidence.clone(),
            or: variant.or.clone(),
        });
        NameGroupAnswer {
            kind: match self.table {
                NameTable::Players => NameKindAnswer::Players,
                NameTable::Events => NameKindAnswer::Events,
                NameTable::Sites => NameKindAnswer::Sites,
                NameTable::Rounds => NameKindAnswer::Rounds,
            },
            keep: self.keep.answer(),
            variants: variants.collect(),
        }
    }
}

impl NamesReport {
    /// How many names may be other spellings.
    #[must_use]
    pub fn variants(&self) -> u64 {
        self.groups
            .iter()
            .map(|group| group.variants.len() as u64)
            .sum()
    }

    /// The answer for programs.
    #[must_use]
    pub fn answer(&self) -> NamesAnswer {
        NamesAnswer {
            names: self.names,
            damaged: self.damaged,
            groups: self.groups.iter().map(NamesCluster::answer).collect(),
            whole: self.ended.is_whole(),
        }
    }

    /// A spelling file that makes these corrections, without ambiguous names.
    #[must_use]
    pub fn spelling_file(&self) -> String {
        let sections = self.groups.iter().filter_map(|group| {
            let sure = group
                .variants
                .iter()
                .filter(|variant| variant.or.is_empty());
            let spellings = sure.map(|variant| SpellingCorrection {
                name: &variant.named.name,
                remark: format!("{}: {}", variant.how.name(), variant.evidence.join("; ")),
            });
            let spellings: Vec<SpellingCorrection<'_>> = spellings.collect();
            (!spellings.is_empty()).then_some(SpellingFileEntry {
                table: group.table,
                keep: &group.keep.name,
                spellings,
            })
        });
        spelling_file::text(&sections.collect::<Vec<_>>())
    }
}

/// Finds names that are spelt in several ways.
///
/// # Errors
///
/// If games cannot be read.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("games.pgn");
/// # let game = |white| format!("[White \"{white}\"]\n[Black \"Karpov, Anatoly\"]\n[Date \"1985.09.03\"]\n[Result \"1-0\"]\n\n1. d4 1-0\n\n");
/// # std::fs::write(&path, game("Kasparov, Garry") + &game("Kasparov, Garry") + &game("Kasparov, G"))?;
/// use tabiya::Selection;
/// use tabiya::model::Control;
/// use tabiya::names::{NamesOptions, find};
///
/// let answer = find(&Selection::of(tabiya::open(&path)?), &NamesOptions::default(), &Control::default())?;
/// for group in &answer.groups {
///     println!("{}: {} other spellings", group.keep.name, group.variants.len());
/// }
/// assert!(answer.spelling_file().contains("Kasparov, Garry\n= Kasparov, G"));
/// # Ok(())
/// # }
/// ```
pub fn find(games: &Selection, options: &NamesOptions, control: &Control) -> Result<NamesReport> {
    let gathering = gather(games, control)?;
    let gathered = gathering.games;
    let mut answer = NamesReport {
        damaged: gathering.damaged,
        notes: gathering.notes,
        ended: gathering.ended,
        ..NamesReport::default()
    };
    for table in &options.tables {
        if !answer.ended.is_whole() {
            break;
        }
        let known = known_names::KnownNames::of(&gathered, *table);
        answer.names += known.len() as u64;
        let (groups, ended) = match table {
            NameTable::Players => players::groups(
                &known,
                &gathered,
                options.misspelt,
                &mut answer.notes,
                control,
            ),
            table => event_names::groups(&known, *table, control),
        };
        answer.groups.extend(groups);
        answer.ended = answer.ended.and(ended);
    }
    Ok(answer)
}
