//! The file that names engines.
//!
//! ```text
//! # One section an engine. The first one is taken when none is named.
//! [stockfish]
//! program = /usr/games/stockfish
//! option.Threads = 1
//! option.Hash = 64
//!
//! [lc0]
//! program = lc0
//! arguments = --backend=cpu
//! folder = /home/me/lc0
//! ```

use std::io::Read as _;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::driver::EngineSpec;
use crate::program_path;

/// The longest file that is read.
const LONGEST: usize = 1 << 20;

/// Engines by name, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EngineSettings {
    /// The engines.
    pub engines: Vec<EngineSpec>,
}

/// Why a text is not a settings file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {what}")]
pub struct EngineSettingsError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub what: String,
}

/// Why a settings file cannot be read.
#[derive(Debug, Error)]
#[error("{}: {why}", path.display())]
pub struct SettingsFileError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub why: String,
}

impl EngineSettings {
    /// The settings in a named file; else those in the default one, if it exists.
    pub fn read(named: Option<&Path>) -> Result<EngineSettings, SettingsFileError> {
        let usual = || usual_path().filter(|path| path.exists());
        let Some(path) = named.map(Path::to_owned).or_else(usual) else {
            return Ok(EngineSettings::default());
        };
        let text = tabiya_io::regular_file::open(&path).and_then(|file| {
            // One byte more than is read shows that the file is too long.
            let mut text = String::new();
            file.take(LONGEST as u64 + 1).read_to_string(&mut text)?;
            Ok(text)
        });
        let settings = match text {
            Ok(text) => EngineSettings::parse(&text).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        settings.map_err(|why| SettingsFileError { path, why })
    }

    /// Reads the text of a settings file.
    pub fn parse(text: &str) -> Result<EngineSettings, EngineSettingsError> {
        let mut settings = EngineSettings::default();
        for (index, line) in text.lines().enumerate() {
            let wrong = |what: &str| EngineSettingsError {
                line: index + 1,
                what: what.to_owned(),
            };
            let line = line.trim();
            if text.len() > LONGEST {
                return Err(wrong("the file is too long"));
            }
            if line.is_empty() || line.starts_with(['#', ';']) {
                continue;
            }
            if line.chars().any(|c| c.is_control() && c != '\t') {
                return Err(wrong("there is a control character"));
            }
            if let Some(name) = line.strip_prefix('[') {
                let name = name.strip_suffix(']').map(str::trim).unwrap_or("");
                if name.is_empty() {
                    return Err(wrong(
                        "the name of an engine is required, as in `[stockfish]`",
                    ));
                }
                if settings.named(name).is_some() {
                    return Err(wrong("there is already an engine of this name"));
                }
                // Without a program the name is that of the program.
                settings.engines.push(EngineSpec {
                    name: name.to_owned(),
                    program: PathBuf::from(name),
                    ..EngineSpec::new("")
                });
                continue;
            }
            let Some((key, value)) = line.split_once('=') else {
                return Err(wrong("`key = value` is required"));
            };
            let (key, value) = (key.trim(), value.trim());
            let Some(engine) = settings.engines.last_mut() else {
                return Err(wrong("this is before the first engine, `[name]`"));
            };
            match key {
                "program" => engine.program = PathBuf::from(value),
                "folder" => engine.folder = Some(PathBuf::from(value)),
                "arguments" => {
                    engine.arguments = value.split_whitespace().map(str::to_owned).collect();
                }
                _ => match key.strip_prefix("option.").map(str::trim) {
                    Some(name) if !name.is_empty() => {
                        engine.options.push((name.to_owned(), value.to_owned()));
                    }
                    _ => {
                        return Err(wrong(
                            "there is no such key; the keys are program, arguments, folder and option.NAME",
                        ));
                    }
                },
            }
        }
        Ok(settings)
    }

    /// The engine with a name.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&EngineSpec> {
        self.engines.iter().find(|engine| engine.name == name)
    }

