//! Reading from and writing to a real server, which the test starts for itself.
#![allow(clippy::print_stderr, clippy::unwrap_used, missing_docs)]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tabiya_formats::format::{Format, OpenOptions, WriteOptions};
use tabiya_model::database::{SinkWriter, for_each_game};
use tabiya_model::diff::diff;
use tabiya_model::{Database, Game, GameAspect, GameNeeds, Losses, Sink};
use tabiya_testing::shared;

/// A server with a folder of its own, which ends with this value.
struct MysqlTestServer {
    child: Child,
    folder: tempfile::TempDir,
}

impl Drop for MysqlTestServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn is_root() -> bool {
    Command::new("id")
        .arg("-u")
        .output()
        .is_ok_and(|out| out.stdout.trim_ascii() == b"0")
}

impl MysqlTestServer {
    /// Starts a server; says so and gives nothing where none is installed.
    fn start() -> Option<MysqlTestServer> {
        let Ok(folder) = tempfile::tempdir() else {
            eprintln!("skipped: no folder for a server");
            return None;
        };
        let data = folder.path().join("data");
        let user = if is_root() {
            "--user=root"
        } else {
            "--skip-slave-start"
        };
        let installed = Command::new("mariadb-install-db")
            .args([
                "--no-defaults",
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
            ])
            .arg(user)
            .arg(format!("--datadir={}", data.display()))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        if !installed.is_ok_and(|status| status.success()) {
            eprintln!("skipped: mariadb-install-db is missing or failed");
            return None;
        }
        let program = [
            "mariadbd",
            "/usr/sbin/mariadbd",
            "mysqld",
            "/usr/sbin/mysqld",
        ]
        .into_iter()
        .find(|name| {
            Command::new(name)
                .arg("--version")
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .is_ok()
        });
        let Some(program) = program else {
            eprintln!("skipped: no server is installed");
            return None;
        };
        let child = Command::new(program)
            .args([
                "--no-defaults",
                "--skip-networking",
                "--innodb-flush-log-at-trx-commit=0",
            ])
            .arg(user)
            .arg(format!("--datadir={}", data.display()))
            .arg(format!(
                "--socket={}",
                folder.path().join("socket").display()
            ))
            .arg(format!(
                "--pid-file={}",
                folder.path().join("pid").display()
            ))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a server");
        let server = MysqlTestServer { child, folder };
        let start = Instant::now();
        while !server
            .sql("mysql", "SELECT 1")
            .is_some_and(|out| out.contains('1'))
        {
            assert!(
                start.elapsed() < Duration::from_secs(90),
                "the server does not answer"
            );
            std::thread::sleep(Duration::from_millis(200));
        }
        Some(server)
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("socket")
    }

    fn url(&self, database: &str) -> String {
        format!(
            "mysql://root@localhost/{database}?socket={}",
            self.socket().display()
        )
    }

    fn client(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .arg("--no-defaults")
            .arg(format!("--socket={}", self.socket().display()))
            .arg("--user=root");
        command
    }

    /// Runs a statement with the server's own client.
    fn sql(&self, database: &str, statement: &str) -> Option<String> {
        let out = self
            .client("mariadb")
            .args(["--batch", "-e", statement, database])
            .stderr(Stdio::null())
            .output()
            .ok()?;
        out.status
            .success()
            .then(|| String::from_utf8_lossy(&out.stdout).into_owned())
    }

    fn load(&self, database: &str, dump: &Path) {
        self.sql(
            "mysql",
            &format!("CREATE DATABASE {database} CHARACTER SET utf8mb3"),
        )
        .expect("created");
        let out = self
            .client("mariadb")
            .args(["--default-character-set=utf8mb3", database])
            .stdin(std::fs::File::open(dump).expect("a dump"))
            .output()
            .expect("the client ran");
        assert!(
            out.status.success(),
            "{}",
            String::from_utf8_lossy(&out.stderr)
        );
    }

    fn dump(&self, database: &str, to: &Path, options: &[&str]) {
        let status = self
            .client("mariadb-dump")
            .args(options)
            .arg(database)
            .stdout(std::fs::File::create(to).expect("created"))
            .status()
            .expect("the dump ran");
        assert!(status.success());
    }

    /// Sums over everything in a database.
    fn checksums(&self, database: &str) -> String {
        self.sql(
            database,
            "CHECKSUM TABLE Game, MoreGame, Player, Event, Site, Opening, Collection, MetaInfo",
        )
        .expect("answered")
    }
}

fn all(database: &dyn Database) -> Vec<Game> {
    let problems: Vec<_> = database
        .diagnostics()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(problems, Vec::<String>::new());
    let mut games = Vec::new();
    let mut source = database.source(None).expect("a source");
    for_each_game(&mut *source, GameNeeds::ALL, |game| {
        games.push(game.clone());
        Ok(())
    })
    .expect("read");
    games
}

