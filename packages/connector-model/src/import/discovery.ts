import { isJsonArray, isJsonObject, objectOrEmpty } from '../json.ts';
import type { JsonObject } from '../json.ts';
import type { ApiDocument, ApiList, ApiOperation, ApiParameter } from './api-document.ts';
import { memberOf, viewOf } from './schema-view.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const SIZES = ['maxResults', 'pageSize'];
const DEFAULT_PAGE_SIZE = 100;

/** Parses a discovery document, Google's format of API descriptions (developers.google.com/discovery). */
export function readDiscovery(document: JsonObject): ApiDocument {
  const { rootUrl, servicePath } = document;
  const schemas = objectOrEmpty(document['schemas']);
  const methods = new Map([...methodsOf(document)].map((method) => [method['id'], method]));
  const resolve = (ref: string): JsonObject | undefined =>
    Object.hasOwn(schemas, ref) ? objectOrEmpty(schemas[ref]) : undefined;
  return {
    baseUrl:
      typeof rootUrl === 'string' && typeof servicePath === 'string'
        ? `${rootUrl}${servicePath}`.replace(/\/$/, '')
        : undefined,
    operation: (id) => {
      const method = methods.get(id);
      return method === undefined ? undefined : readMethod(method, resolve);
    },
    resolve,
    selection: 'fields' in objectOrEmpty(document['parameters']) ? 'fields' : undefined,
    omitsEmptyLists: true,
  };
}

function* methodsOf(node: JsonObject): Generator<JsonObject> {
  for (const method of Object.values(objectOrEmpty(node['methods']))) if (isJsonObject(method)) yield method;
  for (const resource of Object.values(objectOrEmpty(node['resources'])))
    if (isJsonObject(resource)) yield* methodsOf(resource);
}

function readMethod(method: JsonObject, resolve: ApiDocument['resolve']): ApiOperation {
  const path = pathOf(method);
  const parameters = Object.entries(objectOrEmpty(method['parameters'])).flatMap(([name, raw]) =>
    isJsonObject(raw) ? [parameterOf(name, raw)] : [],
  );
  const known = new Set(parameters.map(({ name }) => name));
  // The parts of a path in which one parameter covers several segments, as in `v1/{+name}`.
  const parts = [...path.matchAll(/\{([^{}]+)\}/g)].flatMap(([, name = '']): ApiParameter[] =>
    known.has(name) ? [] : [{ name, in: 'path', isRequired: true, schema: { type: 'string' } }],
  );
  const response = isJsonObject(method['response']) ? method['response'] : undefined;
  return {
    method: METHODS.find((name) => name === method['httpMethod']) ?? 'GET',
    path,
    parameters: [
      ...parameters.filter((each) => each.in !== 'path' || path.includes(`{${each.name}}`)),
      ...parts,
    ],
    body: isJsonObject(method['request']) ? { $ref: method['request']['$ref'] ?? '' } : undefined,
    bodyType: 'json',
    response,
    isDeprecated: method['deprecated'] === true,
    list: response === undefined ? undefined : listOf(response, parameters, resolve),
    scopes: isJsonArray(method['scopes'])
      ? method['scopes'].filter((scope) => typeof scope === 'string')
      : [],
  };
}

/** `{+name}` stands for a text with slashes, whose segments are in `flatPath`. */
function pathOf({ path, flatPath }: JsonObject): string {
  const text = typeof path === 'string' && !path.includes('{+') ? path : flatPath;
  return `/${typeof text === 'string' ? text : ''}`;
}

function parameterOf(name: string, raw: JsonObject): ApiParameter {
  const { location, required, repeated, ...schema } = raw;
  const { description, ...item } = schema;
  return {
    name,
    in: location === 'path' ? 'path' : 'query',
    isRequired: required === true,
    schema:
      repeated === true
        ? { type: 'array', items: item, ...(description === undefined ? {} : { description }) }
        : schema,
  };
}

/** A response with `nextPageToken` is a page of its only list. */
function listOf(
  response: JsonObject,
  parameters: readonly ApiParameter[],
  resolve: ApiDocument['resolve'],
): ApiList | undefined {
  const view = viewOf(response, resolve);
  if (view === undefined || memberOf(view, 'nextPageToken', resolve) === undefined) return undefined;
  const lists = Object.entries(objectOrEmpty(view.schema['properties'])).flatMap(([name, member]) =>
    isJsonObject(member) &&
    member['type'] === 'array' &&
    isJsonObject(member['items']) &&
    ('$ref' in member['items'] || member['items']['type'] === 'object')
      ? [name]
      : [],
  );
  const items = lists.find((name) => name === 'items') ?? (lists.length === 1 ? lists[0] : undefined);
  if (items === undefined || !parameters.some(({ name }) => name === 'pageToken')) return undefined;
  const size = parameters.find(({ name }) => SIZES.includes(name));
  const largest = Number(size?.schema['maximum'] ?? DEFAULT_PAGE_SIZE);
  return {
    items: `/${items}`,
    paging: {
      type: 'cursor',
      ...(size === undefined ? {} : { sizeQuery: size.name }),
      pageSize: Math.min(
        DEFAULT_PAGE_SIZE,
        Number.isInteger(largest) && largest > 0 ? largest : DEFAULT_PAGE_SIZE,
      ),
      cursorQuery: 'pageToken',
      nextCursorPointer: '/nextPageToken',
    },
    parameters: ['pageToken', ...(size === undefined ? [] : [size.name])],
  };
}
