//! Tables for people and programs: cells, JSON, comma-separated values, a page.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use shakmaty::Color;
use tabiya_answers::{
    EventAnswer, EventFaultAnswer, EventGameAnswer, EventPlayerAnswer, EventResultAnswer,
    KnockoutMatchAnswer, SideAnswer, TeamMatchAnswer,
};
use tabiya_model::csv_cells::cell;
use tabiya_model::date::Date;

use super::{Crosstable, CrosstableResult, CrosstableRow, EventKind, HalfPoints, round_number};
use crate::html::{self, escaped};

/// Players that have a column each, at most.
const COLUMNS: usize = 40;

/// The heading of the comma-separated values.
pub const HEADING: &str = "event,site,first,last,kind,rank,player,team,elo,games,points,wins,draws,losses,\
buchholz,sonneborn-berger,direct,progressive,opponents,performance,change,results";

/// What the columns of results are.
#[derive(Clone, PartialEq, Eq, Debug)]
enum ResultColumns {
    /// One for each player.
    Players,
    /// One for each of these rounds.
    Rounds(Vec<u32>),
    /// One for each game of a player, in their order.
    Games(usize),
}

/// How a result is written.
fn sign(result: &CrosstableResult) -> &'static str {
    match result.half_points {
        Some(2) if result.is_forfeit => "+",
        Some(1) if result.is_forfeit => "=",
        Some(_) if result.is_forfeit => "-",
        Some(2) => "1",
        Some(1) => "½",
        Some(_) => "0",
        None => "*",
    }
}

fn against(result: &CrosstableResult) -> String {
    let side = match result.color {
        Color::White => 'w',
        Color::Black => 'b',
    };
    format!("{}{side}{}", result.opponent + 1, sign(result))
}

/// Quarters as people write them: `12¼`.
fn quarters(number: u32) -> String {
    let part = ["", "¼", "½", "¾"][(number % 4) as usize];
    match number / 4 {
        0 if !part.is_empty() => part.to_owned(),
        whole => format!("{whole}{part}"),
    }
}

fn hundredths(number: i64) -> String {
    let sign = if number < 0 { "-" } else { "+" };
    let number = number.unsigned_abs();
    // To one figure, halves up.
    let tenths = (number + 5) / 10;
    format!("{sign}{}.{}", tenths / 10, tenths % 10)
}

impl Crosstable {
    fn result_columns(&self) -> ResultColumns {
        let by_players = matches!(self.kind, EventKind::RoundRobin(_) | EventKind::Match);
        if by_players && self.players.len() <= COLUMNS {
            return ResultColumns::Players;
        }
        let results = || self.players.iter().flat_map(|player| &player.results);
        let rounds: BTreeSet<Option<u32>> = results()
            .map(|result| round_number(&result.round))
            .collect();
        if !rounds.contains(&None) && rounds.len() <= COLUMNS {
            return ResultColumns::Rounds(rounds.into_iter().flatten().collect());
        }
        let games = self.players.iter().map(|player| player.results.len());
        ResultColumns::Games(games.max().unwrap_or(0).min(COLUMNS))
    }

    /// The headings of [`Crosstable::cells`].
    #[must_use]
    pub fn headings(&self) -> Vec<String> {
        let mut headings: Vec<String> = ["#", "player"].map(str::to_owned).into();
        if self.players.iter().any(|player| player.team.is_some()) {
            headings.push("team".to_owned());
        }
        headings.push("Elo".to_owned());
        match self.result_columns() {
            ResultColumns::Players => {
                headings.extend((1..=self.players.len()).map(|place| place.to_string()));
            }
            ResultColumns::Rounds(rounds) => headings.extend(rounds.iter().map(u32::to_string)),
            ResultColumns::Games(games) => {
                headings.extend((1..=games).map(|game| format!("g{game}")))
            }
        }
        headings.push("points".to_owned());
        headings.push("games".to_owned());
        let ties = self.tie_breaks.iter();
        headings.extend(ties.map(|tie_break| tie_break.heading().to_owned()));
        headings.extend(["perf", "+/-"].map(str::to_owned));
        headings
    }

    /// A row for each player.
    #[must_use]
    pub fn cells(&self) -> Vec<Vec<String>> {
        let has_teams = self.players.iter().any(|player| player.team.is_some());
        let columns = self.result_columns();
        let row = |(place, player): (usize, &CrosstableRow)| {
            let mut row = vec![player.rank.to_string(), player.name.to_string()];
            if has_teams {
                row.push(player.team.as_deref().unwrap_or("").to_owned());
            }
            row.push(match player.elo {
                0 => String::new(),
                elo => elo.to_string(),
            });
            row.extend(self.results(place, player, &columns));
            row.push(HalfPoints(player.half_points).to_string());
            row.push(player.finished().to_string());
            for tie_break in &self.tie_breaks {
                row.push(quarters(player.quarters(*tie_break)));
            }
            let performance = player.performance.map(|rating| rating.to_string());
            row.push(performance.unwrap_or_default());
            row.push(player.change.map(hundredths).unwrap_or_default());
            row
        };
        self.players.iter().enumerate().map(row).collect()
    }

