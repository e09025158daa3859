//! One app per user: a later start of the program finds the running one, and passes on what it was to open.
//!
//! The running one listens on this machine for such starts, and its address is in a file that only its user can read. Each
//! side proves with a word from that file that it is the user's: the new start, so that nobody else opens files; and the
//! running one, so that a program that listens there after its end cannot redirect a browser.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tabiya::secrets::is_same_secret;
use tabiya_model::{Error, Result};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream as LocalStream};
use tokio::time::timeout;

use crate::guard::secret;
use crate::{ServerState, error_codes, limits, recent_databases};

/// The longest file that is read.
const LONGEST: u64 = 4 << 10;

/// What the file says.
#[derive(Serialize, Deserialize)]
struct RunningAppFile {
    port: u16,
    /// What a start says first.
    start: String,
    /// What the one that runs answers with.
    run: String,
}

/// What a start says.
#[derive(Serialize, Deserialize)]
struct HandOver {
    start: String,
    paths: Vec<PathBuf>,
}

/// What it is answered.
#[derive(Serialize, Deserialize)]
struct HandOverAnswer {
    run: String,
    /// The address for a browser.
    url: String,
    /// What could not be opened, with the reason.
    failed: Vec<String>,
}

/// Where a browser finds what was passed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandedOver {
    /// The address for a browser, valid once and for a while.
    pub url: String,
    /// What could not be opened, with the reason.
    pub failed: Vec<String>,
}

/// Passes paths on to the running app, as its file says; `None` if none runs.
pub fn hand_over(file: &Path, paths: &[PathBuf]) -> Result<Option<HandedOver>> {
    let Some(known) = read(file) else {
        return Ok(None);
    };
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, known.port));
    let Ok(mut stream) = TcpStream::connect_timeout(&address, limits::HANDING) else {
        return Ok(None);
    };
    stream.set_read_timeout(Some(limits::HANDING))?;
    stream.set_write_timeout(Some(limits::HANDING))?;
    let said = HandOver {
        start: known.start,
        paths: paths.to_vec(),
    };
    // A path that is no text cannot be said.
    let mut line = serde_json::to_vec(&said)
        .map_err(|error| Error::new(&error_codes::BAD_PATH, error.to_string()))?;
    line.push(b'\n');
    let mut answer = String::new();
    let heard = stream.write_all(&line).and_then(|()| {
        BufReader::new(stream)
            .take(limits::HANDED_LINE)
            .read_line(&mut answer)
    });
    // Somebody else listens there, and says nothing of ours.
    let answer: Option<HandOverAnswer> =
        heard.ok().and_then(|_| serde_json::from_str(&answer).ok());
    Ok(answer
        .filter(|answer| is_same_secret(&answer.run, &known.run))
        .map(|HandOverAnswer { url, failed, .. }| HandedOver { url, failed }))
}

fn read(file: &Path) -> Option<RunningAppFile> {
    let is_short = std::fs::metadata(file).is_ok_and(|about| about.len() <= LONGEST);
    let text = is_short.then(|| tabiya_io::regular_file::read_to_string(file).ok())??;
    serde_json::from_str(&text).ok()
}

/// The app that runs, as later starts find it, until this goes.
pub(crate) struct RunningApp {
    file: PathBuf,
    known: RunningAppFile,
    listener: Option<TcpListener>,
}

impl RunningApp {
    /// Listens, and says in the file where.
    pub(crate) async fn begin(file: &Path) -> Result<RunningApp> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let known = RunningAppFile {
            port: listener.local_addr()?.port(),
            start: secret()?,
            run: secret()?,
        };
        let text = serde_json::to_vec(&known)
            .map_err(|error| Error::new(&error_codes::SYSTEM, error.to_string()))?;
        recent_databases::write(file, &text)?;
        Ok(RunningApp {
            file: file.to_owned(),
            known,
            listener: Some(listener),
        })
    }

    /// Opens what later starts hand over, one after the other.
    pub(crate) fn listen(&mut self, shared: &ServerState) {
        let Some(listener) = self.listener.take() else {
            return;
        };
        let (shared, start, run) = (
            shared.clone(),
            self.known.start.clone(),
            self.known.run.clone(),
        );
        tokio::spawn(async move {
            loop {
                let Ok((stream, _)) = listener.accept().await else {
                    tokio::time::sleep(limits::LEAVING_LOOK).await;
                    continue;
                };
                let (start, run, shared) = (start.clone(), run.clone(), shared.clone());
                // Who comes and says nothing keeps nobody waiting.
                tokio::spawn(async move {
                    let _ = timeout(limits::HANDING, answer(stream, &start, run, shared)).await;
                });
            }
        });
    }
}

impl Drop for RunningApp {
    fn drop(&mut self) {
        // Another one that runs has put its own file there.
        if read(&self.file).is_some_and(|known| is_same_secret(&known.run, &self.known.run)) {
            let _ = std::fs::remove_file(&self.file);
        }
    }
}

async fn answer(
    mut stream: LocalStream,
    start: &str,
    run: String,
    shared: ServerState,
) -> Option<()> {
    let (reading, mut writing) = stream.split();
    let mut line = Vec::new();
    let mut reading = tokio::io::BufReader::new(reading.take(limits::HANDED_LINE));
    reading.read_until(b'\n', &mut line).await.ok()?;
    let said: HandOver = serde_json::from_slice(&line).ok()?;
    if !is_same_secret(&said.start, start) {
        return None;
    }
    let answer = tokio::task::spawn_blocking(move || open(&shared, &said.paths, run)).await;
    let mut line = serde_json::to_vec(&answer.ok()??).ok()?;
    line.push(b'\n');
    writing.write_all(&line).await.ok()?;
    writing.shutdown().await.ok()
}

fn open(shared: &ServerState, paths: &[PathBuf], run: String) -> Option<HandOverAnswer> {
    let (mut ids, mut failed) = (Vec::new(), Vec::new());
    for path in paths {
        match shared.library.hand_over(path) {
            Ok(mut opened) => ids.append(&mut opened),
            Err(refusal) => failed.push(refusal.answer.error),
        }
    }
    let page = match &ids[..] {
        [only] => format!("/base/{only}"),
        _ => "/".to_owned(),
    };
    let url = shared.guard.invite_here(page).ok()?;
    Some(HandOverAnswer { run, url, failed })
}
