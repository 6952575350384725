import { Writable } from 'node:stream';
import { ApiError } from '@fairlead/errors/api-error';
import { systemClock } from '@fairlead/service-kit/clock';
import type { Mount, Page } from '@fairlead/service-kit/http/app';
import { startHttpServer } from '@fairlead/service-kit/http/server';
import { parseKeyRing } from '@fairlead/service-kit/key-ring';
import { createAccountCpu } from '@fairlead/service-kit/telemetry/account-cpu';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { callHttp } from '@fairlead/service-kit/testing/http';
import type { Answer, Call } from '@fairlead/service-kit/testing/http';
import { createRpcPeer } from '@fairlead/service-kit/rpc/peer';
import type { AuditLog } from '../audit/audit-log.ts';
import type { AuditEvent } from '../audit/domain/event.ts';
import { createEdge } from '../http/edge.ts';
import type { EdgeOptions } from '../http/edge.ts';
import { createInProgress, IN_PROGRESS_LIMITS } from '../http/in-progress.ts';
import type { InProgressLimits } from '../http/in-progress.ts';
import { createLargeBodies } from '../http/large-bodies.ts';
import type { ByteRelay } from '../http/operation.ts';
import type { Route } from '../http/route.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { DEFAULT_BUDGETS } from '@fairlead/access/budgets';
import { PERMISSIONS } from '@fairlead/access/permissions';
import type { Principal } from '../authentication/principal.ts';
import type { Authenticate } from '../authentication/authenticate.ts';
import type { Limits } from '../limits/limits.ts';
import { createRemoteServices } from '../services.ts';
import type { OwnServices, RemoteServices, Services } from '../services.ts';
import { memoryIdempotency } from './memory-idempotency.ts';

/** The key that test callers are signed with. */
export const TEST_CALLER_KEYS = parseKeyRing(`v1:${Buffer.alloc(32, 7).toString('base64')}`);

/** The credential that a test edge accepts. */
export const GOOD_KEY = { 'x-api-key': 'good' };

/** The header that a test edge takes for the operator's key. */
export const OPERATOR_KEY = { 'x-api-key': 'operator' };

/** The public base address of a test edge. */
export const TEST_PUBLIC_URL = 'https://api.test.example';

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
  isAdministrationGranted: true,
  budgets: DEFAULT_BUDGETS,
  defaultLicence: 'active',
  maxConnectionsPerEndUser: 20,
};

/** Budgets that never end. */
export function unlimited(): Limits {
  const verdict = {
    isAllowed: true,
    retryAfterSeconds: 0,
    rateLimit: '"burst";r=50;t=1, "hourly";r=20000;t=3600',
    policy: '"burst";q=50;w=1, "hourly";q=20000;w=3600',
  };
  return {
    admit: () => verdict,
    peek: () => verdict,
    admitHook: () => true,
    takeTriggerTest: () => Promise.resolve({ isAllowed: true }),
    close: () => Promise.resolve(),
  };
}

const NO_RELAY: ByteRelay = {
  upload: () => Promise.reject(new Error('There is no service for bytes.')),
  download: () => Promise.reject(new Error('There is no service for bytes.')),
};

/** An audit log that keeps its entries in memory. */
export function collectAudit(): AuditLog & { readonly events: readonly AuditEvent[] } {
  const events: AuditEvent[] = [];
  return {
    events,
    record(event) {
      events.push(event);
      return Promise.resolve();
    },
  };
}

/**
 * `remote` with the gateway's own use cases. Using one that the test does not provide fails the test with the use
 * case's name.
 */
export function testServices(remote: RemoteServices, own: Partial<OwnServices> = {}): Services {
  return {
    ...remote,
    auditTrail: own.auditTrail ?? absent('auditTrail'),
    usage: own.usage ?? absent('usage'),
    limits: own.limits ?? absent('limits'),
    accounts: own.accounts ?? absent('accounts'),
  };
}

/** Fails a test that calls a service it does not provide. */
function absent<K extends keyof OwnServices>(name: K): OwnServices[K] {
  const nothing = new Proxy(
    {},
    {
      get() {
        throw new Error(`This test brings no \`${name}\`.`);
      },
    },
  );
  // Reading any property throws.
  return nothing as OwnServices[K];
}

