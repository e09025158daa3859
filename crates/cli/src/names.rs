//! `tabiya names`: finds and fixes name variants.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args;
use clap::builder::PossibleValuesParser;
use tabiya::Base;
use tabiya::edit;
use tabiya::names::rating_list::RatingList;
use tabiya::names::spelling_file::SpellingFile;
use tabiya::names::{
    self, NameUsage, NamesCluster, NamesCorrection, NamesCorrectionReport, NamesFillOptions,
    NamesOptions, NamesReport, TABLES,
};
use tabiya_answers::Answer;

use super::args::{JobsArgs, ReadArgs, WriteArgs};
use super::exit::Exit;
use super::output::{self, TerminalColors, count, grouped, printable, say};
use super::progress::ProgressLine;
use super::query::text_of;
use super::select_args::SelectArgs;
use super::{convert, report};

#[derive(Args, Debug)]
pub(crate) struct NamesArgs {
    /// Databases; `-` is standard input
    #[arg(required = true, value_name = "BASE")]
    paths: Vec<PathBuf>,
    /// Kinds of names to check [default: all]
    #[arg(long, value_name = "KIND,…", value_delimiter = ',', value_parser = PossibleValuesParser::new(TABLES.map(|(name, _)| name)))]
    of: Vec<String>,
    /// Do not match names that differ in one letter
    #[arg(long, conflicts_with = "apply")]
    no_misspelt: bool,
    /// Write a spelling file that unifies the names found; review it before you --apply it
    #[arg(long, value_name = "FILE", conflicts_with = "apply")]
    corrections: Option<PathBuf>,
    /// Fix names with a spelling file (Scid's syntax): in a copy with -o, otherwise in place
    #[arg(long, value_name = "FILE", conflicts_with_all = ["query", "games", "skip_deleted", "only_deleted", "unfinished"])]
    apply: Option<PathBuf>,
    /// With --apply: fill in missing data from the spelling file and the rating list
    #[arg(long, value_name = "WHAT,…", value_delimiter = ',', requires = "apply", value_parser = PossibleValuesParser::new(NamesFillOptions::NAMES))]
    fill: Vec<String>,
    /// With --fill: FIDE rating list, as text or XML, compressed or not
    #[arg(long, value_name = "FILE", requires = "fill")]
    ratings: Option<PathBuf>,
    /// Month of that list, such as 2024.01, if the file does not contain it; games of that month get its ratings
    #[arg(long, value_name = "YEAR.MONTH", requires = "ratings", value_parser = month)]
    ratings_of: Option<(u16, u8)>,
    /// With --apply: write a new database, in the format of its extension
    #[arg(long, short, value_name = "TARGET", requires = "apply")]
    output: Option<PathBuf>,
    /// With --apply: show what would change, game by game, and change nothing
    #[arg(long, short = 'n', requires = "apply", conflicts_with = "output")]
    dry_run: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    select: SelectArgs,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    write: WriteArgs,
    #[command(flatten)]
    jobs: JobsArgs,
}

fn month(text: &str) -> Result<(u16, u8), String> {
    let read = || {
        let (year, month) = text.split_once(['.', '-'])?;
        let month = month
            .parse()
            .ok()
            .filter(|month| (1..=12).contains(month))?;
        Some((year.parse().ok()?, month))
    };
    read().ok_or_else(|| "give a year and a month, such as 2024.01".to_owned())
}

pub(crate) fn run(args: &NamesArgs) -> Result<Exit> {
    match &args.apply {
        Some(file) => apply(args, file),
        None => find(args),
    }
}

fn find(args: &NamesArgs) -> Result<Exit> {
    let opened = args.read.opener().open_all(&args.paths).or_fail()?;
    let control = args.jobs.control();
    let progress = ProgressLine::of(&control);
    let mut options = NamesOptions {
        misspelt: !args.no_misspelt,
        ..NamesOptions::default()
    };
    if !args.of.is_empty() {
        let wanted = TABLES
            .iter()
            .filter(|(name, _)| args.of.iter().any(|of| of == name));
        options.tables = wanted.map(|(_, table)| *table).collect();
    }
    let answer = names::find(&args.select.of(&opened.bases)?, &options, &control)?;
    drop(progress);
    answer.notes.iter().for_each(|note| say(note));
    if !answer.ended.is_whole() {
        return Ok(Exit::Interrupted);
    }
    let mut out = output::stdout_of(args.json);
    if args.json {
        writeln!(out, "{}", answer.answer().json())?;
    } else {
        tell(&mut out, &answer)?;
    }
    out.flush()?;
    if let Some(path) = &args.corrections {
        write(path, &answer.spelling_file(), args, &opened.bases)?;
    }
    say(&format!(
        "{} checked, {} may be variants",
        count(answer.names, "name was", "names were"),
        grouped(answer.variants())
    ));
    report::print_damaged(answer.damaged);
    Ok(report::end(
        &opened,
        answer.damaged > 0,
        !answer.groups.is_empty(),
    ))
}

