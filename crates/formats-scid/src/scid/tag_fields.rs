//! The texts of fields of the index: dates, ECO codes and flags.

use tabiya_model::eco::EcoCode;

use super::layout::flag;

/// The index field for the text of a date: its readable part, or 0.
pub fn date_field(text: &str) -> u32 {
    match tabiya_model::date::Date::read(text) {
        Some((date, _)) => date.to_scid().unwrap_or(0),
        None => 0,
    }
}

/// The index field for the text of an ECO code.
pub fn eco_field(text: &str) -> u16 {
    match EcoCode::read(text) {
        Some((eco, _)) => eco.to_scid(),
        None => 0,
    }
}

/// Adds a number, padded with zeros to a number of digits.
pub(super) fn push_number(number: u32, digits: usize, out: &mut String) {
    let mut reversed = [b'0'; 10];
    let mut rest = number;
    let mut count = 0;
    for slot in &mut reversed {
        if rest == 0 && count >= digits {
            break;
        }
        *slot = b'0' + u8::try_from(rest % 10).unwrap_or(0);
        rest /= 10;
        count += 1;
    }
    out.extend(reversed.iter().take(count).rev().map(|b| char::from(*b)));
}

/// Scid's 20 bits as a PGN date.
pub fn date_text(bits: u32, out: &mut String) -> &str {
    out.clear();
    let (year, month, day) = (bits >> 9 & 0x7ff, bits >> 5 & 15, bits & 31);
    for (value, digits) in [(year, 4), (month, 2), (day, 2)] {
        if digits == 2 {
            out.push('.');
        }
        if value == 0 {
            out.push_str(if digits == 4 { "????" } else { "??" });
        } else {
            push_number(value, digits, out);
        }
    }
    out
}

/// An ECO code as text.
pub(super) fn eco_text(eco: EcoCode, out: &mut String) -> &str {
    use std::fmt::Write;
    out.clear();
    // Writing to a string cannot fail.
    let _ = write!(out, "{eco}");
    out
}

/// The letters of the flags that users set, including deletion.
pub fn flag_text(flags: u32, out: &mut String) -> &str {
    out.clear();
    for (bit, letter) in flag::LETTERS.iter().enumerate() {
        let bit = 1_u32 << bit;
        if flags & bit != 0 && bit & flag::DERIVED == 0 {
            out.push(char::from(*letter));
        }
    }
    out
}
