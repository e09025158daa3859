/** Men that are dragged: from the palette to a square, from square to square, and off the board. A press that does not move is a click. */

import type { RefObject } from 'preact';
import { pieceClass } from './piece-image';

/** Pixels from which on a press is a drag. */
const FAR = 5;

/** What a drag has come to: from a square or from the palette, to a square or off the board. */
type Dropped = (from: number | null, to: number | null, sign: string) => void;

/** The piece that follows the pointer. */
function ghostOf(sign: string, size: number): HTMLElement {
  const ghost = document.createElement('div');
  ghost.className = 'cg-wrap piece-image dragged';
  ghost.style.width = ghost.style.height = `${size}px`;
  const of = pieceClass(sign);
  if (of === null) ghost.textContent = sign;
  else {
    const piece = document.createElement('piece');
    piece.className = of;
    ghost.append(piece);
  }
  return ghost;
}

export function useDrag(board: RefObject<HTMLElement | null>, dropped: Dropped) {
  return (from: number | null, sign: string) => ({
    // The browser drags nothing of its own.
    onDragStart: (event: DragEvent) => event.preventDefault(),
    onPointerDown: (event: PointerEvent) => {
      const source = event.currentTarget as HTMLElement;
      if (event.button !== 0) return;
      const [x, y] = [event.clientX, event.clientY];
      let ghost: HTMLElement | null = null;
      const move = (next: PointerEvent) => {
        if (!ghost) {
          if (Math.hypot(next.clientX - x, next.clientY - y) < FAR) return;
          const size = (board.current?.clientWidth ?? 320) / 8;
          ghost = ghostOf(sign, size);
          // A dialog lies above the page: what follows the pointer lies in it.
          (source.closest('dialog') ?? document.body).append(ghost);
        }
        next.preventDefault();
        ghost.style.left = `${next.clientX - ghost.offsetWidth / 2}px`;
        ghost.style.top = `${next.clientY - ghost.offsetHeight / 2}px`;
      };
      const stop = new AbortController();
      const end = (last: PointerEvent) => {
        stop.abort();
        if (!ghost) return;
        ghost.remove();
        // The click that comes with it is none.
        const swallow = (click: Event) => click.stopPropagation();
        addEventListener('click', swallow, { capture: true });
        setTimeout(() => removeEventListener('click', swallow, { capture: true }));
        if (last.type === 'pointercancel') return;
        const square = document.elementFromPoint(last.clientX, last.clientY)?.closest<HTMLElement>('[data-at]');
        const isOwn = square && board.current?.contains(square);
        const to = isOwn ? Number(square.dataset['at']) : null;
        if (from !== null || to !== null) dropped(from, to, sign);
      };
      addEventListener('pointermove', move, { signal: stop.signal });
      addEventListener('pointerup', end, { signal: stop.signal });
      addEventListener('pointercancel', end, { signal: stop.signal });
    },
  });
}
