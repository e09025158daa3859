/** The answers of the server. Made from the types of `crates/answers` by `cargo xtask answers --write`. */

/** How a side played. */
export interface AccuracyAnswer {
  /** Accuracy in per cent; null if the evaluations have gaps. */
  accuracy: number | null;
  /** Average loss per move in hundredths of a pawn. */
  average_loss: number | null;
  /** Blunders: moves with `??`. */
  blunders: number;
  /** Inaccuracies: moves with `?!`. */
  inaccuracies: number;
  /** Mistakes: moves with `?`. */
  mistakes: number;
  /** Moves between two evaluations. */
  moves: number;
}

/** The results of an engine analysis of games: `analyse --report`. */
export interface AnalysisAnswer {
  /** Games that were changed. */
  changed: number;
  /** The name that the engine gives itself. */
  engine: string;
  /** Positions that no engine has evaluated. */
  failed: number;
  /** Games that were read. */
  games: number;
  /** The results for each game. */
  games_found: AnalysisGameAnswer[];
  /** Games that were skipped because they already have evaluations. */
  kept: number;
  /** Notes about the engine. */
  notes: string[];
  /** Positions to be evaluated. */
  positions: number;
  /** Games that were not changed because the database cannot hold them with the results. */
  refused: UnchangedGameAnswer[];
  /** How often an engine was restarted. */
  restarts: number;
  /** The version of this answer. */
  schema: string;
  /** Positions that were searched in this run. */
  searched: number;
  /** Whether the analysis was completed; if not, the journal keeps the results so far. */
  whole: boolean;
}

/** The results for a game. */
export interface AnalysisGameAnswer {
  /** How Black played. */
  black: AccuracyAnswer;
  /** Positions that no engine has evaluated. */
  failed: number;
  /** Whether it was skipped. */
  kept: boolean;
  /** The names of White and Black. */
  names: [string, string];
  /** Its number. */
  number: number;
  /** Positions to be evaluated. */
  positions: number;
  /** How White played. */
  white: AccuracyAnswer;
}

/** A database. */
export interface BaseAnswer {
  /** Whether it is the clipboard database. */
  clipboard: boolean;
  /** Whether it is a copy uploaded by a browser, kept while the server runs. */
  copy: boolean;
  /** Whether single games can be read directly. */
  direct: boolean;
  /** Whether it can be edited. */
  editable: boolean;
  /** The issues that were found on opening. */
  findings: FindingNumbersAnswer;
  /** The title of its format. */
  format: string;
  /** The number of games; null if it is unknown without reading them. */
  games: number | null;
  /** Its id in this run of the server. */
  id: string;
  /** The state of its index. */
  index: IndexStateAnswer;
  /** Why its index is not used. */
  indexNote: string | null;
  /** Its name. */
  name: string;
  /** Its path; empty for a copy. */
  path: string;
  /** Why it can no longer be read, for programs and translations. */
  refusal?: RefusalAnswer;
  /** Why it can no longer be read. */
  trouble?: string;
  /** The first and the last date; null if unknown without reading the games. */
  years: [string | null, string | null] | null;
}

/** Why a database has changed. */
export type BaseChangeAnswer = 'files' | 'index' | 'edit' | 'closed';

/** A game and its database. */
export interface BaseGameAnswer {
  /** The name of its database. */
  base: string;
  /** Black's name. */
  black: string;
  /** Black's Elo; null if the tag is not a number. */
  black_elo: number | null;
  /** The date, as in the tag. */
  date: string;
  /** Whether it is marked as deleted. */
  deleted: boolean;
  /** The ECO code, as in the tag. */
  eco: string;
  /** The event. */
  event: string;
  /** The number of the game, from 1. */
  number: number;
  /** Plies of the main line; null if they were not counted. */
  plies: number | null;
  /** The result: `1-0`, `0-1`, `1/2-1/2` or `*`. */
  result: string;
  /** The round. */
  round: string;
  /** The site. */
  site: string;
  /** White's name. */
  white: string;
  /** White's Elo; null if the tag is not a number. */
  white_elo: number | null;
}

/** The open databases. */
export interface BasesAnswer {
  /** The databases, in the order of their names. */
  bases: BaseAnswer[];
  /** Whether the server is read-only. */
  readOnly: boolean;
}

/** Arrows and coloured squares. */
export type BoardMarkAnswer = { colour: string; from: string; to: string } | { colour: string; square: string };

/** An opening book that was made from games: `book --json`. */
export interface BookAnswer {
  /** Its size. */
  bytes: number;
  /** Damaged games: they were counted up to the damage. */
  damaged: number;
  /** Its format: `polyglot` or `abk`. */
  format: string;
  /** Games that were counted. */
  games: number;
  /** Moves of the games, each with its position, that the book does not have. */
  left_out: number;
  /** Moves of the book; a book of Arena has a move once for each way to its position. */
  moves: number;
  /** Notes on indexes that are not used. */
  notes: string[];
  /** Positions of the book. */
  positions: number;
  /** Games from other starting positions, or without a move: they were not counted. */
  skipped: number;
  /** The file. */
  target: string;
  /** Whether everything was processed; if not, no book was written. */
  whole: boolean;
}

/** A move of an opening book. What the book does not say is left out. */
export interface BookMoveAnswer {
  /** The recommendation of the book: `play` or `avoid`. */
  advice?: string;
  /** The average rating of the players. */
  averageRating?: number;
  /** Those that Black won. */
  black?: number;
  /** True if it is marked as deleted in the book. */
  deleted?: boolean;
  /** Those that were drawn. */
  draws?: number;
  /** The games with it. */
  games?: number;
  /** The number of its annotation symbol (NAG): 1 for !, 2 for ?. */
  nag?: number;
  /** The opening after the move. */
  opening: OpeningAnswer | null;
  /** Its priority, from 0 (not to be played) to 9. */
  priority?: number;
  /** The move in SAN. */
  san: string;
  /** The move in UCI notation. */
  uci: string;
  /** How strongly the book prefers it, compared with the other moves of the position. */
  weight?: number;
  /** Those of them that White won. */
  white?: number;
}

/** What happens to a game. */
export type ChangeActionAnswer = { kind: 'added' } | { how: string[]; kind: 'replaced' } | { from: string; kind: 'flags'; to: string } | { kind: 'moved'; to: number } | { kind: 'removed' } | { kind: 'described' };

/** The effect of a change of a database, or of its preview. */
export interface ChangeAnswer {
  /** The version of the database after the change; null if nothing was changed. */
  baseVersion: number | null;
  /** Games that were changed. */
  games: number;
  /** The losses. */
  losses: ChangeLossAnswer[];
  /** Other notes. */
  notes: string[];
  /** Games that were not changed because the database cannot hold them. */
  refused: number;
  /** Games that were removed. */
  removed: number;
  /** The first steps of the change. */
  steps: ChangeStepAnswer[];
  /** Whether the change was completed; if not, nothing was changed. */
  whole: boolean;
  /** The change in words. */
  wish: string;
}

/** A kind of loss of a change. */
export interface ChangeLossAnswer {
  /** The part of a game that it is about: a tag, a comment, a move. */
  aspect: string;
  /** How often. */
  count: number;
  /** The first of them. */
  examples: string[];
  /** Its code. */
  kind: string;
  /** The loss in a few words. */
  summary: string;
}

/** A step of a change. */
export interface ChangeStepAnswer {
  /** The players. */
  game: string;
  /** The number of the game. */
  number: number;
  /** What happens to it. */
  what: ChangeActionAnswer;
}

/** A database that was closed. */
export interface ClosedAnswer {
  /** Its id. */
  closed: string;
}

/** Names that begin with the typed text. */
export interface CompletionsAnswer {
  /** The names. */
  names: string[];
}

/** The result of a copy: `convert --report`. */
export interface ConversionAnswer {
  /** Bytes that were written. */
  bytes: number;
  /** Games that were left out because the target already has them; only from the server. */
  double?: number;
  /** The names of files that the browser can download; only from the server. */
  downloads?: string[];
  /** Sources that could not be read to their end. */
  failed: FailedSourceAnswer[];
  /** The files; left out if they are in a temporary folder. */
  files?: string[];
  /** The name of its format. */
  format: string;
  /** Games that were written. */
  games: number;
  /** Other notes. */
  notes: string[];
  /** The version of this answer. */
  schema: string;
  /** A report for each source. */
  sources: SourceAnswer[];
  /** The path of the copy. */
  target: string;
  /** Whether the copy was completed; if not, nothing was written. */
  whole: boolean;
}

/** Games that were copied to the clipboard database. */
export interface CopyAnswer {
  /** The clipboard database. */
  base: BaseAnswer;
  /** The number of games. */
  copied: number;
  /** The losses. */
  losses: ChangeLossAnswer[];
}

/** A name that was fixed. */
export interface CorrectedNameAnswer {
  /** The number of games. */
  games: number;
  /** The kind of name. */
  kind: string;
  /** The new name. */
  new: string;
  /** The old name. */
  old: string;
}

/** The totals of a comparison: the last line of `diff --json`. */
export interface DiffAnswer {
  /** Games that were changed. */
  changed: number;
  /** Games of the first database. */
  games_a: number;
  /** Games of the second database. */
  games_b: number;
  /** Games that have another number. */
  moved: number;
  /** Games that only the first database has. */
  only_a: number;
  /** Games that only the second database has. */
  only_b: number;
  /** Games that are the same. */
  same: number;
  /** Whether everything was compared. */
  whole: boolean;
}

/** A difference: a line of `diff --json`. */
export interface DifferenceAnswer {
  /** The game of the first database; null if only the second has it. */
  a: GamePlaceAnswer | null;
  /** The game of the second database; null if only the first has it. */
  b: GamePlaceAnswer | null;
  /** The differences within a game that was changed. */
  differences?: GameDifferenceAnswer[];
  /** Its kind. */
  kind: DifferenceKindAnswer;
}

/** The kind of a difference. */
export type DifferenceKindAnswer = 'changed' | 'moved' | 'only-a' | 'only-b';

