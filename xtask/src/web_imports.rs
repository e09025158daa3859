//! Folders of the app use nothing of the folders above them: a page that shows a game loads nothing of the editor.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The folders of the app's sources, and those above them.
const BELOW: [(&str, &[&str]); 6] = [
    ("board", &["annotate"]),
    ("explorer", &["annotate"]),
    ("game", &["annotate", "board", "library"]),
    ("library", &["annotate"]),
    ("moves", &["annotate"]),
    ("ui", &["annotate", "library", "moves"]),
];

/// Every import of a folder above, with its file and line.
pub(crate) fn upward(sources: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for (folder, above) in BELOW {
        for path in files(&sources.join(folder))? {
            let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            for (line, used) in imports(&text) {
                if above.contains(&used) {
                    let shown = path.strip_prefix(sources).unwrap_or(&path);
                    found.push(format!(
                        "web/src/{}:{line} uses {used}/, which is above {folder}/",
                        shown.display()
                    ));
                }
            }
        }
    }
    Ok(found)
}

/// The sources of a folder.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|end| end == "ts" || end == "tsx")
        {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The folders beside its own from which a text imports, at once or when something is needed, with the lines.
fn imports(text: &str) -> Vec<(usize, &str)> {
    let of_line = |(number, line)| {
        let parts = str::split(line, "'../").skip(1);
        let folder = |part: &'_ str| part.find(['/', '\'']);
        parts
            .filter_map(|part| Some((number, part.get(..folder(part)?)?)))
            .collect::<Vec<_>>()
    };
    (1..).zip(text.lines()).flat_map(of_line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_at_once_and_later_are_seen() {
        let text = "import { a } from '../annotate/store';\nimport b from './b';\n\
                    const C = later(async () => (await import('../moves/panel')).C);\nimport d from '../words';";
        assert_eq!(imports(text), [(1, "annotate"), (3, "moves"), (4, "words")]);
    }

    #[test]
    fn an_import_of_a_folder_above_is_told() {
        let folder = std::env::temp_dir().join(format!("tabiya-imports-{}", std::process::id()));
        for (name, _) in BELOW {
            fs::create_dir_all(folder.join(name)).expect("a folder");
        }
        let write = |text: &str| fs::write(folder.join("board/panel.tsx"), text).expect("written");
        write("import { t } from '../words';\n");
        assert_eq!(upward(&folder).expect("read"), [""; 0]);
        write("\nimport { wish } from '../annotate/store';\n");
        assert_eq!(
            upward(&folder).expect("read"),
            ["web/src/board/panel.tsx:2 uses annotate/, which is above board/"]
        );
        fs::remove_dir_all(&folder).expect("removed");
    }
}
