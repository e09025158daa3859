//! `tabiya-sql`: SQL over every chess database. `tabiya sql` finds this program beside itself.

#[cfg(feature = "cluster")]
mod cluster;
#[cfg(not(feature = "cluster"))]
#[path = "cluster/absent.rs"]
mod cluster;
mod cluster_failure;
mod cluster_member;
mod failure_words;
mod file_tables;
mod functions;
mod interrupt;
mod joins;
mod memory;
mod messages;
mod output;
mod parquet;
mod position_filter;
mod quantities;
mod query_end;
mod read_games;
mod roots;
mod row_buffer;
mod run;
#[cfg(feature = "s3")]
mod s3;
mod series;
mod session;
mod session_environment;
mod shell;
mod statement_check;
mod store;
mod table;
mod threads;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// SQL over every chess database.
#[derive(Parser, Debug)]
#[command(
    name = "tabiya",
    bin_name = "tabiya",
    version,
    arg_required_else_help = true
)]
struct SqlCli {
    #[command(subcommand)]
    command: SqlCommand,
}

#[derive(Subcommand, Debug)]
enum SqlCommand {
    /// Query databases, Parquet files and folders of them with SQL (docs/sql.md)
    Sql(run::SqlArgs),
    /// Run queries on several machines (docs/cluster.md)
    Cluster(cluster::ClusterArgs),
}

fn main() -> ExitCode {
    let cli = match SqlCli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let code = if error.use_stderr() { 2 } else { 0 };
            messages::print(&error);
            return ExitCode::from(code);
        }
    };
    let (command, result) = match cli.command {
        SqlCommand::Sql(args) => (run::COMMAND, run::run(args)),
        SqlCommand::Cluster(args) => ("cluster", cluster::run(args)),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if run::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            messages::complain(command, &run::message(&error));
            ExitCode::from(2)
        }
    }
}
