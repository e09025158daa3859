//! Checks beyond reading: the index is compared with the games.

use tabiya_model::{Diagnostics, Game, Location};

use super::codes;
use super::encode::{MAX_SI4_TAG, ScidDerivedFields};
use super::layout::{
    BLOCK, ScidEntry, ScidNameKind, ScidVersion, decode_count, encode_count, flag,
};
use super::reader::ScidReader;
use super::record::{ScidExtraTag, ScidRecordSummary, flags};
use super::salvage::search::records_from;

/// The highest rating that Scid accepts.
const MAX_RATING: u16 = 4000;

/// Checks the container of a database.
pub fn container(base: &ScidReader) -> Diagnostics {
    let mut found = Diagnostics::default();
    let index = base.files().index.display().to_string();
    if base.count() > base.version().game_limit() {
        found.report(
            &codes::TOO_MANY_GAMES,
            || Location::default().in_file(&index),
            || format!("{} games", base.count()),
        );
    }
    autoload(base, &index, &mut found);
    frequencies(base, &mut found);
    spans(base, &mut found);
    found
}

fn autoload(base: &ScidReader, index: &str, found: &mut Diagnostics) {
    let value = match base.header() {
        // Programs that count from 2 add one more for the last game.
        Some(header) => u64::from(header.autoload).saturating_sub(1),
        None => {
            let text = base.names().info("autoload").unwrap_or(b"0");
            std::str::from_utf8(text)
                .ok()
                .and_then(|text| text.trim().parse().ok())
                .unwrap_or(0)
        }
    };
    if value > base.count().max(1) {
        found.report(
            &codes::AUTOLOAD,
            || Location::default().in_file(index),
            || format!("game {value} of {}", base.count()),
        );
    }
}

/// Compares the frequencies of an si4 name file with the uses in the index.
fn frequencies(base: &ScidReader, found: &mut Diagnostics) {
    let names = base.names();
    let Some(claimed) = &names.frequencies else {
        return;
    };
    let mut uses: [Vec<u32>; 4] = ScidNameKind::ALL.map(|kind| vec![0; names.len(kind)]);
    for number in 1..=base.count() {
        let Some(entry) = base.entry(number) else {
            continue;
        };
        for (kind, black) in [
            (ScidNameKind::Player, false),
            (ScidNameKind::Player, true),
            (ScidNameKind::Event, false),
            (ScidNameKind::Site, false),
            (ScidNameKind::Round, false),
        ] {
            let list = uses.get_mut(kind as usize);
            let id = usize::try_from(entry.name(kind, black)).unwrap_or(usize::MAX);
            if let Some(count) = list.and_then(|list| list.get_mut(id)) {
                *count = count.saturating_add(1);
            }
        }
    }
    let file = base.files().names.display().to_string();
    for ((kind, uses), claimed) in ScidNameKind::ALL.into_iter().zip(&uses).zip(claimed) {
        for ((id, uses), claimed) in (0_u32..).zip(uses).zip(claimed) {
            // The field has three bytes at most.
            if *claimed != (*uses).min(0xff_ffff) {
                found.report(
                    &codes::NAME_FREQUENCY,
                    || Location::default().in_file(&file),
                    || {
                        format!(
                            "{} {id} is used {uses} times, but the file says {claimed}",
                            kind.word()
                        )
                    },
                );
            }
        }
    }
}

/// Searches for records that overlap, and for bytes between them that belong to none.
fn spans(base: &ScidReader, found: &mut Diagnostics) {
    let Ok(games) = base.games() else { return };
    let file = base.files().games.display().to_string();
    let mut spans: Vec<(u64, u64, u64)> = (1..=base.count())
        .filter_map(|number| {
            let entry = base.entry(number)?;
            let end = entry.offset.saturating_add(u64::from(entry.length));
            (entry.length > 0 && end <= games.size()).then_some((entry.offset, end, number))
        })
        .collect();
    spans.sort_unstable();
    let behind = spans.iter().map(|(_, stop, _)| *stop).max().unwrap_or(0);
    let (mut end, mut last) = (0_u64, 0);
    let (mut unused, mut first_unused) = (0_u64, None);
    for (start, stop, number) in spans.into_iter().chain([(games.size(), games.size(), 0)]) {
        if start < end {
            if number != 0 {
                found.report(
                    &codes::SHARED_BYTES,
                    || {
                        Location {
                            byte: Some(start),
                            ..Location::game(number)
                        }
                        .in_file(&file)
                    },
                    || format!("its record begins within that of game {last}"),
                );
            }
        } else if start > end {
            // Padding up to the end of a block is not a loss: the record did not fit into it.
            let block = block_of(base.version());
            let is_padding = start % block == 0 && end / block == (start - 1) / block;
            let is_header = end == 0 && start == 10;
            if !is_padding && !is_header {
                unused += start - end;
                first_unused = first_unused.or(Some(end));
            }
        }
        if stop > end {
            (end, last) = (stop, number);
        }
    }
    find_lost_games(base, behind, &file, found);
    if let Some(at) = first_unused {
        found.report(
            &codes::UNUSED_BYTES,
            || Location::byte(at).in_file(&file),
            || format!("{unused} bytes"),
        );
    }
}

/// Searches for games after the last one of the index. Replaced records precede it: the end of the file belongs to the game
/// that was written last.
fn find_lost_games(base: &ScidReader, end: u64, file: &str, found: &mut Diagnostics) {
    let Ok(games) = base.games() else { return };
    if end >= games.size() {
        return;
    }
    let mut buffer = Vec::new();
    let length = u32::try_from(games.size() - end).unwrap_or(u32::MAX);
    let Ok(rest) = games.get(end, length, &mut buffer) else {
        return;
    };
    let lost = records_from(base.version(), end, rest, base.options());
    if !lost.is_empty() {
        found.report(
            &codes::LOST_ENTRIES,
            || Location::byte(end).in_file(file),
            || format!("{} games from there on", lost.len()),
        );
    }
}

