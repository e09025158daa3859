//! The app's pages: checked, built, and compared with `web/dist`, which is part of the program.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use crate::memory_folder::MemoryFolder;
use crate::steps::{built, is_full, root, run};

/// Licences that may be combined into a work under GPL-3.0-or-later.
const LICENCES: [&str; 8] = [
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "GPL-3.0-or-later",
    "ISC",
    "MIT",
    "MPL-2.0",
];

/// Bytes of compressed script that the first page may fetch.
const FIRST_PAGE: usize = 80_000;

pub(crate) fn web(args: &[String]) -> Result<()> {
    let web = root().join("web");
    lock_file(&web)?;
    messages(&web)?;
    crate::code_messages::check(&web)?;
    let Some(tools) = tools(&web)? else {
        eprintln!("skipped: npm is not installed, so the pages are not built");
        return Ok(());
    };
    licences(&web)?;
    run({
        let mut check = Command::new(&tools.compiler);
        check.arg("-p").arg(&web).stdin(Stdio::null());
        check
    })
    .context("the types of the app")?;
    stores(&web, &tools.bundler, &root().join("target/web"))?;
    let built = build(&web, &tools.bundler, &root().join("target/web"))?;
    let dist = web.join("dist");
    if args.iter().any(|arg| arg == "--write") {
        fs::remove_dir_all(&dist)?;
        fs::create_dir_all(&dist)?;
        for (name, bytes) in &built {
            fs::write(dist.join(name), bytes)?;
        }
        return Ok(());
    }
    let carried = files(&dist)?;
    let names: BTreeSet<&String> = built.keys().chain(carried.keys()).collect();
    for name in names {
        if built.get(name) != carried.get(name) {
            bail!("web/dist/{name} is out of date; renew it with `cargo xtask web --write`");
        }
    }
    Ok(())
}

/// The app's stores without a browser: bundled with what their tests use of them, and tested by Node.
fn stores(web: &Path, bundler: &Path, scratch: &Path) -> Result<()> {
    fs::create_dir_all(scratch)?;
    let page = scratch.join("page.js");
    let mut bundle = Command::new(bundler);
    bundle
        .arg(web.join("tests/stores/page.ts"))
        .args(["--bundle", "--format=esm", "--target=es2022"])
        .args(["--jsx=automatic", "--jsx-import-source=preact"])
        .arg("--log-level=warning")
        .arg(format!("--outfile={}", page.display()))
        .current_dir(web)
        .stdin(Stdio::null());
    run(bundle).context("the bundle of the stores")?;
    let mut test = Command::new("node");
    test.arg("--test").arg("--test-reporter=dot");
    // Node of some versions takes a folder, of others a pattern; all take files.
    let mut tests: Vec<PathBuf> = fs::read_dir(web.join("tests/stores"))?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.to_string_lossy().ends_with(".test.mjs"))
        .collect();
    tests.sort();
    if tests.is_empty() {
        bail!("the stores have no tests");
    }
    test.args(tests)
        .env("TABIYA_PAGE", &page)
        .stdin(Stdio::null());
    match test.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => bail!("the tests of the stores: {status}"),
        Err(_) => {
            eprintln!("skipped: node is not installed, so the app's stores are not tested");
            Ok(())
        }
    }
}

/// The files of a folder, by name.
fn files(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        found.insert(name, fs::read(entry.path())?);
    }
    Ok(found)
}

/// The lock file names versions and digests, and no registry's address.
fn lock_file(web: &Path) -> Result<()> {
    let text = fs::read_to_string(web.join("package-lock.json"))?;
    if text.contains("\"resolved\"") {
        bail!("web/package-lock.json has addresses; `npm install` in web/ leaves them out");
    }
    Ok(())
}

/// Every language has every message, with the same places to fill: those of the first page, and those that are fetched with a page.
fn messages(web: &Path) -> Result<()> {
    for part in ["", "mine", "repertoire"] {
        messages_of(&web.join("messages").join(part))?;
    }
    Ok(())
}

fn messages_of(folder: &Path) -> Result<()> {
    let read = |name: &str| -> Result<BTreeMap<String, String>> {
        let path = folder.join(name);
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let value: Value = serde_json::from_str(&text)?;
        Ok(value
            .as_object()
            .context("messages are an object")?
            .iter()
            .map(|(key, text)| (key.clone(), text.as_str().unwrap_or("").to_owned()))
            .collect())
    };
    let english = read("en.json")?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.path().is_dir() {
            // What is told by code has messages of its own.
            continue;
        }
        let name = entry.file_name().to_string_lossy().into_owned();
        let theirs = read(&name)?;
        for (key, text) in &english {
            let Some(other) = theirs.get(key).filter(|other| !other.is_empty()) else {
                bail!("{}/{name} has no {key}", folder.display());
            };
            if places(text) != places(other) {
                bail!(
                    "{}/{name}: {key} has different placeholders than the English message",
                    folder.display()
                );
            }
        }
        if let Some(key) = theirs.keys().find(|key| !english.contains_key(*key)) {
            bail!("{}/{name}: {key} is not used", folder.display());
        }
    }
    Ok(())
}

