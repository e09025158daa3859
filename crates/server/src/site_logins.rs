//! Logins at sites. The program that fetches from them waits for the browser, and keeps the token in its file: the server
//! sees neither code nor token, only the address for the browser and how it ended.

use std::io::{BufRead as _, BufReader, Read as _};
use std::sync::mpsc::channel;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tabiya_answers::server::{SiteLoginAnswer, SiteLoginStateAnswer};

use crate::answer::Refusal;
use crate::error_codes;
use crate::fetch_program::{FetchProgram, FetchRun};

/// How long the program may take to name an address.
const PATIENCE: Duration = Duration::from_secs(10);

/// The longest address.
const LONGEST: u64 = 4 << 10;

/// The login that was begun last.
#[derive(Debug, Default)]
pub(crate) struct SiteLogins {
    program: Option<FetchProgram>,
    current: Mutex<Option<SiteLogin>>,
}

#[derive(Debug)]
struct SiteLogin {
    run: FetchRun,
    address: String,
}

impl SiteLogins {
    pub(crate) fn new(program: Option<FetchProgram>) -> SiteLogins {
        SiteLogins {
            program,
            current: Mutex::default(),
        }
    }

    /// Begins a login; an earlier one ends.
    pub(crate) fn begin(&self) -> Result<SiteLoginAnswer, Refusal> {
        let program = self.program.as_ref().ok_or_else(no_program)?;
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        *current = None;
        let of_file = |error| Refusal::of_file(&program.path, error);
        let mut run = program.run(["login", "--quiet"]).map_err(of_file)?;
        let output = run.output().map_err(of_file)?;
        let (sender, address) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            let mut line = String::new();
            let read = output.by_ref().take(LONGEST).read_line(&mut line);
            let _ = sender.send(read.map(|_| line.trim_end().to_owned()).unwrap_or_default());
            let _ = std::io::copy(&mut output, &mut std::io::sink());
        });
        let address = address.recv_timeout(PATIENCE).unwrap_or_default();
        let mut login = SiteLogin { run, address };
        // It goes into a link, which must not be a script.
        if !login.address.starts_with("https://") && !login.address.starts_with("http://") {
            return Err(Refusal::bad(&error_codes::LOGIN_FAILED, login.reason()));
        }
        let answer = login.answer();
        *current = Some(login);
        Ok(answer)
    }

    /// How the login is.
    pub(crate) fn state(&self) -> SiteLoginAnswer {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *current {
            Some(login) => login.answer(),
            None => SiteLoginAnswer {
                state: SiteLoginStateAnswer::None,
                address: None,
                message: None,
            },
        }
    }

    /// Ends the login.
    pub(crate) fn stop(&self) -> SiteLoginAnswer {
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.state()
    }
}

/// Nothing can be fetched without the program.
pub(crate) fn no_program() -> Refusal {
    Refusal::bad(
        &error_codes::NO_FETCH_PROGRAM,
        "the program tabiya-fetch is not installed, which fetches from sites (docs/fetch.md)",
    )
}

impl SiteLogin {
    fn answer(&mut self) -> SiteLoginAnswer {
        let (state, address, message) = match self.run.ended() {
            Ok(None) => (
                SiteLoginStateAnswer::Waiting,
                Some(self.address.clone()),
                None,
            ),
            Ok(Some(status)) if status.success() => (SiteLoginStateAnswer::Done, None, None),
            _ => (SiteLoginStateAnswer::Failed, None, Some(self.reason())),
        };
        SiteLoginAnswer {
            state,
            address,
            message,
        }
    }

    /// Why it has failed.
    fn reason(&mut self) -> String {
        let reason = self.run.reason();
        reason.unwrap_or("the login did not succeed").to_owned()
    }
}
