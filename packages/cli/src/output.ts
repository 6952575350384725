import { styleText } from 'node:util';
import { printable } from './table.ts';
import type { World } from './world.ts';

/** The option of every command that prints a result. */
export interface OutputOptions {
  readonly json?: boolean;
}

/** A command's result: JSON with `--json`, with records as the API returns them, else text for people. */
export function print(world: World, options: OutputOptions, json: unknown, text: () => string): void {
  world.out.write(options.json === true ? `${JSON.stringify(json, undefined, 2)}\n` : text());
}

/** JSON on several lines, each of which is safe to print at a terminal. */
export function jsonText(value: unknown): string {
  const lines = JSON.stringify(value, undefined, 2).split('\n');
  return lines.map((line) => `${printable(line)}\n`).join('');
}

/** A remark in addition to the result: on stderr, so that it is not piped. */
export function remark(world: World, text: string): void {
  world.err.write(`${text}\n`);
}

/** `text` in that colour if the output is a terminal and NO_COLOR (no-color.org) is not set. */
export function coloured(world: World, colour: 'green' | 'yellow' | 'red', text: string): string {
  const { NO_COLOR: never = '', TERM: terminal } = world.environment;
  const isPlain = !world.isTerminal || never !== '' || terminal === 'dumb';
  return isPlain ? text : styleText(colour, text, { validateStream: false });
}

/** A time for a table, in UTC, without seconds. */
export function moment(instant: string | null): string {
  return instant === null ? '' : `${instant.slice(0, 16).replace('T', ' ')}Z`;
}

/** Every record of an iterator. */
export async function collect<T>(records: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const record of records) all.push(record);
  return all;
}
