import type { Clock } from '../clock.ts';
import type { Claim, Claims } from '../sweep/claims.ts';
import type { Pace } from '../sweep/pace.ts';

/** An in-memory document that a sweep claims. */
export interface MemoryJob {
  readonly _id: number;
  readonly partition: string;
}

interface Entry {
  readonly document: MemoryJob;
  readonly since: Date;
  readonly at: Date;
}

/** Claims on in-memory documents with one due time, for models of many documents in virtual time. */
export function memoryClaims(due: Date, partitions: Readonly<Record<string, number>>): Claims<MemoryJob> {
  let id = 0;
  const queues = new Map<string, Entry[]>(
    Object.entries(partitions).map(([partition, count]) => [
      partition,
      Array.from({ length: count }, () => ({ document: { _id: (id += 1), partition }, since: due, at: due })),
    ]),
  );
  const claim: Claims<MemoryJob>['claim'] = (partition, { now, limit }) => {
    const queue = queues.get(partition) ?? [];
    const isDue = queue.findIndex(({ at }) => at > now);
    const taken = queue.splice(0, Math.min(limit, isDue === -1 ? limit : isDue));
    return Promise.resolve(
      taken.map(({ document, since }): Claim<MemoryJob> => ({
        document,
        since,
        partition,
        token: 'claimed',
      })),
    );
  };
  return {
    duePartitions: (now, limit) =>
      Promise.resolve(
        [...queues]
          .flatMap(([partition, [first]]) =>
            first !== undefined && first.at <= now ? { partition, at: first.at } : [],
          )
          .toSorted((a, b) => a.at.getTime() - b.at.getTime())
          .slice(0, limit),
      ),
    claim,
    claimEach: async (turns, times) =>
      (await Promise.all(turns.map(({ partition, limit }) => claim(partition, { ...times, limit })))).flat(),
    defer(claimed, at) {
      for (const { document, since, partition } of claimed)
        queues.get(partition)?.push({ document, since, at });
      return Promise.resolve();
    },
    settle: () => Promise.resolve(true),
    release: () => Promise.resolve(),
  };
}

/** An in-memory pace like that of `createPace`. */
export function memoryPace(o: {
  readonly perSecond: number;
  readonly aheadMs: number;
  readonly clock: Clock;
}): Pace {
  const next = new Map<string, number>();
  const intervalMs = 1000 / o.perSecond;
  return (partition, wanted) => {
    const now = o.clock.now().getTime();
    const from = Math.max(next.get(partition) ?? 0, now);
    const count = Math.max(0, Math.min(wanted, Math.ceil((now + o.aheadMs - from) / intervalMs)));
    next.set(partition, from + count * intervalMs);
    return Promise.resolve(Array.from({ length: count }, (_, index) => new Date(from + index * intervalMs)));
  };
}
