/** What the server answers. Made of the types of `crates/answers` by `cargo xtask answers --write`. */

/** How a side played. */
export interface AccuracyAnswer {
  /** In per cent; null where the evaluations have gaps. */
  accuracy: number | null;
  /** Hundredths of a pawn that a move lost on average. */
  average_loss: number | null;
  /** Moves that get `??`. */
  blunders: number;
  /** Moves that get `?!`. */
  inaccuracies: number;
  /** Moves that get `?`. */
  mistakes: number;
  /** Moves between two evaluations. */
  moves: number;
}

/** What an engine found in games: `analyse --report`. */
export interface AnalysisAnswer {
  /** Games that are not what they were. */
  changed: number;
  /** What the engine calls itself. */
  engine: string;
  /** Positions that no engine would answer about. */
  failed: number;
  /** Games that were looked at. */
  games: number;
  /** What was found in each game. */
  games_found: AnalysisGameAnswer[];
  /** Games that were left as they are because they have evaluations already. */
  kept: number;
  /** What was noticed about the engine. */
  notes: string[];
  /** Positions that were asked for. */
  positions: number;
  /** Games that stay as they are because the database could not hold them with what was found. */
  refused: UnchangedGameAnswer[];
  /** How often an engine had to be started again. */
  restarts: number;
  /** The version of this answer. */
  schema: string;
  /** Positions that were searched now. */
  searched: number;
  /** Whether it came to its end; else the journal keeps what was done. */
  whole: boolean;
}

/** What was found in a game. */
export interface AnalysisGameAnswer {
  /** How Black played. */
  black: AccuracyAnswer;
  /** Positions that no engine would answer about. */
  failed: number;
  /** Whether it was left as it is. */
  kept: boolean;
  /** White's name and Black's. */
  names: [string, string];
  /** Its number. */
  number: number;
  /** Positions that were asked for. */
  positions: number;
  /** How White played. */
  white: AccuracyAnswer;
}

/** A database. */
export interface BaseAnswer {
  /** Whether it is the base into which games are copied from everywhere. */
  clipboard: boolean;
  /** Whether it is a copy that a browser has handed over, kept as long as the server runs. */
  copy: boolean;
  /** Whether single games are found at once. */
  direct: boolean;
  /** Whether it can be changed. */
  editable: boolean;
  /** What was found when it was opened. */
  findings: FindingNumbersAnswer;
  /** The title of its format. */
  format: string;
  /** Games; null where it is unknown without reading them. */
  games: number | null;
  /** Its id in this run of the server. */
  id: string;
  /** How its index is. */
  index: IndexStateAnswer;
  /** Why its index is not used. */
  indexNote: string | null;
  /** Its name. */
  name: string;
  /** Where it lies; empty for a copy. */
  path: string;
  /** Why it cannot be read any more. */
  trouble?: string;
  /** The first and the last date; null where it is unknown without reading the games. */
  years: [string | null, string | null] | null;
}

/** Why a database is another one than before. */
export type BaseChangeAnswer = 'files' | 'index' | 'edit' | 'closed';

/** A game and where it is. */
export interface BaseGameAnswer {
  /** The name of its base. */
  base: string;
  /** Black's name. */
  black: string;
  /** Black's Elo; null where the tag holds no number. */
  black_elo: number | null;
  /** The date as the tag has it. */
  date: string;
  /** Whether it is marked as deleted. */
  deleted: boolean;
  /** The ECO code as the tag has it. */
  eco: string;
  /** The event. */
  event: string;
  /** The number of the game, from 1. */
  number: number;
  /** Plies of the main line; null where they were not counted. */
  plies: number | null;
  /** The result: `1-0`, `0-1`, `1/2-1/2` or `*`. */
  result: string;
  /** The round. */
  round: string;
  /** The site. */
  site: string;
  /** White's name. */
  white: string;
  /** White's Elo; null where the tag holds no number. */
  white_elo: number | null;
}

/** The databases that are shown. */
export interface BasesAnswer {
  /** The databases, in the order of their names. */
  bases: BaseAnswer[];
  /** Whether the server changes nothing. */
  readOnly: boolean;
}

/** What is drawn on the board. */
export type BoardMarkAnswer = { colour: string; from: string; to: string } | { colour: string; square: string };

/** What becomes of a game. */
export type ChangeActionAnswer = { kind: 'added' } | { how: string[]; kind: 'replaced' } | { from: string; kind: 'flags'; to: string } | { kind: 'moved'; to: number } | { kind: 'removed' } | { kind: 'described' };

/** What a change of a database has done, or would do. */
export interface ChangeAnswer {
  /** The version of the base that the change has made; null where nothing was changed. */
  baseVersion: number | null;
  /** Games that were changed. */
  games: number;
  /** What is lost. */
  losses: ChangeLossAnswer[];
  /** What there is to know beside. */
  notes: string[];
  /** Games that stay as they are because the database cannot hold them. */
  refused: number;
  /** Games that were taken away. */
  removed: number;
  /** The first steps of the change. */
  steps: ChangeStepAnswer[];
  /** Whether it came to its end; else nothing was changed. */
  whole: boolean;
  /** What was done, in words. */
  wish: string;
}

/** A kind of loss of a change. */
export interface ChangeLossAnswer {
  /** What of a game it is about: a tag, a comment, a move. */
  aspect: string;
  /** How often. */
  count: number;
  /** The first of them. */
  examples: string[];
  /** Its code. */
  kind: string;
  /** What is lost, in a few words. */
  summary: string;
}

/** A step of a change. */
export interface ChangeStepAnswer {
  /** Who plays. */
  game: string;
  /** The number of the game. */
  number: number;
  /** What becomes of it. */
  what: ChangeActionAnswer;
}

/** A database that was closed. */
export interface ClosedAnswer {
  /** Its id. */
  closed: string;
}

/** Names that begin as somebody types. */
export interface CompletionsAnswer {
  /** The names. */
  names: string[];
}

/** What has become of a copy: `convert --report`. */
export interface ConversionAnswer {
  /** Bytes that were written. */
  bytes: number;
  /** Games that were left out because they stand there already; told by the server. */
  double?: number;
  /** The names of files that the browser can fetch; told by the server. */
  downloads?: string[];
  /** Sources that could not be read to their end. */
  failed: FailedSourceAnswer[];
  /** The files; left out where they lie in a folder that goes. */
  files?: string[];
  /** The name of its format. */
  format: string;
  /** Games that were written. */
  games: number;
  /** What there is to know beside. */
  notes: string[];
  /** The version of this answer. */
  schema: string;
  /** A report for each source. */
  sources: SourceAnswer[];
  /** Where the copy lies. */
  target: string;
  /** Whether it came to its end; else nothing was written. */
  whole: boolean;
}

/** Games that were copied into the clipboard base. */
export interface CopyAnswer {
  /** The clipboard base. */
  base: BaseAnswer;
  /** How many. */
  copied: number;
  /** What is lost. */
  losses: ChangeLossAnswer[];
}

/** A name that was put right. */
export interface CorrectedNameAnswer {
  /** In how many games. */
  games: number;
  /** What it names. */
  kind: string;
  /** As it is. */
  new: string;
  /** As it was. */
  old: string;
}

/** The numbers of a comparison: the last line of `diff --json`. */
export interface DiffAnswer {
  /** Games that were changed. */
  changed: number;
  /** Games of the first database. */
  games_a: number;
  /** Games of the second database. */
  games_b: number;
  /** Games that stand elsewhere. */
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
  /** The game of the first database; null where it has none. */
  a: GamePlaceAnswer | null;
  /** The game of the second database; null where it has none. */
  b: GamePlaceAnswer | null;
  /** What is different in a game that was changed. */
  differences?: GameDifferenceAnswer[];
  /** What it is. */
  kind: DifferenceKindAnswer;
}

/** What a difference is. */
export type DifferenceKindAnswer = 'changed' | 'moved' | 'only-a' | 'only-b';

