//! The fields of a game in JSON: objects flattened into names such as `players.white.rating`, with unchanged values.

use tabiya_model::charset::Charset;
use tabiya_model::json::{JsonFault, JsonScanner, push_text};
use tabiya_model::tags::Tags;

/// The tag that keeps, as a JSON object, the fields of a game that have no tag of their own.
pub const FIELDS_TAG: &str = "SiteFields";

/// Nested objects are flattened to this depth; deeper ones stay whole.
const DEPTH: usize = 6;

/// One field.
struct SiteField<'a> {
    name: String,
    value: &'a [u8],
}

/// The fields that have not been used yet.
#[derive(Default)]
pub(crate) struct SiteFields<'a> {
    fields: Vec<SiteField<'a>>,
    /// Unused parts of fields, as JSON.
    parts: Vec<(String, Vec<u8>)>,
}

/// Where fields became unreadable: the error, and the place after the last field that was read.
pub(crate) struct SiteFault {
    pub(crate) fault: JsonFault,
    pub(crate) rest: usize,
}

impl<'a> SiteFields<'a> {
    /// Flattens an object. Fields before an error are kept.
    pub(crate) fn read(object: &'a [u8]) -> (SiteFields<'a>, Option<SiteFault>) {
        let mut fields = SiteFields::default();
        let mut scan = JsonScanner::new(object);
        let mut rest = 0;
        let fault = fields.object(object, &mut scan, &mut rest).err();
        (fields, fault.map(|fault| SiteFault { fault, rest }))
    }

    fn object(
        &mut self,
        object: &'a [u8],
        scan: &mut JsonScanner<'a>,
        rest: &mut usize,
    ) -> Result<(), JsonFault> {
        scan.expect(b'{', "an object")?;
        // The names of the enclosing objects, and whether a member of each was read.
        let mut around: Vec<(usize, bool)> = vec![(0, true)];
        let mut prefix = String::new();
        while let Some((length, first)) = around.last_mut() {
            prefix.truncate(*length);
            scan.peek();
            *rest = scan.at();
            let Some(name) = scan.member(std::mem::take(first))? else {
                around.pop();
                continue;
            };
            let is_object = scan.peek() == Some(b'{');
            let before = prefix.len();
            let name = name.to_text();
            if is_object && around.len() < DEPTH {
                prefix.push_str(&name);
                prefix.push('.');
                scan.expect(b'{', "an object")?;
                if scan.peek() == Some(b'}') {
                    // An empty object is a value: otherwise there would be no trace of it.
                    self.push(&prefix[..prefix.len() - 1], b"{}");
                }
                around.push((prefix.len(), true));
                continue;
            }
            let start = scan.at();
            scan.skip()?;
            let value = object.get(start..scan.at()).unwrap_or_default();
            prefix.push_str(&name);
            self.push(&prefix, value);
            prefix.truncate(before);
        }
        *rest = scan.at();
        match scan.peek() {
            None => Ok(()),
            Some(_) => Err(scan.fault("the end of the game")),
        }
    }

    fn push(&mut self, name: &str, value: &'a [u8]) {
        self.fields.push(SiteField {
            name: name.to_owned(),
            value,
        });
    }

