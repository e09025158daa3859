//! `tabiya repertoire train` and `tabiya repertoire due`.

use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Result, anyhow, bail};
use clap::Args;
use shakmaty::{Color, Role, Square};
use tabiya::repertoire::{
    self, Repertoire, RepertoireCards, RepertoireReference, Review, ReviewLog, ReviewRating,
    TrainingQuestion, TrainingSession,
};
use tabiya_answers::Answer;
use tabiya_model::Control;
use tabiya_model::board::{Board, CastlingStyle, Move};
use tabiya_server::user_settings;

use super::arguments::{RepertoireFileArgs, RepertoireReferenceArgs, RepertoireReportArgs};
use super::reports::{counted, opened_reference};
use crate::exit::Exit;
use crate::output::{self, count, say};
use crate::report;

/// Where reviews are kept, and when they are due.
#[derive(Args, Debug)]
struct ReviewArgs {
    /// Log of reviews; further logs are only read [default: reviews.log in the user's data folder]
    #[arg(long, value_name = "FILE", help_heading = "Training")]
    log: Vec<PathBuf>,
    /// Ask again when the probability of recall falls to PERCENT %
    #[arg(
        long,
        value_name = "PERCENT",
        default_value_t = 90.0,
        help_heading = "Training"
    )]
    retention: f64,
    /// Time of the training, such as 2026-11-26T12:30:00Z [default: now]
    #[arg(long, value_name = "TIME", help_heading = "Training")]
    at: Option<String>,
}

#[derive(Args, Debug)]
pub(super) struct RepertoireTrainArgs {
    #[command(flatten)]
    repertoire: RepertoireFileArgs,
    /// Databases that show how often the opponent's moves are played
    #[arg(long, value_name = "BASE")]
    reference: Vec<PathBuf>,
    /// Ask at most N new positions
    #[arg(
        long,
        value_name = "N",
        default_value_t = 10,
        help_heading = "Training"
    )]
    new: usize,
    /// Ask at most N positions
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<usize>,
    /// Seed for choosing the opponent's moves at random [default: a new one each time]
    #[arg(long, value_name = "N", help_heading = "Training")]
    seed: Option<u64>,
    /// Name of this device in the log
    #[arg(long, value_name = "NAME", help_heading = "Training")]
    device: Option<String>,
    #[command(flatten)]
    reviews: ReviewArgs,
    #[command(flatten)]
    of: RepertoireReferenceArgs,
}

#[derive(Args, Debug)]
pub(super) struct RepertoireDueArgs {
    #[command(flatten)]
    report: RepertoireReportArgs,
    /// Databases that show how often positions arise
    #[arg(long, value_name = "BASE")]
    reference: Vec<PathBuf>,
    /// List all positions: due, new and others
    #[arg(long)]
    all: bool,
    /// Print a table for Anki to import: line, position and moves
    #[arg(long, conflicts_with = "json")]
    anki: bool,
    /// Show at most N positions
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<usize>,
    #[command(flatten)]
    reviews: ReviewArgs,
}

impl ReviewArgs {
    fn logs(&self) -> Result<Vec<PathBuf>> {
        match &self.log[..] {
            [] => {
                let folder = user_settings::data_folder()
                    .ok_or_else(|| anyhow!("this user has no data folder: give --log"))?;
                Ok(vec![folder.join("reviews.log")])
            }
            logs => Ok(logs.to_vec()),
        }
    }

    /// Reads the logs.
    fn read(&self, logs: &[PathBuf]) -> Result<ReviewLog> {
        let log = repertoire::read_reviews(logs)?;
        if log.unreadable > 0 {
            let lines = count(log.unreadable, "line", "lines");
            say(&format!("{lines} of the log skipped: not reviews"));
        }
        Ok(log)
    }

    fn retention(&self) -> Result<f64> {
        if !(10.0..=99.0).contains(&self.retention) {
            bail!("--retention: give a number from 10 to 99");
        }
        Ok(self.retention / 100.0)
    }