fn open(format: &Format, path: &Path) -> Vec<Game> {
    let open = format.open.expect("it can be read");
    all(&*open(path, &OpenOptions::default()).expect("opened"))
}

fn from_server(url: &str) -> Vec<Game> {
    all(&*tabiya_mysql::open(url, &OpenOptions::default()).expect("opened"))
}

fn write(sink: Box<dyn Sink>, games: &[Game]) -> Losses {
    let mut writer = SinkWriter::new(sink);
    let mut losses = Losses::default();
    for game in games {
        writer.write(game, &mut losses).expect("written");
    }
    writer.finish().expect("finished");
    losses
}

/// What came back differs only where a loss was reported.
fn compare(what: &str, games: &[Game], losses: &Losses, again: &[Game]) {
    let mut again = again.iter();
    for game in games {
        let explains = |aspect: GameAspect| {
            losses
                .iter()
                .any(|l| l.game == game.origin.number && l.kind.aspect.explains(aspect))
        };
        if explains(GameAspect::Game) {
            continue;
        }
        let other = again.next().expect("as many games");
        for difference in diff(game, other) {
            assert!(
                explains(difference.aspect),
                "{what}: game {}: {difference}",
                game.origin.number
            );
        }
    }
    assert!(again.next().is_none(), "{what}: too many games");
}

/// Games with everything that may go wrong on the way through a server.
const HARD: &str = r#"[Event "O'Hara's \"cup\" \\ 1"]
[Site "München; a=b"]
[Date "2001.02.??"]
[Round "-"]
[White "Naïve 𝄞, Łódź 象棋"]
[Black "-"]
[Result "1-0"]
[WhiteElo "2700"]
[ECO "B12"]
[EventDate "2001.??.??"]
[Annotator "?"]
[Remark "x;y"]
[TimeControl "40/7200:3600"]

