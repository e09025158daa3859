//! `tabiya sql`: one query, or a shell.

use std::io::{IsTerminal, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::DataFusionError;
use datafusion::dataframe::DataFrame;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::execute_stream;
use futures::stream::Fuse;
use futures::{StreamExt, TryStreamExt};
use tempfile::TempDir;

use crate::cluster::ClusterJob;
use crate::cluster_failure::is_lost;
use crate::cluster_member::{MemberArgs, SchedulerAddress};
use crate::failure_words::words;
use crate::messages::say;
use crate::output::{self, AnswerFormat, AnswerWriter};
use crate::quantities::{seconds, size};
use crate::query_end::QueryGuard;
use crate::roots::AllowedRoots;
use crate::row_buffer::RowBuffer;
use crate::session::SqlSession;
use crate::session_environment::SessionLimits;
use crate::threads::{STACK, runtime};
use crate::{interrupt, joins, memory, shell, statement_check};

/// Default memory.
pub(crate) const MEMORY: usize = 2 << 30;

const EXAMPLES: &str = "Examples:
  tabiya sql \"SELECT white, count(*), avg(score) FROM 'mega.si4' WHERE year >= 2015 GROUP BY white ORDER BY 2 DESC LIMIT 20\"
  tabiya sql \"SELECT event, count(*) FROM read_games('games.pgn', query => 'material:KRPvKR') GROUP BY event\"
  tabiya sql --parquet sicilians.parquet \"SELECT * FROM 'lichess.parquet' WHERE eco LIKE 'B%'\"
docs/sql.md has the columns and the functions.
Exit codes: 0 success, 2 wrong usage or a failure, 130 stopped with Ctrl-C.";

/// How often a query is asked of a cluster that loses executors meanwhile.
const ATTEMPTS: usize = 3;
/// The command that asks.
pub(crate) const COMMAND: &str = "sql";

/// Arguments of `tabiya sql`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SqlArgs {
    /// The query; without one, a shell or the content of the file of -f
    query: Option<String>,
    /// File with the query; - is standard input
    #[arg(short, long, value_name = "FILE", conflicts_with = "query")]
    file: Option<PathBuf>,
    /// Comma-separated values with a header line
    #[arg(long, group = "form")]
    csv: bool,
    /// One JSON object per line
    #[arg(long, group = "form")]
    json: bool,
    /// An Arrow stream (IPC)
    #[arg(long, group = "form")]
    arrow: bool,
    /// A Parquet file, which appears complete or not at all
    #[arg(long, value_name = "FILE", group = "form")]
    parquet: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
    /// Another folder whose files queries may read; the working folder always is one
    #[arg(long, value_name = "FOLDER")]
    allow: Vec<PathBuf>,
    /// Memory for data that grows with a query, such as 512M or 4G; more goes to disk
    #[arg(long, value_name = "SIZE", value_parser = size)]
    memory: Option<usize>,
    /// Seconds after which a query is cancelled
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    timeout: Option<Duration>,
    /// Number of threads
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// The scheduler of a cluster that runs the query (docs/cluster.md)
    #[arg(long, value_name = "HOST")]
    cluster: Option<String>,
    #[command(flatten)]
    member: MemberArgs,
    /// Number of parts into which a cluster splits a query
    #[arg(long, value_name = "N", default_value_t = 16, requires = "cluster", value_parser = clap::value_parser!(u16).range(1..=4096))]
    parts: u16,
}

impl SqlArgs {
    fn form(&self) -> AnswerFormat {
        if self.csv {
            AnswerFormat::Csv
        } else if self.json {
            AnswerFormat::Json
        } else if self.arrow {
            AnswerFormat::Arrow
        } else if let Some(path) = &self.parquet {
            AnswerFormat::Parquet {
                path: path.clone(),
                force: self.force,
            }
        } else {
            AnswerFormat::Table
        }
    }

    /// The query, where there is one.
    fn text(&self) -> Result<Option<String>> {
        let read = |source: &mut dyn Read| -> Result<String> {
            let mut text = String::new();
            // One byte more than is read, so that it is refused by its length.
            source
                .take(statement_check::MOST_BYTES as u64 + 1)
                .read_to_string(&mut text)?;
            Ok(text)
        };
        Ok(match (&self.query, &self.file) {
            (Some(query), _) => Some(query.clone()),
            (None, Some(path)) if path.as_os_str() == "-" => Some(read(&mut std::io::stdin())?),
            (None, Some(path)) => {
                let name = || path.display().to_string();
                let mut file = std::fs::File::open(path).with_context(name)?;
                Some(read(&mut file).with_context(name)?)
            }
            (None, None) if std::io::stdin().is_terminal() => None,
            (None, None) => Some(read(&mut std::io::stdin())?),
        })
    }
}

