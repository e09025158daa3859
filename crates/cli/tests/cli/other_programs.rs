//! Jobs that are handed over to a program beside this one.

#![cfg(unix)]

use std::path::Path;
use std::process::Command;

use crate::program::write_script;

const ADDRESS: &str = "mysql://me:secret@localhost:1/games";

/// What the program says in a folder of its own, where programs of some names and versions lie beside it.
fn run(arguments: &[&str], beside: &[(&str, &str)]) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let own = at.join("tabiya");
    // Copied by another process, as `write_script` explains.
    let copied = Command::new("cp")
        .args([Path::new(env!("CARGO_BIN_EXE_tabiya")), &own])
        .status();
    assert!(copied.expect("cp runs").success());
    for (name, version) in beside {
        let other = at.join(name);
        let script = format!(
            "#!/bin/sh\n[ \"$1\" = --version ] && echo \"tabiya {version}\" && exit\necho \"{name} got $*\"\nexit 7\n"
        );
        write_script(&other, &script);
    }
    let output = Command::new(&own)
        .args(arguments)
        .env("PATH", "/usr/bin:/bin")
        .output()
        .expect("it runs");
    let said = [output.stdout, output.stderr].concat();
    (
        output.status.code(),
        String::from_utf8_lossy(&said).into_owned(),
    )
}

#[test]
fn databases_on_servers_go_to_the_program_of_the_same_version() {
    let version = env!("CARGO_PKG_VERSION");
    let address = ["info", "--json", ADDRESS];
    let (code, said) = run(&address, &[("tabiya-mysql", version)]);
    assert_eq!(code, Some(7), "{said}");
    assert_eq!(said, format!("tabiya-mysql got info --json {ADDRESS}\n"));
    let (code, said) = run(&address, &[("tabiya-mysql", "9.9.9")]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("tabiya-mysql has version 9.9.9"), "{said}");
    let (code, said) = run(&address, &[]);
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.contains("cargo install --locked --path crates/mysql"),
        "{said}"
    );
    assert!(!said.contains("secret"), "{said}");
}

// The program for SQL had another name before, under which it may still be installed.
#[test]
fn sql_goes_to_the_program_of_the_same_version() {
    let version = env!("CARGO_PKG_VERSION");
    let question = ["sql", "SELECT 1"];
    let (code, said) = run(
        &question,
        &[("tabiya-sql", version), ("tabiya-lake", version)],
    );
    assert_eq!(code, Some(7), "{said}");
    assert_eq!(said, "tabiya-sql got sql SELECT 1\n");
    let (code, said) = run(&question, &[("tabiya-lake", version)]);
    assert_eq!(code, Some(7), "{said}");
    assert_eq!(said, "tabiya-lake got sql SELECT 1\n");
    let (code, said) = run(&question, &[("tabiya-lake", "0.0.1")]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("tabiya-lake has version 0.0.1"), "{said}");
    let (code, said) = run(&question, &[]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("cargo install --locked --path sql"), "{said}");
}
