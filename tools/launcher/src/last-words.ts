import { readFile } from 'node:fs/promises';
import { z } from 'zod';

const entrySchema = z.object({ msg: z.string(), err: z.object({ message: z.string() }).optional() });

/** Why a process ended, from the end of its log, in one line: its last structured entry or the plain lines that close it. */
export async function lastWords(logFile: string): Promise<string> {
  const lines = (await readFile(logFile, 'utf8').catch(() => ''))
    .split('\n')
    .filter((line) => line.trim() !== '');
  const last = lines.at(-1);
  if (last === undefined) return 'it said nothing';
  const entry = entryIn(last);
  if (entry !== undefined) return entry.err === undefined ? entry.msg : `${entry.msg}: ${entry.err.message}`;
  const plain = lines.slice(lines.findLastIndex((line) => entryIn(line) !== undefined) + 1);
  // A stack trace says nothing that its first line does not; Node closes one with its version.
  const told = plain.filter((line) => !/^\s+at |^Node\.js v/.test(line)).map((line) => line.trim());
  return (told.find((line) => /^\w*Error\b.*: /.test(line)) ?? told.slice(-MOST_LINES).join(' ')) || last;
}

const MOST_LINES = 6;

function entryIn(line: string): z.infer<typeof entrySchema> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return entrySchema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
