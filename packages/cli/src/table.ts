import { stripVTControlCharacters } from 'node:util';

/** A column of a table. */
export interface Column<T> {
  readonly title: string;
  readonly value: (row: T) => Cell;
}

/** The content of a cell; an absent value is shown as a dash. */
export type Cell = string | number | boolean | null | undefined;

const GAP = '  ';

/** Rows below their titles, with aligned columns and no trailing blanks. Only titles if there are no rows. */
export function table<T>(rows: readonly T[], columns: readonly Column<T>[]): string {
  return growingTable(columns)(rows);
}

/** A table whose rows arrive in parts: titles above the first part, and columns that only become wider. */
export function growingTable<T>(columns: readonly Column<T>[]): (rows: readonly T[]) => string {
  let titles = [columns.map(({ title }) => title)];
  let widths: readonly number[] = [];
  return (rows) => {
    const lines = [...titles, ...rows.map((row) => columns.map(({ value }) => cellText(value(row))))];
    titles = [];
    widths = widthsOf(lines, widths);
    return aligned(lines, widths);
  };
}

/** One record as lines of name and value. */
export function properties(entries: readonly (readonly [string, Cell])[]): string {
  const lines = entries.map(([name, value]) => [name, cellText(value)]);
  return aligned(lines, widthsOf(lines));
}

function widthsOf(lines: readonly (readonly string[])[], former: readonly number[] = []): readonly number[] {
  return lines.reduce(
    (widths, cells) => cells.map((cell, column) => Math.max(widths[column] ?? 0, width(cell))),
    former,
  );
}

function aligned(lines: readonly (readonly string[])[], widths: readonly number[]): string {
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

/** Makes text from elsewhere safe for a terminal: removes its escape sequences and keeps it on one line. */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replace(/[\p{Cc}\p{Cf}]/gu, ' ');
}
