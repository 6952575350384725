import { isJsonArray } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/model';
import { MASK } from '@fairlead/connector-runtime/secret-masking';
import { setMember } from './json.ts';
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
    return isJsonArray(part)
      ? part.map((item, index) => mask(reader.ofItem(schemas, index), item))
      : members(schemas, part);
  }

  function members(schemas: readonly JsonObject[], part: JsonObject): JsonObject {
    const masked = {};
    for (const [name, member] of Object.entries(part))
      setMember(masked, name, mask(reader.ofMember(schemas, name), member));
    return masked;
  }

  return { masked: members(reader.inPlace(schema), value), secrets };
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
