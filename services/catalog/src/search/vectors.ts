import { createHash } from 'node:crypto';
import type { SearchText } from '@fairlead/lexical-index/search-index';

/** An embedding as a unit vector of integers; 1 is SCALE. */
export type Vector = Int8Array<ArrayBuffer>;

/** The number of components of a vector. */
export const DIMENSIONS = 512;
/** Components are seldom above 0.25. */
const SCALE = 360;
const MAX_TEXT_LENGTH = 200;

/** The text that is embedded for an item: its name and the first sentence of its description. */
export function meaningfulText({ name, description }: SearchText): string {
  const end = description.search(/\.\s/);
  const sentence = end < 0 ? description : description.slice(0, end + 1);
  return `${name}: ${sentence}`.slice(0, MAX_TEXT_LENGTH);
}

/** The key of a text's vector. */
export function vectorKey(text: string): string {
  return createHash('sha256').update(text).digest('base64').slice(0, 22);
}

/** Normalizes a vector to unit length; 0 stays 0. */
export function toVector(values: readonly number[]): Vector {
  const length = Math.hypot(...values);
  const vector = new Int8Array(DIMENSIONS);
  if (length === 0) return vector;
  for (const [at, value] of values.entries())
    vector[at] = Math.max(-127, Math.min(127, Math.round((value / length) * SCALE)));
  return vector;
}

/** The cosine of the angle between a vector and the one that begins at `start` in a table. */
export function similarity(vector: Vector, table: Int8Array, start: number): number {
  let sum = 0;
  for (let at = 0; at < DIMENSIONS; at += 1) sum += (vector[at] ?? 0) * (table[start + at] ?? 0);
  return sum / (SCALE * SCALE);
}
