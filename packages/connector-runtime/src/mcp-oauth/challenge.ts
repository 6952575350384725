import { challengeParameter } from './challenge-parameter.ts';
import { sendDiscovery } from './document.ts';
import type { DiscoveryCall } from './document.ts';

/** An MCP server's challenge to a call without a credential. */
export interface Challenge {
  readonly isUnauthorized: boolean;
  /** URL of the resource metadata (RFC 9728 section 5.1); null: not stated. */
  readonly metadataUrl: string | null;
  /** Scopes that a call needs; undefined: not stated. */
  readonly scopes: readonly string[] | undefined;
}

/**
 * Two requests without a credential: the handshake, which is the first request in every protocol version, and another
 * request, because some servers accept a handshake from anyone.
 */
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
