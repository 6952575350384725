import { ApiError } from '@fairlead/errors/api-error';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { describe, expect, test } from 'vitest';
import { memoryIdempotencyStore, testSealer } from '../testing/memory-idempotency.ts';
import { createAnswerCodec } from '../answer-codec.ts';
import type { IdempotentCall, StoredResponse } from '../domain/call.ts';
import type { IdempotencyStore } from '../ports/idempotency-store.ts';
import { createIdempotentRunner } from './run-once.ts';

const call: IdempotentCall = {
  owner: { accountId: 'acc_a', userId: 'usr_a' },
  key: 'key',
  target: '/v1/items',
  body: Buffer.from('{}'),
  timeoutMs: 60_000,
};
// One codec for all, because replicas share the key ring and the data keys.
const codec = createAnswerCodec(testSealer());
const done: StoredResponse = { status: 201, text: '{"id":1}' };
const away = () => Promise.reject(new ApiError('UNAVAILABLE', 'The database is unavailable.'));

/** The use case with an in-memory store, some of whose methods fail while `isAway` is true. */
function setUp(o: { readonly failing?: readonly (keyof IdempotencyStore)[] } = {}) {
  const state = { isAway: true, runs: 0 };
  const store = memoryIdempotencyStore();
  const fails = (method: keyof IdempotencyStore) => state.isAway && o.failing?.includes(method);
  const { log, lines } = captureLog();
  const idempotency = createIdempotentRunner({
    store: {
      acquire: (id, lock) => (fails('acquire') ? away() : store.acquire(id, lock)),
      takeOver: (...all) => (fails('takeOver') ? away() : store.takeOver(...all)),
      keep: (...all) => (fails('keep') ? away() : store.keep(...all)),
      release: (...all) => (fails('release') ? away() : store.release(...all)),
    },
    codec,
    log,
    retryMs: 10,
  });
  const work = () => {
    state.runs += 1;
    return Promise.resolve(done);
  };
  return { state, store, idempotency, work, lines };
}

describe('an unavailable store', () => {
  test('before the call: it is refused and nothing is executed', async () => {
    const { state, idempotency, work } = setUp({ failing: ['acquire', 'release'] });
    await expect(idempotency.run(call, work)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(state.runs).toBe(0);
  });

  test('whose write succeeded although its response was lost: the key is freed', async () => {
    const { store, idempotency, work, state } = setUp();
    let isFirst = true;
    const deaf = createIdempotentRunner({
      store: {
        ...store,
        async acquire(id, lock) {
          const standing = await store.acquire(id, lock);
          if (isFirst) await away();
          return standing;
        },
      },
      codec,
      log: captureLog().log,
    });
    await expect(deaf.run(call, work)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    isFirst = false;
    await deaf.drain(1000);
    expect((await deaf.run(call, work)).answer).toEqual(done);
    expect(state.runs).toBe(1);
    await idempotency.drain(0);
  });

  test('after the call: it is answered, and the answer is written once the store is back', async () => {
    const { state, idempotency, work, lines } = setUp({ failing: ['keep'] });
    const first = idempotency.run(call, work);
    await expect.poll(() => state.runs).toBe(1);
    // The call does not run again meanwhile.
    await expect(idempotency.run(call, work)).rejects.toMatchObject({ code: 'IDEMPOTENCY_IN_PROGRESS' });
    expect((await first).answer).toEqual(done);
    state.isAway = false;
    await idempotency.drain(1000);
    expect(await idempotency.run(call, work)).toEqual({ answer: done, isReplayed: true });
    expect(state.runs).toBe(1);
    expect(lines()).toContainEqual(expect.objectContaining({ level: 'warn' }));
  });

  test('after a call that failed: its own error is thrown, and the key stays in progress', async () => {
    const { idempotency, work } = setUp({ failing: ['release'] });
    const failing = () => Promise.reject(new ApiError('TIMEOUT', 'Too slow.'));
    await expect(idempotency.run(call, failing)).rejects.toMatchObject({ code: 'TIMEOUT' });
    await expect(idempotency.run(call, work)).rejects.toMatchObject({ code: 'IDEMPOTENCY_IN_PROGRESS' });
  });
});

describe('a runner that crashed', () => {
  test('leaves its key to the next call of the same body once its lease is over; that runs, once', async () => {
    const { store, state, idempotency, work } = setUp();
    const crashed = createIdempotentRunner({
      store: { ...store, acquire: (id, lock) => store.acquire(id, { ...lock, leaseMs: 0 }) },
      codec,
      log: captureLog().log,
    });
    const started = Promise.withResolvers<void>();
    void crashed.run(call, () => {
      started.resolve();
      return new Promise(() => {});
    });
    await started.promise;
    const another = { ...call, body: Buffer.from('[]') };
    await expect(idempotency.run(another, work)).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
    expect((await idempotency.run(call, work)).isReplayed).toBe(false);
    expect((await idempotency.run(call, work)).isReplayed).toBe(true);
    expect(state.runs).toBe(1);
  });

  test('and comes back too late changes nothing; the log says so', async () => {
    const { store, idempotency, work } = setUp();
    const { log, lines } = captureLog();
    const finish = Promise.withResolvers<StoredResponse>();
    const slow = createIdempotentRunner({
      store: { ...store, acquire: (id, lock) => store.acquire(id, { ...lock, leaseMs: 0 }) },
      codec,
      log,
    });
    const started = Promise.withResolvers<void>();
    const late = slow.run(call, () => {
      started.resolve();
      return finish.promise;
    });
    await started.promise;
    await idempotency.run(call, work);
    finish.resolve({ status: 201, text: '{"id":2}' });
    expect((await late).answer.text).toBe('{"id":2}');
    expect((await idempotency.run(call, work)).answer).toEqual(done);
    expect(lines()).toMatchObject([
      { level: 'error', msg: 'a call outlived the lease of its idempotency key' },
    ]);
  });
});

describe('draining', () => {
  test('waits for what runs, but no longer than the grace', async () => {
    const { idempotency } = setUp();
    const finish = Promise.withResolvers<StoredResponse>();
    const running = idempotency.run(call, () => finish.promise);
    let isDrained = false;
    await idempotency.drain(10);
    const drained = idempotency.drain(60_000).then(() => (isDrained = true));
    await new Promise(setImmediate);
    expect(isDrained).toBe(false);
    finish.resolve(done);
    await running;
    await drained;
    expect(isDrained).toBe(true);
  });
});
