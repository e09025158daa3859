//! Self-contained pages of HTML: no script, and no external picture or style.

/// A text, escaped for a page.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push('\n'),
            sign if sign.is_control() => out.push(' '),
            sign => out.push(sign),
        }
    }
    out
}

const STYLE: &str = "body{font:15px/1.4 system-ui,sans-serif;margin:2em;color:#222;background:#fff}\
table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:.5em 0 2em}\
th,td{padding:.15em .5em;border-bottom:1px solid #ddd;text-align:right}\
th:nth-child(2),td:nth-child(2){text-align:left}h2{margin-bottom:0}p{margin:.2em 0}\
table.tree th:first-child,table.tree td:first-child{text-align:left}\
table.board{border:1px solid #777;margin:.5em 0}table.board td{width:1.6em;height:1.6em;padding:0;border:0;\
text-align:center;font-size:1.5em;line-height:1;color:#000;background:#f0d9b5}\
table.board tr:nth-child(odd) td:nth-child(even),table.board tr:nth-child(even) td:nth-child(odd){background:#b58863}\
pre{white-space:pre-wrap;max-width:60em}svg{max-width:100%;height:auto;background:#fff}\
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}th,td{border-color:#444}}";

/// The beginning of a page, up to its first element.
#[must_use]
pub fn head(title: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{}</title>\n\
         <style>{STYLE}</style>\n",
        escaped(title)
    )
}
