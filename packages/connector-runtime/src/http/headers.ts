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

/** Adds a header, replacing one of the same name. Throws CallFailure for a header that must not be sent. */
export function withHeader(headers: Headers, name: string, value: string): Headers {
  const key = name.toLowerCase();
  if (!TOKEN.test(name)) throw new CallFailure(`"${name.slice(0, 100)}" is not a header name.`);
  if (RESERVED.has(key) || key.startsWith('proxy-'))
    throw new CallFailure(`The header ${key} cannot be set.`);
  if (!FIELD_CONTENT.test(value)) {
    throw new CallFailure(`The value of the header ${key} contains characters that a header must not have.`);
  }
  return { ...headers, [key]: value };
}