/** A game whose changes were discarded. */
export interface DiscardedAnswer {
  /** The id of the draft. */
  discarded: string;
}

/** A game that is being edited, and what has changed in it. */
export interface DraftAnswer {
  /** The move at the editor's cursor, by its number in reading order. */
  at: number;
  /** The id of the database. */
  base: string;
  /** The version of the database after saving. */
  baseVersion?: number;
  /** Whether there are unsaved changes. */
  changed: boolean;
  /** The changes that requests have made to the game that the page shows. */
  difference?: DraftDifferenceAnswer;
  /** The whole game (`docs/formats/ndjson.md`). */
  game?: unknown;
  /** How many of the requests that were sent were carried out. */
  granted?: number;
  /** The last request of each tab that was carried out. */
  heard: Record<string, number>;
  /** The id of the draft. */
  id: string;
  /** The losses in saving. */
  losses?: ChangeLossAnswer[];
  /** The name of the database. */
  name: string;
  /** Other notes about saving. */
  notes?: string[];
  /** The number of the game; 0 for a new one. */
  number: number;
  /** The path of the database. */
  path: string;
  /** The change that redo would repeat; null if there is none. */
  redo: string | null;
  /** The players. */
  title: string;
  /** Why the last change is not stored. */
  trouble: string | null;
  /** The change that undo would undo; null if there is none. */
  undo: string | null;
  /** Increases with every change. */
  version: number;
}

/** The annotations of a move. */
export interface DraftDetailsAnswer {
  /** The comment after the move; null if it cannot have one. */
  after: string | null;
  /** The comment before the move; null if it cannot have one. */
  before: string | null;
  /** Arrows and coloured squares. */
  marks: BoardMarkAnswer[];
  /** The numbers of the NAGs. */
  nags: number[];
}

/** The changes that requests have made to a game. */
export interface DraftDifferenceAnswer {
  /** The result, if tags or the result were changed. */
  result?: string;
  /** All tags, if tags or the result were changed. */
  tags?: ([string, string])[];
  /** The operations of the game now, if they were changed. */
  tape?: DraftPieceAnswer[];
}

/** An operation of a game, as in the JSON of games. */
export type DraftItemAnswer = { san: string; uci: string } | { nag: number } | { comment: string } | { raw: string } | { extension: string; hex: string } | { result: string } | string;

/** Some operations of a game, one after another. */
export type DraftPieceAnswer = [number, number] | DraftItemAnswer[];

/** A game that is being edited. */
export interface DraftSubjectAnswer {
  /** The id of the database. */
  base: string;
  /** The id of the draft. */
  id: string;
  /** The name of the database. */
  name: string;
  /** The number of the game; 0 for a new one. */
  number: number;
  /** The path of the database. */
  path: string;
  /** The players. */
  title: string;
}

/** Games with unsaved changes. */
export interface DraftsAnswer {
  /** The games. */
  drafts: DraftSubjectAnswer[];
}

/** A pair of duplicates: a line of `dedupe --json`. */
export interface DuplicatePairAnswer {
  /** The game that is dropped. */
  drop: BaseGameAnswer;
  /** The game that is kept. */
  keep: BaseGameAnswer;
  /** How the moves of the dropped game compare with those of the other: `same`, `begins` or `goes-on`. */
  kind: string;
  /** Why they are duplicates. */
  reasons: string[];
  /** Why the one is kept. */
  stays: string;
}

/** Pairs of duplicates. */
export interface DuplicatesAnswer {
  /** How many pairs were found. */
  count: number;
  /** Damaged games among those that had to be read. */
  damaged: number;
  /** Games that were compared. */
  games: number;
  /** Other notes. */
  notes: string[];
  /** The pairs. */
  pairs: DuplicatePairAnswer[];
  /** Whether all pairs were found; false if there are more. */
  whole: boolean;
}

/** A move that was played before. */
export interface EarlierMoveAnswer {
  /** Games. */
  games: number;
  /** The move; null for games that ended there. */
  san: string | null;
}

/** The opening of a game: a line of `eco --json`. */
export interface EcoRowAnswer {
  /** The name of its database, if there are several. */
  base?: string;
  /** The ECO code of the moves; null if they reach no opening with a name. */
  eco: string | null;
  /** The number of the game. */
  number: number;
  /** The name of the opening. */
  opening: string | null;
  /** The ECO code, as in the tag. */
  tag: string;
}

/** An engine of the user's settings. */
export interface EngineAnswer {
  /** The maximum hash memory for it here, in megabytes. */
  hash: number;
  /** Its name. */
  name: string;
  /** Its program. */
  program: string;
  /** The maximum number of threads for it here. */
  threads: number;
}

/** A line of an engine. */
export interface EngineLineAnswer {
  /** The depth of the search. */
  depth: number;
  /** Whether the evaluation is exact, not a bound. */
  exact: boolean;
  /** The first move in UCI notation. */
  first: string | null;
  /** Its first moves, in SAN. */
  moves: string[];
  /** Its evaluation, seen from White; null if there is none. */
  score: EvaluationAnswer | null;
}

/** The state of an engine. */
export type EngineStateAnswer = 'starting' | 'searching' | 'done' | 'failed';

/** An engine's evaluation: a line of an answer that continues as long as it is read. */
export interface EngineUpdateAnswer {
  /** The depth of the best line. */
  depth: number;
  /** The name that the engine gives itself. */
  engine: string;
  /** The best lines, the best first. */
  lines: EngineLineAnswer[];
  /** Why it failed. */
  message: string | null;
  /** Positions that were searched. */
  nodes: number;
  /** Positions per second. */
  speed: number;
  /** Its state. */
  state: EngineStateAnswer;
}

/** The games of a player with evaluations, and those without, by database. */
export interface EvaluatedGamesAnswer {
  /** Games with evaluations. */
  with: GameNumbersAnswer[];
  /** Games without evaluations. */
  without: GameNumbersAnswer[];
}

/** An evaluation. */
export type EvaluationAnswer = { cp: number } | { mate: number };

/** The table of an event. */
export interface EventAnswer {
  /** The matches of a knockout. */
  duels: KnockoutMatchAnswer[];
  /** Its name. */
  event: string;
  /** Irregularities in the games of the event. */
  faults: EventFaultAnswer[];
  /** The date of the first game. */
  first: string | null;
  /** Games. */
  games: number;
  /** The kind of event, as in `--kind`. */
  kind: string;
  /** The date of the last game. */
  last: string | null;
  /** The players, in the order of the table. */
  players: EventPlayerAnswer[];
  /** Its site. */
  site: string;
  /** The matches of teams. */
  team_matches: TeamMatchAnswer[];
  /** The tie-breaks, in the order in which they count. */
  tie_breaks: string[];
  /** How often each player plays each other player, in a round-robin. */
  times: number | null;
}

/** An irregularity in the games of an event. */
export interface EventFaultAnswer {
  /** The games. */
  games: EventGameAnswer[];
  /** The irregularity in words. */
  message: string;
  /** The kind. */
  what: string;
}

/** A game of an event and its number. */
export interface EventGameAnswer {
  /** The index of the database in `bases`, from 0. */
  base: number;
  /** The number of the game. */
  number: number;
}

/** A player of an event. */
export interface EventPlayerAnswer {
  /** The sum of the opponents' points. */
  buchholz: number;
  /** The rating change. */
  change: number | null;
  /** Direct encounter: points against the players with the same score. */
  direct: number;
  /** Drawn games. */
  draws: number;
  /** The Elo; null if no game has it. */
  elo: number | null;
  /** Games with a result. */
  games: number;
  /** Lost games. */
  losses: number;
  /** The name. */
  name: string;
  /** The mean Elo of the opponents. */
  opponents: number | null;
  /** The performance rating. */
  performance: number | null;
  /** Points. */
  points: number;
  /** The sum of the points after each round. */
  progressive: number;
  /** The place in the table. */
  rank: number;
  /** The games, in the order of the columns. */
  results: EventResultAnswer[];
  /** The points of the opponents that the player beat, and half the points of those with whom the player drew. */
  sonneborn_berger: number;
  /** The team; null if the player has none. */
  team: string | null;
  /** Won games. */
  wins: number;
}

/** A game of a player of an event. */
export interface EventResultAnswer {
  /** The index of the database in `bases`, from 0. */
  base: number;
  /** The side of the player. */
  color: SideAnswer;
  /** Whether it was won or lost by forfeit. */
  forfeit: boolean;
  /** The number of the game. */
  number: number;
  /** The index of the opponent in the list of players, from 1. */
  opponent: number;
  /** Points; null if the game has no result. */
  points: number | null;
  /** The round, as in the tag. */
  round: string;
}

/** The tables of events: `crosstable --json`. */
export interface EventsAnswer {
  /** The names of the databases. */
  bases: string[];
  /** Damaged games among those that had to be read. */
  damaged: number;
  /** The tables, by their first dates. */
  events: EventAnswer[];
  /** Whether everything was processed. */
  whole: boolean;
}

/** The moves played in a position: `explore --json`. */
export interface ExplorerAnswer {
  /** Won by Black. */
  black: number;
  /** What opening books say about the position, if some were asked. */
  books?: PositionBookAnswer[];
  /** Drawn. */
  draws: number;
  /** All games, including those without a result. */
  games: number;
  /** The moves, the most frequent first. */
  moves: ExplorerMoveAnswer[];
  /** Other notes; only from the server. */
  notes?: string[];
  /** The opening of the position. */
  opening: OpeningAnswer | null;
  /** Only in the answer about a player, because clients of Lichess expect it: always 0. */
  queuePosition?: number;
  /** The latest games; not in the answer of the shape `masters`. */
  recentGames?: ExplorerGameAnswer[];
  /** The games with the highest ratings; not in the answer about a player. */
  topGames?: ExplorerGameAnswer[];
  /** The side to move: `white` or `black`. */
  turn: string;
  /** Won by White. */
  white: number;
  /** Whether everything was processed. */
  whole: boolean;
}

