import type { JsonObject } from '@fairlead/connector-model/json';
import type { Egress, EgressResponse } from '@fairlead/egress/egress';
import { isLoopback } from '@fairlead/service-kit/http/form-target';
import type { Deadline } from '../deadline.ts';
import { CallFailure } from '../failure.ts';
import { decodeBody } from '../http/body.ts';
import { isObject } from '../templates.ts';

/** The account that an MCP server and its authorization server are called for, and the deadline. */
export interface DiscoveryCall {
  readonly egress: Egress;
  readonly accountId: string;
  readonly deadline: Deadline;
}

/** Largest metadata document or registration response. */
const MAX_DOCUMENT_BYTES = 128 * 1024;
const MAX_URL_LENGTH = 2_048;

/** Sends one discovery request, with the discovery's deadline and size limit. Throws EgressError. */
export function sendDiscovery(
  { egress, accountId, deadline }: DiscoveryCall,
  request: {
    readonly method: 'GET' | 'POST';
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    /** Set if only the status and the headers are needed. */
    readonly isBodyIgnored?: true;
  },
): Promise<EgressResponse> {
  const { isBodyIgnored = false, ...sent } = request;
  return egress.request({
    ...sent,
    destination: accountId,
    signal: deadline.signal,
    timeoutMs: deadline.remainingMs(),
    maxResponseBytes: MAX_DOCUMENT_BYTES,
    responseBody: isBodyIgnored ? 'beginning' : 'whole',
  });
}

/**
 * Fetches a JSON object. Undefined if the URL has none (4xx, or a body that is not a JSON object). Throws
 * EgressError, and CallFailure if the server fails.
 */
export async function readDocument(call: DiscoveryCall, url: string): Promise<JsonObject | undefined> {
  const response = await sendDiscovery(call, { method: 'GET', url, headers: { accept: 'application/json' } });
  if (response.status >= 500) {
    throw new CallFailure(`${new URL(url).host} responded with HTTP status ${response.status}.`);
  }
  if (response.status !== 200) return undefined;
  const body = decodeBody(response);
  return isObject(body) ? body : undefined;
}

/**
 * Checks a URL in a document to which browsers or secrets are sent: it must be https, or http on this computer.
 * Throws a CallFailure whose message begins with `what`.
 */
export function secureUrl(value: unknown, what: string): URL {
  const url = typeof value === 'string' && value.length <= MAX_URL_LENGTH ? URL.parse(value) : null;
  if (url === null) throw new CallFailure(`${what} is not a URL.`);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url))) {
    throw new CallFailure(`${what} must be an https URL.`);
  }
  if (url.username !== '' || url.password !== '' || url.hash !== '') {
    throw new CallFailure(`${what} must not contain a user name, a password or a fragment.`);
  }
  refuseTemplate(value, what);
  return url;
}

/** Refuses a text with placeholders, because it becomes part of a template and could insert a secret. Throws CallFailure. */
export function refuseTemplate(value: unknown, what: string): void {
  if (typeof value === 'string' && value.includes('{{')) {
    throw new CallFailure(`${what} must not contain "{{".`);
  }
}

/** The strings of an optional list; other items are dropped. */
export function textsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : undefined;
}