{ before \ ' " } 1. e4 $0 $255 {𝄞 100% Ботвинник} (1. d4 {} d5 (1... f5)) 1... e5 2. Nf3 1-0

[Event "?"]
[Site "?"]
[Date "????.??.??"]
[Round "?"]
[White "?"]
[Black "?"]
[Result "*"]
[ScidFlags "D"]

1. e4 *

[Event "Chess960"]
[Site "?"]
[Date "1999.12.31"]
[Round "1"]
[White "A"]
[Black "B"]
[Result "0-1"]
[Variant "Chess960"]
[FEN "rkbqnrbn/pppppppp/8/8/8/8/PPPPPPPP/RKBQNRBN w FAfa - 0 1"]
[SetUp "1"]

1. c3 c6 2. Ng3 Ng6 3. Nf3 Nf6 0-1
"#;

fn pgn(text: &str, folder: &Path) -> Vec<Game> {
    let path = folder.join("hard.pgn");
    std::fs::write(&path, text).expect("written");
    numbered(open(&tabiya_formats::pgn::FORMAT, &path))
}

fn numbered(mut games: Vec<Game>) -> Vec<Game> {
    for (number, game) in (1..).zip(&mut games) {
        game.origin.number = number;
    }
    games
}

#[test]
fn a_real_server() {
    let Some(server) = MysqlTestServer::start() else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let jose = &tabiya_formats::jose::FORMAT;
    let mut games = pgn(HARD, folder.path());
    assert_eq!(games.len(), 3);
    for name in ["annotated", "promotions", "fen"] {
        if let Some(path) = shared(format!("oracles/jose/{name}.pgn")) {
            games.extend(open(&tabiya_formats::pgn::FORMAT, &path));
        }
    }
    for name in ["annotated", "annotated-human"] {
        if let Some(path) = shared(format!("corpora/{name}.pgn.zst")) {
            let open = tabiya_formats::pgn::FORMAT.open.expect("readable");
            let database = open(&path, &OpenOptions::default()).expect("opened");
            let end = match tabiya_testing::is_full() {
                true => u64::MAX,
                false => 1001,
            };
            let mut source = database.source(Some(1..end)).expect("a source");
            for_each_game(&mut *source, GameNeeds::ALL, |game| {
                games.push(game.clone());
                Ok(())
            })
            .expect("read");
        }
    }
    let games = numbered(games);

    // A dump that we write is loaded by the server and read back in every way there is.
    let dump = folder.path().join("ours.sql");
    let create = jose.create.expect("it can be written");
    let losses = write(
        create(&dump, &WriteOptions::default()).expect("created"),
        &games,
    );
    assert!(losses.iter().all(|loss| loss.kind.name != "jose-extension"));
    compare("our dump", &games, &losses, &open(jose, &dump));
    server.load("loaded", &dump);
    let before = server.checksums("loaded");
    compare(
        "loaded",
        &games,
        &losses,
        &from_server(&server.url("loaded")),
    );
    let theirs = folder.path().join("theirs.sql");
    for options in [
        &[][..],
        &["--hex-blob"],
        &["--complete-insert", "--skip-extended-insert"],
    ] {
        server.dump("loaded", &theirs, options);
        compare("their dump", &games, &losses, &open(jose, &theirs));
    }
    server.sql("loaded", "FLUSH TABLES").expect("flushed");
    let tables = server.folder.path().join("data/loaded");
    compare("their files", &games, &losses, &open(jose, &tables));
    assert_eq!(
        server.checksums("loaded"),
        before,
        "reading changes nothing"
    );

    // Rows that move within the files: deleted, grown and split.
    server
        .sql(
            "loaded",
            "DELETE FROM MoreGame WHERE GId%3=0; DELETE FROM Game WHERE Id%3=0; \
             UPDATE MoreGame SET PosMain=REPEAT('x',3000) WHERE GId%5=1; \
             UPDATE MoreGame SET PosVar=REPEAT('y',70000) WHERE GId%50=1; FLUSH TABLES",
        )
        .expect("changed");
    let is_stored = |game: &&Game| {
        let is_lost = |loss: &tabiya_model::Loss| {
            loss.game == game.origin.number && loss.kind.aspect == GameAspect::Game
        };
        !losses.iter().any(is_lost)
    };
    let kept: Vec<Game> = (1001..)
        .zip(games.iter().filter(is_stored))
        .filter(|(id, _)| id % 3 != 0)
        .map(|(_, g)| g.clone())
        .collect();
    compare("rows that moved", &kept, &losses, &open(jose, &tables));
    compare(
        "rows that moved",
        &kept,
        &losses,
        &from_server(&server.url("loaded")),
    );

    // Straight into a server, twice: the second time beside the first.
    server
        .sql("mysql", "CREATE DATABASE direct CHARACTER SET utf8mb3")
        .expect("created");
    let url = server.url("direct");
    let options = WriteOptions {
        description: Some("first".to_owned()),
        ..WriteOptions::default()
    };
    let losses = write(
        tabiya_mysql::create(&url, &options).expect("connected"),
        &games,
    );
    compare("direct", &games, &losses, &from_server(&url));
    let before = server.checksums("direct");
    {
        // One that is given up leaves nothing behind.
        let mut writer = SinkWriter::new(tabiya_mysql::create(&url, &options).expect("connected"));
        let mut losses = Losses::default();
        for game in &games {
            writer.write(game, &mut losses).expect("written");
        }
    }
    assert_eq!(server.checksums("direct"), before);
    write(
        tabiya_mysql::create(&url, &options).expect("connected"),
        &games[..3],
    );
    let twice = from_server(&url);
    let other: Vec<Game> = games.iter().chain(&games[..3]).cloned().collect();
    compare("twice", &other, &losses, &twice);
    assert_eq!(
        server
            .sql("direct", "SELECT COUNT(*) FROM Player WHERE Name='A'")
            .map(|s| s.contains('1')),
        Some(true)
    );

    // What is read is not written to.
    let options = WriteOptions {
        sources: vec![PathBuf::from(&url)],
        ..WriteOptions::default()
    };
    assert!(tabiya_mysql::create(&url, &options).is_err());
    // A database without jose's tables, and one that is not there.
    server
        .sql("mysql", "CREATE DATABASE bare")
        .expect("created");
    assert!(tabiya_mysql::open(&server.url("bare"), &OpenOptions::default()).is_err());
    assert!(tabiya_mysql::open(&server.url("absent"), &OpenOptions::default()).is_err());
    assert!(tabiya_mysql::open("mysql://root@localhost/", &OpenOptions::default()).is_err());

    // The tables of others, as files that the server takes over.
    if let (Some(live), Some(expected)) = (
        shared("oracles/jose/livedb/mysql/jose"),
        shared("oracles/jose/livedb.expected.pgn"),
    ) {
        let target = server.folder.path().join("data/theirs");
        server
            .sql("mysql", "CREATE DATABASE theirs CHARACTER SET utf8mb3")
            .expect("created");
        for entry in std::fs::read_dir(live).expect("a folder") {
            let entry = entry.expect("an entry");
            if entry.file_name() != "db.opt" {
                let bytes = std::fs::read(entry.path()).expect("readable");
                std::fs::write(target.join(entry.file_name()), bytes).expect("written");
            }
        }
        server.sql("theirs", "FLUSH TABLES").expect("flushed");
        let wanted = numbered(open(&tabiya_formats::pgn::FORMAT, &expected));
        let found = from_server(&server.url("theirs"));
        assert_eq!(found.len(), 140);
        compare("their tables", &wanted, &Losses::default(), &found);
    }
}
