//! How `tabiya serve` starts: what the browser is given, and what a file with a token has to be.

#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::program::write_script;

/// The program, which ends with the test.
struct Serve(Child);

impl Drop for Serve {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn serve(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tabiya"));
    command
        .arg("serve")
        .env("HOME", folder)
        .env("XDG_CONFIG_HOME", folder)
        .env("XDG_DATA_HOME", folder)
        .env("XDG_RUNTIME_DIR", folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command
}

/// The head of an answer.
fn get(host: &str, target: &str) -> String {
    let mut stream = TcpStream::connect(host).expect("the server listens");
    write!(
        stream,
        "GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    )
    .expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("answered");
    answer
}

#[test]
fn no_argument_of_the_browser_holds_the_token() {
    let folder = tempfile::tempdir().expect("a folder");
    let bin = folder.path().join("bin");
    fs::create_dir(&bin).expect("made");
    let browser = bin.join("xdg-open");
    // A browser that tells what it was called with, and what rights the file has.
    write_script(
        &browser,
        "#!/bin/sh\ncp \"$1\" \"$HOME/page\"\nstat -c %a \"$1\" > \"$HOME/mode\"\necho \"$@\" > \"$HOME/part\"\nmv \"$HOME/part\" \"$HOME/arguments\"\n",
    );
    let path = format!(
        "{}:{}",
        bin.display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let mut serve = Serve(
        serve(folder.path())
            .env("PATH", path)
            .spawn()
            .expect("starts"),
    );
    let stderr = serve.0.stderr.take().expect("piped");
    let url = BufReader::new(stderr)
        .lines()
        .map_while(Result::ok)
        .find_map(|line| Some(line.strip_prefix("Tabiya is at ")?.to_owned()))
        .expect("the address is printed");
    let token = url.split("token=").nth(1).expect("a token").to_owned();
    let host = url["http://".len()..].split('/').next().expect("a host");
    let arguments = folder.path().join("arguments");
    while !arguments.exists() {
        std::thread::yield_now();
    }
    let given = fs::read_to_string(&arguments).expect("read");
    assert!(!given.contains(&token), "{given}");
    let mode = fs::read_to_string(folder.path().join("mode")).expect("read");
    assert_eq!(mode.trim(), "600");
    let page = fs::read_to_string(folder.path().join("page")).expect("read");
    assert!(page.contains(&format!("url={url}\"")), "{page}");
    // The page leads in, and is taken away then.
    let answer = get(host, &format!("/?token={token}"));
    assert!(answer.starts_with("HTTP/1.1 303"), "{answer}");
    while Path::new(given.trim()).exists() {
        std::thread::yield_now();
    }
    // The token is good once.
    let again = get(host, &format!("/?token={token}"));
    assert!(again.starts_with("HTTP/1.1 401"), "{again}");
}

/// What a browser has handed over goes with the program, also where it is interrupted; and where it is killed, when the next one needs
/// such a folder.
#[test]
fn copies_go_with_the_program() {
    let folder = tempfile::tempdir().expect("a folder");
    let passing = folder.path().join("tmp");
    fs::create_dir(&passing).expect("made");
    let rooms = || -> Vec<_> {
        let entries = fs::read_dir(&passing).expect("listed").flatten();
        entries.map(|entry| entry.path()).collect()
    };
    // A program that has taken a copy.
    let with_copy = || {
        let mut serve = Serve(
            serve(folder.path())
                .arg("--no-open")
                .env("TMPDIR", &passing)
                .spawn()
                .expect("starts"),
        );
        let stderr = serve.0.stderr.take().expect("piped");
        let url = BufReader::new(stderr)
            .lines()
            .map_while(Result::ok)
            .find_map(|line| Some(line.strip_prefix("Tabiya is at ")?.to_owned()))
            .expect("the address is printed");
        let (origin, token) = url.split_once("/?token=").expect("a token");
        let host = origin.strip_prefix("http://").expect("a host");
        let answer = get(host, &format!("/?token={token}"));
        let cookie = answer.lines().find_map(|line| {
            let line = line.to_ascii_lowercase();
            let value = line.strip_prefix("set-cookie: ")?.split(';').next()?;
            Some(value.to_owned())
        });
        let body = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pgn\"\r\n\r\n[White \"A\"]\n\n1. e4 *\n\r\n--x--\r\n";
        let mut stream = TcpStream::connect(host).expect("the server listens");
        write!(
            stream,
            "POST /api/v1/uploads HTTP/1.1\r\nHost: {host}\r\nCookie: {}\r\nX-Tabiya: 1\r\nConnection: close\r\n\
             Content-Type: multipart/form-data; boundary=x\r\nContent-Length: {}\r\n\r\n{body}",
            cookie.expect("a cookie"),
            body.len()
        )
        .expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("answered");
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        serve
    };
    let end = |mut serve: Serve, signal: &str| {
        assert!(tabiya_testing::send_signal(serve.0.id(), signal));
        serve.0.wait().expect("ended");
    };
    let interrupted = with_copy();
    assert_eq!(rooms().len(), 1);
    end(interrupted, "INT");
    assert_eq!(rooms(), [] as [std::path::PathBuf; 0]);
    let killed = with_copy();
    end(killed, "KILL");
    let left = rooms();
    assert_eq!(left.len(), 1);
    let next = with_copy();
    assert!(rooms().len() == 1 && rooms() != left);
    end(next, "TERM");
    assert_eq!(rooms(), [] as [std::path::PathBuf; 0]);
}

#[test]
fn a_token_that_others_can_read_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let token = folder.path().join("token");
    fs::write(&token, "a-token-that-is-long-enough\n").expect("written");
    for mode in [0o644, 0o640, 0o602, 0o606] {
        fs::set_permissions(&token, fs::Permissions::from_mode(mode)).expect("set");
        let output = serve(folder.path())
            .args(["--no-open", "--token-file"])
            .arg(&token)
            .output()
            .expect("starts");
        assert_eq!(output.status.code(), Some(2), "{mode:o}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("chmod 600"), "{mode:o}: {said}");
    }
}

/// Whatever file an option names: a pipe that nobody writes to is told, and the output of a program is read.
#[test]
fn a_pipe_in_place_of_a_file_of_an_option_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
    assert!(made.success());
    let base = folder.path().join("a.pgn");
    fs::write(&base, "[White \"A\"]\n\n1. e4 *\n").expect("written");
    let run = |arguments: &[&std::ffi::OsStr], input: Stdio| {
        Command::new(env!("CARGO_BIN_EXE_tabiya"))
            .args(arguments)
            .current_dir(folder.path())
            .env("HOME", folder.path())
            .stdin(input)
            .output()
            .expect("the program starts")
    };
    for words in [
        ["convert", "a.pgn", "b.si5", "--options"].as_slice(),
        &["convert", "b.si5", "--sources"],
        &["search", "a.pgn", "white:A", "--aliases"],
        &["info", "a.pgn", "--password-file"],
        &["serve", "a.pgn", "--no-open", "--token-file"],
    ] {
        let mut arguments: Vec<&std::ffi::OsStr> = words.iter().map(std::ffi::OsStr::new).collect();
        arguments.push(pipe.as_os_str());
        let output = run(&arguments, Stdio::null());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{words:?}: {said}");
        assert!(said.contains("a named pipe"), "{words:?}: {said}");
    }
    let words = ["convert", "a.pgn", "b.pgn", "--options", "/dev/stdin"];
    let arguments: Vec<&std::ffi::OsStr> = words.iter().map(std::ffi::OsStr::new).collect();
    let list = folder.path().join("list");
    fs::write(&list, "--force\n").expect("written");
    let output = run(&arguments, fs::File::open(&list).expect("opened").into());
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
