import { ConnectionLimitedSchema } from '@fairlead/contracts/tools/v1/limit_events_pb';
import type { Clock } from '@fairlead/service-kit/clock';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import type { Nats } from '@fairlead/service-kit/nats/nats';
import { registry } from '@fairlead/service-kit/telemetry/service-metrics';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { systemTimers } from '@fairlead/service-kit/timers';
import type { Timers } from '@fairlead/service-kit/timers';
import type { VendorLimits } from '../ports/vendor-limits.ts';
import { LimitedConnections } from './limited-connections.ts';

const connectionLimited = defineEvent(ConnectionLimitedSchema);

const limits = registry.counter({
  name: 'vendor_limits_total',
  help: 'Limits of vendors that began or were extended; source: vendor (told to this replica) or replica (told to another one).',
  labels: ['source'],
});
/** Identifies this replica; the process may have several in tests. */
const watched = new Set<LimitedConnections>();
registry.observed({
  name: 'vendor_limited_connections',
  help: 'Connections whose vendor accepts no calls at the moment.',
  read: () => [...watched].reduce((sum, { size }) => sum + size, 0),
});

/** The limits of this replica, synchronized with the others. */
export interface ReplicatedVendorLimits extends VendorLimits {
  /** Whether calls of the connection must wait. */
  isLimited(accountId: string, connectionId: number): boolean;
  close(): void;
}

/**
 * Creates limits that a replica publishes as soon as a vendor announces one. A replica that misses the message gets one refusal by the
 * vendor. `onEnd` is called when a limit of the account ends.
 */
export function createVendorLimits(o: {
  readonly nats: Pick<Nats, 'publish' | 'subscribe'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly timers?: Timers;
  readonly onEnd: (accountId: string) => void;
}): ReplicatedVendorLimits {
  const known = new LimitedConnections({ timers: systemTimers, ...o });
  watched.add(known);
  o.nats.subscribe(connectionLimited, ({ accountId, connectionId, credentialVersion, forMs }) => {
    const limit = { connectionId, credentialVersion: Number(credentialVersion), forMs: Number(forMs) };
    // The publisher receives its own message, too; it changes nothing.
    if (known.note(accountId, limit)) limits.series('replica').add();
  });
  return {
    until: (accountId, { id, credential }) => known.until(accountId, id, credential?.version),
    note(accountId, limit) {
      if (!known.note(accountId, limit)) return;
      limits.series('vendor').add();
      const { connectionId, credentialVersion, forMs } = limit;
      o.log.info({ connectionId, forMs }, 'a vendor limits a connection');
      o.nats
        .publish(connectionLimited, {
          accountId,
          connectionId,
          credentialVersion: BigInt(credentialVersion),
          forMs: BigInt(Math.ceil(Math.min(forMs, Number.MAX_SAFE_INTEGER))),
        })
        .catch((error: unknown) => o.log.warn({ err: error }, 'could not publish the limit of a vendor'));
    },
    isLimited: (accountId, connectionId) => known.has(accountId, connectionId),
    close() {
      watched.delete(known);
      known.clear();
    },
  };
}