    fn results(
        &self,
        place: usize,
        player: &CrosstableRow,
        columns: &ResultColumns,
    ) -> Vec<String> {
        match columns {
            ResultColumns::Players => {
                let mut cells = vec![String::new(); self.players.len()];
                for result in &player.results {
                    if let Some(cell) = cells.get_mut(result.opponent) {
                        cell.push_str(sign(result));
                    }
                }
                if let Some(own) = cells.get_mut(place) {
                    own.push('■');
                }
                cells
            }
            ResultColumns::Rounds(rounds) => {
                let mut cells = vec![String::new(); rounds.len()];
                for result in &player.results {
                    let at = round_number(&result.round)
                        .and_then(|round| rounds.binary_search(&round).ok());
                    if let Some(cell) = at.and_then(|at| cells.get_mut(at)) {
                        if !cell.is_empty() {
                            cell.push(' ');
                        }
                        cell.push_str(&against(result));
                    }
                }
                cells
            }
            ResultColumns::Games(games) => {
                let mut cells: Vec<String> =
                    player.results.iter().take(*games).map(against).collect();
                cells.resize(*games, String::new());
                cells
            }
        }
    }

    /// The dates on which it was played.
    #[must_use]
    pub fn dates(&self) -> String {
        match (self.first, self.last) {
            (Some(first), Some(last)) if first != last => format!("{first} - {last}"),
            (Some(date), _) | (None, Some(date)) => date.to_string(),
            (None, None) => String::new(),
        }
    }

    /// The kind in words.
    #[must_use]
    pub fn kind_in_words(&self) -> String {
        match self.kind {
            EventKind::RoundRobin(1) => "round-robin".to_owned(),
            EventKind::RoundRobin(2) => "double round-robin".to_owned(),
            EventKind::RoundRobin(times) => format!("round-robin, {times} times"),
            EventKind::Swiss => "Swiss".to_owned(),
            EventKind::Knockout => "knockout".to_owned(),
            EventKind::Teams => "teams".to_owned(),
            EventKind::Match => "match".to_owned(),
            EventKind::Unknown => "unknown".to_owned(),
        }
    }

    /// The matches of a knockout or of teams, one per line.
    #[must_use]
    pub fn meetings(&self) -> Vec<String> {
        let name = |place: usize| self.players.get(place).map_or("", |player| &player.name);
        let duels = self.knockout_matches.iter().map(|duel| {
            let [one, other] = duel.players;
            let [points, theirs] = duel.half_points.map(HalfPoints);
            format!(
                "round {}: {} - {} {points}-{theirs}",
                duel.stage,
                name(one),
                name(other)
            )
        });
        let teams = self.team_matches.iter().map(|meeting| {
            let [one, other] = &meeting.teams;
            let [points, theirs] = meeting.half_points.map(HalfPoints);
            match meeting.round {
                0 => format!("{one} - {other} {points}-{theirs}"),
                round => format!("round {round}: {one} - {other} {points}-{theirs}"),
            }
        });
        duels.chain(teams).collect()
    }

    /// The table for programs.
    #[must_use]
    pub fn answer(&self) -> EventAnswer {
        let date = |date: Option<Date>| date.map(|date| date.to_string());
        let half = |points: u32| f64::from(points) / 2.0;
        let name = |place: usize| {
            self.players
                .get(place)
                .map(|player| player.name.to_string())
        };
        let duels = self
            .knockout_matches
            .iter()
            .map(|duel| KnockoutMatchAnswer {
                stage: duel.stage,
                players: duel.players.map(name),
                points: duel.half_points.map(half),
            });
        let team_matches = self.team_matches.iter().map(|meeting| TeamMatchAnswer {
            round: (meeting.round > 0).then_some(meeting.round),
            teams: meeting.teams.each_ref().map(|team| team.to_string()),
            points: meeting.half_points.map(half),
        });
        let faults = self.faults.iter().map(|fault| {
            let games = fault.games.iter().map(|(base, number)| EventGameAnswer {
                base: *base as u64,
                number: *number,
            });
            EventFaultAnswer {
                what: fault.what.name(),
                message: fault.message.clone(),
                games: games.collect(),
            }
        });
        EventAnswer {
            event: self.event.to_string(),
            site: self.site.to_string(),
            first: date(self.first),
            last: date(self.last),
            kind: self.kind.name(),
            times: match self.kind {
                EventKind::RoundRobin(times) => Some(times),
                _ => None,
            },
            games: self.games as u64,
            tie_breaks: self.tie_breaks.iter().map(|one| one.name()).collect(),
            players: self.players.iter().map(player_answer).collect(),
            duels: duels.collect(),
            team_matches: team_matches.collect(),
            faults: faults.collect(),
        }
    }

