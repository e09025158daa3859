//! `tabiya formats`: the matrix, made from the descriptors.

use std::io::Write;

use anyhow::Result;
use clap::Args;
use tabiya::pages::{self, ExplanationPage};
use tabiya_answers::{Answer, FormatAnswer, PageAnswer};
use tabiya_formats::format::{Format, FormatSupport};
use tabiya_formats::registry::FORMATS;

use super::action_names::with_commands;
use super::args::FormatValues;
use super::exit::Exit;
use super::output::{self, TerminalColors};

#[derive(Args, Debug)]
pub(crate) struct FormatsArgs {
    /// Show one format in full, with all issues and losses it can report
    #[arg(value_parser = FormatValues, hide_possible_values = true, conflicts_with = "markdown")]
    pub(crate) format: Option<&'static Format>,
    /// Print a Markdown table
    #[arg(long, conflicts_with = "json")]
    pub(crate) markdown: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

const HEADINGS: [&str; 13] = [
    "format",
    "files",
    "read",
    "write",
    "edit",
    "repair",
    "tags",
    "variations",
    "comments",
    "NAGs",
    "set-ups",
    "Chess960",
    "null moves",
];

pub(crate) fn run(args: &FormatsArgs) -> Result<Exit> {
    let mut out = output::stdout_of(args.json);
    if let Some(format) = args.format {
        one(&mut out, format, args.json)?;
    } else if args.json {
        let list: Vec<_> = FORMATS.iter().map(|format| answer_of(format)).collect();
        writeln!(out, "{:#}", list.json())?;
    } else if args.markdown {
        write!(out, "{}", markdown())?;
    } else {
        table(&mut out)?;
    }
    out.flush()?;
    Ok(Exit::Success)
}

/// One format, with the pages of all that its reader can find and its writer can lose.
fn one(out: &mut impl Write, format: &'static Format, json: bool) -> Result<()> {
    let pages = pages::of(format);
    if json {
        let mut answer = answer_of(format);
        let list = pages.iter().map(|page| PageAnswer {
            name: page.name(),
            weight: page.weight(),
            summary: page.summary(),
        });
        answer.pages = Some(list.collect());
        writeln!(out, "{:#}", answer.json())?;
        return Ok(());
    }
    let width = HEADINGS.iter().map(|heading| heading.chars().count()).max();
    let width = width.unwrap_or(0);
    for (heading, cell) in HEADINGS.iter().zip(cells(format)) {
        writeln!(out, "{heading:<width$}  {cell}")?;
    }
    if !format.notes.is_empty() {
        writeln!(out, "\n{}", with_commands(format.notes))?;
    }
    let width = pages
        .iter()
        .map(|page| page.name().len())
        .max()
        .unwrap_or(0);
    for (title, is_loss) in [("Issues in reading", false), ("Losses in writing", true)] {
        let of_kind = |page: &&ExplanationPage| matches!(page, ExplanationPage::Loss(_)) == is_loss;
        if pages.iter().any(|page| of_kind(&page)) {
            writeln!(out, "\n{}", TerminalColors::of_stdout().bold(title))?;
        }
        for page in pages.iter().filter(of_kind) {
            let weight = if is_loss {
                String::new()
            } else {
                format!("{:<7}  ", page.weight())
            };
            writeln!(out, "{:<width$}  {weight}{}", page.name(), page.summary())?;
        }
    }
    writeln!(out, "\n`tabiya check --explain NAME` explains one of them.")?;
    Ok(())
}

/// The matrix as the README shows it.
fn markdown() -> String {
    let mut text = String::new();
    text.push_str(&format!("| {} | remarks |\n", HEADINGS.join(" | ")));
    text.push_str(&format!("|{}\n", "---|".repeat(HEADINGS.len() + 1)));
    for format in FORMATS {
        text.push_str(&format!(
            "| {} | {} |\n",
            cells(format).join(" | "),
            with_commands(format.notes)
        ));
    }
    text
}

fn table(out: &mut impl Write) -> std::io::Result<()> {
    let rows: Vec<Vec<String>> = std::iter::once(HEADINGS.map(str::to_owned).to_vec())
        .chain(FORMATS.iter().map(|format| cells(format)))
        .collect();
    let width = |column: usize| {
        let cell = |row: &Vec<String>| row.get(column).map_or(0, |cell| cell.chars().count());
        rows.iter().map(cell).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..HEADINGS.len()).map(width).collect();
    for row in &rows {
        let cells: Vec<String> = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:<width$}"))
            .collect();
        writeln!(out, "{}", cells.join("  ").trim_end())?;
    }
    writeln!(out)?;
    for format in FORMATS.iter().filter(|format| !format.notes.is_empty()) {
        writeln!(out, "{}: {}", format.name, with_commands(format.notes))?;
    }
    Ok(())
}

fn cells(format: &Format) -> Vec<String> {
    let can = format.capabilities;
    let support = |support| match support {
        FormatSupport::None => "-",
        FormatSupport::Experimental => "experimental",
        FormatSupport::Full => "yes",
    };
    let yes = |has: bool| if has { "yes" } else { "-" };
    let tags = if can.any_tag { "all" } else { "fixed" };
    let extensions: Vec<String> = format.extensions.iter().map(|e| format!(".{e}")).collect();
    [
        format.title,
        &extensions.join(" "),
        support(can.read),
        support(can.write),
        yes(can.edit),
        yes(can.repair),
        tags,
        yes(can.variations),
        yes(can.comments),
        yes(can.nags),
        yes(can.setups),
        yes(can.chess960),
        yes(can.null_moves),
    ]
    .map(str::to_owned)
    .to_vec()
}

fn answer_of(format: &Format) -> FormatAnswer {
    let can = format.capabilities;
    let support = |support| match support {
        FormatSupport::None => "none",
        FormatSupport::Experimental => "experimental",
        FormatSupport::Full => "full",
    };
    FormatAnswer {
        name: format.name,
        title: format.title,
        extensions: format.extensions.to_vec(),
        read: support(can.read),
        write: support(can.write),
        pipe: format.stream.is_some(),
        edit: can.edit,
        repair: can.repair,
        any_tag: can.any_tag,
        variations: can.variations,
        comments: can.comments,
        nags: can.nags,
        setups: can.setups,
        chess960: can.chess960,
        null_moves: can.null_moves,
        raw_movetext: can.raw_movetext,
        deleted: can.deleted,
        notes: with_commands(format.notes),
        pages: None,
    }
}
