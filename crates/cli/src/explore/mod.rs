//! `tabiya explore`: what was played in a position, and how it scored.

mod bases;
mod json;
mod tree;

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, anyhow, bail};
use clap::{Args, ValueEnum};
use tabiya_explore::explorer::Target;
use tabiya_explore::key::Key;
use tabiya_explore::openings::{self, Opening};
use tabiya_explore::step::Step;
use tabiya_explore::tally::{Score, Shown, Tally};
use tabiya_model::board::{Board, CastlingStyle};
use tabiya_model::outcome::Outcome;
use tabiya_model::positions::Delta;

use super::args::{JobsArgs, ReadArgs};
use super::exit::Exit;
use super::interrupt;
use super::output::{self, Paint, count, grouped, printable, say};
use bases::{Bases, Choice};
use tree::{Bounds, Tree};

#[derive(Args, Debug)]
pub(crate) struct ExploreArgs {
    /// The databases; `-` is standard input
    #[arg(required = true)]
    bases: Vec<PathBuf>,
    /// The position as a FEN record; the normal starting position unless said
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,
    /// Moves that lead to the position, such as "1.e4 c5 2.Nf3", from --fen if there is one
    #[arg(long, value_name = "MOVES")]
    line: Option<String>,
    /// As JSON in the shape of the Lichess explorer
    #[arg(long, value_enum, value_name = "SHAPE", num_args = 0..=1, default_missing_value = "masters")]
    json: Option<Shape>,
    /// Moves to show
    #[arg(long, value_name = "N")]
    moves: Option<usize>,
    /// Games of strong players to show
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// Latest games to show
    #[arg(long, value_name = "N")]
    recent: Option<usize>,
    /// The tree of moves from the position on
    #[arg(long, value_enum, value_name = "FORM", num_args = 0..=1, default_missing_value = "text", conflicts_with = "json", help_heading = "Tree")]
    tree: Option<Form>,
    /// Half-moves of the tree
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=1000), help_heading = "Tree")]
    depth: u16,
    /// Games that a move of the tree needs
    #[arg(long, value_name = "N", default_value_t = 10, help_heading = "Tree")]
    min_games: u64,
    /// The file of the tree; standard output unless said
    #[arg(
        long,
        short,
        value_name = "FILE",
        requires = "tree",
        help_heading = "Tree"
    )]
    output: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long, help_heading = "Tree")]
    force: bool,
    #[command(flatten)]
    choice: Choice,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    jobs: JobsArgs,
}

/// Which of the Lichess explorer's answers JSON looks like.
#[derive(ValueEnum, Copy, Clone, PartialEq, Eq, Debug)]
enum Shape {
    /// With top games
    Masters,
    /// With top and recent games
    Lichess,
    /// With recent games: for --player
    Player,
}

/// How a tree is written.
#[derive(ValueEnum, Copy, Clone, PartialEq, Eq, Debug)]
enum Form {
    /// Lines for people
    Text,
    /// JSON
    Json,
    /// One game with variations
    Pgn,
    /// A Polyglot book; a move weighs two for each game won with it, one for each drawn or unfinished
    Polyglot,
}

/// How much is shown.
struct Limits {
    moves: usize,
    top: usize,
    recent: usize,
}

pub(crate) fn run(args: &ExploreArgs) -> Result<Exit> {
    let boards = position(args)?;
    let Some(board) = boards.last() else {
        bail!("there is no position");
    };
    if args.json == Some(Shape::Player) && args.choice.player.is_none() {
        bail!("--json player is about one player: say whom with --player");
    }
    if args.tree.is_some() || args.choice.query.is_some() {
        interrupt::catch();
    }
    let mut bases = Bases::open(&args.bases, &args.choice, &args.read, &args.jobs)?;
    let explored = bases.explore(&[Target::of_board(board)])?;
    let tally = explored.tallies.into_iter().next().unwrap_or_default();
    let found = !tally.is_empty();
    if let Some(form) = args.tree {
        let bounds = Bounds {
            depth: usize::from(args.depth),
            least: args.min_games.max(1),
        };
        let tree = Tree::grow(&mut bases, board, tally, bounds)?;
        write_tree(args, &tree, form)?;
    } else {
        let name = openings::on_the_way(&boards);
        let mut out = output::stdout();
        if let Some(shape) = args.json {
            let limits = args.limits(usize::MAX, if shape == Shape::Masters { 15 } else { 4 }, 8);
            let value = json::answer(&bases, board, name, &tally, &limits, shape)?;
            writeln!(out, "{value}")?;
        } else {
            table(
                &mut out,
                &bases,
                board,
                name,
                &tally,
                &args.limits(usize::MAX, 5, 5),
            )?;
        }
        out.flush()?;
    }
    if explored.damaged > 0 {
        say(&format!(
            "{} could not be decoded to the end; `tabiya check` says why",
            count(explored.damaged, "game", "games")
        ));
        return Ok(Exit::Incomplete);
    }
    Ok(if found { Exit::Success } else { Exit::NoMatch })
}

impl ExploreArgs {
    fn limits(&self, moves: usize, top: usize, recent: usize) -> Limits {
        Limits {
            moves: self.moves.unwrap_or(moves),
            top: self.top.unwrap_or(top),
            recent: self.recent.unwrap_or(recent),
        }
    }
}

