//! `tabiya explore`: the moves played in a position, and how they scored.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use shakmaty::Color;
use tabiya::explorer::{
    self, ExploreAnswer, ExploreFilter, ExploreLimits, ExploreLine, Explorer, OpeningTree,
    OpeningTreeBounds, opening_after, percentages, san_of,
};
use tabiya::{OpenedBases, Target};
use tabiya_answers::Answer;
use tabiya_explore::tally::ShownGame;
use tabiya_formats::format::{Format, WriteOptions};
use tabiya_model::Control;
use tabiya_model::board::Board;
use tabiya_model::outcome::Outcome;

use super::args::{FormatValues, JobsArgs, ReadArgs};
use super::exit::Exit;
use super::output::{self, TerminalColors, count, grouped, printable, say};
use super::progress::ProgressLine;
use super::select_args::SelectArgs;
use super::table::{fit, room};
use super::{convert, explore_book, report};

#[derive(Args, Debug)]
pub(crate) struct ExploreArgs {
    /// Databases and opening books; `-` is standard input
    #[arg(required = true)]
    bases: Vec<PathBuf>,
    /// Position as FEN [default: the normal starting position]
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,
    /// Moves that lead to the position, such as "1.e4 c5 2.Nf3" (from --fen if given)
    #[arg(long, value_name = "MOVES")]
    line: Option<String>,
    /// Print JSON in the format of the Lichess opening explorer
    #[arg(long, value_enum, value_name = "SHAPE", num_args = 0..=1, default_missing_value = "masters")]
    json: Option<LichessEndpointArg>,
    /// Show at most N moves
    #[arg(long = "limit", short = 'n', alias = "moves", value_name = "N")]
    moves: Option<usize>,
    /// Show at most N of the games with the highest ratings
    #[arg(long = "top-games", alias = "top", value_name = "N")]
    top: Option<usize>,
    /// Show at most N of the latest games
    #[arg(long = "recent-games", alias = "recent", value_name = "N")]
    recent: Option<usize>,
    /// Show the tree of moves from the position
    #[arg(long, value_enum, value_name = "FORM", num_args = 0..=1, default_missing_value = "text", conflicts_with = "json", help_heading = "Tree")]
    tree: Option<TreeFormatArg>,
    /// Depth of the tree in plies
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=1000), help_heading = "Tree")]
    depth: u16,
    /// Minimum number of games for a move in the tree
    #[arg(long, value_name = "N", default_value_t = 10, help_heading = "Tree")]
    min_games: u64,
    /// Write the tree to this file, for `pgn` in the format of its extension [default: standard output]
    #[arg(
        long,
        short,
        value_name = "FILE",
        requires = "tree",
        help_heading = "Tree"
    )]
    output: Option<PathBuf>,
    /// Format of the file [default: by its extension]
    #[arg(long, value_name = "FORMAT", value_parser = FormatValues, hide_possible_values = true, requires = "tree", help_heading = "Tree")]
    to: Option<&'static Format>,
    /// Replace an existing file
    #[arg(long, help_heading = "Tree")]
    force: bool,
    #[command(flatten)]
    games: ExploreGamesArgs,
    #[command(flatten)]
    select: SelectArgs,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    jobs: JobsArgs,
}

/// Which of the Lichess explorer's answers JSON looks like.
#[derive(ValueEnum, Copy, Clone, PartialEq, Eq, Debug)]
enum LichessEndpointArg {
    /// With top games
    Masters,
    /// With top and recent games
    Lichess,
    /// With recent games; needs --player
    Player,
}

/// How a tree is written.
#[derive(ValueEnum, Copy, Clone, PartialEq, Eq, Debug)]
enum TreeFormatArg {
    /// Plain text
    Text,
    /// JSON
    Json,
    /// One game with variations
    Pgn,
    /// A Polyglot book; weights are two per win and one per draw or unfinished game
    Polyglot,
}

impl From<LichessEndpointArg> for explorer::LichessEndpoint {
    fn from(shape: LichessEndpointArg) -> explorer::LichessEndpoint {
        match shape {
            LichessEndpointArg::Masters => explorer::LichessEndpoint::Masters,
            LichessEndpointArg::Lichess => explorer::LichessEndpoint::Lichess,
            LichessEndpointArg::Player => explorer::LichessEndpoint::Player,
        }
    }
}

