//! Debian packages: the program, and apart from it the one that answers SQL.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

use super::build::{BuildTarget, build, build_sql, ensure_stripped};
use super::materials::{NOTICES, NOTICES_OF_SQL};
use super::{Distribution, PROGRAM_CRATES, PROGRAMS, call, files};
use crate::steps::{self, root};

/// What a package says of itself.
struct DebianPackage<'a> {
    name: &'a str,
    summary: &'a str,
    /// Lines of a paragraph.
    about: &'a [&'a str],
    recommends: &'a str,
}

const PROGRAM: DebianPackage<'_> = DebianPackage {
    name: "tabiya",
    summary: "chess database for every format",
    about: &[
        "Tabiya opens PGN, Scid, ChessBase, Chess Assistant and jose databases,",
        "converts between them with a report of everything that could not be",
        "kept, checks and repairs them, searches millions of games by players,",
        "positions and material, fetches your own games from Lichess and",
        "chess.com, and shows all of it in a browser.",
    ],
    recommends: "xdg-utils",
};

const SQL: DebianPackage<'_> = DebianPackage {
    name: "tabiya-sql",
    summary: "SQL queries for chess databases of every format",
    about: &[
        "This program runs the SQL queries of \"tabiya sql\" on databases in PGN,",
        "Scid, ChessBase and all other formats that Tabiya opens, and on",
        "Parquet files.",
    ],
    recommends: "tabiya",
};

pub(crate) fn make(distribution: &Distribution) -> Result<()> {
    let programs = build(distribution, BuildTarget::Linux, &PROGRAM_CRATES)?;
    let stage = distribution.stage("debian-tabiya")?;
    files::put(distribution, &programs, &stage.join("usr"))?;
    // This page comes with the other package: no file may be in two.
    fs::remove_file(stage.join("usr/share/man/man1/tabiya-sql.1.gz"))?;
    package(distribution, &PROGRAM, &stage, &PROGRAMS)
}

/// The package of the program for SQL, which takes longer to build than everything else.
pub(crate) fn make_sql(distribution: &Distribution) -> Result<()> {
    let sql = build_sql(distribution)?;
    let stage = distribution.stage("debian-tabiya-sql")?;
    fs::create_dir_all(stage.join("usr/bin"))?;
    fs::copy(sql, stage.join("usr/bin/tabiya-sql"))?;
    let doc = stage.join("usr/share/doc/tabiya-sql");
    fs::create_dir_all(&doc)?;
    fs::copy(root().join("docs/sql.md"), doc.join("sql.md"))?;
    fs::copy(distribution.out.join(NOTICES_OF_SQL), doc.join(NOTICES))
        .context("build `materials` first")?;
    let pages = stage.join("usr/share/man/man1");
    fs::create_dir_all(&pages)?;
    fs::write(pages.join("tabiya-sql.1"), SQL_PAGE)?;
    call("gzip", &["-9n", "tabiya-sql.1"], &pages)?;
    ensure_stripped(&stage.join("usr/bin/tabiya-sql"))?;
    package(distribution, &SQL, &stage, &["tabiya-sql"])
}

/// The page says where the pages are.
const SQL_PAGE: &str = ".TH tabiya-sql 1\n.SH NAME\ntabiya-sql \\- the program for \\(lqtabiya sql\\(rq\n.SH SYNOPSIS\ntabiya sql \\fIQUERY\\fR\n.SH DESCRIPTION\n\
Queries chess databases of every format with SQL.\nRun it as \\(lqtabiya sql\\(rq; \\(lqtabiya sql \\-\\-help\\(rq lists its options.\n.SH SEE ALSO\n.BR tabiya (1)\n";

