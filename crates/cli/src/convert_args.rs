//! The arguments of `tabiya convert` that choose, reshape, sort and split games.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args;
use tabiya::Selection;
use tabiya::bulk::{
    CommentContent, CommentInterval, ComputedTag, ComputedTimes, ConvertPlan, ConvertSelection,
    DuplicateCriterion, PlyLimits, PositionComments, PositionExport, PositionOperation,
    PositionSelection, ReshapeOptions, SplitKey, TagChanges, TagRule,
};
use tabiya::game_order::GameOrder;
use tabiya::numbers::GameNumbers;
use tabiya_model::editor::StripOptions;

use super::args::{JobsArgs, ReadArgs, WriteArgs};
use super::select_args::SelectArgs;

#[derive(Args, Debug)]
pub(crate) struct ConvertArgs {
    /// Sources (several are merged; `-` is standard input; a folder means all databases in it), then the target
    #[arg(required = true, num_args = 1.., value_names = ["SOURCE", "TARGET"])]
    pub(crate) paths: Vec<PathBuf>,
    /// Target [default: the last of the paths]
    #[arg(long, short, value_name = "TARGET")]
    pub(crate) output: Option<PathBuf>,
    /// File that lists more sources, one per line
    #[arg(long, value_name = "FILE")]
    pub(crate) sources: Vec<PathBuf>,
    /// File with options, as on the command line; lines starting with # are comments
    #[arg(long, value_name = "FILE")]
    pub(crate) options: Vec<PathBuf>,
    /// Append to an existing target, as an edit that can be undone
    #[arg(long, conflicts_with_all = ["force", "verify", "split_by"])]
    pub(crate) append: bool,
    /// Stop at the first loss or damaged game and write nothing
    #[arg(long)]
    pub(crate) strict: bool,
    /// Read the target back and compare it with the source
    #[arg(long)]
    pub(crate) verify: bool,
    /// Write a report of all losses and issues as JSON
    #[arg(long, value_name = "FILE.json")]
    pub(crate) report: Option<PathBuf>,
    /// Print the report to standard output
    #[arg(long, conflicts_with = "report")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
    #[command(flatten)]
    pub(crate) choose: ConvertSelectionArgs,
    #[command(flatten)]
    pub(crate) reshape: ReshapeArgs,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    #[command(flatten)]
    pub(crate) write: WriteArgs,
    #[command(flatten)]
    pub(crate) jobs: JobsArgs,
}

#[derive(Args, Debug, Clone, Default)]
pub(crate) struct ConvertSelectionArgs {
    /// Write the games that do not match to this file, without those that `--skip-deleted`, `--only-deleted` or `--unfinished` leaves out
    #[arg(long, value_name = "FILE", help_heading = "Choosing games")]
    pub(crate) rest: Option<PathBuf>,
    /// Drop duplicates: games with the same players, date, round, result and moves (`game`), or with the same moves (`moves`)
    #[arg(long, value_name = "BY", num_args = 0..=1, default_missing_value = "game", require_equals = true,
        value_parser = ["game", "moves"], help_heading = "Choosing games")]
    unique: Option<String>,
    /// With --unique: write the duplicates to this file
    #[arg(
        long = "duplicates",
        alias = "doubles",
        value_name = "FILE",
        requires = "unique",
        help_heading = "Choosing games"
    )]
    pub(crate) doubles: Option<PathBuf>,
    /// With --unique: also treat games in these databases as duplicates
    #[arg(
        long,
        value_name = "BASE",
        requires = "unique",
        help_heading = "Choosing games"
    )]
    known: Vec<PathBuf>,
    /// Sort by fields separated by commas; prefix `-` for descending (docs/query.md)
    #[arg(long, value_name = "FIELDS", allow_hyphen_values = true, value_parser = order, help_heading = "Choosing games")]
    sort: Option<GameOrder>,
    /// Keep only these of the matching games, such as 1-10,20
    #[arg(long, value_name = "RANGES", help_heading = "Choosing games")]
    only: Option<String>,
    /// Drop these of the matching games
    #[arg(long, value_name = "RANGES", help_heading = "Choosing games")]
    without: Option<String>,
    /// Keep every Nth match
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Choosing games")]
    every: Option<u64>,
    /// Keep the first N matches
    #[arg(long = "limit", short = 'n', alias = "first", value_name = "N", conflicts_with_all = ["last", "sample"], help_heading = "Choosing games")]
    first: Option<u64>,
    /// Keep the last N matches
    #[arg(
        long,
        value_name = "N",
        conflicts_with = "sample",
        help_heading = "Choosing games"
    )]
    last: Option<u64>,
    /// Keep a random sample of N matches
    #[arg(long, value_name = "N", help_heading = "Choosing games")]
    sample: Option<u64>,
    /// With --sample: the same seed gives the same sample
    #[arg(
        long,
        value_name = "NUMBER",
        requires = "sample",
        default_value_t = 1,
        help_heading = "Choosing games"
    )]
    seed: u64,
    /// Write a folder of files instead of one target, split by player, white, black, event, site, eco, eco:1, eco:2, opening, year or
    /// result, or every N games; in PGN or the format of --to
    #[arg(long, value_name = "BY", value_parser = split, help_heading = "Choosing games")]
    pub(crate) split_by: Option<SplitKey>,
}

