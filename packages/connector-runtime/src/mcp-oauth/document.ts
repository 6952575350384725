import type { JsonObject } from '@fairlead/connector-model/model';
import type { Egress, EgressResponse } from '@fairlead/service-kit/egress/egress';
import { isLoopback } from '@fairlead/service-kit/http/form-target';
import type { Deadline } from '../deadline.ts';
import { CallFailure } from '../failure.ts';
import { decodeBody } from '../http/body.ts';
import { isObject } from '../templates.ts';

/** On whose behalf an MCP server and what it names are asked, and how long. */
export interface DiscoveryCall {
  readonly egress: Egress;
  readonly accountId: string;
  readonly deadline: Deadline;
}

/** The largest metadata document, or answer to a registration. */
const MAX_DOCUMENT_BYTES = 128 * 1024;
const MAX_URL_LENGTH = 2_048;

/** Sends one request of a discovery, within its deadline and the limit of a document. Throws EgressError. */
export function sendDiscovery(
  { egress, accountId, deadline }: DiscoveryCall,
  request: {
    readonly method: 'GET' | 'POST';
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    /** Only the status and the headers matter. */
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
 * Reads a JSON document. Undefined if there is none at the address (4xx, or something else than a JSON object). Throws
 * CallFailure if the other side fails, and EgressError.
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
 * An address that a document names, for people's browsers or for secrets: https, or http on this computer. Throws CallFailure,
 * beginning with `what`.
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

/** Refuses a text that would be a template, because it becomes part of one: it could name a secret. Throws CallFailure. */
export function refuseTemplate(value: unknown, what: string): void {
  if (typeof value === 'string' && value.includes('{{')) {
    throw new CallFailure(`${what} must not contain "{{".`);
  }
}

/** The texts of a list, which may be absent; other members are left out. */
export function textsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : undefined;
}
