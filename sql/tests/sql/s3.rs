//! Files in an object store: `moto`, which speaks S3, on this machine.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::games::{TestGames, parquet_files};

/// A server that ends with the test.
struct TestServer {
    child: Child,
    port: u16,
}

impl Drop for TestServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const PUT: &str = "import boto3, sys\n\
    store = boto3.client('s3', endpoint_url=sys.argv[1], region_name='us-east-1', \
    aws_access_key_id='key', aws_secret_access_key='secret')\n\
    store.create_bucket(Bucket='games')\n\
    for name in sys.stdin.read().splitlines():\n    \
        store.upload_file(name, 'games', name)\n";

impl TestServer {
    /// A server with a bucket of some files; `None` where there is none.
    fn new(games: &TestGames, names: &[String]) -> Option<TestServer> {
        let mut python = tabiya_testing::python_with("moto.server, boto3, flask")?;
        let port = TcpListener::bind("127.0.0.1:0")
            .and_then(|listener| listener.local_addr())
            .expect("a port")
            .port();
        let child = python
            .args([
                "-m",
                "moto.server",
                "-H",
                "127.0.0.1",
                "-p",
                &port.to_string(),
            ])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("moto");
        let server = TestServer { child, port };
        let begin = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(begin.elapsed() < Duration::from_secs(60), "nobody listens");
            std::thread::sleep(Duration::from_millis(50));
        }
        let mut put = tabiya_testing::python_with("boto3")?
            .args(["-c", PUT, &server.address()])
            .current_dir(games.folder.path())
            .stdin(Stdio::piped())
            .spawn()
            .expect("python");
        let mut input = put.stdin.take().expect("a pipe");
        input
            .write_all(names.join("\n").as_bytes())
            .expect("written");
        drop(input);
        assert!(put.wait().expect("an end").success());
        Some(server)
    }

    fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    fn command(&self, games: &TestGames, args: &[&str]) -> Command {
        let mut command = games.command(args);
        command
            .env("AWS_ENDPOINT_URL", self.address())
            .env("AWS_ALLOW_HTTP", "true")
            .env("AWS_REGION", "us-east-1")
            .env("AWS_ACCESS_KEY_ID", "key")
            .env("AWS_SECRET_ACCESS_KEY", "secret");
        command
    }
}

#[test]
fn object_stores_are_read() {
    let games = TestGames::new();
    let root = games.folder.path().to_owned();
    let lake = games.lake("lake");
    let mut names: Vec<String> = parquet_files(&lake)
        .iter()
        .map(|path| {
            path.strip_prefix(&root)
                .expect("within")
                .display()
                .to_string()
        })
        .collect();
    names.extend([
        "lake/manifest.json".to_owned(),
        "games.parquet".to_owned(),
        "games.pgn".to_owned(),
    ]);
    // What a change that was cut off has left does not exist.
    std::fs::write(root.join("lake/games/999.parquet"), b"PAR1 cut off").expect("a file");
    names.push("lake/games/999.parquet".to_owned());
    let Some(server) = TestServer::new(&games, &names) else {
        return;
    };
    for question in [
        "SELECT count(*), count(DISTINCT white), sum(plies) FROM 'FILE/lake'",
        "SELECT count(*), count(DISTINCT white), sum(plies) FROM 'FILE/lake/'",
        "SELECT count(*), max(plies) FROM 'FILE/lake/games/1858'",
        "SELECT count(*), sum(games), sum(white) FROM 'FILE/lake/explorer'",
        "SELECT white, count(*) FROM 'FILE/games.parquet' WHERE plies > 20 GROUP BY white ORDER BY 2 DESC, 1 LIMIT 5",
        "SELECT count(*) FROM 'FILE/games.parquet' WHERE has_position(moves, 'rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR', fen)",
    ] {
        let output = server
            .command(
                &games,
                &[
                    "--csv",
                    "--allow",
                    "s3://games",
                    &question.replace("FILE", "s3://games"),
                ],
            )
            .output()
            .expect("the program");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{question}: {errors}");
        let text = String::from_utf8_lossy(&output.stdout);
        // The names of columns tell that of the table.
        let (_, rows) = text.split_once('\n').expect("names");
        assert_eq!(
            rows,
            games.rows(&question.replace("FILE/", "")),
            "{question}"
        );
    }
    for (allowed, name, expected) in [
        ("s3://games/lake", "s3://games/games.parquet", "--allow"),
        (
            "s3://games/lake",
            "s3://games/lake/../games.parquet",
            "--allow",
        ),
        ("s3://games", "s3://games/games.pgn", "s3://games/games.pgn"),
        (
            "s3://games",
            "s3://games/none.parquet",
            "not a Parquet file",
        ),
        ("s3://other", "s3://other/none.parquet", "s3://other"),
    ] {
        let query = format!("SELECT count(*), max(plies) FROM '{name}'");
        let output = server
            .command(&games, &["--allow", allowed, &query])
            .output()
            .expect("the program");
        let words = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{name}: {words}");
        assert!(words.contains(expected), "{name}: {words}");
    }
}