#[derive(Args, Debug, Clone, Default)]
pub(crate) struct ReshapeArgs {
    /// Remove comments, variations, nags, clocks, evaluations, marks, flags or tag:Name
    #[arg(
        long,
        value_name = "KIND,…",
        value_delimiter = ',',
        help_heading = "Changing games"
    )]
    strip: Vec<String>,
    /// Remove everything except these kinds; without a tag:Name all tags are kept
    #[arg(
        long,
        value_name = "KIND,…",
        value_delimiter = ',',
        conflicts_with = "strip",
        help_heading = "Changing games"
    )]
    keep: Vec<String>,
    /// Keep only these plies, such as ..40, 21.. or 21-40; the position before becomes the starting position
    #[arg(long, value_name = "RANGE", value_parser = cut, help_heading = "Changing games")]
    cut: Option<PlyLimits>,
    /// Keep only the moves after the first comment that contains this text
    #[arg(
        long,
        value_name = "TEXT",
        conflicts_with = "cut",
        help_heading = "Changing games"
    )]
    cut_before: Option<String>,
    /// Set tags, such as Event=Candidates; an empty value removes the tag
    #[arg(long, value_name = "TAG=VALUE", value_parser = pair, help_heading = "Changing games")]
    set: Vec<(String, String)>,
    /// Rename tags, such as Comp=Source
    #[arg(long, value_name = "OLD=NEW", value_parser = pair, help_heading = "Changing games")]
    rename_tag: Vec<(String, String)>,
    /// Write these tags first, in this order (implies --keep-tag-order for PGN)
    #[arg(
        long,
        value_name = "TAG,…",
        value_delimiter = ',',
        help_heading = "Changing games"
    )]
    pub(crate) tag_order: Vec<String>,
    /// Rules for tag values, one per line: `White, Black: Kasparov G = Kasparov, Garry` or `Event: /expression/ = text`
    #[arg(long, value_name = "FILE", help_heading = "Changing games")]
    tag_rules: Option<PathBuf>,
    /// Correct the Result tag from the final position or the movetext
    #[arg(long, help_heading = "Changing games")]
    fix_results: bool,
    /// Add tags computed from the moves: eco, opening, ply-count, total-ply-count, material, final-fen, position-hash, moves-hash
    #[arg(long, value_name = "WHAT,…", value_delimiter = ',', value_parser = computed, help_heading = "Changing games")]
    compute: Vec<ComputedTag>,
    /// Add comments with the FEN after every N plies, or at the `end`
    #[arg(long, value_name = "N|end", value_parser = every, num_args = 0..=1, default_missing_value = "1", require_equals = true,
        help_heading = "Changing games")]
    fen_comments: Option<CommentInterval>,
    /// Add comments with the position's hash after every N plies, or at the `end`
    #[arg(long, value_name = "N|end", value_parser = every, num_args = 0..=1, default_missing_value = "1", require_equals = true,
        conflicts_with = "fen_comments", help_heading = "Changing games")]
    hash_comments: Option<CommentInterval>,
    /// Compute missing move times from the clocks (emt), or missing clocks from the move times (clk)
    #[arg(long, value_name = "WHICH", value_parser = ["emt", "clk"], help_heading = "Changing games")]
    times: Option<String>,
    /// Write positions instead of games, for EPD and FEN: all, last, found (where the query first matches), or the number of a ply
    #[arg(long, value_name = "WHICH", value_parser = which, help_heading = "Changing games")]
    positions: Option<PositionSelection>,
    /// With --positions: EPD operations for each: id, bm (the move played, as the best move), sm (the move played, as the supplied
    /// move), c0 (the comment), result [default: id]
    #[arg(long, value_name = "WHAT,…", value_delimiter = ',', value_parser = operation, requires = "positions",
        help_heading = "Changing games")]
    operations: Option<Vec<PositionOperation>>,
}

fn word<T>(result: tabiya_model::Result<T>) -> Result<T, String> {
    result.map_err(|error| error.message)
}

fn order(text: &str) -> Result<GameOrder, String> {
    word(text.parse())
}

fn split(text: &str) -> Result<SplitKey, String> {
    word(SplitKey::parse(text))
}

fn cut(text: &str) -> Result<PlyLimits, String> {
    word(PlyLimits::parse(text))
}

