import { setTimeout as delay } from 'node:timers/promises';
import type { StoredChange } from './changes.ts';
import type { CanaryReport } from './reports.ts';

/** The collection of reports from all processes. */
export type CollectReports = () => Promise<readonly CanaryReport[]>;

const PAUSE_MS = 250;
/** Time between two requests; a process that misses one answers the next. */
const LEAST_ROUNDS = 2;

/** The processes at the end of the wait for a change to be applied. */
export interface Obedience {
  readonly reports: readonly CanaryReport[];
  /** Processes that have answered but have not applied the change yet. */
  readonly lagging: readonly CanaryReport[];
}

/**
 * Collects reports until every process that has ever answered has applied the change to `service`, or `limitMs` have
 * passed. `present` are reports from before the change.
 */
export async function untilApplied(o: {
  readonly service: string;
  readonly change: StoredChange;
  readonly collect: CollectReports;
  readonly present: readonly CanaryReport[];
  readonly limitMs: number;
}): Promise<Obedience> {
  const latest = new Map(o.present.map((report) => [report.instance, report]));
  const startedAt = performance.now();
  for (let round = 1; ;) {
    const reports = await o.collect().catch(() => undefined);
    for (const report of reports ?? []) latest.set(report.instance, report);
    if (reports !== undefined) round += 1;
    const all = [...latest.values()];
    const lagging = all.filter((report) => !obeys(report, o.service, o.change));
    const isSettled = round > LEAST_ROUNDS && lagging.length === 0;
    if (isSettled || performance.now() - startedAt >= o.limitMs) return { reports: all, lagging };
    await delay(PAUSE_MS);
  }
}

/** Whether a process has applied the change, or a later one. */
function obeys({ services }: CanaryReport, service: string, change: StoredChange): boolean {
  const applied = services[service];
  const isClosed = change.isAborted || change.weight === 0;
  // Without the rule, a process sends everything to stable.
  if (applied === undefined) return isClosed;
  if (isClosed && !applied.isOpen) return true;
  return applied.of === change.of && applied.at !== null && applied.at >= change.at;
}
