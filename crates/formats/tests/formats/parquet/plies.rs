//! Numbers of plies from their column are those of the games, whatever else is read.

use tabiya_model::collect::{CollectorNeeds, CollectorPass, GameView, Statistic};
use tabiya_model::facts::{FactFields, GameFacts};
use tabiya_model::{Control, Game, GameNeeds, Result};

use super::{games_of, open, parquet, read, sources, write};

/// The facts of each game that need only the number of its plies.
struct Told(FactFields);

type Row = (u64, Option<u32>, [u16; 2], String, u16);

fn row(place: u64, fact: &GameFacts) -> Row {
    let date = format!("{:?}", (fact.date, fact.outcome));
    (place, fact.plies, fact.elos, date, fact.eco)
}

impl Statistic for Told {
    type Sum = Vec<Row>;

    fn needs(&self) -> CollectorNeeds {
        CollectorNeeds::facts(self.0)
    }

    fn see(&self, sum: &mut Self::Sum, game: &mut GameView<'_>) -> Result<()> {
        let place = game.place();
        let white = game.player(shakmaty::Color::White)?.into_owned();
        let mut row = row(place, game.fact()?);
        row.3.push_str(&white);
        sum.push(row);
        Ok(())
    }

    fn add(&self, sum: &mut Self::Sum, part: Self::Sum, first: u64) {
        sum.extend(
            part.into_iter()
                .map(|row| (first + row.0, row.1, row.2, row.3, row.4)),
        );
    }
}

#[test]
fn half_moves_beside_the_moves_are_those_of_the_moves() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut counted = 0;
    for (at, (source, first)) in sources(folder.path()).into_iter().enumerate() {
        let path = folder.path().join(format!("{at}.parquet"));
        write(&parquet::FORMAT, &path, &games_of(&source, first));
        let database = open(&path).expect("opened");
        let games = read(&*database);
        let plies: Vec<u32> = games
            .iter()
            .map(|game| u32::try_from(game.tape.plies()).expect("few"))
            .collect();
        // Each, every third and none before it, and twice.
        for step in [1, 3] {
            let mut source = database.source(None).expect("a source");
            let (mut game, mut number) = (Game::default(), 0);
            while let Some(mut block) = source.next_block().expect("a block") {
                assert!(block.knows_plies());
                assert_eq!(block.plies().expect("asked"), None, "no game was read");
                while block.next(GameNeeds::TAGS, &mut game).expect("a game") {
                    if number % step == 0 {
                        for _ in 0..step {
                            let told = block.plies().expect("asked");
                            assert_eq!(told, Some(plies[number]), "{number}");
                        }
                    }
                    number += 1;
                }
            }
            assert_eq!(number, games.len());
        }
        let fields = FactFields::PLIES
            .union(FactFields::WHITE)
            .union(FactFields::ELOS)
            .union(FactFields::DATE)
            .union(FactFields::OUTCOME)
            .union(FactFields::ECO);
        let mut told = Vec::new();
        let mut pass = CollectorPass::new();
        let statistic = Told(fields);
        pass.sum(&statistic, &mut told);
        let ended = pass
            .run(
                &*database,
                tabiya_model::collect::PassRange::All,
                &Control::default(),
            )
            .expect("read");
        assert!(ended.is_whole());
        let expected: Vec<Row> = (1..)
            .zip(&games)
            .map(|(number, game)| {
                let mut row = row(number, &GameFacts::of_game(game, |_, _| Some(0)));
                row.3.push_str(game.tags.value("White"));
                row
            })
            .collect();
        assert_eq!(told, expected);
        counted += plies.iter().map(|plies| u64::from(*plies)).sum::<u64>();
    }
    assert!(counted > 10);
}
