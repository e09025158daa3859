//! `job` and `more`: answers that take long, and the rest of answers that were cut.

use std::time::Duration;

use serde_json::json;
use tabiya_answers::{Answer, McpJobsAnswer};

use super::arguments::FieldKind::{Flag, Text};
use super::arguments::{field, needed};
use super::{McpTool, ToolCall, ToolPace};
use crate::error::McpRefusal;
use crate::jobs::ToolResult;

/// How long the end of a job is waited for.
const PATIENCE: Duration = Duration::from_millis(600);

pub(super) const JOB: McpTool = McpTool {
    name: "job",
    title: "Ask about a job",
    about: "Returns the state of a job, and its answer when it has ended; with `stop`, ends it. Without a job it lists all \
        of this run. Ask again after a few seconds while its state is `running`.",
    fields: &[
        field("job", Text, "The id of the job, such as j1"),
        field("stop", Flag, "End the job"),
    ],
    answers: &["McpJobsAnswer"],
    pace: ToolPace::Inline,
    writes: false,
    run: ask,
};

fn ask(call: &ToolCall<'_>) -> ToolResult {
    let jobs = &call.server.jobs;
    let Some(id) = call.arguments.text("job") else {
        let all = McpJobsAnswer {
            jobs: jobs.all().iter().map(|job| job.answer()).collect(),
        };
        return Ok(all.json());
    };
    let job = jobs.get(id.trim()).ok_or_else(|| {
        McpRefusal::new("no-such-job", format!("there is no job {id:.40}"))
            .with_choices(jobs.all().iter().map(|job| job.id().to_owned()))
    })?;
    if call.arguments.flag("stop") {
        job.stop();
    }
    match job.wait(PATIENCE, call.control) {
        Some(Ok(answer)) => Ok(json!({ "job": job.answer().json(), "answer": answer })),
        Some(Err(refusal)) if !job.was_stopped() => Err(refusal),
        _ => Ok(json!({ "job": job.answer().json() })),
    }
}

pub(super) const MORE: McpTool = McpTool {
    name: "more",
    title: "Show more",
    about: "Shows the rest of a list, or of a text, that was cut because the answer would have been too long: `cut` in that answer \
        has the cursor.",
    fields: &[needed("cursor", Text, "The cursor, such as c1.20")],
    answers: &["McpItemsAnswer"],
    pace: ToolPace::Inline,
    writes: false,
    run: more,
};

fn more(call: &ToolCall<'_>) -> ToolResult {
    let cursor = call.arguments.text("cursor").unwrap_or_default();
    call.server.cuts.more(cursor.trim())
}
