import { createRequestContext } from '@fairlead/service-kit/context/context';
import { guid } from '@fairlead/service-kit/ids';
import { repeatInBackground } from '@fairlead/service-kit/lifecycle/background';
import type { BackgroundWork, RepeatedWork } from '@fairlead/service-kit/lifecycle/background';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { ConnectionChange, DestinationDeletion } from '../domain/connection-change.ts';
import type { ChangeSource } from '../ports/changes.ts';
import { followConnections } from '../use-cases/follow-connections.ts';
import type { FollowConnectionsDeps } from '../use-cases/follow-connections.ts';
import { followDestinations } from '../use-cases/follow-destinations.ts';
import type { FollowDestinationsDeps } from '../use-cases/follow-destinations.ts';

type FollowDeps = FollowConnectionsDeps & FollowDestinationsDeps;

/** A lease: one replica follows at a time. */
interface Lease {
  hold(): Promise<boolean>;
  release(): Promise<void>;
}

export interface ChangeFollowerDeps extends Omit<FollowDeps, 'mayContinue' | 'isCursorDue'> {
  readonly connectionChanges: ChangeSource<ConnectionChange>;
  readonly destinationDeletions: ChangeSource<DestinationDeletion>;
  readonly leases: { readonly connections: Lease; readonly destinations: Lease };
  readonly log: Logger;
  /** Milliseconds between two reads; default: 5 000. */
  readonly everyMs?: number;
}

/** Pause between reads without a wake-up. Services announce changes, so this is for lost announcements. */
const EVERY_MS = 5_000;
/** Pause between cursor moves without changes. */
const CURSOR_EVERY_MS = 60_000;

/** Follows changes in the background. */
export interface ChangeFollower extends BackgroundWork {
  /** Reads the changes of a service now, if they are followed. */
  wake(service: string): void;
}

/** Follows changes of connections and destinations in the background, each on one replica at a time. */
export function startChangeFollower(deps: ChangeFollowerDeps): ChangeFollower {
  const { connectionChanges, destinationDeletions, leases, log, everyMs = EVERY_MS } = deps;

  function start(
    name: string,
    lease: Lease,
    follow: (of: FollowDeps, ctx: ReturnType<typeof createRequestContext>) => Promise<void>,
  ): RepeatedWork {
    let cursorDueAt = 0;
    const isCursorDue = (): boolean => {
      const isDue = performance.now() >= cursorDueAt;
      if (isDue) cursorDueAt = performance.now() + CURSOR_EVERY_MS;
      return isDue;
    };
    const work = repeatInBackground({
      name,
      everyMs,
      log,
      async work(signal) {
        const caller = { kind: 'service', service: 'triggers' } as const;
        const ctx = createRequestContext({ requestId: guid(), caller, signal, log });
        const mayContinue = async (): Promise<boolean> => !signal.aborted && (await lease.hold());
        await follow({ ...deps, mayContinue, isCursorDue }, ctx);
      },
    });
    return {
      wake: () => work.wake(),
      async close() {
        await work.close();
        await lease.release();
      },
    };
  }

  const works = new Map([
    [
      connectionChanges.name,
      start('connection-changes', leases.connections, (of, ctx) =>
        followConnections({ ...of, source: connectionChanges }, ctx),
      ),
    ],
    [
      destinationDeletions.name,
      start('destination-deletions', leases.destinations, (of, ctx) =>
        followDestinations({ ...of, source: destinationDeletions }, ctx),
      ),
    ],
  ]);
  return {
    wake: (service) => works.get(service)?.wake(),
    async close() {
      await Promise.all([...works.values()].map((work) => work.close()));
    },
  };
}
