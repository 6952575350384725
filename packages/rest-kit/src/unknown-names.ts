import leven from 'leven';
import { z } from 'zod';
import type { Finding } from './finding.ts';

/** Longer names than this are compared with no other. */
const MAX_COMPARED_LENGTH = 64;

/** Whether a schema refuses members that it does not know: a `z.strictObject`. */
export function refusesUnknown(schema: z.ZodType): boolean {
  return schema instanceof z.ZodObject && schema.def.catchall instanceof z.ZodNever;
}

/** The refusal of a name that nobody knows, with the nearest one of those that are known. */
export function unknownName(
  field: string,
  { name, known }: { readonly name: string; readonly known: readonly string[] },
): Finding {
  const nearest = nearestName(name, known);
  const advice = nearest === undefined ? `known are ${known.join(', ')}` : `did you mean ${nearest}?`;
  return { field, issue: `is not known here: ${advice}`, isEnum: false };
}

/** The known name that is most like `name`, whatever its case; undefined if none is near. */
function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_COMPARED_LENGTH) return undefined;
  const distances = known.map((it) => ({ it, distance: leven(it.toLowerCase(), name.toLowerCase()) }));
  const [first] = distances.toSorted((a, b) => a.distance - b.distance);
  return first !== undefined && first.distance <= Math.max(1, name.length / 3) ? first.it : undefined;
}