    /// The engine to use: one of the settings by name, else a program by name or path; by default, the first of the
    /// settings or the default engine.
    #[must_use]
    pub fn choose(&self, wanted: Option<&str>) -> Option<EngineSpec> {
        let known = match wanted {
            Some(name) => self.named(name),
            None => self.engines.first(),
        };
        let mut spec = match known {
            Some(spec) => spec.clone(),
            None => {
                let name = wanted.unwrap_or(program_path::USUAL);
                EngineSpec {
                    name: name.to_owned(),
                    ..EngineSpec::new(name)
                }
            }
        };
        spec.program = program_path::program(spec.program.to_str()?)?;
        Some(spec)
    }
}

/// The path of a user's settings file.
#[must_use]
pub fn usual_path() -> Option<PathBuf> {
    let set = |name: &str| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    if let Some(path) = set("TABIYA_ENGINES") {
        return Some(path);
    }
    let folder = if cfg!(windows) {
        set("APPDATA")?
    } else {
        match set("XDG_CONFIG_HOME").filter(|path| path.is_absolute()) {
            Some(folder) => folder,
            None => Path::new(&set("HOME")?).join(".config"),
        }
    };
    Some(folder.join("tabiya").join("engines.conf"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_are_read_in_their_order() {
        let text = "# mine\n[sf]\nprogram = /usr/games/stockfish\noption.Hash = 64\noption.Debug Log File=\n\n[lc0]\narguments = --a -b\nfolder = /x y\n";
        let settings = EngineSettings::parse(text).expect("good");
        assert_eq!(settings.engines.len(), 2);
        let sf = settings.named("sf").expect("there");
        assert_eq!(sf.program, Path::new("/usr/games/stockfish"));
        assert_eq!(sf.options[0], ("Hash".to_owned(), "64".to_owned()));
        assert_eq!(sf.options[1], ("Debug Log File".to_owned(), String::new()));
        let lc0 = settings.named("lc0").expect("there");
        assert_eq!(
            (lc0.program.as_path(), lc0.arguments.len()),
            (Path::new("lc0"), 2)
        );
        assert_eq!(lc0.folder.as_deref(), Some(Path::new("/x y")));
    }

    #[test]
    fn faults_name_their_line() {
        for (text, line) in [
            ("program = x", 1),
            ("\n[]", 2),
            ("[a]\n[a]", 2),
            ("[a]\nx", 2),
            ("[a]\ncolour = red", 2),
            ("[a]\noption. = 1", 2),
            ("[a]\nprogram = x\u{7}y", 2),
        ] {
            assert_eq!(
                EngineSettings::parse(text).map_err(|error| error.line),
                Err(line),
                "{text:?}"
            );
        }
    }

    #[test]
    fn files_that_cannot_be_read_are_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("engines.conf");
        let told = |text: &[u8]| {
            std::fs::write(&path, text).expect("written");
            EngineSettings::read(Some(&path))
                .map(|settings| settings.engines.len())
                .map_err(|error| error.to_string())
        };
        let wrong = |why: &str| Err(format!("{}: {why}", path.display()));
        assert_eq!(told(b"[a]\n[b]\n"), Ok(2));
        assert_eq!(
            told(b"[a]\nx\n"),
            wrong("line 2: `key = value` is required")
        );
        assert_eq!(
            told(&b"# \n".repeat(LONGEST / 2)),
            wrong("line 1: the file is too long")
        );
        assert!(told(b"[\xff]\n").is_err());
        std::fs::remove_file(&path).expect("removed");
        assert!(EngineSettings::read(Some(&path)).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn the_engine_that_is_meant_is_found() {
        let settings = EngineSettings::parse(
            "[first]\nprogram = sh\n[second]\nprogram = no-such-program-here\n",
        )
        .expect("good");
        assert_eq!(
            settings.choose(None).map(|spec| spec.name),
            Some("first".to_owned())
        );
        assert_eq!(settings.choose(Some("second")), None);
        assert_eq!(
            settings.choose(Some("/bin/sh")).map(|spec| spec.program),
            Some(PathBuf::from("/bin/sh"))
        );
    }
}