/** A move of a tree. */
export interface ExplorerBranchAnswer {
  /** The mean Elo of the players who made it, if games have it. */
  averageRating?: number;
  /** Won by Black. */
  black: number;
  /** Drawn. */
  draws: number;
  /** All games, including those without a result. */
  games: number;
  /** The date of the last game; null if no game has a date. */
  lastPlayed: string | null;
  /** The moves after it. */
  moves?: ExplorerBranchAnswer[];
  /** The opening after the move. */
  opening: OpeningAnswer | null;
  /** The performance rating of the players who made it, if games have ratings. */
  performance?: number;
  /** The move in SAN. */
  san: string;
  /** True if the position is elsewhere in the tree, with the moves after it. */
  transposes?: boolean;
  /** The move in UCI notation. */
  uci: string;
  /** Won by White. */
  white: number;
}

/** A game of an explorer's answer. */
export interface ExplorerGameAnswer {
  /** Black. */
  black: ExplorerPlayerAnswer;
  /** The id of the game. */
  id: string;
  /** A word that clients of Lichess expect; databases do not have it. Not in the answer of the shape `masters`. */
  mode?: string;
  /** Year and month, if both are known. */
  month: string | null;
  /** The result: `1-0`, `0-1`, `1/2-1/2` or `*`. */
  result: string;
  /** A word that clients of Lichess expect; databases do not have it. Not in the answer of the shape `masters`. */
  speed?: string;
  /** The move that was played in the position. */
  uci: string;
  /** White. */
  white: ExplorerPlayerAnswer;
  /** `white`, `black`, or null for a draw or no result. */
  winner: string | null;
  /** The year; 0 if unknown. */
  year: number;
}

/** A move and its games. */
export interface ExplorerMoveAnswer {
  /** The mean Elo of their opponents, if games have it. */
  averageOpponentRating?: number;
  /** The mean Elo of the players who made it, if games have it. */
  averageRating?: number;
  /** Won by Black. */
  black: number;
  /** Drawn. */
  draws: number;
  /** The game, if there is only one. */
  game: ExplorerGameAnswer | null;
  /** All games, including those without a result. */
  games: number;
  /** The date of the last game; null if no game has a date. */
  lastPlayed: string | null;
  /** The opening after the move. */
  opening: OpeningAnswer | null;
  /** The performance rating of the players who made it, if games have ratings. */
  performance?: number;
  /** The move in SAN. */
  san: string;
  /** The move in UCI notation. */
  uci: string;
  /** Won by White. */
  white: number;
}

/** A player of a game of an explorer's answer. */
export interface ExplorerPlayerAnswer {
  /** The name. */
  name: string;
  /** The Elo; 0 for none. */
  rating: number;
}

/** A tree of moves: `explore --tree json`. */
export interface ExplorerTreeAnswer {
  /** The position at its root. */
  fen: string | null;
  /** The moves in this position. */
  moves: ExplorerBranchAnswer[];
}

/** A source that could not be read to its end. */
export interface FailedSourceAnswer {
  /** The reason. */
  error: string;
  /** Its name. */
  source: string;
}

/** The result of fetching one source: a line of `fetch --json`. */
export interface FetchAnswer {
  /** New games. */
  added: number;
  /** The database or file that received the games. */
  base: string;
  /** Chapters that were changed both at the site and here. */
  conflicts: FetchConflictAnswer[];
  /** Why it stopped early; null if it did not. */
  error: string | null;
  /** Other notes. */
  notes: string[];
  /** Games that the database cannot hold. */
  refused: number;
  /** Games that were replaced, because their site now has more of them. */
  renewed: number;
  /** Requests that were sent. */
  requests: number;
  /** Chapters that were sent to the site and received by it. */
  sent: number;
  /** The source, such as `lichess samplerook`. */
  source: string;
  /** Games that were received and were already in the database. */
  there: number;
}

/** A chapter of a study that was changed both at the site and here: both versions. */
export interface FetchConflictAnswer {
  /** The address of the chapter. */
  chapter: string;
  /** What differs, each a sentence. */
  differences: string[];
  /** The version in the database, as PGN. */
  here: string;
  /** The number of the game in the database. */
  number: number;
  /** The version at the site, as PGN. */
  there: string;
}

/** An issue and its place. */
export interface FindingAnswer {
  /** The byte in the file, from 0. */
  byte: number | null;
  /** Its code: `check --explain CODE` has a page for each. */
  code: string;
  /** The column, from 1. */
  column: number | null;
  /** The file. */
  file: string | null;
  /** The number of the game. */
  game: number | null;
  /** How to fix it. */
  help: string;
  /** The line in the file, from 1. */
  line: number | null;
  /** The issue at this place in words. */
  message: string;
  /** The ply. */
  ply: number | null;
  /** Its severity. */
  severity: SeverityAnswer;
}

/** The number of issues of a kind. */
export interface FindingCountAnswer {
  /** Its code. */
  code: string;
  /** How often it occurs. */
  count: number;
  /** Its severity. */
  severity: SeverityAnswer;
  /** A summary in a few words. */
  summary: string;
}

/** The number of issues of a kind in a source, with the first of them. */
export interface FindingKindAnswer {
  /** Its code. */
  code: string;
  /** How often it occurs. */
  count: number;
  /** The first of them. */
  examples: FindingAnswer[];
  /** Its severity. */
  severity: SeverityAnswer;
  /** A summary in a few words. */
  summary: string;
}

/** Numbers of issues. */
export interface FindingNumbersAnswer {
  /** Places with damage. */
  damage: number;
  /** Warnings. */
  warnings: number;
}

/** An issue with the page that explains it. */
export interface FindingPageAnswer {
  /** Its code. */
  code: string;
  /** The number of the game. */
  game: number | null;
  /** The issue at this place in words. */
  message: string;
  /** The page of `check --explain`. */
  page: string | null;
  /** Its place. */
  place: string;
  /** The ply. */
  ply: number | null;
  /** Its severity. */
  severity: SeverityAnswer;
  /** A summary in English; the app has its own sentence for the code. */
  summary: string;
}

/** The issues of a database. */
export interface FindingsAnswer {
  /** The first issues. */
  findings: FindingPageAnswer[];
  /** How many more there are. */
  more: number;
  /** Whether all games were read. */
  whole: boolean;
}

/** What a folder holds for somebody who looks for a database. */
export interface FolderAnswer {
  /** The databases and archives in it, in the order of their names. */
  databases: FolderDatabaseAnswer[];
  /** The folders in it, in the order of their names. */
  folders: FolderEntryAnswer[];
  /** The folder around it; null where that is the list of those that the server was given. */
  parent: string | null;
  /** The folder; null for the list of those that the server was given. */
  path: string | null;
  /** Whether these are all; false where there are more than are shown. */
  whole: boolean;
  /** The databases that the window of ChessBase shows, if the folder has their list. */
  window: FolderWindowAnswer | null;
}

/** A database in a folder, or an archive. */
export interface FolderDatabaseAnswer {
  /** Its id where it is open. */
  base: string | null;
  /** Bytes of that file; 0 for a folder that is a database. */
  bytes: number;
  /** The title of its format; null for an archive, and for what only claims to be a database. */
  format: string | null;
  /** The name of the file by which it is opened. */
  name: string;
  /** Where it lies. */
  path: string;
}

/** A folder in a folder. */
export interface FolderEntryAnswer {
  /** Its name. */
  name: string;
  /** Where it lies. */
  path: string;
}

/** The list of the databases that the window of ChessBase shows. */
export interface FolderWindowAnswer {
  /** They, in the order of the list. */
  databases: FolderWindowDatabaseAnswer[];
  /** Why the list cannot be read. */
  trouble: string | null;
  /** Whether these are all; false where there are more than are shown. */
  whole: boolean;
}

/** A database that the window of ChessBase shows. */
export interface FolderWindowDatabaseAnswer {
  /** Its id where it is open. */
  base: string | null;
  /** The title of the format that its name says. */
  format: string | null;
  /** Games in it, when the list was written. */
  games: number | null;
  /** Where it lies; null where it cannot be opened from the list. */
  path: string | null;
  /** Where it is: `here`, `cloud` (only there), `network` (which is not asked) or `missing` (nowhere that may be opened here). */
  place: string;
  /** Whether it is the reference database. */
  reference: boolean;
  /** The name that the window shows. */
  title: string;
}

/** A format and what it can do: `formats --json`. */
export interface FormatAnswer {
  /** Whether it holds tags of any name. */
  any_tag: boolean;
  /** Whether it holds Chess960. */
  chess960: boolean;
  /** Whether it holds comments. */
  comments: boolean;
  /** Whether it holds games that are marked as deleted. */
  deleted: boolean;
  /** Whether its databases can be edited in place. */
  edit: boolean;
  /** The extensions of its files, without the dot. */
  extensions: string[];
  /** Whether it holds NAGs. */
  nags: boolean;
  /** Its name. */
  name: string;
  /** Other notes. */
  notes: string;
  /** Whether it holds null moves. */
  null_moves: boolean;
  /** The issues that reading can find and the losses of writing; only for a single format. */
  pages?: PageAnswer[];
  /** Whether it is read from a pipe. */
  pipe: boolean;
  /** Whether it holds movetext that could not be read. */
  raw_movetext: boolean;
  /** Whether it is read: `none`, `experimental` or `full`. */
  read: string;
  /** Whether damaged databases can be repaired. */
  repair: boolean;
  /** Whether it holds games with custom starting positions. */
  setups: boolean;
  /** Its title. */
  title: string;
  /** Whether it holds variations. */
  variations: boolean;
  /** Whether it is written: `none`, `experimental` or `full`. */
  write: string;
}

/** An option of the writer of a format. */
export interface FormatOptionAnswer {
  /** What it does. */
  help: string;
  /** Its name. */
  name: string;
  /** The value that it takes. */
  takes: OptionArgumentAnswer;
  /** Its default. */
  usual: string | null;
}

