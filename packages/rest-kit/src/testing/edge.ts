import { Writable } from 'node:stream';
import { ApiError } from '@fairlead/errors/api-error';
import { systemClock } from '@fairlead/service-kit/clock';
import type { Mount, Page } from '@fairlead/service-kit/http/app';
import { startHttpServer } from '@fairlead/service-kit/http/server';
import { createAccountCpu } from '@fairlead/service-kit/telemetry/account-cpu';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { callHttp } from '@fairlead/service-kit/testing/http';
import type { Answer, Call } from '@fairlead/service-kit/testing/http';
import type { AuditLog } from '@fairlead/audit-log/audit-log';
import type { AuditEvent } from '@fairlead/audit-log/domain/event';
import { createEdgeApp } from '../edge.ts';
import type { EdgeOptions } from '../edge.ts';
import { createInProgress, IN_PROGRESS_LIMITS } from '../in-progress.ts';
import type { InProgressLimits } from '../in-progress.ts';
import { createLargeAnswers } from '../large-answers.ts';
import { createLargeBodies } from '../large-bodies.ts';
import { createBodyThread } from '../large-body/body-thread.ts';
import type { ByteRelay } from '../byte-relay.ts';
import type { Route } from '../route.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import { DEFAULT_BUDGETS } from '@fairlead/access/budgets';
import { PERMISSIONS } from '@fairlead/access/permissions';
import type { Principal } from '@fairlead/access/principal';
import type { Authenticate } from '../authenticate.ts';
import type { CallLimits } from '../call-limits.ts';
import { memoryIdempotency } from '../idempotency/testing/memory-idempotency.ts';

/** The credential that a test edge accepts. */
export const GOOD_KEY = { 'x-api-key': 'good' };

/** The header with the operator's key at a test edge. */
export const OPERATOR_KEY = { 'x-api-key': 'operator' };

/** The public base address of a test edge. */
export const TEST_PUBLIC_URL = 'https://api.test.example';

/** A principal with every permission: the owner of an account. */
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
  scopes: null,
  toolsetId: null,
  isAdministrationGranted: true,
  budgets: DEFAULT_BUDGETS,
  defaultLicence: 'active',
  maxConnectionsPerEndUser: 20,
};

/** Budgets without limits. */
export function unlimited(): CallLimits {
  const verdict = {
    isAllowed: true,
    retryAfterSeconds: 0,
    rateLimit: '"burst";r=50;t=1, "hourly";r=20000;t=3600',
    policy: '"burst";q=50;w=1, "hourly";q=20000;w=3600',
  };
  return {
    admit: () => verdict,
    peek: () => verdict,
  };
}

const NO_RELAY: ByteRelay = {
  upload: () => Promise.reject(new Error('There is no service for bytes.')),
  download: () => Promise.reject(new Error('There is no service for bytes.')),
};

/** An audit log that keeps its entries in memory. */
function collectAudit(): AuditLog & { readonly events: readonly AuditEvent[] } {
  const events: AuditEvent[] = [];
  return {
    events,
    record(event) {
      events.push(event);
      return Promise.resolve();
    },
  };
}

/** A running edge on a free port. */
export interface TestEdge {
  readonly url: string;
  /** All log lines so far. */
  readonly lines: readonly Record<string, unknown>[];
  /** All audit log entries so far, unless the edge was given another log. */
  readonly audited: readonly AuditEvent[];
  /** The accounts of counted calls, one entry per call. */
  readonly counted: readonly string[];
  close(): Promise<void>;
}

/** The parts of a test edge; every member has a default. `V`: the services that the routes call. */
export interface TestEdgeOptions<V extends object> {
  readonly routes?: readonly Route<V>[];
  readonly pages?: readonly Page[];
  readonly mounts?: readonly Mount[];
  readonly services?: V;
  readonly principal?: Principal;
  readonly authenticate?: Authenticate;
  readonly isOperator?: EdgeOptions<V>['isOperator'];
  readonly chooseCanaries?: EdgeOptions<V>['chooseCanaries'];
  readonly limits?: CallLimits;
  readonly idempotency?: Idempotency;
  readonly audit?: AuditLog;
  readonly largeAnswers?: EdgeOptions<V>['largeAnswers'];
  readonly inProgress?: InProgressLimits;
  readonly isStrict?: boolean;
  readonly timeoutMs?: number;
  readonly longTimeoutMs?: number;
  readonly dataTimeoutMs?: number;
  readonly relay?: ByteRelay;
}

/**
 * Starts the real edge on a real port with these routes. GOOD_KEY authenticates `principal`, OPERATOR_KEY the
 * operator. Defaults: unlimited budgets, audit entries and idempotent responses in memory, no services.
 */
export async function startTestEdge<V extends object>(o: TestEdgeOptions<V>): Promise<TestEdge> {
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
  const largeAnswers = createLargeAnswers();
  const accountCpu = createAccountCpu({ log });
  const bodyThread = createBodyThread(accountCpu.charge);
  const edge = createEdgeApp({
    routes: o.routes ?? [],
    pages: o.pages ?? [],
    mounts: o.mounts ?? [],
    // Routes without services need no services.
    services: o.services ?? ({} as V),
    authenticate: o.authenticate ?? authenticate,
    isOperator: o.isOperator ?? ((headers) => headers['x-api-key'] === OPERATOR_KEY['x-api-key']),
    chooseCanaries: o.chooseCanaries,
    limits: o.limits ?? unlimited(),
    countCall: (accountId) => void counted.push(accountId),
    idempotency: o.idempotency ?? memoryIdempotency(log),
    audit: o.audit ?? audit,
    largeBodies,
    largeAnswers: o.largeAnswers ?? largeAnswers,
    bodyThread,
    relay: o.relay ?? NO_RELAY,
    accountCpu,
    inProgress: createInProgress(o.inProgress ?? IN_PROGRESS_LIMITS),
    publicUrl: TEST_PUBLIC_URL,
    documentPath: '/openapi.json',
    log,
    clock: systemClock,
    timeoutMs: o.timeoutMs ?? 5000,
    longTimeoutMs: o.longTimeoutMs ?? 5000,
    dataTimeoutMs: o.dataTimeoutMs ?? 5000,
    isStrict: o.isStrict ?? true,
    service: 'gateway',
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
      largeAnswers.close();
      await bodyThread.close();
      accountCpu.close();
    },
  };
}

/** Sends a request with GOOD_KEY, unless the headers differ; a `json` body is sent as JSON. */
export function call(
  edge: { readonly url: string },
  method: string,
  path: string,
  o: Call = {},
): Promise<Answer> {
  return callHttp(edge, method, path, { ...o, headers: { ...GOOD_KEY, ...o.headers } });
}
