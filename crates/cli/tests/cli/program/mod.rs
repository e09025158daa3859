//! The program, run as people run it, and what it answers.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// Runs the program in a folder.
pub(crate) fn tabiya(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .args(args)
        .current_dir(folder)
        .output()
        .expect("it runs")
}

/// Writes a script that can be run. Another process writes it: a program that is started by another test inherits the files that this
/// process has open, and the system runs no script that is open for writing.
#[cfg(unix)]
pub(crate) fn write_script(path: &Path, script: &str) {
    let written = Command::new("sh")
        .args(["-c", "printf %s \"$2\" >\"$1\" && chmod 755 \"$1\"", "sh"])
        .arg(path)
        .arg(script)
        .status()
        .expect("sh runs");
    assert!(written.success(), "{}", path.display());
}

/// What it wrote.
pub(crate) fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

/// The JSON that it answers with.
pub(crate) fn json(folder: &Path, args: &[&str]) -> Value {
    let output = tabiya(folder, args);
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

/// The members of a list in JSON.
pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}
