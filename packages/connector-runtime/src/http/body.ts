import type { Json } from '@fairlead/connector-model/json';
import { isText } from '@fairlead/service-kit/json/is-json';
import { isJsonText, jsonBytes, LazyJson, parsed } from '@fairlead/service-kit/json/lazy-json';
import type { LazyValue } from '@fairlead/service-kit/json/lazy-json';
import { CallFailure } from '../failure.ts';
import { parseVendorJson } from '../json-limits.ts';
import { textOf as valueText } from '../templates.ts';

/** The body of a response: its bytes, and the headers with the media type that the vendor states. */
interface ReceivedBody {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/**
 * Decodes a response body: JSON to its value, other UTF-8 text to a string, an empty body to null, other bytes to
 * `{base64}`. Throws CallFailure for JSON above the limits of parseVendorJson.
 */
export function decodeBody(response: ReceivedBody): Json {
  if (response.body.byteLength === 0) return null;
  const text = utf8(response.body);
  if (text === undefined) return { base64: Buffer.from(response.body).toString('base64') };
  if (!mayBeJson(response.headers['content-type'])) return text;
  const parsed = parseJson(text, response.body);
  return parsed === undefined ? text : parsed;
}

/**
 * Decodes like decodeBody, except that a body with a binary media type always becomes `{base64}`, even if its bytes
 * are valid text.
 */
export function decodeAnyBody(response: ReceivedBody): Json {
  return isBinaryBody(response.body, response.headers['content-type'])
    ? { base64: Buffer.from(response.body).toString('base64') }
    : decodeBody(response);
}

/** Whether decodeAnyBody returns `{base64}` for these bytes. */
export function isBinaryBody(body: Uint8Array, contentType: string | undefined): boolean {
  return body.byteLength > 0 && (isBinaryType(contentType) || !isText(body));
}

/** Images, audio, archives and so on, but not SVG, which is text. */
function isBinaryType(contentType: string | undefined): boolean {
  const mediaType = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return (
    (/^(?:image|audio|video|font)\//.test(mediaType) && !mediaType.endsWith('+xml')) ||
    /^application\/(?:pdf|zip|gzip|octet-stream|x-tar|vnd\.(?:ms-|openxmlformats-))/.test(mediaType)
  );
}

/** Largest error response that is parsed as JSON. */
const MAX_REFUSAL_BYTES = 128 * 1024;

/**
 * Decodes the body of an error response. JSON above the limits becomes null, and a large body a string with its
 * beginning: for an error, the status matters more than the text.
 */
export function decodeRefusal(response: ReceivedBody): Json {
  const { body } = response;
  if (body.byteLength > MAX_REFUSAL_BYTES)
    return Buffer.from(body.subarray(0, MAX_REFUSAL_BYTES)).toString().toWellFormed();
  try {
    return decodeBody(response);
  } catch (error) {
    if (error instanceof CallFailure) return null;
    throw error;
  }
}

/** Vendors often label JSON as text or not at all; hardly any label another format as JSON. */
function mayBeJson(contentType: string | undefined): boolean {
  const mediaType = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return (
    mediaType === '' || mediaType === 'text/plain' || mediaType === 'text/json' || /[/+]json$/.test(mediaType)
  );
}

/** Returns undefined if the text is not JSON, and null for the JSON text `null`. */
function parseJson(text: string, bytes: Uint8Array): Json | undefined {
  try {
    return parseVendorJson(text, 'The response', bytes);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The text of a body that decodeBody decoded as JSON; '' if the bytes are not text. */
export function textOf({ body }: Pick<ReceivedBody, 'body'>): string {
  return utf8(body) ?? '';
}

/** A decoder that keeps no state between texts. */
const UTF8 = new TextDecoder('utf-8', { fatal: true });

function utf8(bytes: Uint8Array): string | undefined {
  try {
    return UTF8.decode(bytes);
  } catch {
    return undefined;
  }
}

const BACKSLASH = 0x5c;

/** A request body, and its content type unless a header overrides it. */
export interface SentBody {
  readonly content: string | Uint8Array;
  readonly contentType: string;
}

/** Encodes a caller's value as a body: a string unchanged, any other value as JSON. Unparsed JSON is sent unchanged. */
export function encodeBody(value: LazyValue): SentBody {
  if (!isJsonText(value)) return { content: jsonBytes(value), contentType: 'application/json' };
  // The JSON string has no escapes, so its text is the part between the quotes.
  const isPlain = value instanceof LazyJson && !value.bytes.includes(BACKSLASH);
  const content = isPlain ? value.bytes.subarray(1, -1) : valueText(parsed(value));
  return { content, contentType: 'text/plain;charset=utf-8' };
}
