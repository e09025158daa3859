//! Files in an object store: `moto`, which speaks S3, on this machine.

use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::games::{Games, parquet_files};

/// A server that ends with the test.
struct Server {
    child: Child,
    port: u16,
}

impl Drop for Server {
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

impl Server {
    /// A server with a bucket of some files; `None` where there is none.
    fn new(games: &Games, names: &[String]) -> Option<Server> {
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
        let server = Server { child, port };
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
        use std::io::Write;
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

    fn command(&self, games: &Games, args: &[&str]) -> Command {
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
    let games = Games::new();
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
    let Some(server) = Server::new(&games, &names) else {
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
        ("s3://games", "s3://games/none.parquet", "no Parquet file"),
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
