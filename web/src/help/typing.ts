/**
 * Who types into a field from which the program takes the focus goes on typing for a moment: those keys are meant for the field, and
 * must not be taken for commands.
 */

/** Milliseconds without a key after which somebody has seen that the field is gone. */
const BLINK = 500;

const FIELDS = 'input, textarea, select, [contenteditable]';

/** Tells of each key whether it is a stray one. What is told to it are events, and the time. */
export class Typing {
  /** The field into which something is typed, as long as nobody has left it by will. */
  private field: EventTarget | null = null;
  private last = 0;

  /** Something got the focus. */
  entered(target: EventTarget | null, isField: boolean, now: number): void {
    // Whoever has a key in a field after the program has put them there, types there.
    if (!isField) return;
    this.field = target;
    this.last = now;
  }

  /** Somebody has left the field by will: with the pointer, or a key that does so. */
  left(): void {
    this.field = null;
  }

  /** A key: whether it is to be thrown away. `isIn` tells whether it goes into the field. */
  isStray(isIn: (field: EventTarget) => boolean, isField: boolean, now: number): boolean {
    const { field } = this;
    if (field === null || isField || isIn(field)) {
      this.last = now;
      return false;
    }
    if (now - this.last > BLINK) {
      this.field = null;
      return false;
    }
    this.last = now;
    return true;
  }
}

/** Keys that take somebody out of a field by will. */
const leaves = (event: KeyboardEvent, target: Element): boolean =>
  event.key === 'Escape' || event.key === 'Tab' || (event.key === 'Enter' && !target.matches('textarea'));

/** Throws stray keys away before anything else sees them. */
export function guardTyping(): () => void {
  const typing = new Typing();
  const element = (event: Event): Element | null => (event.target instanceof Element ? event.target : null);
  const enter = (event: Event) => typing.entered(event.target, element(event)?.matches(FIELDS) ?? false, event.timeStamp);
  const point = () => typing.left();
  const key = (event: KeyboardEvent) => {
    const target = element(event);
    const isField = target?.matches(FIELDS) ?? false;
    if (typing.isStray(field => field === target, isField, event.timeStamp)) {
      event.preventDefault();
      event.stopImmediatePropagation();
    } else if (target && isField && leaves(event, target)) typing.left();
  };
  addEventListener('focusin', enter, true);
  addEventListener('pointerdown', point, true);
  addEventListener('keydown', key, true);
  return () => {
    removeEventListener('focusin', enter, true);
    removeEventListener('pointerdown', point, true);
    removeEventListener('keydown', key, true);
  };
}
