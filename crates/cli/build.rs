//! The version that the program tells: with commit and date where `cargo xtask dist` names them.

use std::env;

fn main() {
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let told = match (env::var("TABIYA_COMMIT"), env::var("TABIYA_DATE")) {
        (Ok(commit), Ok(date)) => format!("{version} ({commit} {date})"),
        _ => version,
    };
    println!("cargo::rustc-env=TABIYA_VERSION={told}");
    println!("cargo::rerun-if-env-changed=TABIYA_COMMIT");
    println!("cargo::rerun-if-env-changed=TABIYA_DATE");
    println!("cargo::rerun-if-changed=build.rs");
}
