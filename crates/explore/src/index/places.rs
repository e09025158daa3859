//! Where the games of the database stand, for formats that would have to walk over a file to find out.

use tabiya_model::places::Places;

use super::coding::{Bytes, Damaged, push_number, push_rising, read_rising};

/// Games whose places count from the first of them.
const RUN: usize = 1 << 12;

/// The places as bytes; nothing where there are none, or where a run of games is too large.
pub(super) fn to_bytes(places: Option<&Places>) -> Vec<u8> {
    let mut out = Vec::new();
    if let Some(places) = places
        && push(&mut out, places).is_none()
    {
        out.clear();
    }
    out
}

fn push(out: &mut Vec<u8>, places: &Places) -> Option<()> {
    push_number(out, places.bytes.len() as u64);
    push_number(out, places.end);
    push_number(out, places.about.len() as u64);
    out.extend_from_slice(places.about.as_bytes());
    let mut coded = Vec::new();
    for (bytes, lines) in places.bytes.chunks(RUN).zip(places.lines.chunks(RUN)) {
        // Several games may begin in one line; each counts one more so that the numbers rise.
        for (numbers, more) in [(bytes, 0), (lines, 1)] {
            let first = *numbers.first()?;
            let relative: Option<Vec<u32>> = (0..)
                .zip(numbers)
                .map(|(index, number)| {
                    let number = number.checked_sub(first)?.checked_add(index * more)?;
                    u32::try_from(number).ok()
                })
                .collect();
            coded.clear();
            push_rising(&mut coded, &relative?);
            push_number(out, first);
            push_number(out, coded.len() as u64);
            out.extend_from_slice(&coded);
        }
    }
    Some(())
}

/// Reads what [`to_bytes`] wrote.
pub(super) fn read(bytes: &[u8]) -> Result<Places, Damaged> {
    let mut bytes = Bytes(bytes);
    let count = bytes.size()?;
    let end = bytes.number()?;
    let length = bytes.size()?;
    let about = std::str::from_utf8(bytes.take(length)?).map_err(|_| Damaged)?;
    let mut places = Places {
        end,
        about: about.to_owned(),
        ..Places::default()
    };
    while places.bytes.len() < count {
        let games = (count - places.bytes.len()).min(RUN);
        for (numbers, more) in [(&mut places.bytes, 0), (&mut places.lines, 1)] {
            let first = bytes.number()?;
            let length = bytes.size()?;
            let mut index = 0;
            read_rising(bytes.take(length)?, games, 1 << 32, |number| {
                numbers.push(first.saturating_add(number.saturating_sub(index * more)));
                index += 1;
            })?;
        }
    }
    if bytes.0.is_empty() {
        Ok(places)
    } else {
        Err(Damaged)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn no_places_are_no_bytes() {
        assert!(to_bytes(None).is_empty());
        assert_eq!(read(&[]), Err(Damaged));
        let far = Places {
            bytes: vec![0, 1 << 33],
            lines: vec![1, 2],
            ..Places::default()
        };
        assert!(to_bytes(Some(&far)).is_empty());
    }

    proptest! {
        #[test]
        fn places_come_back(games in prop::collection::vec((1..5000_u64, 0..40_u64), 0..9000), start in 0..1_u64 << 40) {
            let (mut byte, mut line) = (start, 1);
            let mut places = Places { about: "cp1252".to_owned(), ..Places::default() };
            for (length, lines) in games {
                places.bytes.push(byte);
                places.lines.push(line);
                byte += length;
                line += lines;
            }
            places.end = byte;
            prop_assert_eq!(read(&to_bytes(Some(&places))), Ok(places));
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            if let Ok(places) = read(&bytes) {
                prop_assert_eq!(places.bytes.len(), places.lines.len());
            }
        }
    }
}
