import type { Clock } from '../clock.ts';
import type { Claimed, Claims } from '../sweep/claims.ts';
import type { Pace } from '../sweep/pace.ts';

/** A document in memory that a sweep claims. */
export interface MemoryJob {
  readonly _id: number;
  readonly lane: string;
}

interface Entry {
  readonly document: MemoryJob;
  readonly since: Date;
  readonly at: Date;
}

/** Claims on documents in memory that are due at one time, for models of many documents in virtual time. */
export function memoryClaims(due: Date, lanes: Readonly<Record<string, number>>): Claims<MemoryJob> {
  let id = 0;
  const queues = new Map<string, Entry[]>(
    Object.entries(lanes).map(([lane, count]) => [
      lane,
      Array.from({ length: count }, () => ({ document: { _id: (id += 1), lane }, since: due, at: due })),
    ]),
  );
  const claim: Claims<MemoryJob>['claim'] = (lane, { now, limit }) => {
    const queue = queues.get(lane) ?? [];
    const isDue = queue.findIndex(({ at }) => at > now);
    const taken = queue.splice(0, Math.min(limit, isDue === -1 ? limit : isDue));
    return Promise.resolve(
      taken.map(({ document, since }): Claimed<MemoryJob> => ({ document, since, lane, token: 'claimed' })),
    );
  };
  return {
    dueLanes: (now, limit) =>
      Promise.resolve(
        [...queues]
          .flatMap(([lane, [first]]) =>
            first !== undefined && first.at <= now ? { lane, at: first.at } : [],
          )
          .toSorted((a, b) => a.at.getTime() - b.at.getTime())
          .slice(0, limit),
      ),
    claim,
    claimEach: async (turns, times) =>
      (await Promise.all(turns.map(({ lane, limit }) => claim(lane, { ...times, limit })))).flat(),
    defer(claimed, at) {
      for (const { document, since, lane } of claimed) queues.get(lane)?.push({ document, since, at });
      return Promise.resolve();
    },
    settle: () => Promise.resolve(true),
    release: () => Promise.resolve(),
  };
}

/** A pace as `createPace` describes it, in memory. */
export function memoryPace(o: {
  readonly perSecond: number;
  readonly aheadMs: number;
  readonly clock: Clock;
}): Pace {
  const next = new Map<string, number>();
  const intervalMs = 1000 / o.perSecond;
  return (lane, wanted) => {
    const now = o.clock.now().getTime();
    const from = Math.max(next.get(lane) ?? 0, now);
    const count = Math.max(0, Math.min(wanted, Math.ceil((now + o.aheadMs - from) / intervalMs)));
    next.set(lane, from + count * intervalMs);
    return Promise.resolve(Array.from({ length: count }, (_, index) => new Date(from + index * intervalMs)));
  };
}