/// The `{places}` of a message.
pub(crate) fn places(text: &str) -> BTreeSet<&str> {
    text.split('{')
        .skip(1)
        .filter_map(|rest| Some(rest.split_once('}')?.0))
        .collect()
}

/// The two native programs that npm brings.
struct WebTools {
    bundler: PathBuf,
    compiler: PathBuf,
}

fn tools(web: &Path) -> Result<Option<WebTools>> {
    let modules = web.join("node_modules");
    if !is_installed(web) {
        let mut install = Command::new("npm");
        install
            .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
            .current_dir(web)
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        match install.status() {
            Ok(status) if status.success() => {}
            Ok(status) => {
                eprintln!("skipped: npm cannot install the app's packages ({status})");
                return Ok(None);
            }
            Err(_) => return Ok(None),
        }
    }
    let native = |scope: &str, ending: &str| -> Option<PathBuf> {
        fs::read_dir(modules.join(scope))
            .ok()?
            .filter_map(Result::ok)
            .map(|entry| entry.path().join(ending))
            .find(|path| path.is_file())
    };
    match (
        native("@esbuild", "bin/esbuild"),
        native("@typescript", "lib/tsc"),
    ) {
        (Some(bundler), Some(compiler)) => Ok(Some(WebTools { bundler, compiler })),
        _ => {
            eprintln!("skipped: esbuild and TypeScript are not available for this machine");
            Ok(None)
        }
    }
}

/// Whether the packages that the lock file names are there, in their versions; those for other systems need not be.
fn is_installed(web: &Path) -> bool {
    let versions = |path: PathBuf| -> Option<BTreeMap<String, (String, bool)>> {
        let lock: Value = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
        let packages = lock["packages"].as_object()?.iter();
        let named = packages.filter(|(name, _)| !name.is_empty());
        let version = |package: &Value| package["version"].as_str().unwrap_or("").to_owned();
        let is_optional = |package: &Value| package["optional"] == true;
        Some(
            named
                .map(|(name, it)| (name.clone(), (version(it), is_optional(it))))
                .collect(),
        )
    };
    let wanted = versions(web.join("package-lock.json"));
    let there = versions(web.join("node_modules/.package-lock.json"));
    let (Some(wanted), Some(there)) = (wanted, there) else {
        return false;
    };
    let is_there =
        |(name, (version, is_optional)): (&String, &(String, bool))| match there.get(name) {
            Some((installed, _)) => installed == version,
            None => *is_optional,
        };
    wanted.iter().all(is_there)
}

