import leven from 'leven';
import { z } from 'zod';
import type { Finding } from './finding.ts';

/** Maximum length of a name that is compared with known names. */
const MAX_COMPARED_LENGTH = 64;

/** Whether a schema refuses unknown members: a `z.strictObject`. */
export function refusesUnknown(schema: z.ZodType): boolean {
  return schema instanceof z.ZodObject && schema.def.catchall instanceof z.ZodNever;
}

/** The error text for an unknown name, with the most similar known name. */
export function unknownName(
  field: string,
  { name, known }: { readonly name: string; readonly known: readonly string[] },
): Finding {
  const nearest = nearestName(name, known);
  const advice = nearest === undefined ? `known are ${known.join(', ')}` : `did you mean ${nearest}?`;
  return { field, issue: `is not known here: ${advice}`, isEnum: false };
}

/** The known name that is most similar to `name`, ignoring case; undefined if none is similar. */
function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_COMPARED_LENGTH) return undefined;
  const distances = known.map((it) => ({ it, distance: leven(it.toLowerCase(), name.toLowerCase()) }));
  const [first] = distances.toSorted((a, b) => a.distance - b.distance);
  return first !== undefined && first.distance <= Math.max(1, name.length / 3) ? first.it : undefined;
}
