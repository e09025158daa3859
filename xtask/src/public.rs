//! The public items of the libraries are those in `public-items.txt`: nothing becomes public by accident, and nothing that others use
//! is removed unnoticed.
//!
//! The items are those of rustdoc's own list of a crate (`all.html`), so this looks at what was documented just now.

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Context, Result, bail};

use crate::steps::{PROFILE, cargo, root, run, target};

/// The list, beside this program's sources.
const LIST: &str = "xtask/public-items.txt";

/// The libraries: every crate that a front end may build on.
const LIBRARIES: &[&str] = &[
    "tabiya",
    "tabiya_answers",
    "tabiya_codec",
    "tabiya_columns",
    "tabiya_engine",
    "tabiya_explore",
    "tabiya_fetch",
    "tabiya_formats",
    "tabiya_formats_chess_assistant",
    "tabiya_formats_chessbase",
    "tabiya_formats_jose",
    "tabiya_formats_parquet",
    "tabiya_formats_pgn",
    "tabiya_formats_scid",
    "tabiya_io",
    "tabiya_model",
    "tabiya_mysql",
    "tabiya_openings",
    "tabiya_repertoire",
    "tabiya_query",
    "tabiya_server",
    "tabiya_stats",
    "tabiya_tables",
    "tabiya_text",
];

/// Documents the libraries, and compares what it lists; with `--write`, brings the list up to date.
pub(crate) fn documented(args: &[String]) -> Result<()> {
    let mut document = cargo(&["doc", "--workspace", "--lib", "--no-deps", "--locked"]);
    document.args(PROFILE);
    // A link to a private module is for readers of the code, and does no harm to others.
    let flags = "-D warnings -A rustdoc::private_intra_doc_links";
    document.env("RUSTDOCFLAGS", flags);
    run(document)?;
    let mut items = BTreeSet::new();
    for library in LIBRARIES {
        let path = target().join("doc").join(library).join("all.html");
        let page = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let found = listed(&page);
        if found.is_empty() {
            bail!("{}: lists no items", path.display());
        }
        items.extend(found.into_iter().map(|item| format!("{library}::{item}")));
    }
    let path = root().join(LIST);
    if args.iter().any(|arg| arg == "--write") {
        let lines: String = items.iter().map(|item| format!("{item}\n")).collect();
        return fs::write(&path, lines).with_context(|| LIST.to_owned());
    }
    let text = fs::read_to_string(&path).with_context(|| LIST.to_owned())?;
    let known: BTreeSet<String> = text.lines().map(str::to_owned).collect();
    for item in items.difference(&known) {
        eprintln!("public, but not in {LIST}: {item}");
    }
    for item in known.difference(&items) {
        eprintln!("in {LIST}, but no longer public: {item}");
    }
    if items != known {
        bail!("the public items have changed; if that is intended, run `cargo xtask doc --write`");
    }
    Ok(())
}

/// The items of a page: each is a link to a page of its own, such as `bulk/struct.Bulk.html`.
fn listed(page: &str) -> BTreeSet<String> {
    page.split("<li><a href=\"")
        .skip(1)
        .filter_map(|rest| rest.split_once("\">"))
        .filter_map(|(link, _)| link.strip_suffix(".html"))
        .filter_map(|link| {
            let (folder, file) = link.rsplit_once('/').unwrap_or(("", link));
            let (kind, name) = file.split_once('.')?;
            let within = match folder {
                "" => String::new(),
                folder => format!("{}::", folder.replace('/', "::")),
            };
            Some(format!("{within}{name} ({kind})"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_read_from_their_links() {
        let page = "<ul><li><a href=\"bulk/struct.Bulk.html\">bulk::Bulk</a></li>\
                    <li><a href=\"fn.open.html\">open</a></li></ul><a href=\"../x/all.html\">x</a>";
        let items: Vec<String> = listed(page).into_iter().collect();
        assert_eq!(items, ["bulk::Bulk (struct)", "open (fn)"]);
    }
}
