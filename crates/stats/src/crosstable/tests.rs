//! Tables of small events whose figures were reckoned by hand.

use tabiya_model::outcome::Outcome;

use super::*;

/// Games of `White, Black, result, round, date`, with the ratings of each player.
fn gathered(games: &[[&str; 5]], elos: &[(&str, u16)]) -> Gathered {
    let mut gathered = Gathered::default();
    let elo = |name: &str| {
        let known = elos.iter().find(|(known, _)| *known == name);
        known.map_or(0, |(_, elo)| *elo)
    };
    for ([white, black, result, round, date], number) in games.iter().zip(1..) {
        gathered.push_for_test(
            [white, black, "Open", "Here", round],
            Entry {
                base: 0,
                number,
                players: [0; 2],
                event: 0,
                site: 0,
                round: 0,
                elos: [elo(white), elo(black)],
                date: Date::parse(date).unwrap_or_default(),
                event_date: None,
                outcome: match *result {
                    "1" => Outcome::WhiteWins,
                    "0" => Outcome::BlackWins,
                    "½" => Outcome::Draw,
                    _ => Outcome::Unknown,
                },
                plies: None,
            },
        );
    }
    gathered
}

fn table(games: &[[&str; 5]], elos: &[(&str, u16)]) -> Crosstable {
    let gathered = gathered(games, elos);
    let events = events(&gathered);
    let [event] = &events[..] else {
        panic!("{} events", events.len());
    };
    Crosstable::new(&gathered, event, &Teams::new(), &Options::default())
}

const DAY: &str = "2001.05.01";

#[test]
fn four_players_all_play_all() {
    let games = [
        ["A", "B", "1", "1", DAY],
        ["C", "D", "½", "1", DAY],
        ["A", "C", "½", "2", DAY],
        ["B", "D", "1", "2", DAY],
        ["D", "A", "0", "3", DAY],
        ["C", "B", "0", "3", DAY],
    ];
    let table = table(
        &games,
        &[("A", 2500), ("B", 2400), ("C", 2300), ("D", 2200)],
    );
    assert_eq!(table.kind, Kind::AllPlayAll(1));
    assert!(table.faults.is_empty(), "{:?}", table.faults);
    let rows: Vec<_> = table
        .players
        .iter()
        .map(|one| (&*one.name, one.rank, one.half_points))
        .collect();
    assert_eq!(rows, [("A", 1, 5), ("B", 2, 4), ("C", 3, 2), ("D", 4, 1)]);
    let first = &table.players[0];
    // B's 2 and D's half, and half of C's 1.
    assert_eq!(first.sonneborn_berger, 2 * 4 + 2 + 2);
    assert_eq!(first.buchholz, 4 + 2 + 1);
    // 2300 on the average, five sixths are 83 per cent: 273.
    assert_eq!(
        (first.opponents, first.performance),
        (Some(2300), Some(2573))
    );
    // 2.5 - (0.64 + 0.76 + 0.85), ten times.
    assert_eq!(first.change, Some(250));
    assert_eq!(
        table.cells()[0],
        [
            "1", "A", "2500", "■", "1", "½", "1", "2½", "3", "3", "0", "2", "2573", "+2.5"
        ]
    );
}

#[test]
fn what_is_wrong_is_named() {
    let games = [
        ["A", "B", "1", "1", DAY],
        ["A", "B", "1", "1", DAY],
        ["C", "D", "½", "1", DAY],
        ["C", "D", "1", "1", DAY],
        ["A", "C", "½", "2", DAY],
        ["D", "A", "*", "3", DAY],
        ["C", "B", "0", "3", DAY],
        ["A", "A", "1", "4", DAY],
    ];
    let table = table(&games, &[]);
    let count = |what| {
        table
            .faults
            .iter()
            .filter(|fault| fault.what == what)
            .count()
    };
    assert_eq!(count(What::Doubled), 1, "{:?}", table.faults);
    // Two results of one game, and a player against himself.
    assert_eq!(count(What::Contradictory), 2, "{:?}", table.faults);
    assert_eq!(count(What::Unfinished), 1);
    // B and D did not meet.
    assert_eq!(count(What::Missing), 1, "{:?}", table.faults);
    assert_eq!(table.games, 6);
}

#[test]
fn a_long_pause_parts_events_of_one_name() {
    let games = [
        ["A", "B", "1", "1", "2001.05.01"],
        ["B", "A", "1", "2", "2001.05.02"],
        ["A", "B", "1", "1", "2002.05.01"],
        ["A", "B", "1", "1", "2002.??.??"],
        ["A", "B", "1", "1", "????.??.??"],
    ];
    let gathered = gathered(&games, &[]);
    let sizes: Vec<usize> = events(&gathered).iter().map(Vec::len).collect();
    assert_eq!(sizes, [1, 2, 2]);
}

#[test]
fn a_knock_out_has_stages() {
    let games = [
        ["A", "B", "1", "1.1", DAY],
        ["B", "A", "½", "1.2", DAY],
        ["C", "D", "0", "1.1", DAY],
        ["D", "C", "½", "1.2", DAY],
        ["A", "D", "½", "2.1", DAY],
        ["D", "A", "1", "2.2", DAY],
    ];
    let table = table(&games, &[]);
    assert_eq!(table.kind, Kind::KnockOut);
    let names: Vec<_> = table.players.iter().map(|player| &*player.name).collect();
    // Who came further stands above, whatever the points.
    assert_eq!(names, ["D", "A", "B", "C"]);
    assert_eq!(
        table.meetings(),
        [
            "stage 1: D - C 1½-½",
            "stage 1: A - B 1½-½",
            "stage 2: D - A 1½-½"
        ]
    );
}

#[test]
fn teams_meet_round_by_round() {
    let games = [
        ["A", "X", "1", "1", DAY],
        ["Y", "B", "½", "1", DAY],
        ["A", "Y", "0", "2", DAY],
        ["X", "B", "0", "2", DAY],
    ];
    let gathered = gathered(&games, &[]);
    let mut teams = Teams::new();
    for (place, [white, ..]) in games.iter().enumerate() {
        let home = matches!(*white, "A" | "B");
        let names = if home {
            ["Home", "Guests"]
        } else {
            ["Guests", "Home"]
        };
        teams.insert(place, names.map(Box::from));
    }
    let event = &events(&gathered)[0];
    let table = Crosstable::new(&gathered, event, &teams, &Options::default());
    assert_eq!(table.kind, Kind::Teams);
    assert_eq!(
        table.meetings(),
        ["round 1: Guests - Home ½-1½", "round 2: Guests - Home 1-1"]
    );
}

#[test]
fn a_page_shows_names_as_text() {
    let games = [["<script>alert(1)</script>", "B & \"C\"", "1", "1", DAY]];
    let page = html(&[table(&games, &[])]);
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(page.contains("B &amp; &quot;C&quot;") && !page.contains("<script"));
}
