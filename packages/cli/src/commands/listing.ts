import { Option } from 'commander';
import type { Command } from 'commander';
import type { Page } from '@fairlead/sdk';
import { remark } from '../output.ts';
import { growingTable } from '../table.ts';
import type { Column } from '../table.ts';
import type { World } from '../world.ts';
import { accountOptions, positive } from './options.ts';
import type { AccountOptions } from './options.ts';

/** The values of `listOptions`. */
export interface ListOptions extends AccountOptions {
  readonly limit?: number;
  readonly all?: boolean;
}

/** The position of a page in a list. */
export interface Place<T> {
  readonly offset: number;
  readonly top: number;
  /** The last record of the previous page. */
  readonly last: T | undefined;
}

const DEFAULT_LIMIT = 100;
/** The maximum number of records that the API returns at once. */
const PAGE = 100;

/** The options of a command that prints a list which may be long. */
export function listOptions(command: Command): Command {
  return accountOptions(command)
    .option('--limit <count>', `print this many at most (default: ${DEFAULT_LIMIT})`, positive)
    .addOption(new Option('--all', 'print all of them, page by page').conflicts('limit'));
}

/**
 * Prints a list as a table, or as one JSON array. A page is requested once the previous one has been written, so that at most one page is
 * in memory. Prints a remark on stderr if there are more records than requested.
 */
export async function printList<T>(
  world: World,
  options: ListOptions,
  readPage: (place: Place<T>) => Promise<Page<T>>,
  columns: readonly Column<T>[],
): Promise<void> {
  const limit = options.all === true ? Number.POSITIVE_INFINITY : (options.limit ?? DEFAULT_LIMIT);
  const format = options.json === true ? arrayParts<T>() : tableParts(columns);
  let offset = 0;
  let last: T | undefined;
  for (;;) {
    const page = await readPage({ offset, top: Math.min(PAGE, limit - offset), last });
    await writeText(world, format.part(page.items));
    offset += page.items.length;
    last = page.items.at(-1);
    const more = page.items.length === 0 ? 0 : page.totalCount - page.offset - page.items.length;
    if (more > 0 && offset < limit) continue;
    await writeText(world, format.end());
    if (more > 0) remark(world, `${more} more: --limit ${offset + more} or --all prints them.`);
    return;
  }
}

interface Format<T> {
  readonly part: (records: readonly T[]) => string;
  /** Written after the last part. */
  readonly end: () => string;
}

function tableParts<T>(columns: readonly Column<T>[]): Format<T> {
  return { part: growingTable(columns), end: () => '' };
}

/** A JSON array with one element per record. */
function arrayParts<T>(): Format<T> {
  let separator = '[\n';
  return {
    part: (records) =>
      records
        .map((record) => {
          const text = separator + JSON.stringify(record, undefined, 2);
          separator = ',\n';
          return text;
        })
        .join(''),
    end: () => (separator === '[\n' ? '[]\n' : '\n]\n'),
  };
}

async function writeText(world: World, text: string): Promise<void> {
  if (text === '') return;
  await new Promise<void>((resolve) => {
    world.out.write(text, resolve);
  });
}