    /// The time, in seconds since 1970.
    fn now(&self) -> Result<i64> {
        match &self.at {
            Some(text) => repertoire::read_time(text).ok_or_else(|| {
                anyhow!("--at: {text}: give a time in UTC, such as 2026-11-26T12:30:00Z")
            }),
            None => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH);
                Ok(since.map_or(0, |since| {
                    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
                }))
            }
        }
    }
}

/// The only repertoire of a command.
fn single(made: Vec<Repertoire>) -> Result<Repertoire> {
    <[Repertoire; 1]>::try_from(made)
        .map(|[one]| one)
        .map_err(|_| {
            anyhow!("the repertoire has games for White and for Black: choose with --side")
        })
}

/// Counts the reference of a command, if it has one; nothing if it was stopped.
fn reference_of(
    repertoire: &Repertoire,
    of: &RepertoireReferenceArgs,
    paths: &[PathBuf],
    control: &Control,
) -> Result<Option<Option<RepertoireReference>>> {
    match opened_reference(of, paths)? {
        None => Ok(Some(None)),
        Some((_, games)) => Ok(counted(repertoire, &games, control)?.map(Some)),
    }
}

/// Tells that games of a reference are damaged, and says whether some are.
fn has_damage(reference: Option<&RepertoireReference>) -> bool {
    let damaged = reference.map_or(0, |reference| reference.damaged);
    report::print_damaged(damaged);
    damaged > 0
}

pub(super) fn due(args: &RepertoireDueArgs) -> Result<Exit> {
    let control = args.report.of.jobs.control();
    let repertoire = single(args.report.repertoire.read(&args.report.of, &control)?)?;
    let log = args.reviews.read(&args.reviews.logs()?)?;
    let Some(reference) = reference_of(&repertoire, &args.report.of, &args.reference, &control)?
    else {
        return Ok(Exit::Interrupted);
    };
    let now = args.reviews.now()?;
    let retention = args.reviews.retention()?;
    let cards = RepertoireCards::new(&repertoire, reference.as_ref(), &log, retention, now);
    let mut out = output::stdout_of(args.report.json);
    if args.anki {
        writeln!(
            out,
            "#separator:tab\n#html:false\n#columns:Line\tPosition\tMoves"
        )?;
    }
    let shown = cards
        .cards
        .iter()
        .filter(|card| args.all || card.is_due(now));
    let mut any = false;
    for card in shown.take(args.limit.unwrap_or(usize::MAX)) {
        any = true;
        let answer = repertoire::card_answer(&repertoire, card, now);
        if args.report.json {
            writeln!(out, "{}", answer.json())?;
            continue;
        }
        let line = match answer.line.as_str() {
            "" => "the start",
            line => line,
        };
        let moves = answer.moves.join(", ");
        if args.anki {
            writeln!(out, "{line}\t{}\t{moves}", answer.fen)?;
            continue;
        }
        let when = match (&answer.due, answer.is_due) {
            (None, _) => "new".to_owned(),
            (Some(_), true) => "due".to_owned(),
            (Some(due), false) => due.clone(),
        };
        writeln!(out, "{when:<20}  {line}: {moves}")?;
    }
    out.flush()?;
    let due = cards.cards.iter().filter(|card| card.is_due(now)).count();
    let fresh = cards.cards.iter().filter(|card| card.reviewed.is_none());
    if !args.report.json && !args.anki {
        say(&format!(
            "{} due, {} new, {}",
            due,
            fresh.count(),
            count(
                cards.cards.len() as u64,
                "position in all",
                "positions in all"
            )
        ));
    }
    Ok(Exit::of(false, has_damage(reference.as_ref()), any))
}

