//! Answers of a length that a model can take: longer ones are cut, which is reported, and a cursor shows the rest.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use tabiya_answers::{Answer, McpCutAnswer, McpItemsAnswer};

use crate::error::McpRefusal;

/// Bytes of the longest answer of a tool, with everything around it.
pub(crate) const ANSWER: usize = 50_000;
/// Bytes of what stands around what a tool says: the id of the request, the version, the name of the server.
const AROUND: usize = 1_200;
/// Lists that are kept for their cursors.
const LISTS: usize = 64;
/// Bytes of all of them.
const KEPT: usize = 64 << 20;
/// Letters of the pieces of a text that was cut.
const PIECE: usize = 1_000;
/// How often an answer is cut until it fits.
const CUTS: usize = 200;

/// A list of which an answer showed the beginning.
struct CutList {
    id: u64,
    path: String,
    items: Vec<Value>,
    bytes: usize,
}

/// The lists that were cut, the newest last.
#[derive(Default)]
pub(crate) struct CutLists(Mutex<(u64, VecDeque<Arc<CutList>>)>);

/// Bytes that a value takes in an answer, which has it as a value and as a text.
fn cost(value: &Value) -> usize {
    let text = value.to_string();
    let escaped = text.bytes().filter(|b| matches!(b, b'"' | b'\\')).count();
    2 * text.len() + escaped
}

impl CutLists {
    /// Keeps a list; gives its id.
    fn keep(&self, path: &str, items: Vec<Value>) -> u64 {
        let bytes = items.iter().map(|item| item.to_string().len()).sum();
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.0 += 1;
        let id = kept.0;
        kept.1.push_back(Arc::new(CutList {
            id,
            path: path.to_owned(),
            items,
            bytes,
        }));
        let mut all: usize = kept.1.iter().map(|list| list.bytes).sum();
        while kept.1.len() > LISTS || (all > KEPT && kept.1.len() > 1) {
            all -= kept.1.pop_front().map_or(0, |list| list.bytes);
        }
        id
    }

    /// Cuts an answer until it fits, and says in it what was cut.
    pub(crate) fn fit(&self, mut answer: Value) -> Value {
        let mut cuts = Vec::new();
        for _ in 0..CUTS {
            let told = cost(&Value::from(
                cuts.iter().map(McpCutAnswer::json).collect::<Vec<_>>(),
            ));
            let room = ANSWER.saturating_sub(AROUND + told + 300);
            let size = cost(&answer);
            if size <= room {
                break;
            }
            let Some(cut) = self.cut_once(&mut answer, size - room) else {
                break;
            };
            match cuts
                .iter_mut()
                .find(|known: &&mut McpCutAnswer| known.path == cut.path)
            {
                // What is cut again was kept whole the first time.
                Some(known) => known.shown = cut.shown,
                None => cuts.push(cut),
            }
        }
        if let (false, Some(answer)) = (cuts.is_empty(), answer.as_object_mut()) {
            for cut in cuts.iter_mut().filter(|cut| !cut.cursor.contains('.')) {
                cut.cursor = format!("{}.{}", cut.cursor, cut.shown);
            }
            let cuts: Vec<Value> = cuts.iter().map(McpCutAnswer::json).collect();
            answer.insert("cut".to_owned(), Value::from(cuts));
        }
        answer
    }

    /// Cuts the list, or the text, that takes most room, by so many bytes or by all but one item.
    fn cut_once(&self, answer: &mut Value, excess: usize) -> Option<McpCutAnswer> {
        let path = longest(answer)?;
        match answer.pointer_mut(&path)? {
            Value::Array(items) => {
                let total = items.len();
                let (mut shown, mut less) = (total, 0);
                while shown > 1 && less < excess {
                    shown -= 1;
                    less += items.get(shown).map_or(0, cost);
                }
                let rest = items.split_off(shown);
                let mut whole = items.clone();
                whole.extend(rest);
                let id = self.keep(&path, whole);
                Some(McpCutAnswer {
                    path,
                    shown: shown as u64,
                    total: total as u64,
                    cursor: format!("c{id}"),
                })
            }
            Value::String(text) => {
                let letters: Vec<char> = text.chars().collect();
                let pieces = letters
                    .chunks(PIECE)
                    .map(|piece| Value::from(piece.iter().collect::<String>()));
                let id = self.keep(&path, pieces.collect());
                let shown = letters
                    .len()
                    .saturating_sub(excess)
                    .max(PIECE)
                    .min(letters.len() / 2);
                *text = letters.iter().take(shown).collect();
                Some(McpCutAnswer {
                    path,
                    shown: shown as u64,
                    total: letters.len() as u64,
                    // Where it was cut no piece begins: it is shown from its start.
                    cursor: format!("c{id}.0"),
                })
            }
            _ => None,
        }
    }