/// Writes a file that appears when it is whole, and never over another unless asked to.
fn write(path: &Path, text: &str, args: &NamesArgs, bases: &[Base]) -> Result<()> {
    let options = tabiya_io::output::OutputOptions {
        force: args.write.options().force,
        sources: bases.iter().flat_map(Base::files).collect(),
    };
    let mut out = tabiya_io::output::OutputFile::create(path, &options)
        .map_err(|error| anyhow!("{error}"))?;
    out.write_all(text.as_bytes())?;
    out.commit().map_err(|error| anyhow!("{error}"))
}

fn tell(out: &mut impl Write, answer: &NamesReport) -> Result<()> {
    let paint = TerminalColors::of_stdout();
    for NamesCluster { keep, variants, .. } in &answer.groups {
        writeln!(
            out,
            "{} {}",
            paint.bold(&printable(&keep.name)),
            in_words(keep)
        )?;
        for variant in variants {
            let evidence = variant.evidence.join("; ");
            let or = match &variant.or[..] {
                [] => String::new(),
                names => format!(" (or {})", names.join(", or ")),
            };
            let line = format!(
                "  {} {}: {}{}{evidence}{}",
                printable(&variant.named.name),
                in_words(&variant.named),
                variant.how.name(),
                if evidence.is_empty() { "" } else { "; " },
                printable(&or)
            );
            writeln!(out, "{line}")?;
        }
    }
    Ok(())
}

fn in_words(named: &NameUsage) -> String {
    let years = match named.years {
        Some((first, last)) if first != last => format!(", {first}-{last}"),
        Some((year, _)) => format!(", {year}"),
        None => String::new(),
    };
    let elos = match named.elos {
        Some((least, most)) if least != most => format!(", Elo {least}-{most}"),
        Some((elo, _)) => format!(", Elo {elo}"),
        None => String::new(),
    };
    format!("({}{years}{elos})", count(named.games, "game", "games"))
}

fn apply(args: &NamesArgs, file: &Path) -> Result<Exit> {
    let spelling =
        SpellingFile::parse(&text_of(file)?).with_context(|| file.display().to_string())?;
    let mut correcting = NamesCorrection::of(spelling);
    for what in &args.fill {
        correcting.fill.add(what);
    }
    if let Some(path) = &args.ratings {
        let list = RatingList::open(path).with_context(|| path.display().to_string())?;
        say(&format!(
            "{}: {}",
            path.display(),
            count(list.len() as u64, "player", "players")
        ));
        correcting.ratings = list;
    }
    correcting.ratings_of = args.ratings_of.or(correcting.ratings.month);
    if correcting.fill.elos && args.ratings.is_some() && correcting.ratings_of.is_none() {
        say(
            "the rating list does not contain its month: without --ratings-of no ratings are taken from it",
        );
    }
    match &args.output {
        Some(target) => copy(args, target, &correcting),
        None => in_place(args, correcting),
    }
}

fn copy(args: &NamesArgs, target: &Path, correcting: &NamesCorrection) -> Result<Exit> {
    let target = args.write.target(target)?;
    let opened = args.read.opener().open_all(&args.paths).or_fail()?;
    let control = args.jobs.control();
    let progress = ProgressLine::of(&control);
    let done = names::copy(&opened.bases, correcting, &target, &control)?;
    drop(progress);
    if done.ended.is_whole() {
        tell_report(args, &correcting.report())?;
    }
    convert::end(&done, &opened, true)
}

fn in_place(args: &NamesArgs, correcting: NamesCorrection) -> Result<Exit> {
    let opener = args.read.opener();
    let [path] = &args.paths[..] else {
        bail!("names are fixed in one database at a time; merge several with -o");
    };
    let options = edit::EditOptions {
        dry_run: args.dry_run,
        ..edit::EditOptions::of_user()?
    };
    let control = args.jobs.control();
    let correcting = Arc::new(correcting);
    let mut out = output::stdout();
    let mut told = Ok(());
    let done = names::in_place(
        &opener,
        path,
        Arc::clone(&correcting),
        &options,
        &mut |step| {
            if args.dry_run && told.is_ok() {
                told = super::edit::print_step(step, &mut out);
            }
        },
        &control,
    )?;
    told.and_then(|()| out.flush())?;
    if !done.ended.is_whole() {
        return Ok(Exit::Interrupted);
    }
    drop(out);
    tell_report(args, &correcting.report())?;
    let name = path.display();
    done.notes
        .iter()
        .for_each(|note| say(&format!("{name}: {note}")));
    report::losses(&name.to_string(), &done.losses, false);
    say(&match args.dry_run {
        true => format!("{name}: nothing was changed (dry run)"),
        false => format!(
            "{name}: {} changed; `tabiya edit {name} undo` undoes this",
            count(done.games, "game", "games")
        ),
    });
    Ok(Exit::of(false, done.losses.total() > 0, done.games > 0))
}

fn tell_report(args: &NamesArgs, report: &NamesCorrectionReport) -> Result<()> {
    let mut out = output::stdout_of(args.json);
    if args.json {
        writeln!(out, "{}", report.answer().json())?;
    } else {
        for ((kind, old, new), games) in &report.names {
            writeln!(
                out,
                "{kind}\t{}\t->\t{}\t{}",
                printable(old),
                printable(new),
                count(*games, "game", "games")
            )?;
        }
        for (tag, games) in &report.filled {
            writeln!(out, "filled\t{tag}\t{}", count(*games, "game", "games"))?;
        }
    }
    Ok(out.flush()?)
}
