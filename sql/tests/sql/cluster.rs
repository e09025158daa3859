//! A scheduler and executors on this machine, beside one process.

use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use ballista_core::serde::protobuf::{GetJobStatusParams, PollWorkParams};

use crate::games::{FORMATS, QUESTIONS, TestGames, program};

/// A program that ends with the test.
struct ChildProgram(Child);

impl Drop for ChildProgram {
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
struct TestCluster<'g> {
    games: &'g TestGames,
    scheduler: u16,
    executors: Vec<ChildProgram>,
    _scheduler: ChildProgram,
}

impl TestCluster<'_> {
    fn new(games: &TestGames, executors: usize) -> TestCluster<'_> {
        TestCluster::with(games, executors, &[])
    }

    /// One whose scheduler has further options.
    fn with<'g>(games: &'g TestGames, executors: usize, options: &[&str]) -> TestCluster<'g> {
        let scheduler = free_port();
        let child = program()
            .args(["cluster", "scheduler", "--silence", "10", "--listen"])
            .arg(format!("127.0.0.1:{scheduler}"))
            .args(options)
            .current_dir(games.folder.path())
            .stderr(Stdio::null())
            .spawn()
            .expect("a scheduler");
        let mut cluster = TestCluster {
            games,
            scheduler,
            executors: Vec::new(),
            _scheduler: ChildProgram(child),
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
        let port = free_port();
        let child = self
            .executor(number, port)
            .stderr(Stdio::null())
            .spawn()
            .expect("an executor");
        self.executors.push(ChildProgram(child));
        wait_for(port);
    }

    /// An executor that is not yet begun.
    fn executor(&self, number: usize, port: u16) -> Command {
        let work = self.work(number);
        std::fs::create_dir_all(&work).expect("a folder");
        let mut command = program();
        command
            .args(["cluster", "executor", "--cores", "1", "--scheduler"])
            .arg(format!("127.0.0.1:{}", self.scheduler))
            .args(["--listen", &format!("127.0.0.1:{port}"), "--work"])
            .arg(work)
            .current_dir(self.games.folder.path());
        command
    }

    fn command(&self, query: &str) -> Command {
        let address = format!("127.0.0.1:{}", self.scheduler);
        self.games.command(&["--csv", "--cluster", &address, query])
    }

    fn ask(&self, query: &str) -> Output {
        self.command(query)
            // One that hangs fails, and keeps nobody waiting.
            .args(["--timeout", "300"])
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
    let games = TestGames::new();
    games.lake("lake");
    let cluster = TestCluster::new(&games, 2);
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
    let games = TestGames::new();
    let elsewhere = TestGames::new();
    let cluster = TestCluster::new(&games, 1);
    let words = cluster.refusal("SELECT count(*) FROM '-'");
    assert!(words.contains("standard input"), "{words}");
    for statement in ["DROP TABLE x", "COPY (SELECT 1) TO 'x.csv'"] {
        let words = cluster.refusal(statement);
        assert!(words.contains("only SELECT"), "{words}");
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
    let games = TestGames::new();
    let mut cluster = TestCluster::new(&games, 2);
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
        assert!(words.is_empty() || words.contains("run again"), "{words}");
        // The one that is left answers, and a new one helps it.
        assert_eq!(cluster.csv(LONG), expected);
        cluster.add(10 + number);
    }
}

#[test]
fn a_query_that_is_given_up_leaves_the_cluster_free() {
    let games = TestGames::new();
    let cluster = TestCluster::new(&games, 1);
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
    assert!(tabiya_testing::send_signal(running.id(), "INT"));
    assert_eq!(running.wait().expect("an end").code(), Some(130));
    is_free(&cluster);
}

