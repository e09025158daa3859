/** What may wait until something is on the screen: a key is answered by a picture first. */

/** Milliseconds until it is done where nothing is painted, as in a page that nobody sees. */
const LONGEST = 100;

const waiting = new Map<string, () => void>();

/** Does now what waits. */
export function settle(): void {
  const all = [...waiting.values()];
  waiting.clear();
  for (const act of all) act();
}

/** Does something behind the next paint; of what has the same name only the last is done. */
export function afterPaint(name: string, act: () => void): void {
  if (waiting.size === 0) {
    requestAnimationFrame(() => setTimeout(settle));
    setTimeout(settle, LONGEST);
  }
  waiting.set(name, act);
}

addEventListener('pagehide', settle);
