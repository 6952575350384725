import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import { parseKeyRing } from '@fairlead/service-kit/key-ring';
import { ringKeyEncryption } from '@fairlead/sealing/ring-key-encryption';
import { createSealer } from '@fairlead/sealing/sealing';
import type { Sealer } from '@fairlead/sealing/sealing';
import { memoryDataKeyStore } from '@fairlead/sealing/testing/memory-data-keys';
import { createAnswerCodec } from '../answer-codec.ts';
import type { KeyLock, StoredAnswer } from '../domain/record.ts';
import type { Idempotency } from '../idempotency.ts';
import type { IdempotencyStore } from '../ports/idempotency-store.ts';
import { createIdempotentRunner } from '../use-cases/run-once.ts';

interface Entry {
  readonly lock: KeyLock;
  readonly leaseUntil: number;
  readonly expiresAt: number;
  readonly answer: StoredAnswer | undefined;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** An in-memory IdempotencyStore for unit tests; it passes the real store's test suite. */
export function memoryIdempotencyStore(o: { readonly retentionMs?: number } = {}): IdempotencyStore {
  const { retentionMs = DAY_MS } = o;
  const entries = new Map<string, Entry>();
  const put = (id: string, lock: KeyLock): void => {
    const now = Date.now();
    entries.set(id, {
      lock,
      leaseUntil: now + lock.leaseMs,
      expiresAt: now + retentionMs,
      answer: undefined,
    });
  };
  const unanswered = (id: string, lockId: string): Entry | undefined => {
    const entry = entries.get(id);
    return entry?.lock.lockId === lockId && entry.answer === undefined ? entry : undefined;
  };
  return {
    acquire(id, lock) {
      const entry = entries.get(id);
      if (entry === undefined || entry.expiresAt <= Date.now()) {
        put(id, lock);
        return Promise.resolve(undefined);
      }
      const { lockId, fingerprint } = entry.lock;
      const { answer } = entry;
      return Promise.resolve(
        answer === undefined
          ? { kind: 'locked', lockId, fingerprint }
          : { kind: 'kept', lockId, fingerprint, answer },
      );
    },
    takeOver(id, staleLockId, lock) {
      const entry = unanswered(id, staleLockId);
      if (entry === undefined || entry.leaseUntil > Date.now()) return Promise.resolve(false);
      put(id, lock);
      return Promise.resolve(true);
    },
    keep(id, lockId, answer) {
      const entry = entries.get(id);
      if (entry?.lock.lockId !== lockId) return Promise.resolve(false);
      entries.set(id, { ...entry, answer });
      return Promise.resolve(true);
    },
    release(id, lockId) {
      if (unanswered(id, lockId) !== undefined) entries.delete(id);
      return Promise.resolve();
    },
  };
}

/** A sealer with its data keys in memory. */
export function testSealer(): Sealer {
  const keyRing = parseKeyRing(`v1:${Buffer.alloc(32, 1).toString('base64')}`);
  return createSealer({ encryption: ringKeyEncryption(keyRing), store: memoryDataKeyStore() });
}

/** The real use case with an in-memory store. */
export function memoryIdempotency(log: Logger): Idempotency {
  return createIdempotentRunner({
    store: memoryIdempotencyStore(),
    codec: createAnswerCodec(testSealer()),
    log,
  });
}
