import { startAdminServer } from '../lifecycle/admin-server.ts';
import { Closers } from '../lifecycle/lifecycle.ts';
import type { Logger } from './logger.ts';
import { measureProcess } from './process-metrics.ts';
import { registry } from './service-metrics.ts';
import { wantsTraces } from './config.ts';
import type { TelemetryConfig } from './config.ts';
import { useTracer } from './tracing.ts';

/** The running telemetry of a service. */
export interface Telemetry {
  /** Base address of `/metrics`; undefined: ADMIN_PORT is not set. */
  readonly adminUrl: string | undefined;
  /** Sends the last spans and closes the admin port. */
  close(): Promise<void>;
}

/**
 * Opens the admin port and starts tracing as configured. If neither is configured, nothing listens and OpenTelemetry
 * is not loaded. Call it before the service's store, clients and servers are created, and close it last.
 */
export async function startTelemetry(o: {
  readonly service: string;
  readonly config: TelemetryConfig & { readonly HOST: string };
  readonly log: Logger;
}): Promise<Telemetry> {
  const closers = new Closers(o.log);
  try {
    const adminUrl = await openAdminPort(o, closers);
    if (wantsTraces(o.config)) {
      const { createOpenTelemetryTracer } = await import('./open-telemetry.ts');
      const tracer = await createOpenTelemetryTracer(o);
      closers.push('tracer', () => tracer.close());
      useTracer(tracer, { toVendors: o.config.EGRESS_TRACEPARENT === true });
      closers.push('tracing', () => useTracer(undefined, { toVendors: false }));
    }
    return { adminUrl, close: () => closers.close() };
  } catch (error) {
    await closers.close();
    throw error;
  }
}

async function openAdminPort(
  o: { readonly config: TelemetryConfig & { readonly HOST: string }; readonly log: Logger },
  closers: Closers,
): Promise<string | undefined> {
  if (o.config.ADMIN_PORT === undefined) return undefined;
  measureThisProcess();
  const server = await startAdminServer({
    host: o.config.HOST,
    port: o.config.ADMIN_PORT,
    metrics: () => registry.render(),
  });
  closers.push('admin port', () => server.close());
  o.log.info({ adminUrl: server.url }, 'serving metrics');
  return server.url;
}

let isMeasured = false;

/** Once per process, because tests run several services in one. */
function measureThisProcess(): void {
  if (!isMeasured) measureProcess(registry);
  isMeasured = true;
}