pub(super) fn train(args: &RepertoireTrainArgs) -> Result<Exit> {
    let control = args.of.jobs.control();
    let repertoire = Arc::new(single(args.repertoire.read(&args.of, &control)?)?);
    let logs = args.reviews.logs()?;
    let log = args.reviews.read(&logs)?;
    let Some(reference) = reference_of(&repertoire, &args.of, &args.reference, &control)? else {
        return Ok(Exit::Interrupted);
    };
    let now = args.reviews.now()?;
    let retention = args.reviews.retention()?;
    let cards = RepertoireCards::new(&repertoire, reference.as_ref(), &log, retention, now);
    let mut asked = cards.asked(args.new);
    asked.truncate(args.limit.unwrap_or(usize::MAX));
    if asked.is_empty() {
        say("nothing is due");
        return Ok(Exit::NoMatch);
    }
    let seed = args.seed.unwrap_or_else(|| u64::try_from(now).unwrap_or(0));
    let all = asked.len() as u64;
    let frequency = |position: u32, at: usize| match &reference {
        Some(reference) => tabiya::repertoire::MoveFrequency {
            games: reference.score(&repertoire, position, at).games,
            of: reference.games(position),
        },
        None => repertoire::equal_frequency(&repertoire, position),
    };
    let mut session =
        TrainingSession::new(Arc::clone(&repertoire), asked, Box::new(frequency), seed);
    let device = args
        .device
        .clone()
        .or_else(|| std::env::var("HOSTNAME").ok());
    let device = repertoire::device_name(&device.unwrap_or_default());
    let mut out = output::stdout();
    let mut input = std::io::stdin().lock();
    say(
        "type a move, with `hard` or `easy` after it if it was; `?` shows the move, `skip` skips the line, `quit` ends the training",
    );
    let (mut right, mut wrong) = (0, 0);
    while let Some(question) = session.question().cloned() {
        let Some(board) = board_of(&repertoire, &question) else {
            bail!("the line of a question has an illegal move");
        };
        writeln!(out, "{}", heading(&repertoire, &question, session.left()))?;
        write!(out, "{}", drawn(&board, repertoire.color()))?;
        let Some(word) = ask(&mut out, &mut input, &board)? else {
            break;
        };
        let (given, rating) = match word {
            TrainingWord::Quit => break,
            TrainingWord::Skip => {
                session.skip_line();
                continue;
            }
            TrainingWord::Show => (None, ReviewRating::Again),
            TrainingWord::Move(m, rating) => (Some(m), rating),
        };
        let Some(verdict) = session.answer(given, rating) else {
            break;
        };
        let names: Vec<String> = verdict.right.iter().map(|m| san(&board, *m)).collect();
        match verdict.is_right {
            true => writeln!(out, "right")?,
            false => writeln!(out, "the repertoire plays {}", names.join(" or "))?,
        }
        if let Some(rating) = verdict.rating {
            let review = Review {
                // Time passes while the user thinks.
                time: args.reviews.now()?,
                position: repertoire::position_in_words(&board),
                answer: given.map_or_else(|| "-".to_owned(), |m| uci(&board, m)),
                rating,
                device: device.clone(),
            };
            if let Some(first) = logs.first() {
                repertoire::append_review(first, &review)?;
            }
            match rating {
                ReviewRating::Again => wrong += 1,
                _ => right += 1,
            }
        }
        let is_over = session
            .question()
            .is_none_or(|next| next.line.len() <= question.line.len());
        if is_over {
            let mine = given
                .filter(|_| verdict.is_right)
                .or(verdict.right.first().copied());
            let rest = mine.into_iter().chain(verdict.reply);
            writeln!(out, "{}", repertoire::moves_in_words(&board, rest))?;
        }
    }
    out.flush()?;
    say(&format!(
        "{right} right, {wrong} wrong, {} of {} left",
        session.left(),
        count(all, "position", "positions")
    ));
    Ok(Exit::of(false, has_damage(reference.as_ref()), true))
}

