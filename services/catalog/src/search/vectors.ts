import type { SearchText } from '@fairlead/lexical-index/search-index';

/** The meaning of a text, as a unit vector of integers; 1 is SCALE. */
export type Vector = Int8Array<ArrayBuffer>;

const SCALE = 127;
const MAX_TEXT_LENGTH = 300;

/** The text that the vector of an item is made of. The name of its application is not in it: equal tools of two applications are alike. */
export function meaningfulText({ name, category, description }: SearchText): string {
  return `${name} ${category} ${description}`.slice(0, MAX_TEXT_LENGTH);
}

/** Normalizes a vector to unit length; 0 stays 0. */
export function toVector(values: Float64Array): Vector {
  const length = Math.hypot(...values);
  const vector = new Int8Array(values.length);
  if (length === 0) return vector;
  for (const [at, value] of values.entries()) vector[at] = Math.round((value / length) * SCALE);
  return vector;
}

/** The cosine of the angle between a vector and the one that begins at `start` in a table. */
export function similarity(vector: Vector, table: Int8Array, start: number): number {
  let sum = 0;
  for (let at = 0; at < vector.length; at += 1) sum += Math.imul(vector[at] ?? 0, table[start + at] ?? 0);
  return sum / (SCALE * SCALE);
}
