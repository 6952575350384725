import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { parseKeyRing } from '@fairlead/service-kit/key-ring';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import type { Timers } from '@fairlead/service-kit/timers';
import { createResumableAnswers } from '../../interaction/resumable-answers.ts';
import { createAdmissionChecks } from '../admission-checks.ts';
import { createClientStreams } from '../client-streams.ts';
import type { ClientStreams } from '../client-streams.ts';
import { Listeners } from '../listeners.ts';
import { createFollowedServers } from '../followed-servers.ts';
import { createListNotices } from '../list-notices.ts';
import type { SubscribeToLists } from '../list-notices.ts';
import { MAX_SUBSCRIPTIONS } from '../session-clients.ts';
import type { SessionClientRecord, SessionClients, SessionSubscriptions } from '../session-clients.ts';
import { createSessionIds } from '../session-ids.ts';
import { createSessions } from '../sessions.ts';
import { createStreamHub } from '../stream-hub.ts';
import { memorySent } from './memory-sent.ts';

/** The streams of a single replica, without stores. */
export function memoryStreams(o: {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly subscribe: SubscribeToLists;
  /** Follows the servers of open streams. */
  readonly followLists: (accountId: string, serverIds: readonly string[]) => Promise<void>;
  readonly subscribeToAdmissions: Parameters<typeof createAdmissionChecks>[0]['subscribe'];
  /** Whether reading and writing ended sessions fails. */
  readonly isStoreAway: () => boolean;
}): ClientStreams {
  const ids = createSessionIds({
    keys: parseKeyRing(`v1:${Buffer.alloc(32, 10).toString('base64')}`),
    clock: o.clock,
  });
  const keys = new Set<string>();
  const reach = async (): Promise<Set<string>> => {
    if (o.isStoreAway()) throw new ApiError('UNAVAILABLE', 'The store is away.');
    return Promise.resolve(keys);
  };
  const ended = {
    add: async (_ctx: unknown, { key }: { readonly key: string }) => void (await reach()).add(key),
    has: async (_ctx: unknown, key: string) => (await reach()).has(key),
  };
  const records = new Map<string, SessionClientRecord>();
  const clients: SessionClients = {
    find: async (_ctx, key) => {
      await reach();
      return records.get(key);
    },
    add: async (_ctx, { key }, record) => {
      await reach();
      records.set(key, { ...records.get(key), ...record });
    },
  };
  const subscribed = new Map<string, readonly string[]>();
  const subscriptions: SessionSubscriptions = {
    find: async (_ctx, key) => {
      await reach();
      return subscribed.get(key) ?? [];
    },
    add: async (_ctx, { key }, uri) => {
      await reach();
      const present = subscribed.get(key) ?? [];
      if (present.length === MAX_SUBSCRIPTIONS) return false;
      subscribed.set(key, [...new Set([...present, uri])]);
      return true;
    },
    remove: async (_ctx, key, uri) => {
      await reach();
      const left = (subscribed.get(key) ?? []).filter((other) => other !== uri);
      subscribed.set(key, left);
    },
  };
  const nobody = {
    take: () => Promise.resolve(),
    leave: () => undefined,
    ask: () => Promise.resolve(undefined),
    maxBytes: () => Number.POSITIVE_INFINITY,
  };
  const hub = createStreamHub({
    sent: memorySent(),
    openPipe: () => nobody,
    clock: o.clock,
    timers: o.timers,
    log: captureLog().log,
  });
  const listeners = new Listeners(o.timers);
  const notices = createListNotices({ ...o, hub });
  const admissionChecks = createAdmissionChecks({
    ...o,
    streams: [hub, listeners],
    subscribe: o.subscribeToAdmissions,
  });
  return createClientStreams({
    ids,
    sessions: createSessions({ ids, ended }),
    clients,
    subscriptions,
    timers: o.timers,
    resumable: createResumableAnswers({ openPipe: () => nobody, hub, timers: o.timers }),
    hub,
    notices,
    followedServers: createFollowedServers({
      follow: o.followLists,
      subscribe: () => undefined,
      timers: o.timers,
      log: captureLog().log,
    }),
    admissionChecks,
    listeners,
  });
}
