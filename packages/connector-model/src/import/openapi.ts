import { isJsonArray, isJsonObject, objectOrEmpty } from '../json.ts';
import type { Json, JsonObject } from '../json.ts';
import type { ApiDocument, ApiList, ApiOperation, ApiParameter } from './api-document.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const JSON_TYPE = /^application\/(?:[a-z0-9.+-]+\+)?json(?:;|$)/i;
/** Statuses of responses without a body. */
const EMPTY = ['204', '205', '304'];
const SIZES = ['per_page', 'page_size', 'pageSize', 'pagelen', 'limit', 'count', 'maxResults', 'max_results'];
const OFFSETS = ['offset', 'startAt', 'skip'];
const DEFAULT_PAGE_SIZE = 100;

/** Parses an OpenAPI 3.0 or 3.1 document, or a Swagger 2.0 document. */
export function readOpenApi(document: JsonObject): ApiDocument {
  const resolve = (ref: string): JsonObject | undefined => {
    const found = at(document, ref);
    return isJsonObject(found) ? found : undefined;
  };
  const operations = new Map<string, ApiOperation>();
  const operation = (id: string): ApiOperation | undefined => {
    const found = operations.get(id) ?? findOperation(document, id, resolve);
    if (found !== undefined) operations.set(id, found);
    return found;
  };
  return { baseUrl: baseUrlOf(document), operation, resolve, selection: undefined };
}

