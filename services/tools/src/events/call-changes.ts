import { createHash } from 'node:crypto';
import { DetachedCallChangedSchema } from '@fairlead/contracts/tools/v1/detached_call_events_pb';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { Nats } from '@fairlead/service-kit/nats/nats';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { Timers } from '@fairlead/service-kit/timers';
import { waitFor } from '../detached-calls/wait-for.ts';
import type { CallChanges } from '../ports/running-calls.ts';

const callChanged = defineEvent(DetachedCallChangedSchema);

/** The name of a call in messages: a hash, because its id is a secret. */
export function callHash(callId: string): string {
  return createHash('sha256').update(callId).digest('base64url');
}

/** Publishes changes to all replicas; messages may be lost. `onCancelled` gets the hash of each cancelled call. */
export function createCallChanges(o: {
  readonly nats: Pick<Nats, 'publish' | 'subscribe'>;
  readonly timers: Timers;
  readonly log: Logger;
  readonly onCancelled: (hash: string) => void;
}): CallChanges {
  /** Watches in this process, by hash of the call. */
  const watches = new Map<string, Set<() => void>>();

  function take(hash: string, isCancelled: boolean): void {
    if (isCancelled) o.onCancelled(hash);
    for (const wake of watches.get(hash) ?? []) wake();
  }
  o.nats.subscribe(callChanged, ({ callHash: hash, isCancelled }) => take(hash, isCancelled));

  return {
    announce(callId, { isCancelled } = { isCancelled: false }) {
      const hash = callHash(callId);
      // Readers in this process are notified without NATS.
      take(hash, isCancelled);
      o.nats.publish(callChanged, { callHash: hash, isCancelled }).catch((error: unknown) => {
        o.log.warn({ err: error }, 'could not publish that a call has changed');
      });
    },
    watch(callId) {
      const hash = callHash(callId);
      const { promise, resolve } = Promise.withResolvers<void>();
      const ofCall = watches.get(hash) ?? new Set();
      watches.set(hash, ofCall.add(resolve));
      return {
        changed: (ms, signal) => waitFor(promise, { ms, signal, timers: o.timers }),
        end() {
          ofCall.delete(resolve);
          if (ofCall.size === 0) watches.delete(hash);
        },
      };
    },
  };
}
