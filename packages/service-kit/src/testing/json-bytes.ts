import { expect } from 'vitest';
import { LazyJson } from '../json/lazy-json.ts';

/** Matches the bytes of the JSON of a value, whichever transport they came by: a Buffer is no Uint8Array to `toEqual`. */
export function jsonOf(value: unknown): unknown {
  return expect.toSatisfy(
    (bytes: unknown) => bytes instanceof Uint8Array && new LazyJson(bytes).text === JSON.stringify(value),
    JSON.stringify(value),
  );
}
