import { isJsonArray } from './json.ts';
import type { Json, JsonObject } from './json.ts';

/** Maximum objects in a schema; compiling takes about 0.1 ms each. */
const MAX_SUBSCHEMAS = 2_000;
const MAX_UNION_MEMBERS = 500;
const MAX_LEVELS = 64;

/**
 * The number of objects in a schema, which is at least that of its subschemas. Throws an Error that names the limit
 * if there are too many, if a union has too many members, or if the schema is too deep.
 */
export function schemaSize(schema: JsonObject): number {
  let count = 0;
  const visit = (part: Json, levels: number): void => {
    if (typeof part !== 'object' || part === null) return;
    if (levels > MAX_LEVELS) throw new Error(`The schema nests deeper than ${MAX_LEVELS} levels.`);
    if (!isJsonArray(part)) {
      count += 1;
      if (count > MAX_SUBSCHEMAS) throw new Error(`The schema has more than ${MAX_SUBSCHEMAS} subschemas.`);
    }
    for (const [name, member] of Object.entries(part)) {
      const isUnion = (name === 'anyOf' || name === 'oneOf') && isJsonArray(member);
      if (isUnion && member.length > MAX_UNION_MEMBERS) {
        throw new Error(`The schema has a union of more than ${MAX_UNION_MEMBERS} members.`);
      }
      visit(member, levels + 1);
    }
  };
  visit(schema, 0);
  return count;
}
