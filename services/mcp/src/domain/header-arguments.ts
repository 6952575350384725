import type { Json, JsonObject } from '@fairlead/connector-model/json';

/** An argument of a tool that clients repeat in an HTTP header. */
export interface HeaderArgument {
  /** Header name in lower case, without its prefix. */
  readonly header: string;
  /** Path of the argument. */
  readonly path: readonly string[];
}

/** The schema keyword that names the header. */
const KEYWORD = 'x-mcp-header';
/** Tokens of HTTP (RFC 9110, 5.6.2). */
const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;
const TYPES: readonly Json[] = ['string', 'number', 'integer', 'boolean'];
const MAX_DEPTH = 20;

/**
 * The arguments that clients repeat in headers, according to the listed schema. Empty if a declaration is malformed or duplicated: clients
 * then do not use the tool. Source: MCP 2026-07-28, "Custom Headers from Tool Parameters".
 */
export function headerArgumentsOf(schema: JsonObject): readonly HeaderArgument[] {
  const found: HeaderArgument[] = [];
  if (!collect(schema, [], found)) return [];
  return new Set(found.map(({ header }) => header)).size === found.length ? found : [];
}

/** Whether all declarations are well formed. */
function collect({ properties }: JsonObject, path: readonly string[], found: HeaderArgument[]): boolean {
  if (!isObject(properties) || path.length >= MAX_DEPTH) return true;
  return Object.entries(properties).every(([name, schema]) => {
    if (!isObject(schema)) return true;
    const header = schema[KEYWORD];
    const own = [...path, name];
    if (header === undefined) return collect(schema, own, found);
    if (typeof header !== 'string' || !TOKEN.test(header) || !TYPES.includes(schema['type'] ?? null))
      return false;
    found.push({ header: header.toLowerCase(), path: own });
    return true;
  });
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
