import type { z } from 'zod';
import { toJsonSchema } from '../json-schema.ts';
import type { JsonSchema } from '../json-schema.ts';

/** Collects the schemas that have an id, once each, for `components`. */
export class SchemaCollector {
  readonly #schemas = new Map<string, JsonSchema>();

  /** `schema` as JSON Schema, with references to its shared parts. */
  add(schema: z.ZodType, o: { readonly isRequest?: boolean } = {}): JsonSchema {
    const { $defs = {}, ...document } = rebase(toJsonSchema(schema, o)) as JsonSchema & {
      readonly $defs?: Record<string, JsonSchema>;
    };
    for (const [id, { id: _repeated, ...definition }] of Object.entries($defs))
      this.#schemas.set(id, definition);
    return document;
  }

  /** All collected schemas, by id. */
  all(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

/** References to `$defs` become references to `components`. */
function rebase(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(rebase);
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => [
      key,
      key === '$ref' && typeof value === 'string'
        ? value.replace('#/$defs/', '#/components/schemas/')
        : rebase(value),
    ]),
  );
}
