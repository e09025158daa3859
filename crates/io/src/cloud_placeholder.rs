//! Files of cloud folders that are only placeholders: whoever opens one fetches all of it over the network.
//!
//! Their metadata says so, and is read without fetching anything.

use std::fs::Metadata;

/// Whether the content of a file is not on this computer. Linux has no such files.
#[must_use]
pub fn is_placeholder(of: &Metadata) -> bool {
    #[cfg(windows)]
    {
        use std::os::windows::fs::MetadataExt;
        is_placeholder_on_windows(of.file_attributes())
    }
    #[cfg(target_os = "macos")]
    {
        use std::os::macos::fs::MetadataExt;
        /// `SF_DATALESS`.
        const DATALESS: u32 = 0x4000_0000;
        of.st_flags() & DATALESS != 0
    }
    #[cfg(not(any(windows, target_os = "macos")))]
    {
        let _ = of;
        false
    }
}

/// Whether the attributes of a file on Windows say that opening or reading it fetches its content.
#[cfg(any(windows, test))]
fn is_placeholder_on_windows(attributes: u32) -> bool {
    const OFFLINE: u32 = 0x1000;
    const RECALL_ON_OPEN: u32 = 0x4_0000;
    const RECALL_ON_DATA_ACCESS: u32 = 0x40_0000;
    attributes & (OFFLINE | RECALL_ON_OPEN | RECALL_ON_DATA_ACCESS) != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_files_are_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        std::fs::write(&path, b"a").expect("written");
        assert!(!is_placeholder(&std::fs::metadata(&path).expect("there")));
        // An archived file, a hidden one, a folder and a link.
        for attributes in [0x20, 0x22, 0x10, 0x400] {
            assert!(!is_placeholder_on_windows(attributes));
        }
        // As OneDrive marks them: archived, sparse, linked, recalled when read; and older ones.
        for attributes in [0x0040_0620, 0x1020, 0x0004_0020] {
            assert!(is_placeholder_on_windows(attributes));
        }
    }
}
