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
    /// What the formats are told.
    pub options: OpenOptions,
    /// The format, where the user says it.
    pub format: Option<&'static Format>,
    /// Look for what is left of damaged databases.
    pub salvage: bool,
    /// The bases are kept for long, as a server does: their files are read piece by piece where they are needed and not
    /// mapped, so that another program that cuts one short does no harm. The index beside a base is mapped all the same:
    /// whoever renews it replaces it as a whole.
    pub lasting: bool,
    /// The password of encrypted archives.
    pub password: Option<Password>,
    /// Asks somebody for the password of an encrypted archive, where none is given here.
    pub ask: Option<PasswordPrompt>,
}

/// Asks for the password of a file; nothing where there is nobody to ask, or no answer.
pub type PasswordPrompt = fn(&Path) -> Option<Password>;

/// A password, which is never shown.
#[derive(Clone)]
pub struct Password(Arc<[u8]>);

impl Password {
    /// Takes a password as its bytes stand in a file.
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
