//! The paths of a user's settings and of the app's data, and the content of the settings file.
//!
//! ```text
//! # Folders that are shown when none is named; several lines are several folders.
//! folder = /home/me/Chess
//! port = 8090
//! browser = no
//! # Minutes that the app goes on after its last tab was closed, if an icon has started it.
//! stay = 10
//! ```

use crate::error_codes;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tabiya_model::{Error, Result};

/// The longest settings file that is read.
const LONGEST: u64 = 1 << 20;

/// The most minutes that an app goes on without tabs: a year.
const MINUTES: u64 = 366 * 24 * 60;

/// The user's settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserSettings {
    /// Folders and databases that are shown when none is named.
    pub folders: Vec<PathBuf>,
    /// The port if the command line has none.
    pub port: Option<u16>,
    /// Do not open a browser.
    pub no_browser: bool,
    /// How long an app without tabs goes on.
    pub stay: AppStay,
}

/// How long an app that was started by an icon goes on after its last tab was closed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum AppStay {
    /// For this time.
    For(Duration),
    /// Until it is ended.
    Always,
}

impl Default for AppStay {
    fn default() -> AppStay {
        AppStay::For(Duration::from_secs(600))
    }
}

/// A variable of the environment that is set to an absolute path.
fn folder_of(name: &str) -> Option<PathBuf> {
    std::env::var_os(name)
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
}

fn home() -> Option<PathBuf> {
    folder_of(if cfg!(windows) { "USERPROFILE" } else { "HOME" })
}

/// The folder `tabiya` of a platform's folder: named by a variable, else at a place in the home.
fn of_platform(windows: &str, variable: &str, in_home: &str) -> Option<PathBuf> {
    let folder = if cfg!(windows) {
        folder_of(windows)?
    } else {
        match folder_of(variable) {
            Some(folder) => folder,
            None => home()?.join(in_home),
        }
    };
    Some(folder.join("tabiya"))
}

/// The settings file: `tabiya/app.conf` in the platform's folder for settings.
#[must_use]
pub fn settings_file() -> Option<PathBuf> {
    Some(of_platform("APPDATA", "XDG_CONFIG_HOME", ".config")?.join("app.conf"))
}

/// The folder of the app's data: `tabiya` in the platform's folder for data of programs.
#[must_use]
pub fn data_folder() -> Option<PathBuf> {
    of_platform("LOCALAPPDATA", "XDG_DATA_HOME", ".local/share")
}

/// The file by which a later start of the app finds the running one.
#[must_use]
pub fn running_file() -> Option<PathBuf> {
    let own = folder_of("XDG_RUNTIME_DIR").filter(|folder| folder.is_dir());
    let folder = own
        .map(|folder| folder.join("tabiya"))
        .or_else(data_folder)?;
    Some(folder.join("running.json"))
}

/// The folder `Chess` of the user's home.
#[must_use]
pub fn usual_folder() -> Option<PathBuf> {
    Some(home()?.join("Chess"))
}

impl UserSettings {
    /// The settings of a file; none where there is no file.
    pub fn read(path: &Path) -> Result<UserSettings> {
        let wrong = |what: String| {
            Error::new(&error_codes::BAD_SETTINGS_FILE, what).in_file(path.display().to_string())
        };
        match std::fs::metadata(path) {
            Ok(metadata) if metadata.len() > LONGEST => {
                return Err(wrong("the file is too long".to_owned()));
            }
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(UserSettings::default());
            }
            Err(error) => return Err(wrong(error.to_string())),
        }
        let text = tabiya_io::regular_file::read_to_string(path)
            .map_err(|error| wrong(error.to_string()))?;
        UserSettings::parse(&text).map_err(wrong)
    }

    /// The settings in a text; else the invalid line and the reason.
    pub fn parse(text: &str) -> std::result::Result<UserSettings, String> {
        let mut settings = UserSettings::default();
        for (line, number) in text.lines().zip(1_u64..) {
            let line = line.trim();
            if line.is_empty() || line.starts_with(['#', ';']) {
                continue;
            }
            let wrong = |what: &str| format!("line {number}: {what}");
            let (key, value) = line
                .split_once('=')
                .map(|(key, value)| (key.trim(), value.trim()))
                .ok_or_else(|| wrong("`key = value` is required"))?;
            match key {
                "folder" => {
                    let path = match value.strip_prefix("~/") {
                        Some(rest) => home().map(|home| home.join(rest)),
                        None => Some(PathBuf::from(value)),
                    };
                    let path = path.filter(|path| path.is_absolute());
                    settings
                        .folders
                        .push(path.ok_or_else(|| wrong("an absolute path is required"))?);
                }
                "port" => {
                    let port = value
                        .parse()
                        .map_err(|_| wrong("a port must be a number"))?;
                    settings.port = Some(port);
                }
                "browser" => {
                    settings.no_browser = match value {
                        "yes" => false,
                        "no" => true,
                        _ => return Err(wrong("it must be yes or no")),
                    };
                }
                "stay" => {
                    let minutes = || {
                        value
                            .parse()
                            .ok()
                            .filter(|minutes: &u64| *minutes <= MINUTES)
                    };
                    settings.stay = match value {
                        "always" => AppStay::Always,
                        _ => AppStay::For(Duration::from_secs(
                            60 * minutes().ok_or_else(|| {
                                wrong("it must be a number of minutes or `always`")
                            })?,
                        )),
                    };
                }
                _ => {
                    return Err(wrong(
                        "there is no such key; the keys are folder, port, browser and stay",
                    ));
                }
            }
        }
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn settings_are_read() {
        let text = "# mine\nfolder = /a b/c\n\nfolder=/d\nport = 8090\nbrowser = no\nstay = 3\n";
        let settings = UserSettings::parse(text).expect("good");
        assert_eq!(
            settings.folders,
            [PathBuf::from("/a b/c"), PathBuf::from("/d")]
        );
        assert_eq!((settings.port, settings.no_browser), (Some(8090), true));
        assert_eq!(settings.stay, AppStay::For(Duration::from_secs(180)));
        let settings = UserSettings::parse("stay = always").expect("good");
        assert_eq!(settings.stay, AppStay::Always);
    }

    #[test]
    fn faults_name_their_line() {
        for (text, line) in [
            ("folder", 1),
            ("\nfolder = here", 2),
            ("port = 99999", 1),
            ("# a\n\nbrowser = perhaps", 3),
            ("stay = 99999999999", 1),
            ("stay = long", 1),
            ("colour = red", 1),
        ] {
            let told = UserSettings::parse(text).expect_err(text);
            assert!(told.starts_with(&format!("line {line}: ")), "{told}");
        }
    }
}