/// The positions on the way to the one that is asked for, which is the last.
fn position(args: &ExploreArgs) -> Result<Vec<Board>> {
    let start = match &args.fen {
        None => Board::standard(),
        Some(fen) => {
            Board::from_fen(fen)
                .map_err(|error| anyhow!("--fen: {error}"))?
                .0
        }
    };
    let mut boards = vec![start.clone()];
    let mut board = start;
    let text = args.line.as_deref().unwrap_or("");
    let mut rest = text;
    loop {
        // Numbers and dots before a move say nothing.
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '.');
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let after = rest.get(digits..).unwrap_or("");
        if digits > 0
            && (after.starts_with('.')
                || after.starts_with(char::is_whitespace)
                || after.is_empty())
        {
            rest = after;
            continue;
        }
        if rest.is_empty() {
            return Ok(boards);
        }
        let word = rest.split(char::is_whitespace).next().unwrap_or(rest);
        let bad = |why: &str| {
            let column = text.len() - rest.len() + 1;
            anyhow!(
                "--line, column {column}: {word}: {why}\n  {text}\n  {:>column$}",
                "^"
            )
        };
        let (m, length) = match board.read_san(rest.as_bytes()) {
            Some((Ok(m), length)) => (m, length),
            Some((Err(error), _)) => match board.parse_uci(word.as_bytes()) {
                Some(m) => (m, word.len()),
                None => return Err(bad(&error.to_string())),
            },
            None => match board.parse_uci(word.as_bytes()) {
                Some(m) => (m, word.len()),
                None => return Err(bad("this is no move")),
            },
        };
        board.play(m);
        boards.push(board.clone());
        rest = rest.get(length..).unwrap_or("");
    }
}

/// A move as people write it.
fn san_of(board: &Board, step: Step) -> String {
    let Some(m) = step.on(board) else {
        return "(end)".to_owned();
    };
    let mut text = Vec::new();
    board.clone().play_san(m, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// A move as the Lichess explorer writes it: castling is the king's way to its rook.
fn uci_of(board: &Board, step: Step) -> String {
    let Some(m) = step.on(board) else {
        return String::new();
    };
    let mut text = Vec::new();
    board.write_uci(m, CastlingStyle::KingTakesRook, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// The key after a step.
fn after(key: Key, board: &Board, step: Step) -> Key {
    match step.on(board) {
        Some(m) => key.after(Delta::of_move(board, m)),
        None => key,
    }
}

/// How games ended, in per cent of those with a result.
fn percentages(score: &Score) -> String {
    let all = score.white + score.draws + score.black;
    if all == 0 {
        return "- - -".to_owned();
    }
    let part = |n: u64| (n * 100 + all / 2) / all;
    format!(
        "+{} ={} -{}",
        part(score.white),
        part(score.draws),
        part(score.black)
    )
}

fn write_tree(args: &ExploreArgs, tree: &Tree, form: Form) -> Result<()> {
    use tabiya_io::output::{Options, Output};
    let target = args.output.clone().unwrap_or_else(|| PathBuf::from("-"));
    let options = Options {
        force: args.force,
        sources: args.bases.clone(),
    };
    let mut out = Output::create(&target, &options)?;
    match form {
        Form::Text => tree.write_text(&mut out)?,
        Form::Json => writeln!(out, "{}", tree.json())?,
        Form::Pgn => tree.write_pgn(&mut out)?,
        Form::Polyglot => tree.write_book(&mut out)?,
    }
    out.commit()?;
    Ok(())
}

/// The answer for people.
fn table(
    out: &mut impl Write,
    bases: &Bases,
    board: &Board,
    name: Option<Opening>,
    tally: &Tally,
    limits: &Limits,
) -> Result<()> {
    let paint = Paint::of_stdout();
    if let Some(name) = name {
        writeln!(
            out,
            "{}",
            paint.bold(&format!("{} {}", name.eco, name.name))
        )?;
    }
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
    let heading = format!(
        "{:<8} {:>11} {:>5}  {:>11} {:>11} {:>11}  {:>4} {:>5}  {:<10}  {}",
        "move", "games", "%", "White", "draws", "Black", "Elo", "perf", "last", "opening"
    );
    writeln!(out, "\n{}", paint.bold(&heading))?;
    let side = board.turn();
    let key = Key::of_board(board);
    let mean = |mean: Option<f64>| mean.map(|mean| format!("{mean:.0}")).unwrap_or_default();
    for (step, score) in tally.moves().iter().take(limits.moves) {
        #[allow(clippy::cast_precision_loss)]
        let share = score.games as f64 * 100.0 / total.games.max(1) as f64;
        let opening = openings::at(after(key, board, *step)).filter(|_| *step != Step::END);
        let last = score.last_date();
        let line = format!(
            "{:<8} {:>11} {share:>5.1}  {:>11} {:>11} {:>11}  {:>4} {:>5}  {:<10}  {}",
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
        writeln!(out, "{}", line.trim_end())?;
    }
    games(out, bases, board, "Top games", tally.top(), limits.top)?;
    games(
        out,
        bases,
        board,
        "Latest games",
        tally.recent(),
        limits.recent,
    )?;
    Ok(())
}

fn games(
    out: &mut impl Write,
    bases: &Bases,
    board: &Board,
    title: &str,
    list: &[Shown],
    most: usize,
) -> Result<()> {
    if list.is_empty() || most == 0 {
        return Ok(());
    }
    writeln!(out, "\n{}", Paint::of_stdout().bold(title))?;
    for shown in list.iter().take(most) {
        let header = bases.header(shown)?;
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
        writeln!(
            out,
            "{:<8} {:>9}  {} - {}  {result}  {}",
            san_of(board, shown.step),
            bases.id(shown),
            player(&header.white, shown.facts.white_elo),
            player(&header.black, shown.facts.black_elo),
            shown.facts.date(),
        )?;
    }
    Ok(())
}
