import type { WireType } from './json-schema.ts';
import { unknownName } from './unknown-names.ts';
import type { Finding } from './finding.ts';

/** `search=` means no search; any other empty parameter is an error. */
const MAY_BE_EMPTY = new Set(['search']);

const INTEGER = /^-?\d+$/;
const CANONICAL_INTEGER = /^(?:0|-?[1-9]\d*)$/;

/** The known parameters of a query, parsed by type, and findings about the way in which they were sent. */
export interface QueryParameters {
  readonly values: Readonly<Record<string, unknown>>;
  readonly findings: readonly Finding[];
}

/**
 * Parses the parameters in `types`. A repeated or empty parameter is a finding. An unknown one is a finding if
 * `refusesUnknown`, otherwise it is ignored. Text that is no integer or boolean where one is expected stays text,
 * which the schema then refuses.
 */
export function readQuery(
  search: URLSearchParams,
  types: ReadonlyMap<string, WireType>,
  o: { readonly refusesUnknown: boolean },
): QueryParameters {
  const values: Record<string, unknown> = {};
  const findings: Finding[] = [];
  for (const [name, type] of types) {
    const [text, ...more] = search.getAll(name);
    if (text === undefined) continue;
    const issue = queryIssue(name, text, more.length > 0);
    if (issue === undefined) values[name] = readText(text, type);
    else findings.push({ field: name, issue, isEnum: false });
  }
  const known = [...types.keys()];
  const unknown = o.refusesUnknown ? [...new Set(search.keys())].filter((name) => !types.has(name)) : [];
  findings.push(...unknown.map((name) => unknownName(name, { name, known })));
  return { values, findings };
}

function queryIssue(name: string, text: string, isRepeated: boolean): string | undefined {
  if (isRepeated) return 'must be given only once';
  if (text === '' && !MAY_BE_EMPTY.has(name)) return 'must not be empty';
  if (text.includes('\0')) return 'must not hold the character U+0000';
  return undefined;
}

/** Parses the parameters of a path by type. A record has only one address, so `01` is not the id 1. */
export function readParams(
  params: Readonly<Record<string, string | string[] | undefined>>,
  types: ReadonlyMap<string, WireType>,
): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const [name, type] of types) {
    const text = params[name];
    const isId = typeof text === 'string' && (type !== 'integer' || CANONICAL_INTEGER.test(text));
    values[name] = isId ? readText(text, type) : text;
  }
  return values;
}

function readText(text: string, type: WireType): unknown {
  // `|| 0` turns `-0` into a plain zero.
  if (type === 'integer') return INTEGER.test(text) ? Number(text) || 0 : text;
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** The query in a request's URL, without the question mark. */
export function queryString(url: string): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start + 1);
}
