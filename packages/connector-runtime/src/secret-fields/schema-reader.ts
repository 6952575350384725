import { isJsonArray, isJsonObject } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';

const SCHEMA_LISTS = ['allOf', 'anyOf', 'oneOf'] as const;
const SCHEMA_MEMBERS = ['if', 'then', 'else'] as const;
const SCHEMA_MAPS = ['dependentSchemas', 'dependencies'] as const;

/** The subschemas of a schema that apply to the members and the items of a value. */
interface PartSchemas {
  /** By member name. */
  readonly properties: JsonObject;
  /** From `patternProperties`. Every pattern counts as matching and is not run, because it may be hostile. */
  readonly patterns: readonly Json[];
  /** Applies to members that `properties` does not name. */
  readonly others: Json;
  /** By item index. */
  readonly tuple: readonly Json[];
  /** Applies to the items after the tuple. */
  readonly rest: Json;
}

/**
 * Reads from a JSON Schema which subschemas apply to which part of a value, without validating values. Malformed
 * schemas are read as far as possible. The cost is linear in the schema, even for recursive schemas.
 */
export class SchemaReader {
  readonly #root: JsonObject;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  /** All schemas that apply to the same value as `schema`: itself, and its combinations and references, recursively. */
  inPlace(schema: JsonObject): readonly JsonObject[] {
    const found = new Set([schema]);
    // The loop also visits elements that are added to the set meanwhile.
    for (const each of found) for (const next of this.combined(each)) found.add(next);
    return [...found];
  }

  /** The schemas for the same value that `schema` names directly: its combinations and its reference. */
  combined(schema: JsonObject): readonly JsonObject[] {
    return [
      ...SCHEMA_LISTS.flatMap((name) => listOf(schema[name])),
      ...SCHEMA_MEMBERS.map((name) => schema[name]),
      ...SCHEMA_MAPS.flatMap((name) => Object.values(membersOf(schema[name]))),
      this.#referredTo(schema['$ref']),
    ].filter(isJsonObject);
  }

  #referredTo(reference: Json | undefined): Json {
    if (typeof reference !== 'string' || !reference.startsWith('#')) return null;
    let at: Json | undefined = this.#root;
    for (const part of reference.split('/').slice(1)) {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
      if (isJsonObject(at)) at = Object.hasOwn(at, name) ? at[name] : null;
      else if (isJsonArray(at)) at = at[Number(name)];
      else return null;
    }
    return at ?? null;
  }
}

/** The subschemas for members and items that `schema` names directly. */
export function partSchemas(schema: JsonObject): PartSchemas {
  const { prefixItems, items, additionalItems } = schema;
  return {
    properties: membersOf(schema['properties']),
    patterns: Object.values(membersOf(schema['patternProperties'])),
    others: schema['additionalProperties'] ?? null,
    tuple: prefixItems !== undefined && isJsonArray(prefixItems) ? prefixItems : listOf(items),
    rest: (items !== undefined && isJsonArray(items) ? additionalItems : items) ?? null,
  };
}

function listOf(value: Json | undefined): readonly Json[] {
  return value !== undefined && isJsonArray(value) ? value : [];
}

function membersOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
