//! The only place where files named by the user are opened: anything but a regular file is reported, without waiting
//! for it.
//!
//! A named pipe under the name of a database would block the program until somebody writes to it; a socket or a device is not
//! one of the user's files at all. So the path is checked before it is opened, and again when it is open, because it may have
//! been replaced in between. Opening itself never waits.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

use super::held_folder::{self, OpenMode};

/// Opens a regular file for reading.
pub fn open(path: &Path) -> io::Result<File> {
    open_for(path, OpenMode::Read)
}

/// Opens a regular file in another mode; a new file is always a regular one.
pub fn open_for(path: &Path, how: OpenMode) -> io::Result<File> {
    #[cfg(windows)]
    if let Some(other) = super::windows_names::what_else(&path.to_string_lossy()) {
        return Err(is_no_file(other));
    }
    if how != OpenMode::MakeNew
        && let Ok(there) = held_folder::metadata(path)
    {
        check(&there)?;
    }
    let file = held_folder::open(path, how)?;
    check(&file.metadata()?)?;
    Ok(file)
}

/// Opens a file from the command line for reading, which may be the output of a program (`<(…)`).
pub fn open_named(path: &Path) -> io::Result<File> {
    match is_own_descriptor(path) {
        true => File::open(path),
        false => open(path),
    }
}

/// The bytes of a regular file.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = open(path)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The text of a regular file.
pub fn read_to_string(path: &Path) -> io::Result<String> {
    let mut file = open(path)?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    Ok(text)
}

/// The bytes of a file from the command line.
pub fn read_named(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = open_named(path)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The text of a file from the command line.
pub fn read_named_to_string(path: &Path) -> io::Result<String> {
    let mut file = open_named(path)?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    Ok(text)
}

/// The kind of anything but a regular file, in words; `None` for a regular file.
#[must_use]
pub fn what_else(there: &Metadata) -> Option<&'static str> {
    if there.is_file() {
        return None;
    }
    if there.is_dir() {
        return Some("a folder");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let kind = there.file_type();
        if kind.is_fifo() {
            return Some("a named pipe");
        }
        if kind.is_socket() {
            return Some("a socket");
        }
        if kind.is_block_device() || kind.is_char_device() {
            return Some("a device");
        }
    }
    Some("not a file")
}

/// Whether a path is a descriptor that this program already has open, as the shell writes `<(…)` for the output of a
/// program.
#[must_use]
pub fn is_own_descriptor(path: &Path) -> bool {
    path == Path::new("/dev/stdin")
        || ["/dev/fd", "/proc/self/fd"]
            .iter()
            .any(|folder| path.parent() == Some(Path::new(folder)))
}

fn check(there: &Metadata) -> io::Result<()> {
    match what_else(there) {
        None => Ok(()),
        Some("a folder") => Err(io::Error::new(
            io::ErrorKind::IsADirectory,
            "this is a folder, not a file",
        )),
        Some(other) => Err(is_no_file(other)),
    }
}

fn is_no_file(other: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::Unsupported,
        format!("this is {other}, not a file; to read from a pipe, use `-` (standard input)"),
    )
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn pipes_sockets_devices_and_folders_are_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("x.pgn");
        let made = Command::new("mkfifo").arg(&pipe).status();
        assert!(made.is_ok_and(|status| status.success()), "a pipe");
        let socket = folder.path().join("y.pgn");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).expect("a socket");
        let link = folder.path().join("z.pgn");
        std::os::unix::fs::symlink(&pipe, &link).expect("a link");
        let device = Path::new("/dev/zero");
        for (path, word) in [
            (pipe.as_path(), "pipe"),
            (&socket, "socket"),
            (&link, "pipe"),
            (device, "device"),
            (folder.path(), "folder"),
        ] {
            for opened in [open(path), open_for(path, OpenMode::Append)] {
                let error = opened.expect_err("it is not a file").to_string();
                assert!(error.contains(word), "{error}");
            }
            assert!(read(path).is_err() && read_to_string(path).is_err());
        }
        let file = folder.path().join("file");
        std::fs::write(&file, "text").expect("written");
        assert_eq!(read_to_string(&file).expect("read"), "text");
        assert!(is_own_descriptor(Path::new("/dev/fd/63")) && !is_own_descriptor(&pipe));
    }
}
