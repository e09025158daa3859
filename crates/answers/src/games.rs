//! Rows of games: `ls`, `search`, `eco`.

use std::borrow::Cow;

use crate::macros::answers;

answers! {
    /// A game of a list: a line of `ls --json`.
    pub struct GameRowAnswer<'a> {
        /// The number of the game, from 1.
        pub number: u64,
        /// White's name.
        pub white: Cow<'a, str>,
        /// White's Elo; null if the tag is not a number.
        pub white_elo: Option<u32>,
        /// Black's name.
        pub black: Cow<'a, str>,
        /// Black's Elo; null if the tag is not a number.
        pub black_elo: Option<u32>,
        /// The result: `1-0`, `0-1`, `1/2-1/2` or `*`.
        pub result: Cow<'a, str>,
        /// The date, as in the tag.
        pub date: Cow<'a, str>,
        /// The event.
        pub event: Cow<'a, str>,
        /// The site.
        pub site: Cow<'a, str>,
        /// The round.
        pub round: Cow<'a, str>,
        /// The ECO code, as in the tag.
        pub eco: Cow<'a, str>,
        /// Plies of the main line; null if they were not counted.
        pub plies: Option<u64>,
        /// Whether it is marked as deleted.
        pub deleted: bool,
    }

    /// A game that matches a search: a line of `search --json`.
    pub struct MatchRowAnswer<'a> {
        /// The game.
        #[serde(flatten)]
        pub game: GameRowAnswer<'a>,
        /// The name of its database.
        pub base: Cow<'a, str>,
        /// The ply of the first match; null if the query is about the game as a whole.
        pub ply: Option<u32>,
    }

    /// A game and its database.
    pub struct BaseGameAnswer<'a> {
        /// The game.
        #[serde(flatten)]
        pub game: GameRowAnswer<'a>,
        /// The name of its database.
        pub base: Cow<'a, str>,
    }

    /// A side.
    #[derive(Copy, PartialEq, Eq)]
    #[serde(rename_all = "lowercase")]
    pub enum SideAnswer {
        /// White.
        White,
        /// Black.
        Black,
    }

    /// The opening of a game: a line of `eco --json`.
    pub struct EcoRowAnswer {
        /// The number of the game.
        pub number: u64,
        /// The ECO code, as in the tag.
        pub tag: String,
        /// The ECO code of the moves; null if they reach no opening with a name.
        pub eco: Option<&'static str>,
        /// The name of the opening.
        pub opening: Option<&'static str>,
        /// The name of its database, if there are several.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub base: Option<String>,
    }
}
