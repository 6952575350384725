import type { TestProject } from 'vitest/node';
import { startCollector } from '../observability/support/collector.ts';
import { startStack } from './start-stack.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Locations of the traced stack's telemetry. */
    observed: {
      /** Folder of its data and logs. */
      readonly data: string;
      /** Address of the collector that receives its spans. */
      readonly collectorUrl: string;
    };
  }
}

/** Starts a whole traced stack, and the collector of its spans. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const collector = await startCollector();
  const started = await startStack({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      // Log everything.
      LOG_LEVEL: 'debug',
    },
  }).catch(async (error: unknown) => {
    await collector.close();
    throw error;
  });
  project.provide('stack', started.stack);
  project.provide('observed', { data: started.data, collectorUrl: collector.url });
  return async () => {
    await started.stop();
    await collector.close();
  };
}
