import { afterAll } from 'vitest';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { createConnectorRuntime } from '../runtime.ts';
import type { ConnectorRuntime } from '../runtime.ts';
import { createHandlerWorkers, EXECUTION_RESULT_BYTES } from '../workers/handler-workers.ts';
import { testEgress } from './calls.ts';

/** A runtime that reaches loopback and whose handlers run in workers; closed after the tests of the file. */
export function testWorkerRuntime(): ConnectorRuntime {
  const egress = testEgress();
  const workers = createHandlerWorkers({
    entry: new URL('handler-worker.ts', import.meta.url),
    allow: ['127.0.0.0/8'],
    log: createLogger({ service: 'test', level: 'silent' }),
    // A busy machine may leave a worker without CPU for long.
    limits: {
      resultBytes: EXECUTION_RESULT_BYTES,
      unresponsiveMs: 20_000,
      startMs: 60_000,
    },
  });
  afterAll(async () => {
    await Promise.all([workers.close(), egress.close()]);
  });
  return createConnectorRuntime({ egress, handlers: async (slug, name) => workers.handler(slug, name) });
}