/// Does what was asked, on a thread whose stack is deep enough.
pub(crate) fn run(args: SqlArgs) -> Result<()> {
    let thread = std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || sql(&args))?;
    thread
        .join()
        .unwrap_or_else(|_| bail!("an internal error of the program ended the query"))
}

fn sql(args: &SqlArgs) -> Result<()> {
    let text = args.text()?;
    let available = std::thread::available_parallelism().map_or(1, |threads| threads.get());
    // In a shell each query has its time.
    interrupt::watch(COMMAND, args.timeout.filter(|_| text.is_some()))?;
    let mut spill = tempfile::Builder::new();
    let spill = interrupt::make(|| spill.prefix("tabiya-sql-").tempdir(), TempDir::path)?;
    let limits = SessionLimits {
        memory: args.memory.unwrap_or(MEMORY),
        threads: match &args.cluster {
            Some(_) => usize::from(args.parts),
            None => args.threads.unwrap_or(available).max(1),
        },
        spill: spill.path().to_owned(),
    };
    memory::watch(limits.memory, || interrupt::fail(COMMAND, memory::WORDS))?;
    let roots = AllowedRoots::new(&args.allow)?;
    let place = args.cluster.as_ref().map(|address| {
        Ok::<_, anyhow::Error>(SchedulerAddress {
            address: address.clone(),
            member: args.member.member()?,
        })
    });
    let session = SqlSession::new(roots, limits.clone(), place.transpose()?)?;
    let runtime = runtime(limits.threads.min(available))?;
    let form = args.form();
    match text {
        Some(text) => {
            let answer = runtime.block_on(answer(&session, &text, &form));
            // Threads that still read are not waited for.
            runtime.shutdown_background();
            answer
        }
        None => shell::run_shell(&runtime, &session, &form, args.timeout),
    }
}

/// A query that is being answered; it is over when this is dropped.
struct QueryStream {
    schema: SchemaRef,
    stream: Fuse<SendableRecordBatchStream>,
    /// The first rows.
    held: RowBuffer,
    job: ClusterJob,
    _ends: QueryGuard,
}

/// Answers a query.
pub(crate) async fn answer(session: &SqlSession, text: &str, form: &AnswerFormat) -> Result<()> {
    let query = session.query(text).await?;
    let mut answer = begin(session, query).await?;
    let mut writer = AnswerWriter::new(form, &answer.schema)?;
    while let Some(batch) = answer.held.next()? {
        writer.write(&batch)?;
    }
    while let Some(batch) = answer.stream.try_next().await? {
        writer.write(&batch)?;
    }
    answer.job.finish();
    writer.finish()
}

/// Has a query computed until its first rows come; where a cluster has lost an executor until then, anew.
///
/// A join keeps one side of it in memory, which is quicker than to sort both. Where that does not fit, the query is computed anew with
/// joins that go to disk; so the first rows are held until all joins have what they keep.
async fn begin(session: &SqlSession, query: DataFrame) -> Result<QueryStream> {
    let (mut query, mut is_sorted, mut left) = (query, false, ATTEMPTS);
    loop {
        let task = Arc::new(query.task_ctx());
        let mut plan = query.clone().create_physical_plan().await?;
        let may_be_sorted = !is_sorted && joins::are_in_memory(&plan);
        if may_be_sorted && joins::are_of_stdin(&plan) {
            (query, is_sorted) = (joins::sorted(query, session.memory()), true);
            continue;
        }
        if is_sorted {
            plan = joins::spilling(plan)?;
        }
        let ends = QueryGuard::default();
        let plan = ends.of(plan)?;
        let job = ClusterJob::new(&plan, session.cluster());
        let stream = execute_stream(plan, task)?;
        let schema = stream.schema();
        let mut stream = stream.fuse();
        let mut held = session.held(&schema);
        let begun = loop {
            match stream.try_next().await {
                Ok(Some(batch)) => held.push(batch)?,
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
            if ends.have_started() {
                break Ok(());
            }
        };
        match begun {
            Ok(()) => {
                return Ok(QueryStream {
                    schema,
                    stream,
                    held,
                    job,
                    _ends: ends,
                });
            }
            Err(error) if may_be_sorted && joins::is_exhausted(&error) => {
                (query, is_sorted) = (joins::sorted(query, session.memory()), true);
            }
            Err(error) if left > 1 && is_lost(&error) => {
                left -= 1;
                say("an executor of the cluster was lost: the query is run again");
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// Whether the reader of the answer has gone.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let is_of_pipe = |cause: &std::io::Error| cause.kind() == std::io::ErrorKind::BrokenPipe;
    output::reader_is_gone()
        || error
            .chain()
            .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
            .any(is_of_pipe)
}

/// An error in a sentence for people.
pub(crate) fn message(error: &anyhow::Error) -> String {
    match error.downcast_ref::<DataFusionError>() {
        Some(error) => words(error),
        None => format!("{error:#}"),
    }
}
