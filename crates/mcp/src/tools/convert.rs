//! `convert`: a copy in another format, with its losses.

use std::path::PathBuf;

use tabiya::Target;
use tabiya::convert::{self, Conversion, ConvertOptions};
use tabiya::search::{self, SearchOptions};
use tabiya_answers::{Answer, McpConversionAnswer};
use tabiya_formats::format::WriteOptions;
use tabiya_formats::registry;
use tabiya_model::Error;

use super::arguments::FieldKind::{Flag, Text};
use super::arguments::field;
use super::{McpTool, ToolCall, ToolPace, with_games};
use crate::error::McpRefusal;
use crate::jobs::ToolResult;

pub(super) const CONVERT: McpTool = McpTool {
    name: "convert",
    title: "Convert databases",
    about: "Copies databases, or the games of them that match, into one of another format, and reports everything that the \
        copy loses. Without `target` nothing is written: it only reports what would be lost. A target is written within \
        the user's folders if edits are allowed, and never replaces a file. It is a job.",
    fields: with_games![
        field(
            "target",
            Text,
            "The new file within the folders, such as tal.pgn or new/tal.si5"
        ),
        field(
            "format",
            Text,
            "The format, by its name or extension (default: by the name of the target): pgn, si5, si4, cbf, ndjson, parquet, …"
        ),
        field(
            "verify",
            Flag,
            "Read the copy again and compare it with its sources"
        ),
    ],
    answers: &["McpConversionAnswer"],
    pace: ToolPace::Job,
    writes: true,
    run,
};

fn run(call: &ToolCall<'_>) -> ToolResult {
    let name = call.arguments.text("target");
    let format = match call.arguments.text("format") {
        None => None,
        Some(text) => {
            let wanted = text.trim().trim_start_matches('.').to_lowercase();
            let found = registry::by_name(&wanted).or_else(|| registry::by_extension(&wanted));
            Some(found.ok_or_else(|| {
                let names = registry::FORMATS
                    .iter()
                    .filter(|format| format.create.is_some());
                McpRefusal::new("no-such-format", format!("there is no format {text:.40}"))
                    .with_choices(names.map(|format| format.name.to_owned()))
            })?)
        }
    };
    // What is only tried goes into a folder that goes.
    let mut tried = None;
    let path: PathBuf = match (name, format) {
        (Some(_), _) if !call.server.config.edits => return Err(McpRefusal::read_only()),
        (Some(name), _) => call.server.bases.target(name)?,
        (None, Some(format)) => {
            let folder = tempfile::tempdir().map_err(Error::from)?;
            let extension = format.extensions.first().copied().unwrap_or("");
            let path = folder.path().join(format!("copy.{extension}"));
            tried = Some(folder);
            path
        }
        (None, None) => {
            return Err(McpRefusal::new(
                "bad-arguments",
                "give a `target`, or a `format` to see what a copy in it would lose",
            ));
        }
    };
    let target = Target::new(&path, format, WriteOptions::default())?;
    let games = call.selection()?;
    let done = match games.is_all() {
        true => {
            let options = ConvertOptions {
                verify: call.arguments.flag("verify"),
                ..ConvertOptions::default()
            };
            convert::convert(&games.bases, &target, &options, call.control)?
        }
        false => {
            let copied = search::copy(&games, &SearchOptions::default(), &target, call.control)?;
            Conversion {
                summary: copied.summary,
                sources: copied.sources,
                ended: copied.search.ended,
                ..Conversion::default()
            }
        }
    };
    call.whole(done.ended)?;
    let mut report = done.answer(&target);
    if tried.is_some() {
        report.target = target.format.name.to_owned();
        report.files = None;
    } else {
        report.notes.extend(
            call.server
                .bases
                .added(&path)
                .map(|name| format!("its name for other tools is {name}")),
        );
    }
    let answer = McpConversionAnswer {
        report,
        written: tried.is_none(),
    };
    Ok(call.with_names(answer.json()))
}
