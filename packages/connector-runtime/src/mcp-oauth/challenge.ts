import { challengeParameter } from './challenge-parameter.ts';
import { sendDiscovery } from './document.ts';
import type { DiscoveryCall } from './document.ts';

/** The answer of an MCP server to a call without a credential. */
export interface Challenge {
  readonly isUnauthorized: boolean;
  /** Where its metadata is (RFC 9728 section 5.1); null: it does not say. */
  readonly metadataUrl: string | null;
  /** The scopes that a call needs; undefined: it does not say. */
  readonly scopes: readonly string[] | undefined;
}

/** The request that a client of every protocol version begins with, and one that servers refuse which admit a handshake from anyone. */
const REQUESTS = [
  {
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'fairlead', title: 'Fairlead', version: '0.1.0' },
    },
  },
  { method: 'tools/list' },
].map((request) => JSON.stringify({ jsonrpc: '2.0', id: 0, ...request }));

/** Calls an MCP server without a credential. Throws EgressError. */
export async function readChallenge(call: DiscoveryCall, serverUrl: URL): Promise<Challenge> {
  let challenge: Challenge = { isUnauthorized: false, metadataUrl: null, scopes: undefined };
  for (const body of REQUESTS) {
    challenge = await challengeOf(call, serverUrl, body);
    if (challenge.isUnauthorized) break;
  }
  return challenge;
}

async function challengeOf(call: DiscoveryCall, serverUrl: URL, body: string): Promise<Challenge> {
  const response = await sendDiscovery(call, {
    method: 'POST',
    url: serverUrl.href,
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
    body,
    isBodyIgnored: true,
  });
  const isUnauthorized = response.status === 401;
  const header = isUnauthorized ? (response.headers['www-authenticate'] ?? '') : '';
  return {
    isUnauthorized,
    metadataUrl: challengeParameter(header, 'resource_metadata') ?? null,
    scopes: challengeParameter(header, 'scope')?.split(' '),
  };
}