/// Which games count.
#[derive(Args, Debug, Clone, Default)]
struct ExploreGamesArgs {
    /// Only games of this player, in any form of the name (as `player:` in a query)
    #[arg(long, value_name = "NAME", help_heading = "Choosing games")]
    player: Option<String>,
    /// The player's colour
    #[arg(long, value_enum, requires = "player", help_heading = "Choosing games")]
    side: Option<ColorArg>,
    /// Only games in which both ratings are in this range, such as 2400-2600 or 2500-
    #[arg(long, value_name = "MIN-MAX", help_heading = "Choosing games")]
    elo: Option<String>,
    /// Only games from this date on, such as 2010 or 2010.05
    #[arg(long, value_name = "DATE", help_heading = "Choosing games")]
    since: Option<String>,
    /// Only games up to this date
    #[arg(long, value_name = "DATE", help_heading = "Choosing games")]
    until: Option<String>,
}

#[derive(ValueEnum, Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum ColorArg {
    /// White
    White,
    /// Black
    Black,
}

impl ColorArg {
    pub(crate) fn color(self) -> Color {
        match self {
            ColorArg::White => Color::White,
            ColorArg::Black => Color::Black,
        }
    }
}

impl ExploreGamesArgs {
    fn choice(&self, variations: bool) -> ExploreFilter {
        ExploreFilter {
            player: self.player.clone(),
            color: self.side.map(ColorArg::color),
            elo: self.elo.clone(),
            since: self.since.clone(),
            until: self.until.clone(),
            variations,
        }
    }
}

pub(crate) fn run(args: &ExploreArgs) -> Result<Exit> {
    let line = ExploreLine::read(args.fen.as_deref(), args.line.as_deref().unwrap_or(""))?;
    if args.json == Some(LichessEndpointArg::Player) && args.games.player.is_none() {
        bail!("--json player needs --player");
    }
    let control = args.jobs.control();
    let mut opened = args.read.opener().open_all(&args.bases).or_fail()?;
    // A book is asked for its moves: its lines are no games. In a tree they are.
    let (bases, books) = match args.tree {
        None => explorer::split_books(opened.bases.clone()),
        Some(_) => (opened.bases.clone(), Vec::new()),
    };
    let progress = ProgressLine::of(&control);
    // Variations are looked into for the position; the query says itself where it looks.
    let mut select = args.select.clone();
    let filter = args
        .games
        .choice(std::mem::take(&mut select.filter.variations));
    let explorer = Explorer::new(select.of(&bases)?, &filter, &control)?;
    let found = explorer.ask(&line, &control)?;
    explorer.notes().iter().for_each(|note| say(note));
    if !found.ended.is_whole() {
        return Ok(Exit::Interrupted);
    }
    let told = explorer::ask_books(&books, line.board());
    let mut exit = Exit::Success;
    if let Some(form) = args.tree {
        exit = tree(args, form, &explorer, &line, &found, &control)?;
        drop(progress);
    } else {
        drop(progress);
        let mut out = output::stdout_of(args.json.is_some());
        if let Some(shape) = args.json {
            let limits = args.limits(
                usize::MAX,
                if shape == LichessEndpointArg::Masters {
                    15
                } else {
                    4
                },
                8,
            );
            let mut answer = explorer::answer(&explorer, &line, &found, &limits, shape.into())?;
            if !books.is_empty() {
                answer.books = Some(told.clone());
            }
            writeln!(out, "{}", answer.json())?;
        } else {
            let limits = args.limits(usize::MAX, 5, 5);
            if books.is_empty() || !bases.is_empty() {
                table(&mut out, &explorer, &line, &found, &limits)?;
            } else {
                heading(&mut out, &line)?;
            }
            for book in &told {
                explore_book::write(&mut out, book, limits.moves)?;
            }
        }
        out.flush()?;
    }
    opened.failed.extend(explorer.failed());
    let is_told = told.iter().any(|book| !book.moves.is_empty());
    Ok(end(&opened, &found, is_told, exit))
}

/// Reports damage, and how the command ends.
fn end(opened: &OpenedBases, found: &ExploreAnswer, is_told: bool, exit: Exit) -> Exit {
    report::print_damaged(found.damaged);
    let is_found = is_told || !found.tally.is_empty();
    let end = report::end(opened, found.damaged > 0, is_found);
    exit.or(end)
}

impl ExploreArgs {
    fn limits(&self, moves: usize, top: usize, recent: usize) -> ExploreLimits {
        ExploreLimits {
            moves: self.moves.unwrap_or(moves),
            top: self.top.unwrap_or(top),
            recent: self.recent.unwrap_or(recent),
        }
    }
}

