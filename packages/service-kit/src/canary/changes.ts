import { setTimeout as delay } from 'node:timers/promises';
import type { Nats } from '../nats/nats.ts';
import { canaryChangeSchema } from './change.ts';
import type { CanaryChange } from './change.ts';

/** A change with its revision in the bucket. */
export type StoredChange = CanaryChange & { readonly revision: number };

/** The changes of all canaries that this process knows. */
export interface CanaryChanges {
  /** Whether the changes were read once. From then on they are known, even during an outage of NATS. */
  isRead(): boolean;
  /** The newest change of a service, whatever rule it applies to. */
  of(service: string): StoredChange | undefined;
  /** Calls the listener after each change, until the returned function is called. */
  subscribe(onChange: () => void): () => void;
  /**
   * Replaces the newest change by the result of `next`; undefined: keeps it and returns it. `next` runs again if
   * another process was faster. Rejects with NatsUnavailableError, after which the change may still be written.
   */
  write(
    service: string,
    next: (newest: CanaryChange | undefined) => Omit<CanaryChange, 'at'> | undefined,
  ): Promise<StoredChange | undefined>;
}

/** The bucket shared by all processes of an installation. */
const BUCKET = {
  name: 'canaries',
  description: 'Changes of canaries on top of the rules',
  schema: canaryChangeSchema,
  isNewer: (change: CanaryChange, than: CanaryChange) => change.at > than.at,
};

const opened = new WeakMap<object, CanaryChanges>();

/** The changes in NATS, followed until `nats` is closed; equal for each call. */
export function openCanaryChanges(nats: Pick<Nats, 'bucket'>): CanaryChanges {
  const known = opened.get(nats);
  if (known !== undefined) return known;
  const changes = followChanges(nats);
  opened.set(nats, changes);
  return changes;
}

function followChanges(nats: Pick<Nats, 'bucket'>): CanaryChanges {
  const bucket = nats.bucket(BUCKET);
  return {
    isRead: () => bucket.isRead(),
    of(service) {
      const stored = bucket.get(service);
      return stored && { ...stored.value, revision: stored.revision };
    },
    subscribe: (onChange) => bucket.subscribe(onChange),
    async write(service, next) {
      const stored = await bucket.update(service, (newest) => {
        const change = next(newest);
        return change && { ...change, at: timeAfter(newest?.at) };
      });
      return stored && { ...stored.value, revision: stored.revision };
    },
  };
}

const READ_LIMIT_MS = 1_000;

/** Resolves when the changes were read, after a second at most. */
export async function untilRead(
  changes: Pick<CanaryChanges, 'isRead' | 'subscribe'>,
  limitMs = READ_LIMIT_MS,
): Promise<void> {
  const read = Promise.withResolvers<undefined>();
  const look = (): void => {
    if (changes.isRead()) read.resolve(undefined);
  };
  const end = changes.subscribe(look);
  look();
  await Promise.race([read.promise, delay(limitMs, undefined, { ref: false })]);
  end();
}

/** The current time, or just after the given time if its writer's clock is ahead. */
function timeAfter(before: string | undefined): string {
  const now = Date.now();
  return new Date(before === undefined ? now : Math.max(now, Date.parse(before) + 1)).toISOString();
}
