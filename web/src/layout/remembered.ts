/** The layouts that this browser keeps, read with care: somebody may have written anything there. */

export const PANES = ['list', 'moves', 'engine', 'explorer'] as const;
export const PRESETS = ['browse', 'annotate', 'prepare', 'train'] as const;

export type Pane = (typeof PANES)[number];
export type Preset = (typeof PRESETS)[number];

/** The panes that are seen beside the board, and shares of the window. */
export interface Layout {
  panes: Pane[];
  /** The list's share of the width, beside a game and alone. */
  list: number;
  wide: number;
  /** The share of the column on the right. */
  side: number;
  /** The explorer's share of that column's height. */
  explorer: number;
}

export const BOUNDS = { list: [0.12, 0.5], wide: [0.3, 0.8], side: [0.14, 0.5], explorer: [0.15, 0.75] } as const;

const SHARES = { list: 0.285, wide: 0.68, side: 0.22, explorer: 0.42 };

/** What each use begins with. */
export const LAYOUTS: Record<Preset, Layout> = {
  browse: { ...SHARES, panes: ['list', 'moves', 'engine', 'explorer'] },
  annotate: { ...SHARES, panes: ['moves', 'engine'], side: 0.4 },
  prepare: { ...SHARES, panes: ['list', 'moves', 'engine', 'explorer'], list: 0.2, side: 0.3, explorer: 0.6 },
  train: { ...SHARES, panes: ['moves'], side: 0.2 },
};

const share = (value: unknown, [least, most]: readonly [number, number], usual: number): number =>
  typeof value === 'number' && Number.isFinite(value) ? Math.max(least, Math.min(most, value)) : usual;

function layoutOf(value: unknown, usual: Layout): Layout {
  if (typeof value !== 'object' || value === null) return usual;
  const kept = value as Record<string, unknown>;
  const panes = Array.isArray(kept['panes']) ? PANES.filter(one => (kept['panes'] as unknown[]).includes(one)) : usual.panes;
  return {
    panes,
    list: share(kept['list'], BOUNDS.list, usual.list),
    wide: share(kept['wide'], BOUNDS.wide, usual.wide),
    side: share(kept['side'], BOUNDS.side, usual.side),
    explorer: share(kept['explorer'], BOUNDS.explorer, usual.explorer),
  };
}

export function remembered(text: string | null): { preset: Preset; layouts: Record<Preset, Layout> } {
  let kept: Record<string, unknown> = {};
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    if (typeof value === 'object' && value !== null) kept = value as Record<string, unknown>;
  } catch {
    // What cannot be read is as if nothing were kept.
  }
  const all = (typeof kept['layouts'] === 'object' && kept['layouts'] !== null ? kept['layouts'] : {}) as Record<string, unknown>;
  const layouts = Object.fromEntries(PRESETS.map(name => [name, layoutOf(all[name], LAYOUTS[name])])) as Record<Preset, Layout>;
  return { preset: PRESETS.find(name => name === kept['preset']) ?? 'browse', layouts };
}