/// Lists what is asked of a port, and gives nothing.
fn list_requests(listener: TcpListener) -> Arc<Mutex<Vec<String>>> {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let list = Arc::clone(&asked);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            let (mut head, mut byte) = (Vec::new(), [0]);
            while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|it| it == 1) {
                head.push(byte[0]);
            }
            let head = String::from_utf8_lossy(&head).to_lowercase();
            list.lock().expect("a list").push(head);
            let _ = stream.write_all(
                b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n",
            );
        }
    });
    asked
}

#[test]
fn without_keys_nobody_is_asked_for_some() {
    let games = TestGames::new();
    let listen = || TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = |listener: &TcpListener| {
        let port = listener.local_addr().expect("an address").port();
        format!("http://127.0.0.1:{port}")
    };
    for is_asked_for in [false, true] {
        let (store, other) = (listen(), listen());
        let (store_at, other_at) = (address(&store), address(&other));
        let (of_store, of_other) = (list_requests(store), list_requests(other));
        let mut command = games.command(&[
            "--allow",
            "s3://games",
            "--timeout",
            "60",
            "SELECT count(*) FROM 's3://games/games.parquet'",
        ]);
        for name in [
            "AWS_ACCESS_KEY_ID",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_EC2_METADATA_DISABLED",
        ] {
            command.env_remove(name);
        }
        // What goes to any other address goes by way of a list.
        for name in [
            "http_proxy",
            "https_proxy",
            "HTTP_PROXY",
            "HTTPS_PROXY",
            "ALL_PROXY",
        ] {
            command.env(name, &other_at);
        }
        command
            .env("NO_PROXY", "127.0.0.1")
            .env("no_proxy", "127.0.0.1")
            .env("AWS_ENDPOINT_URL", &store_at)
            .env("AWS_ALLOW_HTTP", "true");
        if is_asked_for {
            command.env("AWS_METADATA_ENDPOINT", &other_at);
        }
        let output = command.output().expect("the program");
        let words = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words}");
        let of_other = of_other.lock().expect("a list").clone();
        assert_eq!(of_other.is_empty(), !is_asked_for, "{of_other:?}");
        if is_asked_for {
            continue;
        }
        let of_store = of_store.lock().expect("a list").clone();
        assert!(!of_store.is_empty(), "{words}");
        assert!(
            of_store.iter().all(|head| !head.contains("authorization:")),
            "{of_store:?}"
        );
        assert!(words.contains("without keys"), "{words}");
    }
}

#[test]
fn what_was_changed_in_a_store_is_refused() {
    let games = TestGames::new();
    let folder = games.folder.path();
    let whole = std::fs::read(folder.join("games.parquet")).expect("a file");
    let query = "SELECT game, white, plies, score, moves, annotations FROM 'FILE' WHERE plies > 3 ORDER BY game";
    let expected = games.rows(&query.replace("FILE", "games.parquet"));
    let places = (4..whole.len()).step_by(whole.len() / 24);
    let mut names = vec!["games.parquet".to_owned()];
    for (at, place) in places.enumerate() {
        let mut changed = whole.clone();
        changed[place] ^= 1 << (at % 8);
        let name = format!("changed-{place}.parquet");
        std::fs::write(folder.join(&name), changed).expect("a file");
        names.push(name);
    }
    let Some(server) = TestServer::new(&games, &names) else {
        return;
    };
    let mut refused = 0;
    for name in &names {
        let query = query.replace("FILE", &format!("s3://games/{name}"));
        let output = server
            .command(&games, &["--csv", "--allow", "s3://games", &query])
            .output()
            .expect("the program");
        let words = String::from_utf8_lossy(&output.stderr);
        if output.status.success() {
            let csv = String::from_utf8(output.stdout).expect("UTF-8");
            let (_, rows) = csv.split_once('\n').expect("rows");
            assert_eq!(rows, expected, "{name}");
        } else {
            assert_ne!(name, "games.parquet", "{words}");
            assert!(words.contains(name.as_str()), "{name}: {words}");
            refused += 1;
        }
    }
    assert!(refused > 5, "{refused}");
}