fn block_of(version: ScidVersion) -> u64 {
    match version {
        ScidVersion::Si3 => 1 << 15,
        ScidVersion::Si4 | ScidVersion::Si5 => BLOCK,
    }
}

/// Searches for an extra tag that Scid 4.7 cannot show.
pub fn extra_tag(base: &ScidReader, tag: &ScidExtraTag<'_>, game: &mut Game) {
    let name = tag.name.bytes();
    let length = name.len() + tag.value.len();
    if base.version() == ScidVersion::Si5 || length <= MAX_SI4_TAG {
        return;
    }
    let number = game.origin.number;
    game.diagnostics.report(
        &codes::LONG_TAG,
        || Location::game(number),
        || format!("{length} bytes: {}", String::from_utf8_lossy(name)),
    );
}

/// Checks the index entry of a game that was read completely.
pub fn game(base: &ScidReader, entry: &ScidEntry, seen: &ScidRecordSummary, game: &mut Game) {
    let number = game.origin.number;
    let mut found = Diagnostics::default();
    if base.version() != ScidVersion::Si3 && entry.length > 0 {
        let last = entry.offset.saturating_add(u64::from(entry.length) - 1);
        if entry.offset / BLOCK != last / BLOCK {
            found.report(
                &codes::RECORD_CROSSES_BLOCK,
                || Location {
                    byte: Some(entry.offset),
                    ..Location::game(number)
                },
                || format!("{} bytes from byte {} on", entry.length, entry.offset),
            );
        }
    }
    for (what, date) in [
        ("date", Some(entry.date())),
        ("event date", entry.event_date()),
    ] {
        if let Some(date) = date.filter(|date| !date.is_valid()) {
            found.report(
                &codes::BAD_DATE,
                || Location::game(number),
                || format!("{what} {date}"),
            );
        }
    }
    for rating in [entry.white_rating, entry.black_rating] {
        if rating > MAX_RATING {
            found.report(
                &codes::HIGH_RATING,
                || Location::game(number),
                || rating.to_string(),
            );
        }
    }
    if !seen.damaged {
        derived(entry, seen, game, &mut found);
    }
    game.diagnostics.append(&found);
}

/// Compares the fields that follow from the moves.
fn derived(entry: &ScidEntry, seen: &ScidRecordSummary, game: &Game, found: &mut Diagnostics) {
    let truth = ScidDerivedFields::of(game);
    let setup = seen.flags & flags::FEN != 0;
    let mut right = *entry;
    truth.apply(&mut right);
    right.flags = right.flags & !flag::SETUP | if setup { flag::SETUP } else { 0 };
    let mut report = |hides: bool, what: String| {
        let code = if hides {
            &codes::HIDDEN_GAME
        } else {
            &codes::WRONG_FIELD
        };
        found.report(code, || Location::game(game.origin.number), || what);
    };
    let used = |entry: &ScidEntry| {
        let nibble = |at: u8| {
            let byte = entry.home.get(usize::from(at >> 1)).copied().unwrap_or(0);
            if at & 1 == 0 { byte >> 4 } else { byte & 15 }
        };
        (0..entry.home_count.min(16))
            .map(nibble)
            .collect::<Vec<_>>()
    };
    if entry.flags & flag::SETUP != right.flags & flag::SETUP {
        let says = if setup {
            "a custom starting position"
        } else {
            "the normal starting position"
        };
        report(
            true,
            format!("the record has {says}, but the index has not"),
        );
    }
    if !setup && (entry.home_count != right.home_count || used(entry) != used(&right)) {
        report(
            true,
            format!(
                "home pawns are {:?} but should be {:?}",
                used(entry),
                used(&right)
            ),
        );
    }
    if entry.stored_line != right.stored_line {
        // No line is always safe; with a wrong one, Scid answers without reading the game.
        let (is, should) = (entry.stored_line, right.stored_line);
        report(
            is != 0,
            format!("the stored line is {is} but should be {should}"),
        );
    }
    if entry.material != right.material {
        let (is, should) = (entry.material, right.material);
        report(
            true,
            format!("the final material is {is:06x} but should be {should:06x}"),
        );
    }
    let promotions = flag::PROMOTION | flag::UNDER_PROMOTION;
    if (entry.flags ^ right.flags) & promotions != 0 {
        report(true, "the promotion flags are wrong".to_owned());
    }
    let mut recorded = 0;
    if seen.flags & flags::PROMOTION != 0 {
        recorded |= flag::PROMOTION;
    }
    if seen.flags & flags::UNDER_PROMOTION != 0 {
        recorded |= flag::UNDER_PROMOTION;
    }
    if recorded != right.flags & promotions {
        report(
            false,
            "the promotion flags in the record are wrong".to_owned(),
        );
    }
    if entry.plies != right.plies {
        let (is, should) = (entry.plies, right.plies);
        report(
            false,
            format!("the number of plies is {is} but should be {should}"),
        );
    }
    for (what, is, should) in [
        ("variations", entry.variations, truth.variations),
        ("comments", entry.comments, truth.comments),
        ("NAGs", entry.nags, truth.nags),
    ] {
        if is != encode_count(should) {
            let shown = decode_count(is);
            report(
                false,
                format!("the number of {what} is {shown} but should be {should}"),
            );
        }
    }
}
