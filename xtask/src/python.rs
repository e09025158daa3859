//! The Python module in `python/`: a workspace of its own, whose tests need a Python.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};

use crate::{memory_folder::MemoryFolder, steps, wheel_audit};

/// The oldest Python that the wheel is for, as `python/pyproject.toml` says.
const OLDEST: (u32, u32) = (3, 11);

/// What makes the wheel, what the tests need, and what they look at where it can be had.
const MAKER: &str = "maturin>=1.9,<2";
const NEEDED: [&str; 1] = ["pytest"];
const WANTED: [&[&str]; 5] = [
    &["chess", "numpy", "pyarrow", "polars", "pandas", "duckdb"],
    &["tqdm"],
    &["mypy", "pyright"],
    &["nbclient", "nbformat", "ipykernel", "matplotlib"],
    &[AUDITOR],
];
/// What judges for which systems a wheel is.
const AUDITOR: &str = "auditwheel";

/// A wheel may have so many bytes.
const LARGEST: u64 = 15 << 20;

/// Formatting, lints and licences; then a wheel, which is judged by auditwheel, installed into a fresh environment and tested there.
///
/// With `--release` the wheel is the one that people get: it is optimised, and stays in `target/wheels`.
pub(crate) fn python(args: &[String]) -> Result<()> {
    let is_release = match args {
        [] => false,
        [only] if only == "--release" => true,
        _ => bail!("unknown argument: use --release or nothing"),
    };
    steps::run(cargo(&["fmt", "--check"]))?;
    let Some(python) = find_python() else {
        let (major, minor) = OLDEST;
        eprintln!(
            "skipped: the Python module, because no Python {major}.{minor} or later with venv was found"
        );
        return Ok(());
    };
    if is_release {
        let mut lints = cargo(&["clippy", "--locked"]);
        lints.env("PYO3_PYTHON", &python);
        lints.args(["--", "-D", "warnings"]);
        steps::run(lints)?;
    }
    if steps::has_deny() {
        steps::run(cargo(&[
            "deny",
            "--config",
            "../deny.toml",
            "check",
            "licenses",
            "bans",
            "sources",
        ]))?;
    }
    let folder = steps::target().join("python-module");
    let Some(tools) = PythonEnvironment::tools(&python, &folder)? else {
        return Ok(());
    };
    let wheel = tools.wheel(&folder, is_release)?;
    let size = fs::metadata(&wheel)?.len();
    eprintln!("{}: {size} bytes", wheel.display());
    if is_release {
        ensure!(size < LARGEST, "the wheel has more than {LARGEST} bytes");
    }
    if !cfg!(target_os = "linux") {
        eprintln!("skipped: the tag of the wheel, which auditwheel judges on Linux alone");
    } else if tools.has(AUDITOR) {
        wheel_audit::audit(tools.python(), &wheel)?;
    } else {
        eprintln!("skipped: the tag of the wheel, because {AUDITOR} could not be had");
    }
    let fresh = PythonEnvironment::fresh(&python, &folder.join("fresh"), &tools)?;
    fresh.install_wheel(&wheel)?;
    fresh.test()
}

/// A call of cargo in the folder of the workspace. It builds where `sql` builds: what both stand on is built once.
fn cargo(args: &[&str]) -> Command {
    let mut command = steps::cargo(args);
    command
        .current_dir(home())
        .env("CARGO_TARGET_DIR", build_folder());
    command
}

fn home() -> PathBuf {
    steps::root().join("python")
}

fn build_folder() -> PathBuf {
    steps::root().join("sql/target")
}

/// A Python that is new enough and can make environments: that of the variable `PYTHON`, else the first of the usual names.
fn find_python() -> Option<PathBuf> {
    let told = env::var_os("PYTHON").map(PathBuf::from);
    let usual = [
        "python3",
        "python3.14",
        "python3.13",
        "python3.12",
        "python3.11",
    ];
    let names = told.into_iter().chain(usual.map(PathBuf::from));
    let (major, minor) = OLDEST;
    let asked =
        format!("import sys, venv, ensurepip; sys.exit(sys.version_info < ({major}, {minor})); ");
    names.into_iter().find(|name| {
        let mut command = Command::new(name);
        command.args(["-c", &asked]);
        is_done(command)
    })
}

