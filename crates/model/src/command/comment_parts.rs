//! A comment cut into plain text and commands.

use std::ops::Range;

use super::CommentCommand;

/// A run of a comment: plain text or one command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommentPart<'a> {
    /// Plain text.
    Text {
        /// The text.
        text: &'a str,
        /// The offset in the comment, in bytes.
        at: usize,
    },
    /// A command with its brackets.
    Command {
        /// The whole command, from `[%` to `]`.
        text: &'a str,
        /// The offset in the comment, in bytes.
        at: usize,
        /// The name after the percent sign.
        name: &'a str,
        /// The arguments, without the space before them.
        args: &'a str,
    },
}

impl<'a> CommentPart<'a> {
    /// The text of the piece.
    #[must_use]
    pub fn text(&self) -> &'a str {
        match self {
            Self::Text { text, .. } | Self::Command { text, .. } => text,
        }
    }

    /// The bytes of the piece in the comment.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        match self {
            Self::Text { text, at } | Self::Command { text, at, .. } => *at..*at + text.len(),
        }
    }

    /// The meaning of a command; `None` for plain text.
    #[must_use]
    pub fn command(&self) -> Option<CommentCommand> {
        match self {
            Self::Text { .. } => None,
            Self::Command { name, args, .. } => Some(CommentCommand::new(name, args)),
        }
    }
}

/// Splits a comment into text and commands.
#[must_use]
pub fn pieces(comment: &str) -> CommentParts<'_> {
    CommentParts { comment, at: 0 }
}

/// The commands of a comment, without the text around them.
pub fn commands(comment: &str) -> impl Iterator<Item = CommentCommand> + '_ {
    pieces(comment).filter_map(|piece| piece.command())
}

/// The text of a comment without its commands, with the spaces around them joined to one.
#[must_use]
pub fn plain_text(comment: &str) -> String {
    let mut plain = String::with_capacity(comment.len());
    for piece in pieces(comment) {
        let CommentPart::Text { mut text, .. } = piece else {
            continue;
        };
        if plain.is_empty() || plain.ends_with(char::is_whitespace) {
            text = text.trim_start();
        }
        plain.push_str(text);
    }
    plain.truncate(plain.trim_end().len());
    plain
}

/// Iterates over the pieces of a comment.
#[derive(Debug, Clone)]
pub struct CommentParts<'a> {
    comment: &'a str,
    at: usize,
}

impl<'a> Iterator for CommentParts<'a> {
    type Item = CommentPart<'a>;

    fn next(&mut self) -> Option<CommentPart<'a>> {
        let rest = self
            .comment
            .get(self.at..)
            .filter(|rest| !rest.is_empty())?;
        let at = self.at;
        let mut searched = 0;
        // Text extends to the next bracket that really opens a command.
        while let Some(found) = rest.get(searched..).and_then(|tail| tail.find("[%")) {
            let start = searched + found;
            let candidate = rest.get(start..).unwrap_or_default();
            if let Some((length, name, args)) = scan(candidate) {
                if start > 0 {
                    self.at += start;
                    return Some(CommentPart::Text {
                        text: rest.get(..start)?,
                        at,
                    });
                }
                self.at += length;
                return Some(CommentPart::Command {
                    text: rest.get(..length)?,
                    at,
                    name,
                    args,
                });
            }
            searched = start + 2;
        }
        self.at = self.comment.len();
        Some(CommentPart::Text { text: rest, at })
    }
}

/// Reads the command at the start of a text: its length, name and arguments.
///
/// A closing bracket inside quotes does not end a command, unless no other one precedes the next command. The search stops
/// where a command opens outside quotes. Between two openings that a search passes over there is an even number of quotes,
/// so a search from one of them stops at the next, and all searches together take linear time.
fn scan(text: &str) -> Option<(usize, &str, &str)> {
    let body = text.strip_prefix("[%")?;
    let name_length = body
        .bytes()
        .take_while(|b| b.is_ascii_alphanumeric() || *b == b'_')
        .count();
    if name_length == 0 {
        return None;
    }
    let (name, tail) = body.split_at_checked(name_length)?;
    let bytes = tail.as_bytes();
    let mut quoted = false;
    let mut end = None;
    for (i, &byte) in bytes.iter().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b']' if quoted => end = end.or(Some(i)),
            b']' => {
                end = Some(i);
                break;
            }
            b'[' if !quoted && bytes.get(i + 1) == Some(&b'%') => break,
            _ => {}
        }
    }
    let end = end?;
    let args = tail.get(..end)?;
    // A name is followed by white space or, in a few programs, by nothing.
    if !args.is_empty() && !args.starts_with(char::is_whitespace) {
        return None;
    }
    Some((2 + name_length + end + 1, name, args.trim()))
}
