import { readFile, rename, writeFile } from 'node:fs/promises';
import { DIMENSIONS } from './vectors.ts';
import type { Vector } from './vectors.ts';

/** Name of the model and the vector format. A file with another name is not read. */
const HEADER = Buffer.from('fairlead vectors 1 use-lite-en-0.2.0\n');
const KEY_BYTES = 22;
const RECORD_BYTES = KEY_BYTES + DIMENSIONS;

/** Path of the vector file beside a catalogue file. */
export function vectorFileOf(cataloguePath: string): string {
  return `${cataloguePath}.vectors`;
}

/** Reads vectors by key from a file; none if it is absent, broken or of another model. */
export async function readVectorFile(path: string): Promise<Map<string, Vector>> {
  const vectors = new Map<string, Vector>();
  const bytes = await readFile(path).catch(() => Buffer.alloc(0));
  if (!bytes.subarray(0, HEADER.length).equals(HEADER)) return vectors;
  for (let at = HEADER.length; at + RECORD_BYTES <= bytes.length; at += RECORD_BYTES) {
    const key = bytes.toString('latin1', at, at + KEY_BYTES);
    vectors.set(key, new Int8Array(bytes.subarray(at + KEY_BYTES, at + RECORD_BYTES)));
  }
  return vectors;
}

/** Writes vectors by key, in an order that depends on the keys only. The file is replaced atomically. */
export async function writeVectorFile(path: string, vectors: ReadonlyMap<string, Vector>): Promise<void> {
  const records = [...vectors]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, vector]) => [Buffer.from(key, 'latin1'), vector]);
  const temporary = `${path}.${String(process.pid)}.tmp`;
  await writeFile(temporary, Buffer.concat([HEADER, ...records.map((part) => Buffer.from(part))]));
  await rename(temporary, path);
}
