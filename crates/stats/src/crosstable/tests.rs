//! Tables of small events whose figures were reckoned by hand.

use tabiya_model::outcome::Outcome;

use super::*;

/// Games of `White, Black, result, round, date`, with the ratings of each player.
fn gathered(games: &[[&str; 5]], elos: &[(&str, u16)]) -> CrosstableGames {
    let mut gathered = CrosstableGames::default();
    let elo = |name: &str| {
        let known = elos.iter().find(|(known, _)| *known == name);
        known.map_or(0, |(_, elo)| *elo)
    };
    for ([white, black, result, round, date], number) in games.iter().zip(1..) {
        gathered.push_for_test(
            [white, black, "Open", "Here", round],
            CrosstableGame {
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
    Crosstable::new(
        &gathered,
        event,
        &GameTeams::new(),
        &CrosstableRules::default(),
    )
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
    assert_eq!(table.kind, EventKind::RoundRobin(1));
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
    assert_eq!(
        count(CrosstableFaultKind::Duplicate),
        1,
        "{:?}",
        table.faults
    );
    // Two results of one game, and a player against himself.
    assert_eq!(
        count(CrosstableFaultKind::Contradictory),
        2,
        "{:?}",
        table.faults
    );
    assert_eq!(count(CrosstableFaultKind::Unfinished), 1);
    // B and D did not meet.
    assert_eq!(count(CrosstableFaultKind::Missing), 1, "{:?}", table.faults);
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
    assert_eq!(table.kind, EventKind::Knockout);
    let names: Vec<_> = table.players.iter().map(|player| &*player.name).collect();
    // Who came further stands above, whatever the points.
    assert_eq!(names, ["D", "A", "B", "C"]);
    assert_eq!(
        table.meetings(),
        [
            "round 1: D - C 1½-½",
            "round 1: A - B 1½-½",
            "round 2: D - A 1½-½"
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
    let mut teams = GameTeams::new();
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
    let table = Crosstable::new(&gathered, event, &teams, &CrosstableRules::default());
    assert_eq!(table.kind, EventKind::Teams);
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

#[test]
fn what_was_not_played_counts_for_no_rating() {
    let games = [
        ["A", "B", "1", "1", DAY],
        ["A", "C", "1", "2", DAY],
        ["C", "B", "½", "3", DAY],
    ];
    let elos = [("A", 2400), ("B", 2400), ("C", 2000)];
    let with_plies = |plies: [Option<u32>; 3]| {
        let mut gathered = gathered(&games, &elos);
        for (game, plies) in gathered.games.iter_mut().zip(plies) {
            game.plies = plies;
        }
        let event = events(&gathered).remove(0);
        Crosstable::new(
            &gathered,
            &event,
            &GameTeams::new(),
            &CrosstableRules::default(),
        )
    };
    // C did not come to the second round: A's point counts, and the opponents are B alone.
    for unplayed in [0, 1] {
        let table = with_plies([Some(60), Some(unplayed), Some(60)]);
        let first = &table.players[0];
        assert_eq!((&*first.name, first.half_points, first.wins), ("A", 4, 2));
        assert_eq!(first.opponents, Some(2400));
        assert_eq!(first.performance, Some(2400 + 800));
        // Half a point more than was expected, ten times.
        assert_eq!(first.change, Some(500));
        let forfeits: Vec<bool> = first.results.iter().map(|one| one.is_forfeit).collect();
        assert_eq!(forfeits, [false, true]);
        let cells = table.cells();
        assert_eq!((&*cells[0][4], &*cells[0][5]), ("1", "+"), "{cells:?}");
    }
    // Where no game has moves, or nobody counted them, all were played.
    for plies in [[Some(0); 3], [Some(1); 3], [None; 3]] {
        let table = with_plies(plies);
        assert_eq!(table.players[0].opponents, Some(2200), "{plies:?}");
    }
}

#[test]
fn scores_after_each_round_are_summed_up() {
    let games = [
        ["A", "B", "1", "1", DAY],
        ["C", "D", "½", "1", DAY],
        ["B", "C", "1", "2", DAY],
        ["D", "A", "½", "2", DAY],
        ["A", "C", "0", "3", DAY],
        ["B", "D", "½", "3.1", DAY],
    ];
    let table = table(&games, &[]);
    let of = |name: &str| {
        let player = table.players.iter().find(|player| &*player.name == name);
        player.expect("a player").quarters(TieBreak::Progressive)
    };
    // After the rounds: A 1, 1½, 1½; B 0, 1, 1½; C ½, ½, 1½; D ½, 1, 1½.
    assert_eq!((of("A"), of("B"), of("C"), of("D")), (16, 10, 10, 12));
    let options = CrosstableRules {
        tie_breaks: vec![TieBreak::Progressive],
        ..CrosstableRules::default()
    };
    let gathered = gathered(&games, &[]);
    let event = &events(&gathered)[0];
    let table = Crosstable::new(&gathered, event, &GameTeams::new(), &options);
    let order: Vec<_> = table
        .players
        .iter()
        .map(|player| (&*player.name, player.rank))
        .collect();
    assert_eq!(order, [("A", 1), ("D", 2), ("B", 3), ("C", 3)]);
    assert!(table.headings().contains(&"Prog".to_owned()));
}

#[test]
fn half_per_cents_go_up() {
    // Two and a half of four are 62.5 per cent, one and a half 37.5.
    let games = [
        ["A", "B", "1", "1", DAY],
        ["B", "A", "½", "2", DAY],
        ["A", "B", "0", "3", DAY],
        ["B", "A", "0", "4", DAY],
    ];
    let table = table(&games, &[("A", 2000), ("B", 2000)]);
    let found: Vec<_> = table.players.iter().map(|one| one.performance).collect();
    assert_eq!(found, [Some(2095), Some(1913)]);
}

#[test]
fn the_games_of_one_player_are_told_to_be_no_more() {
    let games = [
        ["A", "B", "1", "1", DAY],
        ["C", "A", "½", "2", DAY],
        ["A", "D", "1", "3", DAY],
    ];
    let table = table(&games, &[]);
    assert_eq!(
        (table.kind, table.kind.name()),
        (EventKind::Unknown, "unknown")
    );
    let [fault] = &table.faults[..] else {
        panic!("{:?}", table.faults);
    };
    assert_eq!(fault.what, CrosstableFaultKind::Missing);
    assert!(fault.message.contains("only games of A"), "{fault}");
}
