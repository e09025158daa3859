//! Where decompression fails before the end of a file: known to the file as soon as one of its readers reaches it.

use std::sync::{Arc, OnceLock};

use tabiya_model::{DiagnosticCode, Diagnostics, Location};

/// Shared by clones: the offset in the text, and the reason.
#[derive(Clone, Default)]
pub struct UnpackFailure(Arc<OnceLock<(u64, String)>>);

impl UnpackFailure {
    /// Keeps the first failure; another reader finds the same one.
    pub fn set(&self, byte: u64, why: &std::io::Error) {
        let _ = self.0.set((byte, why.to_string()));
    }

    /// Reports it, if it is known.
    pub fn report(&self, code: &'static DiagnosticCode, file: &str, found: &mut Diagnostics) {
        if let Some((byte, why)) = self.0.get() {
            let place = || Location::byte(*byte).in_file(file.to_owned());
            found.report(code, place, || why.clone());
        }
    }
}
