//! A scheduler and executors on this machine, beside one process.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::games::{FORMATS, Games, PROGRAM, QUESTIONS};

/// A program that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .expect("a port")
        .port()
}

fn wait_for(port: u16) {
    let begin = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(begin.elapsed() < Duration::from_secs(60), "nobody listens");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A cluster whose programs stand in the folder of some games.
struct Cluster<'g> {
    games: &'g Games,
    scheduler: u16,
    executors: Vec<Running>,
    _scheduler: Running,
}

impl Cluster<'_> {
    fn new(games: &Games, executors: usize) -> Cluster<'_> {
        let scheduler = free_port();
        let child = Command::new(PROGRAM)
            .args(["cluster", "scheduler", "--silence", "10", "--listen"])
            .arg(format!("127.0.0.1:{scheduler}"))
            .current_dir(games.folder.path())
            .stderr(Stdio::null())
            .spawn()
            .expect("a scheduler");
        let mut cluster = Cluster {
            games,
            scheduler,
            executors: Vec::new(),
            _scheduler: Running(child),
        };
        wait_for(scheduler);
        for number in 0..executors {
            cluster.add(number);
        }
        cluster
    }

    fn work(&self, number: usize) -> PathBuf {
        self.games.folder.path().join(format!("work-{number}"))
    }

    fn add(&mut self, number: usize) {
        let (port, work) = (free_port(), self.work(number));
        std::fs::create_dir_all(&work).expect("a folder");
        let child = Command::new(PROGRAM)
            .args(["cluster", "executor", "--cores", "1", "--scheduler"])
            .arg(format!("127.0.0.1:{}", self.scheduler))
            .args(["--listen", &format!("127.0.0.1:{port}"), "--work"])
            .arg(work)
            .current_dir(self.games.folder.path())
            .stderr(Stdio::null())
            .spawn()
            .expect("an executor");
        self.executors.push(Running(child));
        wait_for(port);
    }

    fn command(&self, query: &str) -> Command {
        let address = format!("127.0.0.1:{}", self.scheduler);
        self.games.command(&["--csv", "--cluster", &address, query])
    }

    fn ask(&self, query: &str) -> Output {
        self.command(query)
            .stdin(Stdio::null())
            .output()
            .expect("the program")
    }

    fn csv(&self, query: &str) -> String {
        let output = self.ask(query);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{query}: {errors}");
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// What is said about a query that is not answered.
    fn refusal(&self, query: &str) -> String {
        let output = self.ask(query);
        assert_eq!(output.status.code(), Some(2), "{query}");
        let words = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(words.lines().count(), 1, "{words}");
        words
    }

    /// Whether an executor has left results.
    fn has_worked(&self, number: usize) -> bool {
        fn has_files(folder: &Path) -> bool {
            let Ok(entries) = std::fs::read_dir(folder) else {
                return false;
            };
            entries.flatten().any(|entry| {
                let path = entry.path();
                path.is_file() || has_files(&path)
            })
        }
        has_files(&self.work(number))
    }
}

/// A query that takes a while and has many parts.
const LONG: &str = "SELECT a.white, count(*) AS pairs FROM 'games.pgn' a, 'games.pgn' b, 'games.pgn' c \
    WHERE a.plies + b.plies > c.plies GROUP BY a.white ORDER BY pairs DESC, a.white LIMIT 10";
const ENDLESS: &str = "SELECT count(*) FROM 'games.pgn' a, 'games.pgn' b, 'games.pgn' c, 'games.pgn' d, 'games.pgn' e, 'games.pgn' f, \
    'games.pgn' g, 'games.pgn' h, 'games.pgn' i, 'games.pgn' j, 'games.pgn' k, 'games.pgn' l, 'games.pgn' m, 'games.pgn' n \
    WHERE a.plies + b.plies + c.plies + d.plies + e.plies + f.plies + g.plies + h.plies + i.plies + j.plies + k.plies + \
    l.plies + m.plies + n.plies > 100000";

#[test]
fn a_cluster_answers_as_one_process() {
    let games = Games::new();
    games.lake("lake");
    let cluster = Cluster::new(&games, 2);
    let mut questions: Vec<String> = QUESTIONS
        .iter()
        .flat_map(|question| FORMATS.map(|name| question.replace("FILE", name)))
        .collect();
    questions.extend(
        [
            "SELECT count(*), sum(plies) FROM 'lake' WHERE year = 1858",
            "SELECT count(*), sum(games) FROM 'lake/explorer'",
            "SELECT game, san(moves, 1), line_name(moves), fen_at(moves, 4, fen) FROM 'lake' ORDER BY game",
            "SELECT count(*) FROM 'games.si5' WHERE has_position(moves, 'rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR', fen)",
            "SELECT count(*) FROM 'games.parquet' WHERE material(moves, 'KRP v KR', fen)",
            "SELECT game FROM read_games('games.pgn', query => 'eco:C') ORDER BY game",
            "SELECT game FROM 'games.si5' WHERE matches(game, 'eco:C') AND plies > 10 ORDER BY game",
            "SELECT white, rank() OVER (PARTITION BY eco ORDER BY plies, game) AS r FROM 'games.parquet' ORDER BY white, r LIMIT 30",
            "SELECT count(*) FROM 'games.pgn' WHERE plies > (SELECT avg(plies) FROM 'games.parquet')",
            "SELECT 1 + 1",
            LONG,
        ]
        .map(str::to_owned),
    );
    for question in &questions {
        assert_eq!(cluster.csv(question), games.csv(question), "{question}");
    }
    let begin = Instant::now();
    while !(cluster.has_worked(0) && cluster.has_worked(1)) {
        assert!(
            begin.elapsed() < Duration::from_secs(120),
            "one does all the work"
        );
        cluster.csv(LONG);
    }
}

