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

/** The place of a page in a list. */
export interface Place<T> {
  readonly offset: number;
  readonly top: number;
  /** The last record of the page before. */
  readonly last: T | undefined;
}

const DEFAULT_LIMIT = 100;
/** The most that the API returns at once. */
const PAGE = 100;

/** The options of a command that prints a list which may be long. */
export function listOptions(command: Command): Command {
  return accountOptions(command)
    .option('--limit <count>', `print this many at most (default: ${DEFAULT_LIMIT})`, positive)
    .addOption(new Option('--all', 'print all of them, page by page').conflicts('limit'));
}

/**
 * Prints a list as a table, or as one JSON array. A page is requested once the one before has been written, so that one
 * page at most is in memory. Remarks on stderr if there are more records than were asked for.
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
    await written(world, format.part(page.items));
    offset += page.items.length;
    last = page.items.at(-1);
    const more = page.items.length === 0 ? 0 : page.totalCount - page.offset - page.items.length;
    if (more > 0 && offset < limit) continue;
    await written(world, format.end());
    if (more > 0) remark(world, `${more} more: --limit ${offset + more} or --all prints them.`);
    return;
  }
}

interface Format<T> {
  readonly part: (records: readonly T[]) => string;
  /** Follows the last part. */
  readonly end: () => string;
}

function tableParts<T>(columns: readonly Column<T>[]): Format<T> {
  return { part: growingTable(columns), end: () => '' };
}

/** A JSON array, one record an element. */
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

async function written(world: World, text: string): Promise<void> {
  if (text === '') return;
  await new Promise<void>((resolve) => {
    world.out.write(text, resolve);
  });
}
