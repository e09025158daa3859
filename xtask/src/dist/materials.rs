//! The dependencies of the program: a bill of materials, and the notices of their authors.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::{Distribution, PROGRAM_CRATES};
use crate::steps::{self, root};

/// The file with the notices.
pub(crate) const NOTICES: &str = "NOTICES.txt";
/// That of the program for SQL.
pub(crate) const NOTICES_OF_SQL: &str = "NOTICES-sql.txt";
/// With what the program for SQL is built.
pub(crate) const SQL_FEATURES: &str = "cluster,s3";

/// The programs of a package, and where they come from.
struct ProgramSource {
    name: &'static str,
    crates: &'static [&'static str],
    workspace: PathBuf,
    features: &'static [&'static str],
    notices: &'static str,
}

/// One crate of others that is in the program.
struct Material {
    name: String,
    version: String,
    license: String,
    /// Its sum in the lock file.
    sum: String,
    /// Texts of licences and notices that lie in it, by their names.
    notices: BTreeMap<String, String>,
}

pub(crate) fn make(distribution: &Distribution) -> Result<()> {
    let programs = [
        ProgramSource {
            name: "tabiya",
            crates: &PROGRAM_CRATES,
            workspace: root(),
            features: &[],
            notices: NOTICES,
        },
        ProgramSource {
            name: "tabiya-sql",
            crates: &["tabiya-sql"],
            workspace: root().join("sql"),
            features: &["--features", SQL_FEATURES],
            notices: NOTICES_OF_SQL,
        },
    ];
    for program in &programs {
        let materials = read(program)?;
        ensure!(
            !materials.is_empty(),
            "{} has no dependencies",
            program.name
        );
        fs::write(distribution.out.join(program.notices), notices(&materials)?)?;
        let name = format!("{}-{}.cdx.json", program.name, distribution.version);
        let bill = serde_json::to_string_pretty(&bill(distribution, program.name, &materials))?;
        fs::write(distribution.out.join(name), bill + "\n")?;
    }
    Ok(())
}

/// All crates of others that are linked into the programs.
fn read(program: &ProgramSource) -> Result<Vec<Material>> {
    let output = steps::cargo(&["metadata", "--locked", "--format-version", "1"])
        .args(program.features)
        .current_dir(&program.workspace)
        .output()
        .context("cannot start cargo")?;
    ensure!(output.status.success(), "cargo metadata: {}", output.status);
    let metadata: Value = serde_json::from_slice(&output.stdout)?;
    let linked = linked(program)?;
    let sums = sums(&program.workspace)?;
    let mut materials = Vec::new();
    for package in metadata["packages"].as_array().context("packages")? {
        let text = |key: &str| package[key].as_str().unwrap_or_default().to_owned();
        let (name, version) = (text("name"), text("version"));
        let id = format!("{name} v{version}");
        if package["source"].is_null() || !linked.contains(&id) {
            continue;
        }
        let manifest = text("manifest_path");
        let folder = Path::new(&manifest).parent().context("a folder")?;
        materials.push(Material {
            license: text("license"),
            sum: sums.get(&id).cloned().unwrap_or_default(),
            notices: texts(folder)?,
            name,
            version,
        });
    }
    materials.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    Ok(materials)
}

/// What is linked into the programs, on any of the systems: `name v1.2.3`.
fn linked(program: &ProgramSource) -> Result<BTreeSet<String>> {
    let output = steps::cargo(&["tree", "--locked", "--edges", "normal"])
        .args(program.crates.iter().flat_map(|name| ["--package", name]))
        .args(["--target", "all", "--prefix", "none", "--format", "{p}"])
        .args(program.features)
        .current_dir(&program.workspace)
        .output()
        .context("cannot start cargo")?;
    ensure!(output.status.success(), "cargo tree: {}", output.status);
    let text = String::from_utf8(output.stdout)?;
    let id = |line: &str| {
        line.split_whitespace()
            .take(2)
            .collect::<Vec<_>>()
            .join(" ")
    };
    Ok(text.lines().map(id).collect())
}

/// The sums of the lock file by `name v1.2.3`.
fn sums(workspace: &Path) -> Result<BTreeMap<String, String>> {
    let lock = fs::read_to_string(workspace.join("Cargo.lock"))?;
    let mut sums = BTreeMap::new();
    for part in lock.split("[[package]]") {
        let field = |name: &str| {
            part.lines().find_map(|line| {
                line.strip_prefix(name)?
                    .strip_prefix(" = \"")?
                    .strip_suffix('"')
            })
        };
        if let (Some(name), Some(version), Some(sum)) =
            (field("name"), field("version"), field("checksum"))
        {
            sums.insert(format!("{name} v{version}"), sum.to_owned());
        }
    }
    Ok(sums)
}

/// Licences and notices that lie in a folder.
fn texts(folder: &Path) -> Result<BTreeMap<String, String>> {
    let mut texts = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let upper = name.to_uppercase();
        let is_notice = [
            "LICENSE",
            "LICENCE",
            "COPYING",
            "NOTICE",
            "COPYRIGHT",
            "UNLICENSE",
        ]
        .iter()
        .any(|start| upper.starts_with(start));
        if is_notice && entry.file_type()?.is_file() {
            let bytes = fs::read(entry.path())?;
            texts.insert(name, String::from_utf8_lossy(&bytes).replace("\r\n", "\n"));
        }
    }
    Ok(texts)
}

/// Each text once, with the names of all whose it is.
fn notices(materials: &[Material]) -> Result<String> {
    let mut out = "Tabiya is free software under the GNU General Public License, version 3 or later.\n\
                   It contains the work of others; their notices follow. Those for the app's pages are on its page *About*.\n\n"
        .to_owned();
    let mut owners: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for material in materials {
        writeln!(
            out,
            "{} {}: {}",
            material.name, material.version, material.license
        )?;
        for text in material.notices.values() {
            let whose = owners.entry(text.trim()).or_default();
            whose.push(format!("{} {}", material.name, material.version));
        }
    }
    for (text, whose) in owners {
        write!(
            out,
            "\n{}\n{}:\n\n{text}\n",
            "-".repeat(78),
            whose.join(", ")
        )?;
    }
    Ok(out)
}

/// The bill in the words of CycloneDX.
fn bill(distribution: &Distribution, program: &str, materials: &[Material]) -> Value {
    let components: Vec<Value> = materials
        .iter()
        .map(|material| {
            let place = format!("pkg:cargo/{}@{}", material.name, material.version);
            let mut component = json!({
                "type": "library",
                "bom-ref": place,
                "name": material.name,
                "version": material.version,
                "purl": place,
                "licenses": [{ "expression": material.license.replace('/', " OR ") }],
            });
            if !material.sum.is_empty() {
                component["hashes"] = json!([{ "alg": "SHA-256", "content": material.sum }]);
            }
            component
        })
        .collect();
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": program,
                "name": program,
                "version": distribution.version,
                "licenses": [{ "expression": "GPL-3.0-or-later" }],
            },
        },
        "components": components,
    })
}
