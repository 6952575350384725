import { CallFailure } from '../failure.ts';

/** Headers by lower-case name. */
export type Headers = Readonly<Record<string, string>>;

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** RFC 9110 field content: no control character, so no second header can be smuggled in. */
const FIELD_CONTENT = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;
/** They frame the message or the connection: the HTTP client's own business. */
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

/** The headers with one more; replaces one of the same name. Throws CallFailure for what may not be sent. */
export function withHeader(headers: Headers, name: string, value: string): Headers {
  const key = name.toLowerCase();
  if (!TOKEN.test(name)) throw new CallFailure(`"${name.slice(0, 100)}" is not a header name.`);
  if (RESERVED.has(key) || key.startsWith('proxy-'))
    throw new CallFailure(`The header ${key} cannot be set.`);
  if (!FIELD_CONTENT.test(value)) {
    throw new CallFailure(`The value of the header ${key} has characters that no header may have.`);
  }
  return { ...headers, [key]: value };
}
