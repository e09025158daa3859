//! `.2lgd`: which games every name has, in lists of three forms.

use super::Cbh2GameTally;
use crate::cbh2::name_roles::Cbh2NameRole;
use crate::counted::counted;

const HEADER: usize = 12;
/// The bytes of a record: the heads of the lists of a name, and a block of some list.
const RECORD: usize = 512;
/// The first slot of a block.
const BLOCK: usize = 32;
/// The numbers of a block, behind the next block and the count.
const IDS: usize = 30;
/// What marks one or two numbers.
const FEW: i64 = 1 << 62;
/// What marks numbers that follow each other.
const RUN: i64 = 1 << 61;

/// A slot of a record.
fn slot(file: &[u8], record: i64, slot: usize) -> Option<i64> {
    let record = usize::try_from(record).ok()?.checked_mul(RECORD)?;
    let at = record.checked_add(HEADER + 8 * slot)?;
    file.get(at..)?
        .first_chunk()
        .copied()
        .map(i64::from_le_bytes)
}

/// Compares the lists of a role with the games that the headers give to each name.
pub(super) fn compare(
    file: &[u8],
    role: Cbh2NameRole,
    tallies: &[Cbh2GameTally],
) -> Result<(), String> {
    let place = role as usize + 1;
    let mut wrong = 0_u64;
    let mut first = None;
    for (id, tally) in (0..).zip(tallies) {
        let found = list(file, id, place, tally.count);
        if found.as_ref().ok() != Some(tally) {
            wrong += 1;
            first.get_or_insert_with(|| match found {
                Ok(found) => format!(
                    "{id} lists {}, but has {}",
                    counted(found.count, "game", "games"),
                    tally.count
                ),
                Err(problem) => format!("{id}: {problem}"),
            });
        }
    }
    match first {
        Some(first) => Err(format!("{wrong} of {} names; {first}", tallies.len())),
        None => Ok(()),
    }
}

/// The games of a list. No more of it is looked at than one more than there should be.
fn list(file: &[u8], id: i64, role: usize, expected: u64) -> Result<Cbh2GameTally, &'static str> {
    let mut tally = Cbh2GameTally::default();
    let head = |place: usize| slot(file, id, place);
    let Some((first, last)) = head(role).zip(head(10 + role)) else {
        // The file ends with the last name that has games.
        return Ok(tally);
    };
    let counted = head(20 + role).and_then(|count| u64::try_from(count).ok());
    let mut add = |number: i64| -> Result<bool, &'static str> {
        let number = u64::try_from(number).map_err(|_| "a negative number")?;
        tally.add(number);
        Ok(tally.count <= expected)
    };
    if first == -1 {
    } else if first >= FEW {
        add(first - FEW)?;
        if last != -1 {
            add(last)?;
        }
    } else if first >= RUN {
        for number in first - RUN..=last - RUN {
            if !add(number)? {
                break;
            }
        }
    } else {
        let mut block = first;
        let mut before = 0;
        'blocks: while block != -1 {
            let count = slot(file, block, BLOCK + 1).ok_or("a block outside the file")?;
            let count = usize::try_from(count)
                .ok()
                .filter(|count| (1..=IDS).contains(count));
            for place in 0..count.ok_or("a block without games")? {
                let number = slot(file, block, BLOCK + 2 + place).ok_or("an incomplete block")?;
                if number < before {
                    return Err("the games are not in order");
                }
                before = number;
                if !add(number)? {
                    break 'blocks;
                }
            }
            block = slot(file, block, BLOCK).ok_or("a block outside the file")?;
        }
    }
    match counted == Some(tally.count) {
        true => Ok(tally),
        false => Err("the count of its games is wrong"),
    }
}
