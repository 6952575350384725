import { getCACertificates } from 'node:tls';
import { MAX_CONNECTOR_BYTES } from '@fairlead/connector-model/limits';
import type { EgressRules } from '@fairlead/egress/address';
import { EgressError } from '@fairlead/egress/error';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { recordEgress, registry } from '@fairlead/service-kit/telemetry/service-metrics';
import type { CallGroup } from '@fairlead/worker-pool/call-group';
import { PoolRefusalError, WorkerLostError } from '@fairlead/worker-pool/errors';
import { JsonWithBytes } from '@fairlead/worker-pool/json-with-bytes';
import type { PoolLimits } from '@fairlead/worker-pool/limits';
import { createWorkerPool } from '@fairlead/worker-pool/worker-pool';
import { CallFailure, OverloadError, WithdrawnError } from '../failure.ts';
import { HandlerError, InputError } from '../handler.ts';
import type { Handler, HandlerCall } from '../handler.ts';
import { MAX_MCP_OUTPUT_BYTES } from '../output-limit.ts';
import { UnbuiltOutput } from '../outputs/unbuilt-output.ts';
import { createTextMasker } from '../secret-masking.ts';
import { describe, listenerOf } from './client-messages.ts';
import { recordEgressSpans, traceOfCall } from './egress-spans.ts';
import { parseAnswer, UNASKED_MS } from './handler-job.ts';
import type { HandlerAnswer, HandlerJob, HandlerSettings } from './handler-job.ts';

/** Idle time of a worker. It is longer than any session's, so sessions are ended before their worker. */
const WORKER_IDLE_MS = 65_000;

/**
 * Calls at once in a worker. Most of them wait for a server, and slow calls must not hold up the account's calls to
 * other servers.
 */
const MAX_CALLS_PER_WORKER = 50;

const sessionEvents = registry.counter({
  name: 'connector_sessions_total',
  help: 'What happened to kept sessions with databases and MCP servers: opened, reused, or why one was closed.',
  labels: ['kind', 'event'],
});

/** Largest result of workers that read MCP servers' tools: the largest application, and the JSON around it. */
export const DISCOVERY_RESULT_BYTES = MAX_CONNECTOR_BYTES + 256 * 1024;
/** Largest result of workers that execute calls: that of an MCP server, and the JSON around it. */
export const EXECUTION_RESULT_BYTES = MAX_MCP_OUTPUT_BYTES + 256 * 1024;

/** Worker processes that run handlers. */
export interface HandlerWorkers {
  /**
   * Runs a handler of the worker's registry in a worker of the call's account. Calls of one connection with a session
   * key go to the worker that has its sessions: `callsPerConnection` at once, while others wait within their
   * deadline. Default: no limit; calls for which that worker has no room go to another one.
   */
  handler(connectorSlug: string, name: string, o?: { readonly callsPerConnection?: number }): Handler;
  /** Ends all workers; running calls fail. */
  close(): Promise<void>;
}

/**
 * Creates worker processes for handlers that talk to servers of an account's choice. `entry` is a module that calls
 * serveHandlers. If a worker ends, its calls fail with a CallFailure that says whether the outcome is unknown. If a
 * handler throws, its call fails in the same way and the error is logged. A call that gets no worker in time fails
 * with an OverloadError.
 */
