import { readFileSync } from 'node:fs';
import { ERROR_CATALOGUE, isErrorCode } from '@fairlead/errors/catalogue';
import { parse } from 'yaml';
import { z } from 'zod';
import { settings } from '../operations/settings.ts';
import { valueAt } from './constants.ts';
import { shown } from './units.ts';

const files = z.union([z.string(), z.array(z.string())]).transform((from) => [from].flat());
const limitRow = z.strictObject({
  what: z.string(),
  limit: z.string(),
  /** Absent: the call fails. */
  beyond: z.string().default(''),
  /** Files with the constants that the texts name; absent: the limit is a rule without a figure. */
  from: files.default([]),
});
const section = z.strictObject({
  heading: z.string(),
  level: z.int().default(2),
  text: z.string().optional(),
  /** Files with the constants that `text` names. */
  from: files.default([]),
  rows: z.array(limitRow),
  after: z.string().optional(),
});

/** A section of the page; texts refer to constants as `{NAME}`, `{NAME.member}` or `{NAME:unit}`. */
export type LimitSection = z.output<typeof section>;

const PLACEHOLDER = /\{([A-Za-z_][\w.]*)(?::(\w+))?\}/g;

const HEAD = `# Limits

Fairlead bounds the input of an account, and of the vendors that it chose, before it spends memory or CPU time on it. A call above a limit fails with
an error whose message names the limit, unless the last column says otherwise; other accounts' calls are not affected. [Rate limits](rate-limits.md)
have a page of their own.

If the last column is empty, an execution, or a test of a connection, returns 200 with \`isSuccess: false\` and the message. "Per replica" and "per
gateway" mean that each process counts for itself. Sizes of caches are not listed. \`npm run generate\` makes this page from the constants of the code.
`;

/** The sections that the page consists of. */
export function limitSections(): readonly LimitSection[] {
  const text = readFileSync(new URL('limits.yaml', import.meta.url), 'utf8');
  return z.array(section).parse(parse(text));
}

/** The page, not formatted. Throws Error for a missing constant. */
export async function limitsPage(sections = limitSections()): Promise<string> {
  const defaults = new Map((await settings()).map((setting) => [setting.name, setting.defaults]));
  const filled = (text: string, from: readonly string[]): string =>
    text
      .trim()
      .replaceAll(PLACEHOLDER, (_whole, path: string, unit?: string) =>
        shown(path, unit, find(path, from, defaults)),
      );
  const parts = sections.map(({ heading, level, text, from, rows, after }) =>
    [
      `${'#'.repeat(level)} ${heading}`,
      ...(text === undefined ? [] : [filled(text, from)]),
      [
        '| what | limit | beyond it |',
        '| --- | --- | --- |',
        ...rows.map((row) => {
          const cells = [row.what, row.limit, withStatus(row.beyond)];
          requireUse(row.from, cells);
          return `| ${cells.map((cell) => filled(cell, row.from)).join(' | ')} |`;
        }),
      ].join('\n'),
      ...(after === undefined ? [] : [after.trim()]),
    ].join('\n\n'),
  );
  return `${[HEAD.trimEnd(), ...parts].join('\n\n')}\n`;
}

type Defaults = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** The value of the constant, which all declaring files must share. */
function find(path: string, from: readonly string[], defaults: Defaults): unknown {
  const values = new Set(
    from.map((file) => (file === 'settings' ? defaultOf(path, defaults) : valueAt(file, path))),
  );
  values.delete(undefined);
  const [value] = values;
  if (values.size !== 1) throw new Error(`${from.join(', ')}: ${values.size} values of ${path}`);
  return value;
}

/** The default of a variable, if all services that read it have the same. */
function defaultOf(name: string, defaults: Defaults): string | number | undefined {
  const texts = new Set(defaults.get(name)?.values());
  const [text] = texts;
  if (text === undefined || texts.size !== 1) return undefined;
  const plain = text.replaceAll('`', '');
  return /^\d+$/.test(plain) ? Number(plain) : plain;
}

/** Throws Error for a listed file that has none of the row's constants. */
function requireUse(from: readonly string[], cells: readonly string[]): void {
  const paths = cells.flatMap((cell) => [...cell.matchAll(PLACEHOLDER)].map(([, path = '']) => path));
  const unused = from.filter(
    (file) => file !== 'settings' && paths.every((path) => valueAt(file, path) === undefined),
  );
  if (unused.length > 0) throw new Error(`${unused.join(', ')} declares nothing that the row shows.`);
}

/** Adds the HTTP status to error codes outside of code spans. */
function withStatus(text: string): string {
  return text.replaceAll(/`[^`]*`|\b[A-Z]+(?:_[A-Z]+)*\b(?![\w}])/g, (word) =>
    isErrorCode(word) ? `${ERROR_CATALOGUE[word].http} ${word}` : word,
  );
}
