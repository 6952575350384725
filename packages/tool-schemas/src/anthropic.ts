import { createHash } from 'node:crypto';
import { isJsonArray, isJsonObject, setMember } from '@fairlead/connector-model/json';
import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { objectOf } from './json.ts';
import { rootObject } from './root.ts';
import { definitionsOf, describe } from './shape.ts';

/** The member names that Anthropic accepts. */
const ACCEPTED_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;
const HASH_LENGTH = 8;
const MAX_NAME_LENGTH = 64;
/** Maximum depth of inputs in which changed names are restored; an execution's fields have fewer levels. */
const MAX_LEVELS = 40;

/** The schema in Anthropic's dialect: JSON Schema 2020-12 with an object without choices at the root, and with plain member names. */
export function anthropicSchema(schema: JsonObject): JsonObject {
  return renamed(rootObject(schema));
}

/** The inputs with the member names of the tool's own schema. */
export function restoreNames(schema: JsonObject, inputs: JsonObject): JsonObject {
  const definitions = definitionsOf(schema);
  const restore = (of: Json, value: Json, level: number): Json => {
    const { shape } = describe(of);
    if (level > MAX_LEVELS) return value;
    if (shape.kind === 'reference') return restore(definitions.get(shape.name) ?? true, value, level + 1);
    if (shape.kind === 'array' && isJsonArray(value))
      return value.map((item) => restore(shape.items, item, level + 1));
    if (shape.kind !== 'object' || !isJsonObject(value)) return value;
    const names = new Map([...shape.properties.keys()].map((name) => [acceptedName(name), name]));
    const restored: Record<string, Json> = {};
    for (const [keyword, member] of Object.entries(value)) {
      const name = names.get(keyword) ?? keyword;
      setMember(restored, name, restore(shape.properties.get(name)?.schema ?? true, member, level + 1));
    }
    return restored;
  };
  return objectOf(restore(rootObject(schema), inputs, 0)) ?? inputs;
}

function renamed(schema: JsonObject): JsonObject {
  const result: Record<string, Json> = {};
  for (const [keyword, value] of Object.entries(schema))
    setMember(result, keyword, renamedKeyword(keyword, value));
  return result;
}

function renamedKeyword(keyword: string, value: Json): Json {
  switch (keyword) {
    case 'properties':
      return renamedMembers(value, acceptedName);
    case '$defs':
    case 'definitions':
      return renamedMembers(value, (name) => name);
    case 'required':
      return isJsonArray(value)
        ? value.map((name) => (typeof name === 'string' ? acceptedName(name) : name))
        : value;
    case 'items':
    case 'additionalProperties':
    case 'not':
      return isJsonObject(value) ? renamed(value) : value;
    case 'allOf':
    case 'anyOf':
    case 'oneOf':
    case 'prefixItems':
      return isJsonArray(value) ? value.map((part) => (isJsonObject(part) ? renamed(part) : part)) : value;
    default:
      return value;
  }
}

function renamedMembers(members: Json, nameOf: (name: string) => string): Json {
  if (!isJsonObject(members)) return members;
  const result: Record<string, Json> = {};
  for (const [name, member] of Object.entries(members))
    setMember(result, nameOf(name), isJsonObject(member) ? renamed(member) : member);
  return result;
}

/** The name, or a name derived from it: unaccepted characters become `_`, and a hash is added to keep it unique. */
function acceptedName(name: string): string {
  if (ACCEPTED_NAME.test(name)) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH);
  const plain = name.replaceAll(/[^a-zA-Z0-9_.-]/g, '_').slice(0, MAX_NAME_LENGTH - HASH_LENGTH - 1);
  return `${plain}_${hash}`;
}
