//! Prints the reports about repertoires.

use std::collections::BTreeMap;
use std::io::Write;
use std::ops::ControlFlow;

use anyhow::Result;
use shakmaty::Color;
use tabiya::repertoire::{
    self, Repertoire, RepertoireComment, RepertoireConflictKind, RepertoireConflictOptions,
    RepertoireEnd, RepertoireGame, RepertoireGapOptions, RepertoireLine, RepertoireReference,
};
use tabiya::show::GameFormat;
use tabiya::{OpenedBases, Selection};
use tabiya_answers::{Answer, RepertoireMoveAnswer};
use tabiya_model::{Control, Game, JobCompletion};

use super::arguments::{
    RepertoireCheckArgs, RepertoireConflictsArgs, RepertoireCoverageArgs, RepertoireGapsArgs,
    RepertoireReferenceArgs, RepertoireShowArgs, of_player, percent,
};
use super::building::say_left_out;
use super::tree_text;
use crate::exit::Exit;
use crate::output::{self, TerminalColors, count, printable, say};
use crate::progress::ProgressLine;
use crate::report;

fn side(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}

/// How a game leaves a repertoire, in words.
fn in_words(end: RepertoireEnd) -> &'static str {
    match end {
        RepertoireEnd::Inside => "inside",
        RepertoireEnd::LineEnd => "line ended",
        RepertoireEnd::Me => "I left",
        RepertoireEnd::Opponent => "the opponent left",
        RepertoireEnd::Elsewhere => "elsewhere",
    }
}

pub(super) fn check(args: &RepertoireCheckArgs) -> Result<Exit> {
    let control = args.of.jobs.control();
    let (_, repertoires) = args.repertoire.read(&args.of.read, &control)?;
    let (opened, games) = args.of.open(&args.paths)?;
    let mut out = output::stdout_of(args.json);
    let mut form = GameFormat::pgn(Default::default());
    let mut text = Vec::new();
    let (mut total, mut damaged) = (0, 0);
    let limit = args.limit.unwrap_or(usize::MAX);
    for repertoire in &repertoires {
        let games = of_player(&games, args.player.as_deref(), repertoire.color())?;
        let mut shown = 0;
        if !args.json && !args.pgn && repertoires.len() > 1 {
            writeln!(
                out,
                "{}",
                heading(&format!("Repertoire for {}", side(repertoire.color())))
            )?;
        }
        let mut told = Ok(());
        let report = repertoire::check(
            repertoire,
            &games,
            args.pgn,
            &control,
            &mut |at, game, found| {
                let base = games.bases.get(at).map_or("", tabiya::Base::name);
                if args.summary {
                    return Ok(ControlFlow::Continue(()));
                }
                if shown < limit {
                    shown += 1;
                    told = match (args.pgn, args.json) {
                        (true, _) => {
                            text.clear();
                            form.write(&repertoire::marked_game(game, &found), &mut text);
                            out.write_all(&text)
                        }
                        (_, true) => writeln!(out, "{}", found.answer(repertoire, base).json()),
                        _ => write_game(&mut out, &found),
                    };
                }
                Ok(match told {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(_) => ControlFlow::Break(()),
                })
            },
        )?;
        told?;
        if !report.ended.is_whole() {
            return Ok(Exit::Interrupted);
        }
        total += report.games;
        damaged += report.damaged;
        let lines = report.lines.sorted();
        if args.summary && args.json {
            for line in lines.iter().take(limit) {
                writeln!(out, "{}", line.answer(repertoire).json())?;
            }
        } else if !args.json && !args.pgn && report.games > 0 {
            let limit = args.limit.unwrap_or(match args.summary {
                true => usize::MAX,
                false => 10,
            });
            write_summary(&mut out, repertoire, &lines, limit, !args.summary)?;
        }
    }
    out.flush()?;
    report::print_damaged(damaged);
    Ok(report::end(&opened, damaged > 0, total > 0))
}

fn heading(text: &str) -> String {
    TerminalColors::of_stdout().bold(text)
}

fn write_game(out: &mut impl Write, found: &RepertoireGame) -> std::io::Result<()> {
    let game = &found.game;
    write!(
        out,
        "{}\t{} - {}\t{} {}\t{}\t{}",
        game.number,
        printable(&game.white),
        printable(&game.black),
        printable(&game.event),
        printable(&game.date),
        game.result,
        in_words(found.departure.end),
    )?;
    if !found.then.is_empty() {
        write!(out, "\t{}", found.then)?;
    }
    if found.is_marked_bad {
        write!(out, "\tmarked bad")?;
    }
    if !found.expected.is_empty() && found.departure.end != RepertoireEnd::Inside {
        write!(out, "\trepertoire: {}", found.expected.join(", "))?;
    }
    writeln!(out)
}