/** A difference within a game. */
export interface GameDifferenceAnswer {
  /** The part of the game: a tag, a comment, a move. */
  aspect: string;
  /** The difference. */
  message: string;
}

/** Games of one database. */
export interface GameNumbersAnswer {
  /** The database. */
  base: string;
  /** Their numbers, as the query term `number:` takes them: `1..4,7`. */
  numbers: string;
  /** Whether these are all of them. */
  whole: boolean;
}

/** A game and its number. */
export interface GamePlaceAnswer {
  /** The name of its database. */
  base: string;
  /** Its number. */
  number: number;
  /** The players. */
  title: string;
}

/** A game of a list: a line of `ls --json`. */
export interface GameRowAnswer {
  /** Black's name. */
  black: string;
  /** Black's Elo; null if the tag is not a number. */
  black_elo: number | null;
  /** The date, as in the tag. */
  date: string;
  /** Whether it is marked as deleted. */
  deleted: boolean;
  /** The ECO code, as in the tag. */
  eco: string;
  /** The event. */
  event: string;
  /** The number of the game, from 1. */
  number: number;
  /** Plies of the main line; null if they were not counted. */
  plies: number | null;
  /** The result: `1-0`, `0-1`, `1/2-1/2` or `*`. */
  result: string;
  /** The round. */
  round: string;
  /** The site. */
  site: string;
  /** White's name. */
  white: string;
  /** White's Elo; null if the tag is not a number. */
  white_elo: number | null;
}

/** A page of a list of games. */
export interface GameRowsAnswer {
  /** The index of the first row of the page, from 0. */
  from: number;
  /** The rows. */
  rows: ListRowAnswer[];
  /** How many rows the list has. */
  total: number;
  /** Whether these are all requested rows; false if reading them took too long. */
  whole: boolean;
}

/** The version of a game before a change. */
export interface GameVersionAnswer {
  /** How it differs from the game now. */
  differences?: string[];
  /** The game as it was (`docs/formats/ndjson.md`). */
  game?: unknown;
  /** What was changed. */
  kind: GameVersionKindAnswer;
  /** The number of the change. */
  version: number;
  /** When it was made. */
  when: string;
  /** The change in words. */
  wish: string;
}

/** What was changed in a game. */
export type GameVersionKindAnswer = 'game' | 'flags' | 'new';

/** How to fix a failure. */
export interface HintAnswer {
  /** The code of the hint, for programs and translations. */
  code: string;
  /** The values in the hint, by name. */
  values?: Record<string, string>;
}

/** The changes of a database. */
export interface HistoryAnswer {
  /** The changes, the newest first. */
  changes: HistoryChangeAnswer[];
  /** Whether part of the history cannot be read. */
  damaged: boolean;
  /** Whether another program, which keeps no history, has changed the database. */
  overtaken: boolean;
}

/** A change of a database. */
export interface HistoryChangeAnswer {
  /** Its number. */
  id: number;
  /** The number of the change that it undoes. */
  undoes: number | null;
  /** When it was made. */
  when: string;
  /** The change in words. */
  wish: string;
}

/** The format of a file: a line of `identify --json`. */
export interface IdentityAnswer {
  /** Advice about a file of another program. */
  advice: string | null;
  /** Whether the format is certain. */
  certain: boolean;
  /** The name of the format. */
  format: string | null;
  /** Its kind. */
  kind: IdentityKindAnswer;
  /** Its path. */
  path: string;
  /** The title of the format. */
  title: string | null;
}

/** The kind of a file. */
export type IdentityKindAnswer = 'database' | 'companion' | 'archive' | 'foreign' | 'folder' | 'unknown';

/** The state of the index of a database. */
export type IndexStateAnswer = 'fresh' | 'stale' | 'none' | 'impossible';

/** A description of a database: a line of `info --json`. */
export type InfoAnswer = { charsets?: Record<string, number>; damaged_games?: number; dates?: InfoDatesAnswer; deleted?: number; diagnostics: FindingCountAnswer[]; files: InfoFileAnswer[]; format: string; games: number | null; half_moves?: number; name: string; results?: Record<string, number>; set_ups?: number; version?: string; with_comments?: number; with_variations?: number };

/** The first and the last date of games. */
export interface InfoDatesAnswer {
  /** The first. */
  first: string | null;
  /** The last. */
  last: string | null;
}

/** A field that only a format has. */
export type InfoFieldAnswer = string | string[];

/** A file of a database. */
export interface InfoFileAnswer {
  /** Its size. */
  bytes: number;
  /** Its path. */
  path: string;
}

/** An address with which one more browser can connect. */
export interface InvitationAnswer {
  /** The address. */
  url: string;
}

/** The results of a job. */
export type JobFoundAnswer = ConversionAnswer | AnalysisAnswer | PuzzlesAnswer | RenewalAnswer;

/** A job with its results. */
export interface JobReportAnswer {
  /** The job. */
  job: ServerJobAnswer;
  /** Its results; null while it is running, and if there are none. */
  report: JobFoundAnswer | null;
}

/** The state of a job. */
export type JobStateAnswer = 'running' | 'done' | 'stopped' | 'failed';

/** A match of a knockout. */
export interface KnockoutMatchAnswer {
  /** The two players. */
  players: [string | null, string | null];
  /** Their points. */
  points: [number, number];
  /** The round of the knockout, from 1. */
  stage: number;
}

/** A row of a list of games; very long texts are cut. */
export interface ListRowAnswer {
  /** Black's name. */
  black: string;
  /** Black's Elo; null if the tag is not a number. */
  blackElo: number | null;
  /** The date, as in the tag. */
  date: string;
  /** Whether it is marked as deleted. */
  deleted: boolean;
  /** The ECO code, as in the tag. */
  eco: string;
  /** The event. */
  event: string;
  /** The number of the game. */
  number: number;
  /** Plies of the main line; null if they were not counted. */
  plies: number | null;
  /** Only in the rows of a search: the ply of the first match; null if the query is about the game as a whole. */
  ply?: number | null;
  /** The result: `1-0`, `0-1`, `1/2-1/2` or `*`. */
  result: string;
  /** The round. */
  round: string;
  /** The site. */
  site: string;
  /** White's name. */
  white: string;
  /** White's Elo; null if the tag is not a number. */
  whiteElo: number | null;
}

/** A message of the socket on which the server reports changes. */
export type LiveLineAnswer = { bases: Record<string, number>; jobs: ServerJobAnswer[]; kind: 'now' } | { job: ServerJobAnswer; kind: 'job' } | { base: string; kind: 'base'; version: number; why: BaseChangeAnswer };

/** One loss. */
export interface LossAnswer {
  /** The losses. */
  detail: string;
  /** The number of the game; null if the loss is about the whole database. */
  game: number | null;
}

/** A kind of loss, its number, and the first of them. */
export interface LossKindAnswer {
  /** The part of a game that it is about: a tag, a comment, a move. */
  aspect: string;
  /** How often. */
  count: number;
  /** The first of them. */
  examples: LossAnswer[];
  /** Its code: `check --explain CODE` has a page for each. */
  kind: string;
  /** The loss in a few words. */
  summary: string;
}

/** A game that matches a search: a line of `search --json`. */
export interface MatchRowAnswer {
  /** The name of its database. */
  base: string;
  /** Black's name. */
  black: string;
  /** Black's Elo; null if the tag is not a number. */
  black_elo: number | null;
  /** The date, as in the tag. */
  date: string;
  /** Whether it is marked as deleted. */
  deleted: boolean;
  /** The ECO code, as in the tag. */
  eco: string;
  /** The event. */
  event: string;
  /** The number of the game, from 1. */
  number: number;
  /** Plies of the main line; null if they were not counted. */
  plies: number | null;
  /** The ply of the first match; null if the query is about the game as a whole. */
  ply: number | null;
  /** The result: `1-0`, `0-1`, `1/2-1/2` or `*`. */
  result: string;
  /** The round. */
  round: string;
  /** The site. */
  site: string;
  /** White's name. */
  white: string;
  /** White's Elo; null if the tag is not a number. */
  white_elo: number | null;
}

/** The evaluation of a position by an engine. */
export interface McpAnalysisAnswer {
  /** The engine. */
  engine: string;
  /** The position. */
  fen: string;
  /** The best lines, the best first. Evaluations are seen from White. */
  lines: McpAnalysisLineAnswer[];
  /** Positions that were searched. */
  nodes: number;
  /** Whether the search was completed. */
  whole: boolean;
}

/** A line of an engine. */
export interface McpAnalysisLineAnswer {
  /** The evaluation; null if the engine gave none. */
  evaluation: McpEvaluationAnswer | null;
  /** The moves. */
  moves: string[];
}

/** A database that the tools can use. */
export interface McpBaseAnswer {
  /** The name that tools take. */
  base: string;
  /** The first and the last date, if known from an index. */
  dates: InfoDatesAnswer | null;
  /** Whether `edit` can change it. */
  editable: boolean;
  /** The title of its format. */
  format: string;
  /** The number of games; null if it is unknown without reading them. */
  games: number | null;
  /** Whether an index beside it is used. */
  indexed: boolean;
  /** More about it, as in `info --json`; only if a single database is asked for. */
  info?: InfoAnswer;
}

/** The databases that the tools can use. */
export interface McpBasesAnswer {
  /** The databases, with the names that tools take. */
  bases: McpBaseAnswer[];
  /** Whether tools may change databases and write files. */
  edits: boolean;
  /** Databases that could not be opened, with the reason. */
  failed: string[];
}

/** The losses of a copy. */
export interface McpConversionAnswer {
  /** The report of `convert --report`. */
  report: ConversionAnswer;
  /** Whether a file was written; if not, it was a trial. */
  written: boolean;
}

/** A list or a text that was cut because the answer would have been too long. */
export interface McpCutAnswer {
  /** The cursor with which the tool `more` shows the rest. */
  cursor: string;
  /** Where it is, as a JSON pointer into the answer. */
  path: string;
  /** Items, or characters, that are shown. */
  shown: number;
  /** Items, or characters, in total. */
  total: number;
}

