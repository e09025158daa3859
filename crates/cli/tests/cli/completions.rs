//! Completions, asked for as a user does: with the tabulator key, in each shell that is installed.

// What was skipped is said aloud.
#![allow(clippy::print_stderr)]
#![cfg(unix)]

use std::path::Path;
use std::process::Command;

/// What a shell says to a script, with the program first on its path; nothing where the shell is missing.
fn said_by(shell: &str, script: &str) -> Option<String> {
    let program = Path::new(env!("CARGO_BIN_EXE_tabiya"));
    let folder = program.parent().expect("the program is in a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let folders = std::iter::once(folder.to_path_buf()).chain(std::env::split_paths(&path));
    let home = tempfile::tempdir().expect("a folder");
    // Who waits for a word that never comes is ended.
    let output = Command::new("timeout")
        .args(["60", shell, "-c", script])
        .env("PATH", std::env::join_paths(folders).expect("a path"))
        .env("HOME", home.path())
        .env("TABIYA_CONFIG", "")
        .output()
        .expect("`timeout` is there");
    if output.status.code() == Some(127) {
        eprintln!("skipped: completions in {shell}, which is not installed");
        return None;
    }
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Words that must be offered, in the order of the shell.
fn assert_offers(said: &str, words: &[&str]) {
    for word in words {
        assert!(said.contains(word), "{word} is not offered:\n{said}");
    }
}

#[test]
fn bash_completes_values_and_options() {
    let script = r#"
        source <(tabiya completions bash)
        COMP_WORDS=(tabiya convert --from si); COMP_CWORD=3
        _tabiya tabiya si --from; printf '%s\n' "${COMPREPLY[@]}"
        COMP_WORDS=(tabiya search x.pgn --no-i); COMP_CWORD=3
        _tabiya tabiya --no-i x.pgn; printf '%s\n' "${COMPREPLY[@]}"
    "#;
    if let Some(said) = said_by("bash", script) {
        assert_offers(&said, &["si3", "si4", "si5", "--no-index"]);
        assert!(!said.contains("parquet"), "{said}");
    }
}

#[test]
fn fish_completes_values_and_options() {
    let script = "tabiya completions fish | source; complete -C 'tabiya convert --from si'; \
        complete -C 'tabiya search x.pgn --no-i'";
    if let Some(said) = said_by("fish", script) {
        assert_offers(&said, &["si3", "si4", "si5", "--no-index"]);
        assert!(!said.contains("parquet"), "{said}");
    }
}

#[test]
fn zsh_completes_values_and_options_after_the_database() {
    // A shell within a terminal within the shell: the keys are pressed, and what it shows is waited for.
    let script = r#"
        zmodload zsh/zpty
        zpty z zsh -f -i
        zpty -w z "PS1='> '; TERM=dumb; stty cols 200; autoload -Uz compinit; compinit -u -D"
        zpty -w z "source <(tabiya completions zsh); LISTMAX=0; print REA''DY"
        zpty -r z out '*READY*'
        zpty -n -w z "tabiya search x.pgn --no-i"$'\t'
        zpty -r z out '*--no-index*'; print -r -- "$out"
        zpty -n -w z $'\x15'"tabiya convert --from si"$'\t\t'
        zpty -r z out '*si3*si5*'; print -r -- "$out"
        zpty -d z
    "#;
    if let Some(said) = said_by("zsh", script) {
        assert_offers(&said, &["--no-index", "si3", "si4", "si5"]);
    }
}
