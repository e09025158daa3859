//! Options files for `tabiya convert`: `--options FILE` is replaced by the words in the file.

use std::ffi::OsString;

use anyhow::{Context as _, Result, bail};
use tabiya_io::regular_file;

/// How deep files of options may name others.
const DEEPEST: usize = 8;

/// The arguments of this program with the words of files of options in their places.
pub(crate) fn expand(args: impl IntoIterator<Item = OsString>) -> Result<Vec<OsString>> {
    let args: Vec<OsString> = args.into_iter().collect();
    match args.get(1) {
        Some(command) if command == "convert" => expand_words(args, 0),
        _ => Ok(args),
    }
}

fn expand_words(args: Vec<OsString>, depth: usize) -> Result<Vec<OsString>> {
    let mut words = Vec::new();
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        let text = arg.to_string_lossy();
        let path = match text.strip_prefix("--options=") {
            Some(path) => OsString::from(path),
            None if text == "--options" => match args.next() {
                Some(path) => path,
                None => bail!("--options needs a file"),
            },
            None => {
                let is_end = arg == "--";
                words.push(arg);
                if is_end {
                    words.extend(args);
                    return Ok(words);
                }
                continue;
            }
        };
        let shown = path.to_string_lossy().into_owned();
        if depth >= DEEPEST {
            bail!("{shown}: options files are nested too deeply");
        }
        let content =
            regular_file::read_named_to_string(path.as_ref()).with_context(|| shown.clone())?;
        let of_file = split(&content).with_context(|| shown)?;
        words.extend(expand_words(of_file, depth + 1)?);
    }
    Ok(words)
}

/// The words of a text: separated by white space, kept together by quotes; lines that begin with `#` are comments.
pub(crate) fn split(text: &str) -> Result<Vec<OsString>> {
    let mut words = Vec::new();
    for (line, number) in text.lines().zip(1_u64..) {
        if line.trim_start().starts_with('#') {
            continue;
        }
        let (mut word, mut quote) = (None::<String>, None);
        for c in line.chars() {
            match (c, quote) {
                (c, Some(open)) if c == open => quote = None,
                (c, Some(_)) => word.get_or_insert_default().push(c),
                ('"' | '\'', None) => {
                    quote = Some(c);
                    word.get_or_insert_default();
                }
                (c, None) if c.is_whitespace() => words.extend(word.take().map(OsString::from)),
                (c, None) => word.get_or_insert_default().push(c),
            }
        }
        if quote.is_some() {
            bail!("line {number}: missing closing quote");
        }
        words.extend(word.map(OsString::from));
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_quotes_and_remarks() {
        let words = split("# what\n--strip comments  --query 'white:\"Kasparov, G\"'\n--set \"Event=The Open\" ''\n").expect("words");
        let expected = [
            "--strip",
            "comments",
            "--query",
            "white:\"Kasparov, G\"",
            "--set",
            "Event=The Open",
            "",
        ];
        assert_eq!(words, expected.map(OsString::from));
        let error = split("a\n'b").expect_err("open");
        assert!(error.to_string().contains("line 2"));
    }
}
