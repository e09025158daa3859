//! `tabiya serve`, `tabiya open` and `tabiya app`: the app in a browser.

use std::fs::File;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use tabiya_io::regular_file;
use tabiya_mcp::McpConfig;
use tabiya_server::running_app::{self, HandedOver};
use tabiya_server::user_settings::{self, AppStay, UserSettings};
use tabiya_server::{ListeningServer, ServerConfig, serve};

use super::args::ReadArgs;
use super::exit::Exit;
use super::interrupt;
use super::output::say;
use super::redirect_page::RedirectPage;

/// More in the long help.
const PLACES: &str = "\
Without files or folders, it shows the databases that were opened last, and those in the folders that the settings file \
names, or else in the folder Chess in your home folder.

The settings file is tabiya/app.conf in ~/.config ($XDG_CONFIG_HOME, %APPDATA%). Its lines are `folder = /path` (any \
number of them), `port = 8090`, `browser = no` and `stay = 10` (see `tabiya app --help`); lines starting with # are comments. \
The databases opened last and the clipboard database are kept in ~/.local/share/tabiya ($XDG_DATA_HOME, %LOCALAPPDATA%).";

#[derive(Args, Debug)]
#[command(after_long_help = PLACES)]
pub(crate) struct ServeArgs {
    /// Databases to show, and folders in which databases may be opened [default: those opened last and the folder Chess in
    /// your home folder]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    server: ServerArgs,
}

#[derive(Args, Debug)]
pub(crate) struct OpenArgs {
    /// Database to show
    path: PathBuf,
    #[command(flatten)]
    server: ServerArgs,
}

/// More in the long help of `app`.
const STAY: &str = "\
A desktop icon starts this command. A second start opens its files in the running app. After the last tab is closed, the app runs \
for ten more minutes, or for N minutes with `stay = N` in the settings file (`stay = always`: until you stop it). It never stops \
while a job is running or an annotation is not saved.";

#[derive(Args, Debug)]
#[command(after_long_help = STAY)]
pub(crate) struct AppArgs {
    /// Databases to show
    paths: Vec<PathBuf>,
    #[command(flatten)]
    server: ServerArgs,
}

/// How the server is started.
#[derive(Args, Debug)]
struct ServerArgs {
    /// Port to listen on [default: from the settings file, or any free port]
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// Do not open a browser
    #[arg(long)]
    no_open: bool,
    /// Read-only mode
    #[arg(long)]
    read_only: bool,
    /// Allow language models to change databases and write files, with the tools at /mcp and the token (docs/mcp.md)
    #[arg(long, requires = "token_file", conflicts_with = "read_only")]
    allow_edits: bool,
    /// Listen on this address instead of the loopback address (0.0.0.0 or :: for all addresses); requires --token-file
    #[arg(long, value_name = "ADDRESS", requires = "token_file")]
    listen: Option<IpAddr>,
    /// Also answer for this host name or address, NAME:PORT if browsers use another port; can be given several times
    #[arg(long, value_name = "NAME")]
    host_name: Vec<String>,
    /// Trust the proxy at this address, which handles TLS for the names of --host-name (see docs/app.md for a configuration)
    #[arg(long, value_name = "ADDRESS", requires = "host_name")]
    behind_proxy: Option<IpAddr>,
    /// File whose first line is the token for programs and for other machines
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    #[command(flatten)]
    read: ReadArgs,
}

/// The minimum length of a token that a user has chosen.
const TOKEN: usize = 16;

/// Shows the databases and folders that were named, or those of the user's home.
pub(crate) fn run(args: &ServeArgs) -> Result<Exit> {
    let settings = settings()?;
    let mut paths = args.paths.clone();
    let last = paths.is_empty();
    if last {
        paths.extend(settings.folders.iter().cloned());
    }
    if paths.is_empty() {
        paths.extend(user_settings::usual_folder().filter(|folder| folder.is_dir()));
    }
    let config = ServerConfig {
        paths,
        last,
        ..ServerConfig::default()
    };
    start(config, &args.server, &settings)
}

/// Shows one database at once.
pub(crate) fn open(args: &OpenArgs) -> Result<Exit> {
    let config = ServerConfig {
        paths: vec![args.path.clone()],
        show: true,
        ..ServerConfig::default()
    };
    start(config, &args.server, &settings()?)
}

/// Shows databases in the app that runs already, or else starts it.
pub(crate) fn app(args: &AppArgs) -> Result<Exit> {
    let settings = settings()?;
    let browser = !args.server.no_open && !settings.no_browser;
    let file = user_settings::running_file();
    let paths: Vec<PathBuf> = (args.paths.iter())
        .map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone()))
        .collect();
    // Of two that start at once the second waits until the first one can be found.
    let turn = file.as_deref().map(take_turn).transpose()?;
    if let Some(file) = &file
        && let Some(handed) = running_app::hand_over(file, &paths)?
    {
        return Ok(show_handed(&handed, browser));
    }
    let shown = paths.clone();
    let mut all = paths;
    match settings.folders.is_empty() {
        true => all.extend(user_settings::usual_folder().filter(|folder| folder.is_dir())),
        false => all.extend(settings.folders.iter().cloned()),
    }
    let config = ServerConfig {
        paths: all,
        last: true,
        show: shown.len() == 1,
        running: file,
        stay: match settings.stay {
            AppStay::For(time) => Some(time),
            AppStay::Always => None,
        },
        ..ServerConfig::default()
    };
    start_with(config, &args.server, &settings, turn)
}

