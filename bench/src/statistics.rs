//! What statistics, cross-tables, names, doubles and novelties of large bases cost, beside Scid and pgn-extract where they
//! have the like.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::contestants::program;
use crate::cost::{CommandCost, median, once};
use crate::measure::find_program;
use crate::task::MissingProgram;
use crate::{corpora, report};

/// Each of the quick ones is done so often; the median counts.
const ROUNDS: usize = 9;
/// One game of so many is planted once more.
const PLANTED: usize = 100;
/// One game of so many is compared with all the others.
const NEW: usize = 28;

/// The twin search of Scid, timed with the base open.
const TWINS: &str = "
proc ::progressCallBack {args} {}
set base [sc_base open SCID4 [file rootname [lindex $argv 0]]]
set before [clock milliseconds]
set found [sc_base duplicates $base -players 1 -colors 1 -year 1 -month 0 -day 0 -moves 1 -event 0 -site 0 -round 0 \\
    -result 0 -eco 0 -skipshort 0 -setfilter 0 -usefilter 0 -comments 0 -variations 0 -delete shorter]
puts \"[expr {[clock milliseconds] - $before}] $found\"
exit
";

/// Calls `each` with every game of a PGN file of plain games, with its text.
fn games(from: &Path, mut each: impl FnMut(&[u8]) -> Result<()>) -> Result<usize> {
    let mut lines = BufReader::new(File::open(from)?);
    let (mut game, mut line, mut count) = (Vec::new(), Vec::new(), 0);
    loop {
        let read = lines.read_until(b'\n', &mut line)?;
        if (read == 0 || line.starts_with(b"[Event ")) && !game.is_empty() {
            each(&game)?;
            count += 1;
            game.clear();
        }
        if read == 0 {
            return Ok(count);
        }
        game.append(&mut line);
    }
}

/// A game whose players have other names from their first letter on, by as many letters further.
fn renamed(game: &[u8], by: u8) -> Vec<u8> {
    let turn = |letter: u8, first: u8| (letter - first + by) % 26 + first;
    let mut changed = Vec::with_capacity(game.len());
    for line in game.split_inclusive(|byte| *byte == b'\n') {
        if line.starts_with(b"[White \"") || line.starts_with(b"[Black \"") {
            let (tag, name) = line.split_at(8);
            changed.extend_from_slice(tag);
            changed.extend(name.iter().map(|byte| match byte {
                b'a'..=b'z' => turn(*byte, b'a'),
                b'A'..=b'Z' => turn(*byte, b'A'),
                other => *other,
            }));
        } else {
            changed.extend_from_slice(line);
        }
    }
    changed
}

/// The corpus five times, each copy with other players; then one of so many of all games once more. Gives the number of
/// games of a copy.
fn planted(from: &Path, to: &Path) -> Result<usize> {
    let mut out = BufWriter::new(File::create(to)?);
    let (mut again, mut number, mut copy) = (Vec::new(), 0, 0);
    for by in 0..5 {
        copy = games(from, |game| {
            let game = renamed(game, by * 5);
            number += 1;
            if number % PLANTED == 0 {
                again.extend_from_slice(&game);
            }
            Ok(out.write_all(&game)?)
        })?;
    }
    out.write_all(&again)?;
    out.flush()?;
    Ok(copy)
}

/// The corpus as it is, so often.
fn repeated(from: &Path, to: &Path, times: usize) -> Result<()> {
    let mut out = File::create(to)?;
    for _ in 0..times {
        std::io::copy(&mut File::open(from)?, &mut out)?;
    }
    Ok(())
}

/// One game of so many, and all the others.
fn parted(from: &Path, new: &Path, rest: &Path) -> Result<usize> {
    let mut out = [new, rest].map(|path| File::create(path).map(BufWriter::new));
    let mut number = 0;
    let mut count = 0;
    games(from, |game| {
        number += 1;
        let is_rest = number % NEW != 0;
        count += usize::from(!is_rest);
        match &mut out[usize::from(is_rest)] {
            Ok(out) => Ok(out.write_all(game)?),
            Err(error) => bail!("{error}"),
        }
    })?;
    for out in out {
        out?.flush()?;
    }
    Ok(count)
}

