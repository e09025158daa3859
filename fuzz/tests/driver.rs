//! The driver sees every kind of failure, saves its input, and is content with a sound target.

use std::{path::Path, process::Command};

fn drive(target: &str, corpus: &Path) -> (bool, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_tabiya-fuzz"))
        .args([
            "--seconds",
            "60",
            "--runs",
            "2000",
            "--seed",
            "7",
            "--corpus",
        ])
        .arg(corpus)
        .arg(target)
        .output()
        .expect("the driver runs");
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    (out.status.success(), text)
}

fn corpus_with(sample: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    let folder = dir.path().join("trap/ok");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("sample.txt"), sample).expect("a sample");
    dir
}

#[track_caller]
fn fails(target: &str, because: &str) {
    let dir = corpus_with("a sample without the fatal sign");
    let (sound, text) = drive(target, dir.path());
    assert!(!sound, "{text}");
    assert!(text.contains(because), "{text}");
    let saved: Vec<_> = std::fs::read_dir(dir.path().join("trap/regression"))
        .expect("a folder of regressions")
        .flatten()
        .collect();
    assert_eq!(saved.len(), 1, "one cause is saved once: {text}");
    let input = std::fs::read(saved[0].path()).expect("the input");
    assert!(input.contains(&b'!'));
}

#[test]
fn a_panic_is_seen() {
    fails("trap-panic", "the trap has sprung");
}

#[test]
fn too_much_memory_is_seen() {
    fails("trap-memory", "memory allocation of");
}

#[test]
fn an_exhausted_stack_is_seen() {
    fails("trap-stack", "overflowed its stack");
}

#[test]
fn a_hang_is_seen_in_a_sample_too() {
    let dir = corpus_with("stop!");
    let (sound, text) = drive("trap-hang", dir.path());
    assert!(!sound, "{text}");
    assert!(text.contains("hang: "), "{text}");
    assert!(text.contains("trap/ok/sample.txt"), "{text}");
}

#[test]
fn a_sound_target_passes() {
    let dir = corpus_with("anything");
    let (sound, text) = drive("trap-never", dir.path());
    assert!(sound, "{text}");
    assert!(text.contains("2000 runs"), "{text}");
}