/** The effect of an edit of a game, or of its preview. */
export interface McpEditAnswer {
  /** The name of the database. */
  base: string;
  /** Whether the database was changed: false for a preview, and if there was nothing to change. */
  changed: boolean;
  /** Data that the database cannot hold. */
  losses: ChangeLossAnswer[];
  /** For each change, the node where it ended; null if it is not about a node. */
  nodes: (string | null)[];
  /** Other notes. */
  notes: string[];
  /** The number of the game; null for a game that would be added. */
  number: number | null;
  /** The change in words. */
  wish: string;
}

/** An evaluation, always seen from White: more than 0 is better for White, whichever side is to move. */
export interface McpEvaluationAnswer {
  /** Its origin: the game, or the name of an engine that was asked before. */
  by: string;
  /** In hundredths of a pawn; null for a mate. */
  centipawns: number | null;
  /** The depth of the search, if known. */
  depth: number | null;
  /** Moves until mate, less than 0 if White is mated; null if it is not a mate. */
  mate: number | null;
  /** Always `White`: the side from which it is seen. */
  seen_from: string;
}

/** The results of an engine analysis of a game. */
export interface McpGameAnalysisAnswer {
  /** The numbers: accuracy, mistakes, blunders. */
  analysis: AnalysisAnswer;
  /** The game with the evaluations. */
  game: McpGameAnswer;
  /** Whether the evaluations were saved in the database, as one change that can be undone. */
  saved: boolean;
}

/** A game as a tree: each move is a node with the id of the node before it. */
export interface McpGameAnswer {
  /** The name of its database. */
  base: string;
  /** The issues of the game. */
  findings: FindingAnswer[];
  /** The start, then the moves in reading order. Evaluations are seen from White. */
  nodes: McpNodeAnswer[];
  /** The number of the game. */
  number: number;
  /** Plies of the main line. */
  plies: number;
  /** The result: `1-0`, `0-1`, `1/2-1/2` or `*`. */
  result: string;
  /** The tags, in their order. */
  tags: McpTagAnswer[];
}

/** More of a list that was cut. */
export interface McpItemsAnswer {
  /** The index of the first item, from 0. */
  from: number;
  /** The items; for a text that was cut, its pieces. */
  items: unknown[];
  /** The cursor for the next items; null at the end. */
  next: string | null;
  /** The list, as a JSON pointer into the answer that was cut. */
  path: string;
  /** The number of items in the list. */
  total: number;
}

/** A job: work that continues while other tools are called. */
export interface McpJobAnswer {
  /** Work done so far, in units of the job. */
  done: number;
  /** Games processed so far. */
  games: number;
  /** Its id, for the tool `job`. */
  id: string;
  /** Why it was stopped or failed. */
  message: string | null;
  /** The time that it has taken, in seconds. */
  seconds: number;
  /** Its state. */
  state: JobStateAnswer;
  /** The tool that started it. */
  tool: string;
  /** The total work in these units; null if unknown. */
  total: number | null;
}

/** The jobs of this run. */
export interface McpJobsAnswer {
  /** The jobs, the newest last. */
  jobs: McpJobAnswer[];
}

/** The material of both sides. */
export interface McpMaterialAnswer {
  /** White's minus Black's in pawns, with 3 for a knight or bishop, 5 for a rook, 9 for a queen. */
  balance: number;
  /** Black's. */
  black: McpPieceCountsAnswer;
  /** White's. */
  white: McpPieceCountsAnswer;
}

/** A NAG. */
export interface McpNagAnswer {
  /** Its meaning; null if it is not defined. */
  meaning: string | null;
  /** Its number. */
  nag: number;
}

/** A move of a game, or the start of the game. */
export interface McpNodeAnswer {
  /** The comment before the move. */
  before?: string;
  /** The time left on the clock of the player who moved, in seconds. */
  clock?: number;
  /** The comment after the move; at the start, before the first move. */
  comment?: string;
  /** The evaluation in the game. */
  evaluation?: McpEvaluationAnswer;
  /** The position after it; only at the start. */
  fen?: string;
  /** Its id, made of the starting position and the moves up to here: the same moves have the same id in every answer. */
  id: string;
  /** Whether it is in the main line. */
  main: boolean;
  /** Arrows and coloured squares. */
  marks?: BoardMarkAnswer[];
  /** Its NAGs. */
  nags?: McpNagAnswer[];
  /** The id of the node before; null at the start. */
  parent: string | null;
  /** The number of the ply: 0 at the start, 1 after White's first move. */
  ply: number;
  /** The move; null at the start. */
  san: string | null;
  /** The first node with the same position, if other moves lead to it. */
  transposes?: string;
}

/** A piece on the board. */
export interface McpPieceAnswer {
  /** The squares of the other side's pieces that attack it. */
  attacked_by: string[];
  /** Its colour. */
  color: SideAnswer;
  /** The squares of its own side's pieces that defend it. */
  defended_by: string[];
  /** The kind of piece: `king`, `queen`, `rook`, `bishop`, `knight` or `pawn`. */
  piece: string;
  /** Its square. */
  square: string;
}

/** How many pieces of each kind a side has. */
export interface McpPieceCountsAnswer {
  /** Bishops. */
  bishops: number;
  /** Knights. */
  knights: number;
  /** Pawns. */
  pawns: number;
  /** Queens. */
  queens: number;
  /** Rooks. */
  rooks: number;
}

/** A full description of a position. */
export interface McpPositionAnswer {
  /** The evaluation, if the game has it or an engine was asked before. */
  evaluation: McpEvaluationAnswer | null;
  /** The position. */
  fen: string;
  /** All legal moves. */
  legal_moves: string[];
  /** The moves that lead to it, if known. */
  line: string[];
  /** The material. */
  material: McpMaterialAnswer;
  /** The opening: that of the last position in the line that has a name. */
  opening: OpeningAnswer | null;
  /** The pieces. */
  pieces: McpPieceAnswer[];
  /** Why it is illegal, if it is. */
  problems: string[];
  /** Its state. */
  state: McpPositionStateAnswer;
  /** The side to move. */
  turn: SideAnswer;
}

/** The state of a position for the side to move. */
export type McpPositionStateAnswer = 'play' | 'check' | 'checkmate' | 'stalemate';

/** Why a tool call was refused. */
export interface McpRefusalAnswer {
  /** The index of the change that was refused, from 0. Nothing was changed. */
  change?: number;
  /** Valid choices. */
  choices?: string[];
  /** The code of the error, for programs: `illegal-move`, `no-such-game`, `bad-query` and so on. */
  code: string;
  /** Why. */
  error: string;
  /** An error in a query, with its place. */
  fault?: QueryFaultAnswer;
  /** The position in which a move was refused. */
  fen?: string;
  /** How to fix it. */
  help?: string;
  /** The legal moves, if a move was refused. */
  legal_moves?: string[];
  /** The losses, if a database cannot hold a game. */
  losses?: ChangeLossAnswer[];
}

/** Games compared with the repertoire of one side. */
export interface McpRepertoireAnswer {
  /** The side. */
  color: SideAnswer;
  /** Damaged games among them. */
  damaged: number;
  /** The index of the first of the following games, from 0. */
  from: number;
  /** Games that were compared with it. */
  games: number;
  /** The opponent's moves in these games that it does not answer, the most frequent first; only if requested. */
  gaps?: RepertoireGapAnswer[];
  /** The positions where games left it, those with the most games first. */
  lines: RepertoireLineAnswer[];
  /** `from` of the next page; null on the last one. */
  next: number | null;
  /** Positions of the repertoire. */
  positions: number;
  /** Where games left it, in the order of the games. */
  rows: RepertoireGameAnswer[];
}

/** Games compared with a repertoire. */
export interface McpRepertoireCheckAnswer {
  /** Other notes: the side of a repertoire, if it was detected. */
  notes: string[];
  /** The repertoires: one for each side for which there are games. */
  repertoires: McpRepertoireAnswer[];
}

/** The rows of an SQL query. */
export interface McpRowsAnswer {
  /** Other notes. */
  notes: string[];
  /** The rows, each with its columns. */
  rows: unknown[];
  /** Whether these are all rows. */
  whole: boolean;
}

/** A page of the games that match a search. */
export interface McpSearchAnswer {
  /** The index of the first row, from 0. */
  from: number;
  /** `from` of the next page; null on the last one. */
  next: number | null;
  /** Other notes: how the query was understood, names that may have been meant. */
  notes: string[];
  /** The games: each is a line of `search --json`. */
  rows: MatchRowAnswer[];
  /** The number of games that match; null if they were not all counted. */
  total: number | null;
  /** Whether everything was processed. */
  whole: boolean;
}

/** A tag. */
export interface McpTagAnswer {
  /** Its name. */
  name: string;
  /** Its value. */
  value: string;
}

/** The number of moves by judgement. */
export interface MistakeCountAnswer {
  /** Blunders. */
  blunders: number;
  /** Inaccuracies. */
  inaccuracies: number;
  /** Their total loss. */
  loss: number;
  /** Mistakes. */
  mistakes: number;
  /** Moves. */
  moves: number;
}

/** The games in which moves were counted, by database. */
export interface MistakeGamesAnswer {
  /** Games with blunders of the player. */
  blunders: GameNumbersAnswer[];
  /** Games with inaccuracies of the player. */
  inaccuracies: GameNumbersAnswer[];
  /** Games with mistakes of the player. */
  mistakes: GameNumbersAnswer[];
  /** Games with moves of the player. */
  moves: GameNumbersAnswer[];
  /** Games with moves of other players with a similar rating. */
  others: GameNumbersAnswer[];
}

/** Moves grouped by one criterion. */
export interface MistakeGroupAnswer {
  /** The criterion: `opening`, `phase`, `clock`, `piece`, `kind` or `motif`. */
  by: string;
  /** The rows, those with the largest loss first. */
  rows: MistakeRowAnswer[];
}

