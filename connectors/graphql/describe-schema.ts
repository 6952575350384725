import type { Json, JsonObject } from '@fairlead/connector-model/json';
import { HandlerError } from '@fairlead/connector-runtime/handler';
import type { Handler } from '@fairlead/connector-runtime/handler';
import { isArray, isObject, textOf } from '@fairlead/connector-runtime/templates';
import { sendOperation } from './send-operation.ts';

/** Maximum number of list and non-null wrappers of a type; no schema has more. */
const MAX_WRAPPERS = 7;

const TYPES = `query Types {
  __schema { queryType { name } mutationType { name } types { name kind description } }
}`;

const TYPE = `query Type($name: String!) {
  __type(name: $name) {
    name kind description
    fields { name description isDeprecated args { name description type { ...T } } type { ...T } }
    inputFields { name description type { ...T } }
    enumValues { name description }
    possibleTypes { name }
  }
}
fragment T on __Type { ${'name kind ofType { '.repeat(MAX_WRAPPERS)}name kind${' }'.repeat(MAX_WRAPPERS)} }`;

/** The types of the endpoint's schema, except those of introspection. */
export const listTypes: Handler = async (call) => {
  const schema = await read(call, { query: TYPES }, '__schema');
  const items = listOf(schema['types']).filter((type) => !textOf(type['name'] ?? '').startsWith('__'));
  return { items, queryType: nameOf(schema['queryType']), mutationType: nameOf(schema['mutationType']) };
};

/** One type with its fields and arguments; their types are in GraphQL notation. */
export const describeType: Handler = async (call) => {
  const name = textOf(parsedName(call.fields['name']));
  const type = await read(call, { query: TYPE, variables: { name } }, '__type');
  return {
    ...type,
    fields: listOf(type['fields']).map((field) => ({
      ...written(field),
      args: listOf(field['args']).map(written),
    })),
    inputFields: listOf(type['inputFields']).map(written),
    enumValues: listOf(type['enumValues']),
    possibleTypes: listOf(type['possibleTypes']).map((each) => each['name'] ?? null),
  };
};

async function read(
  call: Parameters<Handler>[0],
  operation: Parameters<typeof sendOperation>[1],
  member: string,
): Promise<JsonObject> {
  const { data } = await sendOperation(call, operation);
  const value = isObject(data) ? data[member] : undefined;
  if (!isObject(value))
    throw new HandlerError('The endpoint does not describe this: the type is not there, or it is not shown.');
  return value;
}

function parsedName(value: unknown): Json {
  return typeof value === 'string' ? value : '';
}

function listOf(value: Json | undefined): readonly JsonObject[] {
  return value !== undefined && isArray(value) ? value.filter(isObject) : [];
}

function nameOf(type: Json | undefined): Json {
  return isObject(type) ? (type['name'] ?? null) : null;
}

function written(member: JsonObject): JsonObject {
  return { ...member, type: typeText(member['type']) };
}

/** A type as GraphQL writes it, for example `[User!]!`. */
function typeText(type: Json | undefined): string {
  if (!isObject(type)) return '';
  switch (type['kind']) {
    case 'NON_NULL':
      return `${typeText(type['ofType'])}!`;
    case 'LIST':
      return `[${typeText(type['ofType'])}]`;
    default:
      return textOf(type['name'] ?? '');
  }
}
