import { isJsonArray, isJsonObject } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/model';

const SCHEMA_LISTS = ['allOf', 'anyOf', 'oneOf'] as const;
const SCHEMA_MEMBERS = ['if', 'then', 'else'] as const;
const SCHEMA_MAPS = ['dependentSchemas', 'dependencies'] as const;

/** The subschemas of a schema that apply to the members and the items of a value. */
interface PartSchemas {
  /** By the name of the member. */
  readonly properties: JsonObject;
  /** Every pattern counts as matching: patterns are not run, because they may be hostile. */
  readonly patterns: readonly Json[];
  /** For members that `properties` does not name. */
  readonly others: Json;
  /** By the index of the item. */
  readonly tuple: readonly Json[];
  /** For the items after those of `tuple`. */
  readonly rest: Json;
}

/**
 * Reads a JSON Schema without validating values: which subschemas apply to which part of a value. Malformed schemas are
 * read as far as possible, and the cost is linear in the schema, even for recursive ones.
 */
export class SchemaReader {
  readonly #root: JsonObject;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  /** The schemas that apply to the same value as `schema`: itself, its combinations and its references. */
  inPlace(schema: JsonObject): readonly JsonObject[] {
    const found = new Set([schema]);
    // A loop over a set comes to what is added meanwhile.
    for (const each of found) for (const next of this.combined(each)) found.add(next);
    return [...found];
  }

  /** The schemas that `schema` itself names for the same value: its combinations and its reference. */
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

/** The subschemas that a schema itself has for members and items. */
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
