import { expect } from 'vitest';
import { LazyJson } from '../json/lazy-json.ts';

/** Matches the bytes of a value's JSON, with either transport: for `toEqual`, a Buffer is not a Uint8Array. */
export function jsonOf(value: unknown): unknown {
  return expect.toSatisfy(
    (bytes: unknown) => bytes instanceof Uint8Array && new LazyJson(bytes).text === JSON.stringify(value),
    JSON.stringify(value),
  );
}
