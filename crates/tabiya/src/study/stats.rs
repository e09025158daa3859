//! Statistics of bases: any number of them, in one pass over each base, from its index if that suffices.

use std::io::Write;
use std::path::Path;

use tabiya_answers::StatisticsAnswer;
use tabiya_io::output::{self, OutputFile};
use tabiya_model::collect::CollectorPass;
use tabiya_model::{Control, Database, Error, JobCompletion, Result};
use tabiya_stats::{KINDS, StatisticKind, StatisticRun, StatsTable, by_name, csv, plot};

use crate::error_codes;
use crate::open::base::Base;
use crate::select::base_view::{self, BaseView, GameCount};
use crate::select::selection::Selection;

/// What to count.
#[derive(Clone, Debug)]
pub struct StatsOptions {
    /// The names of the statistics; by default, all that an index can answer.
    pub only: Vec<String>,
    /// Also count statistics that need the games themselves.
    pub full: bool,
    /// The maximum number of names in a list.
    pub top: usize,
}

impl Default for StatsOptions {
    fn default() -> StatsOptions {
        StatsOptions {
            only: Vec::new(),
            full: false,
            top: 20,
        }
    }
}

/// The counts.
#[derive(Clone, Debug, Default)]
pub struct StatsReport {
    /// The names of the bases.
    pub bases: Vec<String>,
    /// Games that were counted.
    pub games: u64,
    /// Damaged games among them that were read: the readable parts were counted.
    pub damaged: u64,
    /// The statistics.
    pub tables: Vec<StatsTable>,
    /// Notes on indexes that are not used.
    pub notes: Vec<String>,
    /// Whether all games were counted.
    pub ended: JobCompletion,
}

/// A chart of statistics.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum PlotFormat {
    /// A vector image (SVG).
    Svg,
    /// A bitmap (PNG).
    Png,
}

impl PlotFormat {
    /// The kind of chart by a file's extension.
    pub fn of_path(path: &Path) -> Option<PlotFormat> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match &*extension {
            "svg" => Some(PlotFormat::Svg),
            "png" => Some(PlotFormat::Png),
            _ => None,
        }
    }
}

impl StatsReport {
    /// The statistics for programs.
    pub fn answer(&self) -> StatisticsAnswer {
        StatisticsAnswer {
            bases: self.bases.clone(),
            games: self.games,
            damaged: self.damaged,
            statistics: self.tables.iter().map(StatsTable::answer).collect(),
            whole: self.ended.is_whole(),
        }
    }

    /// The statistics as comma-separated values.
    pub fn csv(&self) -> String {
        csv::csv(&self.tables)
    }

    /// Writes a chart of the statistics, never over the files of these bases.
    pub fn write_picture(
        &self,
        picture: PlotFormat,
        path: &Path,
        force: bool,
        bases: &[Base],
    ) -> Result<()> {
        let options = output::OutputOptions {
            force,
            sources: bases.iter().flat_map(Base::files).collect(),
        };
        let failed = |error| Error::from(std::io::Error::from(error));
        let drawn = self.picture(picture)?;
        let mut out = OutputFile::create(path, &options).map_err(failed)?;
        out.write_all(&drawn)?;
        out.commit().map_err(failed)
    }

    /// The statistics as a chart, one panel each.
    pub fn picture(&self, picture: PlotFormat) -> Result<Vec<u8>> {
        match picture {
            PlotFormat::Svg => Ok(plot::svg(&self.tables).into_bytes()),
            PlotFormat::Png => plot::png(&self.tables).map_err(|problem| {
                Error::new(
                    &error_codes::NO_PICTURE,
                    format!("the chart cannot be drawn: {problem}"),
                )
            }),
        }
    }
}

/// The statistics that are wanted.
fn chosen(options: &StatsOptions) -> Result<Vec<&'static StatisticKind>> {
    if options.only.is_empty() {
        let kinds = KINDS.iter().copied();
        return Ok(kinds.filter(|kind| options.full || !kind.full).collect());
    }
    let names = options.only.iter();
    names
        .map(|name| {
            by_name(name).ok_or_else(|| {
                let all: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
                Error::new(
                    &error_codes::NO_SUCH_STATISTIC,
                    format!(
                        "there is no statistic {name}; available: {}",
                        all.join(", ")
                    ),
                )
                .with("name", name)
                .with("available", all.join(", "))
            })
        })
        .collect()
}