/** A game whose changes were thrown away. */
export interface DiscardedAnswer {
  /** The id under which it was annotated. */
  discarded: string;
}

/** A game that is annotated, and what is new of it. */
export interface DraftAnswer {
  /** The move where the editor stands, by its number in reading order. */
  at: number;
  /** The id of the base. */
  base: string;
  /** The version of the base that saving has made. */
  baseVersion?: number;
  /** Whether there are changes that no base holds yet. */
  changed: boolean;
  /** What wishes have changed in the game that the page shows. */
  difference?: DraftDifferenceAnswer;
  /** The whole game (`docs/formats/ndjson.md`). */
  game?: unknown;
  /** How many of the wishes that were sent were granted. */
  granted?: number;
  /** The last wish of each tab that was granted. */
  heard: Record<string, number>;
  /** The id under which it is annotated. */
  id: string;
  /** What was lost when it was saved. */
  losses?: ChangeLossAnswer[];
  /** The name of the base. */
  name: string;
  /** What there is to know beside of what was saved. */
  notes?: string[];
  /** The number of the game; 0 for a new one. */
  number: number;
  /** Where the base lies. */
  path: string;
  /** What is done again next; null where nothing can be. */
  redo: string | null;
  /** Who plays. */
  title: string;
  /** Why the last change is not written down. */
  trouble: string | null;
  /** What is undone next; null where nothing can be. */
  undo: string | null;
  /** Counts up with every change. */
  version: number;
}

/** What can be changed at a move. */
export interface DraftDetailsAnswer {
  /** The comment after the move; null where none can be. */
  after: string | null;
  /** The comment before the move; null where none can be. */
  before: string | null;
  /** What is drawn on the board. */
  marks: BoardMarkAnswer[];
  /** The numbers of the NAGs. */
  nags: number[];
}

/** What wishes have changed in a game. */
export interface DraftDifferenceAnswer {
  /** The result, where tags or the result were changed. */
  result?: string;
  /** All tags, where tags or the result were changed. */
  tags?: ([string, string])[];
  /** The operations of the game as they are now, where they were changed. */
  tape?: DraftPieceAnswer[];
}

/** An operation of a game, in the words of the game's own JSON. */
export type DraftItemAnswer = { san: string; uci: string } | { nag: number } | { comment: string } | { raw: string } | { extension: string; hex: string } | { result: string } | string;

/** Some operations of a game, one after another. */
export type DraftPieceAnswer = [number, number] | DraftItemAnswer[];

/** A game that is annotated. */
export interface DraftSubjectAnswer {
  /** The id of the base. */
  base: string;
  /** The id under which it is annotated. */
  id: string;
  /** The name of the base. */
  name: string;
  /** The number of the game; 0 for a new one. */
  number: number;
  /** Where the base lies. */
  path: string;
  /** Who plays. */
  title: string;
}

/** Games with changes that no base holds yet. */
export interface DraftsAnswer {
  /** The games. */
  drafts: DraftSubjectAnswer[];
}

/** Two games that are one: a line of `dedupe --json`. */
export interface DuplicatePairAnswer {
  /** The game that goes. */
  drop: BaseGameAnswer;
  /** The game that stays. */
  keep: BaseGameAnswer;
  /** What the one that goes has of the moves of the other: `same`, `begins` or `goes-on`. */
  kind: string;
  /** Why they are one game. */
  reasons: string[];
  /** Why the one stays. */
  stays: string;
}

/** Pairs of games that are one game. */
export interface DuplicatesAnswer {
  /** How many pairs were found. */
  count: number;
  /** Games that are damaged, of those that had to be read. */
  damaged: number;
  /** Games that were compared. */
  games: number;
  /** What there is to know beside. */
  notes: string[];
  /** The pairs. */
  pairs: DuplicatePairAnswer[];
  /** Whether all pairs were looked for; false where there are more than are shown. */
  whole: boolean;
}

/** What was played before. */
export interface EarlierMoveAnswer {
  /** Games. */
  games: number;
  /** The move; null for games that ended there. */
  san: string | null;
}

/** The opening of a game: a line of `eco --json`. */
export interface EcoRowAnswer {
  /** The name of its base, where there are several. */
  base?: string;
  /** The ECO code that the moves have; null where they reach no opening with a name. */
  eco: string | null;
  /** The number of the game. */
  number: number;
  /** The name of the opening. */
  opening: string | null;
  /** The ECO code as the tag has it. */
  tag: string;
}

/** An engine of the user's settings. */
export interface EngineAnswer {
  /** The most megabytes that it gets here. */
  hash: number;
  /** Its name. */
  name: string;
  /** Its program. */
  program: string;
  /** The most threads that it gets here. */
  threads: number;
}

/** A line of an engine. */
export interface EngineLineAnswer {
  /** How deep it was searched. */
  depth: number;
  /** Whether the evaluation is exact, and no bound. */
  exact: boolean;
  /** The first move by its squares. */
  first: string | null;
  /** Its first moves, in letters. */
  moves: string[];
  /** Its evaluation, seen from White; null where there is none. */
  score: EvaluationAnswer | null;
}

/** What an engine does. */
export type EngineStateAnswer = 'starting' | 'searching' | 'done' | 'failed';

/** What an engine thinks: a line of an answer that goes on as long as it is read. */
export interface EngineUpdateAnswer {
  /** How deep the best line was searched. */
  depth: number;
  /** What it calls itself. */
  engine: string;
  /** The best lines, the best first. */
  lines: EngineLineAnswer[];
  /** Why it has failed. */
  message: string | null;
  /** Positions that were searched. */
  nodes: number;
  /** Positions a second. */
  speed: number;
  /** What it does. */
  state: EngineStateAnswer;
}

/** An evaluation. */
export type EvaluationAnswer = { cp: number } | { mate: number };

/** The table of an event. */
export interface EventAnswer {
  /** The matches of a knock-out. */
  duels: KnockoutMatchAnswer[];
  /** Its name. */
  event: string;
  /** What is odd in the games of the event. */
  faults: EventFaultAnswer[];
  /** The date of the first game. */
  first: string | null;
  /** Games. */
  games: number;
  /** How it is played, as `--kind` names it. */
  kind: string;
  /** The date of the last game. */
  last: string | null;
  /** The players in their order. */
  players: EventPlayerAnswer[];
  /** Its site. */
  site: string;
  /** The matches of teams. */
  team_matches: TeamMatchAnswer[];
  /** The tie-breaks, the first of them first. */
  tie_breaks: string[];
  /** How often each plays each, in a round robin. */
  times: number | null;
}

/** What is odd in the games of an event. */
export interface EventFaultAnswer {
  /** The games. */
  games: EventGameAnswer[];
  /** What is odd. */
  message: string;
  /** Its kind. */
  what: string;
}

/** A game of an event by its place. */
export interface EventGameAnswer {
  /** The base, from 0. */
  base: number;
  /** The number of the game. */
  number: number;
}

/** A player of an event. */
export interface EventPlayerAnswer {
  /** The points of the opponents. */
  buchholz: number;
  /** What the rating gains or loses. */
  change: number | null;
  /** Points against those who have as many. */
  direct: number;
  /** Drawn games. */
  draws: number;
  /** The Elo; null where no game says it. */
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
  /** The points of opponents who were beaten, and half of those of others who were held. */
  sonneborn_berger: number;
  /** The team; null where it plays for none. */
  team: string | null;
  /** Won games. */
  wins: number;
}

/** A game of a player of an event. */
export interface EventResultAnswer {
  /** The base, from 0. */
  base: number;
  /** The side of the player. */
  color: SideAnswer;
  /** Whether it was won or lost without being played. */
  forfeit: boolean;
  /** The number of the game. */
  number: number;
  /** The place of the opponent among the players, from 1. */
  opponent: number;
  /** Points; null where the game has no result. */
  points: number | null;
  /** The round as the tag has it. */
  round: string;
}

