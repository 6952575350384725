import { afterAll } from 'vitest';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { createConnectorRuntime } from '../runtime.ts';
import type { ConnectorRuntime } from '../runtime.ts';
import { createHandlerWorkers, EXECUTION_RESULT_BYTES } from '../workers/handler-workers.ts';
import { testEgress } from './calls.ts';

/** A busy machine may leave a worker without CPU for long. */
export const PATIENT_LIMITS = { unresponsiveMs: 20_000, cancelMs: 10_000, startMs: 60_000 };

/** A runtime that also reaches loopback and runs handlers in workers; closed after all tests of the file. */
export function testWorkerRuntime(): ConnectorRuntime {
  const egress = testEgress();
  const workers = createHandlerWorkers({
    entry: new URL('handler-worker.ts', import.meta.url),
    allow: ['127.0.0.0/8'],
    log: createLogger({ service: 'test', level: 'silent' }),
    limits: { resultBytes: EXECUTION_RESULT_BYTES, ...PATIENT_LIMITS },
  });
  afterAll(async () => {
    await Promise.all([workers.close(), egress.close()]);
  });
  return createConnectorRuntime({ egress, handlers: async (slug, name) => workers.handler(slug, name) });
}