fn write_summary(
    out: &mut impl Write,
    repertoire: &Repertoire,
    lines: &[RepertoireLine],
    limit: usize,
    is_below: bool,
) -> std::io::Result<()> {
    if is_below {
        writeln!(out)?;
    }
    let head = format!(
        "{:>7} {:>7} {:>7} {:>7} {:>7} {:>6}  position",
        "games", "I", "opp.", "ended", "inside", "score"
    );
    writeln!(out, "{}", heading(&head))?;
    for line in lines.iter().take(limit) {
        let answer = line.answer(repertoire);
        let score = answer
            .score
            .map_or_else(|| "-".to_owned(), |score| format!("{score:.0} %"));
        let place = match (line.position, answer.line.as_str()) {
            (None, _) => "elsewhere",
            (_, "") => "the start",
            (_, line) => line,
        };
        writeln!(
            out,
            "{:>7} {:>7} {:>7} {:>7} {:>7} {score:>6}  {place}",
            answer.games, answer.me, answer.opponent, answer.line_end, answer.inside
        )?;
    }
    if lines.len() > limit {
        let more = (lines.len() - limit) as u64;
        writeln!(
            out,
            "and {}",
            count(more, "more position", "more positions")
        )?;
    }
    Ok(())
}

/// Counts a reference for a repertoire; nothing if it was stopped.
pub(super) fn counted(
    repertoire: &Repertoire,
    games: &Selection,
    control: &Control,
) -> Result<Option<RepertoireReference>> {
    let progress = ProgressLine::of(control);
    let found = repertoire::reference(repertoire, games, control)?;
    drop(progress);
    found.notes.iter().for_each(|note| say(note));
    Ok((found.ended == JobCompletion::Whole).then_some(found))
}

/// The reference of a command that may have none.
pub(super) fn opened_reference(
    of: &RepertoireReferenceArgs,
    paths: &[std::path::PathBuf],
) -> Result<Option<(OpenedBases, Selection)>> {
    match paths {
        [] => Ok(None),
        paths => of.open(paths).map(Some),
    }
}

fn write_games(out: &mut impl Write, games: &[Game]) -> std::io::Result<()> {
    let mut form = GameFormat::pgn(Default::default());
    let mut text = Vec::new();
    for game in games {
        form.write(game, &mut text);
    }
    out.write_all(&text)
}

/// A place in words: the moves to it.
fn place(line: &str) -> &str {
    match line {
        "" => "the start",
        line => line,
    }
}

pub(super) fn gaps(args: &RepertoireGapsArgs) -> Result<Exit> {
    let options = RepertoireGapOptions {
        share: percent("--share", args.share)?,
        games: args.min_games,
    };
    let control = args.report.of.jobs.control();
    let repertoires = args.report.repertoire.read(&args.report.of, &control)?;
    let (opened, games) = args.report.of.open(&args.reference)?;
    let mut out = output::stdout_of(args.report.json);
    let (mut any, mut damaged) = (false, 0);
    for repertoire in &repertoires {
        let Some(reference) = counted(repertoire, &games, &control)? else {
            return Ok(Exit::Interrupted);
        };
        damaged = damaged.max(reference.damaged);
        let mut found = repertoire::gaps(repertoire, &reference, options);
        let more = found.len().saturating_sub(args.limit.max(1)) as u64;
        found.truncate(args.limit.max(1));
        any |= !found.is_empty();
        if args.pgn {
            let comments = found.iter().map(|gap| RepertoireComment {
                position: gap.position,
                step: Some(gap.step),
                text: format!(
                    "Gap: no answer; {} of {}, arises in {:.2} % of games",
                    gap.score.games,
                    count(gap.of, "game", "games"),
                    gap.frequency * 100.0
                ),
            });
            let comments: Vec<RepertoireComment> = comments.collect();
            write_games(
                &mut out,
                &repertoire::repertoire_game(repertoire, &comments),
            )?;
            continue;
        }
        if !args.report.json {
            let head = format!(
                "{:>8} {:>9} {:>7} {:>6}  move",
                "arises", "games", "share", "score"
            );
            writeln!(out, "{}", heading(&head))?;
        }
        for gap in &found {
            let answer = gap.answer(repertoire);
            if args.report.json {
                writeln!(out, "{}", answer.json())?;
                continue;
            }
            #[allow(clippy::cast_precision_loss)]
            let share = answer.games as f64 * 100.0 / answer.of.max(1) as f64;
            let score = answer
                .score
                .map_or_else(|| "-".to_owned(), |score| format!("{score:.0} %"));
            let position = repertoire.position(gap.position);
            let step = position.map_or_else(String::new, |position| position.words_of([gap.step]));
            let end = if gap.is_end_of_line {
                "  (end of line)"
            } else {
                ""
            };
            writeln!(
                out,
                "{:>6.2} % {:>9} {share:>5.1} % {score:>6}  {} [{step}]{end}",
                answer.frequency * 100.0,
                answer.games,
                place(&answer.line),
            )?;
        }
        if more > 0 && !args.report.json {
            say(&format!(
                "{} not shown (--limit)",
                count(more, "move", "moves")
            ));
        }
    }
    out.flush()?;
    report::print_damaged(damaged);
    Ok(report::end(&opened, damaged > 0, any))
}