fn computed(text: &str) -> Result<ComputedTag, String> {
    word(ComputedTag::parse(text))
}

fn which(text: &str) -> Result<PositionSelection, String> {
    word(PositionSelection::parse(text))
}

fn operation(text: &str) -> Result<PositionOperation, String> {
    word(PositionOperation::parse(text))
}

fn every(text: &str) -> Result<CommentInterval, String> {
    match (text, text.parse()) {
        ("end", _) => Ok(CommentInterval::End),
        (_, Ok(plies @ 1..)) => Ok(CommentInterval::Plies(plies)),
        _ => Err("give a number of plies, or `end`".to_owned()),
    }
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or("give a name and a value, such as Event=Candidates")?;
    Ok((name.trim().to_owned(), value.to_owned()))
}

impl ConvertSelectionArgs {
    pub(crate) fn selection(&self, games: Selection, read: &ReadArgs) -> Result<ConvertSelection> {
        // Places among games that are chosen: it is unknown how many these will be.
        let places = |text: &Option<String>| match text {
            Some(text) => Ok(GameNumbers::parse(&[text])?.up_to(u64::MAX - 2)),
            None => Ok::<_, anyhow::Error>(Vec::new()),
        };
        let known = match &self.known[..] {
            [] => Vec::new(),
            paths => read.opener().open_all(paths).or_fail()?.bases,
        };
        Ok(ConvertSelection {
            games,
            unique: self.unique.as_deref().map(|by| match by {
                "moves" => DuplicateCriterion::Moves,
                _ => DuplicateCriterion::Game,
            }),
            known,
            sort: self.sort.clone(),
            only: places(&self.only)?,
            without: places(&self.without)?,
            every: self.every,
            first: self.first,
            last: self.last,
            sample: self.sample.map(|sample| (sample, self.seed)),
        })
    }
}

impl ReshapeArgs {
    pub(crate) fn reshape(&self) -> Result<ReshapeOptions> {
        let mut strip = match &self.keep[..] {
            [] => StripOptions::default(),
            kept => StripOptions::all_but(kept).map_err(no_kind)?,
        };
        for kind in &self.strip {
            if !strip.add(kind) {
                return Err(no_kind(kind.clone()));
            }
        }
        let remark = |what, at: Option<CommentInterval>| at.map(|at| PositionComments { what, at });
        Ok(ReshapeOptions {
            cut: match &self.cut_before {
                Some(text) => PlyLimits {
                    before: Some(text.clone()),
                    ..PlyLimits::default()
                },
                None => self.cut.clone().unwrap_or_default(),
            },
            times: self.times.as_deref().map(|which| match which {
                "clk" => ComputedTimes::Left,
                _ => ComputedTimes::Used,
            }),
            strip,
            tags: TagChanges {
                rename: self.rename_tag.clone(),
                rules: match &self.tag_rules {
                    Some(path) => TagRule::parse_all(&text_of(path)?)
                        .with_context(|| path.display().to_string())?,
                    None => Vec::new(),
                },
                set: self.set.clone(),
                order: self.tag_order.clone(),
                fix_results: self.fix_results,
            },
            computed: self.compute.clone(),
            remarks: remark(CommentContent::Fen, self.fen_comments)
                .or(remark(CommentContent::Hash, self.hash_comments)),
        })
    }

    /// Positions instead of games; of a list of FEN nothing is said.
    pub(crate) fn positions(&self, target: &Path) -> Result<Option<PositionExport>> {
        let Some(which) = self.positions else {
            return Ok(None);
        };
        let name = target.to_string_lossy().to_ascii_lowercase();
        let operations = match &self.operations {
            Some(operations) => operations.clone(),
            None if name.contains(".fen") => Vec::new(),
            None => vec![PositionOperation::Id],
        };
        Ok(Some(PositionExport { which, operations }))
    }
}

fn no_kind(kind: String) -> anyhow::Error {
    anyhow!(
        "{kind}: unknown kind; kinds are {}, tag:Name",
        StripOptions::KINDS.join(", ")
    )
}

fn text_of(path: &Path) -> Result<String> {
    tabiya_io::regular_file::read_named_to_string(path).with_context(|| path.display().to_string())
}

/// What is done with the games.
pub(crate) fn convert_plan(
    choose: ConvertSelection,
    args: &ConvertArgs,
    target: &Path,
) -> Result<ConvertPlan> {
    let positions = args.reshape.positions(target)?;
    if matches!(
        positions,
        Some(PositionExport {
            which: PositionSelection::Found,
            ..
        })
    ) && choose.games.query.is_none()
    {
        bail!("--positions found needs a --query");
    }
    Ok(ConvertPlan {
        choose,
        reshape: args.reshape.reshape()?,
        positions,
        split: args.choose.split_by,
    })
}
