//! The program that answers SQL: it gets a statement and the folders that it may read, and returns rows.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use serde_json::Value;
use tabiya_model::Control;

use crate::error::McpRefusal;

/// Bytes of all rows that are taken, and of what is said of a failure.
const ROWS: usize = 4 << 20;
const FAILURE: u64 = 8_000;
/// How often it is looked whether the answer is still wanted.
const LOOK: Duration = Duration::from_millis(20);
/// Seconds that a statement may take.
const SECONDS: &str = "600";

/// A program that ends with whoever has asked.
struct SqlProcess(Child);

impl Drop for SqlProcess {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The first rows that a statement gives, and whether these are all.
pub(crate) fn rows_of(
    program: &Path,
    folders: &[PathBuf],
    query: &str,
    limit: usize,
    control: &Control,
) -> Result<(Vec<Value>, bool), McpRefusal> {
    let failed = |why: String| McpRefusal::new("sql-failed", why);
    let first = folders.first().ok_or_else(|| {
        failed("no folder was named, and SQL only reads files in folders".to_owned())
    })?;
    let mut call = Command::new(program);
    call.args(["sql", "--json", "--timeout", SECONDS]);
    for folder in folders.iter().skip(1) {
        call.arg("--allow").arg(folder);
    }
    call.current_dir(first)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut process = SqlProcess(call.spawn().map_err(|error| failed(error.to_string()))?);
    let (input, output, errors) = (
        process.0.stdin.take(),
        process.0.stdout.take(),
        process.0.stderr.take(),
    );
    // A statement is written while rows are read already.
    let text = query.to_owned();
    std::thread::spawn(move || {
        if let Some(mut input) = input {
            // A program that has ended reads no more.
            let _ = input.write_all(text.as_bytes());
        }
    });
    let told = std::thread::spawn(move || {
        let mut text = Vec::new();
        if let Some(errors) = errors {
            let _ = errors.take(FAILURE).read_to_end(&mut text);
        }
        String::from_utf8_lossy(&text).trim().to_owned()
    });
    let (sender, lines) = sync_channel(64);
    std::thread::spawn(move || {
        let Some(output) = output else { return };
        let mut output = BufReader::new(output);
        loop {
            let mut line = Vec::new();
            let read = output
                .by_ref()
                .take(ROWS as u64)
                .read_until(b'\n', &mut line);
            if !read.is_ok_and(|count| count > 0) || sender.send(line).is_err() {
                return;
            }
        }
    });
    let (mut rows, mut bytes) = (Vec::new(), 0);
    loop {
        match lines.recv_timeout(LOOK) {
            Ok(_) if rows.len() == limit => return Ok((rows, false)),
            Ok(line) => {
                bytes += line.len();
                if bytes > ROWS {
                    return Ok((rows, false));
                }
                let row = serde_json::from_slice(&line);
                rows.push(row.map_err(|error| failed(format!("this is not a row: {error}")))?);
            }
            Err(RecvTimeoutError::Timeout) if control.is_stopped() => {
                return Err(McpRefusal::new("stopped", "this was stopped"));
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    let status = process
        .0
        .wait()
        .map_err(|error| failed(error.to_string()))?;
    match status.success() {
        true => Ok((rows, true)),
        false => {
            let why = told.join().unwrap_or_default();
            Err(failed(match why.is_empty() {
                true => "the SQL program has failed".to_owned(),
                false => why,
            }))
        }
    }
}
