import type { Json } from '@fairlead/connector-model/json';
import { CallFailure } from './failure.ts';
import { missingValue, renderText, substitute, textOf } from './templates.ts';
import type { TemplateValues } from './templates.ts';

const ABSOLUTE = /^(https?:\/\/[^/?#]*)(.*)$/is;
const LEADING_PLACEHOLDER = /^(\{\{[^{}]+\}\})(.*)$/s;
const HOST_PART = /^[A-Za-z0-9.-]+(:\d{1,5})?$/;

/**
 * Renders a URL template, which is absolute, a path below `base`, or starts with a placeholder for a whole URL.
 * Values in the host must be host names. Values in path and query are percent-encoded. Values in the path must not be
 * empty, and cannot form dot segments (`.`, `..`). Throws CallFailure that names the invalid value.
 */
export function renderUrl(template: string, values: TemplateValues, base?: string): URL {
  const leading = LEADING_PLACEHOLDER.exec(template);
  if (leading !== null) {
    const prefix = renderText(leading[1] ?? '', values);
    if (prefix === undefined) throw missingValue(template);
    return join(checkBase(prefix), renderPath(leading[2] ?? '', values));
  }
  const absolute = ABSOLUTE.exec(template);
  if (absolute !== null) {
    const origin = substitute(absolute[1] ?? '', values, hostPart);
    if (origin === undefined) throw missingValue(template);
    return join(origin, renderPath(absolute[2] ?? '', values));
  }
  if (base === undefined) throw new CallFailure('The connector has no base address for this request.');
  return join(checkBase(base), renderPath(template, values));
}

/** Whether a URL template is absolute rather than a path below a base address. */
export function isWholeAddress(template: string): boolean {
  return LEADING_PLACEHOLDER.test(template) || ABSOLUTE.test(template);
}

/** A base address without trailing slashes. It must be http(s), without user, query and fragment. */
function checkBase(text: string): string {
  const url = URL.parse(text.trim());
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new CallFailure('The base address must be an http or https URL.');
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new CallFailure('The base address must not contain a user name, a query or a fragment.');
  }
  let { length } = url.href;
  while (url.href[length - 1] === '/') length -= 1;
  return url.href.slice(0, length);
}

function join(base: string, path: string): URL {
  const separator = path === '' || path.startsWith('/') || path.startsWith('?') ? '' : '/';
  const url = URL.parse(base + separator + path);
  if (url === null) throw new CallFailure('The request address is not a valid URL.');
  // Setting the path makes the URL parse again.
  if (url.href.includes('#')) url.hash = '';
  return url;
}

function renderPath(template: string, values: TemplateValues): string {
  const queryStart = template.indexOf('?');
  const path = queryStart < 0 ? template : template.slice(0, queryStart);
  const query = queryStart < 0 ? '' : template.slice(queryStart);
  const renderedPath = substitute(path, values, pathPart);
  const renderedQuery = substitute(query, values, (value) => encode(textOf(value)));
  if (renderedPath === undefined || renderedQuery === undefined) throw missingValue(template);
  for (const segment of renderedPath.split('/')) {
    if (isDotSegment(segment)) throw new CallFailure('A value in the URL path must not be "." or "..".');
  }
  return renderedPath + renderedQuery;
}

/** URL parsers treat `%2e` as a dot too. */
function isDotSegment(segment: string): boolean {
  const plain = segment.replaceAll(/%2e/gi, '.');
  return plain === '.' || plain === '..';
}

function hostPart(value: Json, name: string): string {
  const text = textOf(value);
  if (!HOST_PART.test(text)) throw new CallFailure(`${name} must be a host name.`);
  return text;
}

function pathPart(value: Json, name: string): string {
  const text = textOf(value);
  // An empty segment would turn a request for one record into a request for all of them.
  if (text === '') throw new CallFailure(`${name} must not be empty.`);
  return encode(text);
}

function encode(text: string): string {
  // toWellFormed: a lone surrogate makes encodeURIComponent throw.
  return encodeURIComponent(text.toWellFormed());
}
