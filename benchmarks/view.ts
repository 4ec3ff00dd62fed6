import type { Plot } from './plot.ts';

/** How one benchmark's figures are shown. */
export interface View {
  title: string;
  /** What is compared, and what to know before quoting it. */
  note: string;
  head: string[];
  rows: string[][];
  plot: Plot;
}

/** Figures as they were printed: checked where they are read, since other versions may have written them. */
export type Figures = Record<string, unknown>;

export const rowsIn = (figures: Figures, name: string): Figures[] => {
  const rows = figures[name];
  if (!Array.isArray(rows)) throw new Error(`The figures hold no list "${name}".`);
  return rows as Figures[];
};

export const numberIn = (row: Figures, name: string): number => {
  const value = row[name];
  if (typeof value !== 'number') throw new Error(`"${name}" is not a number.`);
  return value;
};

export const textIn = (row: Figures, name: string): string => {
  const value = row[name];
  if (typeof value !== 'string') throw new Error(`"${name}" is not a text.`);
  return value;
};

/** A number as people write it: 1,234 or 12.3 or 0.123. */
export function shown(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(3)));
}
