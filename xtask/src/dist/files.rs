//! The files that a Linux system gets beside the program: manual pages, completions, entries for desktops, licences.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

use super::build::ensure_stripped;
use super::materials::NOTICES;
use super::{Distribution, PROGRAMS};
use crate::steps::root;

/// Puts the programs of a folder and all of these files below a prefix, as `/usr` or `~/.local` has them. Desktops call the program by
/// its name.
pub(crate) fn put(distribution: &Distribution, programs: &Path, prefix: &Path) -> Result<()> {
    let share = prefix.join("share");
    let copy = |from: &Path, to: &Path| -> Result<()> {
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::copy(from, to).with_context(|| format!("{} to {}", from.display(), to.display()))?;
        Ok(())
    };
    for name in PROGRAMS {
        ensure_stripped(&programs.join(name))?;
        copy(&programs.join(name), &prefix.join("bin").join(name))?;
    }
    let program = &programs.join("tabiya");

    let pages = share.join("man/man1");
    fs::create_dir_all(&pages)?;
    ask(program, &["man", &pages.display().to_string()])?;
    for entry in fs::read_dir(&pages)? {
        // Each section of the manual has a folder of its own.
        let page = entry?.file_name();
        let section = Path::new(&page).extension().context("a section")?;
        let folder = share.join("man").join(format!("man{}", section.display()));
        fs::create_dir_all(&folder)?;
        fs::rename(pages.join(&page), folder.join(&page))?;
        // Without the time and the name, which would be others in each build.
        super::call("gzip", &["-9n", &page.to_string_lossy()], &folder)?;
    }
    for (shell, to) in [
        ("bash", "bash-completion/completions/tabiya"),
        ("zsh", "zsh/vendor-completions/_tabiya"),
        ("fish", "fish/vendor_completions.d/tabiya.fish"),
    ] {
        let to = share.join(to);
        fs::create_dir_all(to.parent().context("a folder")?)?;
        fs::write(&to, ask(program, &["completions", shell])?)?;
    }

    let linux = root().join("packaging/linux");
    copy(
        &linux.join("tabiya.desktop"),
        &share.join("applications/tabiya.desktop"),
    )?;
    copy(
        &linux.join("tabiya.svg"),
        &share.join("icons/hicolor/scalable/apps/tabiya.svg"),
    )?;
    copy(
        &linux.join("tabiya.xml"),
        &share.join("mime/packages/tabiya.xml"),
    )?;
    let app_id = distribution
        .identity
        .field_or("app_id", "invalid.nobody.tabiya")?;
    let metainfo = share.join(format!("metainfo/{app_id}.metainfo.xml"));
    fs::create_dir_all(metainfo.parent().context("a folder")?)?;
    fs::write(&metainfo, metainfo_text(distribution, app_id)?)?;
    let doc = share.join("doc/tabiya");
    copy(&root().join("README.md"), &doc.join("README.md"))?;
    copy(&distribution.out.join(NOTICES), &doc.join(NOTICES))
}

/// What software centres show.
fn metainfo_text(distribution: &Distribution, app_id: &str) -> Result<String> {
    let template = fs::read_to_string(root().join("packaging/linux/metainfo.xml"))?;
    let mut links = String::new();
    for (kind, field, stand_in) in [
        ("homepage", "homepage", "https://example.invalid/tabiya"),
        ("bugtracker", "issues", ""),
        ("vcs-browser", "source", ""),
    ] {
        let address = distribution.identity.field_or(field, stand_in)?;
        if !address.is_empty() {
            links += &format!("  <url type=\"{kind}\">{address}</url>\n");
        }
    }
    let publisher = distribution.identity.field("publisher")?;
    if !publisher.is_empty() {
        links += &format!(
            "  <developer id=\"{app_id}\">\n    <name>{publisher}</name>\n  </developer>\n"
        );
    }
    Ok(template
        .replace("{app_id}", app_id)
        .replace("{links}", &links)
        .replace("{version}", &distribution.version)
        .replace("{date}", &distribution.date))
}

/// What the program prints.
pub(crate) fn ask(program: &Path, args: &[&str]) -> Result<Vec<u8>> {
    let output = Command::new(program)
        .args(args)
        .stdin(Stdio::null())
        .output()
        .with_context(|| program.display().to_string())?;
    ensure!(
        output.status.success(),
        "{} {}: {}\n{}",
        program.display(),
        args.join(" "),
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(output.stdout)
}
