//! No call of a closure that Rust 1.77 to 1.96 compile wrongly (<https://github.com/rust-lang/rust/issues/155241>).
//!
//! These compilers may pass one value to two calls of closures where it is equal in both, an empty list or map for instance. A closure
//! that changes or drops its argument where it lies then changes what the next call gets: memory is freed twice, in safe code. The
//! compiler's own listing of what it has optimised shows such calls: their argument is a copy or a constant, and not moved.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::steps;

/// The first minor version of Rust 1 whose compiler does it right.
const MENDED: u32 = 97;

/// Compiles everything as far as the optimised listing, and looks for these calls in ours and in all dependencies.
pub(crate) fn closures(_: &[String]) -> Result<()> {
    let version = minor_version()?;
    if version >= MENDED {
        eprintln!("skipped: Rust 1.{version} compiles calls of closures correctly");
        return Ok(());
    }
    let mut looked_at = 0;
    let mut wrong = BTreeSet::new();
    for workspace in [".", "sql", "python"] {
        let files = listings(workspace)?;
        looked_at += files.len();
        for file in &files {
            let text = fs::read_to_string(file)?;
            let name = file.file_stem().unwrap_or_default().display().to_string();
            let calls = text.lines().filter_map(shared_argument);
            wrong.extend(calls.map(|call| format!("{name}: {call}")));
        }
    }
    println!("{looked_at} crates and programs checked");
    for call in &wrong {
        eprintln!("{call}");
    }
    if !wrong.is_empty() {
        bail!(
            "{} calls of closures share their argument with another call: replace the closure with a function, or pass the argument by reference",
            wrong.len()
        );
    }
    Ok(())
}

/// The minor version of the compiler that builds everything.
fn minor_version() -> Result<u32> {
    let told = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        .arg("--version")
        .current_dir(steps::root())
        .output()
        .context("cannot start rustc")?;
    let told = String::from_utf8_lossy(&told.stdout);
    told.strip_prefix("rustc 1.")
        .and_then(|rest| rest.split('.').next())
        .and_then(|minor| minor.parse().ok())
        .with_context(|| format!("unknown version of rustc: {told:?}"))
}

/// Compiles a workspace from nothing as far as the optimised listings, one for each crate and program.
fn listings(workspace: &str) -> Result<Vec<PathBuf>> {
    let target = steps::target().join("closures");
    if target.exists() {
        fs::remove_dir_all(&target).with_context(|| target.display().to_string())?;
    }
    let mut check = steps::cargo(&["check", "--workspace", "--locked", "--release"]);
    check.args(["--bins", "--tests", "--examples"]);
    check.current_dir(steps::root().join(workspace));
    check.env("CARGO_TARGET_DIR", &target);
    let given = env::var("RUSTFLAGS").unwrap_or_default();
    check.env("RUSTFLAGS", format!("{given} --emit=mir"));
    steps::run(check)?;
    let folder = target.join("release/deps");
    let mut files = Vec::new();
    for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.extension().is_some_and(|it| it == "mir") {
            files.push(path);
        }
    }
    ensure!(!files.is_empty(), "no listings in {}", folder.display());
    Ok(files)
}

/// A line of a listing, if it calls a closure with an argument in memory that is not its own.
fn shared_argument(line: &str) -> Option<&str> {
    let call = line.trim_start();
    let (_, rest) = ["call(", "call_mut(", "call_once("]
        .iter()
        .find_map(|name| call.split_once(&format!(">>::{name}")))?;
    let head = call.strip_suffix(rest)?;
    let arguments = head.rsplit_once(" as Fn")?.1.split_once('<')?.1;
    let arguments = arguments.rsplit_once(">>::")?.0;
    // The closure itself comes first; its own arguments are one tuple.
    let (_, tuple) = rest.split_once(", ")?;
    let shared = tuple.starts_with("copy ") || tuple.starts_with("const ");
    (shared && !in_registers(arguments)).then_some(call)
}

/// Types of one number, which are never passed in memory: those of the language, and enums and wrappers that such calls have.
const NUMBERS: [&str; 26] = [
    "bool",
    "char",
    "u8",
    "u16",
    "u32",
    "u64",
    "usize",
    "i8",
    "i16",
    "i32",
    "i64",
    "isize",
    "f32",
    "f64",
    "CaFileDirection",
    "CastlingSide",
    "CbhEntityTable",
    "Color",
    "File",
    "JoseField",
    "MoveColumn",
    "PatternID",
    "Role",
    "TryFromIntError",
    "TryFromSliceError",
    // The parameter of a generic search of `unicode-normalization`, which is asked with numbers alone.
    "KV",
];

/// Whether no type of a tuple can lie in memory when it is passed: numbers, references, and at most a reference.
fn in_registers(tuple: &str) -> bool {
    let inner = tuple
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'))
        .unwrap_or(tuple);
    inner.split(',').map(str::trim).all(|it| {
        let name = it.rsplit("::").next().unwrap_or(it);
        it.is_empty()
            || it.starts_with(['&', '*'])
            || it.starts_with("Option<&")
            || NUMBERS.contains(&name)
    })
}

#[cfg(test)]
mod tests {
    use super::shared_argument;

    #[test]
    fn calls_that_share_their_argument_are_found() {
        let shared = "        _24 = <{closure@a.rs:8:15: 8:57} as Fn<(BTreeMap<u8, u8>,)>>::call(move _25, copy _26) -> [return: bb5, unwind continue];";
        assert!(shared_argument(shared).is_some());
        let constant = "_4 = <{closure@a.rs:4:15: 4:37} as FnMut<(Vec<u64>,)>>::call_mut(copy _5, const main::promoted[0]) -> [return: bb1];";
        assert!(shared_argument(constant).is_some());
        for right in [
            "_4 = <{closure@a.rs:4:15: 4:37} as Fn<(Vec<u64>,)>>::call(copy _5, move _6) -> [return: bb1, unwind continue];",
            "_4 = <F as FnMut<(usize, &str)>>::call_mut(copy _5, copy _6) -> [return: bb1, unwind continue];",
            "_4 = <F as FnOnce<()>>::call_once(move _5, const ()) -> [return: bb1, unwind continue];",
            "_4 = add(copy _5, copy _6) -> [return: bb1, unwind continue];",
        ] {
            assert_eq!(shared_argument(right), None, "{right}");
        }
    }
}