/// Whether a command succeeds; what it says is nobody's concern.
fn is_done(mut command: Command) -> bool {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// An environment of Python.
struct PythonEnvironment(PathBuf);

impl PythonEnvironment {
    /// The environment with what makes wheels and what the tests need: it is kept, because it takes long to make. None where it cannot be had.
    fn tools(python: &Path, folder: &Path) -> Result<Option<PythonEnvironment>> {
        fs::create_dir_all(folder)?;
        let tools = PythonEnvironment(folder.join("tools"));
        if !tools.0.exists() {
            tools.make(python)?;
        }
        let needed: Vec<&str> = NEEDED.into_iter().chain([MAKER]).collect();
        let are_there = tools.has("maturin") && tools.has("pytest");
        if !are_there && !tools.install(&needed) {
            eprintln!(
                "skipped: the Python module, because maturin and pytest could not be installed"
            );
            return Ok(None);
        }
        for names in WANTED {
            let missing: Vec<&str> = names
                .iter()
                .copied()
                .filter(|name| !tools.has(name))
                .collect();
            if !missing.is_empty() && !tools.install(&missing) {
                eprintln!(
                    "skipped: the tests of the Python module with {}",
                    missing.join(", ")
                );
            }
        }
        Ok(Some(tools))
    }

    /// An environment that has never seen the module, and sees what the tools' has.
    fn fresh(python: &Path, folder: &Path, tools: &PythonEnvironment) -> Result<PythonEnvironment> {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        let fresh = PythonEnvironment(folder.to_owned());
        fresh.make(python)?;
        fs::write(
            fresh.packages()?.join("tools.pth"),
            format!("{}\n", tools.packages()?.display()),
        )?;
        Ok(fresh)
    }

    fn make(&self, python: &Path) -> Result<()> {
        let mut command = Command::new(python);
        command.args(["-m", "venv"]).arg(&self.0);
        steps::run(command)
    }

    fn python(&self) -> Command {
        let folder = if cfg!(windows) { "Scripts" } else { "bin" };
        let mut command = Command::new(self.0.join(folder).join("python"));
        command.current_dir(home()).stdin(Stdio::null());
        command
    }

    /// Whether it has a package.
    fn has(&self, name: &str) -> bool {
        let mut command = self.python();
        command.args(["-c", &format!("import {name}")]);
        is_done(command)
    }

    /// Where its packages are.
    fn packages(&self) -> Result<PathBuf> {
        let mut command = self.python();
        command.args([
            "-c",
            "import sysconfig; print(sysconfig.get_path('purelib'))",
        ]);
        let said = command.output().context("cannot start Python")?;
        Ok(PathBuf::from(String::from_utf8(said.stdout)?.trim()))
    }

    fn install(&self, packages: &[&str]) -> bool {
        let mut command = self.python();
        command
            .args(["-m", "pip", "install", "--quiet"])
            .args(packages);
        command.status().is_ok_and(|status| status.success())
    }

    /// Makes the wheel.
    fn wheel(&self, folder: &Path, is_release: bool) -> Result<PathBuf> {
        let wheels = match is_release {
            true => steps::target().join("wheels"),
            false => folder.join("wheels"),
        };
        if wheels.exists() {
            fs::remove_dir_all(&wheels)?;
        }
        let profile = if is_release { "release" } else { "dev" };
        let mut command = self.python();
        command
            .args(["-m", "maturin", "build", "--locked", "--quiet"])
            .args(["--profile", profile, "--out"])
            .arg(&wheels)
            .env("CARGO_TARGET_DIR", build_folder());
        if !is_release {
            steps::lint_what_is_built(&mut command);
            command.args(["--", "-Dwarnings"]);
        }
        steps::run(command)?;
        let made = fs::read_dir(&wheels)?.flatten().map(|entry| entry.path());
        made.filter(|path| path.extension().is_some_and(|it| it == "whl"))
            .last()
            .context("maturin built no wheel")
    }

    fn install_wheel(&self, wheel: &Path) -> Result<()> {
        let mut command = self.python();
        command
            .args(["-m", "pip", "install", "--quiet", "--no-deps", "--no-index"])
            .arg(wheel);
        steps::run(command)
    }

    /// Runs the tests with every warning on; each that is skipped is told with its reason.
    fn test(&self) -> Result<()> {
        let mut command = self.python();
        command
            .args(["-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider"])
            .env("PYTHONDEVMODE", "1")
            .env("PYTHONDONTWRITEBYTECODE", "1");
        let memory = MemoryFolder::new();
        memory.give(&mut command);
        steps::run(command)
    }
}
