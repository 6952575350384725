import { createHash } from 'node:crypto';
import { isJson, isText } from '@fairlead/service-kit/json/is-json';

/** A call to the inbound address of a trigger. */
export interface HookCall {
  /** SHA-256 of the address's token, in base64url. */
  readonly tokenHash: string;
  readonly method: string;
  /** Names and values alternately, in the order of the call. */
  readonly headers: readonly string[];
  /** Without the leading question mark. */
  readonly query: string;
  readonly body: Uint8Array;
  /** Identifies the call among calls to the same address; absent: it is distinct from all others. */
  readonly key?: string | undefined;
  /** W3C trace context of the call; absent or empty: not traced. */
  readonly traceparent?: string | undefined;
}

/** The firing that a call reports. */
export interface CallReport {
  /** JSON in UTF-8. */
  readonly payload: Uint8Array;
  readonly occurredAt: Date;
  readonly firingKey: string;
}

/** The outcome of a call. */
export type HookOutcome =
  /** `isNew` is false for a call whose key the trigger has already seen. */
  | { readonly kind: 'captured'; readonly eventId: string; readonly isNew: boolean }
  /** No enabled trigger has this token. */
  | { readonly kind: 'notFound' }
  /** The trigger's filter is not true for the call. */
  | { readonly kind: 'filtered' }
  /** The vendor's signature is missing or wrong. */
  | { readonly kind: 'unauthorized' }
  /** The call could not be captured just now. */
  | { readonly kind: 'unavailable' }
  /** Nothing was done: the call takes time, and only quick ones were to be captured. */
  | { readonly kind: 'takesTime' };

/** Headers with credentials of the caller, which are not part of events. */
const LEFT_OUT = new Set(['authorization', 'cookie', 'proxy-authorization']);

/** The key of a firing, equal for calls with the same key. Hashed, because a caller's key may be long or secret. */
export function hookFiringKey(key: string): string {
  return `call:${createHash('sha256').update(key).digest('base64url')}`;
}

/**
 * The payload of a call, as JSON in UTF-8. A JSON body is copied byte by byte, so that long numbers survive; other UTF-8 becomes a string,
 * an empty body null, other bytes `{base64}`. Source: row completion.triggers.27.
 */
export function hookPayload({
  method,
  headers,
  query,
  body,
}: Omit<HookCall, 'tokenHash' | 'key'>): Uint8Array {
  const head = JSON.stringify({ method, headers: shownHeaders(headers), query: shownQuery(query) });
  return Buffer.concat([Buffer.from(`${head.slice(0, -1)},"body":`), shownBody(body), Buffer.from('}')]);
}

/** The headers of a call one by one, names in lower case. */
export function* namedHeaders(
  headers: HookCall['headers'],
): Generator<readonly [name: string, value: string]> {
  for (let at = 0; at + 1 < headers.length; at += 2)
    yield [(headers[at] ?? '').toLowerCase(), headers[at + 1] ?? ''];
}

function shownHeaders(headers: HookCall['headers']): Record<string, string> {
  const parameters = new Map<string, string>();
  for (const [lower, value] of namedHeaders(headers)) {
    if (LEFT_OUT.has(lower)) continue;
    const before = parameters.get(lower);
    parameters.set(lower, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(parameters);
}

function shownQuery(query: string): Record<string, string | readonly string[]> {
  const headers = new Map<string, string | readonly string[]>();
  for (const [name, value] of new URLSearchParams(query)) {
    const before = headers.get(name);
    if (before === undefined) headers.set(name, value);
    else headers.set(name, typeof before === 'string' ? [before, value] : [...before, value]);
  }
  return Object.fromEntries(headers);
}

function shownBody(body: Uint8Array): Uint8Array {
  if (body.length === 0) return Buffer.from('null');
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  // Checked without decoding; a byte order mark is not valid JSON, so it stays.
  if (!isText(bytes)) return Buffer.from(JSON.stringify({ base64: bytes.toString('base64') }));
  return isJson(bytes) ? bytes : Buffer.from(JSON.stringify(bytes.toString()));
}