/** The tables of events: `crosstable --json`. */
export interface EventsAnswer {
  /** The names of the bases. */
  bases: string[];
  /** Games that are damaged, of those that had to be read. */
  damaged: number;
  /** The tables, in the order of their first dates. */
  events: EventAnswer[];
  /** Whether everything was looked at. */
  whole: boolean;
}

/** What is played in a position: `explore --json`. */
export interface ExplorerAnswer {
  /** Won by Black. */
  black: number;
  /** Drawn. */
  draws: number;
  /** All games, those without a result among them. */
  games: number;
  /** The moves, the most frequent first. */
  moves: ExplorerMoveAnswer[];
  /** What there is to know beside; told by the server. */
  notes?: string[];
  /** The opening of the position. */
  opening: OpeningAnswer | null;
  /** In the answer about a player, which clients of Lichess wait for: always 0. */
  queuePosition?: number;
  /** The latest games; not in the answer of the masters. */
  recentGames?: ExplorerGameAnswer[];
  /** Games of strong players; not in the answer about a player. */
  topGames?: ExplorerGameAnswer[];
  /** Whose turn it is: `white` or `black`. */
  turn: string;
  /** Won by White. */
  white: number;
  /** Whether everything was looked at. */
  whole: boolean;
}

/** A move of a tree. */
export interface ExplorerBranchAnswer {
  /** The mean Elo of who made it, where games say it. */
  averageRating?: number;
  /** Won by Black. */
  black: number;
  /** Drawn. */
  draws: number;
  /** All games, those without a result among them. */
  games: number;
  /** The date of the last game; null where none says it. */
  lastPlayed: string | null;
  /** The moves after it. */
  moves?: ExplorerBranchAnswer[];
  /** The opening after the move. */
  opening: OpeningAnswer | null;
  /** The performance rating of who made it, where games say ratings. */
  performance?: number;
  /** The move in letters. */
  san: string;
  /** True where the position stands elsewhere in the tree with the moves after it. */
  transposes?: boolean;
  /** The move by its squares. */
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
  /** A word that clients of Lichess want; databases do not say it. Not in the answer of the masters. */
  mode?: string;
  /** Year and month, where both are known. */
  month: string | null;
  /** The result: `1-0`, `0-1`, `1/2-1/2` or `*`. */
  result: string;
  /** A word that clients of Lichess want; databases do not say it. Not in the answer of the masters. */
  speed?: string;
  /** The move that was made in the position. */
  uci: string;
  /** White. */
  white: ExplorerPlayerAnswer;
  /** `white`, `black`, or null for a draw and for no result. */
  winner: string | null;
  /** The year; 0 where it is not known. */
  year: number;
}

/** A move and its games. */
export interface ExplorerMoveAnswer {
  /** The mean Elo of the opponents, where games say it. */
  averageOpponentRating?: number;
  /** The mean Elo of who made it, where games say it. */
  averageRating?: number;
  /** Won by Black. */
  black: number;
  /** Drawn. */
  draws: number;
  /** The game, where there is but one. */
  game: ExplorerGameAnswer | null;
  /** All games, those without a result among them. */
  games: number;
  /** The date of the last game; null where none says it. */
  lastPlayed: string | null;
  /** The opening after the move. */
  opening: OpeningAnswer | null;
  /** The performance rating of who made it, where games say ratings. */
  performance?: number;
  /** The move in letters. */
  san: string;
  /** The move by its squares. */
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
  /** The position from which it grows. */
  fen: string | null;
  /** The moves in it. */
  moves: ExplorerBranchAnswer[];
}

/** A source that could not be read to its end. */
export interface FailedSourceAnswer {
  /** Why. */
  error: string;
  /** Its name. */
  source: string;
}

/** What was fetched from one source: a line of `fetch --json`. */
export interface FetchAnswer {
  /** Games that are new. */
  added: number;
  /** The base or file that was fed. */
  base: string;
  /** Why it ended before its end; null where it did not. */
  error: string | null;
  /** What else there is to be said. */
  notes: string[];
  /** Games that the base could not hold. */
  refused: number;
  /** Games that were replaced, since their site has more of them by now. */
  renewed: number;
  /** Requests that were sent. */
  requests: number;
  /** Chapters that were sent to the site and arrived. */
  sent: number;
  /** The source, such as `lichess samplerook`. */
  source: string;
  /** Games that were sent and were there already. */
  there: number;
}

/** A finding at its place. */
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
  /** What can be done about it. */
  help: string;
  /** The line in the file, from 1. */
  line: number | null;
  /** What is wrong there. */
  message: string;
  /** The ply. */
  ply: number | null;
  /** How bad it is. */
  severity: SeverityAnswer;
}

/** How often something was found. */
export interface FindingCountAnswer {
  /** Its code. */
  code: string;
  /** How often it was found. */
  count: number;
  /** How bad it is. */
  severity: SeverityAnswer;
  /** What it is, in a few words. */
  summary: string;
}

/** How often something was found in a source, with the first of them. */
export interface FindingKindAnswer {
  /** Its code. */
  code: string;
  /** How often it was found. */
  count: number;
  /** The first of them. */
  examples: FindingAnswer[];
  /** How bad it is. */
  severity: SeverityAnswer;
  /** What it is, in a few words. */
  summary: string;
}

/** Numbers of findings. */
export interface FindingNumbersAnswer {
  /** What could not be read. */
  damage: number;
  /** What is odd. */
  warnings: number;
}

/** A finding with the page that explains it. */
export interface FindingPageAnswer {
  /** Its code. */
  code: string;
  /** The number of the game. */
  game: number | null;
  /** What is wrong there. */
  message: string;
  /** The page of `check --explain`. */
  page: string | null;
  /** Where it is. */
  place: string;
  /** The ply. */
  ply: number | null;
  /** How bad it is. */
  severity: SeverityAnswer;
  /** What is found of this kind, in English: the app has a sentence of its own for the code. */
  summary: string;
}

/** What is wrong or odd in a database. */
export interface FindingsAnswer {
  /** The first findings. */
  findings: FindingPageAnswer[];
  /** How many there are beyond these. */
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
  /** Whether its databases are changed in place. */
  edit: boolean;
  /** The extensions of its files, without the dot. */
  extensions: string[];
  /** Whether it holds NAGs. */
  nags: boolean;
  /** Its name. */
  name: string;
  /** What there is to know beside. */
  notes: string;
  /** Whether it holds null moves. */
  null_moves: boolean;
  /** What reading can find and writing can lose; told of one format. */
  pages?: PageAnswer[];
  /** Whether it is read from a pipe. */
  pipe: boolean;
  /** Whether it holds movetext that could not be read. */
  raw_movetext: boolean;
  /** Whether it is read: `none`, `experimental` or `full`. */
  read: string;
  /** Whether damaged databases are repaired. */
  repair: boolean;
  /** Whether it holds games from set-up positions. */
  setups: boolean;
  /** Its title. */
  title: string;
  /** Whether it holds variations. */
  variations: boolean;
  /** Whether it is written: `none`, `experimental` or `full`. */
  write: string;
}

/** What the writer of a format can be told. */
export interface FormatOptionAnswer {
  /** What it does. */
  help: string;
  /** Its name. */
  name: string;
  /** The value that it takes. */
  takes: OptionArgumentAnswer;
  /** What it is set to unless something else is chosen. */
  usual: string | null;
}

/** What is different in a game. */
export interface GameDifferenceAnswer {
  /** What of the game: a tag, a comment, a move. */
  aspect: string;
  /** The difference. */
  message: string;
}

/** A game by its place. */
export interface GamePlaceAnswer {
  /** The name of its base. */
  base: string;
  /** Its number. */
  number: number;
  /** Who plays. */
  title: string;
}

