import { isJsonArray, isJsonObject, setMember } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/model';
import { MASK } from '@fairlead/connector-runtime/secret-masking';
import { SchemaReader } from './json-schema.ts';

const MIN_REPEATED_LENGTH = 4;

/**
 * Masks the parts of a value that its schema flags as secret (`writeOnly: true` or `format: password`, at any depth).
 * `secrets` are the masked texts, so that they can also be masked where a vendor repeats them; very short ones are
 * omitted, because they would mask too much.
 */
export function maskSecretFields(
  schema: JsonObject,
  value: JsonObject,
): { readonly masked: JsonObject; readonly secrets: readonly string[] } {
  const reader = new SchemaReader(schema);
  const secrets: string[] = [];

  function mask(schemas: readonly JsonObject[], part: Json): Json {
    if (schemas.length === 0) return part;
    if (part !== null && schemas.some(isSecret)) {
      collectTexts(part, secrets);
      return MASK;
    }
    if (typeof part !== 'object' || part === null) return part;
    // A large value of any form is nearly always at a place where the schema ends.
    if (!schemas.some(describesParts)) return part;
    return isJsonArray(part) ? items(schemas, part) : members(schemas, part);
  }

  function items(schemas: readonly JsonObject[], part: readonly Json[]): Json {
    const isTuple = schemas.some(
      (schema) => isJsonArray(schema['prefixItems']) || isJsonArray(schema['items']),
    );
    if (isTuple) return part.map((item, index) => mask(reader.ofItem(schemas, index), item));
    const each = reader.ofItem(schemas, 0);
    return part.map((item) => mask(each, item));
  }

  function members(schemas: readonly JsonObject[], part: JsonObject): JsonObject {
    const masked = {};
    for (const [name, member] of Object.entries(part))
      setMember(masked, name, mask(reader.ofMember(schemas, name), member));
    return masked;
  }

  return { masked: members(reader.inPlace(schema), value), secrets };
}

const PART_KEYWORDS = [
  'properties',
  'patternProperties',
  'additionalProperties',
  'items',
  'prefixItems',
  'additionalItems',
] as const;

/** Whether the schema says anything about members or items of a value. */
function describesParts(schema: JsonObject): boolean {
  return PART_KEYWORDS.some((name) => isJsonObject(schema[name]) || isJsonArray(schema[name]));
}

function isSecret(schema: JsonObject): boolean {
  return schema['writeOnly'] === true || schema['format'] === 'password';
}

function collectTexts(part: Json, into: string[]): void {
  if (typeof part === 'string' || typeof part === 'number') {
    if (String(part).length >= MIN_REPEATED_LENGTH) into.push(String(part));
  }
  if (typeof part === 'object' && part !== null)
    for (const each of Object.values(part)) collectTexts(each, into);
}
