import { stripVTControlCharacters } from 'node:util';

/** A column of a table. */
export interface Column<T> {
  readonly title: string;
  readonly value: (row: T) => Cell;
}

/** What a cell may hold; nothing is shown as a dash. */
export type Cell = string | number | boolean | null | undefined;

const GAP = '  ';

/** Rows below their titles, columns aligned, no blanks at the ends of lines. Only titles where there is no row. */
export function table<T>(rows: readonly T[], columns: readonly Column<T>[]): string {
  const lines = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ value }) => cellText(value(row)))),
  ];
  return aligned(lines);
}

/** One record as lines of name and value. */
export function properties(entries: readonly (readonly [string, Cell])[]): string {
  return aligned(entries.map(([name, value]) => [name, cellText(value)]));
}

function aligned(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((cells) => width(cells[column] ?? ''))),
  );
  return lines
    .map((cells) =>
      cells
        .map((cell, column) => pad(cell, widths[column] ?? 0))
        .join(GAP)
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

function pad(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - width(text)));
}

const graphemes = new Intl.Segmenter();

function width(text: string): number {
  return [...graphemes.segment(text)].length;
}

function cellText(value: Cell): string {
  if (value === null || value === undefined || value === '') return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return printable(String(value));
}

/** Text that others wrote, fit for a terminal: no escape sequence of theirs reaches it, and it stays on its line. */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replace(/[\p{Cc}\p{Cf}]/gu, ' ');
}