/** A game of a list: a line of `ls --json`. */
export interface GameRowAnswer {
  /** Black's name. */
  black: string;
  /** Black's Elo; null where the tag holds no number. */
  black_elo: number | null;
  /** The date as the tag has it. */
  date: string;
  /** Whether it is marked as deleted. */
  deleted: boolean;
  /** The ECO code as the tag has it. */
  eco: string;
  /** The event. */
  event: string;
  /** The number of the game, from 1. */
  number: number;
  /** Plies of the main line; null where they were not counted. */
  plies: number | null;
  /** The result: `1-0`, `0-1`, `1/2-1/2` or `*`. */
  result: string;
  /** The round. */
  round: string;
  /** The site. */
  site: string;
  /** White's name. */
  white: string;
  /** White's Elo; null where the tag holds no number. */
  white_elo: number | null;
}

/** A page of a list of games. */
export interface GameRowsAnswer {
  /** The place of the first row of the page, from 0. */
  from: number;
  /** The rows. */
  rows: ListRowAnswer[];
  /** How many rows the list has. */
  total: number;
  /** Whether these are all rows that were wanted; false where reading them took too long. */
  whole: boolean;
}

/** What a game was before a change. */
export interface GameVersionAnswer {
  /** How it differs from the game as it is. */
  differences?: string[];
  /** The game as it was (`docs/formats/ndjson.md`). */
  game?: unknown;
  /** What was changed. */
  kind: GameVersionKindAnswer;
  /** The number of the change. */
  version: number;
  /** When it was made. */
  when: string;
  /** What was done, in words. */
  wish: string;
}

/** What was changed in a game. */
export type GameVersionKindAnswer = 'game' | 'flags' | 'new';

/** What can be done about a failure. */
export interface HintAnswer {
  /** What it is, for programs and translations. */
  code: string;
  /** The values of a sentence about it, by name. */
  values?: Record<string, string>;
}

/** The changes of a database. */
export interface HistoryAnswer {
  /** The changes, the newest first. */
  changes: HistoryChangeAnswer[];
  /** Whether some of the history cannot be read. */
  damaged: boolean;
  /** Whether the database was changed by somebody who keeps no history. */
  overtaken: boolean;
}

/** A change of a database. */
export interface HistoryChangeAnswer {
  /** Its number. */
  id: number;
  /** The number of the change that it takes back. */
  undoes: number | null;
  /** When it was made. */
  when: string;
  /** What was done, in words. */
  wish: string;
}

/** What a file is: a line of `identify --json`. */
export interface IdentityAnswer {
  /** What can be done with a file of another program. */
  advice: string | null;
  /** Whether that is certain. */
  certain: boolean;
  /** The name of the format. */
  format: string | null;
  /** What it is. */
  kind: IdentityKindAnswer;
  /** Its path. */
  path: string;
  /** What the format is called. */
  title: string | null;
}

/** What a file is. */
export type IdentityKindAnswer = 'database' | 'companion' | 'archive' | 'foreign' | 'folder' | 'unknown';

/** How the index of a database is. */
export type IndexStateAnswer = 'fresh' | 'stale' | 'none' | 'impossible';

/** What a database is and holds: a line of `info --json`. */
export type InfoAnswer = { charsets?: Record<string, number>; damaged_games?: number; dates?: InfoDatesAnswer; deleted?: number; diagnostics: FindingCountAnswer[]; files: InfoFileAnswer[]; format: string; games: number | null; half_moves?: number; name: string; results?: Record<string, number>; set_ups?: number; version?: string; with_comments?: number; with_variations?: number };

/** The first and the last date of games. */
export interface InfoDatesAnswer {
  /** The first. */
  first: string | null;
  /** The last. */
  last: string | null;
}

/** What a format says in its own words. */
export type InfoFieldAnswer = string | string[];

/** A file of a database. */
export interface InfoFileAnswer {
  /** Its size. */
  bytes: number;
  /** Its path. */
  path: string;
}

/** An address that lets one more browser in. */
export interface InvitationAnswer {
  /** The address. */
  url: string;
}

/** What a job has found. */
export type JobFoundAnswer = ConversionAnswer | AnalysisAnswer | PuzzlesAnswer;

/** A job with what it has found. */
export interface JobReportAnswer {
  /** The job. */
  job: ServerJobAnswer;
  /** What it has found; null as long as it goes on, and where there is nothing to tell. */
  report: JobFoundAnswer | null;
}

/** How a job is. */
export type JobStateAnswer = 'running' | 'done' | 'stopped' | 'failed';

/** A match of a knock-out. */
export interface KnockoutMatchAnswer {
  /** The two players. */
  players: [string | null, string | null];
  /** Their points. */
  points: [number, number];
  /** The stage, from 1. */
  stage: number;
}

/** A row of a list of games; texts are cut where they are very long. */
export interface ListRowAnswer {
  /** Black's name. */
  black: string;
  /** Black's Elo; null where the tag holds no number. */
  blackElo: number | null;
  /** The date as the tag has it. */
  date: string;
  /** Whether it is marked as deleted. */
  deleted: boolean;
  /** The ECO code as the tag has it. */
  eco: string;
  /** The event. */
  event: string;
  /** The number of the game. */
  number: number;
  /** Plies of the main line; null where they were not counted. */
  plies: number | null;
  /** In the rows of a search alone: the ply where the query holds first; null where it is about the game as a whole. */
  ply?: number | null;
  /** The result: `1-0`, `0-1`, `1/2-1/2` or `*`. */
  result: string;
  /** The round. */
  round: string;
  /** The site. */
  site: string;
  /** White's name. */
  white: string;
  /** White's Elo; null where the tag holds no number. */
  whiteElo: number | null;
}

/** A line of the socket on which the server tells what is new. */
export type LiveLineAnswer = { bases: Record<string, number>; jobs: ServerJobAnswer[]; kind: 'now' } | { job: ServerJobAnswer; kind: 'job' } | { base: string; kind: 'base'; version: number; why: BaseChangeAnswer };

/** One loss. */
export interface LossAnswer {
  /** What was lost. */
  detail: string;
  /** The number of the game; null where it is about the database as a whole. */
  game: number | null;
}

/** A kind of loss, how often, and the first of them. */
export interface LossKindAnswer {
  /** What of a game it is about: a tag, a comment, a move. */
  aspect: string;
  /** How often. */
  count: number;
  /** The first of them. */
  examples: LossAnswer[];
  /** Its code: `check --explain CODE` has a page for each. */
  kind: string;
  /** What is lost, in a few words. */
  summary: string;
}

/** A game that a search has found: a line of `search --json`. */
export interface MatchRowAnswer {
  /** The name of its base. */
  base: string;
  /** Black's name. */
  black: string;
  /** Black's Elo; null where the tag holds no number. */
  black_elo: number | null;
  /** The date as the tag has it. */
  date: string;
  /** Whether it is marked as deleted. */
  deleted: boolean;
  /** The ECO code as the tag has it. */
  eco: string;
  /** The event. */
  event: string;
  /** The number of the game, from 1. */
  number: number;
  /** Plies of the main line; null where they were not counted. */
  plies: number | null;
  /** The ply where the query holds first; null where it is about the game as a whole. */
  ply: number | null;
  /** The result: `1-0`, `0-1`, `1/2-1/2` or `*`. */
  result: string;
  /** The round. */
  round: string;
  /** The site. */
  site: string;
  /** White's name. */
  white: string;
  /** White's Elo; null where the tag holds no number. */
  white_elo: number | null;
}

/** What an engine thinks of a position. */
export interface McpAnalysisAnswer {
  /** The engine. */
  engine: string;
  /** The position. */
  fen: string;
  /** The best lines, the best first. Evaluations are seen from White. */
  lines: McpAnalysisLineAnswer[];
  /** Positions that were searched. */
  nodes: number;
  /** Whether the search came to its end. */
  whole: boolean;
}

/** A line of an engine. */
export interface McpAnalysisLineAnswer {
  /** The evaluation; null where the engine told none. */
  evaluation: McpEvaluationAnswer | null;
  /** The moves. */
  moves: string[];
}

/** A database that tools can be asked about. */
export interface McpBaseAnswer {
  /** The name that tools take. */
  base: string;
  /** The first and the last date, where an index tells them. */
  dates: InfoDatesAnswer | null;
  /** Whether `edit` can change it. */
  editable: boolean;
  /** The title of its format. */
  format: string;
  /** Games; null where it is unknown without reading them. */
  games: number | null;
  /** Whether an index beside it is used. */
  indexed: boolean;
  /** What else is known of it: the answer of `info --json`; where one base is asked for. */
  info?: InfoAnswer;
}

