import { readFile } from 'node:fs/promises';
import { z } from 'zod';

const entrySchema = z.object({ msg: z.string(), err: z.object({ message: z.string() }).optional() });

/** Why a process ended, in one line from the end of its log: the last structured entry, or the plain lines after it. */
export async function exitReason(logFile: string): Promise<string> {
  const lines = (await readFile(logFile, 'utf8').catch(() => ''))
    .split('\n')
    .filter((line) => line.trim() !== '');
  const last = lines.at(-1);
  if (last === undefined) return 'its log is empty';
  const entry = entryIn(last);
  if (entry !== undefined) return entry.err === undefined ? entry.msg : `${entry.msg}: ${entry.err.message}`;
  const plain = lines.slice(lines.findLastIndex((line) => entryIn(line) !== undefined) + 1);
  // The first line of a stack trace is enough; Node ends a trace with its version.
  const messages = plain.filter((line) => !/^\s+at |^Node\.js v/.test(line)).map((line) => line.trim());
  return (
    (messages.find((line) => /^\w*Error\b.*: /.test(line)) ?? messages.slice(-MOST_LINES).join(' ')) || last
  );
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
