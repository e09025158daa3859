//! Names that are not files on Windows: devices, pipes, other streams of a file.
//!
//! They are known by their words alone, on every system, so that every system can test it; only Windows asks.

/// The meaning of a name that is not a file on Windows, in words; `None` for the name of a file.
#[must_use]
pub fn what_else(path: &str) -> Option<&'static str> {
    let plain = path.replace('/', "\\");
    let lower = plain.to_ascii_lowercase();
    let mut rest = lower.as_str();
    if rest.starts_with("\\\\.\\pipe\\") || is_pipe_of_a_server(rest) {
        return Some("a named pipe");
    }
    if rest.starts_with("\\\\.\\") || rest.starts_with("\\??\\") {
        return Some("a device");
    }
    if let Some(verbatim) = rest.strip_prefix("\\\\?\\") {
        // A drive or a server follows; everything else is an object of the system, such as GLOBALROOT, or a volume.
        let is_drive = verbatim.as_bytes().get(1) == Some(&b':');
        if !is_drive && !verbatim.starts_with("unc\\") {
            return Some("a device");
        }
        rest = verbatim;
    }
    // The only colon of a name is after the letter of a drive; another one begins a second stream of a file.
    let rest = match rest.as_bytes() {
        [drive, b':', ..] if drive.is_ascii_alphabetic() => rest.get(2..).unwrap_or(""),
        _ => rest,
    };
    if rest.contains(':') {
        return Some("another stream of a file");
    }
    rest.split('\\').any(is_reserved).then_some("a device")
}

/// A whole path as people write it: without the prefix `\\?\` that Windows puts before it. `None` if it has none, or needs it,
/// because some of its names have another meaning without it. A long path does not need it: the standard library adds it.
#[must_use]
pub fn plain(path: &str) -> Option<String> {
    let rest = path.strip_prefix("\\\\?\\")?;
    let plain = match rest.strip_prefix("UNC\\") {
        Some(server) => format!("\\\\{server}"),
        None if rest.as_bytes().get(1..3) == Some(b":\\") => rest.to_owned(),
        None => return None,
    };
    let is_kept = |name: &str| !name.ends_with(['.', ' ']) && !name.contains('/');
    (plain.split('\\').all(is_kept) && what_else(&plain).is_none()).then_some(plain)
}

/// `\\server\pipe\name`.
fn is_pipe_of_a_server(path: &str) -> bool {
    let Some(rest) = path.strip_prefix("\\\\") else {
        return false;
    };
    let rest = rest.strip_prefix("?\\unc\\").unwrap_or(rest);
    let mut parts = rest.split('\\');
    parts
        .next()
        .is_some_and(|server| !matches!(server, "" | "." | "?"))
        && matches!(parts.next(), Some("pipe" | "mailslot"))
}

/// Whether a part of a path is the name of a device, whatever follows after a dot.
fn is_reserved(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or("").trim_end_matches(' ');
    if matches!(
        stem,
        "con" | "prn" | "aux" | "nul" | "conin$" | "conout$" | "clock$"
    ) {
        return true;
    }
    let port = stem
        .strip_prefix("com")
        .or_else(|| stem.strip_prefix("lpt"));
    // Superscript digits count, too.
    port.is_some_and(|port| {
        let mut signs = port.chars();
        let is_port = matches!(
            signs.next(),
            Some('0'..='9' | '\u{b9}' | '\u{b2}' | '\u{b3}')
        );
        is_port && signs.next().is_none()
    })
}

#[cfg(test)]
mod tests {
    use super::{plain, what_else};

    #[test]
    fn paths_are_written_as_people_do() {
        for (path, wanted) in [
            ("\\\\?\\C:\\games\\a.pgn", Some("C:\\games\\a.pgn")),
            ("\\\\?\\Z:\\", Some("Z:\\")),
            (
                "\\\\?\\UNC\\server\\share\\a.pgn",
                Some("\\\\server\\share\\a.pgn"),
            ),
            ("C:\\a.pgn", None),
            ("\\\\?\\C:\\con.pgn", None),
            ("\\\\?\\C:\\a.\\b.pgn", None),
            ("\\\\?\\C:\\a \\b.pgn", None),
            ("\\\\?\\Volume{1}\\a.pgn", None),
            ("\\\\?\\GLOBALROOT\\Device\\x", None),
        ] {
            assert_eq!(plain(path).as_deref(), wanted, "{path}");
        }
    }

    #[test]
    fn devices_pipes_and_streams_are_known_by_their_names() {
        for (path, wanted) in [
            ("C:\\games\\a.pgn", None),
            ("games/console.pgn", None),
            ("..\\com.pgn", None),
            ("com10.pgn", None),
            ("nulls.pgn", None),
            ("\\\\server\\share\\a.pgn", None),
            ("\\\\?\\C:\\a.pgn", None),
            ("\\\\?\\UNC\\server\\share\\a.pgn", None),
            ("\\\\.\\pipe\\x.pgn", Some("a named pipe")),
            ("//./pipe/x.pgn", Some("a named pipe")),
            ("\\\\server\\pipe\\x.pgn", Some("a named pipe")),
            ("\\\\?\\UNC\\server\\pipe\\x.pgn", Some("a named pipe")),
            ("\\\\.\\PhysicalDrive0", Some("a device")),
            ("\\\\?\\GLOBALROOT\\Device\\x", Some("a device")),
            ("\\??\\C:\\a.pgn", Some("a device")),
            ("C:\\games\\NUL", Some("a device")),
            ("con.pgn", Some("a device")),
            ("C:\\games\\Aux.tar.gz", Some("a device")),
            ("com1", Some("a device")),
            ("LPT\u{b9}.pgn", Some("a device")),
            ("C:\\con\\a.pgn", Some("a device")),
            ("nul .pgn", Some("a device")),
            ("C:\\a.pgn:hidden", Some("another stream of a file")),
            ("a.pgn:hidden.pgn", Some("another stream of a file")),
            ("", None),
        ] {
            assert_eq!(what_else(path), wanted, "{path}");
        }
    }
}