    /// The items of a list that follow those that were shown.
    pub(crate) fn more(&self, cursor: &str) -> Result<Value, McpRefusal> {
        let wrong = || {
            McpRefusal::new(
                "cursor-forgotten",
                "this cursor is no longer known: ask the first tool again, for less at once",
            )
        };
        let (id, from) = cursor
            .strip_prefix('c')
            .and_then(|c| c.split_once('.'))
            .ok_or_else(wrong)?;
        let (id, from): (u64, usize) = (
            id.parse().map_err(|_| wrong())?,
            from.parse().map_err(|_| wrong())?,
        );
        let list = {
            let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.1
                .iter()
                .find(|list| list.id == id)
                .cloned()
                .ok_or_else(wrong)?
        };
        let from = from.min(list.items.len());
        let rest = list.items.get(from..).unwrap_or(&[]);
        let mut room = ANSWER - AROUND - 1_000 - 2 * list.path.len();
        let mut count = 0;
        for item in rest {
            let size = cost(item) + 4;
            if size > room && count > 0 {
                break;
            }
            room = room.saturating_sub(size);
            count += 1;
        }
        let next = from + count;
        let answer = McpItemsAnswer {
            path: list.path.clone(),
            from: from as u64,
            total: list.items.len() as u64,
            items: rest.get(..count).unwrap_or(&[]).to_vec(),
            next: (next < list.items.len()).then(|| format!("c{id}.{next}")),
        };
        Ok(self.fit(answer.json()))
    }
}

/// Whether an answer is short enough.
pub(crate) fn fits(answer: &Value) -> bool {
    cost(answer) <= ANSWER - AROUND
}

/// Where the list or text is that takes most room: the innermost one that holds half of what is around it.
fn longest(value: &Value) -> Option<String> {
    let mut path = String::new();
    let mut best = None;
    let mut here = value;
    loop {
        let children: Vec<(String, &Value)> = match here {
            Value::Object(map) => map
                .iter()
                .map(|(name, inner)| (escaped(name), inner))
                .collect(),
            Value::Array(items) => items
                .iter()
                .enumerate()
                .map(|(at, inner)| (at.to_string(), inner))
                .collect(),
            _ => Vec::new(),
        };
        let whole = cost(here);
        let is_list = matches!(here, Value::Array(items) if items.len() > 1);
        if is_list || matches!(here, Value::String(text) if text.chars().count() > 2 * PIECE) {
            best = Some(path.clone());
        }
        let Some((name, inner)) = children.into_iter().max_by_key(|(_, inner)| cost(inner)) else {
            return best;
        };
        // A list of many items alike is cut itself.
        if is_list && 2 * cost(inner) < whole {
            return best;
        }
        path.push('/');
        path.push_str(&name);
        here = inner;
    }
}

/// A name in a JSON pointer.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rows(count: usize) -> Vec<Value> {
        (0..count)
            .map(|n| json!({ "number": n, "white": "Somebody, Else" }))
            .collect()
    }

    #[test]
    fn nothing_is_cut_that_fits() {
        let lists = CutLists::default();
        let answer = json!({ "rows": rows(10) });
        assert_eq!(lists.fit(answer.clone()), answer);
    }

    #[test]
    fn the_rest_of_a_list_comes_by_cursors() {
        let lists = CutLists::default();
        let answer = lists.fit(json!({ "rows": rows(5_000), "whole": true }));
        assert!(cost(&answer) <= ANSWER - AROUND);
        let shown = answer["rows"].as_array().expect("rows");
        let cut = &answer["cut"][0];
        assert_eq!(cut["path"], "/rows");
        assert_eq!(cut["shown"], shown.len());
        assert_eq!(cut["total"], 5_000);
        let mut all = shown.clone();
        let mut cursor = cut["cursor"].as_str().map(str::to_owned);
        while let Some(next) = cursor {
            let more = lists.more(&next).expect("more");
            assert!(cost(&more) <= ANSWER - AROUND);
            assert_eq!(more["from"], all.len());
            all.extend(more["items"].as_array().expect("items").clone());
            cursor = more["next"].as_str().map(str::to_owned);
        }
        assert_eq!(all, rows(5_000));
    }

    #[test]
    fn inner_lists_and_texts_are_cut_where_they_are_long() {
        let lists = CutLists::default();
        let answer = lists.fit(json!({ "tables": [{ "rows": rows(4_000) }, { "rows": rows(3) }] }));
        assert_eq!(answer["cut"][0]["path"], "/tables/0/rows");
        assert_eq!(
            answer["tables"][1]["rows"].as_array().map(Vec::len),
            Some(3)
        );
        let text = "ä\"".repeat(100_000);
        let answer = lists.fit(json!({ "nodes": [{ "comment": text }] }));
        assert!(cost(&answer) <= ANSWER - AROUND);
        assert_eq!(answer["cut"][0]["total"], 200_000);
        let (mut whole, mut cursor) = (
            String::new(),
            answer["cut"][0]["cursor"].as_str().map(str::to_owned),
        );
        while let Some(next) = cursor {
            let more = lists.more(&next).expect("more");
            for piece in more["items"].as_array().expect("items") {
                whole.push_str(piece.as_str().expect("text"));
            }
            cursor = more["next"].as_str().map(str::to_owned);
        }
        assert_eq!(whole, text);
    }

    #[test]
    fn cursors_that_nobody_gave_are_refused() {
        let lists = CutLists::default();
        for wrong in ["", "c", "c1.0", "1.0", "c99999999999999999999.0", "c1.x"] {
            assert_eq!(
                lists.more(wrong).expect_err(wrong).code(),
                "cursor-forgotten"
            );
        }
    }
}