pub(super) fn conflicts(args: &RepertoireConflictsArgs) -> Result<Exit> {
    #[allow(clippy::cast_possible_truncation)]
    let options = RepertoireConflictOptions {
        often: percent("--often", args.often)?,
        games: args.min_games,
        points: percent("--points", args.points)?,
        centipawns: (args.pawns * 100.0).round() as i64,
    };
    let control = args.report.of.jobs.control();
    let repertoires = args.report.repertoire.read(&args.report.of, &control)?;
    let reference = opened_reference(&args.report.of, &args.reference)?;
    let mut out = output::stdout_of(args.report.json);
    let (mut any, mut damaged) = (false, 0);
    for repertoire in &repertoires {
        let played = match &reference {
            Some((_, games)) => match counted(repertoire, games, &control)? {
                Some(played) => Some(played),
                None => return Ok(Exit::Interrupted),
            },
            None => None,
        };
        damaged = damaged.max(played.as_ref().map_or(0, |played| played.damaged));
        let mut found = repertoire::conflicts(repertoire, played.as_ref(), options);
        found.truncate(args.limit.unwrap_or(usize::MAX).max(1));
        any |= !found.is_empty();
        if args.pgn {
            let comments = found.iter().map(|conflict| {
                let answer = conflict.answer(repertoire);
                RepertoireComment {
                    position: conflict.position,
                    step: None,
                    text: format!("Conflict: {}", what(conflict.kind, &answer.moves)),
                }
            });
            let comments: Vec<RepertoireComment> = comments.collect();
            write_games(
                &mut out,
                &repertoire::repertoire_game(repertoire, &comments),
            )?;
            continue;
        }
        for conflict in &found {
            let answer = conflict.answer(repertoire);
            match args.report.json {
                true => writeln!(out, "{}", answer.json())?,
                false => writeln!(
                    out,
                    "{}: {}",
                    place(&answer.line),
                    what(conflict.kind, &answer.moves)
                )?,
            }
        }
    }
    out.flush()?;
    report::print_damaged(damaged);
    Ok(match &reference {
        Some((opened, _)) => report::end(opened, damaged > 0, any),
        None => Exit::of(false, false, any),
    })
}

/// The conflict in words.
fn what(kind: RepertoireConflictKind, moves: &[RepertoireMoveAnswer]) -> String {
    let names: Vec<&str> = moves.iter().map(|m| m.san.as_str()).collect();
    let score = |m: &RepertoireMoveAnswer| match m.score {
        Some(score) => format!("{} {score:.0} %", m.san),
        None => m.san.clone(),
    };
    #[allow(clippy::cast_precision_loss)]
    let evaluation = |m: &RepertoireMoveAnswer| match m.evaluation {
        Some(value) => format!("{} {:+.2}", m.san, value as f64 / 100.0),
        None => m.san.clone(),
    };
    match (kind, moves) {
        (RepertoireConflictKind::Several, _) => {
            format!("several moves, none chosen: {}", names.join(", "))
        }
        (RepertoireConflictKind::Bad, _) => format!("{} is marked bad", names.join(", ")),
        (RepertoireConflictKind::Stops, [one, ..]) => format!(
            "the line ends before {}, played in {}",
            one.san,
            count(one.games.unwrap_or(0), "game", "games")
        ),
        (RepertoireConflictKind::Score, [worse, better, ..]) => {
            format!("{} scores less than {}", score(worse), score(better))
        }
        (RepertoireConflictKind::Evaluation, [worse, better, ..]) => {
            format!("{} is worse than {}", evaluation(worse), evaluation(better))
        }
        _ => names.join(", "),
    }
}