/// The user's input.
enum TrainingWord {
    Move(Move, ReviewRating),
    Show,
    Skip,
    Quit,
}

/// Asks until the input is valid; nothing at the end of the input.
fn ask(
    out: &mut impl Write,
    input: &mut impl BufRead,
    board: &Board,
) -> Result<Option<TrainingWord>> {
    loop {
        let side = board.turn().fold_wb("White", "Black");
        write!(out, "{side} to move: ")?;
        out.flush()?;
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            writeln!(out)?;
            return Ok(None);
        }
        let mut words = line.split_whitespace();
        let (Some(word), next) = (words.next(), words.next()) else {
            continue;
        };
        match word {
            "?" => return Ok(Some(TrainingWord::Show)),
            "skip" => return Ok(Some(TrainingWord::Skip)),
            "quit" | "q" => return Ok(Some(TrainingWord::Quit)),
            _ => {}
        }
        let rating = match next {
            None => ReviewRating::Good,
            Some("hard") => ReviewRating::Hard,
            Some("easy") => ReviewRating::Easy,
            Some(other) => {
                writeln!(
                    out,
                    "{}: expected `hard` or `easy`",
                    output::printable(other)
                )?;
                continue;
            }
        };
        let by_squares = || board.parse_uci(word.as_bytes());
        let by_name = board
            .read_san(word.as_bytes())
            .and_then(|(read, _)| read.ok());
        match by_name.or_else(by_squares) {
            Some(m) if board.is_legal(m) => return Ok(Some(TrainingWord::Move(m, rating))),
            _ => writeln!(out, "{}: not a legal move here", output::printable(word))?,
        }
    }
}

fn board_of(repertoire: &Repertoire, question: &TrainingQuestion) -> Option<Board> {
    let mut board = repertoire.position(question.start)?.board.clone();
    question.line.iter().for_each(|m| board.play(*m));
    Some(board)
}

fn heading(repertoire: &Repertoire, question: &TrainingQuestion, left: usize) -> String {
    let start = repertoire.position(question.start);
    let line = start.map_or_else(String::new, |start| {
        start.words_of(question.line.iter().copied())
    });
    format!("\n{line}  ({left} left)").replace("\n  (", "\n(")
}

/// A board as text, seen by a side.
fn drawn(board: &Board, side: Color) -> String {
    let mut text = String::new();
    let order = |at: u32| side.fold_wb(at, 7 - at);
    for row in 0..8 {
        let rank = 7 - order(row);
        text.push_str(&format!("{} ", rank + 1));
        for column in 0..8 {
            let file = order(column);
            let square = Square::new(rank * 8 + file);
            let sign = match (board.role_at(square), board.color_at(square)) {
                (Some(role), Some(color)) => piece_sign(role, color),
                _ => '·',
            };
            text.push(' ');
            text.push(sign);
        }
        text.push('\n');
    }
    let files = side.fold_wb("a b c d e f g h", "h g f e d c b a");
    text.push_str(&format!("   {files}\n"));
    text
}

fn piece_sign(role: Role, color: Color) -> char {
    let (white, black) = match role {
        Role::Pawn => ('♙', '♟'),
        Role::Knight => ('♘', '♞'),
        Role::Bishop => ('♗', '♝'),
        Role::Rook => ('♖', '♜'),
        Role::Queen => ('♕', '♛'),
        Role::King => ('♔', '♚'),
    };
    color.fold_wb(white, black)
}

fn san(board: &Board, m: Move) -> String {
    let mut word = Vec::new();
    board.clone().play_san(m, &mut word);
    String::from_utf8_lossy(&word).into_owned()
}

fn uci(board: &Board, m: Move) -> String {
    let style = match board.is_chess960() {
        true => CastlingStyle::KingTakesRook,
        false => CastlingStyle::KingMoves,
    };
    let mut word = Vec::new();
    board.write_uci(m, style, &mut word);
    String::from_utf8_lossy(&word).into_owned()
}
