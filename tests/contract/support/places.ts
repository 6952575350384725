import { toJsonSchema } from '@fairlead/rest-kit/json-schema';
import type { JsonSchema } from '@fairlead/rest-kit/json-schema';
import type { Route } from '@fairlead/rest-kit/route';

/** A place in an operation's request that names a record. */
export interface Place {
  readonly route: Route;
  readonly where: 'path' | 'query' | 'body';
  /** Path of the value: `connectionId`, or in a body `connections[].connectionId`. */
  readonly path: string;
  /** Name of the record: the path's resource, otherwise the last member of `path`. */
  readonly name: string;
  /** Whether it is a list's query parameter, which filters and never refuses. */
  readonly isFilter: boolean;
}

/**
 * Endings of query parameters and body members that name records. A new one with such an ending joins the matrix automatically; every path
 * parameter does, whatever its name.
 */
const NAMES_A_RECORD = /(?:Id|Ids|Slug|Slugs|Token|State)$|^(?:id|slug|actor|state|authProvider|after)$/;

/** All places of a route that name a record. */
export function placesOf(route: Route): Place[] {
  const parameters = Object.keys(route.params.shape);
  const inPath = parameters.map((path, at): Place => ({
    route,
    where: 'path',
    path,
    name: at === parameters.length - 1 ? route.resource : path,
    isFilter: false,
  }));
  const inQuery = Object.keys(route.query.shape)
    .filter((name) => NAMES_A_RECORD.test(name))
    .map((name): Place => ({ route, where: 'query', path: name, name, isFilter: route.page !== undefined }));
  const inBody = (route.body === undefined ? [] : membersOf(schemaOf(route.body)))
    .filter((path) => NAMES_A_RECORD.test(lastMember(path)))
    .map((path): Place => ({ route, where: 'body', path, name: lastMember(path), isFilter: false }));
  return [...inPath, ...inQuery, ...inBody];
}

/** How a failure names a place: `PUT /v1/connections/{connectionId}, body oauthState`. */
export function nameOf({ route, where, path }: Place): string {
  return `${route.method.toUpperCase()} ${route.path}, ${where} ${path}`;
}

/** The smallest valid body of the route, with `value` at `path`. */
export function bodyWith(route: Route, path: string, value: unknown): unknown {
  if (route.body === undefined) return undefined;
  return sample(schemaOf(route.body), path === '' ? [] : path.split(/\.|(?=\[\])/), value);
}

/** Further members that an operation's smallest body needs before the record at `path` is looked up. */
export function surroundings(operationId: string, path: string): Readonly<Record<string, unknown>> {
  const method = { applicationSlug: 'sandbox-crm', authenticationId: 0 };
  if (operationId === 'getSignInUrl' || operationId === 'importConnection') return method;
  if (operationId === 'createTrigger') return { triggerTypeSlug: 'http_webhook' };
  if (operationId !== 'createConnection') return {};
  // Only client credentials use auth providers here.
  return path.startsWith('authProvider') ? { ...method, authenticationId: 2 } : method;
}

/** The query parameters that the route requires. */
export function requiredQuery(route: Route): Record<string, unknown> {
  const { properties = {}, required = [] } = schemaOf(route.query);
  return Object.fromEntries(required.map((name) => [name, sample(properties[name] ?? {}, [], undefined)]));
}

type Schema = Parameters<typeof toJsonSchema>[0];

/** The schema with references inlined; ours are not recursive. */
function schemaOf(schema: Schema): JsonSchema {
  const { $defs = {}, ...document } = toJsonSchema(schema);
  const inline = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(inline);
    if (typeof part !== 'object' || part === null) return part;
    const reference: unknown = Reflect.get(part, '$ref');
    if (typeof reference === 'string') return inline($defs[reference.slice('#/$defs/'.length)]);
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, inline(value)]));
  };
  // Inlining preserves the shape of the schema.
  return inline(document) as JsonSchema;
}

/** The first non-null value that a schema allows. */
function plain(schema: JsonSchema): JsonSchema {
  const choice = schema.anyOf?.find(({ type }) => type !== 'null');
  return choice === undefined ? schema : plain(choice);
}

function membersOf(schema: JsonSchema): string[] {
  const { properties = {}, items } = plain(schema);
  const ofObject = Object.entries(properties).flatMap(([name, member]) => [
    name,
    ...membersOf(member).map((path) => (path.startsWith('[]') ? `${name}${path}` : `${name}.${path}`)),
  ]);
  const ofArray = items === undefined ? [] : membersOf(items).map((path) => `[].${path}`);
  return [...ofObject, ...ofArray];
}

function lastMember(path: string): string {
  return path.split('.').at(-1)?.replaceAll('[]', '') ?? path;
}

function sample(given: JsonSchema, path: readonly string[], value: unknown): unknown {
  const schema = plain(given);
  const [first, ...rest] = path;
  if (first === '[]') return [sample(schema.items ?? {}, rest, value)];
  if (schema.type === 'object' || schema.properties !== undefined) {
    const names = new Set([...(schema.required ?? []), ...(first === undefined ? [] : [first])]);
    return Object.fromEntries(
      [...names].map((name) => {
        const member = schema.properties?.[name] ?? {};
        return [name, name === first ? sample(member, rest, value) : sample(member, [], undefined)];
      }),
    );
  }
  if (value !== undefined) return value;
  return scalar(schema);
}

function scalar(schema: JsonSchema): unknown {
  if (schema['const'] !== undefined) return schema['const'];
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.format === 'email') return 'nobody@tenancy.example';
  if (schema.format === 'date-time') return '2030-01-01T00:00:00Z';
  if (schema.format === 'uri') return 'https://tenancy.example/';
  if (schema.type === 'integer' || schema.type === 'number') return Math.max(1, schema.minimum ?? 1);
  if (schema.type === 'boolean') return false;
  if (schema.type === 'array') return [];
  return 'sample-of-some-length';
}
