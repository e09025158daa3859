//! Charsets: nothing in the files says one, so that a sample of names and texts decides.

use tabiya_model::charset::Charset;

use crate::cbh::annotations::{self, CbhAnnotation};
use crate::cbh::base::CbhReader;
use crate::cbh::entities::{self, CbhEntityTable};
use crate::cbh::layout::{CbhAnnotationHead, CbhMoveHead, CbhRecord};
use crate::cbh::sample::sample;
use crate::cbh::text::{self, CbhCharsetEvidence, CbhTextCharsets, CbhTextEvidence};

impl CbhReader {
    /// The charset of names that are not UTF-8.
    #[inline]
    pub fn charset(&self) -> Charset {
        self.names_charset().0
    }

    pub(in crate::cbh) fn names_charset(&self) -> (Charset, &'static str) {
        *self.names_charset.get_or_init(|| {
            if let Some(charset) = self.options.encoding {
                return (charset, "as requested");
            }
            let mut evidence = CbhCharsetEvidence::default();
            for table in [
                CbhEntityTable::Players,
                CbhEntityTable::Tournaments,
                CbhEntityTable::Annotators,
                CbhEntityTable::Sources,
                CbhEntityTable::Teams,
            ] {
                let entities = self.entities(table);
                for number in sample(u64::from(entities.count())) {
                    let number = u32::try_from(number).unwrap_or(u32::MAX);
                    let Some(data) = entities.get(number) else {
                        continue;
                    };
                    let (first, second) = match table {
                        CbhEntityTable::Players => ((0, 30), (30, 20)),
                        CbhEntityTable::Tournaments => ((0, 40), (40, 30)),
                        CbhEntityTable::Sources => ((0, 25), (25, 16)),
                        _ => ((0, 45), (0, 0)),
                    };
                    for (at, length) in [first, second] {
                        let name = entities::field(data, at, length);
                        if !name.bytes.is_ascii() && name.utf8().is_none() {
                            evidence.add(name.bytes);
                        }
                    }
                }
            }
            match evidence.guess() {
                Some(charset) => (charset, "detected"),
                // Names are mostly of the same hand as the texts.
                None => match self.text_evidence().all_guess() {
                    Some(charset) => (charset, "detected from the text"),
                    None => (text::DEFAULT, text::ASSUMED),
                },
            }
        })
    }

    /// What a sample of all texts says about charsets.
    fn text_evidence(&self) -> CbhTextEvidence {
        let mut evidence = CbhTextEvidence::default();
        for number in sample(self.count).map(|number| number + 1) {
            match self.record(number) {
                Some(CbhRecord::Game(game)) if game.annotations != 0 => {
                    let Some(file) = &self.annotations else {
                        continue;
                    };
                    let offset = self.annotations_offset(number, game.annotations);
                    let bytes = usize::try_from(offset)
                        .ok()
                        .and_then(|at| file.bytes.get(at..));
                    let Some((bytes, head)) =
                        bytes.and_then(|it| Some((it, CbhAnnotationHead::decode(it)?)))
                    else {
                        continue;
                    };
                    // What does not name its game may be anything.
                    let end = (head.size as usize).min(1 << 20).min(bytes.len());
                    if head.mark != CbhAnnotationHead::MARK {
                        continue;
                    }
                    let items = bytes.get(CbhAnnotationHead::LENGTH..end).unwrap_or(&[]);
                    for item in annotations::items(items) {
                        if let Some(CbhAnnotation::Text(text)) = item.note() {
                            evidence.add(text.nation, text.bytes);
                        }
                    }
                }
                Some(CbhRecord::Text(text)) => {
                    let Some((head, bytes)) = self.move_bytes(self.moves_offset(number, text.body))
                    else {
                        continue;
                    };
                    let end = (head.size as usize).min(bytes.len());
                    let body = bytes.get(CbhMoveHead::LENGTH..end).unwrap_or(&[]);
                    let (guiding, _) = text::guiding(body);
                    for (_, title) in &guiding.titles {
                        evidence.add(0, title);
                    }
                    for content in &guiding.contents {
                        evidence.add(0, content.text);
                    }
                }
                _ => {}
            }
        }
        evidence
    }

    /// The charsets of texts that are not UTF-8.
    pub fn text_charsets(&self) -> &CbhTextCharsets {
        self.texts.get_or_init(|| match self.options.encoding {
            Some(charset) => CbhTextCharsets::fixed(charset),
            None => CbhTextCharsets::of(&self.text_evidence(), self.names_charset()),
        })
    }

    /// The charset of texts in a language that are not UTF-8.
    #[inline]
    pub fn text_charset(&self, nation: u8) -> Charset {
        self.text_charsets().get(nation)
    }
}
