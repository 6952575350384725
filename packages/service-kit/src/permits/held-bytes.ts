import { LazyJson } from '../json/lazy-json.ts';

/** Memory of a value besides its text. */
const VALUE_BYTES = 32;

/** Approximate memory of a JSON value: its texts, and a fixed amount per value. */
export function heldBytes(value: unknown): number {
  if (typeof value === 'string') return VALUE_BYTES + value.length;
  if (typeof value !== 'object' || value === null) return VALUE_BYTES;
  if (value instanceof LazyJson) return VALUE_BYTES + value.bytes.length;
  let bytes = VALUE_BYTES;
  if (Array.isArray(value)) for (const item of value) bytes += heldBytes(item);
  // Object.entries of a hundred thousand members would cost ten times as much.
  else for (const name in value) bytes += name.length + heldBytes(Reflect.get(value, name));
  return bytes;
}