fn tree(
    args: &ExploreArgs,
    form: TreeFormatArg,
    explorer: &Explorer,
    line: &ExploreLine,
    found: &ExploreAnswer,
    control: &Control,
) -> Result<Exit> {
    let bounds = OpeningTreeBounds {
        depth: usize::from(args.depth),
        least: args.min_games.max(1),
    };
    let tree = OpeningTree::grow(explorer, line.board(), found, bounds, control)?;
    if control.is_stopped() {
        return Ok(Exit::Interrupted);
    }
    let path = args.output.clone().unwrap_or_else(|| PathBuf::from("-"));
    let bases = explorer.bases();
    let form = match form {
        TreeFormatArg::Text => explorer::OpeningTreeFormat::Text,
        TreeFormatArg::Json => explorer::OpeningTreeFormat::Json,
        TreeFormatArg::Polyglot => explorer::OpeningTreeFormat::Book,
        TreeFormatArg::Pgn => {
            let options = WriteOptions {
                force: args.force,
                ..WriteOptions::default()
            };
            let target = Target::new(path, args.to, options)?;
            let written = tree.write_game(&target, &bases, control)?;
            return convert::finish_quietly(&written, &[]);
        }
    };
    tree.write(form, &path, args.force, &bases)?;
    Ok(Exit::Success)
}

/// From which width on the table of moves has room for large numbers.
const WIDE: usize = 112;

/// The opening of the position.
fn heading(out: &mut impl Write, line: &ExploreLine) -> Result<()> {
    if let Some(name) = line.opening() {
        let name = format!("{} {}", name.eco, name.name);
        writeln!(out, "{}", TerminalColors::of_stdout().bold(&name))?;
    }
    Ok(())
}

/// The answer for people.
fn table(
    out: &mut impl Write,
    explorer: &Explorer,
    line: &ExploreLine,
    found: &ExploreAnswer,
    limits: &ExploreLimits,
) -> Result<()> {
    let (board, tally) = (line.board(), &found.tally);
    let paint = TerminalColors::of_stdout();
    heading(out, line)?;
    let total = tally.total();
    writeln!(
        out,
        "{}, {}",
        count(total.games, "game", "games"),
        percentages(&total)
    )?;
    if tally.is_empty() {
        return Ok(());
    }
    // Where the terminal is narrow, numbers are as wide as they have to be.
    let is_narrow = room().is_some_and(|room| room < WIDE);
    let wide = match is_narrow {
        true => grouped(total.games).len().max("games".len()),
        false => 11,
    };
    let heading = format!(
        "{:<8} {:>wide$} {:>5}  {:>wide$} {:>wide$} {:>wide$}  {:>4} {:>5}  {:<10}  {}",
        "move", "games", "%", "White", "draws", "Black", "Elo", "perf", "last", "opening"
    );
    writeln!(out, "\n{}", paint.bold(&fit(&heading)))?;
    let side = board.turn();
    let mean = |mean: Option<f64>| mean.map(|mean| format!("{mean:.0}")).unwrap_or_default();
    for (step, score) in tally.moves().iter().take(limits.moves) {
        #[allow(clippy::cast_precision_loss)]
        let share = score.games as f64 * 100.0 / total.games.max(1) as f64;
        let opening = opening_after(board, *step);
        let last = score.last_date();
        let line = format!(
            "{:<8} {:>wide$} {share:>5.1}  {:>wide$} {:>wide$} {:>wide$}  {:>4} {:>5}  {:<10}  {}",
            san_of(board, *step),
            grouped(score.games),
            grouped(score.white),
            grouped(score.draws),
            grouped(score.black),
            mean(score.mean_elo(side)),
            mean(score.performance(side)),
            if last.is_unknown() {
                String::new()
            } else {
                last.to_string()
            },
            opening
                .map(|opening| format!("{} {}", opening.eco, opening.name))
                .unwrap_or_default(),
        );
        writeln!(out, "{}", fit(&line))?;
    }
    games(out, explorer, board, "Top games", tally.top(), limits.top)?;
    games(
        out,
        explorer,
        board,
        "Latest games",
        tally.recent(),
        limits.recent,
    )?;
    Ok(())
}

fn games(
    out: &mut impl Write,
    explorer: &Explorer,
    board: &Board,
    title: &str,
    list: &[ShownGame],
    most: usize,
) -> Result<()> {
    if list.is_empty() || most == 0 {
        return Ok(());
    }
    writeln!(out, "\n{}", TerminalColors::of_stdout().bold(title))?;
    for shown in list.iter().take(most) {
        let header = explorer.header(shown)?;
        let player = |name: &str, elo: u16| {
            let name = printable(name).into_owned();
            if elo == 0 {
                name
            } else {
                format!("{name} ({elo})")
            }
        };
        let result = match shown.facts.outcome() {
            Outcome::Draw => "½-½",
            other => other.as_pgn(),
        };
        let line = format!(
            "{:<8} {:>9}  {} - {}  {result}  {}",
            san_of(board, shown.step),
            explorer.id(shown),
            player(&header.white, shown.facts.white_elo),
            player(&header.black, shown.facts.black_elo),
            shown.facts.date(),
        );
        writeln!(out, "{}", fit(&line))?;
    }
    Ok(())
}