export function createHandlerWorkers(o: {
  readonly entry: URL;
  /** See createGuardedEgress. */
  readonly allow: EgressRules;
  readonly log: Logger;
  readonly limits?: Partial<PoolLimits>;
  /** Called with the processor time of each account's workers. */
  readonly onCpu?: (account: string, cpuMs: number) => void;
}): HandlerWorkers {
  const settings: HandlerSettings = {
    allow: o.allow,
    userAgent: 'Fairlead',
    certificates: addedCertificates(),
  };
  const pool = createWorkerPool({
    ...o,
    name: 'handlers',
    settings,
    limits: { idleMs: WORKER_IDLE_MS, maxCallsPerWorker: MAX_CALLS_PER_WORKER, ...o.limits },
  });
  return {
    handler:
      (connectorSlug, name, { callsPerConnection } = {}) =>
      async (call) => {
        const {
          egress: _egress,
          sessions: _sessions,
          signal,
          timeoutMs,
          accountId,
          beforeSend,
          client,
          ...sent
        } = call;
        const askedBelowMs = beforeSend && timeoutMs - UNASKED_MS;
        const job: HandlerJob = {
          connectorSlug,
          handler: name,
          call: sent,
          client: client && describe(client),
          askedBelowMs,
          trace: traceOfCall(),
        };
        const onAsk = beforeSend && (() => beforeSend(true).then(() => true));
        const group = groupOf(call, callsPerConnection);
        try {
          const answer = await pool.run(accountId, job, {
            signal,
            timeoutMs,
            mask: maskOf(call),
            onAsk,
            listener: client && listenerOf(client),
            group,
          });
          return answer instanceof JsonWithBytes
            ? resultOf(parseAnswer(answer.json), answer.bytes)
            : resultOf(parseAnswer(answer));
        } catch (error) {
          const failure = asCallFailure(error);
          if (failure !== undefined) throw failure;
          o.log.error(
            { defect: maskedDefect(error, call), connectorSlug, handler: name },
            'a handler failed unexpectedly',
          );
          throw new CallFailure('The call failed because of an internal error in Fairlead.', {
            cause: error,
          });
        }
      },
    close: () => pool.close(),
  };
}

function groupOf({ sessionKey }: HandlerCall, limit: number | undefined): CallGroup | undefined {
  return sessionKey === undefined ? undefined : { name: sessionKey.connection, limit };
}

/**
 * Certificates that the operator added (NODE_EXTRA_CA_CERTS, --use-system-ca). Workers have no environment, so they
 * get the certificates in a message.
 */
function addedCertificates(): readonly string[] {
  const bundled = new Set(getCACertificates('bundled'));
  return getCACertificates('default').filter((certificate) => !bundled.has(certificate));
}

/** The failure for an answer; undefined: an unexpected error. */
function asCallFailure(error: unknown): Error | undefined {
  if (error instanceof CallFailure || error instanceof EgressError) return error;
  if (error instanceof WorkerLostError) return new CallFailure(error.message, { cause: error });
  if (!(error instanceof PoolRefusalError)) return undefined;
  return error.reason === 'tooLarge'
    ? new CallFailure(error.message, { cause: error })
    : new OverloadError(error.message, { cause: error });
}

/** An unexpected error may quote the handler's input. */
function maskedDefect(error: unknown, call: HandlerCall): string {
  return maskOf(call)(error instanceof Error ? (error.stack ?? error.message) : String(error));
}

/** The masker is created on first use, which is rare. */
function maskOf({ credential: { secrets, accessToken = '' } }: HandlerCall): (text: string) => string {
  let mask: ((text: string) => string) | undefined;
  return (text) => {
    mask ??= createTextMasker([...secrets, accessToken]);
    return mask(text);
  };
}

function resultOf(answer: HandlerAnswer, bytes: Uint8Array = new Uint8Array()): Awaited<ReturnType<Handler>> {
  for (const { kind, outcome, durationMs } of answer.egress) recordEgress(kind, outcome, durationMs);
  for (const { kind, event, count } of answer.sessions) sessionEvents.series(kind, event).add(count);
  recordEgressSpans(answer.spans);
  switch (answer.kind) {
    case 'output':
      return answer.output;
    case 'unbuilt':
      return new UnbuiltOutput({ kind: 'output' }, bytes);
    case 'failed':
      throw new HandlerError(answer.message, answer);
    case 'withdrawn':
      throw new WithdrawnError();
    case 'inputs':
      throw new InputError(answer.issues);
    case 'egress':
      throw new EgressError(answer.code, answer.message);
  }
}
