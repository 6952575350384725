import { setTimeout as delay } from 'node:timers/promises';
import type { Nats } from '../nats/nats.ts';
import { canaryChangeSchema } from './change.ts';
import type { CanaryChange } from './change.ts';

/** A change with the number of its bucket. */
export type StoredChange = CanaryChange & { readonly revision: number };

/** The changes of all canaries, as this process knows them. */
export interface CanaryChanges {
  /** Whether the changes were read once; from then on they are known, also while NATS is away. */
  isRead(): boolean;
  /** The newest change of a service, whatever it applies to. */
  of(service: string): StoredChange | undefined;
  /** Calls the listener after each change of what is known; the answer ends that. */
  subscribe(onChange: () => void): () => void;
  /**
   * Writes the change that `next` makes of the newest one; undefined: that stays, and is the answer. `next` runs again when another
   * process was faster. Rejects with NatsUnavailableError, after which the change may still be written.
   */
  write(
    service: string,
    next: (newest: CanaryChange | undefined) => Omit<CanaryChange, 'at'> | undefined,
  ): Promise<StoredChange | undefined>;
}

/** The bucket that all processes of an installation share. */
const BUCKET = {
  name: 'canaries',
  description: 'Changes of canaries on top of the rules',
  schema: canaryChangeSchema,
  isNewer: (change: CanaryChange, than: CanaryChange) => change.at > than.at,
};

const opened = new WeakMap<object, CanaryChanges>();

/** The changes in NATS, which are followed until `nats` is closed: the same ones for each call. */
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

/** Resolves when the changes were read, or after at most a second. */
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

/** Now, or just after the given time, if the clock of its writer is ahead. */
function timeAfter(before: string | undefined): string {
  const now = Date.now();
  return new Date(before === undefined ? now : Math.max(now, Date.parse(before) + 1)).toISOString();
}