/** The place of an inaccuracy, mistake or blunder. */
export interface MistakePlaceAnswer {
  /** The database. */
  base: string;
  /** `inaccuracy`, `mistake` or `blunder`. */
  judgement: string;
  /** The number of the game. */
  number: number;
  /** The ply, from 1. */
  ply: number;
}

/** The moves of one group. */
export interface MistakeRowAnswer {
  /** The games of these numbers. */
  in_games: MistakeGamesAnswer;
  /** The moves of other players with a similar rating. */
  others: MistakeCountAnswer;
  /** The player's moves. */
  own: MistakeCountAnswer;
  /** The player's inaccuracies, mistakes and blunders. */
  places: MistakePlaceAnswer[];
  /** The value of the criterion. */
  value: string;
}

/** Where a player makes mistakes: `mistakes --json`. Losses are in hundredths of a pawn. */
export interface MistakesAnswer {
  /** All moves of the player between two evaluations. */
  all: MistakeCountAnswer;
  /** The names of the databases. */
  bases: string[];
  /** Games that are damaged. */
  damaged: number;
  /** Games of the player with evaluations. */
  games: number;
  /** Which games have evaluations, and which have none. */
  games_by_evaluations: EvaluatedGamesAnswer;
  /** The moves by opening, phase, clock, piece, kind of loss and motif. */
  groups: MistakeGroupAnswer[];
  /** The games of the numbers in `all` and `others`. */
  in_games: MistakeGamesAnswer;
  /** The same for other players with a similar rating, against any opponent. */
  others: MistakeCountAnswer;
  /** The name that was asked for. */
  player: string;
  /** The mean of the player's ratings in these games. */
  rating: number | null;
  /** Whether everything was processed. */
  whole: boolean;
  /** Games of the player without evaluations, which are not counted. */
  without_evaluations: number;
}

/** A name and its games. */
export interface NameAnswer {
  /** The lowest and the highest Elo in these games. */
  elos: [number, number] | null;
  /** Games with this name. */
  games: number;
  /** The name. */
  name: string;
  /** The first and the last year of these games. */
  years: [number, number] | null;
}

/** The names that were fixed: `names --apply --json`. */
export interface NameCorrectionAnswer {
  /** Games that were changed. */
  changed: number;
  /** Tags that were filled in, with the number of games. */
  filled: Record<string, number>;
  /** Games that were read. */
  games: number;
  /** Names that were fixed. */
  names: CorrectedNameAnswer[];
}

/** Names that were fixed, or would be. */
export interface NameCorrectionsAnswer {
  /** Games that were changed. */
  games: number;
  /** Other notes. */
  notes: string[];
  /** Games that were not changed because the database cannot hold them. */
  refused: number;
  /** The names that were fixed. */
  report: NameCorrectionAnswer;
  /** Whether the change was completed; if not, nothing was changed. */
  whole: boolean;
  /** The change in words. */
  wish: string;
}

/** A name with its variants. */
export interface NameGroupAnswer {
  /** The spelling that is kept. */
  keep: NameAnswer;
  /** The kind of name. */
  kind: NameKindAnswer;
  /** The variants. */
  variants: NameVariantAnswer[];
}

/** The kind of a name. */
export type NameKindAnswer = 'players' | 'events' | 'sites' | 'rounds';

/** A name that may be a variant. */
export interface NameVariantAnswer {
  /** The lowest and the highest Elo in these games. */
  elos: [number, number] | null;
  /** The evidence for it. */
  evidence: string[];
  /** Games with this name. */
  games: number;
  /** How it differs: `spelling`, `title`, `swapped`, `short`, `misspelt` or `country`. */
  how: string;
  /** The name. */
  name: string;
  /** Other names of which it may be a variant: if there are any, it is not corrected. */
  or: string[];
  /** The first and the last year of these games. */
  years: [number, number] | null;
}

/** Names with variants: `names --json`. */
export interface NamesAnswer {
  /** Damaged games among those that had to be read. */
  damaged: number;
  /** The names with their variants, those with the most games first. */
  groups: NameGroupAnswer[];
  /** Names that were checked. */
  names: number;
  /** Whether everything was processed. */
  whole: boolean;
}

/** The novelties of games. */
export interface NoveltiesAnswer {
  /** Games that were compared. */
  games: number;
  /** Other notes. */
  notes: string[];
  /** The games that stayed longest in known theory, the longest first. */
  novelties: NoveltyAnswer[];
  /** Games without a year, which cannot be compared with earlier games. */
  undated: number;
  /** Whether all games were compared. */
  whole: boolean;
}

/** The novelty of a game: a line of `novelty --json`. */
export interface NoveltyAnswer {
  /** The moves that were played there before, the most frequent first. */
  before: EarlierMoveAnswer[];
  /** The game. */
  game: BaseGameAnswer;
  /** Earlier games that reached this position. */
  games: number;
  /** Plies that were played before. */
  known: number;
  /** The ply of the novelty, from 1; null if the whole game was played before. */
  ply: number | null;
  /** The novelty. */
  san: string | null;
}

/** The numbers of the games of a search. */
export interface NumbersAnswer {
  /** The index of the first number, from 0. */
  from: number;
  /** The numbers. */
  numbers: number[];
  /** How many games were found. */
  total: number;
}

/** An opening. */
export interface OpeningAnswer {
  /** Its ECO code. */
  eco: string;
  /** Its name. */
  name: string;
}

/** The value that an option takes. */
export type OptionArgumentAnswer = { kind: 'nothing' } | { kind: 'number' } | { kind: 'text'; name: string } | { kind: 'list'; name: string } | { kind: 'one'; words: OptionWordAnswer[] };

/** A value of an option. */
export interface OptionWordAnswer {
  /** What it means. */
  help: string;
  /** The value. */
  word: string;
}

/** A page of `check --explain`. */
export interface PageAnswer {
  /** The code that it explains. */
  name: string;
  /** A summary in a few words. */
  summary: string;
  /** The severity of the issue, or that it is a loss. */
  weight: string;
}

/** The paths of settings and data. */
export interface PlacesAnswer {
  /** The data folder of the app. */
  data: string | null;
  /** The settings file of engines. */
  engines: string | null;
  /** The folders and databases that were given when the server was started. */
  folders: string[];
  /** The settings file. */
  settings: string | null;
}

/** The record of a player: `player --json`. Wins are the player's. */
export interface PlayerAnswer {
  /** The opponent that was asked for. */
  against: string | null;
  /** The names of the databases. */
  bases: string[];
  /** Wins against the strongest opponents, the strongest first. */
  best_wins: PlayerGameAnswer[];
  /** Damaged games among those that had to be read. */
  damaged: number;
  /** Drawn games. */
  draws: number;
  /** Games. */
  games: number;
  /** Lost games. */
  losses: number;
  /** Games without a result. */
  other: number;
  /** The name that was asked for. */
  player: string;
  /** The ratings over time. */
  ratings: RatingPeriodAnswer[];
  /** The longest streaks. */
  series: StreakAnswer[];
  /** The scores by name, colour, year, opponent, event, opening and so on. */
  statistics: TableAnswer[];
  /** Whether everything was processed. */
  whole: boolean;
  /** Won games. */
  wins: number;
  /** Losses against the weakest opponents, the weakest first. */
  worst_losses: PlayerGameAnswer[];
}

/** A game of a player. */
export interface PlayerGameAnswer {
  /** The index of the database in `bases`, from 0. */
  base: number;
  /** The player's side. */
  color: SideAnswer;
  /** The date. */
  date: string;
  /** The ECO code. */
  eco: string | null;
  /** The player's Elo. */
  elo: number | null;
  /** The event. */
  event: string;
  /** The number of the game. */
  number: number;
  /** The name of the opponent. */
  opponent: string;
  /** The opponent's Elo. */
  opponent_elo: number | null;
  /** The round. */
  round: string;
}

/** What an opening book says about a position. */
export interface PositionBookAnswer {
  /** Its format. */
  format: string;
  /** Its moves in the position, in its order, those with the highest weight first. */
  moves: BookMoveAnswer[];
  /** The name of the book. */
  name: string;
}

/** A puzzle: a line of `tactics --json`. */
export interface PuzzleAnswer {
  /** The position; the solver is to move. */
  fen: string;
  /** Whether the player of the game found it; null if the game ended there. */
  found: boolean | null;
  /** The goal: `mate-in-3`, `win` or `hold`. */
  goal: string;
  /** The solution in UCI notation: it begins and ends with a move of the solver. */
  moves: string[];
  /** The same in SAN. */
  san: string[];
  /** The version of this answer. */
  schema: string;
  /** Where it comes from. */
  source: PuzzleSourceAnswer;
  /** The themes. */
  themes: string[];
}

/** Where a puzzle comes from. */
export interface PuzzleSourceAnswer {
  /** The name of the database. */
  base: string;
  /** Black's name. */
  black: string;
  /** The date. */
  date: string;
  /** The event. */
  event: string;
  /** The number of the game. */
  game: number;
  /** The ply. */
  ply: number;
  /** White's name. */
  white: string;
}

/** Puzzles from the games of a database. */
export interface PuzzlesAnswer {
  /** The name that the engine gives itself. */
  engine: string;
  /** Positions that the engine has not evaluated. */
  failed: number;
  /** Games that were read. */
  games: number;
  /** Notes about the engine. */
  notes: string[];
  /** The puzzles. */
  puzzles: PuzzleAnswer[];
  /** Whether all games were searched; false if there were enough puzzles before the end. */
  whole: boolean;
}

/** An error in a query, with its place. */
export interface QueryFaultAnswer {
  /** Where it ends. */
  end: number;
  /** What may have been meant. */
  help: string | null;
  /** What is wrong. */
  message: string;
  /** Where it begins, in UTF-16 code units. */
  start: number;
}

/** A rating and the games that have it. */
export interface RatingPeriodAnswer {
  /** The date of the first game. */
  date: string;
  /** The Elo. */
  elo: number;
  /** The number of consecutive games with it. */
  games: number;
}

