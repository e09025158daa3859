//! How paths are opened.

use std::path::Path;
use std::sync::Arc;

use tabiya_formats::format::{Format, OpenOptions};

/// How bases are opened.
///
/// ```
/// # fn main() -> tabiya::model::Result<()> {
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/si5/ok/sample.si5");
/// use tabiya::Opener;
///
/// let opener = Opener { lasting: true, ..Opener::default() };
/// let opened = opener.open_all(&[path, "nowhere.pgn"]);
/// assert_eq!(opened.bases[0].format().name, "si5");
/// assert_eq!(opened.failed[0].name, "nowhere.pgn");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Opener {
    /// Settings of the formats.
    pub options: OpenOptions,
    /// The format, if the user has named one.
    pub format: Option<&'static Format>,
    /// Salvage what is left of damaged databases.
    pub salvage: bool,
    /// The bases are kept for long, as in a server: their files are read in pieces when needed and not mapped, so that
    /// another program that truncates one does no harm. The index beside a base is mapped all the same: it is always
    /// replaced as a whole.
    pub lasting: bool,
    /// The password of encrypted archives.
    pub password: Option<Password>,
    /// Asks somebody for the password of an encrypted archive if none is given here.
    pub ask: Option<PasswordPrompt>,
}

/// Asks for the password of a file; nothing if there is nobody to ask, or no answer.
pub type PasswordPrompt = fn(&Path) -> Option<Password>;

/// A password, which is never shown.
#[derive(Clone)]
pub struct Password(Arc<[u8]>);

impl Password {
    /// Takes a password from the bytes of a file.
    pub fn new(bytes: &[u8]) -> Password {
        Password(bytes.into())
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl std::fmt::Debug for Password {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Password")
    }
}
