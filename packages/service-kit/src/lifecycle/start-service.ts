import type { Track } from '@fairlead/connect-fast/endpoint';
import type { Canaries } from '../canary/canaries.ts';
import type { CanaryConfig } from '../canary/config.ts';
import { openCanaries } from '../canary/open-canaries.ts';
import type { Clock } from '../clock.ts';
import { systemClock } from '../clock.ts';
import type { TelemetryConfig } from '../telemetry/config.ts';
import type { Logger } from '../telemetry/logger.ts';
import { createLogger } from '../telemetry/logger.ts';
import { startTelemetry } from '../telemetry/telemetry.ts';
import { Closers } from './lifecycle.ts';

/** A running service. */
export interface App {
  /** Base address of HTTP/1.1 with the bound port. */
  readonly httpUrl: string;
  /** Lets requests in flight finish within the grace period, then closes everything. */
  close(): Promise<void>;
}

/** A running service that serves RPCs. */
export interface RpcApp extends App {
  /** Base address of cleartext HTTP/2 with the bound port. */
  readonly grpcUrl: string;
}

/** The common dependencies of all services. */
export interface ServiceParts {
  /** The service's name in logs, traces and metrics. */
  readonly name: string;
  readonly log: Logger;
  readonly clock: Clock;
  /** Collects opened resources, which are closed in reverse order. */
  readonly closers: Closers;
  /** The canaries; undefined: not in use. */
  readonly canaries: Canaries | undefined;
  /** The track of this process. */
  readonly track: Track;
}

/** Parts of a service that tests replace. */
export interface ServiceOverrides {
  /** The clock; default: the system's. */
  readonly clock?: Clock;
  /** The log's output; default: JSON lines on standard output. */
  readonly log?: Logger;
}

/**
 * Starts a service: log and telemetry first, then `build`, which opens its parts and returns its addresses. Rejects,
 * with everything closed again, if a part cannot start.
 */
export async function startService<A extends Pick<App, 'httpUrl'>>(
  o: {
    /** The service's name in logs, traces and metrics. */
    readonly name: string;
    readonly config: TelemetryConfig & CanaryConfig & { readonly HOST: string; readonly LOG_LEVEL: string };
  } & ServiceOverrides,
  build: (parts: ServiceParts) => Promise<A>,
): Promise<Omit<A, 'close'> & Pick<App, 'close'>> {
  const { name, config, clock = systemClock } = o;
  const { TRACK: track = 'stable' } = config;
  const log = o.log ?? createLogger({ service: name, level: config.LOG_LEVEL, track });
  const closers = new Closers(log);
  try {
    closers.add('telemetry', await startTelemetry({ service: name, config, log }));
    const canaries =
      config.CANARY_RULES === undefined
        ? undefined
        : closers.add('canaries', await openCanaries(config.CANARY_RULES, { log }));
    const addresses = await build({ name, log, clock, closers, canaries, track });
    return { ...addresses, close: () => closers.close() };
  } catch (error) {
    await closers.close();
    throw error;
  }
}