/** The databases that tools can be asked about. */
export interface McpBasesAnswer {
  /** The databases, by the names that tools take. */
  bases: McpBaseAnswer[];
  /** Whether tools may change databases and write files. */
  edits: boolean;
  /** What could not be opened, with the reason. */
  failed: string[];
}

/** What a copy lost. */
export interface McpConversionAnswer {
  /** The report of `convert --report`. */
  report: ConversionAnswer;
  /** Whether a file was written; else it was only tried. */
  written: boolean;
}

/** A list or a text that was cut because the answer would have been too long. */
export interface McpCutAnswer {
  /** What the tool `more` takes to show the rest. */
  cursor: string;
  /** Where it is, as a JSON pointer into the answer. */
  path: string;
  /** Items, or letters, that are shown. */
  shown: number;
  /** Items, or letters, that there are. */
  total: number;
}

/** What an edit of a game has done, or would do. */
export interface McpEditAnswer {
  /** The name of the base. */
  base: string;
  /** Whether the base was changed: false for a preview, and where everything was so already. */
  changed: boolean;
  /** What the database cannot hold. */
  losses: ChangeLossAnswer[];
  /** For each change the node at which it ended; null where it is about no node. */
  nodes: (string | null)[];
  /** What there is to know beside. */
  notes: string[];
  /** The number of the game; of a game that would be added it is null. */
  number: number | null;
  /** What was done, in words. */
  wish: string;
}

/** An evaluation, always seen from White: more than 0 is better for White, whoever moves. */
export interface McpEvaluationAnswer {
  /** Who says so: the game, or the name of an engine that was asked before. */
  by: string;
  /** In hundredths of a pawn; null where it is a mate. */
  centipawns: number | null;
  /** How deep was searched, where it is known. */
  depth: number | null;
  /** Moves until mate, less than 0 where White is mated; null where it is no mate. */
  mate: number | null;
  /** Always `White`: the side from which it is seen. */
  seen_from: string;
}

/** What an engine found in a game. */
export interface McpGameAnalysisAnswer {
  /** The numbers: accuracy, mistakes, blunders. */
  analysis: AnalysisAnswer;
  /** The game with the evaluations. */
  game: McpGameAnswer;
  /** Whether the evaluations were put into the base, as one change that can be undone. */
  saved: boolean;
}

/** A game as a tree: each move is a node that names the node before it. */
export interface McpGameAnswer {
  /** The name of its base. */
  base: string;
  /** What is damaged or odd. */
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
  /** The place of the first item, from 0. */
  from: number;
  /** The items; the pieces of a text, where it is one that was cut. */
  items: unknown[];
  /** The cursor for the next ones; null at the end. */
  next: string | null;
  /** The list, as a JSON pointer into the answer that was cut. */
  path: string;
  /** All items of the list. */
  total: number;
}

/** A job: work that goes on while other tools are asked. */
export interface McpJobAnswer {
  /** Work that is done, in units of its own. */
  done: number;
  /** Games that are done. */
  games: number;
  /** Its id, for the tool `job`. */
  id: string;
  /** Why it was stopped or has failed. */
  message: string | null;
  /** How long it has taken. */
  seconds: number;
  /** How it is. */
  state: JobStateAnswer;
  /** The tool that began it. */
  tool: string;
  /** All of that work; null where it is unknown. */
  total: number | null;
}

/** The jobs of this run. */
export interface McpJobsAnswer {
  /** The jobs, the newest last. */
  jobs: McpJobAnswer[];
}

/** The material of both sides. */
export interface McpMaterialAnswer {
  /** White's less Black's in pawns, with 3 for a knight or bishop, 5 for a rook, 9 for a queen. */
  balance: number;
  /** Black's. */
  black: McpPieceCountsAnswer;
  /** White's. */
  white: McpPieceCountsAnswer;
}

/** A NAG. */
export interface McpNagAnswer {
  /** What it means; null where nobody has defined it. */
  meaning: string | null;
  /** Its number. */
  nag: number;
}