pub(super) fn coverage(args: &RepertoireCoverageArgs) -> Result<Exit> {
    let control = args.report.of.jobs.control();
    let repertoires = args.report.repertoire.read(&args.report.of, &control)?;
    let (opened, games) = args.report.of.open(&args.reference)?;
    let mut out = output::stdout_of(args.report.json);
    let (mut any, mut damaged) = (false, 0);
    for repertoire in &repertoires {
        let progress = ProgressLine::of(&control);
        let found = repertoire::coverage(repertoire, &games, &control)?;
        drop(progress);
        if !found.ended.is_whole() {
            return Ok(Exit::Interrupted);
        }
        any |= !found.rows.is_empty();
        damaged = damaged.max(found.damaged);
        if args.pgn {
            let comments = exits_in_words(&found.exits);
            write_games(
                &mut out,
                &repertoire::repertoire_game(repertoire, &comments),
            )?;
            continue;
        }
        if !args.report.json {
            let head = format!(
                "{:>4} {:>9} {:>9} {:>7} {:>8} {:>8} {:>8}",
                "ply", "games", "inside", "", "I left", "opp.", "ended"
            );
            writeln!(out, "{}", heading(&head))?;
        }
        for row in found.rows.iter().take(args.limit.unwrap_or(usize::MAX)) {
            if args.report.json {
                writeln!(out, "{}", row.answer(repertoire).json())?;
                continue;
            }
            #[allow(clippy::cast_precision_loss)]
            let share = row.inside as f64 * 100.0 / row.games.max(1) as f64;
            writeln!(
                out,
                "{:>4} {:>9} {:>9} {share:>5.1} % {:>8} {:>8} {:>8}",
                row.ply, row.games, row.inside, row.me, row.opponent, row.line_end
            )?;
        }
    }
    out.flush()?;
    report::print_damaged(damaged);
    Ok(report::end(&opened, damaged > 0, any))
}

/// A comment at each position that games leave.
fn exits_in_words(exits: &BTreeMap<(u32, RepertoireEnd), u64>) -> Vec<RepertoireComment> {
    let mut comments: Vec<RepertoireComment> = Vec::new();
    for ((position, end), games) in exits {
        let games = count(*games, "game", "games");
        let text = match end {
            RepertoireEnd::Inside => format!("{games} inside to the end"),
            RepertoireEnd::LineEnd => format!("{games} where the line ends"),
            RepertoireEnd::Me => format!("{games} left by me"),
            RepertoireEnd::Opponent => format!("{games} left by the opponent"),
            RepertoireEnd::Elsewhere => continue,
        };
        match comments
            .last_mut()
            .filter(|last| last.position == *position)
        {
            Some(last) => last.text.push_str(&format!(", {text}")),
            None => comments.push(RepertoireComment {
                position: *position,
                step: None,
                text: format!("Here: {text}"),
            }),
        }
    }
    comments
}

/// A comment beside each move: its games, and my score in them.
fn figures(repertoire: &Repertoire, reference: &RepertoireReference) -> Vec<RepertoireComment> {
    let mut comments = Vec::new();
    for (number, position) in (0..).zip(repertoire.positions()) {
        for (at, m) in position.moves.iter().enumerate() {
            let score = reference.score(repertoire, number, at);
            let mut text = count(score.games, "game", "games");
            if let Some(score) = repertoire::score_of(&score, repertoire.color()) {
                text.push_str(&format!(", {score:.0} %"));
            }
            comments.push(RepertoireComment {
                position: number,
                step: Some(m.step),
                text,
            });
        }
    }
    comments
}

pub(super) fn show(args: &RepertoireShowArgs) -> Result<Exit> {
    let control = args.report.of.jobs.control();
    let repertoires = match args.pgn {
        true => args
            .report
            .repertoire
            .read_whole(&args.report.of, &control)?,
        false => args.report.repertoire.read(&args.report.of, &control)?,
    };
    let reference = opened_reference(&args.report.of, &args.reference)?;
    let mut out = output::stdout_of(args.report.json);
    let mut damaged = 0;
    if args.pgn {
        say_left_out(repertoires.first().map_or(0, Repertoire::left_out));
    }
    for repertoire in &repertoires {
        let played = match &reference {
            Some((_, games)) => match counted(repertoire, games, &control)? {
                Some(played) => Some(played),
                None => return Ok(Exit::Interrupted),
            },
            None => None,
        };
        damaged = damaged.max(played.as_ref().map_or(0, |played| played.damaged));
        if args.pgn {
            let comments = played.as_ref().map(|played| figures(repertoire, played));
            let comments = comments.unwrap_or_default();
            write_games(
                &mut out,
                &repertoire::repertoire_game(repertoire, &comments),
            )?;
            continue;
        }
        let tree = repertoire::tree(repertoire, played.as_ref());
        if args.report.json {
            for position in &tree {
                writeln!(out, "{}", position.answer(repertoire).json())?;
            }
            continue;
        }
        let positions = repertoire.positions().len() as u64;
        let head = format!(
            "Repertoire for {}: {}",
            side(repertoire.color()),
            count(positions, "position", "positions")
        );
        writeln!(out, "{}", heading(&head))?;
        let mut text = String::new();
        tree_text::write(&mut text, repertoire, played.as_ref(), &tree);
        out.write_all(text.as_bytes())?;
    }
    out.flush()?;
    report::print_damaged(damaged);
    Ok(match &reference {
        Some((opened, _)) => report::end(opened, damaged > 0, true),
        None => Exit::Success,
    })
}
