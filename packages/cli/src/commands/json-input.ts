import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseExactly } from '../exact-json.ts';
import { CliError, EXIT_CODES } from '../failure.ts';
import type { World } from '../world.ts';

/** The file name that means standard input. */
export const STANDARD_INPUT = '-';

/**
 * The JSON object in a file, or from standard input for `-`, with all digits of its numbers. Throws a usage error that names the file if it
 * cannot be read or contains anything else.
 */
export async function jsonInput(world: World, file: string): Promise<Record<string, unknown>> {
  const source = file === STANDARD_INPUT ? 'Standard input' : resolve(world.cwd, file);
  const content =
    file === STANDARD_INPUT ? await text(world.in) : await readFile(source, 'utf8').catch(() => undefined);
  if (content === undefined) throw new CliError(EXIT_CODES.usage, `${source} cannot be read.`);
  const value = parsed(content);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new CliError(EXIT_CODES.usage, `${source} is not a JSON object.`);
  }
  // Reading any member of an object is safe.
  return value as Record<string, unknown>;
}

function parsed(content: string): unknown {
  try {
    return parseExactly(content);
  } catch {
    return undefined;
  }
}
