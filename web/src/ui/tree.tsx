/**
 * A tree whose branches open and close: arrow keys go up, down, in and out, Home and End to the ends, Enter chooses. Branches may be fetched
 * when they are opened first; who goes into one that has not come yet is there when it comes, and nowhere if another key came between.
 */

import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from './icon';

export interface Branch {
  id: string;
  label: ComponentChildren;
  /** What is in it; nothing for a leaf, and null for what is not known yet. */
  children?: Branch[] | null;
}

interface Row {
  branch: Branch;
  level: number;
  parent: string | null;
}

interface Asked {
  label: string;
  branches: Branch[];
  chosen: string | null;
  onChoose: (id: string) => void;
  /** A branch was opened whose children are not known yet. */
  onOpen?: (id: string) => void;
  /** Whether a branch is opened where it is chosen. */
  opensChosen?: boolean;
}

const isBranchOf = (branch: Branch): boolean => branch.children === null || (branch.children?.length ?? 0) > 0;

/** The rows that are seen, without recursion: trees are as deep as they like. */
function rowsOf(branches: Branch[], open: ReadonlySet<string>): Row[] {
  const rows: Row[] = [];
  const waiting: Row[] = branches.map(branch => ({ branch, level: 1, parent: null })).reverse();
  for (let row = waiting.pop(); row; row = waiting.pop()) {
    rows.push(row);
    const { branch, level } = row;
    if (!open.has(branch.id)) continue;
    for (const child of [...(branch.children ?? [])].reverse()) waiting.push({ branch: child, level: level + 1, parent: branch.id });
  }
  return rows;
}

export function Tree({ label, branches, chosen, onChoose, onOpen, opensChosen = false }: Asked) {
  const open = useSignal<ReadonlySet<string>>(new Set());
  const at = useSignal<string | null>(null);
  const box = useRef<HTMLUListElement>(null);
  const rows = rowsOf(branches, open.value);
  const stop = rows.some(row => row.branch.id === at.value) ? at.value : (rows[0]?.branch.id ?? null);
  const focus = (id: string | undefined | null) => {
    if (id === undefined || id === null) return;
    at.value = id;
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`)?.focus());
  };
  const toggle = ({ id, children }: Branch) => {
    const next = new Set(open.value);
    if (!next.delete(id)) {
      next.add(id);
      if (children === null) onOpen?.(id);
    }
    open.value = next;
  };
  /** The branch into which somebody has gone before it has come. */
  const entered = useRef<string | null>(null);
  const childOf = (id: string) => rows.find(row => row.parent === id)?.branch.id;
  useLayoutEffect(() => {
    const child = entered.current === null ? undefined : childOf(entered.current);
    if (child === undefined) return;
    entered.current = null;
    focus(child);
  }, [rows.length]);
  const choose = (branch: Branch) => {
    if (opensChosen && isBranchOf(branch)) toggle(branch);
    else onChoose(branch.id);
  };
  const keys = (event: KeyboardEvent) => {
    const index = rows.findIndex(row => row.branch.id === stop);
    const row = rows[index];
    if (!row) return;
    const isOpen = open.value.has(row.branch.id);
    const isBranch = isBranchOf(row.branch);
    entered.current = null;
    if (event.key === 'ArrowDown') focus(rows[index + 1]?.branch.id);
    else if (event.key === 'ArrowUp') focus(rows[index - 1]?.branch.id);
    else if (event.key === 'Home') focus(rows[0]?.branch.id);
    else if (event.key === 'End') focus(rows[rows.length - 1]?.branch.id);
    else if (event.key === 'ArrowRight' && isBranch) {
      if (!isOpen) toggle(row.branch);
      else if (row.branch.children === null) entered.current = row.branch.id;
      else focus(childOf(row.branch.id));
    } else if (event.key === 'ArrowLeft') isOpen && isBranch ? toggle(row.branch) : focus(row.parent);
    else if (event.key === 'Enter' || event.key === ' ') choose(row.branch);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <ul class="tree" role="tree" aria-label={label} ref={box} onKeyDown={keys}>
      {rows.map(({ branch, level }) => {
        const isBranch = isBranchOf(branch);
        const isOpen = open.value.has(branch.id);
        return (
          <li
            key={branch.id}
            role="treeitem"
            data-id={branch.id}
            aria-level={level}
            aria-selected={branch.id === chosen}
            {...(isBranch ? { 'aria-expanded': isOpen } : {})}
            {...(isOpen && branch.children === null ? { 'aria-busy': true } : {})}
            tabIndex={branch.id === stop ? 0 : -1}
            style={{ paddingInlineStart: `${(level - 1) * 1.25 + 0.25}rem` }}
            // A screen reader moves the focus without keys.
            onFocus={() => {
              at.value = branch.id;
            }}
            onClick={() => {
              at.value = branch.id;
              choose(branch);
            }}
          >
            <span
              class="twist"
              onClick={event => {
                if (!isBranch) return;
                event.stopPropagation();
                toggle(branch);
              }}
            >
              {isBranch && <Icon name={isOpen ? 'down' : 'next'} />}
            </span>
            <span dir="auto">{branch.label}</span>
          </li>
        );
      })}
    </ul>
  );
}
