import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { createEgress } from '@fairlead/service-kit/egress/guarded-egress';
import { EgressError } from '@fairlead/service-kit/egress/error';
import { forwardEgressRecords } from '@fairlead/service-kit/telemetry/service-metrics';
import type { EgressRecord } from '@fairlead/service-kit/telemetry/service-metrics';
import { serveJobs } from '@fairlead/worker-pool/serve-jobs';
import { CallFailure } from '../failure.ts';
import { InputError } from '../handler.ts';
import type { HandlerRegistry } from '../handler.ts';
import { withinOutputLimit } from '../output-limit.ts';
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
    return async (job, options): Promise<HandlerAnswer> => {
      // As above.
      const { connectorSlug, handler: name, call, trace } = job as HandlerJob;
      const handler = await registry(connectorSlug, name);
      // The account is the worker's only one, and none of its business.
      const { result, spans } = await withEgressSpans(trace, () =>
        outcomeOf(call.maxOutputBytes, () =>
          handler({ ...call, ...options, egress, sessions, accountId: '' }),
        ),
      );
      return { ...result, egress: records.splice(0), sessions: sessions.takeCounts(), spans };
    };
  });
}

async function outcomeOf(
  maxOutputBytes: number,
  run: () => ReturnType<Awaited<ReturnType<HandlerRegistry>>>,
): Promise<HandlerOutcome> {
  try {
    // Checked here too, because the service has to parse what is sent.
    return { kind: 'output', output: withinOutputLimit(await run(), maxOutputBytes) };
  } catch (error) {
    if (error instanceof InputError) return { kind: 'inputs', issues: error.issues };
    if (error instanceof CallFailure) {
      const { message, isUnauthorized, limitedForMs } = error;
      return { kind: 'failed', message, isUnauthorized, limitedForMs };
    }
    if (error instanceof EgressError) return { kind: 'egress', code: error.code, message: error.message };
    throw error;
  }
}
