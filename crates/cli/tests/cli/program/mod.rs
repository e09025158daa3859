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
