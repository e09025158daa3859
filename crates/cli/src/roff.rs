//! Texts as roff, the language of manual pages, shows them.

/// Text of a page as roff shows it: no line of it is an instruction.
pub(crate) fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    match text.strip_prefix(['.', '\'']) {
        Some(_) => format!("\\&{text}"),
        None => text,
    }
}

/// Text with code in bold, and links as their words.
pub(crate) fn inline(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, part) in text.split('`').enumerate() {
        match at % 2 {
            0 => out.push_str(&escaped(&without_links(part))),
            _ => out.push_str(&format!("\\fB{}\\fR", escaped(&part.replace("\\|", "|")))),
        }
    }
    match out.starts_with(['.', '\'']) {
        true => format!("\\&{out}"),
        false => out,
    }
}

/// `[words](place)` as its words.
fn without_links(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        let link = after
            .split_once("](")
            .and_then(|(words, after)| Some((words, after.split_once(')')?.1)));
        out.push_str(before);
        match link {
            Some((words, after)) => {
                out.push_str(words);
                rest = after;
            }
            None => {
                out.push('[');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}
