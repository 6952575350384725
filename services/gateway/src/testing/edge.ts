import { Writable } from 'node:stream';
import { ApiError } from '@fairlead/errors/api-error';
import { systemClock } from '@fairlead/service-kit/clock';
import { createLogger } from '@fairlead/service-kit/logger';
import { Secret } from '@fairlead/service-kit/secret';
import { testPeer } from '@fairlead/service-kit/testing/peer';
import { createEdge } from '../http/edge.ts';
import type { Page } from '../http/edge.ts';
import type { Route } from '../http/route.ts';
import { startHttpServer } from '../http/server.ts';
import { PERMISSIONS } from '../identity/domain/permissions.ts';
import type { Principal } from '../identity/domain/principal.ts';
import type { Authenticate } from '../identity/use-cases/authenticate.ts';
import { createServices } from '../services.ts';
import type { Services } from '../services.ts';

/** The key that test callers are signed with. */
export const TEST_CALLER_KEY = new Secret(Buffer.alloc(32, 7).toString('base64'));

/** The credential that a test edge accepts. */
export const GOOD_KEY = { 'x-api-key': 'good' };

/** The owner of an account with every permission. */
export const TEST_OWNER: Principal = {
  accountId: 'acc_test',
  accountName: 'Test',
  userId: 'usr_test',
  userName: 'Olga Owner',
  userEmail: 'olga@test.example',
  credentialType: 'apiKey',
  credentialId: 'key_test',
  roles: ['owner'],
  permissions: PERMISSIONS,
  scopes: [],
};

/** Clients of services that are all away. */
export function awayServices(): Services {
  // Port 1 (tcpmux) is never listened on, so the connection is refused at once.
  const url = 'http://127.0.0.1:1';
  const nobody = testPeer({ httpUrl: url, grpcUrl: url });
  return createServices({
    catalog: nobody,
    connections: nobody,
    tools: nobody,
    callerKey: TEST_CALLER_KEY,
    clock: systemClock,
    timeoutMs: 5000,
  });
}

/** A gateway's edge on a free port. */
export interface TestEdge {
  readonly url: string;
  /** Every log line so far. */
  readonly lines: readonly Record<string, unknown>[];
  close(): Promise<void>;
}

/** Starts the real edge on a real port with the given routes; whoever sends GOOD_KEY is `principal`. */
export async function startEdge(o: {
  readonly routes?: readonly Route[];
  readonly pages?: readonly Page[];
  readonly services?: Services;
  readonly principal?: Principal;
  readonly isStrict?: boolean;
  readonly timeoutMs?: number;
  readonly dataTimeoutMs?: number;
}): Promise<TestEdge> {
  const lines: Record<string, unknown>[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()) as Record<string, unknown>);
      done();
    },
  });
  const authenticate: Authenticate = (headers) =>
    headers['x-api-key'] === GOOD_KEY['x-api-key']
      ? Promise.resolve(o.principal ?? TEST_OWNER)
      : Promise.reject(new ApiError('UNAUTHORIZED', 'The API key is not valid.'));
  const edge = createEdge({
    routes: o.routes ?? [],
    pages: o.pages ?? [],
    services: o.services ?? awayServices(),
    authenticate,
    log: createLogger({ service: 'gateway', level: 'info', destination }),
    clock: systemClock,
    timeoutMs: o.timeoutMs ?? 5000,
    dataTimeoutMs: o.dataTimeoutMs ?? 5000,
    isStrict: o.isStrict ?? true,
  });
  const server = await startHttpServer({ host: '127.0.0.1', port: 0, handler: edge });
  return {
    url: server.url,
    lines,
    async close() {
      await server.drain(1000);
    },
  };
}

/** An answer as the tests look at it. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** Sends a request with GOOD_KEY, unless the headers say otherwise; a `json` body goes as JSON. */
export async function call(
  edge: { readonly url: string },
  method: string,
  path: string,
  o: {
    readonly json?: unknown;
    readonly body?: string | Uint8Array<ArrayBuffer>;
    readonly headers?: Record<string, string>;
  } = {},
): Promise<Answer> {
  const response = await fetch(edge.url + path, {
    method,
    redirect: 'manual',
    headers: {
      ...GOOD_KEY,
      ...(o.json !== undefined && { 'content-type': 'application/json' }),
      ...o.headers,
    },
    ...(o.json === undefined ? o.body !== undefined && { body: o.body } : { body: JSON.stringify(o.json) }),
  });
  const text = await response.text();
  const isJson = text !== '' && response.headers.get('content-type')?.startsWith('application/json') === true;
  return {
    status: response.status,
    headers: response.headers,
    // Null and absent bodies are told apart by their text.
    body: isJson ? { ...(JSON.parse(text) as object), text } : { text },
  };
}
