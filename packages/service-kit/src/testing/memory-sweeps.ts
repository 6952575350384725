import type { Clock } from '../clock.ts';
import type { Claimed, Claims } from '../sweep/claims.ts';
import type { Pace } from '../sweep/pace.ts';

/** A document in memory that a sweep claims. */
export interface MemoryJob {
  readonly _id: number;
}

interface Entry {
  readonly document: MemoryJob;
  readonly since: Date;
}

/** Claims on documents in memory that are due at one time, for models of many documents in virtual time. */
export function memoryClaims(due: Date, lanes: Readonly<Record<string, number>>): Claims<MemoryJob> {
  let id = 0;
  const queues = new Map<string, Entry[]>(
    Object.entries(lanes).map(([lane, count]) => [
      lane,
      Array.from({ length: count }, () => ({ document: { _id: (id += 1) }, since: due })),
    ]),
  );
  return {
    dueLanes: (now, limit) =>
      Promise.resolve(
        [...queues]
          .filter(([, queue]) => queue.length > 0 && due <= now)
          .slice(0, limit)
          .map(([lane]) => ({ lane, at: due })),
      ),
    claim: (lane, { limit }) =>
      Promise.resolve(
        (queues.get(lane) ?? [])
          .splice(0, limit)
          .map((entry): Claimed<MemoryJob> => ({ ...entry, lane, token: 'claimed' })),
      ),
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
