/** What the field for queries offers while one types: names of terms, and some values that are fixed. */

const TERMS =
  'white: black: player: opponent: winner: loser: event: site: opening: annotator: round: title: country: comment~ elo>= ' +
  'white-elo: black-elo: average-elo>= elo-diff>= date: year: month: eco: result: plies: moves: number: speed: clock< eval> ' +
  'has:comments has:variations has:nags has:setup has:clock has:eval flag:deleted nag: blunder mistake inaccuracy ' +
  'missed-mate best-move accuracy> acpl< eval-swing> position:" structure:" files:" material:" pattern:" men:" turn:white ' +
  'turn:black check mate stalemate promotion under-promotion en-passant castling move: moved: captured: double-check ' +
  'discovered-check legal-moves: repetition>= at-move: at-ply: bishop-pair opposite-castling passed isolated doubled ' +
  'result:1-0 result:0-1 result:1/2-1/2 speed:bullet speed:blitz speed:rapid speed:classical speed:correspondence ' +
  'not and or';

const ALL = TERMS.split(' ');

/** The whole queries that a typed one may become; none while a text in quotes is being written. */
export function completions(text: string): string[] {
  if ((text.match(/"/g) ?? []).length % 2 === 1) return [];
  const [, before = '', word = ''] = /^(.*?)([a-z:/\d-]*)$/s.exec(text) ?? [];
  if (word === '') return [];
  return ALL.filter(term => term.startsWith(word) && term !== word)
    .slice(0, 12)
    .map(term => before + term);
}

/** A value as a query wants it: in quotes where it has more than letters and digits. */
export const quoted = (value: string): string =>
  /^[\p{L}\d.-]+$/u.test(value) ? value : `"${value.replace(/["\\]/g, sign => `\\${sign}`)}"`;