#[test]
fn what_a_cluster_does_not_do_is_said() {
    let games = Games::new();
    let elsewhere = Games::new();
    let cluster = Cluster::new(&games, 1);
    let words = cluster.refusal("SELECT count(*) FROM '-'");
    assert!(words.contains("standard input"), "{words}");
    for statement in ["DROP TABLE x", "COPY (SELECT 1) TO 'x.csv'"] {
        let words = cluster.refusal(statement);
        assert!(words.contains("only questions"), "{words}");
    }
    // Who asks may read more than those who answer.
    let outside = elsewhere.folder.path().canonicalize().expect("a folder");
    for name in ["games.pgn", "games.parquet"] {
        let query = format!("SELECT count(*), max(plies) FROM '{name}'");
        let output = elsewhere
            .command(&[
                "--cluster",
                &format!("127.0.0.1:{}", cluster.scheduler),
                &query,
            ])
            .output()
            .expect("the program");
        let words = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words}");
        assert!(words.contains("--allow"), "{words}");
        assert!(words.contains(&outside.display().to_string()), "{words}");
        assert_eq!(words.lines().count(), 1, "{words}");
    }
    let nobody = games.run(&[
        "--cluster",
        &format!("127.0.0.1:{}", free_port()),
        "SELECT 1",
    ]);
    let words = String::from_utf8_lossy(&nobody.stderr);
    assert!(words.contains("no scheduler"), "{words}");
    // A changed column is found where it is read.
    let path = games.folder.path().join("games.parquet");
    let mut bytes = std::fs::read(&path).expect("a file");
    let at = bytes.len() / 3;
    bytes[at] ^= 1;
    std::fs::write(&path, bytes).expect("written");
    let output = cluster.ask("SELECT max(moves), max(annotations), max(white), max(event), max(clocks), max(site), max(final_material) FROM 'games.parquet'");
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(words.contains("games.parquet"), "{words}");
    }
}

#[test]
fn an_executor_that_dies_takes_no_answer_with_it() {
    let games = Games::new();
    let mut cluster = Cluster::new(&games, 2);
    let expected = games.csv(LONG);
    // Before the first part, in the midst of them, in the last moments, and behind them.
    for (number, pause) in [50, 200, 300, 350, 400, 450, 900].into_iter().enumerate() {
        let running = cluster
            .command(LONG)
            .args(["--timeout", "120"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program");
        std::thread::sleep(Duration::from_millis(pause));
        drop(cluster.executors.remove(0));
        let output = running.wait_with_output().expect("an answer");
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "killed after {pause} ms: {words}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{pause}");
        assert!(words.is_empty() || words.contains("asked again"), "{words}");
        // The one that is left answers, and a new one helps it.
        assert_eq!(cluster.csv(LONG), expected);
        cluster.add(10 + number);
    }
}

#[test]
fn a_query_that_is_given_up_leaves_the_cluster_free() {
    let games = Games::new();
    let cluster = Cluster::new(&games, 1);
    let mut running = cluster
        .command(ENDLESS)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program");
    std::thread::sleep(Duration::from_secs(2));
    assert!(
        running.try_wait().expect("a state").is_none(),
        "it is endless"
    );
    let killed = Command::new("kill")
        .args(["-INT", &running.id().to_string()])
        .status();
    assert!(killed.expect("kill").success());
    assert_eq!(running.wait().expect("an end").code(), Some(130));
    // The only core is free again.
    let query = "SELECT count(*) FROM 'games.pgn'";
    let mut next = cluster
        .command(query)
        .stdout(Stdio::null())
        .spawn()
        .expect("the program");
    let begin = Instant::now();
    loop {
        if let Some(status) = next.try_wait().expect("a state") {
            assert!(status.success());
            break;
        }
        if begin.elapsed() > Duration::from_secs(60) {
            let _ = next.kill();
            panic!("the core is still busy");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn an_executor_of_others_is_named() {
    let games = Games::new();
    let cluster = Cluster::new(&games, 0);
    let port = free_port();
    let config = ballista_executor::executor_process::ExecutorProcessConfig {
        port,
        scheduler_host: "127.0.0.1".into(),
        scheduler_port: cluster.scheduler,
        vcores: 1,
        task_scheduling_policy: ballista_core::config::TaskSchedulingPolicy::PullStaged,
        work_dir: Some(cluster.work(0).display().to_string()),
        ..Default::default()
    };
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    runtime.spawn(ballista_executor::executor_process::start_executor_process(
        std::sync::Arc::new(config),
    ));
    wait_for(port);
    for query in [
        "SELECT count(*) FROM 'games.pgn' WHERE has_position(moves, '8/8/8/8/8/8/8/8')",
        "SELECT white, count(*) FROM 'games.parquet' GROUP BY white",
    ] {
        let words = cluster.refusal(query);
        assert!(
            words.contains("executor") && words.contains("Tabiya"),
            "{words}"
        );
    }
    runtime.shutdown_background();
}
