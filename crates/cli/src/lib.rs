//! The command line of Tabiya, one file a command.
//!
//! Programs that add something to it, as `tabiya-mysql` adds a client of servers, call [`main`] too.

mod action_names;
mod analyse;
mod args;
mod book;
mod cat;
mod check;
mod command_manual;
mod commands;
mod config_file;
mod convert;
mod convert_args;
mod crosstable;
mod csv_rows;
mod databases;
mod dedupe;
mod diff;
mod eco;
mod edit;
mod emb_dump;
mod exit;
mod explore;
mod explore_book;
mod external_program;
mod format_options;
mod formats;
mod game_list;
mod global_args;
mod identify;
mod index;
mod info;
mod interrupt;
mod jose;
mod lake;
mod ls;
mod mcp;
mod mistakes;
mod names;
mod novelty;
mod options_file;
mod output;
mod pager;
mod password;
mod player;
mod progress;
mod query;
mod query_manual;
mod redirect_page;
mod repertoire;
mod repertoire_files;
mod report;
mod report_file;
mod roff;
mod search;
mod select_args;
mod serve;
mod stats;
mod table;
mod tactics;

use std::process::ExitCode;

use clap::Parser;

use commands::{Cli, Command};
use exit::Exit;

/// Runs the command that the arguments of the process name.
pub fn main() -> ExitCode {
    let words = match options_file::expand(std::env::args_os()) {
        Ok(words) => words,
        Err(error) => {
            output::print_error(&exit::message(&error));
            return Exit::Failure.into();
        }
    };
    if let Some(program) = external_program::for_servers(&words) {
        let failed = external_program::hand_over(&program, words.iter().skip(1));
        output::print_error(&exit::message(&failed));
        return Exit::Failure.into();
    }
    if let Some(missing) = commands::missing_file(&words) {
        output::print_error(&format!("{missing}: no such file"));
        return Exit::Failure.into();
    }
    let words = commands::opened_file(words);
    let words = match config_file::expand(words, Cli::command_named) {
        Ok(words) => words,
        Err(error) => {
            output::print_error(&exit::message(&error));
            return Exit::Failure.into();
        }
    };
    let started = std::time::Instant::now();
    let cli = match Cli::try_parse_from(&words) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are no errors; everything else is a request that makes no sense.
            let code = if error.use_stderr() {
                Exit::Failure
            } else {
                Exit::Success
            };
            output::print(&error);
            if error.kind() == clap::error::ErrorKind::UnknownArgument
                && let Some(help) = query::begins_with_hyphen(&words)
            {
                output::say(&help);
            }
            return code.into();
        }
    };
    cli.global.take_effect();
    if let Some(code) = pager::run(commands::has_long_output(&cli.command)) {
        return code;
    }
    interrupt::install_handler();
    let result = run(cli.command).map(|exit| exit.or(of_repertoires()));
    if global_args::is_verbose() {
        output::say(&format!("time: {:.2} s", started.elapsed().as_secs_f64()));
    }
    exit_code(result)
}

/// Runs one command.
fn run(command: Command) -> anyhow::Result<Exit> {
    match command {
        Command::Identify(args) => identify::run(&args),
        Command::Databases(args) => databases::run(&args),
        Command::Info(args) => info::run(&args),
        Command::Ls(args) => ls::run(&args),
        Command::Cat(args) => cat::run(&args),
        Command::Query(args) => query::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Repair(args) => convert::repair(&args),
        Command::New(args) => edit::new(&args),
        Command::Edit(args) => edit::run(&args),
        Command::Search(args) => search::run(&args),
        Command::Diff(args) => diff::run(&args),
        Command::Explore(args) => explore::run(&args),
        Command::Book(args) => book::run(&args),
        Command::Index(args) => index::run(&args),
        Command::Eco(args) => eco::run(&args),
        Command::Analyse(args) => analyse::run(&args),
        Command::Tactics(args) => tactics::run(&args),
        Command::Formats(args) => formats::run(&args),
        Command::Stats(args) => stats::run(&args),
        Command::Dedupe(args) => dedupe::run(&args),
        Command::Novelty(args) => novelty::run(&args),
        Command::Deepest(args) => novelty::deepest(&args),
        Command::Repertoire(args) => repertoire::run(&args),
        Command::Crosstable(args) => crosstable::run(&args),
        Command::Names(args) => names::run(&args),
        Command::Player(args) => player::run(&args),
        Command::Mistakes(args) => mistakes::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Open(args) => serve::open(&args),
        Command::App(args) => serve::app(&args),
        Command::Lake(args) => lake::run(&args),
        Command::Mcp(args) => mcp::run(&args),
        Command::Fetch(args) => external_program::fetch(&args),
        Command::Sql(args) => external_program::run("sql", &args),
        Command::Cluster(args) => external_program::run("cluster", &args),
        Command::Jose(args) => jose::run(&args),
        Command::Completions(args) => args.run(),
        Command::Man(args) => args.run(),
    }
}

/// The exit code after repertoires were read: the result of a damaged one is incomplete.
fn of_repertoires() -> Exit {
    match repertoire_files::is_damaged() {
        true => Exit::Incomplete,
        false => Exit::Success,
    }
}

/// The exit code of the process, after errors are printed.
fn exit_code(result: anyhow::Result<Exit>) -> ExitCode {
    match result {
        // Work that was put in place before the request is reported with its own code.
        Ok(_) if interrupt::is_requested() && !tabiya::has_written() => Exit::Interrupted.into(),
        Err(error) if interrupt::is_requested() && !exit::is_of_a_change(&error) => {
            Exit::Interrupted.into()
        }
        Ok(exit) => told(exit).into(),
        Err(error) if exit::is_broken_pipe(&error) => Exit::Success.into(),
        Err(error) => {
            output::print_error(&exit::message(&error));
            match error.downcast_ref::<exit::StrictError>() {
                Some(_) => Exit::Incomplete.into(),
                None => Exit::Failure.into(),
            }
        }
    }
}

/// A job that ended because it needed too much reports why, and has failed.
fn told(exit: Exit) -> Exit {
    match interrupt::control().reason() {
        Some(reason) => {
            output::print_error(&reason);
            Exit::Failure
        }
        None => exit,
    }
}
