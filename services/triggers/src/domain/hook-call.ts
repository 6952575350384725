import { createHash } from 'node:crypto';
import { isJson, isText } from '@fairlead/service-kit/json/is-json';

/** One call to the address of a trigger. */
export interface HookCall {
  /** SHA-256 of the address's token, in base64url. */
  readonly tokenHash: string;
  readonly method: string;
  /** Names and values in turn, in the order of the call. */
  readonly headers: readonly string[];
  /** Without the question mark. */
  readonly query: string;
  readonly body: Uint8Array;
  /** Identifies the call among those to the same address; absent: it is a call of its own. */
  readonly key?: string | undefined;
  /** Its W3C trace context; absent or empty: it is not traced. */
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
  /** `isNew` is false for a call whose key its trigger has had. */
  | { readonly kind: 'captured'; readonly eventId: string; readonly isNew: boolean }
  /** No enabled trigger has the token. */
  | { readonly kind: 'notFound' }
  /** The trigger's filter is not true for it. */
  | { readonly kind: 'filtered' }
  /** It does not have the signature of the vendor that it claims to be from. */
  | { readonly kind: 'unauthorized' }
  /** It could not be captured at the moment. */
  | { readonly kind: 'unavailable' }
  /** Nothing was done: it takes time, and only quick calls were to be captured. */
  | { readonly kind: 'takesTime' };

/** Credentials of the caller, which no event shows. */
const LEFT_OUT = new Set(['authorization', 'cookie', 'proxy-authorization']);

/** The key of a firing: the same for calls with the same key. A key may be long, and may be a secret. */
export function hookFiringKey(key: string): string {
  return `call:${createHash('sha256').update(key).digest('base64url')}`;
}

/**
 * The payload of a call, as JSON in UTF-8. A body that is JSON goes in byte by byte, so that numbers of any length survive;
 * other UTF-8 goes in as a string, no body as null, other bytes as `{base64}`. Source: row completion.triggers.27.
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

/** The headers of a call one by one, with their names in lower case. */
export function* namedHeaders(
  headers: HookCall['headers'],
): Generator<readonly [name: string, value: string]> {
  for (let at = 0; at + 1 < headers.length; at += 2)
    yield [(headers[at] ?? '').toLowerCase(), headers[at + 1] ?? ''];
}

function shownHeaders(headers: HookCall['headers']): Record<string, string> {
  const shown = new Map<string, string>();
  for (const [lower, value] of namedHeaders(headers)) {
    if (LEFT_OUT.has(lower)) continue;
    const before = shown.get(lower);
    shown.set(lower, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(shown);
}

function shownQuery(query: string): Record<string, string | readonly string[]> {
  const shown = new Map<string, string | readonly string[]>();
  for (const [name, value] of new URLSearchParams(query)) {
    const before = shown.get(name);
    if (before === undefined) shown.set(name, value);
    else shown.set(name, typeof before === 'string' ? [before, value] : [...before, value]);
  }
  return Object.fromEntries(shown);
}

function shownBody(body: Uint8Array): Uint8Array {
  if (body.length === 0) return Buffer.from('null');
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  // Nothing is decoded to find out; and a byte order mark is no part of JSON, so it stays.
  if (!isText(bytes)) return Buffer.from(JSON.stringify({ base64: bytes.toString('base64') }));
  return isJson(bytes) ? bytes : Buffer.from(JSON.stringify(bytes.toString()));
}
