//! Tokens: each is for one address, and is sent to no other.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;

use crate::site::{is_private, origin};
use crate::{FetchError, Result};

/// The longest token.
const LONGEST: usize = 512;

/// A token, which is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct FetchToken(String);

impl std::fmt::Debug for FetchToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FetchToken")
    }
}

impl FetchToken {
    /// A token as a site gives it.
    pub fn new(text: &str) -> Option<FetchToken> {
        let is_token = !text.is_empty()
            && text.len() <= LONGEST
            && text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        is_token.then(|| FetchToken(text.to_owned()))
    }

    /// The header that shows it to the site.
    pub(crate) fn header(&self) -> String {
        format!("Bearer {}", self.0)
    }
}

/// Tokens by the address that they are for.
#[derive(Clone, Debug, Default)]
pub struct FetchTokens(BTreeMap<String, FetchToken>);

impl FetchTokens {
    /// Parses lines `ADDRESS TOKEN`. No error shows a token.
    pub fn read(text: &str, from: &str) -> Result<FetchTokens> {
        let mut tokens = FetchTokens::default();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let mut words = line.split_whitespace();
            let place = words.next().and_then(origin);
            let token = words.next().and_then(FetchToken::new);
            let (Some(place), Some(token), None) = (place, token, words.next()) else {
                return Err(FetchError::Usage(format!(
                    "{from}, line {number}: a line has an address and a token, such as https://lichess.org lip_…"
                )));
            };
            if !is_private(&place) {
                return Err(FetchError::Usage(format!(
                    "{from}, line {number}: the token could be intercepted: the address must begin with https"
                )));
            }
            tokens.0.insert(place, token);
        }
        Ok(tokens)
    }

    /// Reads those in a file that only its owner may read; none if there is no file.
    pub fn read_file(path: &Path) -> Result<FetchTokens> {
        let shown = path.display().to_string();
        let failed = |error| FetchError::File {
            file: shown.clone(),
            error,
        };
        let metadata = match std::fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(FetchTokens::default());
            }
            Err(error) => return Err(failed(error)),
        };
        if is_seen_by_others(&metadata) {
            return Err(FetchError::Usage(format!(
                "{shown}: others can read the tokens: run `chmod 600` first"
            )));
        }
        let text = tabiya_io::regular_file::read_named_to_string(path).map_err(failed)?;
        FetchTokens::read(&text, &shown)
    }

    /// Puts a token into a file that only its owner may read, instead of an earlier one for the same address. Other lines stay.
    pub fn keep(path: &Path, address: &str, token: &FetchToken) -> Result<()> {
        let shown = path.display().to_string();
        let failed = |error| FetchError::File {
            file: shown.clone(),
            error,
        };
        let not_address = || FetchError::Usage(format!("{address}: not an address"));
        let place = origin(address)
            .filter(|place| is_private(place))
            .ok_or_else(not_address)?;
        // A file that others can read, or that cannot be read at all, is not written over.
        FetchTokens::read_file(path)?;
        let text = match tabiya_io::regular_file::read_named_to_string(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            text => text.map_err(failed)?,
        };
        let mut lines: Vec<&str> = text
            .lines()
            .filter(|line| line.split_whitespace().next().and_then(origin).as_ref() != Some(&place))
            .collect();
        let line = format!("{place} {}", token.0);
        lines.push(&line);
        // A link stays one: the file that it points to is replaced.
        let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let folder = path.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder).map_err(failed)?;
        // Temporary files are their owner's alone from the first moment on.
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
        file.write_all((lines.join("\n") + "\n").as_bytes())
            .and_then(|()| file.as_file().sync_all())
            .map_err(failed)?;
        file.persist(&path).map_err(|error| failed(error.error))?;
        Ok(())
    }

    /// Adds others, which have priority.
    pub fn add(&mut self, others: FetchTokens) {
        self.0.extend(others.0);
    }

    /// The token for an address.
    pub(crate) fn of(&self, address: &str) -> Option<&FetchToken> {
        self.0.get(&origin(address)?)
    }
}

#[cfg(unix)]
fn is_seen_by_others(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    metadata.permissions().mode() & 0o077 != 0
}

#[cfg(not(unix))]
fn is_seen_by_others(_: &std::fs::Metadata) -> bool {
    // The folder of the user's settings is theirs alone.
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_for_its_address_alone_and_never_shown() {
        let text = "# mine\nhttps://lichess.org lip_abc\nhttp://localhost:9663/ lip_test\n";
        let tokens = FetchTokens::read(text, "a file").expect("tokens");
        assert!(tokens.of("https://lichess.org/api").is_some());
        assert!(tokens.of("http://localhost:9663").is_some());
        assert!(tokens.of("http://lichess.org").is_none());
        assert!(tokens.of("https://lichess.org.example").is_none());
        assert!(!format!("{tokens:?}").contains("lip_abc"));
        for wrong in [
            "https://lichess.org",
            "https://lichess.org lip-abc",
            "https://lichess.org lip_abc more",
            "http://lichess.org lip_secret",
        ] {
            let error = FetchTokens::read(wrong, "a file").expect_err("no token");
            assert!(!error.to_string().contains("lip_secret"), "{error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_token_is_kept_where_only_its_owner_reads_it() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("new/tokens.conf");
        let token = |text: &str| FetchToken::new(text).expect("a token");
        let keep = |address: &str, text: &str| FetchTokens::keep(&path, address, &token(text));
        keep("https://lichess.org", "lio_one").expect("kept");
        let mode = || {
            let metadata = std::fs::metadata(&path).expect("a file");
            metadata.permissions().mode() & 0o777
        };
        assert_eq!(mode(), 0o600);
        let text = "# mine\nhttp://localhost:9663 lip_test\nhttps://Lichess.org/ lio_one\n";
        std::fs::write(&path, text).expect("written");
        keep("https://lichess.org", "lio_two").expect("kept");
        let read = std::fs::read_to_string(&path).expect("a file");
        assert_eq!(
            read,
            "# mine\nhttp://localhost:9663 lip_test\nhttps://lichess.org lio_two\n"
        );
        assert_eq!(mode(), 0o600);
        let names = std::fs::read_dir(folder.path().join("new")).expect("a folder");
        assert_eq!(names.count(), 1);
        // A token is not put where others can read it, and not beside lines that make no sense.
        let set = |mode| {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("set");
        };
        set(0o640);
        assert!(keep("https://lichess.org", "lio_three").is_err());
        set(0o600);
        std::fs::write(&path, "what is this").expect("written");
        assert!(keep("https://lichess.org", "lio_three").is_err());
        assert_eq!(
            std::fs::read_to_string(&path).expect("a file"),
            "what is this"
        );
        std::fs::write(&path, "").expect("written");
        assert!(keep("http://lichess.org", "lio_three").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_can_read_is_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("tokens.conf");
        assert!(FetchTokens::read_file(&path).is_ok());
        std::fs::write(&path, "https://lichess.org lip_abc\n").expect("written");
        let set = |mode| {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("set");
        };
        set(0o644);
        assert!(FetchTokens::read_file(&path).is_err());
        set(0o600);
        let tokens = FetchTokens::read_file(&path).expect("tokens");
        assert!(tokens.of("https://lichess.org").is_some());
    }
}
