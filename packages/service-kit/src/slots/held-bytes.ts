/** What a value takes in memory beside its text. */
const VALUE_BYTES = 32;

/** About how much memory a JSON value takes: its texts, and a fixed amount for each value. */
export function heldBytes(value: unknown): number {
  if (typeof value === 'string') return VALUE_BYTES + value.length;
  if (typeof value !== 'object' || value === null) return VALUE_BYTES;
  let bytes = VALUE_BYTES;
  if (Array.isArray(value)) for (const item of value) bytes += heldBytes(item);
  else for (const [name, member] of Object.entries(value)) bytes += name.length + heldBytes(member);
  return bytes;
}
