import { repeatInBackground } from '@fairlead/service-kit/lifecycle/background';
import type { BackgroundWork } from '@fairlead/service-kit/lifecycle/background';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { registry } from '@fairlead/service-kit/telemetry/service-metrics';
import { confirmEvents } from '../use-cases/confirm-events.ts';
import type { Checkpoint, ConfirmEventsDeps } from '../use-cases/confirm-events.ts';
import type { Outbox } from '../ports/outbox.ts';

export interface OutboxConfirmerDeps extends Omit<
  ConfirmEventsDeps,
  'mayContinue' | 'outbox' | 'reportLost'
> {
  readonly outbox: ConfirmEventsDeps['outbox'] & Pick<Outbox, 'oldestPending'>;
  /** Lease: one replica works at a time; two would do no harm. */
  readonly lease: { hold(): Promise<boolean>; release(): Promise<void> };
  readonly log: Logger;
  /** Milliseconds between two rounds; default: 1 000. */
  readonly everyMs?: number;
}

const EVERY_MS = 1_000;

let oldestAgeSeconds = 0;
let streamMessages = 0;
registry.observed({
  name: 'trigger_outbox_oldest_seconds',
  help: 'Age of the oldest captured event that the ledger has not confirmed; 0 on replicas that do not check.',
  read: () => oldestAgeSeconds,
});
registry.observed({
  name: 'trigger_stream_lag_messages',
  help: 'Messages of captured events that the ledger has not acknowledged; 0 on replicas that do not check.',
  read: () => streamMessages,
});

const lostEvents = registry.counter({
  name: 'trigger_events_lost_total',
  help: 'Captured events that the ledger has lost in a restore, and whose bodies the outbox no longer has.',
  labels: [],
});

/** In the background, on one replica at a time, confirms captured events and publishes lost ones again. */
export function startOutboxConfirmer(deps: OutboxConfirmerDeps): BackgroundWork {
  const { lease, outbox, stream, clock, log, everyMs = EVERY_MS } = deps;
  let checkpoint: Checkpoint | undefined;

  /** Whether anything is pending. */
  async function observe(): Promise<boolean> {
    const oldest = await outbox.oldestPending();
    oldestAgeSeconds =
      oldest === undefined ? 0 : Math.max(0, (clock.now().getTime() - oldest.getTime()) / 1000);
    streamMessages = (await stream.state()).messages;
    return oldest !== undefined;
  }

  function reportLost(eventIds: readonly string[]): void {
    lostEvents.series().add(eventIds.length);
    log.error({ eventIds }, 'captured events are lost: the restored ledger does not have them');
  }

  const work = repeatInBackground({
    name: 'outbox-confirmer',
    everyMs,
    log,
    async work(signal) {
      if (!(await lease.hold())) {
        [oldestAgeSeconds, streamMessages, checkpoint] = [0, 0, undefined];
        return;
      }
      if (!(await observe())) return;
      const mayContinue = async (): Promise<boolean> => !signal.aborted && (await lease.hold());
      checkpoint = await confirmEvents({ ...deps, mayContinue, reportLost }, checkpoint);
    },
  });
  return {
    async close() {
      await work.close();
      await lease.release();
    },
  };
}