/// Answers before long, on the only core.
fn is_free(cluster: &TestCluster<'_>) {
    let mut next = cluster
        .command("SELECT count(*) FROM 'games.pgn'")
        .stdout(Stdio::null())
        .spawn()
        .expect("the program");
    let begin = Instant::now();
    loop {
        if let Some(status) = next.try_wait().expect("a state") {
            assert!(status.success());
            break;
        }
        if begin.elapsed() > Duration::from_secs(90) {
            let _ = next.kill();
            panic!("the core is still busy");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn the_query_of_a_client_that_was_killed_ends() {
    let games = TestGames::new();
    let cluster = TestCluster::new(&games, 1);
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
    // It has no time to say that nobody waits.
    running.kill().expect("killed");
    running.wait().expect("an end");
    is_free(&cluster);
}

#[test]
fn a_scheduler_has_limits_of_time_and_memory() {
    let games = TestGames::new();
    let endless = |cluster: &TestCluster<'_>| {
        cluster
            .command(ENDLESS)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program")
    };
    let cluster = TestCluster::with(&games, 1, &["--timeout", "3"]);
    let output = endless(&cluster).wait_with_output().expect("an end");
    let words = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{words}");
    assert!(words.contains("time limit of the cluster"), "{words}");
    assert_eq!(words.lines().count(), 1, "{words}");
    is_free(&cluster);
    drop(cluster);
    let cluster = TestCluster::with(&games, 1, &["--memory", "64M", "--queries", "1"]);
    let mut first = ChildProgram(endless(&cluster));
    let begin = Instant::now();
    loop {
        // The first is heard of before long.
        let output = cluster.ask("SELECT 1");
        let words = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            assert!(words.contains("--queries"), "{words}");
            break;
        }
        assert!(begin.elapsed() < Duration::from_secs(60), "none is refused");
        // It may have been the one that was.
        if first.0.try_wait().expect("a state").is_some() {
            first = ChildProgram(endless(&cluster));
        }
    }
    first.0.kill().expect("killed");
    let begin = Instant::now();
    while !cluster.ask("SELECT 1").status.success() {
        assert!(begin.elapsed() < Duration::from_secs(120), "one is kept");
        std::thread::sleep(Duration::from_millis(500));
    }
    // What a planner would compute is bounded as well.
    for query in [
        "SELECT array_length(generate_series(1, 1000000000))",
        "SELECT length(repeat('x', 2000000000))",
    ] {
        let words = cluster.refusal(query);
        assert!(words.contains("--memory"), "{words}");
    }
    is_free(&cluster);
}

#[test]
fn whoever_is_of_another_cluster_is_refused() {
    let games = TestGames::new();
    let folder = games.folder.path();
    for (name, secret) in [
        ("secret", "sesame sesame sesame\n"),
        ("other", "open open open open\n"),
    ] {
        std::fs::write(folder.join(name), secret).expect("a file");
    }
    // Other users may not read it.
    let readable = games.run(&[
        "--cluster",
        "127.0.0.1",
        "--cluster-secret",
        "secret",
        "SELECT 1",
    ]);
    let words = String::from_utf8_lossy(&readable.stderr);
    assert_eq!(readable.status.code(), Some(2), "{words}");
    assert!(words.contains("chmod 600"), "{words}");
    for name in ["secret", "other"] {
        let mode = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(folder.join(name), mode).expect("a mode");
    }
    let ours = ["--cluster-name", "lab", "--cluster-secret", "secret"];
    let mut cluster = TestCluster::with(&games, 0, &ours);
    let others: [&[&str]; 4] = [
        &[],
        &["--cluster-name", "lab"],
        &["--cluster-name", "lab", "--cluster-secret", "other"],
        &["--cluster-name", "hall", "--cluster-secret", "secret"],
    ];
    for other in others {
        let output = cluster
            .executor(0, free_port())
            .args(other)
            .stdin(Stdio::null())
            .output()
            .expect("the program");
        let words = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words}");
        assert!(words.contains("another cluster"), "{words}");
    }
    let port = free_port();
    let child = cluster
        .executor(1, port)
        .args(ours)
        .stderr(Stdio::null())
        .spawn()
        .expect("an executor");
    cluster.executors.push(ChildProgram(child));
    wait_for(port);
    let query = "SELECT eco, count(*) FROM 'games.pgn' GROUP BY eco ORDER BY eco";
    for other in others {
        let output = cluster
            .command(query)
            .args(other)
            .output()
            .expect("the program");
        let words = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words}");
        assert!(words.contains("another cluster"), "{words}");
        assert!(output.stdout.is_empty());
        assert_eq!(words.lines().count(), 1, "{words}");
    }
    let output = cluster
        .command(query)
        .args(ours)
        .output()
        .expect("the program");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(String::from_utf8_lossy(&output.stdout), games.csv(query));
    // A secret may stand in the environment.
    let output = cluster
        .command(query)
        .args(["--cluster-name", "lab"])
        .env("TABIYA_CLUSTER_SECRET", "sesame sesame sesame")
        .output()
        .expect("the program");
    assert!(output.status.success());
    // Others without a pass: executors of Ballista, and whoever fetches results.
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    for port in [cluster.scheduler, port] {
        let url = format!("http://127.0.0.1:{port}");
        let refused = runtime.block_on(async {
            let mut client = SchedulerGrpcClient::connect(url.clone())
                .await
                .expect("a port");
            let status = client.get_job_status(GetJobStatusParams::default()).await;
            let work = client.poll_work(PollWorkParams::default()).await;
            let endpoint = tonic::transport::Endpoint::from_shared(url).expect("an address");
            let channel = endpoint.connect().await.expect("a port");
            let mut flight = arrow_flight::flight_service_client::FlightServiceClient::new(channel);
            let got = flight.do_get(arrow_flight::Ticket::default()).await;
            [
                status.map(drop).expect_err("refused").code(),
                work.map(drop).expect_err("refused").code(),
                got.map(drop).expect_err("refused").code(),
            ]
        });
        assert_eq!(refused[2], tonic::Code::Unauthenticated);
        if port == cluster.scheduler {
            assert_eq!(refused, [tonic::Code::Unauthenticated; 3]);
        }
    }
    // What others reach has a secret.
    for kind in ["scheduler", "executor"] {
        let mut command = program();
        command.args([
            "cluster",
            kind,
            "--listen",
            &format!("0.0.0.0:{}", free_port()),
        ]);
        if kind == "executor" {
            command.args(["--scheduler", &format!("127.0.0.1:{}", cluster.scheduler)]);
        }
        let output = command.stdin(Stdio::null()).output().expect("the program");
        let words = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words}");
        assert!(words.contains("has a secret"), "{words}");
    }
}