/** The value at a reference within the document (RFC 6901, percent-encoded). */
function at(document: JsonObject, ref: string): Json | undefined {
  if (!ref.startsWith('#/')) return undefined;
  let value: Json | undefined = document;
  for (const step of ref.slice(2).split('/')) {
    const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (isJsonArray(value)) value = value[Number(name)];
    else value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}

/** The first server's address; undefined if it is relative or contains variables. */
function baseUrlOf({ servers, schemes, host, basePath }: JsonObject): string | undefined {
  if (typeof host === 'string') {
    const scheme = isJsonArray(schemes) && !schemes.includes('https') ? 'http' : 'https';
    return `${scheme}://${host}${typeof basePath === 'string' ? basePath : ''}`.replace(/\/$/, '');
  }
  const [server] = isJsonArray(servers) ? servers.filter(isJsonObject) : [];
  const url = server?.['url'];
  return typeof url === 'string' && url.startsWith('http') && !url.includes('{')
    ? url.replace(/\/$/, '')
    : undefined;
}

/** Operations by `operationId`, or by method and path: `GET /repos/{owner}/{repo}`. */
function findOperation(
  document: JsonObject,
  id: string,
  resolve: ApiDocument['resolve'],
): ApiOperation | undefined {
  const [, wantedMethod, wantedPath] = /^([A-Z]+) (\/.*)$/.exec(id) ?? [];
  const paths = objectOrEmpty(document['paths']);
  // Parsed on demand, because a document may have many thousands of paths.
  const named = wantedPath !== undefined && Object.hasOwn(paths, wantedPath) ? [wantedPath] : [];
  for (const path of wantedPath === undefined ? Object.keys(paths) : named) {
    const item = paths[path];
    if (!isJsonObject(item)) continue;
    for (const method of METHODS) {
      const raw = item[method.toLowerCase()];
      if (!isJsonObject(raw)) continue;
      if (wantedMethod === undefined ? raw['operationId'] === id : method === wantedMethod)
        return readOperation({ method, path, raw, common: item['parameters'], document, resolve });
    }
  }
  return undefined;
}

function readOperation(o: {
  readonly method: ApiOperation['method'];
  readonly path: string;
  readonly raw: JsonObject;
  readonly common: Json | undefined;
  readonly document: JsonObject;
  readonly resolve: ApiDocument['resolve'];
}): ApiOperation {
  const follow = (value: Json | undefined): JsonObject | undefined => {
    if (!isJsonObject(value)) return undefined;
    const { $ref: ref } = value;
    return typeof ref === 'string' ? o.resolve(ref) : value;
  };
  const operations = new Map<string, JsonObject>();
  for (const list of [o.common, o.raw['parameters']])
    for (const each of isJsonArray(list) ? list : []) {
      const parameter = follow(each);
      // An operation's parameter replaces the path item's parameter of the same name.
      if (parameter !== undefined)
        operations.set(JSON.stringify([parameter['in'], parameter['name']]), parameter);
    }
  const parameters = [...operations.values()].flatMap(parameterOf);
  const response = responseOf(objectOrEmpty(o.raw['responses']), follow);
  const isList = response !== undefined && schemaType(response, o.resolve) === 'array';
  return {
    method: o.method,
    path: o.path,
    parameters,
    ...bodyOf(o.raw, [...operations.values()], follow),
    response,
    isDeprecated: o.raw['deprecated'] === true,
    list: listOf(parameters, isList ? '' : undefined),
    scopes: scopesOf(o.raw['security'] ?? o.document['security']),
  };
}

function parameterOf(raw: JsonObject): readonly ApiParameter[] {
  const { name, in: place, required, schema, content, description } = raw;
  if (typeof name !== 'string' || (place !== 'path' && place !== 'query' && place !== 'header')) return [];
  const [media] = Object.values(objectOrEmpty(content)).filter(isJsonObject);
  // In Swagger, the schema's keywords are members of the parameter.
  const own = isJsonObject(schema) ? schema : isJsonObject(media?.['schema']) ? media['schema'] : raw;
  const { required: _required, in: _in, ...keywords } = own === raw ? raw : { ...own };
  const text = typeof description === 'string' && own !== raw ? { description } : {};
  const isSplit = raw['collectionFormat'] === 'multi' || (own !== raw && raw['explode'] !== false);
  return [
    {
      name,
      in: place,
      isRequired: required === true || place === 'path',
      schema: own === raw ? keywords : { ...own, ...text },
      ...(place === 'query' ? { style: styleOf(raw, own, isSplit) } : {}),
    },
  ];
}

/** The query style of a parameter that is a list or an object. */
function styleOf(raw: JsonObject, own: JsonObject, isSplit: boolean): NonNullable<ApiParameter['style']> {
  if (raw['style'] === 'deepObject') return 'brackets';
  const isList = own['type'] === 'array' || 'items' in own;
  return isList && !isSplit ? 'comma' : 'repeat';
}

/** OpenAPI's request body, or Swagger's body parameter. */
function bodyOf(
  raw: JsonObject,
  parameters: readonly JsonObject[],
  follow: (value: Json | undefined) => JsonObject | undefined,
): Pick<ApiOperation, 'body' | 'bodyType' | 'hasBrackets'> {
  const content = objectOrEmpty(follow(raw['requestBody'])?.['content']);
  const types = Object.keys(content);
  const type = types.find((name) => JSON_TYPE.test(name)) ?? types[0];
  if (type !== undefined) {
    const media = content[type];
    const schema = isJsonObject(media) && isJsonObject(media['schema']) ? media['schema'] : {};
    const encodings = Object.values(objectOrEmpty(isJsonObject(media) ? media['encoding'] : undefined));
    return {
      body: schema,
      bodyType: JSON_TYPE.test(type) ? 'json' : (type.split(';', 1)[0] ?? type),
      hasBrackets: encodings.some((each) => isJsonObject(each) && each['style'] === 'deepObject'),
    };
  }
  const whole = parameters.find((parameter) => parameter['in'] === 'body');
  if (whole !== undefined) return { body: objectOrEmpty(whole['schema']), bodyType: 'json' };
  const fields = parameters.filter((parameter) => parameter['in'] === 'formData');
  if (fields.length === 0) return { body: undefined, bodyType: 'json' };
  const hasFile = fields.some((field) => field['type'] === 'file');
  const properties = Object.fromEntries(
    fields.map(({ name, in: _in, required: _required, ...schema }) => [textOf(name), schema]),
  );
  const required = fields.filter((field) => field['required'] === true).map(({ name }) => textOf(name));
  return {
    body: { type: 'object', properties, required },
    bodyType: hasFile ? 'multipart/form-data' : 'application/x-www-form-urlencoded',
  };
}

/** The schema of the first success response: an empty schema if its body is not described; undefined if it has no body. */
function responseOf(
  responses: JsonObject,
  follow: (value: Json | undefined) => JsonObject | undefined,
): JsonObject | undefined {
  const codes = Object.keys(responses)
    .filter((code) => code.startsWith('2'))
    .toSorted();
  if (codes.length > 0 && codes.every((code) => EMPTY.includes(code))) return undefined;
  for (const code of codes.length === 0 ? ['default'] : codes) {
    const response = follow(responses[code]) ?? {};
    if (isJsonObject(response['schema'])) return response['schema'];
    const content = objectOrEmpty(response['content']);
    const type = Object.keys(content).find((name) => JSON_TYPE.test(name) || name === '*/*');
    const media = type === undefined ? undefined : content[type];
    if (isJsonObject(media) && isJsonObject(media['schema'])) return media['schema'];
  }
  return {};
}

/** The string, or '' for any other value. */
function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Detects paging by page number or offset from the parameters; other pagings need curation. */
function listOf(parameters: readonly ApiParameter[], items: string | undefined): ApiList {
  const queries = parameters.filter((parameter) => parameter.in === 'query');
  const size = queries.find(({ name }) => SIZES.includes(name));
  const page = queries.find(({ name }) => name === 'page');
  const offset = queries.find(({ name }) => OFFSETS.includes(name));
  if (size === undefined || (page ?? offset) === undefined)
    return { items, paging: undefined, parameters: [] };
  const { maximum } = size.schema;
  const pageSize =
    typeof maximum === 'number' && maximum > 0 ? Math.min(maximum, DEFAULT_PAGE_SIZE) : DEFAULT_PAGE_SIZE;
  if (page !== undefined)
    return {
      items,
      paging: { type: 'page', sizeQuery: size.name, pageQuery: page.name, pageSize },
      parameters: [size.name, page.name],
    };
  return {
    items,
    paging: { type: 'offset', topQuery: size.name, offsetQuery: offset?.name ?? '', maxTop: pageSize },
    parameters: [size.name, offset?.name ?? ''],
  };
}

/** The scopes of the security alternatives, one of which suffices. */
function scopesOf(security: Json | undefined): readonly string[] {
  const alternatives = isJsonArray(security) ? security.filter(isJsonObject) : [];
  return alternatives.flatMap((alternative) =>
    Object.values(alternative).flatMap((scopes) =>
      isJsonArray(scopes) ? scopes.filter((scope) => typeof scope === 'string') : [],
    ),
  );
}

function schemaType(schema: JsonObject, resolve: ApiDocument['resolve'], steps = 0): Json | undefined {
  const { $ref: ref } = schema;
  if (typeof ref !== 'string' || steps > 10) return schema['type'];
  const target = resolve(ref);
  return target === undefined ? undefined : schemaType(target, resolve, steps + 1);
}