/** A database that was opened in this run or an earlier one. */
export interface RecentBaseAnswer {
  /** Its id if it is open. */
  base: string | null;
  /** The name of its file. */
  name: string;
  /** Its path. */
  path: string;
}

/** Why a request was refused. */
export interface RefusalAnswer {
  /** The differences between both games. */
  between?: string[];
  /** The code of the error, for programs and translations: `no-such-game`, `bad-position` and so on. */
  code: string;
  /** Whether the database holds comments; only if it cannot hold a game. */
  comments?: boolean;
  /** Why, in English. */
  error: string;
  /** An error in a query, with its place. */
  fault?: QueryFaultAnswer;
  /** How to fix it. */
  hint?: HintAnswer;
  /** The kind of failure, for programs: `usage`, `not-found`, `conflict`, `busy`, `corrupt`, `limit` and so on. */
  kind: string;
  /** The losses; only if a database cannot hold a game. */
  losses?: ChangeLossAnswer[];
  /** What was changed here. */
  mineChanged?: string[];
  /** The parameter that is wrong. */
  parameter?: string;
  /** Whether a password is required; only if something could not be opened. */
  password?: boolean;
  /** The game that is in the database now; only if somebody else changed it (`docs/formats/ndjson.md`). */
  theirs?: unknown;
  /** What somebody else changed. */
  theirsChanged?: string[];
  /** The values in the message, by name: a translation is made from them and the code. `message` is always there: the message in English,
without its place and without a hint. */
  values?: Record<string, string>;
}

/** What a renewal has brought. */
export interface RenewalAnswer {
  /** The sources that were asked. */
  sources: FetchAnswer[];
}

/** A line that was added to a repertoire. */
export interface RepertoireAdditionAnswer {
  /** How many of its moves are new; 0 if the repertoire already had all of them. */
  added: number;
  /** The version of the database after the change; null if nothing was changed. */
  baseVersion: number | null;
  /** The number of the game that has them. */
  game: number | null;
  /** Other notes. */
  notes: string[];
}

/** A position to train: a line of `repertoire due --json`. */
export interface RepertoireCardAnswer {
  /** The side of the repertoire. */
  color: SideAnswer;
  /** From 1 (easy) to 10; null for a new position. */
  difficulty: number | null;
  /** When it is due, in UTC; null for a new position. */
  due: string | null;
  /** The position. */
  fen: string;
  /** How often the position arises if the repertoire is played; with a reference, by its games. */
  frequency: number;
  /** Whether it is due now. */
  is_due: boolean;
  /** Whether it was never asked. */
  is_new: boolean;
  /** Reviews with a wrong answer. */
  lapses: number;
  /** The moves to the position. */
  line: string;
  /** The correct moves. */
  moves: string[];
  /** The probability that the move is recalled now; null for a new position. */
  retrievability: number | null;
  /** Reviews so far. */
  reviews: number;
  /** Days after which it is recalled with a probability of 90 per cent; null for a new position. */
  stability: number | null;
}

/** A conflict: a line of `repertoire conflicts --json`. */
export interface RepertoireConflictAnswer {
  /** The side of the repertoire. */
  color: SideAnswer;
  /** The position. */
  fen: string;
  /** The kind of a conflict. */
  kind: RepertoireConflictKindAnswer;
  /** The moves to the position. */
  line: string;
  /** The moves; of two that are compared, the worse one first. */
  moves: RepertoireMoveAnswer[];
}

/** The kind of a conflict. */
export type RepertoireConflictKindAnswer = 'several' | 'bad' | 'stops' | 'score' | 'evaluation';

/** Where a repertoire contradicts itself. */
export interface RepertoireConflictsAnswer {
  /** The side of the repertoire. */
  color: SideAnswer;
  /** The conflicts, in the order of the positions. */
  conflicts: RepertoireConflictAnswer[];
  /** How many there are. */
  count: number;
  /** Other notes. */
  notes: string[];
  /** Whether these are all; false if there are more. */
  whole: boolean;
}

/** The number of games still in the repertoire at a ply: a line of `repertoire coverage --json`. */
export interface RepertoireCoverageAnswer {
  /** The side of the repertoire. */
  color: SideAnswer;
  /** Reference games with at least this many plies. */
  games: number;
  /** Those of them that are still in the repertoire after this ply or later. */
  inside: number;
  /** Games that continued after this ply where the repertoire has no move. */
  line_end: number;
  /** Games that the repertoire's side left at this ply. */
  me: number;
  /** Games that the opponent left at this ply. */
  opponent: number;
  /** The ply. */
  ply: number;
}

/** How a game leaves a repertoire. */
export type RepertoireEndAnswer = 'inside' | 'line-end' | 'me' | 'opponent' | 'elsewhere';

/** Where a game leaves a repertoire: a line of `repertoire check --json`. */
export interface RepertoireGameAnswer {
  /** The side of the repertoire. */
  color: SideAnswer;
  /** How the game leaves the repertoire. */
  end: RepertoireEndAnswer;
  /** The moves of the repertoire there. */
  expected: string[];
  /** This position. */
  fen: string | null;
  /** The game. */
  game: BaseGameAnswer;
  /** Whether the repertoire marks this move as bad. */
  marked_bad: boolean;
  /** The move that was played there; null if the game ends there. */
  played: string | null;
  /** Plies to the last position in the repertoire; null for a game that starts elsewhere. */
  ply: number | null;
  /** The first few moves of the game from there on. */
  then: string;
}

/** Where games leave a repertoire. */
export interface RepertoireGamesAnswer {
  /** The side of the repertoire. */
  color: SideAnswer;
  /** How many games were compared. */
  count: number;
  /** Damaged games. */
  damaged: number;
  /** The games, the last one first. */
  games: RepertoireGameAnswer[];
  /** The positions where they leave, those with the most games first. */
  lines: RepertoireLineAnswer[];
  /** Other notes. */
  notes: string[];
  /** Whether these are all; false if there are more. */
  whole: boolean;
}

/** A move of the opponent that the repertoire does not answer: a line of `repertoire gaps --json`. */
export interface RepertoireGapAnswer {
  /** The side of the repertoire. */
  color: SideAnswer;
  /** Whether the repertoire has no move at all in the position. */
  end_of_line: boolean;
  /** The position. */
  fen: string;
  /** The probability that a game reaches the position and the move is played, if the repertoire is played. */
  frequency: number;
  /** Reference games in which it was played there. */
  games: number;
  /** The moves to the position. */
  line: string;
  /** Reference games that continued there. */
  of: number;
  /** The move. */
  san: string;
  /** The score of the repertoire's side after the move in per cent, of games with a result. */
  score: number | null;
  /** The move in UCI notation. */
  uci: string;
}

/** The opponent's moves that a repertoire does not answer. */
export interface RepertoireGapsAnswer {
  /** The side of the repertoire. */
  color: SideAnswer;
  /** How many there are. */
  count: number;
  /** The moves, the most frequent first. */
  gaps: RepertoireGapAnswer[];
  /** Other notes. */
  notes: string[];
  /** Whether these are all; false if there are more. */
  whole: boolean;
}

/** A position where games left a repertoire: a line of `repertoire check --summary --json`. */
export interface RepertoireLineAnswer {
  /** The side of the repertoire. */
  color: SideAnswer;
  /** The position; null for games that start elsewhere. */
  fen: string | null;
  /** Games. */
  games: number;
  /** Games that ended there. */
  inside: number;
  /** The moves to the position. */
  line: string;
  /** Games that continued where the repertoire has no move. */
  line_end: number;
  /** Games that the repertoire's side left. */
  me: number;
  /** Games that the opponent left. */
  opponent: number;
  /** The score of the repertoire's side in per cent, of games with a result. */
  score: number | null;
}

/** A move of a repertoire. */
export interface RepertoireMoveAnswer {
  /** The evaluation after the move from the file, seen from White, in hundredths of a pawn. */
  evaluation: number | null;
  /** Reference games in which it was played there; null without a reference. */
  games: number | null;
  /** The marks of the move: `bad`, `good`, `only`, `skip`. */
  marks: string[];
  /** The move. */
  san: string;
  /** The score of the repertoire's side in these games in per cent, of games with a result. */
  score: number | null;
  /** The share from the file, in per cent. */
  share: number | null;
  /** Whether the position after it is shown elsewhere, with the moves after it. */
  transposes: boolean;
  /** The move in UCI notation. */
  uci: string;
}

/** A position of a repertoire with its reference games. */
export interface RepertoireNodeAnswer {
  /** The percentage of these games in which the repertoire has the move that was played; null without games. */
  answered: number | null;
  /** Reference games that continued there; null without a reference. */
  games: number | null;
  /** The position with its moves. */
  position: RepertoirePositionAnswer;
}

/** How many games are still inside a repertoire at each ply. */
export interface RepertoirePliesAnswer {
  /** The side of the repertoire. */
  color: SideAnswer;
  /** What there is to know beside. */
  notes: string[];
  /** The plies from the start to the last one at which a game is inside. */
  plies: RepertoireCoverageAnswer[];
  /** Whether these are all; false where there are more than are shown. */
  whole: boolean;
}

/** A position with its moves: a line of `repertoire show --json`. */
export interface RepertoirePositionAnswer {
  /** The side of the repertoire. */
  color: SideAnswer;
  /** The position. */
  fen: string;
  /** How often it arises if the repertoire is played; null without a reference. */
  frequency: number | null;
  /** The moves to the position. */
  line: string;
  /** Its moves, those marked as bad last. */
  moves: RepertoireMoveAnswer[];
  /** Whether the repertoire's side is to move. */
  my_turn: boolean;
}

/** The positions of a repertoire that have moves. */
export interface RepertoireTreeAnswer {
  /** The side of the repertoire. */
  color: SideAnswer;
  /** The sides for which the database has games. */
  colors: SideAnswer[];
  /** How many positions the repertoire has. */
  count: number;
  /** The positions from a starting point on, the nearest first. */
  nodes: RepertoireNodeAnswer[];
  /** Other notes. */
  notes: string[];
  /** Whether the side was detected because no tag gives it. */
  recognised: boolean;
  /** Whether these are all; false if there are more. */
  whole: boolean;
}

