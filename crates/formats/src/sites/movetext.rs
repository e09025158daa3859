//! The moves of a game, one after another, with their annotations.

use tabiya_model::game::{Game, StartingPosition, Variant};
use tabiya_model::{Board, GameNeeds, Move, Replay, setup_tags};

use super::codes;
use super::object_source::SiteGamePlace;

/// Puts moves on the tape of a game.
pub(crate) struct SiteMovetext<'g> {
    pub(crate) game: &'g mut Game,
    pub(crate) want: GameNeeds,
    place: SiteGamePlace,
    replay: Replay,
    /// Plies of the main line so far.
    plies: usize,
    /// Moves that cannot be played, as text.
    raw: String,
}

impl<'g> SiteMovetext<'g> {
    /// Starts from the position in the tags of the game.
    pub(crate) fn new(
        game: &'g mut Game,
        place: SiteGamePlace,
        want: GameNeeds,
    ) -> SiteMovetext<'g> {
        let found = setup_tags::beginning(game.tags.iter().map(|tag| (tag.name, tag.value)));
        game.start = found.start;
        game.variant = found.variant;
        if let Some(fault) = found.fault {
            game.diagnostics.report(
                &codes::BAD_FEN,
                || place.location(0),
                || format!("{:?}: {fault}", found.fen.unwrap_or_default()),
            );
        } else if game.variant == Variant::Other {
            game.diagnostics.report(
                &codes::VARIANT,
                || place.location(0),
                || found.name.unwrap_or_default(),
            );
        }
        let board = match &game.start {
            StartingPosition::Setup(board, _) => (**board).clone(),
            StartingPosition::Standard => Board::standard(),
        };
        SiteMovetext {
            replay: Replay::new(&board),
            game,
            want,
            place,
            plies: 0,
            raw: String::new(),
        }
    }

    /// Whether the moves of the game can be played at all.
    pub(crate) fn is_playable(&self) -> bool {
        self.game.variant != Variant::Other
    }

    /// The position by now.
    pub(crate) fn board(&self) -> &Board {
        self.replay.now()
    }

    /// The plies that were played.
    pub(crate) fn plies(&self) -> usize {
        self.plies
    }

    /// Adds the next move of the main line, as text and as a move. False from the first move on that cannot be played.
    pub(crate) fn push(&mut self, text: &str, m: Option<Move>) -> bool {
        if self.raw.is_empty()
            && self.is_playable()
            && !self.game.tape.is_full()
            && let Some(m) = m
        {
            self.play(text, m);
            self.plies += 1;
            return true;
        }
        if self.raw.is_empty() && self.is_playable() {
            let fen = self.replay.now().to_fen();
            let place = self.place.location(self.replay.ply());
            self.game.diagnostics.report(
                &codes::UNREADABLE_MOVE,
                || place,
                || format!("{text:?} in {fen}; the other moves are kept as text"),
            );
        }
        if !self.raw.is_empty() {
            self.raw.push(' ');
        }
        self.raw.push_str(text);
        false
    }

    fn play(&mut self, text: &str, m: Move) {
        if self.want.verify && !m.is_null() && !self.replay.now().is_legal(m) {
            let fen = self.replay.now().to_fen();
            let place = self.place.location(self.replay.ply());
            self.game.diagnostics.report(
                &codes::ILLEGAL_MOVE,
                || place,
                || format!("{text} in {fen}"),
            );
        }
        self.game.tape.push_move(m);
        self.replay.play(m);
    }

    /// A variation instead of the last move, from moves in SAN; `best` is its first move in UCI. Moves that cannot be played
    /// are kept as text.
    pub(crate) fn variation(&mut self, moves: &str, best: Option<&str>) {
        if !self.want.variations || !self.replay.begin() {
            return;
        }
        let best = best.filter(|best| {
            let m = self.replay.now().parse_uci(best.as_bytes());
            let first = moves.split_ascii_whitespace().next();
            let told = first.and_then(|word| san(self.replay.now(), word));
            // It repeats the first move.
            m.is_none() || m != told
        });
        let is_playable =
            best.is_some_and(|best| self.replay.now().parse_uci(best.as_bytes()).is_some());
        if moves.is_empty() && !is_playable {
            // A variation without a move is not one.
            self.replay.end();
            if let Some(best) = best
                && self.want.annotations
            {
                self.game.tape.push_comment(&format!("best: {best}"));
            }
            return;
        }
        self.game.tape.begin_variation();
        if let Some(best) = best {
            match self.replay.now().parse_uci(best.as_bytes()) {
                Some(m) if moves.is_empty() => self.play(best, m),
                _ if self.want.annotations => {
                    self.game.tape.push_comment(&format!("best: {best}"));
                }
                _ => {}
            }
        }
        let mut words = moves.split_ascii_whitespace();
        while let Some(word) = words.next() {
            let found = match self.game.tape.is_full() {
                false => san(self.replay.now(), word),
                true => None,
            };
            match found {
                Some(m) => self.play(word, m),
                None => {
                    if self.want.annotations {
                        let rest: Vec<&str> = std::iter::once(word).chain(words).collect();
                        self.game.tape.push_raw(&rest.join(" "));
                    }
                    break;
                }
            }
        }
        self.game.tape.end_variation();
        self.replay.end();
    }

    /// Ends the movetext.
    pub(crate) fn finish(self) {
        if !self.raw.is_empty() && self.want.annotations {
            self.game.tape.push_raw(&self.raw);
        }
    }
}

/// The move of a word in SAN.
pub(crate) fn san(board: &Board, word: &str) -> Option<Move> {
    let (found, length) = board.read_san(word.as_bytes())?;
    // Check marks may follow.
    let rest = word.get(length..)?;
    rest.bytes()
        .all(|byte| matches!(byte, b'+' | b'#'))
        .then(|| found.ok())?
}