/// Whether every planted game is in a pair with what it is a copy of, and no pair is of two copies of the corpus.
fn verify(program: &Path, base: &Path, copy: usize) -> Result<()> {
    let told = Command::new(program)
        .args(["dedupe", "--json"])
        .arg(base)
        .stderr(Stdio::null())
        .output()?;
    let of = |number: usize| {
        // The planted games follow the copies.
        match number.checked_sub(5 * copy) {
            None | Some(0) => number,
            Some(at) => at * PLANTED,
        }
    };
    let mut found = vec![false; 5 * copy / PLANTED + 1];
    for line in told.stdout.split(|byte| *byte == b'\n') {
        if line.is_empty() {
            continue;
        }
        let pair: Value = serde_json::from_slice(line)?;
        let number = |which: &str| -> Result<usize> {
            let number = pair[which]["number"].as_u64().context("a number")?;
            Ok(usize::try_from(number)?)
        };
        let (keep, drop) = (number("keep")?, number("drop")?);
        ensure!(
            (of(keep) - 1) / copy == (of(drop) - 1) / copy,
            "{keep} and {drop} are of two copies"
        );
        for number in [keep, drop] {
            if let Some(at) = number.checked_sub(5 * copy)
                && let Some(found) = found.get_mut(at)
            {
                *found = true;
            }
        }
    }
    let missing = found.iter().skip(1).filter(|found| !**found).count();
    ensure!(missing == 0, "{missing} planted games were not found");
    Ok(())
}

/// The time of Scid's twin search and what it found.
fn twins(scid: &Path, folder: &Path, base: &Path) -> Result<(f64, u64)> {
    let script = folder.join("twins.tcl");
    std::fs::write(&script, TWINS)?;
    let output = Command::new(scid)
        .arg(&script)
        .arg(base)
        .stdin(Stdio::null())
        .output()?;
    let told = String::from_utf8_lossy(&output.stdout);
    let mut words = told.split_whitespace();
    let mut next = || words.next().context("Scid says nothing");
    Ok((next()?.parse::<f64>()? / 1e3, next()?.parse()?))
}

/// What a command says it counted.
fn counted(program: &Path, words: &[&str], bases: &[&Path]) -> Result<String> {
    let output = Command::new(program).args(words).args(bases).output()?;
    let told = String::from_utf8_lossy(&output.stdout);
    Ok(told.split_whitespace().next().unwrap_or("?").to_owned())
}

struct BenchTable<'a> {
    program: &'a Path,
    text: String,
}

impl BenchTable<'_> {
    fn head(&mut self, title: &str, what: &str, columns: &str) -> Result<()> {
        let bars = "|--:".repeat(columns.matches('|').count());
        write!(
            self.text,
            "## {title}\n\n{}, {}; {what}  \n`cargo run --release -p tabiya-bench -- statistics`\n\n| what | {columns} |\n|---{bars}|--:|\n",
            report::date(),
            report::machine(),
        )?;
        Ok(())
    }

    fn line(&mut self, line: &str) -> Result<()> {
        eprintln!("{line}");
        Ok(writeln!(self.text, "{line}")?)
    }

    /// The commands by turns; in place of `BASE` stand the bases.
    fn costs(&self, commands: &[(&[&str], &[&Path])], rounds: usize) -> Result<Vec<CommandCost>> {
        let mut costs = vec![Vec::new(); commands.len()];
        // Once before it counts.
        for round in 0..=rounds {
            for ((words, bases), costs) in commands.iter().zip(&mut costs) {
                let mut command = Command::new(self.program);
                for word in *words {
                    match *word {
                        "BASE" => command.args(*bases),
                        word => command.arg(word),
                    };
                }
                let cost = once(&mut command)?;
                if round > 0 {
                    costs.push(cost);
                }
            }
        }
        Ok(costs.iter().map(|costs| median(costs)).collect())
    }

    /// A line for each command.
    fn rows(&mut self, rows: &[(&str, &[&str], &Path)]) -> Result<()> {
        let bases: Vec<[&Path; 1]> = rows.iter().map(|(_, _, base)| [*base]).collect();
        let commands: Vec<(&[&str], &[&Path])> = rows
            .iter()
            .zip(&bases)
            .map(|((_, words, _), bases)| (*words, &bases[..]))
            .collect();
        for ((what, ..), cost) in rows.iter().zip(self.costs(&commands, ROUNDS)?) {
            self.line(&format!(
                "| {what} | {:.0} | {:.0} | {:.0} |",
                cost.milliseconds(),
                cost.cpu.as_secs_f64() * 1e3,
                cost.mebibytes()
            ))?;
        }
        Ok(())
    }

    fn put(&mut self, name: &str) -> Result<()> {
        println!("{}", self.text);
        report::update(&corpora::root().join("bench/RESULTS.md"), name, &self.text)?;
        self.text.clear();
        Ok(())
    }
}

