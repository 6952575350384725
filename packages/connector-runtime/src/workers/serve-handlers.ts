import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { createEgress } from '@fairlead/service-kit/egress/guarded-egress';
import { EgressError } from '@fairlead/service-kit/egress/error';
import { forwardEgressRecords } from '@fairlead/service-kit/telemetry/service-metrics';
import type { EgressRecord } from '@fairlead/service-kit/telemetry/service-metrics';
import { JsonWithBytes } from '@fairlead/worker-pool/json-with-bytes';
import { serveJobs } from '@fairlead/worker-pool/serve-jobs';
import { CallFailure } from '../failure.ts';
import { InputError } from '../handler.ts';
import type { HandlerRegistry } from '../handler.ts';
import { builtOutput, MAX_BUILT_BYTES } from '../outputs/unbuilt-output.ts';
import { requireOutputLimit } from '../output-limit.ts';
import { SessionPool } from '../sessions/session-pool.ts';
import { reportEgressSpans, withEgressSpans } from './egress-spans.ts';
import { MAX_EGRESS_RECORDS } from './handler-job.ts';
import type { HandlerAnswer, HandlerJob, HandlerOutcome, HandlerSettings } from './handler-job.ts';

/**
 * Makes this process a worker that runs the handlers of `registry`, with an egress of its own under the service's
 * policy, and sessions that are kept between calls. Call it once, as the last statement of the entry.
 */
export function serveHandlers(registry: HandlerRegistry): void {
  serveJobs(async ({ settings, log }) => {
    // The service sends it (createHandlerWorkers).
    const { allow, userAgent, certificates } = settings as HandlerSettings;
    if (certificates.length > 0) setDefaultCACertificates([...getCACertificates('bundled'), ...certificates]);
    const egress = createEgress({ allow, userAgent, log });
    reportEgressSpans();
    const sessions = new SessionPool();
    const records: EgressRecord[] = [];
    forwardEgressRecords((record) => {
      if (records.length < MAX_EGRESS_RECORDS) records.push(record);
    });
    return async (job, { bytes: _bytes, ...options }): Promise<HandlerAnswer | JsonWithBytes> => {
      // As above.
      const { connectorSlug, handler: name, call, trace } = job as HandlerJob;
      const handler = await registry(connectorSlug, name);
      // The account is the worker's only one, and none of its business.
      const { result, spans } = await withEgressSpans(trace, () =>
        endOf(call, () => handler({ ...call, ...options, egress, sessions, accountId: '' })),
      );
      const { outcome, bytes } = result;
      const answer = { ...outcome, egress: records.splice(0), sessions: sessions.takeCounts(), spans };
      return bytes === undefined ? answer : new JsonWithBytes(answer, bytes);
    };
  });
}

/** How a call ended; `bytes` are those of an output that its caller takes unbuilt. */
async function endOf(
  { maxOutputBytes, takesUnbuilt = false }: HandlerJob['call'],
  run: () => ReturnType<Awaited<ReturnType<HandlerRegistry>>>,
): Promise<{ readonly outcome: HandlerOutcome; readonly bytes?: Uint8Array }> {
  try {
    // Checked here too, because the service has to parse what is sent.
    const output = builtOutput(await run());
    const mostBytes = requireOutputLimit(output, maxOutputBytes);
    const isLarge = takesUnbuilt && mostBytes > MAX_BUILT_BYTES;
    const bytes = isLarge ? Buffer.from(JSON.stringify(output)) : undefined;
    if (bytes !== undefined && bytes.length > MAX_BUILT_BYTES) return { outcome: { kind: 'unbuilt' }, bytes };
    return { outcome: { kind: 'output', output } };
  } catch (error) {
    return { outcome: failureOf(error) };
  }
}

/** The expected end that an error is; throws what is none. */
function failureOf(error: unknown): HandlerOutcome {
  if (error instanceof InputError) return { kind: 'inputs', issues: error.issues };
  if (error instanceof CallFailure) {
    const { message, isUnauthorized, isToolUnknown, limitedForMs } = error;
    return { kind: 'failed', message, isUnauthorized, isToolUnknown, limitedForMs };
  }
  if (error instanceof EgressError) return { kind: 'egress', code: error.code, message: error.message };
  throw error;
}
