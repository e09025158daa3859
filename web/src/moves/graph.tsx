/** Clocks and evaluations of the main line as curves; a click goes to the move. */

import { computed } from '@preact/signals';
import * as board from '../board/store';
import type { Node } from '../game/tree';
import { shownSan, t } from '../words';

const WIDTH = 600;
const HEIGHT = 90;
/** Pawns at the edge of the picture; mates stand there. */
const EDGE = 6;

const main = computed<Node[]>(() => {
  const nodes: Node[] = [];
  for (let at = board.game.value?.root.children[0]; at; at = at.children[0]) nodes.push(at);
  return nodes;
});

const evaluationOf = (node: Node): number | null => {
  const found = node.evaluation;
  if (!found) return null;
  if (found.mate !== undefined) return found.mate > 0 || (found.mate === 0 && node.ply % 2 === 1) ? EDGE : -EDGE;
  return found.cp === undefined ? null : Math.max(-EDGE, Math.min(EDGE, found.cp / 100));
};

const evaluationText = (node: Node): string => {
  const found = node.evaluation;
  if (!found) return '';
  if (found.mate !== undefined) return `#${found.mate}`;
  return ((found.cp ?? 0) / 100).toFixed(2);
};

export function Graph() {
  const nodes = main.value;
  const evaluated = nodes.some(node => node.evaluation);
  const timed = nodes.some(node => node.clock !== null);
  if (nodes.length < 2 || (!evaluated && !timed)) return null;
  const x = (at: number) => ((at + 0.5) * WIDTH) / nodes.length;
  const middle = HEIGHT / 2;
  const curve = (value: (node: Node) => number | null): string => {
    const points: string[] = [];
    nodes.forEach((node, at) => {
      const y = value(node);
      if (y !== null) points.push(`${x(at).toFixed(1)},${y.toFixed(1)}`);
    });
    return points.join(' ');
  };
  const longest = nodes.reduce((most, node) => Math.max(most, node.clock ?? 0), 1);
  const blackBegins = board.game.value?.start.split(' ')[1] === 'b' ? 1 : 0;
  const clock = (odd: number) =>
    curve(node => (node.clock === null || (node.ply + blackBegins) % 2 !== odd ? null : HEIGHT - 2 - (node.clock / longest) * (HEIGHT - 4)));
  const evaluation = curve(node => {
    const value = evaluationOf(node);
    return value === null ? null : middle - (value / EDGE) * (middle - 2);
  });
  const ply = board.node.value?.ply ?? 0;
  const current = board.node.value;
  const press = (event: MouseEvent) => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    const at = Math.floor(((event.clientX - box.left) / box.width) * nodes.length);
    const node = nodes[Math.max(0, Math.min(nodes.length - 1, at))];
    if (node) board.stand(node);
  };
  return (
    <figure class="graph">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={[evaluated && t('graph.evaluation'), timed && t('graph.clocks')].filter(Boolean).join(', ')}
        onClick={press}
      >
        {evaluated && <line class="zero" x1={0} x2={WIDTH} y1={middle} y2={middle} />}
        {timed && <polyline class="clock-white" points={clock(1)} />}
        {timed && <polyline class="clock-black" points={clock(0)} />}
        {evaluated && <polyline class="evaluation" points={evaluation} />}
        {ply > 0 && <line class="here" x1={x(ply - 1)} x2={x(ply - 1)} y1={0} y2={HEIGHT} />}
      </svg>
      <figcaption class="quiet">
        {evaluated && <span class="key evaluation">{t('graph.evaluation')}</span>}
        {timed && <span class="key clock-white">{`${t('graph.clocks')}, ${t('colour.white')}`}</span>}
        {timed && <span class="key clock-black">{`${t('graph.clocks')}, ${t('colour.black')}`}</span>}
        {current?.evaluation && ` ${shownSan(current.san)} ${evaluationText(current)}`}
      </figcaption>
    </figure>
  );
}