/// What one process is asked, of every kind that SQL has.
const KINDS: &[&str] = &[
    "SELECT array_to_string(string_to_array('a,b,c', ','), '-')",
    "SELECT game, array_length(string_to_array(white, ' ')) FROM 'games.pgn' ORDER BY game",
    "SELECT sum(value), count(*) FROM generate_series(1, 1000)",
    "SELECT value FROM range(0, 10, 3) ORDER BY value",
    "SELECT value FROM generate_series(TIMESTAMP '2020-01-01', TIMESTAMP '2020-01-05', INTERVAL '1 day') ORDER BY value",
    "SELECT array_length(generate_series(1, 10)), array_length(range(1, 10))",
    "SELECT unnest(generate_series(1, 5)) AS n ORDER BY n",
    "SELECT year, unnest(make_array(white, black)) AS name FROM 'games.parquet' ORDER BY year, name LIMIT 9",
    "SELECT eco, array_sort(array_agg(game)) FROM 'games.pgn' GROUP BY eco ORDER BY eco",
    "SELECT eco, string_agg(white, ';' ORDER BY game) FROM 'games.pgn' GROUP BY eco ORDER BY eco",
    "SELECT a.game FROM 'games.pgn' a JOIN generate_series(1, 3) s ON a.game = s.value ORDER BY a.game",
    "SELECT game, row_number() OVER (ORDER BY game), lag(plies) OVER (ORDER BY game), ntile(3) OVER (ORDER BY game), \
     sum(plies) OVER (ORDER BY game ROWS BETWEEN 1 PRECEDING AND CURRENT ROW), first_value(white) OVER (PARTITION BY eco ORDER BY game) \
     FROM 'games.pgn' ORDER BY game",
    "SELECT eco, year, count(*) FROM 'games.pgn' GROUP BY ROLLUP (eco, year) ORDER BY eco, year, 3",
    "SELECT eco, count(DISTINCT white), count(*) FILTER (WHERE plies > 20), stddev(plies), median(plies), approx_distinct(white), \
     corr(plies, game), bool_or(plies > 3), bit_xor(plies) FROM 'games.pgn' GROUP BY eco ORDER BY eco",
    "SELECT white FROM 'games.pgn' UNION SELECT black FROM 'games.pgn' ORDER BY 1",
    "SELECT white FROM 'games.pgn' INTERSECT SELECT black FROM 'games.pgn' ORDER BY 1",
    "SELECT white FROM 'games.pgn' EXCEPT SELECT black FROM 'games.pgn' ORDER BY 1",
    "SELECT game FROM 'games.pgn' a WHERE plies > (SELECT avg(plies) FROM 'games.pgn' b WHERE b.eco = a.eco) ORDER BY game",
    "SELECT game FROM 'games.pgn' WHERE white NOT IN (SELECT black FROM 'games.pgn' WHERE black IS NOT NULL) ORDER BY game",
    "SELECT game FROM 'games.pgn' a WHERE EXISTS (SELECT 1 FROM 'games.pgn' b WHERE b.white = a.black) ORDER BY game",
    "WITH t AS (SELECT eco, count(*) AS n FROM 'games.pgn' GROUP BY eco) SELECT a.eco, b.n FROM t a JOIN t b ON a.n = b.n ORDER BY 1, 2",
    "SELECT * FROM (VALUES (1, 'a'), (2, 'b')) t(n, s) ORDER BY n",
    "SELECT CASE WHEN plies > 20 THEN 'long' ELSE 'short' END AS k, count(*) FROM 'games.pgn' GROUP BY k ORDER BY k",
    "SELECT regexp_replace('abc', 'b', 'x'), regexp_like('abc', 'b'), regexp_match('abc', '(b)'), split_part('a-b', '-', 2), \
     lpad('x', 3, 'y'), strpos('abc', 'c'), upper('a'), initcap('ab'), substr('abc', 2), left('abc', 2), reverse('abc'), \
     levenshtein('a', 'b'), translate('abc', 'b', 'x'), encode('abc', 'hex')",
    "SELECT date_trunc('year', played), date_part('month', played), to_char(played, '%Y') FROM 'games.pgn' ORDER BY 1, 2, 3 LIMIT 5",
    "SELECT CAST(played AS VARCHAR), played + INTERVAL '1 day' FROM 'games.pgn' WHERE played IS NOT NULL ORDER BY 1, 2 LIMIT 5",
    "SELECT array_has([1, 2], 2), array_position([1, 2], 2), array_slice([1, 2, 3], 2, 3), flatten([[1], [2]]), array_distinct([1, 1])",
    "SELECT struct(1, 'a'), named_struct('x', 1)['x'], map(['a'], [1])['a'], arrow_typeof(1)",
    "SELECT abs(-1), coalesce(NULL, 2), nullif(1, 1), greatest(1, 2), least(1, 2)",
    "SELECT a.game, b.value FROM 'games.pgn' a CROSS JOIN generate_series(1, 2) b ORDER BY 1, 2",
    "SELECT a.game FROM 'games.pgn' a JOIN 'games.parquet' b ON a.plies < b.plies AND b.game = 1 ORDER BY 1",
    "SELECT a.game, b.game FROM 'games.pgn' a FULL JOIN 'games.si5' b ON a.game = b.game + 5 ORDER BY 1, 2",
    "SELECT count(*) FROM 'games.pgn' WHERE white LIKE 'A%' OR white ILIKE '%b%' OR white SIMILAR TO '.*c' OR black ~ 'd'",
    "SELECT DISTINCT ON (eco) eco, game FROM 'games.pgn' ORDER BY eco, game",
    "SELECT game FROM 'games.pgn' ORDER BY plies DESC NULLS LAST, game LIMIT 5 OFFSET 2",
    "SELECT game, white FROM 'games.pgn' QUALIFY row_number() OVER (PARTITION BY eco ORDER BY game) = 1 ORDER BY game",
    "SELECT 1 WHERE false",
    "SELECT white, count(*) FROM 'games.pgn' WHERE false GROUP BY white",
    "SELECT a.game, b.game FROM 'games.si5' a FULL JOIN 'games.parquet' b ON a.game = b.game - 5 ORDER BY 1, 2",
    "SELECT a.game, b.game FROM 'games.pgn' a LEFT JOIN 'games.si5' b ON a.game = b.game + 5 ORDER BY 1, 2",
    "SELECT a.game, b.game FROM 'games.pgn' a RIGHT JOIN 'games.si5' b ON a.game = b.game + 5 ORDER BY 1, 2",
    "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT n FROM t ORDER BY n",
    "SELECT a.game, b.n FROM 'games.pgn' a, LATERAL (SELECT a.plies + 1 AS n) b ORDER BY a.game",
    "SELECT count(*) FROM read_games('games.parquet') WHERE plies > 3",
    "SELECT sum(plies), sum(DISTINCT plies), sum(score) FROM 'games.pgn'",
    "SELECT * EXCLUDE (moves, annotations, clocks, evals, tag_values, tag_names) FROM 'games.pgn' ORDER BY game LIMIT 3",
    "SELECT count(*) FROM information_schema.tables WHERE table_name = 'games.pgn'",
    "SHOW TABLES",
    "DESCRIBE 'games.pgn'",
    "DESCRIBE SELECT 1 AS a",
];

#[test]
fn a_cluster_is_asked_whatever_one_process_is() {
    let games = TestGames::new();
    let cluster = TestCluster::new(&games, 1);
    let mut failed = Vec::new();
    for query in KINDS {
        let here = games.run(&["--csv", query]);
        let there = cluster.ask(query);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let words = text(&there.stderr);
        // What it does not do is told by whoever is asked first, in one sentence.
        let is_named = there.status.code() == Some(2) && words.contains("a cluster does not");
        let is_same =
            here.status.success() == there.status.success() && here.stdout == there.stdout;
        if !is_same && !is_named {
            failed.push(format!(
                "{query}\n  here: {}{}\n  there: {}{words}",
                text(&here.stdout),
                text(&here.stderr),
                text(&there.stdout)
            ));
        }
    }
    assert!(
        failed.is_empty(),
        "{} of {}:\n{}",
        failed.len(),
        KINDS.len(),
        failed.join("\n")
    );
}
