import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { createGuardedEgress } from '@fairlead/egress/guarded-egress';
import { EgressError } from '@fairlead/egress/error';
import { forwardEgressRecords } from '@fairlead/service-kit/telemetry/service-metrics';
import type { EgressRecord } from '@fairlead/service-kit/telemetry/service-metrics';
import { JsonWithBytes } from '@fairlead/worker-pool/json-with-bytes';
import { serveJobs } from '@fairlead/worker-pool/serve-jobs';
import type { JobOptions } from '@fairlead/worker-pool/serve-jobs';
import { CallFailure, WithdrawnError } from '../failure.ts';
import { InputError } from '../handler.ts';
import type { HandlerCall, HandlerRegistry } from '../handler.ts';
import { builtOutput, MAX_BUILT_BYTES, UnbuiltOutput } from '../outputs/unbuilt-output.ts';
import { MAX_OUTPUT_BYTES, requireOutputLimit } from '../output-limit.ts';
import { SessionPool } from '../sessions/session-pool.ts';
import { clientOf } from './client-messages.ts';
import { reportEgressSpans, withEgressSpans } from './egress-spans.ts';
import { MAX_EGRESS_RECORDS, UNASKED_MS } from './handler-job.ts';
import type { HandlerAnswer, HandlerJob, HandlerOutcome, HandlerSettings } from './handler-job.ts';

/**
 * Maximum sockets of a worker. A call with an MCP client has up to three (its request, the session's stream, an answer). Idle
 * sessions have one each.
 */
const MAX_SOCKETS = 200;

/**
 * Turns this process into a worker that runs the handlers of `registry`, with its own egress under the service's
 * policy and with sessions that stay open between calls. Call it once, as the last statement of the entry.
 */
export function serveHandlers(registry: HandlerRegistry): void {
  serveJobs(async ({ settings, log }) => {
    // The service wrote these settings (createHandlerWorkers).
    const { allow, userAgent, certificates } = settings as HandlerSettings;
    if (certificates.length > 0) setDefaultCACertificates([...getCACertificates('bundled'), ...certificates]);
    const egress = createGuardedEgress({ allow, userAgent, log, limits: { perDestination: MAX_SOCKETS } });
    reportEgressSpans();
    const sessions = new SessionPool();
    const records: EgressRecord[] = [];
    forwardEgressRecords((record) => {
      if (records.length < MAX_EGRESS_RECORDS) records.push(record);
    });
    return async (
      job,
      { bytes: _bytes, ask, tell, question, ...options },
    ): Promise<HandlerAnswer | JsonWithBytes> => {
      // The service sends jobs of this form.
      const {
        connectorSlug,
        handler: name,
        call,
        client: described,
        askedBelowMs,
        trace,
      } = job as HandlerJob;
      const client = described && clientOf(described, { tell, question });
      const beforeSend = questionOf(ask, options.timeoutMs, askedBelowMs);
      const handler = await registry(connectorSlug, name);
      // The worker has only one account and does not know its id.
      const { result, spans } = await withEgressSpans(trace, () =>
        endOf(call, async () => {
          // The call may have waited for its worker, which used up part of its time.
          await beforeSend?.(true);
          return await handler({ ...call, ...options, egress, sessions, accountId: '', beforeSend, client });
        }),
      );
      const { outcome, bytes } = result;
      const answer = { ...outcome, egress: records.splice(0), sessions: sessions.takeCounts(), spans };
      return bytes === undefined ? answer : new JsonWithBytes(answer, bytes);
    };
  });
}

/** Asks the service again after a wait for a session, and if so much time has passed that the last permission is old. */
function questionOf(
  ask: JobOptions['ask'],
  timeoutMs: number,
  askedBelowMs: number | undefined,
): HandlerCall['beforeSend'] {
  if (askedBelowMs === undefined) return undefined;
  const startedAt = performance.now();
  let belowMs = askedBelowMs;
  return async (isReused) => {
    const leftMs = timeoutMs - (performance.now() - startedAt);
    if (isReused && leftMs >= belowMs) return;
    if (!(await ask())) throw new WithdrawnError();
    belowMs = leftMs - UNASKED_MS;
  };
}

/** The answer to a call; `bytes` is an unparsed output. */
async function endOf(
  { maxOutputBytes, takesUnbuilt = false }: HandlerJob['call'],
  run: () => ReturnType<Awaited<ReturnType<HandlerRegistry>>>,
): Promise<{ readonly outcome: HandlerOutcome; readonly bytes?: Uint8Array }> {
  try {
    // The limit is checked here too, because the service has to parse the message.
    const received = await run();
    const output = builtOutput(
      received instanceof UnbuiltOutput ? received.within(maxOutputBytes) : received,
    );
    const mostBytes = requireOutputLimit(output, maxOutputBytes);
    const isLarge = takesUnbuilt && mostBytes > MAX_BUILT_BYTES;
    const bytes = isLarge ? Buffer.from(JSON.stringify(output)) : undefined;
    if (bytes !== undefined && bytes.length > MAX_BUILT_BYTES) return { outcome: { kind: 'unbuilt' }, bytes };
    return { outcome: { kind: 'output', output } };
  } catch (error) {
    return { outcome: failureOf(error) };
  }
}

/** The expected end that an error stands for; rethrows unexpected errors. */
function failureOf(error: unknown): HandlerOutcome {
  if (error instanceof WithdrawnError) return { kind: 'withdrawn' };
  if (error instanceof InputError) return { kind: 'inputs', issues: error.issues };
  if (error instanceof CallFailure) {
    const { message, isUnauthorized, isToolUnknown, limitedForMs, mcpError } = error;
    // A result above the output limit would not fit the answer; its text is in the message.
    const isSmall = Buffer.byteLength(JSON.stringify(error.mcpResult ?? null)) <= MAX_OUTPUT_BYTES;
    const mcpResult = isSmall ? error.mcpResult : undefined;
    return { kind: 'failed', message, isUnauthorized, isToolUnknown, limitedForMs, mcpResult, mcpError };
  }
  if (error instanceof EgressError) return { kind: 'egress', code: error.code, message: error.message };
  throw error;
}