/// Measures, prints the tables and puts them into the results.
pub(crate) fn run() -> Result<()> {
    let program = program::program().or_else(|MissingProgram(why)| bail!(why))?;
    let scid = find_program("tkscid").or_else(|MissingProgram(why)| bail!(why))?;
    let extract = find_program("pgn-extract").or_else(|MissingProgram(why)| bail!(why))?;
    let folder = tempfile::tempdir_in(corpora::work()?)?;
    let path = |name: &str| folder.path().join(name);
    let made = |from: &Path, name: &str| -> Result<PathBuf> {
        let to = path(name);
        program::make(from, &to)?;
        Ok(to)
    };
    let indexed = |base: &Path| -> Result<()> {
        let status = Command::new(&program).arg("index").arg(base).status()?;
        ensure!(matches!(status.code(), Some(0 | 3)), "no index: {status}");
        Ok(())
    };
    let corpus = corpora::OTB.prepare(None)?;
    let pgn = path("otb.pgn");
    repeated(&corpus, &pgn, 1)?;
    indexed(&pgn)?;
    let si5 = made(&pgn, "otb.si5")?;
    let million = corpora::FIVE_SI5.prepare(None)?;
    let mut table = BenchTable {
        program: &program,
        text: String::new(),
    };

    let what = format!(
        "the corpus `otb` (286,040 games) as a base of Scid 5, five times with other names in one of 1.43 million games, and as PGN with \
         the index beside it; whole processes by turns, files warm, medians of {ROUNDS} runs"
    );
    const SEARCH: &[&str] = &[
        "search",
        "--count",
        "BASE",
        "annotator:\"Nobody\" or tag[TimeControl]:\"1\" or tag[WhiteTitle]:\"X\" or tag[BlackTitle]:\"X\" or tag[Termination]:\"X\"",
    ];
    const STATS: &[&str] = &["stats", "--json", "BASE"];
    const FULL: &[&str] = &["stats", "--json", "--full", "BASE"];
    const NAJDORF: &[&str] = &["stats", "--json", "--query", "eco:B90..B99", "BASE"];
    const PLAYER: &[&str] = &["player", "--json", "Kasparov, G", "BASE"];
    const DEDUPE: &[&str] = &["dedupe", "--count", "BASE"];
    table.head(
        "Statistics of whole bases",
        &what,
        "time (ms) | CPU (ms) | peak (MiB)",
    )?;
    table.rows(&[
        ("`stats`, si5", STATS, &si5),
        ("`stats --query eco:B90..B99`, si5", NAJDORF, &si5),
        ("`stats --full`, si5", FULL, &si5),
        ("a search that reads the same tags, si5", SEARCH, &si5),
        ("`stats`, 1.43 million games", STATS, &million),
        ("`stats --full`, 1.43 million games", FULL, &million),
        ("the search, 1.43 million games", SEARCH, &million),
        ("`stats`, PGN with its index", STATS, &pgn),
        ("`stats --full`, PGN with its index", FULL, &pgn),
        ("the search, PGN with its index", SEARCH, &pgn),
    ])?;
    table.text.push_str(
        "\n* `--full`: time controls, annotators, titles and terminations too, for which every game's tags are read\n\
         * the search: `tabiya search --count` for values of those tags\n\
         * peaks include the mapped files\n",
    );
    table.put("stats")?;

    table.head(
        "Players, crosstables and names",
        &what,
        "time (ms) | CPU (ms) | peak (MiB)",
    )?;
    table.rows(&[
        ("the record of a player with 1,724 games, si5", PLAYER, &si5),
        ("the same, PGN with its index", PLAYER, &pgn),
        ("the same, 1.43 million games", PLAYER, &million),
        (
            "every event with its games and players, si5",
            &["crosstable", "--list", "BASE"],
            &si5,
        ),
        (
            "variants of the players' names, si5",
            &["names", "--json", "BASE"],
            &si5,
        ),
    ])?;
    table.put("player")?;

    // Doubles.
    let changed = path("changed.pgn");
    let copy = planted(&corpus, &changed)?;
    let unchanged = path("unchanged.pgn");
    repeated(&corpus, &unchanged, 5)?;
    let changed_si5 = made(&changed, "changed.si5")?;
    let unchanged_si5 = made(&unchanged, "unchanged.si5")?;
    let other_si5 = made(&unchanged, "other.si5")?;
    verify(&program, &changed_si5, copy)?;
    table.head(
        "Duplicates and novelties",
        &format!(
            "the corpus `otb` five times as a base of Scid 5: *changed*, the names of each copy other ones from their first letter on, and one \
             per cent of all games planted once more at the end ({} games, {} of them planted); *unchanged* ({} games); whole processes by turns, \
             files warm, medians of 5",
            5 * copy + 5 * copy / PLANTED,
            5 * copy / PLANTED,
            5 * copy
        ),
        "time (s) | peak (MiB) | found",
    )?;
    let changed_si4 = made(&changed, "changed.si4")?;
    let mut theirs = Vec::new();
    let mut ours = Vec::new();
    let mut found = 0;
    for _ in 0..5 {
        let (time, twins) = twins(&scid, folder.path(), &fresh(&changed_si4)?)?;
        theirs.push(time);
        found = twins;
        ours.extend(table.costs(&[(DEDUPE, &[&changed_si5])], 1)?);
    }
    theirs.sort_by(f64::total_cmp);
    let here = median(&ours);
    table.line(&format!(
        "| `dedupe --count`, changed | {:.2} | {:.0} | {} |",
        here.wall.as_secs_f64(),
        here.mebibytes(),
        counted(&program, &["dedupe", "--count"], &[&changed_si5])?
    ))?;
    table.line(&format!(
        "| Scid's twin search, changed | {:.2} | | {found} |",
        theirs[theirs.len() / 2]
    ))?;
    let mut command = Command::new(&extract);
    command.args(["-s", "--quiet", "-D"]);
    command.arg(format!("-o{}", path("out.pgn").display()));
    let cost = once(command.arg(&changed))?;
    table.line(&format!(
        "| `pgn-extract -D` (moves alone) of the PGN, changed, one run | {:.1} | {:.0} | |",
        cost.wall.as_secs_f64(),
        cost.mebibytes()
    ))?;
    let both: [&Path; 2] = [&unchanged_si5, &other_si5];
    let costs = table.costs(&[(DEDUPE, &both[..1]), (DEDUPE, &both[..])], 5)?;
    for (what, (bases, cost)) in ["unchanged", "unchanged, in two bases (2,860,400 games)"]
        .iter()
        .zip([&both[..1], &both[..]].iter().zip(&costs))
    {
        table.line(&format!(
            "| `dedupe --count`, {what} | {:.2} | {:.0} | {} |",
            cost.wall.as_secs_f64(),
            cost.mebibytes(),
            counted(&program, &["dedupe", "--count"], bases)?
        ))?;
    }
    let (new, rest) = (path("new.pgn"), path("rest.pgn"));
    let count = parted(&corpus, &new, &rest)?;
    let (new, rest) = (made(&new, "new.si5")?, made(&rest, "rest.si5")?);
    indexed(&rest)?;
    let beside = rest.display().to_string();
    let words: &[&str] = &["novelty", "--json", "--reference", &beside, "BASE"];
    let cost = median(&table.costs(&[(words, &[&new])], 5)?);
    table.line(&format!(
        "| `novelty` of {count} games beside the other {}, with an index | {:.2} | {:.0} | |",
        copy - count,
        cost.wall.as_secs_f64(),
        cost.mebibytes()
    ))?;
    table.text.push_str(
        "\n* changed: each planted game is in a pair, and no pair is of two copies (checked in this run); the other pairs are duplicates in the \
         corpus itself\n\
         * Scid: `sc_base duplicates` of tkscid with colours, players, year and moves, the same games as a base of Scid 4, the base open, \
         beginning with no marks\n",
    );
    table.put("doubles")
}

/// A copy of a base of Scid 4, to be marked.
fn fresh(base: &Path) -> Result<PathBuf> {
    let copy = base.with_file_name("twins.si4");
    for extension in ["si4", "sg4", "sn4"] {
        std::fs::copy(
            base.with_extension(extension),
            copy.with_extension(extension),
        )?;
    }
    Ok(copy)
}
