import { isJsonArray, isJsonObject } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/model';

const SCHEMA_LISTS = ['allOf', 'anyOf', 'oneOf'] as const;
const SCHEMA_MEMBERS = ['if', 'then', 'else'] as const;

/**
 * Reads a JSON Schema without validating values: which subschemas apply to which part of a value. Malformed schemas are
 * read as far as possible, and the cost is linear in the schema, even for recursive ones.
 */
export class SchemaReader {
  readonly #root: JsonObject;
  readonly #inPlace = new Map<JsonObject, readonly JsonObject[]>();

  constructor(root: JsonObject) {
    this.#root = root;
  }

  /** The schemas that apply to the same value as `schema`: itself, its combinations and its references. */
  inPlace(schema: JsonObject): readonly JsonObject[] {
    const known = this.#inPlace.get(schema);
    if (known) return known;
    const found = new Set<JsonObject>();
    const open: Json[] = [schema];
    while (open.length > 0) {
      const next = open.pop();
      if (!isJsonObject(next) || found.has(next)) continue;
      found.add(next);
      for (const name of SCHEMA_LISTS) {
        const list = next[name];
        if (isJsonArray(list)) open.push(...list);
      }
      for (const name of SCHEMA_MEMBERS) open.push(next[name] ?? null);
      for (const name of ['dependentSchemas', 'dependencies']) {
        const schemas = next[name];
        if (isJsonObject(schemas)) open.push(...Object.values(schemas));
      }
      open.push(this.#referredTo(next['$ref']));
    }
    const schemas = [...found];
    this.#inPlace.set(schema, schemas);
    return schemas;
  }

  /** The schemas that apply to member `name` of an object to which `schemas` apply. */
  ofMember(schemas: readonly JsonObject[], name: string): readonly JsonObject[] {
    return this.#expand(
      schemas.flatMap((schema) => {
        const properties = schema['properties'];
        const own = isJsonObject(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [];
        const patterns = schema['patternProperties'];
        // Every pattern counts as matching: patterns are not run, because they may be hostile.
        const byPattern = isJsonObject(patterns) ? Object.values(patterns) : [];
        return own.length > 0 ? [...own, ...byPattern] : [...byPattern, schema['additionalProperties']];
      }),
    );
  }

  /** The schemas that apply to item `index` of an array to which `schemas` apply. */
  ofItem(schemas: readonly JsonObject[], index: number): readonly JsonObject[] {
    return this.#expand(
      schemas.flatMap((schema) => {
        const { prefixItems, items, additionalItems } = schema;
        const tuple = isJsonArray(prefixItems) ? prefixItems : isJsonArray(items) ? items : [];
        if (index < tuple.length) return [tuple[index]];
        return [isJsonArray(items) ? additionalItems : items];
      }),
    );
  }

  #expand(schemas: readonly (Json | undefined)[]): readonly JsonObject[] {
    const found = new Set<JsonObject>();
    for (const schema of schemas) {
      if (isJsonObject(schema)) for (const each of this.inPlace(schema)) found.add(each);
    }
    return [...found];
  }

  #referredTo(reference: Json | undefined): Json {
    if (typeof reference !== 'string' || !reference.startsWith('#')) return null;
    let at: Json | undefined = this.#root;
    for (const part of reference.split('/').slice(1)) {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
      if (isJsonObject(at)) at = at[name];
      else if (isJsonArray(at)) at = at[Number(name)];
      else return null;
    }
    return at ?? null;
  }
}
