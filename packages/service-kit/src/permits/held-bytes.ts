import { LazyJson } from '../json/lazy-json.ts';

/** Memory that a value takes beside its text. */
const VALUE_BYTES = 32;

/** About how much memory a JSON value takes: its texts, and a fixed amount for each value. */
export function heldBytes(value: unknown): number {
  if (typeof value === 'string') return VALUE_BYTES + value.length;
  if (typeof value !== 'object' || value === null) return VALUE_BYTES;
  if (value instanceof LazyJson) return VALUE_BYTES + value.bytes.length;
  let bytes = VALUE_BYTES;
  if (Array.isArray(value)) for (const item of value) bytes += heldBytes(item);
  // A list of entries of a hundred thousand members would cost ten times as much.
  else for (const name in value) bytes += name.length + heldBytes(Reflect.get(value, name));
  return bytes;
}