/// Counts games.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/si5/ok/sample.si5");
/// use tabiya::Selection;
/// use tabiya::model::Control;
/// use tabiya::stats::{StatsOptions, stats};
///
/// let options = StatsOptions { only: vec!["results".to_owned()], ..StatsOptions::default() };
/// let counts = stats(&Selection::of(tabiya::open(path)?), &options, &Control::default())?;
/// assert_eq!(counts.games, 5);
/// for row in &counts.tables[0].rows {
///     println!("{}: {}", row.label, row.score.games());
/// }
/// # Ok(())
/// # }
/// ```
pub fn stats(games: &Selection, options: &StatsOptions, control: &Control) -> Result<StatsReport> {
    let mut tally = StatsPass::new(options)?;
    let mut counts = StatsReport::default();
    for (at, base) in (1..).zip(&games.bases) {
        if control.is_stopped() {
            counts.ended = control.completion();
            break;
        }
        counts.bases.push(base.name().to_owned());
        let view = BaseView::open(games, base, control, &mut counts.notes)?;
        tally.is_last = at == games.bases.len();
        let ended = tally.count(base, view.as_ref(), &mut counts, control)?;
        counts.notes.extend(view.and_then(|view| view.damage()));
        counts.ended = counts.ended.and(ended);
    }
    counts.tables = tally.tables();
    counts.ended = counts.ended.and(control.completion());
    Ok(counts)
}

/// The statistics under way.
struct StatsPass {
    kinds: Vec<&'static StatisticKind>,
    running: Vec<Box<dyn StatisticRun>>,
    /// How many names a list of them has at most.
    most: Option<usize>,
    /// Whether no base comes after this one.
    is_last: bool,
    tables: Vec<StatsTable>,
}

impl StatsPass {
    fn new(options: &StatsOptions) -> Result<StatsPass> {
        let kinds = chosen(options)?;
        Ok(StatsPass {
            running: kinds.iter().map(|kind| (kind.begin)()).collect(),
            kinds,
            most: Some(options.top),
            is_last: false,
            tables: Vec::new(),
        })
    }

    /// Counts the games of a base.
    fn count(
        &mut self,
        base: &Base,
        view: Option<&BaseView<'_>>,
        counts: &mut StatsReport,
        control: &Control,
    ) -> Result<JobCompletion> {
        let mut games = (0, 0);
        let mut pass = CollectorPass::new();
        pass.sum(&GameCount, &mut games);
        for statistic in &mut self.running {
            statistic.join(&mut pass);
        }
        let ended = base_view::run(base, view, pass, control)?;
        self.settle(view.map(BaseView::database));
        counts.games += games.0;
        counts.damaged += games.1;
        Ok(ended)
    }

    /// Ends the pass over a database. Those of names have much to do here, so that several are looked at at the same time,
    /// and their tables made as well where nothing comes after them.
    fn settle(&mut self, database: Option<&dyn Database>) {
        let facts = database.and_then(Database::facts);
        let (most, is_last) = (self.most, self.is_last);
        self.tables = std::thread::scope(|scope| {
            let statistics = self.running.iter_mut().zip(&self.kinds);
            let threads: Vec<_> = statistics
                .map(|(one, kind)| {
                    scope.spawn(move || {
                        one.settle(facts);
                        is_last.then(|| StatsTable::new(kind, one.rows(most), most))
                    })
                })
                .collect();
            let ended = threads.into_iter().map(|thread| thread.join());
            ended
                .filter_map(|done| done.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                .collect()
        });
    }

    fn tables(self) -> Vec<StatsTable> {
        if self.is_last {
            return self.tables;
        }
        let statistics = self.kinds.into_iter().zip(&self.running);
        statistics
            .map(|(kind, one)| StatsTable::new(kind, one.rows(self.most), self.most))
            .collect()
    }
}
