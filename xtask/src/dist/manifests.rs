//! What lists of programs take: a manifest for winget, and a formula for Homebrew. They name the artefacts by their sums.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use super::Distribution;

pub(crate) fn make(distribution: &Distribution) -> Result<()> {
    let setup = format!("tabiya-{}-x86_64-windows-setup.exe", distribution.version);
    let folder = distribution.out.join("winget");
    fs::create_dir_all(&folder)?;
    let identity = &distribution.identity;
    let id = identity.field_or("winget_id", "Nobody.Tabiya")?;
    let publisher = identity.field_or("publisher", "Nobody")?;
    let source = identity.field_or("source", "https://example.invalid/tabiya")?;
    let homepage = identity.field_or("homepage", "https://example.invalid/tabiya")?;
    let version = &distribution.version;
    let head = format!("PackageIdentifier: {id}\nPackageVersion: {version}\n");
    let tail = |kind: &str| format!("ManifestType: {kind}\nManifestVersion: 1.6.0\n");
    fs::write(
        folder.join(format!("{id}.yaml")),
        format!("{head}DefaultLocale: en-US\n{}", tail("version")),
    )?;
    fs::write(
        folder.join(format!("{id}.installer.yaml")),
        format!(
            "{head}InstallerType: nullsoft\nScope: user\nInstallers:\n- Architecture: x64\n  InstallerUrl: {source}/releases/download/v{version}/{setup}\n  \
             InstallerSha256: {}\n{}",
            sum(&distribution.out.join(&setup))?.to_uppercase(),
            tail("installer")
        ),
    )?;
    fs::write(
        folder.join(format!("{id}.locale.en-US.yaml")),
        format!(
            "{head}PackageLocale: en-US\nPublisher: {publisher}\nPackageName: Tabiya\nPackageUrl: {homepage}\nLicense: GPL-3.0-or-later\n\
             ShortDescription: Chess database for every format\nTags:\n- chess\n- pgn\n- database\n{}",
            tail("defaultLocale")
        ),
    )?;
    let archive = format!("v{version}.tar.gz");
    fs::write(
        distribution.out.join("tabiya.rb"),
        format!(
            "class Tabiya < Formula\n  desc \"Chess database for every format\"\n  homepage \"{homepage}\"\n  url \"{source}/archive/{archive}\"\n  \
             # The sum of the archive that the host makes of the tag, once it is there.\n  sha256 \"\"\n  license \"GPL-3.0-or-later\"\n\n  \
             depends_on \"rust\" => :build\n\n  def install\n    system \"cargo\", \"install\", *std_cargo_args(path: \"crates/cli\")\n    \
             system \"cargo\", \"install\", *std_cargo_args(path: \"crates/fetch\")\n    \
             generate_completions_from_executable(bin/\"tabiya\", \"completions\")\n    system bin/\"tabiya\", \"man\", man1\n  end\n\n  test do\n    \
             (testpath/\"a.pgn\").write \"[White \\\"A\\\"]\\n\\n1. e4 *\\n\"\n    system bin/\"tabiya\", \"convert\", \"a.pgn\", \"a.si5\"\n    \
             assert_match \"1\", shell_output(\"#{{bin}}/tabiya search a.si5 white:A --count\")\n  end\nend\n"
        ),
    )?;
    Ok(())
}

/// The sum of a file.
fn sum(path: &Path) -> Result<String> {
    let output = Command::new("sha256sum")
        .arg(path)
        .output()
        .context("cannot start sha256sum")?;
    ensure!(
        output.status.success(),
        "{}: build `windows` first",
        path.display()
    );
    let text = String::from_utf8(output.stdout)?;
    Ok(text
        .split_whitespace()
        .next()
        .unwrap_or_default()
        .to_owned())
}