/** A move of a game, or the start of the game. */
export interface McpNodeAnswer {
  /** The comment before the move. */
  before?: string;
  /** What is left on the clock of who moved, in seconds. */
  clock?: number;
  /** The comment after the move; at the start, before the first move. */
  comment?: string;
  /** The evaluation that the game tells. */
  evaluation?: McpEvaluationAnswer;
  /** The position after it; at the start alone. */
  fen?: string;
  /** Its id, made of the starting position and the moves up to here: the same moves have the same id in every answer. */
  id: string;
  /** Whether it is on the main line. */
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
  /** The first node with the same position, where other moves lead to it. */
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
  /** What it is: `king`, `queen`, `rook`, `bishop`, `knight` or `pawn`. */
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

/** A position, described so that nothing has to be imagined. */
export interface McpPositionAnswer {
  /** The evaluation, where the game tells it or an engine was asked before. */
  evaluation: McpEvaluationAnswer | null;
  /** The position. */
  fen: string;
  /** All legal moves. */
  legal_moves: string[];
  /** The moves that lead to it, where they are known. */
  line: string[];
  /** The material. */
  material: McpMaterialAnswer;
  /** The opening: that of the last position on the way that has a name. */
  opening: OpeningAnswer | null;
  /** The pieces. */
  pieces: McpPieceAnswer[];
  /** What breaks the rules in it. */
  problems: string[];
  /** How it is. */
  state: McpPositionStateAnswer;
  /** Whose turn it is. */
  turn: SideAnswer;
}

/** How a position is for the side to move. */
export type McpPositionStateAnswer = 'play' | 'check' | 'checkmate' | 'stalemate';

/** Why a tool does not do what it is asked. */
export interface McpRefusalAnswer {
  /** The place of the change that was refused, from 0. Nothing was changed. */
  change?: number;
  /** What can be named instead. */
  choices?: string[];
  /** What is wrong, for programs: `illegal-move`, `no-such-game`, `bad-query` and so on. */
  code: string;
  /** Why. */
  error: string;
  /** A fault of a query, at its place. */
  fault?: QueryFaultAnswer;
  /** The position in which a move was refused. */
  fen?: string;
  /** What can be done about it. */
  help?: string;
  /** The legal moves, where a move was refused. */
  legal_moves?: string[];
  /** What would be lost, where a base cannot hold a game. */
  losses?: ChangeLossAnswer[];
}

/** Games beside the repertoire of one side. */
export interface McpRepertoireAnswer {
  /** The side. */
  color: SideAnswer;
  /** Those of them that are damaged. */
  damaged: number;
  /** The place of the first of the games that follow, from 0. */
  from: number;
  /** Games that were compared with it. */
  games: number;
  /** The opponent's moves in these games that it does not answer, the most frequent first; where they are asked for. */
  gaps?: RepertoireGapAnswer[];
  /** The positions in which games left it, those of the most games first. */
  lines: RepertoireLineAnswer[];
  /** `from` of the next page; null on the last one. */
  next: number | null;
  /** Positions of the repertoire. */
  positions: number;
  /** Where games left it, in the order of the games. */
  rows: RepertoireGameAnswer[];
}

/** Games beside a repertoire. */
export interface McpRepertoireCheckAnswer {
  /** What there is to know beside: for which side a repertoire was recognised. */
  notes: string[];
  /** The repertoires: one for each side that the games of the repertoire are for. */
  repertoires: McpRepertoireAnswer[];
}

/** Rows that SQL has answered. */
export interface McpRowsAnswer {
  /** What there is to know beside. */
  notes: string[];
  /** The rows, each with its columns. */
  rows: unknown[];
  /** Whether these are all rows. */
  whole: boolean;
}

/** A page of the games that a search has found. */
export interface McpSearchAnswer {
  /** The place of the first row, from 0. */
  from: number;
  /** `from` of the next page; null on the last one. */
  next: number | null;
  /** What there is to know beside: how the query is understood, names that may have been meant. */
  notes: string[];
  /** The games: each is a line of `search --json`. */
  rows: MatchRowAnswer[];
  /** All games that match; null where they were not counted to the end. */
  total: number | null;
  /** Whether everything was looked at. */
  whole: boolean;
}

/** A tag. */
export interface McpTagAnswer {
  /** Its name. */
  name: string;
  /** Its value. */
  value: string;
}

/** How many moves were judged how. */
export interface MistakeCountAnswer {
  /** Blunders. */
  blunders: number;
  /** Inaccuracies. */
  inaccuracies: number;
  /** What they lost together. */
  loss: number;
  /** Mistakes. */
  mistakes: number;
  /** Moves. */
  moves: number;
}

/** Moves that are told apart by one thing. */
export interface MistakeGroupAnswer {
  /** By what: `opening`, `phase`, `clock`, `piece` or `kind`. */
  by: string;
  /** The rows, those that lost most first. */
  rows: MistakeRowAnswer[];
}

/** Where a mistake is. */
export interface MistakePlaceAnswer {
  /** The base. */
  base: string;
  /** `mistake` or `blunder`. */
  judgement: string;
  /** The number of the game. */
  number: number;
  /** The ply, from 1. */
  ply: number;
}

/** Moves that have one thing in common. */
export interface MistakeRowAnswer {
  /** Those of others with such a rating. */
  others: MistakeCountAnswer;
  /** The player's moves. */
  own: MistakeCountAnswer;
  /** Where the player's mistakes and blunders are. */
  places: MistakePlaceAnswer[];
  /** What they have in common. */
  value: string;
}

/** What a player loses where: `mistakes --json`. Losses are hundredths of a pawn. */
export interface MistakesAnswer {
  /** All moves of the player that stand between two evaluations. */
  all: MistakeCountAnswer;
  /** The names of the bases. */
  bases: string[];
  /** Games that are damaged. */
  damaged: number;
  /** Games of the player with evaluations. */
  games: number;
  /** The moves by opening, phase, clock, piece and kind of loss. */
  groups: MistakeGroupAnswer[];
  /** The same of others with such a rating, whoever they played. */
  others: MistakeCountAnswer;
  /** The name that was asked for. */
  player: string;
  /** The mean of the player's ratings in these games. */
  rating: number | null;
  /** Whether everything was looked at. */
  whole: boolean;
  /** Games of the player without evaluations, of which nothing can be said. */
  without_evaluations: number;
}

/** A name and its games. */
export interface NameAnswer {
  /** The lowest and the highest Elo that a game says. */
  elos: [number, number] | null;
  /** Games in which it stands. */
  games: number;
  /** The name. */
  name: string;
  /** The first and the last year that a game says. */
  years: [number, number] | null;
}

/** What was put right: `names --apply --json`. */
export interface NameCorrectionAnswer {
  /** Games that are others now. */
  changed: number;
  /** Tags that were filled in, and in how many games. */
  filled: Record<string, number>;
  /** Games that were looked at. */
  games: number;
  /** Names that were put right. */
  names: CorrectedNameAnswer[];
}

/** Names that were put right, or would be. */
export interface NameCorrectionsAnswer {
  /** Games that were changed. */
  games: number;
  /** What there is to know beside. */
  notes: string[];
  /** Games that stay as they are because the database cannot hold them. */
  refused: number;
  /** What was put right. */
  report: NameCorrectionAnswer;
  /** Whether it came to its end; else nothing was changed. */
  whole: boolean;
  /** What was done, in words. */
  wish: string;
}

/** A name with its variants. */
export interface NameGroupAnswer {
  /** The spelling that stays. */
  keep: NameAnswer;
  /** What it names. */
  kind: NameKindAnswer;
  /** The others. */
  variants: NameVariantAnswer[];
}

/** What a name is of. */
export type NameKindAnswer = 'players' | 'events' | 'sites' | 'rounds';

/** A name that may be another spelling. */
export interface NameVariantAnswer {
  /** The lowest and the highest Elo that a game says. */
  elos: [number, number] | null;
  /** What speaks for it. */
  evidence: string[];
  /** Games in which it stands. */
  games: number;
  /** How it differs: `spelling`, `title`, `swapped`, `short`, `misspelt` or `country`. */
  how: string;
  /** The name. */
  name: string;
  /** Other names that it may stand for as well: then it is not corrected. */
  or: string[];
  /** The first and the last year that a game says. */
  years: [number, number] | null;
}

/** Names that are written in several ways: `names --json`. */
export interface NamesAnswer {
  /** Games that are damaged, of those that had to be read. */
  damaged: number;
  /** The names with their variants, those with the most games first. */
  groups: NameGroupAnswer[];
  /** Names that were looked at. */
  names: number;
  /** Whether everything was looked at. */
  whole: boolean;
}

/** Where games leave what was played before them. */
export interface NoveltiesAnswer {
  /** Games that were compared. */
  games: number;
  /** What there is to know beside. */
  notes: string[];
  /** The games that followed others longest, these first. */
  novelties: NoveltyAnswer[];
  /** Games without a year, before which no game is known to be. */
  undated: number;
  /** Whether all games were compared. */
  whole: boolean;
}

/** Where a game leaves what was played before it: a line of `novelty --json`. */
export interface NoveltyAnswer {
  /** What was played there before, the most frequent first. */
  before: EarlierMoveAnswer[];
  /** The game. */
  game: BaseGameAnswer;
  /** Games that came so far before. */
  games: number;
  /** Plies that were played before. */
  known: number;
  /** The ply that is new, from 1; null where the whole game was played before. */
  ply: number | null;
  /** The new move. */
  san: string | null;
}

/** The numbers of the games of a search. */
export interface NumbersAnswer {
  /** The place of the first number, from 0. */
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

/** A word that an option can be set to. */
export interface OptionWordAnswer {
  /** What it means. */
  help: string;
  /** The word. */
  word: string;
}

/** A page of `check --explain`. */
export interface PageAnswer {
  /** The code that it explains. */
  name: string;
  /** It in a few words. */
  summary: string;
  /** How bad a finding is, or that it is a loss. */
  weight: string;
}

/** Where everything lies that is set and remembered. */
export interface PlacesAnswer {
  /** The folder of what the app remembers. */
  data: string | null;
  /** The settings file of engines. */
  engines: string | null;
  /** The folders and databases that were named when the server was started. */
  folders: string[];
  /** The settings file. */
  settings: string | null;
}

/** The record of a player: `player --json`. Wins are the player's. */
export interface PlayerAnswer {
  /** The opponent that was asked for. */
  against: string | null;
  /** The names of the bases. */
  bases: string[];
  /** Wins against the strongest, these first. */
  best_wins: PlayerGameAnswer[];
  /** Games that are damaged, of those that had to be read. */
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
  /** How the rating went, in order of time. */
  ratings: RatingPeriodAnswer[];
  /** The longest series. */
  series: StreakAnswer[];
  /** The scores by name, colour, year, opponent, event, opening and so on. */
  statistics: TableAnswer[];
  /** Whether everything was looked at. */
  whole: boolean;
  /** Won games. */
  wins: number;
  /** Losses against the weakest, these first. */
  worst_losses: PlayerGameAnswer[];
}

/** A game of a player. */
export interface PlayerGameAnswer {
  /** The base, from 0. */
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

/** A puzzle: a line of `tactics --json`. */
export interface PuzzleAnswer {
  /** The position, from which the solver moves. */
  fen: string;
  /** Whether the player of the game found it; null where the game ended there. */
  found: boolean | null;
  /** What the solver reaches: `mate-in-3`, `win` or `hold`. */
  goal: string;
  /** The solution by squares: from a move of the solver to a move of the solver. */
  moves: string[];
  /** The same in letters. */
  san: string[];
  /** The version of this answer. */
  schema: string;
  /** Where it comes from. */
  source: PuzzleSourceAnswer;
  /** What it is about. */
  themes: string[];
}

/** Where a puzzle comes from. */
export interface PuzzleSourceAnswer {
  /** The name of the base. */
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

/** Puzzles out of the games of a database. */
export interface PuzzlesAnswer {
  /** What the engine calls itself. */
  engine: string;
  /** Positions that the engine would not answer about. */
  failed: number;
  /** Games that were looked at. */
  games: number;
  /** What was noticed about the engine. */
  notes: string[];
  /** The puzzles. */
  puzzles: PuzzleAnswer[];
  /** Whether all games were looked at; false where it ended because there were enough puzzles. */
  whole: boolean;
}

/** A fault of a query, at its place. */
export interface QueryFaultAnswer {
  /** Where it ends. */
  end: number;
  /** What is meant, perhaps. */
  help: string | null;
  /** What is wrong. */
  message: string;
  /** Where it begins, counted in UTF-16 as scripts count. */
  start: number;
}

/** A rating and since when games say it. */
export interface RatingPeriodAnswer {
  /** The date of the first game. */
  date: string;
  /** The Elo. */
  elo: number;
  /** How many games in a row say it. */
  games: number;
}

/** A database that was opened in an earlier run, or in this one. */
export interface RecentBaseAnswer {
  /** Its id where it is open. */
  base: string | null;
  /** The name of its file. */
  name: string;
  /** Where it lies. */
  path: string;
}

/** Why something is not answered. */
export interface RefusalAnswer {
  /** How both games differ. */
  between?: string[];
  /** What is wrong, for programs and translations: `no-such-game`, `bad-position` and so on. */
  code: string;
  /** Whether the base holds comments; where it cannot hold a game. */
  comments?: boolean;
  /** Why, in English. */
  error: string;
  /** A fault of a query, at its place. */
  fault?: QueryFaultAnswer;
  /** What can be done about it. */
  hint?: HintAnswer;
  /** What kind of failure it is, for programs: `usage`, `not-found`, `conflict`, `busy`, `corrupt`, `limit` and so on. */
  kind: string;
  /** What would be lost; where a base cannot hold a game. */
  losses?: ChangeLossAnswer[];
  /** What was changed here. */
  mineChanged?: string[];
  /** The parameter that is wrong. */
  parameter?: string;
  /** Whether a password is wanted; where something could not be opened. */
  password?: boolean;
  /** The game that the base holds now; where it was changed by somebody else (`docs/formats/ndjson.md`). */
  theirs?: unknown;
  /** What somebody else has changed. */
  theirsChanged?: string[];
  /** The values that the message tells, by name: of these and the code a sentence in another language is made. */
  values?: Record<string, string>;
}

/** A line that was added to a repertoire. */
export interface RepertoireAdditionAnswer {
  /** How many of its moves are new; 0 where the repertoire had all of them. */
  added: number;
  /** The version of the base that the change has made; null where nothing was changed. */
  baseVersion: number | null;
  /** The number of the game that has them. */
  game: number | null;
  /** What there is to know beside. */
  notes: string[];
}

/** A position that is trained: a line of `repertoire due --json`. */
export interface RepertoireCardAnswer {
  /** The side of the repertoire. */
  color: SideAnswer;
  /** From 1, easy, to 10; null for a new one. */
  difficulty: number | null;
  /** When it is to be asked again, in UTC; null for a new one. */
  due: string | null;
  /** The position. */
  fen: string;
  /** How often the position arises if the repertoire is played; with a reference by its games. */
  frequency: number;
  /** Whether that time has come. */
  is_due: boolean;
  /** Whether it was never asked. */
  is_new: boolean;
  /** Reviews that went wrong. */
  lapses: number;
  /** The moves to the position. */
  line: string;
  /** The moves that are right. */
  moves: string[];
  /** The probability that the move is recalled now; null for a new one. */
  retrievability: number | null;
  /** Reviews so far. */
  reviews: number;
  /** Days after which it is recalled with a probability of 90 per cent; null for a new one. */
  stability: number | null;
}

/** A conflict: a line of `repertoire conflicts --json`. */
export interface RepertoireConflictAnswer {
  /** The side of the repertoire. */
  color: SideAnswer;
  /** The position. */
  fen: string;
  /** What is in conflict. */
  kind: RepertoireConflictKindAnswer;
  /** The moves to the position. */
  line: string;
  /** The moves it is about: of two that are compared, the worse one first. */
  moves: RepertoireMoveAnswer[];
}

/** What is in conflict. */
export type RepertoireConflictKindAnswer = 'several' | 'bad' | 'stops' | 'score' | 'evaluation';

/** Where a repertoire contradicts itself. */
export interface RepertoireConflictsAnswer {
  /** The side of the repertoire. */
  color: SideAnswer;
  /** The conflicts, in the order of the positions. */
  conflicts: RepertoireConflictAnswer[];
  /** How many there are. */
  count: number;
  /** What there is to know beside. */
  notes: string[];
  /** Whether these are all; false where there are more than are shown. */
  whole: boolean;
}

/** How many games are inside at a ply: a line of `repertoire coverage --json`. */
export interface RepertoireCoverageAnswer {
  /** The side of the repertoire. */
  color: SideAnswer;
  /** Reference games that have so many plies. */
  games: number;
  /** Those of them whose last position of the repertoire comes after this ply or later. */
  inside: number;
  /** Games that went on after this ply where the repertoire has no move. */
  line_end: number;
  /** Games that the repertoire's side left at this ply. */
  me: number;
  /** Games that the opponent left at this ply. */
  opponent: number;
  /** The ply. */
  ply: number;
}

/** How a game and a repertoire part. */
export type RepertoireEndAnswer = 'inside' | 'line-end' | 'me' | 'opponent' | 'elsewhere';

/** Where a game leaves a repertoire: a line of `repertoire check --json`. */
export interface RepertoireGameAnswer {
  /** The side of the repertoire. */
  color: SideAnswer;
  /** How they part. */
  end: RepertoireEndAnswer;
  /** What the repertoire has there. */
  expected: string[];
  /** This position. */
  fen: string | null;
  /** The game. */
  game: BaseGameAnswer;
  /** Whether the repertoire marks this move as bad. */
  marked_bad: boolean;
  /** What was played there; null if the game ends there. */
  played: string | null;
  /** Plies before the last position that the repertoire has; null for a game that starts elsewhere. */
  ply: number | null;
  /** The moves of the game from there on, the first few. */
  then: string;
}

/** Where games leave a repertoire. */
export interface RepertoireGamesAnswer {
  /** The side of the repertoire. */
  color: SideAnswer;
  /** How many games were compared. */
  count: number;
  /** Games with damage. */
  damaged: number;
  /** The games, the last one first. */
  games: RepertoireGameAnswer[];
  /** The positions in which they leave, those of the most games first. */
  lines: RepertoireLineAnswer[];
  /** What there is to know beside. */
  notes: string[];
  /** Whether these are all; false where there are more than are shown. */
  whole: boolean;
}

/** A move of the opponent without an answer: a line of `repertoire gaps --json`. */
export interface RepertoireGapAnswer {
  /** The side of the repertoire. */
  color: SideAnswer;
  /** Whether the repertoire has no move at all in the position. */
  end_of_line: boolean;
  /** The position. */
  fen: string;
  /** The probability that a game comes to the position and the move is played, if the repertoire is played. */
  frequency: number;
  /** Reference games in which it was played there. */
  games: number;
  /** The moves to the position. */
  line: string;
  /** Reference games that went on there. */
  of: number;
  /** The move. */
  san: string;
  /** The score of the repertoire's side after the move in per cent, of games with a result. */
  score: number | null;
  /** The move by its squares. */
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
  /** What there is to know beside. */
  notes: string[];
  /** Whether these are all; false where there are more than are shown. */
  whole: boolean;
}

/** A position in which games left a repertoire: a line of `repertoire check --summary --json`. */
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
  /** Games that went on where the repertoire has no move. */
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
  /** The evaluation after the move that the file gives, seen from White, in hundredths of a pawn. */
  evaluation: number | null;
  /** Reference games in which it was played there; null without a reference. */
  games: number | null;
  /** The marks of the move: `bad`, `good`, `only`, `skip`. */
  marks: string[];
  /** The move. */
  san: string;
  /** The score of the repertoire's side in these games in per cent, of games with a result. */
  score: number | null;
  /** The share that the file gives, in per cent. */
  share: number | null;
  /** Whether the position after it is shown elsewhere, with the moves after it. */
  transposes: boolean;
  /** The move by its squares. */
  uci: string;
}

/** A position of a repertoire with what a reference has of it. */
export interface RepertoireNodeAnswer {
  /** In how many per cent of these games the repertoire has the move that was played; null without games. */
  answered: number | null;
  /** Reference games that went on there; null without a reference. */
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
  /** Its moves, those that are marked bad at the end. */
  moves: RepertoireMoveAnswer[];
  /** Whether it is the turn of the repertoire's side. */
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
  /** The positions from one on, the nearest first. */
  nodes: RepertoireNodeAnswer[];
  /** What there is to know beside. */
  notes: string[];
  /** Whether the side was recognised: no tag names it. */
  recognised: boolean;
  /** Whether these are all; false where there are more than are shown. */
  whole: boolean;
}

/** What saving a game would lose. */
export interface SaveLossesAnswer {
  /** What would be lost. */
  losses: ChangeLossAnswer[];
}

/** How a search has ended. */
export interface SearchEndAnswer {
  /** Games that were found. */
  found: number;
  /** What there is to know beside. */
  notes: string[];
  /** Whether all games were looked at. */
  whole: boolean;
}

/** A line of a search, as it goes on. */
export type SearchLineAnswer = { kind: 'view'; view: string } | { kind: 'rows'; rows: ListRowAnswer[] } | { asked: number; found: number; kind: 'found'; total: number | null } | { found: number; kind: 'done'; notes: string[]; whole: boolean };

/** A job. */
export interface ServerJobAnswer {
  /** The id of the base. */
  base: string;
  /** Work that is done, in units of its own. */
  done: number;
  /** Games that are done. */
  games: number;
  /** Its id. */
  id: string;
  /** What it does: `index`, `convert`, `repair`, `rehearsal`, `examination`, `analyse` or `puzzles`. */
  kind: string;
  /** Why it was stopped or has failed. */
  message: string | null;
  /** How long it has taken. */
  seconds: number;
  /** How it is. */
  state: JobStateAnswer;
  /** All of that work; null where it is unknown. */
  total: number | null;
  /** What it makes, where that is more than its kind says. */
  what: string;
}

/** How bad a finding is. */
export type SeverityAnswer = 'note' | 'warning' | 'damage';

/** A side. */
export type SideAnswer = 'white' | 'black';

/** What was found in a source, and what its copy lost. */
export interface SourceAnswer {
  /** Games with damage; what could be read of them is kept. */
  damaged_games: number;
  /** What was found. */
  diagnostics: FindingKindAnswer[];
  /** The name of its format. */
  format: string;
  /** Games that were read. */
  games: number;
  /** Games that were left out as was asked for. */
  left_out: number;
  /** What was lost. */
  losses: LossKindAnswer[];
  /** The name of the source. */
  source: string;
  /** Differences that no loss explains; null where nothing was compared. */
  unreported_differences: string[] | null;
}

/** A finding of a database: a line of `check --json`. */
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
  /** What can be done about it. */
  help: string;
  /** The line in the file, from 1. */
  line: number | null;
  /** What is wrong there. */
  message: string;
  /** The ply. */
  ply: number | null;
  /** How bad it is. */
  severity: SeverityAnswer;
  /** The name of the database. */
  source: string;
}

/** Names that are written in several ways. */
export interface SpellingsAnswer {
  /** How many names have variants. */
  count: number;
  /** Games that are damaged, of those that had to be read. */
  damaged: number;
  /** The names with their variants, those with the most games first. */
  groups: NameGroupAnswer[];
  /** Names that were looked at. */
  names: number;
  /** What there is to know beside. */
  notes: string[];
  /** Whether these are all; false where there are more than are shown. */
  whole: boolean;
}

/** The statistics of games: `stats --json`. */
export interface StatisticsAnswer {
  /** The names of the bases. */
  bases: string[];
  /** Games that are damaged, of those that had to be read. */
  damaged: number;
  /** Games that were counted. */
  games: number;
  /** A table for each statistic. */
  statistics: TableAnswer[];
  /** Whether everything was looked at. */
  whole: boolean;
}

/** A series of games. */
export interface StreakAnswer {
  /** The first of them. */
  first: PlayerGameAnswer;
  /** How many they are. */
  games: number;
  /** The last of them. */
  last: PlayerGameAnswer;
  /** What the games have in common. */
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
  /** How deep it lies in a tree; 0 at the root. */
  depth: number;
  /** Drawn games. */
  draws: number;
  /** Games. */
  games: number;
  /** What is counted in it. */
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
  /** The round; null where no game says it. */
  round: number | null;
  /** The two teams. */
  teams: [string, string];
}

/** A training, with the question that is open. */
export interface TrainingAnswer {
  /** Positions that were to be asked in all. */
  all: number;
  /** The side of the repertoire. */
  color: SideAnswer;
  /** The id of the training. */
  id: string;
  /** Positions that are still to be asked. */
  left: number;
  /** The question; null at the end. */
  question: TrainingQuestionAnswer | null;
  /** Right answers that went into the log. */
  right: number;
  /** Wrong answers. */
  wrong: number;
}

/** How much of a repertoire is to be trained. */
export interface TrainingCountsAnswer {
  /** Positions that can be trained. */
  all: number;
  /** The side of the repertoire. */
  color: SideAnswer;
  /** Positions that are due. */
  due: number;
  /** Positions that were never asked. */
  new: number;
  /** When the next position is due, in UTC; null where none was asked yet, or some are due now. */
  next: string | null;
  /** Lines of the log that are no reviews. */
  unreadable: number;
}

/** A move. */
export interface TrainingMoveAnswer {
  /** In words. */
  san: string;
  /** By its squares. */
  uci: string;
}

/** A question: the move of the repertoire's side in a position. */
export interface TrainingQuestionAnswer {
  /** Whether it is the first question of a line. */
  begins: boolean;
  /** The position. */
  fen: string;
  /** The same in words. */
  line: string;
  /** The moves of the line by their squares. */
  moves: string[];
  /** It rises with each question of a training; an answer names it. */
  number: number;
  /** The position in which the line starts. */
  start: string;
}

/** What an answer was worth. */
export interface TrainingVerdictAnswer {
  /** Whether the line ends here. */
  line_ends: boolean;
  /** The moves that are right. */
  moves: TrainingMoveAnswer[];
  /** How the training goes on. */
  next: TrainingAnswer;
  /** The move with which the line goes on. */
  played: TrainingMoveAnswer | null;
  /** What went into the log: `again`, `hard`, `good`, `easy`; null if a position that was not due was known. */
  rating: string | null;
  /** The opponent's reply. */
  reply: TrainingMoveAnswer | null;
  /** Whether it was right. */
  right: boolean;
}

/** A game that stays as it is. */
export interface UnchangedGameAnswer {
  /** Its number. */
  number: number;
  /** Why. */
  why: string;
}

/** What a game was before each change of it. */
export interface VersionsAnswer {
  /** The versions, the newest first. */
  versions: GameVersionAnswer[];
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
  /** Whether its databases are changed in place. */
  edit: boolean;
  /** The extensions of its files, without the dot. */
  extensions: string[];
  /** Its name. */
  name: string;
  /** What its writer can be told. */
  options: FormatOptionAnswer[];
  /** Its title. */
  title: string;
}

/** The years of the games of a database. */
export interface YearsAnswer {
  /** The first and the last date; null where it is unknown. */
  years: [string | null, string | null] | null;
}