/** The losses of saving a game. */
export interface SaveLossesAnswer {
  /** The losses. */
  losses: ChangeLossAnswer[];
}

/** The end of a search. */
export interface SearchEndAnswer {
  /** Games that were found. */
  found: number;
  /** Other notes. */
  notes: string[];
  /** Whether all games were searched. */
  whole: boolean;
}

/** A line of a search in progress. */
export type SearchLineAnswer = { kind: 'view'; view: string } | { kind: 'rows'; rows: ListRowAnswer[] } | { asked: number; found: number; kind: 'found'; total: number | null } | { found: number; kind: 'done'; notes: string[]; whole: boolean };

/** A job. */
export interface ServerJobAnswer {
  /** The id of the database. */
  base: string;
  /** Work done so far, in units of the job. */
  done: number;
  /** Games processed so far. */
  games: number;
  /** Its id. */
  id: string;
  /** Its kind: `index`, `convert`, `repair`, `rehearsal`, `examination`, `analyse`, `puzzles` or
`renew`. */
  kind: string;
  /** Why it was stopped or failed. */
  message: string | null;
  /** Why it failed, for programs and translations. */
  refusal?: RefusalAnswer;
  /** The time that it has taken, in seconds. */
  seconds: number;
  /** Its state. */
  state: JobStateAnswer;
  /** The total work in these units; null if unknown. */
  total: number | null;
  /** What it makes, if the kind does not say it. */
  what: string;
}

/** The severity of an issue. */
export type SeverityAnswer = 'note' | 'warning' | 'damage';

/** A side. */
export type SideAnswer = 'white' | 'black';

/** The login at a site that was begun last. */
export interface SiteLoginAnswer {
  /** The address that the user opens in a browser; null if none is waited for. */
  address: string | null;
  /** Why it failed; null if it did not. */
  message: string | null;
  /** Its state. */
  state: SiteLoginStateAnswer;
}

/** The state of a login. */
export type SiteLoginStateAnswer = 'none' | 'waiting' | 'done' | 'failed';

/** The issues of a source, and the losses of its copy. */
export interface SourceAnswer {
  /** Damaged games; everything that could be read of them is kept. */
  damaged_games: number;
  /** The issues. */
  diagnostics: FindingKindAnswer[];
  /** The name of its format. */
  format: string;
  /** Games that were read. */
  games: number;
  /** Games that were left out as requested. */
  left_out: number;
  /** The losses. */
  losses: LossKindAnswer[];
  /** The name of the source. */
  source: string;
  /** Differences that no loss explains; null if nothing was compared. */
  unreported_differences: string[] | null;
}

/** An issue of a database: a line of `check --json`. */
export interface SourceFindingAnswer {
  /** The byte in the file, from 0. */
  byte: number | null;
  /** Its code: `check --explain CODE` has a page for each. */
  code: string;
  /** The column, from 1. */
  column: number | null;
  /** The file. */
  file: string | null;
  /** The number of the game. */
  game: number | null;
  /** How to fix it. */
  help: string;
  /** The line in the file, from 1. */
  line: number | null;
  /** The issue at this place in words. */
  message: string;
  /** The ply. */
  ply: number | null;
  /** Its severity. */
  severity: SeverityAnswer;
  /** The name of the database. */
  source: string;
}

/** A source of a database. */
export interface SourceNameAnswer {
  /** The player whose games it has; null if it is not an account. */
  player: string | null;
  /** The source, such as `lichess samplerook`. */
  source: string;
}

/** The sites that a database is fed from, and how often it is renewed. */
export interface SourcesAnswer {
  /** The hours after which it is renewed while the server runs; null if it is not. */
  hours: number | null;
  /** When it was renewed last, in seconds since 1970; null if that is not known. */
  last: number | null;
  /** Whether the games of one more account can be fetched into it here. */
  may_add: boolean;
  /** Whether it can be renewed here. */
  possible: boolean;
  /** The sources, in the order in which they were added. */
  sources: SourceNameAnswer[];
}

/** Names with variants. */
export interface SpellingsAnswer {
  /** How many names have variants. */
  count: number;
  /** Damaged games among those that had to be read. */
  damaged: number;
  /** The names with their variants, those with the most games first. */
  groups: NameGroupAnswer[];
  /** Names that were checked. */
  names: number;
  /** Other notes. */
  notes: string[];
  /** Whether these are all; false if there are more. */
  whole: boolean;
}

/** The statistics of games: `stats --json`. */
export interface StatisticsAnswer {
  /** The names of the databases. */
  bases: string[];
  /** Damaged games among those that had to be read. */
  damaged: number;
  /** Games that were counted. */
  games: number;
  /** A table for each statistic. */
  statistics: TableAnswer[];
  /** Whether everything was processed. */
  whole: boolean;
}

/** A streak. */
export interface StreakAnswer {
  /** The first of them. */
  first: PlayerGameAnswer;
  /** The number of games. */
  games: number;
  /** The last of them. */
  last: PlayerGameAnswer;
  /** The kind of streak. */
  name: string;
}

/** A statistic. */
export interface TableAnswer {
  /** How many rows there were before the table was cut. */
  distinct: number;
  /** Its name. */
  name: string;
  /** The rows. */
  rows: TableRowAnswer[];
  /** Its title. */
  title: string;
  /** Whose wins are counted. */
  wins: WinsAnswer;
}

/** A row of a statistic. */
export interface TableRowAnswer {
  /** Its depth in a tree; 0 at the root. */
  depth: number;
  /** Drawn games. */
  draws: number;
  /** Games. */
  games: number;
  /** The value that is counted. */
  label: string;
  /** Lost games. */
  losses: number;
  /** Games without a result. */
  other: number;
  /** Won games. */
  wins: number;
}

/** A match of two teams. */
export interface TeamMatchAnswer {
  /** Their points. */
  points: [number, number];
  /** The round; null if no game has it. */
  round: number | null;
  /** The two teams. */
  teams: [string, string];
}

/** A training, with its current question. */
export interface TrainingAnswer {
  /** Positions to be asked in all. */
  all: number;
  /** The side of the repertoire. */
  color: SideAnswer;
  /** The id of the training. */
  id: string;
  /** Positions still to be asked. */
  left: number;
  /** The question; null at the end. */
  question: TrainingQuestionAnswer | null;
  /** Correct answers that were logged. */
  right: number;
  /** Wrong answers. */
  wrong: number;
}

/** How many positions of a repertoire are to be trained. */
export interface TrainingCountsAnswer {
  /** Positions that can be trained. */
  all: number;
  /** The side of the repertoire. */
  color: SideAnswer;
  /** Positions that are due. */
  due: number;
  /** Positions that were never asked. */
  new: number;
  /** When the next position is due, in UTC; null if none was asked yet, or if some are due now. */
  next: string | null;
  /** Lines of the log that are not reviews. */
  unreadable: number;
}

/** A move. */
export interface TrainingMoveAnswer {
  /** In SAN. */
  san: string;
  /** In UCI notation. */
  uci: string;
}

/** A question: the move of the repertoire's side in a position. */
export interface TrainingQuestionAnswer {
  /** Whether it is the first question of a line. */
  begins: boolean;
  /** The position. */
  fen: string;
  /** The same in SAN, with move numbers. */
  line: string;
  /** The moves of the line in UCI notation. */
  moves: string[];
  /** It increases with each question of a training; an answer gives it back. */
  number: number;
  /** The starting position of the line. */
  start: string;
}

/** The verdict on an answer. */
export interface TrainingVerdictAnswer {
  /** Whether the line ends here. */
  line_ends: boolean;
  /** The correct moves. */
  moves: TrainingMoveAnswer[];
  /** The state of the training after the answer. */
  next: TrainingAnswer;
  /** The move with which the line continues. */
  played: TrainingMoveAnswer | null;
  /** The rating that was logged: `again`, `hard`, `good` or `easy`; null if the position was not due and the answer was correct. */
  rating: string | null;
  /** The opponent's reply. */
  reply: TrainingMoveAnswer | null;
  /** Whether it was correct. */
  right: boolean;
}

/** A game that was not changed. */
export interface UnchangedGameAnswer {
  /** Its number. */
  number: number;
  /** The reason. */
  why: string;
}

/** The versions of a game before each change. */
export interface VersionsAnswer {
  /** The versions, the newest first. */
  versions: GameVersionAnswer[];
}

/** A database that the window of ChessBase shows: a line of `databases --json`. */
export interface WindowDatabaseAnswer {
  /** When it was added. */
  added: string | null;
  /** The title of the format that its name says. */
  format: string | null;
  /** Games in it, when the list was written. */
  games: number | null;
  /** Its path on this computer, or where it would be. */
  path: string;
  /** Where it is: `here`, `cloud` (opening it would fetch it), `network` (on another computer, which was not asked) or `missing`. */
  place: string;
  /** Whether it is the reference database. */
  reference: boolean;
  /** Its path as the list has it. */
  stored: string;
  /** The name that the window shows. */
  title: string;
  /** When it was last used. */
  used: string | null;
}

/** Whose wins are counted. */
export type WinsAnswer = 'own' | 'white';

/** How far a request has come that is not answered yet. */
export interface WorkProgressAnswer {
  /** Work that is done, in units of its own. */
  done: number;
  /** Games that are done. */
  games: number;
  /** All of that work; null where it is unknown. */
  total: number | null;
}

/** A format that can be written. */
export interface WritableFormatAnswer {
  /** Whether its databases can be edited in place. */
  edit: boolean;
  /** The extensions of its files, without the dot. */
  extensions: string[];
  /** Its name. */
  name: string;
  /** The options of its writer. */
  options: FormatOptionAnswer[];
  /** Its title. */
  title: string;
}

/** The years of the games of a database. */
export interface YearsAnswer {
  /** The first and the last date; null if unknown. */
  years: [string | null, string | null] | null;
}