/** Clients of services that are all unreachable, with the given use cases of the gateway's own. */
export function awayServices(own: Partial<OwnServices> = {}): Services {
  // Port 1 (tcpmux) is never listened on, so the connection is refused at once.
  const addresses = ['http://127.0.0.1:1'];
  // One transport suffices, because no server listens.
  const nobody = createRpcPeer({ service: 'nobody', addresses, transport: 'connect-fast' });
  const remote = createRemoteServices({
    identity: nobody,
    catalog: nobody,
    connections: nobody,
    tools: nobody,
    delivery: nobody,
    triggers: nobody,
    callerKeys: TEST_CALLER_KEYS,
    clock: systemClock,
    timeoutMs: 5000,
    dataTimeoutMs: 5000,
  });
  return testServices(remote, own);
}

/** A gateway's edge on a free port. */
export interface TestEdge {
  readonly url: string;
  /** Every log line so far. */
  readonly lines: readonly Record<string, unknown>[];
  /** Every entry of the audit log so far, unless the edge was given a log of its own. */
  readonly audited: readonly AuditEvent[];
  /** The accounts that calls were counted for, one entry per call. */
  readonly counted: readonly string[];
  close(): Promise<void>;
}

/**
 * Starts the real edge on a real port with the given routes. GOOD_KEY authenticates `principal`, OPERATOR_KEY the
 * operator. By default budgets never end, audit entries and responses of idempotency keys are kept in memory, and every
 * service is unreachable.
 */
export async function startEdge(o: {
  readonly routes?: readonly Route<Services>[];
  readonly pages?: readonly Page[];
  readonly mounts?: readonly Mount[];
  readonly services?: Services;
  readonly principal?: Principal;
  readonly authenticate?: Authenticate;
  readonly isOperator?: EdgeOptions<Services>['isOperator'];
  readonly limits?: Limits;
  readonly idempotency?: Idempotency;
  readonly audit?: AuditLog;
  readonly inProgress?: InProgressLimits;
  readonly isStrict?: boolean;
  readonly timeoutMs?: number;
  readonly dataTimeoutMs?: number;
  readonly relay?: ByteRelay;
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
  const log = createLogger({ service: 'gateway', level: 'info', destination });
  const counted: string[] = [];
  const audit = collectAudit();
  const largeBodies = createLargeBodies();
  const accountCpu = createAccountCpu({ log });
  const edge = createEdge({
    routes: o.routes ?? [],
    pages: o.pages ?? [],
    mounts: o.mounts ?? [],
    services: o.services ?? awayServices(),
    authenticate: o.authenticate ?? authenticate,
    isOperator: o.isOperator ?? ((headers) => headers['x-api-key'] === OPERATOR_KEY['x-api-key']),
    limits: o.limits ?? unlimited(),
    countCall: (accountId) => void counted.push(accountId),
    idempotency: o.idempotency ?? memoryIdempotency(log),
    audit: o.audit ?? audit,
    largeBodies,
    relay: o.relay ?? NO_RELAY,
    accountCpu,
    inProgress: createInProgress(o.inProgress ?? IN_PROGRESS_LIMITS),
    publicUrl: TEST_PUBLIC_URL,
    log,
    clock: systemClock,
    timeoutMs: o.timeoutMs ?? 5000,
    dataTimeoutMs: o.dataTimeoutMs ?? 5000,
    isStrict: o.isStrict ?? true,
  });
  const server = await startHttpServer({ host: '127.0.0.1', port: 0, handler: edge });
  return {
    url: server.url,
    lines,
    audited: audit.events,
    counted,
    async close() {
      await server.drain({ delayMs: 0, graceMs: 1000 });
      largeBodies.close();
      accountCpu.close();
    },
  };
}

/** Sends a request with GOOD_KEY, unless the headers say otherwise; a `json` body goes as JSON. */
export function call(
  edge: { readonly url: string },
  method: string,
  path: string,
  o: Call = {},
): Promise<Answer> {
  return callHttp(edge, method, path, { ...o, headers: { ...GOOD_KEY, ...o.headers } });
}
