import { CallFailure } from '../failure.ts';

/** Headers by lower-case name. */
export type Headers = Readonly<Record<string, string>>;

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** RFC 9110 field content: no control characters, so that no second header can be injected. */
const FIELD_CONTENT = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;
/** Headers that frame the message or the connection; only the HTTP client sets them. */
const RESERVED = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Maximum number of headers of a request. */
export const MAX_HEADERS = 100;
/** Maximum bytes of a request's header names and values together. */
export const MAX_HEADER_BYTES = 32 * 1024;

/**
 * Adds headers, each replacing one of the same name. Linear in their size. Throws CallFailure for a header that must not
 * be sent, and above MAX_HEADERS or MAX_HEADER_BYTES.
 */
export function withHeaders(headers: Headers, added: Iterable<readonly [string, string]>): Headers {
  const all = new Map(Object.entries(headers));
  for (const [name, value] of added) {
    all.set(checkedName(name, value), value);
    if (all.size > MAX_HEADERS) throw new CallFailure(`A request has at most ${MAX_HEADERS} headers.`);
  }
  let bytes = 0;
  for (const [name, value] of all) bytes += name.length + value.length;
  if (bytes > MAX_HEADER_BYTES) {
    throw new CallFailure(`The headers of a request are at most ${MAX_HEADER_BYTES / 1024} KiB together.`);
  }
  return Object.fromEntries(all);
}

/** Adds one header, as withHeaders does. */
export function withHeader(headers: Headers, name: string, value: string): Headers {
  return withHeaders(headers, [[name, value]]);
}

/** The name in lower case. Throws CallFailure for a header that must not be sent. */
function checkedName(name: string, value: string): string {
  const key = name.toLowerCase();
  if (!TOKEN.test(name)) throw new CallFailure(`"${name.slice(0, 100)}" is not a header name.`);
  if (RESERVED.has(key) || key.startsWith('proxy-'))
    throw new CallFailure(`The header ${key} cannot be set.`);
  if (!FIELD_CONTENT.test(value)) {
    throw new CallFailure(`The value of the header ${key} contains characters that a header must not have.`);
  }
  return key;
}
