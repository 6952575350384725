import type { Decision } from '../limit.ts';
import { windowStart } from '../windows.ts';
import type { Cluster, Kind, Replica, TestLimits } from './limiter-cluster.ts';
import type { Random } from '@fairlead/service-kit/testing/random';

/** A call that was admitted. */
export interface Admission {
  readonly atMs: number;
  readonly replica: number;
  readonly isSearch: boolean;
}

/** The calls that the clients of one key make. */
export class Trace {
  readonly admissions: Admission[] = [];
  refusals = 0;
  failures = 0;

  /** Records how a call ended. */
  note(cluster: Cluster, replica: Replica, kind: Kind, { outcome }: Decision): void {
    if (outcome === 'unavailable') this.failures += 1;
    else if (outcome === 'refused') this.refusals += 1;
    else {
      const { nowMs: atMs } = cluster.time;
      this.admissions.push({ atMs, replica: replica.index, isSearch: kind === 'search' });
    }
  }

  /** Admissions in the window that contains `atMs`. */
  within(lengthMs: number, atMs: number): readonly Admission[] {
    const start = windowStart(atMs, lengthMs);
    return this.admissions.filter((it) => it.atMs >= start && it.atMs < start + lengthMs);
  }

  /** The largest number of admissions in a window of that length. */
  most(lengthMs: number, isCounted: (admission: Admission) => boolean = () => true): number {
    const counts = new Map<number, number>();
    for (const { atMs } of this.admissions.filter(isCounted)) {
      const start = windowStart(atMs, lengthMs);
      counts.set(start, (counts.get(start) ?? 0) + 1);
    }
    return Math.max(0, ...counts.values());
  }
}

/** Schedules `count` calls at random times until `endMs`, each at a random replica that is running then. */
export function plan(o: {
  cluster: Cluster;
  random: Random;
  trace: Trace;
  key: string;
  limits: TestLimits;
  endMs: number;
  count: number;
  searches?: number;
}): void {
  const { cluster, random } = o;
  const span = o.endMs - cluster.time.nowMs;
  // Calls come in bursts, like those of real clients.
  const bursts = Array.from({ length: 1 + random.below(12) }, () => random.next() * span);
  for (let i = 0; i < o.count; i += 1) {
    const near = random.chance(0.7) ? (bursts[random.below(bursts.length)] ?? 0) + random.next() * 300 : 0;
    const atMs = Math.min(near === 0 ? random.next() * span : near, span);
    const kind = random.chance(o.searches ?? 0.2) ? 'search' : 'call';
    const run = (): void => {
      const { alive } = cluster;
      const replica = alive[random.below(alive.length)];
      replica?.call(o.key, o.limits, kind, (decision) => o.trace.note(cluster, replica, kind, decision));
    };
    cluster.time.plan(atMs, run, false);
  }
}
