import { registry } from '@fairlead/service-kit/telemetry/service-metrics';

const lost = registry.counter({
  name: 'audit_events_lost_total',
  help: 'Actions without an audit entry: it could not be written, or the event of another service could not be read.',
  labels: [],
});

/** Lags of the sources that this process follows. */
const followed = new Set<() => number>();
registry.observed({
  name: 'audit_fetch_lag_seconds',
  help: 'Seconds since all audit events of other services were fetched, by any replica; of several services the longest.',
  read: () => Math.max(0, ...[...followed].map((lagMs) => lagMs() / 1000)),
});

/** Counts an action that has no entry and never will have one. */
export function recordLostEvent(): void {
  lost.series().add();
}

/** Exposes the lag of a source on the metrics page until the returned function is called. */
export function watchLag(lagMs: () => number): () => void {
  followed.add(lagMs);
  return () => followed.delete(lagMs);
}
