//! The program Scid, by a script for its interpreter.

use std::process::{Command, Stdio};

use crate::{
    measure::find_program,
    task::{Contestant, MissingProgram, ProgramInput},
};

/// Imports a PGN file into a new database and exports that again.
const SCRIPT: &str = "
set input [lindex $argv 0]
set output [lindex $argv 1]
set base [sc_base create $output.base]
sc_base import $base $input
sc_base export filter PGN $output -comments 1 -variations 1
exit [expr {![file size $output]}]
";

pub(crate) fn rewrite() -> Contestant {
    Contestant::program(
        "scid",
        "imports the file into a new database of its own and exports that as PGN",
        command,
    )
}

/// Imports a PGN file into a new database.
const IMPORT: &str = "
set base [sc_base create CODEC [lindex $argv 1].base]
sc_base import $base [lindex $argv 0]
exit
";

/// Exports a database as PGN.
const EXPORT: &str = "
set base [sc_base open SCID5 [lindex $argv 0]]
sc_base export filter PGN [lindex $argv 1] -comments 1 -variations 1
exit [expr {![file size [lindex $argv 1]]}]
";

/// Opens a database and asks for fifty lines of its game list.
const PAGE: &str = "
set base [sc_base open SCID5 [lindex $argv 0]]
set page [sc_base gameslist $base 700000 50 dbfilter N+]
exit [expr {[llength $page] < 50}]
";

pub(crate) fn import_si4() -> Contestant {
    Contestant::program(
        "scid",
        "imports the file into a new base of Scid 4",
        |run| script(run, &IMPORT.replace("CODEC", "SCID4")),
    )
}

pub(crate) fn import_si5() -> Contestant {
    Contestant::program(
        "scid",
        "imports the file into a new base of Scid 5; older versions cannot",
        |run| script(run, &IMPORT.replace("CODEC", "SCID5")),
    )
}

pub(crate) fn export() -> Contestant {
    Contestant::program(
        "scid",
        "opens the base and exports it as PGN; older versions cannot",
        |run| script(run, EXPORT),
    )
}

pub(crate) fn page() -> Contestant {
    Contestant::program(
        "scid",
        "opens the base and asks for a page of the game list; older versions cannot",
        |run| script(run, PAGE),
    )
}

fn command(run: &ProgramInput) -> Result<Command, MissingProgram> {
    script(run, SCRIPT)
}

/// Opens a base and asks `command` of it. Versions that cannot open Scid 5 find a base of Scid 4 beside it.
pub(super) fn question(run: &ProgramInput, command: &str) -> Result<Command, MissingProgram> {
    const OPEN: &str = "
proc ::progressCallBack {args} {}
set path [lindex $argv 0]
if {[catch {sc_base open SCID5 $path} base]} {set base [sc_base open [file rootname $path]]}
";
    script(
        run,
        &format!("{OPEN}{command}\nexit [expr {{[sc_filter count] < 1}}]\n"),
    )
}

/// Runs a script with the paths of the input and of an output.
fn script(run: &ProgramInput, text: &str) -> Result<Command, MissingProgram> {
    let mut command = start(run, text)?;
    command.arg(&run.input).arg(&run.output);
    Ok(command)
}

/// Runs a script, which gets no arguments yet.
pub(super) fn start(run: &ProgramInput, text: &str) -> Result<Command, MissingProgram> {
    let program = match &run.options.scid {
        Some(path) => path.clone(),
        None => find_program("tkscid").map_err(|MissingProgram(why)| {
            MissingProgram(format!("{why}; `--scid PATH` says where it is"))
        })?,
    };
    let script = run.output.with_extension("tcl");
    std::fs::write(&script, text).map_err(|error| MissingProgram(error.to_string()))?;
    let mut command = Command::new(program);
    command.arg(script).stderr(Stdio::null());
    Ok(command)
}