    /// A line of comma-separated values for each player, under [`HEADING`].
    #[must_use]
    pub fn csv(&self) -> String {
        let mut text = String::new();
        let date = |date: Option<Date>| date.map(|date| date.to_string()).unwrap_or_default();
        for player in &self.players {
            let results: Vec<String> = player.results.iter().map(against).collect();
            let number =
                |number: Option<i64>| number.map(|number| number.to_string()).unwrap_or_default();
            let cells = [
                self.event.to_string(),
                self.site.to_string(),
                date(self.first),
                date(self.last),
                self.kind.name().to_owned(),
                player.rank.to_string(),
                player.name.to_string(),
                player.team.as_deref().unwrap_or("").to_owned(),
                number((player.elo > 0).then_some(i64::from(player.elo))),
                player.finished().to_string(),
                (f64::from(player.half_points) / 2.0).to_string(),
                player.wins.to_string(),
                player.draws.to_string(),
                player.losses.to_string(),
                (f64::from(player.buchholz) / 2.0).to_string(),
                (f64::from(player.sonneborn_berger) / 4.0).to_string(),
                (f64::from(player.direct) / 2.0).to_string(),
                (f64::from(player.progressive) / 2.0).to_string(),
                number(player.opponents.map(i64::from)),
                number(player.performance.map(i64::from)),
                player.change.map(hundredths).unwrap_or_default(),
                results.join(" "),
            ];
            let cells: Vec<String> = cells.iter().map(|text| cell(text)).collect();
            text.push_str(&cells.join(","));
            text.push_str("\r\n");
        }
        text
    }
}

fn player_answer(player: &CrosstableRow) -> EventPlayerAnswer {
    let results = player.results.iter().map(|result| EventResultAnswer {
        opponent: result.opponent as u64 + 1,
        color: result.color.fold_wb(SideAnswer::White, SideAnswer::Black),
        points: result.half_points.map(|points| f64::from(points) / 2.0),
        forfeit: result.is_forfeit,
        round: result.round.to_string(),
        base: result.base as u64,
        number: result.number,
    });
    #[allow(clippy::cast_precision_loss)]
    let change = player.change.map(|change| change as f64 / 100.0);
    EventPlayerAnswer {
        rank: player.rank as u64,
        name: player.name.to_string(),
        team: player.team.as_deref().map(str::to_owned),
        elo: (player.elo > 0).then_some(player.elo),
        games: player.finished(),
        points: f64::from(player.half_points) / 2.0,
        wins: player.wins,
        draws: player.draws,
        losses: player.losses,
        buchholz: f64::from(player.buchholz) / 2.0,
        sonneborn_berger: f64::from(player.sonneborn_berger) / 4.0,
        direct: f64::from(player.direct) / 2.0,
        progressive: f64::from(player.progressive) / 2.0,
        opponents: player.opponents.map(i64::from),
        performance: player.performance.map(i64::from),
        change,
        results: results.collect(),
    }
}

/// A self-contained page of tables.
#[must_use]
pub fn html(tables: &[Crosstable]) -> String {
    let mut page = html::head("Crosstables");
    for table in tables {
        // Writing to a string does not fail.
        let _ = writeln!(
            page,
            "<h2>{}</h2>\n<p>{} {} · {} · {} games</p>",
            escaped(&table.event),
            escaped(&table.site),
            escaped(&table.dates()),
            table.kind_in_words(),
            table.games
        );
        page.push_str("<table>\n<thead><tr>");
        for heading in table.headings() {
            let _ = write!(page, "<th scope=\"col\">{}</th>", escaped(&heading));
        }
        page.push_str("</tr></thead>\n<tbody>\n");
        for row in table.cells() {
            page.push_str("<tr>");
            for cell in row {
                let _ = write!(page, "<td>{}</td>", escaped(&cell));
            }
            page.push_str("</tr>\n");
        }
        page.push_str("</tbody>\n</table>\n");
        let meetings = table.meetings();
        let faults = table.faults.iter().map(ToString::to_string);
        for line in meetings.into_iter().chain(faults) {
            let _ = writeln!(page, "<p>{}</p>", escaped(&line));
        }
    }
    page.push_str("</html>\n");
    page
}