/// Waits for the turn to look for an app that runs, or to become it; it ends with the file that is given.
fn take_turn(file: &Path) -> Result<File> {
    let lock = file.with_extension("lock");
    let made = || -> std::io::Result<File> {
        if let Some(folder) = lock.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let turn = File::options().create(true).append(true).open(&lock)?;
        turn.lock()?;
        Ok(turn)
    };
    made().with_context(|| lock.display().to_string())
}

/// Shows what the app that runs was given.
fn show_handed(handed: &HandedOver, browser: bool) -> Exit {
    for failure in &handed.failed {
        say(failure);
    }
    say("Tabiya is already running.");
    // It is unknown when the browser has read the page, so it is kept for a while.
    if browser {
        match RedirectPage::create(&handed.url) {
            Ok(page) if page.open_for_a_while() => {}
            _ => say("Cannot start a browser."),
        }
    }
    match handed.failed.is_empty() {
        true => Exit::Success,
        false => Exit::Failure,
    }
}

/// The user's settings for all runs.
fn settings() -> Result<UserSettings> {
    match user_settings::settings_file() {
        Some(path) => Ok(UserSettings::read(&path)?),
        None => Ok(UserSettings::default()),
    }
}

fn start(config: ServerConfig, args: &ServerArgs, settings: &UserSettings) -> Result<Exit> {
    start_with(config, args, settings, None)
}

/// Serves; the turn is passed on once the server listens.
fn start_with(
    config: ServerConfig,
    args: &ServerArgs,
    settings: &UserSettings,
    turn: Option<File>,
) -> Result<Exit> {
    let token = match &args.token_file {
        None => None,
        Some(path) => {
            let text = regular_file::read_named_to_string(path)
                .with_context(|| path.display().to_string())?;
            if is_open_to_others(path)? {
                let mend = match cfg!(unix) {
                    true => "`chmod 600` the file",
                    false => "put the file into your own folder (%USERPROFILE%)",
                };
                bail!(
                    "{}: other users of this machine can read or change the token: {mend}",
                    path.display()
                );
            }
            let token = text.lines().next().unwrap_or("").trim().to_owned();
            if token.len() < TOKEN || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
                bail!(
                    "{}: a token must have at least {TOKEN} characters, without spaces",
                    path.display()
                );
            }
            Some(token)
        }
    };
    let mut config = ServerConfig {
        port: args.port.or(settings.port).unwrap_or(0),
        hosts: args.host_name.clone(),
        proxy: args.behind_proxy,
        data: user_settings::data_folder(),
        fetch: super::external_program::fetch_program(),
        read_only: args.read_only,
        opener: args.read.opener(),
        // Nobody is let in to the tools without it.
        tools: match token {
            Some(_) => super::mcp::config(args.allow_edits),
            None => McpConfig::default(),
        },
        token,
        ..config
    };
    // A base that another program may truncate is read, not mapped.
    config.opener.options.mmap = false;
    if let Some(address) = args.listen {
        config.address = address;
        if !address.is_loopback() {
            say(
                "warning: anybody who can reach this machine can try to guess the token, and data is sent unencrypted",
            );
        }
    }
    let control = interrupt::control();
    // The page is removed with the server, if no browser has read it.
    let mut doorway = None;
    serve(config, &control, |ready| {
        drop(turn);
        doorway = tell(!args.no_open && !settings.no_browser, ready);
    })?;
    if let Some(doorway) = doorway {
        doorway.close();
    }
    // Unfinished work may have copies that were uploaded.
    tabiya::clean_up();
    Ok(match interrupt::is_requested() {
        true => Exit::Interrupted,
        false => Exit::Success,
    })
}

/// Prints the address of the app, and shows it; returns the page that leads there.
fn tell(browser: bool, ready: &ListeningServer) -> Option<RedirectPage> {
    for failure in &ready.failed {
        say(failure);
    }
    say(&format!("Tabiya is at {}", ready.url));
    for other in &ready.others {
        say(&format!("and for others at {other}"));
    }
    say("Press Ctrl-C to stop it.");
    if !browser {
        return None;
    }
    let doorway = RedirectPage::create(&ready.url).ok();
    if !doorway.as_ref().is_some_and(|page| page.open(&ready.used)) {
        say("Cannot start a browser: open this address in one.");
    }
    doorway
}

/// Whether others than its owner may read a file, or put something else in its place.
#[cfg(unix)]
fn is_open_to_others(path: &std::path::Path) -> std::io::Result<bool> {
    use std::os::unix::fs::PermissionsExt;
    Ok(std::fs::metadata(path)?.permissions().mode() & 0o077 != 0)
}

/// On Windows, files in the folder of a user are closed to others by inherited permissions; for all other files it is unknown.
#[cfg(not(unix))]
fn is_open_to_others(path: &std::path::Path) -> std::io::Result<bool> {
    let Some(own) = std::env::var_os("USERPROFILE") else {
        return Ok(true);
    };
    let own = std::path::Path::new(&own).canonicalize()?;
    Ok(!path.canonicalize()?.starts_with(own))
}
