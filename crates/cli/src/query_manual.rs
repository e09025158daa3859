//! The manual page of the language: docs/query.md as roff.

use super::roff::{escaped, inline};

/// The cells of a row of a table: bars in code or behind a backslash are part of them.
fn cells(row: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut is_escaped = false;
    for c in row.trim().trim_start_matches('|').chars() {
        match (c, cells.last_mut()) {
            ('|', _) if !is_escaped => cells.push(String::new()),
            (c, Some(cell)) => cell.push(c),
            _ => {}
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    cells.pop();
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

/// The page of a Markdown text.
pub(crate) fn page(markdown: &str, version: &str) -> String {
    let mut out = format!(
        ".TH tabiya\\-query 7 \"\" \"tabiya {version}\" \"The query language\"\n.SH NAME\ntabiya\\-query \\- the query language of Tabiya\n.SH DESCRIPTION\n"
    );
    let mut is_code = false;
    let mut lines = markdown.lines().peekable();
    while let Some(line) = lines.next() {
        if line.starts_with("```") {
            is_code = !is_code;
            out.push_str(match is_code {
                true => ".PP\n.RS 4\n.nf\n",
                false => ".fi\n.RE\n.PP\n",
            });
        } else if is_code {
            let line = line.rsplit_once(" # ").map_or(line, |(query, _)| query);
            out.push_str(&escaped(line));
            out.push('\n');
        } else if line.starts_with("# ") {
        } else if let Some(heading) = line.strip_prefix("## ") {
            out.push_str(&format!(".SH {}\n", escaped(&heading.to_uppercase())));
        } else if line.starts_with('|') {
            let is_head = lines.peek().is_some_and(|next| next.starts_with("|---"));
            if is_head || line.starts_with("|---") {
                continue;
            }
            let mut cells = cells(line).into_iter();
            let first = cells.next().unwrap_or_default();
            let rest: Vec<String> = cells.map(|cell| inline(&cell)).collect();
            out.push_str(&format!(
                ".TP\n{}\n{}\n",
                inline(&first),
                rest.join(" \\(em ")
            ));
        } else if let Some(item) = line.strip_prefix("* ") {
            out.push_str(&format!(".IP \\(bu 2\n{}\n", inline(item)));
        } else if line.is_empty() {
            out.push_str(".PP\n");
        } else {
            out.push_str(&inline(line.trim_start()));
            out.push('\n');
        }
    }
    out.push_str(
        ".SH SEE ALSO\n\\fBtabiya\\fR(1), \\fBtabiya\\-search\\fR(1), \\fBtabiya\\-query\\fR(1)\n",
    );
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_roff() {
        let text = "# Queries\n\nSee `a-b` and [there](x.md).\n\n## Texts\n\n| term | text |\n|---|---|\n| `a \\| b` | c |\n\n```query\n.elo>1 # 7\n```\n";
        let page = page(text, "1");
        assert!(page.contains("See \\fBa\\-b\\fR and there."), "{page}");
        assert!(page.contains(".SH TEXTS\n"), "{page}");
        assert!(page.contains(".TP\n\\fBa | b\\fR\nc\n"), "{page}");
        assert!(page.contains(".nf\n\\&.elo>1\n.fi"), "{page}");
        assert!(!page.contains("term"), "{page}");
    }
}
