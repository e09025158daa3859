//! Jobs that are handed over to a program beside this one.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

const ADDRESS: &str = "mysql://me:secret@localhost:1/games";

/// What the program says in a folder of its own, where another program lies beside it or none does.
fn run(beside: Option<&str>) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let own = at.join("tabiya");
    fs::copy(Path::new(env!("CARGO_BIN_EXE_tabiya")), &own).expect("copied");
    if let Some(version) = beside {
        let other = at.join("tabiya-mysql");
        let script = format!(
            "#!/bin/sh\n[ \"$1\" = --version ] && echo \"tabiya {version}\" && exit\necho \"it got $*\"\nexit 7\n"
        );
        fs::write(&other, script).expect("written");
        fs::set_permissions(&other, fs::Permissions::from_mode(0o755)).expect("allowed");
    }
    let output = Command::new(&own)
        .args(["info", "--json", ADDRESS])
        .env("PATH", "/usr/bin:/bin")
        .output()
        .expect("it runs");
    let said = [output.stdout, output.stderr].concat();
    (
        output.status.code(),
        String::from_utf8_lossy(&said).into_owned(),
    )
}

// One test, so that no other one starts programs while one is being copied, which the system takes for a file in use.
#[test]
fn an_address_of_a_server_goes_to_the_program_of_the_same_version() {
    let (code, said) = run(Some(env!("CARGO_PKG_VERSION")));
    assert_eq!(code, Some(7), "{said}");
    assert_eq!(said, format!("it got info --json {ADDRESS}\n"));
    let (code, said) = run(Some("9.9.9"));
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("tabiya-mysql is of version 9.9.9"), "{said}");
    let (code, said) = run(None);
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.contains("cargo install --locked --path crates/mysql"),
        "{said}"
    );
    assert!(!said.contains("secret"), "{said}");
}
