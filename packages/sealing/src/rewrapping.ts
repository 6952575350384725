import { setTimeout as delay } from 'node:timers/promises';
import { repeatInBackground } from '@fairlead/service-kit/lifecycle/background';
import type { BackgroundWork } from '@fairlead/service-kit/lifecycle/background';
import type { Lease } from '@fairlead/service-kit/mongo/lease';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { registry } from '@fairlead/service-kit/telemetry/service-metrics';
import { unwrapDataKey, wrapDataKey } from './scope-keys.ts';
import type { DataKeyRecord, DataKeyStore } from './data-keys.ts';
import { throwIfUnavailable } from './key-encryption.ts';
import type { KeyEncryption, WrappedKey } from './key-encryption.ts';

export interface RewrappingDeps {
  readonly store: DataKeyStore;
  readonly encryption: KeyEncryption;
  /** Held while data keys are rewrapped, so that one replica does it. */
  readonly lease: Lease;
  readonly log: Logger;
  /** Pause between two checks for data keys to rewrap. Default 30 s. */
  readonly everyMs?: number;
  /** The maximum number of data keys that are rewrapped in a second. Default 500. */
  readonly perSecond?: number;
}

const EVERY_MS = 30_000;
const PER_SECOND = 500;
const BATCH = 50;
const REPORT_MS = 10_000;

const rewrapped = registry.counter({
  name: 'sealing_data_keys_rewrapped_total',
  help: 'Data keys that this process wrapped with the current key-encryption key; failed: those that did not open.',
  labels: ['outcome'],
});
// Prometheus sees an increase only of a series that it has read before.
const rewrapFailures = rewrapped.series('failed');

/** The count of each running rewrapper; several only if tests run them in one process. */
const outdated = new Map<object, number>();
registry.observed({
  name: 'sealing_data_keys_outdated',
  help: 'Data keys that another key-encryption key than the current one wraps; 0 when a rotation is complete.',
  read: () => Math.max(0, ...outdated.values()),
});

/**
 * Wraps each data key with the current key-encryption key, in the background, at a bounded rate, one replica at a time. A data key keeps
 * its bytes, so no call waits and every fingerprint stays the same. The stored names of the wrapping keys are the only state, so the next
 * lease holder continues where a killed process stopped.
 */
export function keepDataKeysWrapped(o: RewrappingDeps): BackgroundWork {
  const self = {};
  const work = repeatInBackground({
    name: 'rewrapping of data keys',
    everyMs: o.everyMs ?? EVERY_MS,
    log: o.log,
    async work(signal) {
      outdated.set(self, await countOutdated(o));
      if (outdated.get(self) === 0 || !(await o.lease.hold())) return;
      try {
        await rewrapAll(o, signal, (left) => outdated.set(self, left));
      } finally {
        await o.lease.release();
      }
    },
  });
  return {
    async close() {
      await work.close();
      outdated.delete(self);
    },
  };
}

/** The number of data keys that are wrapped by a key-encryption key other than the current one. */
async function countOutdated(o: RewrappingDeps): Promise<number> {
  const counts = (await outdatedNames(o)).map((name) => o.store.countWrappedWith(name));
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

async function outdatedNames({ store, encryption }: RewrappingDeps): Promise<string[]> {
  return (await store.wrappingKeys()).filter((name) => name !== encryption.current());
}

async function rewrapAll(
  o: RewrappingDeps,
  signal: AbortSignal,
  onProgress: (left: number) => void,
): Promise<void> {
  const startedAt = performance.now();
  let reportedAt = startedAt;
  let done = 0;
  let failed = 0;
  let left = await countOutdated(o);
  const wrapsWith = o.encryption.current();
  o.log.info({ outdated: left, wrapsWith }, 'rewrapping data keys');
  for (const name of await outdatedNames(o)) {
    for await (const batch of batchesOf(o, name, signal)) {
      const result = await rewrapBatch(o, batch);
      done += result.stored;
      failed += result.failed;
      left -= batch.length;
      onProgress(Math.max(0, left + failed));
      if (performance.now() - reportedAt < REPORT_MS) continue;
      reportedAt = performance.now();
      o.log.info({ rewrapped: done, failed, outdated: left + failed, wrapsWith }, 'rewrapping data keys');
    }
  }
  const durationMs = Math.round(performance.now() - startedAt);
  const result = { rewrapped: done, failed, outdated: await countOutdated(o), wrapsWith, durationMs };
  onProgress(result.outdated);
  if (failed > 0) o.log.error(result, 'data keys do not open and could not be rewrapped');
  else if (result.outdated === 0) o.log.info(result, 'every data key is wrapped with the current key');
}

/** The data keys that `name` wraps, while the lease is held and at the permitted rate. */
async function* batchesOf(
  o: RewrappingDeps,
  name: string,
  signal: AbortSignal,
): AsyncGenerator<readonly DataKeyRecord[]> {
  let after = '';
  const batchMs = (BATCH * 1000) / (o.perSecond ?? PER_SECOND);
  while (!signal.aborted && (await o.lease.hold())) {
    const startedAt = performance.now();
    const batch = await o.store.listWrappedWith(name, after, BATCH);
    const last = batch.at(-1);
    if (last === undefined) return;
    after = last.scope;
    yield batch;
    const restMs = Math.max(0, batchMs - (performance.now() - startedAt));
    await delay(restMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

async function rewrapBatch(
  o: RewrappingDeps,
  batch: readonly DataKeyRecord[],
): Promise<{ readonly stored: number; readonly failed: number }> {
  const attempts = await Promise.allSettled(batch.map((old) => rewrap(o.encryption, old)));
  const stored = await o.store.rewrap(
    attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : [])),
  );
  const failures = attempts.filter((attempt) => attempt.status === 'rejected');
  throwIfUnavailable(failures.map(({ reason }): unknown => reason));
  rewrapped.series('ok').add(stored);
  rewrapFailures.add(failures.length);
  if (failures[0] !== undefined)
    o.log.warn({ err: failures[0].reason, failed: failures.length }, 'data keys do not open');
  return { stored, failed: failures.length };
}

async function rewrap(
  encryption: KeyEncryption,
  old: DataKeyRecord,
): Promise<{ readonly old: DataKeyRecord; readonly wrapped: WrappedKey }> {
  const { wrappedWith, wrapped } = await wrapDataKey(encryption, old.scope, {
    id: old.id,
    key: await unwrapDataKey(encryption, old),
  });
  return { old, wrapped: { wrappedWith, wrapped } };
}
