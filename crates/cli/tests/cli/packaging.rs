//! The packages for users know the formats that are read.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// What other programs than those for chess write and open too.
const OF_OTHERS: [&str; 7] = ["bin", "csv", "json", "jsonl", "lake", "ndjson", "parquet"];

#[test]
fn files_of_every_format_open_by_a_click() {
    let formats = Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .args(["formats", "--json"])
        .output()
        .expect("the program starts");
    let formats: Value = serde_json::from_slice(&formats.stdout).expect("JSON");
    let formats = formats.as_array().expect("a list");
    let packaging = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging");
    let lists = [
        ("linux/tabiya.xml", "<glob pattern=\"*.", "\"/>"),
        ("windows/tabiya.nsi", "!insertmacro ${ACTION} \"", "\"\n"),
    ];
    for (file, before, after) in lists {
        let list = std::fs::read_to_string(packaging.join(file)).expect(file);
        let mut known = 0;
        for format in formats.iter().filter(|format| format["read"] != "none") {
            let extensions = format["extensions"].as_array().expect("a list");
            let mut extensions = extensions.iter().filter_map(Value::as_str);
            let is_known = |it: &str| list.contains(&format!("{before}{it}{after}"));
            let opens = extensions.clone().any(is_known);
            let is_of_others = extensions.all(|it| OF_OTHERS.contains(&it));
            assert!(opens || is_of_others, "{} is not in {file}", format["name"]);
            known += usize::from(opens);
        }
        assert!(known > 10, "{file} knows only {known} formats");
    }
    // Each type of file of Linux has the program.
    let entry = std::fs::read_to_string(packaging.join("linux/tabiya.desktop")).expect("an entry");
    let types =
        std::fs::read_to_string(packaging.join("linux/tabiya.xml")).expect("a list of types");
    for kind in types.split("<mime-type type=\"").skip(1) {
        let name = kind.split('"').next().unwrap_or_default();
        assert!(
            entry.contains(&format!("={name};")) || entry.contains(&format!(";{name};")),
            "{name}"
        );
    }
}