    /// The unchanged value of a field, which stays.
    pub(crate) fn raw(&self, name: &str) -> Option<&'a [u8]> {
        let found = self.fields.iter().find(|field| field.name == name)?;
        Some(found.value)
    }

    /// The text of a field, which stays.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        let value = self.raw(name)?;
        let mut scan = JsonScanner::new(value);
        Some(scan.text().ok()?.to_text())
    }

    /// The integer of a field, which stays.
    pub(crate) fn number(&self, name: &str) -> Option<i64> {
        std::str::from_utf8(self.raw(name)?).ok()?.parse().ok()
    }

    /// Marks a field as used.
    pub(crate) fn done(&mut self, name: &str) {
        if let Some(at) = self.fields.iter().position(|field| field.name == name) {
            self.fields.remove(at);
        }
    }

    /// Takes the text of a field.
    pub(crate) fn take_text(&mut self, name: &str) -> Option<String> {
        let text = self.text(name)?;
        self.done(name);
        Some(text)
    }

    /// Takes a field that is a number or a text, in the form of a tag.
    pub(crate) fn take_value(&mut self, name: &str) -> Option<String> {
        let value = self.raw(name)?;
        let text = match value.first()? {
            b'"' => self.text(name)?,
            b'{' | b'[' | b'n' => return None,
            _ => std::str::from_utf8(value).ok()?.to_owned(),
        };
        self.done(name);
        Some(text)
    }

    /// Keeps a part of a field that is not in the game.
    pub(crate) fn keep(&mut self, name: String, value: Vec<u8>) {
        self.parts.push((name, value));
    }

    /// Moves unused fields to those of the enclosing object.
    pub(crate) fn move_to(self, around: &mut SiteFields<'_>, prefix: &str) {
        for field in self.fields {
            around.keep(format!("{prefix}{}", field.name), field.value.to_vec());
        }
        around.parts.extend(self.parts);
    }

    /// The unused fields, as a JSON object.
    pub(crate) fn into_json(self) -> Option<Vec<u8>> {
        if self.fields.is_empty() && self.parts.is_empty() {
            return None;
        }
        let mut text = vec![b'{'];
        let mut add = |name: &str, value: &[u8]| {
            if text.len() > 1 {
                text.push(b',');
            }
            push_text(name, &mut text);
            text.push(b':');
            // Line ends between values have no meaning, and a tag has one line.
            text.extend(value.iter().map(|&byte| match byte {
                b'\n' | b'\r' | b'\t' => b' ',
                other => other,
            }));
        };
        for field in &self.fields {
            add(&field.name, field.value);
        }
        for (name, value) in &self.parts {
            add(name, value);
        }
        text.push(b'}');
        Some(text)
    }

    /// Puts the unused fields into the tag.
    pub(crate) fn push_rest(self, tags: &mut Tags) {
        if let Some(text) = self.into_json() {
            tags.push_bytes(FIELDS_TAG.as_bytes(), &text, Charset::Utf8);
        }
    }
}

/// The unchanged elements of an array; empty if it is not an array.
pub(crate) fn elements(array: &[u8]) -> Vec<&[u8]> {
    let mut scan = JsonScanner::new(array);
    let mut found = Vec::new();
    if !scan.take(b'[') {
        return found;
    }
    let mut first = true;
    while let Ok(true) = scan.element(std::mem::take(&mut first)) {
        scan.peek();
        let start = scan.at();
        if scan.skip().is_err() {
            break;
        }
        found.push(array.get(start..scan.at()).unwrap_or_default());
    }
    found
}

/// Elements as an array again.
pub(crate) fn array(elements: &[&[u8]]) -> Vec<u8> {
    let mut text = vec![b'['];
    for (at, element) in elements.iter().enumerate() {
        if at > 0 {
            text.push(b',');
        }
        text.extend_from_slice(element);
    }
    text.push(b']');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_taken_apart_and_nothing_is_forgotten() {
        let text = br#"{"a":{"b":{"c":1,"d":"x"},"e":{}},"f":[1,{"g":2}],"a":true}"#;
        let (mut fields, fault) = SiteFields::read(text);
        assert!(fault.is_none());
        assert_eq!(fields.number("a.b.c"), Some(1));
        assert_eq!(fields.take_text("a.b.d").as_deref(), Some("x"));
        assert_eq!(fields.raw("a.e"), Some(&b"{}"[..]));
        assert_eq!(fields.raw("f"), Some(&br#"[1,{"g":2}]"#[..]));
        let mut tags = Tags::default();
        fields.push_rest(&mut tags);
        assert_eq!(
            tags.value(FIELDS_TAG),
            r#"{"a.b.c":1,"a.e":{},"f":[1,{"g":2}],"a":true}"#
        );
    }

    #[test]
    fn what_comes_before_a_fault_is_read_and_its_rest_is_told() {
        let text = br#"{"a":1,"b":{"c":2,"d":nothing}}"#;
        let (fields, fault) = SiteFields::read(text);
        let fault = fault.expect("a fault");
        assert_eq!(fields.number("b.c"), Some(2));
        assert_eq!(text.get(fault.rest..), Some(&br#","d":nothing}}"#[..]));
        for end in 0..text.len() {
            let (_, fault) = SiteFields::read(&text[..end]);
            assert!(fault.is_some(), "cut at {end}");
        }
    }

    #[test]
    fn arrays_are_taken_apart_and_put_together() {
        let text = br#"[ {"eval":1}, 2 ,"],["]"#;
        let found = elements(text);
        assert_eq!(found.len(), 3);
        assert_eq!(array(&found), br#"[{"eval":1},2,"],["]"#);
        assert!(elements(b"7").is_empty());
    }
}
