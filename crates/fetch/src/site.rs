//! The sites, and the user's settings for them.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use crate::token::FetchTokens;
use crate::{FetchError, Result};

/// A site.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FetchSite {
    /// Lichess.
    Lichess,
    /// The data that chess.com publishes for programs.
    Chesscom,
    /// The Week in Chess.
    Twic,
    /// FIDE's rating lists.
    Fide,
    /// The database of Lichess: its games by months.
    Dumps,
}

impl FetchSite {
    /// All of them.
    pub const ALL: [FetchSite; 5] = [
        FetchSite::Lichess,
        FetchSite::Chesscom,
        FetchSite::Twic,
        FetchSite::Fide,
        FetchSite::Dumps,
    ];

    /// The name, as `--host` has it.
    pub fn name(self) -> &'static str {
        match self {
            FetchSite::Lichess => "lichess",
            FetchSite::Chesscom => "chesscom",
            FetchSite::Twic => "twic",
            FetchSite::Fide => "fide",
            FetchSite::Dumps => "dumps",
        }
    }

    /// The site with a name.
    pub fn from_name(name: &str) -> Option<FetchSite> {
        FetchSite::ALL.into_iter().find(|site| site.name() == name)
    }

    /// Its default address.
    pub fn address(self) -> &'static str {
        match self {
            FetchSite::Lichess => "https://lichess.org",
            FetchSite::Chesscom => "https://api.chess.com",
            FetchSite::Twic => "https://theweekinchess.com",
            FetchSite::Fide => "https://ratings.fide.com",
            FetchSite::Dumps => "https://database.lichess.org",
        }
    }
}

/// The user's settings.
#[derive(Clone, Debug)]
pub struct FetchSettings {
    /// Addresses of sites other than the defaults.
    pub hosts: BTreeMap<FetchSite, String>,
    /// How the sites can reach the user: an e-mail address, or a user name there. It goes into the User-Agent.
    pub contact: Option<String>,
    /// Tokens, by the address that they are for.
    pub tokens: FetchTokens,
    /// The time by which games are recent.
    pub now: SystemTime,
    /// How long a connection may be silent.
    pub silence: Duration,
    /// The longest time for which a site may ask to wait.
    pub longest_wait: Duration,
    /// The maximum number of bytes in an answer that is not a stream of games.
    pub answer_bytes: u64,
    /// The maximum number of bytes in one game.
    pub game_bytes: usize,
}

impl Default for FetchSettings {
    fn default() -> FetchSettings {
        FetchSettings {
            hosts: BTreeMap::new(),
            contact: None,
            tokens: FetchTokens::default(),
            now: SystemTime::now(),
            silence: Duration::from_secs(120),
            longest_wait: Duration::from_secs(600),
            answer_bytes: 512 << 20,
            game_bytes: 8 << 20,
        }
    }
}

impl FetchSettings {
    /// Parses an argument `SITE=ADDRESS`.
    pub fn set_host(&mut self, word: &str) -> Result<()> {
        let wrong = || {
            FetchError::Usage(format!(
                "{word}: a host is SITE=ADDRESS, such as lichess=http://localhost:9663"
            ))
        };
        let (site, address) = word.split_once('=').ok_or_else(wrong)?;
        let site = FetchSite::from_name(site).ok_or_else(wrong)?;
        let address = address.trim_end_matches('/');
        origin(address).ok_or_else(wrong)?;
        self.hosts.insert(site, address.to_owned());
        Ok(())
    }

    /// The address of a site.
    pub fn address(&self, site: FetchSite) -> &str {
        match self.hosts.get(&site) {
            Some(address) => address,
            None => site.address(),
        }
    }

    /// What requests say of who asks.
    pub(crate) fn user_agent(&self) -> Result<String> {
        let program = concat!("Tabiya/", env!("CARGO_PKG_VERSION"));
        let Some(contact) = self.contact.as_deref().filter(|it| !it.trim().is_empty()) else {
            return Ok(program.to_owned());
        };
        let is_plain = contact.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        if !is_plain || contact.len() > 200 {
            return Err(FetchError::Usage(
                "a contact is a short ASCII text, such as an e-mail address".to_owned(),
            ));
        }
        Ok(format!("{program} ({contact})"))
    }
}

/// Scheme and host of an address, in small letters; `None` where it is none.
pub(crate) fn origin(address: &str) -> Option<String> {
    let (scheme, rest) = address.split_once("://")?;
    let scheme = scheme.to_ascii_lowercase();
    let host = rest.split(['/', '?', '#']).next()?.to_ascii_lowercase();
    let is_host = !host.is_empty()
        && host
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b".-:[]_".contains(&byte));
    let default = match &scheme[..] {
        "https" => ":443",
        "http" => ":80",
        _ => return None,
    };
    let host = host.strip_suffix(default).unwrap_or(&host);
    is_host.then(|| format!("{scheme}://{host}"))
}

/// Whether nobody on the way can read what is sent to an address: it is encrypted, or this machine.
pub(crate) fn is_private(origin: &str) -> bool {
    let Some(host) = origin.strip_prefix("http://") else {
        return true;
    };
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(rest),
        None => host.split(':').next().unwrap_or(host),
    };
    matches!(name, "localhost" | "127.0.0.1" | "::1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_scheme_and_host() {
        let of = |address| origin(address).unwrap_or_default();
        assert_eq!(of("https://Lichess.org/api?x=1"), "https://lichess.org");
        assert_eq!(of("https://lichess.org:443"), "https://lichess.org");
        assert_eq!(of("http://127.0.0.1:80/a"), "http://127.0.0.1");
        assert_eq!(of("https://lichess.org:8443/a"), "https://lichess.org:8443");
        assert_eq!(of("https://lichess.org@evil.example/"), "");
        assert_eq!(of("ftp://lichess.org"), "");
        assert_eq!(of("lichess.org"), "");
        assert_eq!(of("https://"), "");
        assert!(is_private("https://lichess.org"));
        assert!(is_private("http://localhost:9663"));
        assert!(is_private("http://[::1]:9663"));
        assert!(!is_private("http://lichess.org"));
        assert!(!is_private("http://localhost.example"));
    }

    #[test]
    fn a_contact_is_said_as_it_is_and_never_invented() {
        let mut settings = FetchSettings::default();
        let plain = settings.user_agent().expect("a name");
        assert_eq!(plain, concat!("Tabiya/", env!("CARGO_PKG_VERSION")));
        settings.contact = Some("me@example.org".to_owned());
        let named = settings.user_agent().expect("a name");
        assert!(named.ends_with(" (me@example.org)"));
        settings.contact = Some("me\r\nCookie: x".to_owned());
        assert!(settings.user_agent().is_err());
    }
}
