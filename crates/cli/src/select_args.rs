//! The arguments that choose games: the same for every command that reads games.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use clap::Args;
use tabiya::numbers::GameNumbers;
use tabiya::{Base, DeletedGames, Selection};
use tabiya_query::{Aliases, Query, QueryContext, SavedQueries};

use super::output::say;
use super::query;
use super::repertoire_files::RepertoireFiles;

/// Which games.
#[derive(Args, Debug, Clone, Default)]
pub(crate) struct SelectArgs {
    /// Only games that match this query (docs/query.md)
    #[arg(long, value_name = "QUERY", help_heading = "Choosing games")]
    pub(crate) query: Option<String>,
    #[command(flatten)]
    pub(crate) filter: SelectFilterArgs,
}

/// The same for a command that has its query elsewhere.
#[derive(Args, Debug, Clone, Default)]
pub(crate) struct SelectFilterArgs {
    /// Only games with these numbers, such as 17 or 20-25,40- or last
    #[arg(
        long,
        value_name = "NUMBERS",
        value_delimiter = ',',
        help_heading = "Choosing games"
    )]
    games: Vec<String>,
    /// Skip games that are marked as deleted
    #[arg(long, help_heading = "Choosing games")]
    skip_deleted: bool,
    /// Only games that are marked as deleted
    #[arg(long, conflicts_with = "skip_deleted", help_heading = "Choosing games")]
    only_deleted: bool,
    /// Only games whose result is `*`
    #[arg(long, help_heading = "Choosing games")]
    unfinished: bool,
    /// Also search variations, unless a term of the query says otherwise
    #[arg(long, help_heading = "Choosing games")]
    pub(crate) variations: bool,
    /// File with other names of players: `Kasparov, Garry = Weinstein, Garik`, or a spelling file (docs/names.md)
    #[arg(long, value_name = "FILE", help_heading = "Choosing games")]
    aliases: Option<PathBuf>,
    /// File with saved queries, `name = query`; use them in queries as `@name`
    #[arg(long, value_name = "FILE", help_heading = "Choosing games")]
    saved: Option<PathBuf>,
    /// Do not use the index beside a database (results are unchanged)
    #[arg(long, help_heading = "Choosing games")]
    pub(crate) no_index: bool,
}

/// The names that queries may use.
pub(crate) struct QueryNames {
    variations: bool,
    aliases: Option<Arc<Aliases>>,
    saved: Option<SavedQueries>,
    repertoires: RepertoireFiles,
}

impl QueryNames {
    pub(crate) fn context(&self) -> QueryContext<'_> {
        QueryContext {
            variations: self.variations,
            aliases: self.aliases.as_deref(),
            saved: self.saved.as_ref(),
            repertoires: Some(&self.repertoires),
        }
    }
}

/// The databases and the numbers of games among words that may be either: words that are not numbers are databases.
pub(crate) fn bases_and_numbers(first: &Path, words: &[String]) -> (Vec<PathBuf>, Vec<String>) {
    let is_number =
        |word: &&String| GameNumbers::parse(&[word]).is_ok() || !Path::new(word).exists();
    let (numbers, bases): (Vec<&String>, Vec<&String>) = words.iter().partition(is_number);
    let bases = bases.into_iter().map(PathBuf::from);
    let all = std::iter::once(first.to_owned()).chain(bases).collect();
    (all, numbers.into_iter().cloned().collect())
}

impl SelectArgs {
    /// The games of some bases that are chosen.
    pub(crate) fn of(&self, bases: &[Base]) -> Result<Selection> {
        Ok(Selection {
            bases: bases.to_vec(),
            ..self.selection()?
        })
    }

    /// The choice of a command that takes numbers as arguments as well.
    pub(crate) fn with_numbers(&self, numbers: &[String]) -> Result<Selection> {
        let mut games = self.selection()?;
        if !numbers.is_empty() {
            if !games.numbers.is_all() {
                bail!("give numbers after the database or with --games, not both");
            }
            games.numbers = GameNumbers::parse(numbers)?;
        }
        Ok(games)
    }

    /// The same for a change, which needs a choice of games.
    pub(crate) fn some(&self, numbers: &[String]) -> Result<Selection> {
        let games = self.with_numbers(numbers)?;
        if games.is_all() {
            bail!("choose games by number or with --query; `--games 1-` means all games");
        }
        Ok(games)
    }

    /// The choice, before the bases are open.
    pub(crate) fn selection(&self) -> Result<Selection> {
        let names = self.filter.names()?;
        let query = match &self.query {
            Some(text) => Some(
                query::read(text, names.context()).map_err(|error| anyhow!("--query: {error}"))?,
            ),
            None => None,
        };
        self.filter.selection(&names, query)
    }
}

impl SelectFilterArgs {
    /// The names that the query may use.
    pub(crate) fn names(&self) -> Result<QueryNames> {
        Ok(QueryNames {
            variations: self.variations,
            aliases: query::aliases(self.aliases.as_deref())?.map(Arc::new),
            saved: query::saved(self.saved.as_deref())?,
            repertoires: RepertoireFiles::default(),
        })
    }

    /// The choice with a query.
    pub(crate) fn selection(&self, names: &QueryNames, query: Option<Query>) -> Result<Selection> {
        if let Some(note) = query.as_ref().and_then(Query::note) {
            say(&note);
        }
        Ok(Selection {
            bases: Vec::new(),
            query: query.map(Arc::new),
            numbers: GameNumbers::parse(&self.games)?,
            deleted: match (self.skip_deleted, self.only_deleted) {
                (true, _) => DeletedGames::LeftOut,
                (_, true) => DeletedGames::Only,
                _ => DeletedGames::Included,
            },
            unfinished: self.unfinished,
            aliases: names.aliases.clone(),
            index: !self.no_index,
        })
    }
}
