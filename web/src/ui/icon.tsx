/** Icons: a few of lucide's, each as a picture beside a word or under a name that is told. */

import {
  ArrowUpDown, BookOpen, Check, ChevronDown, ChevronFirst, ChevronLast, ChevronLeft, ChevronRight, Columns2, Columns3,
  CircleQuestionMark, Cpu, Eye, LayoutDashboard, List, ListTree, Pause, Pencil, Play, Plus, Save, Settings,
  X,
} from 'lucide';
import { createElement } from 'preact';

const ICONS = {
  beside: Columns2,
  check: Check,
  close: X,
  columns: Columns3,
  down: ChevronDown,
  edit: Pencil,
  engine: Cpu,
  explorer: BookOpen,
  first: ChevronFirst,
  flip: ArrowUpDown,
  fold: ListTree,
  help: CircleQuestionMark,
  last: ChevronLast,
  layout: LayoutDashboard,
  list: List,
  new: Plus,
  next: ChevronRight,
  pause: Pause,
  play: Play,
  previous: ChevronLeft,
  preview: Eye,
  save: Save,
  settings: Settings,
};

export type IconName = keyof typeof ICONS;

export const ICON_NAMES = Object.keys(ICONS) as IconName[];

/** The shapes of an icon of lucide's that is not among these, for parts of the app that are fetched later. */
export type IconShapes = (typeof ICONS)[IconName];

/** A picture beside the name of what it stands for: those who listen hear the name alone. */
export function Icon({ name }: { name: IconName | IconShapes }) {
  const shapes = typeof name === 'string' ? ICONS[name] : name;
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      {shapes.map(([shape, attributes], at) => createElement(shape, { key: at, ...attributes }))}
    </svg>
  );
}