/// The folders of all installed packages.
fn packages(web: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(web.join("node_modules"))? {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if name.starts_with('@') {
            for inner in fs::read_dir(&path)? {
                found.push(inner?.path());
            }
        } else if !name.starts_with('.') {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn licences(web: &Path) -> Result<()> {
    for package in packages(web)? {
        let text = fs::read_to_string(package.join("package.json"))?;
        let about: Value = serde_json::from_str(&text)?;
        let licence = about["license"].as_str().unwrap_or("");
        if !LICENCES.contains(&licence) {
            bail!(
                "{}: the licence {licence:?} is not on the list",
                package.display()
            );
        }
    }
    Ok(())
}

/// Bundles the app: what the program carries, by name.
fn build(web: &Path, bundler: &Path, scratch: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let out = scratch.join("bundle");
    let meta = scratch.join("meta.json");
    if out.exists() {
        // What an earlier build made has other names.
        fs::remove_dir_all(&out)?;
    }
    fs::create_dir_all(&out)?;
    let mut bundle = Command::new(bundler);
    bundle
        .arg(format!("app={}", web.join("src/main.tsx").display()))
        .args([
            "--bundle",
            "--splitting",
            "--chunk-names=[name]-[hash]",
            "--format=esm",
            "--minify",
            "--charset=utf8",
            "--target=es2022",
            "--jsx=automatic",
            "--jsx-import-source=preact",
            "--legal-comments=none",
            "--log-level=warning",
        ])
        .arg(format!("--outdir={}", out.display()))
        .arg(format!("--metafile={}", meta.display()))
        .current_dir(web)
        .stdin(Stdio::null());
    run(bundle).context("the app's bundle")?;
    let meta: Value = serde_json::from_str(&fs::read_to_string(meta)?)?;
    first_page(&meta, &out)?;
    let mut built = files(&out)?;
    for name in ["index.html", "icon.svg"] {
        built.insert(name.to_owned(), fs::read(web.join("src").join(name))?);
    }
    built.insert("notices.txt".to_owned(), notices(web, &meta)?.into_bytes());
    Ok(built)
}

/// The script that the first page fetches stays small: the entry, what it imports, and the longest of the languages.
fn first_page(meta: &Value, out: &Path) -> Result<()> {
    let outputs = meta["outputs"]
        .as_object()
        .context("a bundle has outputs")?;
    let size = |path: &str| -> Result<usize> {
        let name = Path::new(path).file_name().context("a name")?;
        let mut squeezed = GzEncoder::new(Vec::new(), Compression::best());
        squeezed.write_all(&fs::read(out.join(name))?)?;
        Ok(squeezed.finish()?.len())
    };
    let entry = outputs.keys().find(|path| path.ends_with("/app.js"));
    let mut waiting = vec![entry.context("a bundle has its entry")?.as_str()];
    let mut fetched = BTreeSet::new();
    let mut bytes = 0;
    let mut language = 0;
    while let Some(path) = waiting.pop() {
        if !fetched.insert(path) {
            continue;
        }
        bytes += size(path)?;
        for import in outputs[path]["imports"].as_array().into_iter().flatten() {
            let inner = import["path"].as_str().context("an import has a path")?;
            let is_message = outputs[inner]["entryPoint"]
                .as_str()
                .and_then(|source| source.strip_prefix("messages/"))
                .is_some_and(|name| !name.contains('/'));
            match import["kind"].as_str() {
                Some("import-statement") => waiting.push(inner),
                Some("dynamic-import") if is_message => language = language.max(size(inner)?),
                _ => {}
            }
        }
    }
    let all = bytes + language;
    println!("the first page loads {all} bytes of compressed script");
    if all > FIRST_PAGE {
        bail!("that is more than {FIRST_PAGE}: load something `later`");
    }
    Ok(())
}

/// The licences of everything that is in the bundle.
fn notices(web: &Path, meta: &Value) -> Result<String> {
    let inputs = meta["inputs"].as_object().context("a bundle has inputs")?;
    let bundled: BTreeSet<String> = inputs
        .keys()
        .filter_map(|path| {
            path.split("node_modules/")
                .last()
                .filter(|rest| *rest != path)
        })
        .map(|path| {
            let parts: Vec<&str> = path.split('/').collect();
            let count = if path.starts_with('@') { 2 } else { 1 };
            parts
                .iter()
                .take(count)
                .copied()
                .collect::<Vec<_>>()
                .join("/")
        })
        .collect();
    let mut text = "The app in this program contains the following packages. The pieces are by Colin M. L. Burnett \
        (GPL-2.0-or-later).\n"
        .to_owned();
    for name in bundled {
        let folder = web.join("node_modules").join(&name);
        let about: Value = serde_json::from_str(&fs::read_to_string(folder.join("package.json"))?)?;
        text.push_str(&format!(
            "\n{:=<80}\n{name} {} ({})\n{:=<80}\n\n",
            "",
            about["version"].as_str().unwrap_or("?"),
            about["license"].as_str().unwrap_or("?"),
            ""
        ));
        let mut own = None;
        for file in ["LICENSE", "LICENSE.txt", "LICENSE.md", "COPYING"] {
            own = own.or(fs::read_to_string(folder.join(file)).ok());
        }
        match own {
            Some(own) => text.push_str(own.trim()),
            // Its licence is that of this program.
            None => {
                text.push_str("The text of the licence is in the file LICENSE of this program.")
            }
        }
        text.push('\n');
    }
    Ok(text)
}

/// The app in a real browser; the script says itself where something is missing. The long form does it once more with answers that
/// come late and in any order, as on a slow line.
pub(crate) fn browser(args: &[String]) -> Result<()> {
    run_browser(args, &[])?;
    if is_full() && args.is_empty() {
        run_browser(&["--slow", "400"].map(str::to_owned), &["TABIYA_FULL"])?;
    }
    Ok(())
}

/// Runs the script without some variables.
fn run_browser(args: &[String], without: &[&str]) -> Result<()> {
    let program = built("tabiya")?;
    let mut script = Command::new("python3");
    script
        .arg(root().join("web/tests/browser.py"))
        .arg(program.get_program())
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    for name in without {
        script.env_remove(name);
    }
    let memory = MemoryFolder::new();
    memory.give(&mut script);
    let mut running = script.spawn().context("cannot start python3")?;
    let mut failures = String::new();
    let mut is_failure = false;
    for line in BufReader::new(running.stdout.take().context("a pipe")?).lines() {
        let line = line?;
        println!("{line}");
        // What a test says of its failure is indented below it.
        is_failure = line.contains(" ... FAILED") || is_failure && line.starts_with(' ');
        if is_failure {
            failures.push('\n');
            failures.push_str(&line);
        }
    }
    let status = running.wait()?;
    if !status.success() {
        bail!("{status}{failures}");
    }
    Ok(())
}
