import type { OnChange } from '@fairlead/service-kit/cache/change-tracker';
import type { KeyRing } from '@fairlead/service-kit/key-ring';
import type { ModuleResources } from '@fairlead/service-kit/lifecycle/module-resources';
import { systemTimers } from '@fairlead/service-kit/timers';
import { subscribeToListChanges } from '../events/list-changes.ts';
import { subscribeToServerChanges } from '../events/server-changes.ts';
import { announceSessionChanges, subscribeToSessionChanges } from '../events/session-changes.ts';
import { announceSessionEnds, subscribeToSessionEnds } from '../events/session-ends.ts';
import { createResumableAnswers } from '../interaction/resumable-answers.ts';
import { createAdmissionChecks } from './admission-checks.ts';
import { createClientStreams } from './client-streams.ts';
import type { ClientStreams } from './client-streams.ts';
import { cacheEndedSessions } from './ended-sessions.ts';
import { createFollowedServers } from './followed-servers.ts';
import { Listeners } from './listeners.ts';
import { createListNotices } from './list-notices.ts';
import { cacheSessionClients } from './session-clients.ts';
import { createSentMessages, natsSentLog } from './sent-messages.ts';
import { createSessionIds } from './session-ids.ts';
import { createSessions } from './sessions.ts';
import { endedSessionRepository } from './storage/ended-session.repository.ts';
import {
  sessionClientRepository,
  sessionSubscriptionRepository,
} from './storage/session-client.repository.ts';
import { createStreamHub } from './stream-hub.ts';
import { natsAnswerPipe, natsPipe } from './stream-pipe.ts';

/** Opens the module. At a stop, the caller drains it while the port closes. */
export function openStreams({
  store,
  nats,
  clock,
  log,
  keys,
  subscribeToCredentials,
  followLists,
}: Pick<ModuleResources, 'store' | 'nats' | 'clock' | 'log'> & {
  /** Signing keys of session ids. */
  readonly keys: KeyRing;
  /** Subscribes to changes of accounts' credentials and people. */
  readonly subscribeToCredentials: (onChange: OnChange) => void;
  /** Makes the mcp service follow the MCP servers behind these servers of an account. */
  readonly followLists: Parameters<typeof createFollowedServers>[0]['follow'];
}): ClientStreams {
  const ids = createSessionIds({ keys, clock });
  const timers = systemTimers;
  const ended = cacheEndedSessions(endedSessionRepository(store), {
    announce: announceSessionEnds({ nats, log }),
    subscribe: (onEnd) => subscribeToSessionEnds(nats, onEnd),
    clock,
  });
  const hub = createStreamHub({
    openPipe: natsPipe(nats),
    sent: createSentMessages({ sentLog: natsSentLog(nats), clock, log }),
    clock,
    timers,
    log,
  });
  const listeners = new Listeners(timers);
  return createClientStreams({
    ids,
    listeners,
    sessions: createSessions({ ids, ended }),
    clients: cacheSessionClients(sessionClientRepository(store, clock), {
      announce: announceSessionChanges({ nats, log }),
      subscribe: (onChange) => subscribeToSessionChanges(nats, onChange),
      clock,
    }),
    subscriptions: sessionSubscriptionRepository(store, clock),
    timers,
    hub,
    resumable: createResumableAnswers({ openPipe: natsAnswerPipe(nats), hub, timers }),
    admissionChecks: createAdmissionChecks({
      streams: [hub, listeners],
      subscribe(onChange) {
        subscribeToServerChanges(nats, onChange);
        subscribeToCredentials(onChange);
      },
      timers,
    }),
    notices: createListNotices({
      hub,
      subscribe: (onChange) => subscribeToListChanges(nats, onChange),
      clock,
      timers,
    }),
    followedServers: createFollowedServers({
      follow: followLists,
      subscribe: (onChange) => subscribeToServerChanges(nats, onChange),
      timers,
      log,
    }),
  });
}