/// Adds what the package manager wants to a folder, and packs it.
fn package(
    distribution: &Distribution,
    package: &DebianPackage<'_>,
    stage: &Path,
    programs: &[&str],
) -> Result<()> {
    let programs: Vec<PathBuf> = programs
        .iter()
        .map(|name| stage.join("usr/bin").join(name))
        .collect();
    let doc = stage.join("usr/share/doc").join(package.name);
    fs::create_dir_all(&doc)?;
    let maintainer = distribution
        .identity
        .field_or("maintainer", "Nobody <nobody@invalid>")?;
    let homepage = distribution.identity.field("homepage")?;
    let year = distribution.date.split('-').next().unwrap_or_default();
    fs::write(
        doc.join("copyright"),
        format!(
            "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: Tabiya\n\nFiles: *\n\
             Copyright: {year} the authors of Tabiya\nLicense: GPL-3+\n On Debian systems the text of the license is in\n /usr/share/common-licenses/GPL-3.\n"
        ),
    )?;
    let time = Command::new("date")
        .args(["-u", "-R", "-d", &format!("@{}", distribution.time)])
        .output()
        .context("cannot start date")?;
    fs::write(
        doc.join("changelog"),
        format!(
            "{} ({}) unstable; urgency=medium\n\n  * See CHANGELOG.md of the project.\n\n -- {maintainer}  {}\n",
            package.name,
            distribution.version,
            String::from_utf8(time.stdout)?.trim()
        ),
    )?;
    call("gzip", &["-9n", "changelog"], &doc)?;

    let control = stage.join("DEBIAN");
    fs::create_dir_all(&control)?;
    let about: String = package
        .about
        .iter()
        .map(|line| format!(" {line}\n"))
        .collect();
    let homepage = match homepage {
        "" => String::new(),
        page => format!("Homepage: {page}\n"),
    };
    fs::write(
        control.join("control"),
        format!(
            "Package: {}\nVersion: {}\nArchitecture: amd64\nMaintainer: {maintainer}\nInstalled-Size: {}\nDepends: {}\nRecommends: {}\n\
             Section: utils\nPriority: optional\n{homepage}Description: {}\n{about}",
            package.name,
            distribution.version,
            kilobytes(stage)?,
            depends(&programs)?,
            package.recommends,
            package.summary,
        ),
    )?;
    sums(stage, &control)?;
    let name = format!("{}_{}_amd64.deb", package.name, distribution.version);
    let mut command = Command::new("dpkg-deb");
    command
        .args(["--root-owner-group", "-Zxz", "--build"])
        .arg(stage)
        .arg(distribution.out.join(name))
        .env("SOURCE_DATE_EPOCH", &distribution.time)
        .stdin(Stdio::null());
    call("chmod", &["-R", "u+rwX,go+rX,go-w", "."], stage)?;
    for program in &programs {
        fs::set_permissions(program, Permissions::from_mode(0o755))?;
    }
    steps::run(command)
}

/// The sums of all files, which the package manager compares.
fn sums(stage: &Path, control: &Path) -> Result<()> {
    let output = Command::new("sh")
        .args([
            "-c",
            "find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum",
        ])
        .current_dir(stage)
        .stdin(Stdio::null())
        .output()?;
    ensure!(output.status.success(), "md5sum: {}", output.status);
    Ok(fs::write(control.join("md5sums"), output.stdout)?)
}

/// How much room it takes.
fn kilobytes(stage: &Path) -> Result<u64> {
    let output = Command::new("du")
        .args(["-ks", "--apparent-size", "usr"])
        .current_dir(stage)
        .output()
        .context("cannot start du")?;
    let text = String::from_utf8(output.stdout)?;
    let number = text
        .split_whitespace()
        .next()
        .context("du printed nothing")?;
    Ok(number.parse()?)
}

/// The packages of the libraries that programs need: the C library from the version whose functions they call.
fn depends(programs: &[PathBuf]) -> Result<String> {
    let output = Command::new("objdump")
        .arg("-T")
        .args(programs)
        .output()
        .context("cannot start objdump")?;
    ensure!(output.status.success(), "objdump: {}", output.status);
    let text = String::from_utf8_lossy(&output.stdout);
    let version = newest_glibc(&text).context("the programs use no C library")?;
    Ok(format!("libc6 (>= {}.{}), libgcc-s1", version.0, version.1))
}

/// The newest version of the C library that is asked for.
fn newest_glibc(symbols: &str) -> Option<(u32, u32)> {
    let versions = symbols.split("GLIBC_").skip(1).filter_map(|rest| {
        let end = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(rest.len());
        let mut parts = rest[..end].split('.');
        let number = |text: Option<&str>| text?.parse().ok();
        Some((number(parts.next())?, number(parts.next())?))
    });
    versions.max()
}

#[cfg(test)]
mod tests {
    use super::newest_glibc;

    #[test]
    fn versions_are_numbers() {
        let symbols = "0 DF *UND* 0 (GLIBC_2.2.5) a\n0 DF *UND* 0 (GLIBC_2.34) b\n0 DF *UND* 0 (GLIBC_2.9) c\n0 (GCC_3.0) d\n";
        assert_eq!(newest_glibc(symbols), Some((2, 34)));
        assert_eq!(newest_glibc("(GCC_3.0)"), None);
    }
}
