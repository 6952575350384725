import { Code, ConnectError } from '@connectrpc/connect';
import type { ServiceImpl } from '@connectrpc/connect';
import type { Health } from '@fairlead/contracts/grpc/health/v1/health_pb';
import { HealthCheckResponse_ServingStatus as Status } from '@fairlead/contracts/grpc/health/v1/health_pb';

/** The state behind grpc.health.v1, equal for the whole server and each of its services. */
export interface HealthState {
  readonly implementation: ServiceImpl<typeof Health>;
  /** Sets whether the server reports to probes and watchers that it accepts calls. */
  setServing(on: boolean): void;
  /** Reports NOT_SERVING and ends all watches, so that no watcher delays the stop. */
  close(): void;
}

/** The health of a server with the services that `isKnown` accepts; initially SERVING. */
export function createHealth(isKnown: (service: string) => boolean): HealthState {
  let isServing = true;
  let changed = Promise.withResolvers<void>();
  const closed = new AbortController();

  function status(service: string): Status | undefined {
    if (service !== '' && !isKnown(service)) return undefined;
    return isServing ? Status.SERVING : Status.NOT_SERVING;
  }

  function setServing(on: boolean): void {
    isServing = on;
    changed.resolve();
    changed = Promise.withResolvers();
  }

  return {
    setServing,
    close() {
      closed.abort();
      setServing(false);
    },
    implementation: {
      check({ service }) {
        const now = status(service);
        if (now === undefined) throw new ConnectError('The service is unknown.', Code.NotFound);
        return { status: now };
      },
      async *watch({ service }, { signal }) {
        const gone = Promise.withResolvers<void>();
        signal.addEventListener('abort', () => gone.resolve(), { once: true });
        let last: Status | undefined;
        while (!signal.aborted) {
          const next = changed.promise;
          const now = status(service) ?? Status.SERVICE_UNKNOWN;
          if (now !== last) yield { status: (last = now) };
          if (closed.signal.aborted) return;
          await Promise.race([next, gone.promise]);
        }
      },
    },
  };
}
