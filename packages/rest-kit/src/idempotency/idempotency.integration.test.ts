import { setTimeout as delay } from 'node:timers/promises';
import { randomBytes } from 'node:crypto';
import { guid } from '@fairlead/service-kit/ids';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { defineRoute } from '../testing/define-route.ts';
import { call, startTestEdge } from '../testing/edge.ts';
import { idempotencyStoreSuite, newLock, sealed } from './testing/idempotency-suite.ts';
import { testSealer } from './testing/memory-idempotency.ts';
import { createAnswerCodec } from './answer-codec.ts';
import { answerPieceCollection, idempotencyCollection } from './storage/idempotency.collection.ts';
import { idempotencyCollections, idempotencyRepository } from './storage/idempotency.repository.ts';
import { createIdempotentRunner } from './use-cases/run-once.ts';

let store: Awaited<ReturnType<typeof testStore>>;
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), idempotencyCollections);
});
afterAll(() => store.drop());

describe('the idempotency store in MongoDB', () => {
  idempotencyStoreSuite((o) => idempotencyRepository(store, o));

  test('the keys and answers of an erased account are gone, those of others stay', async () => {
    const repository = idempotencyRepository(store);
    const [erased, other] = ['acc_erased', 'acc_other'].map((accountId) => newLock({ accountId }));
    const operator = newLock({ accountId: undefined });
    for (const lock of [erased, other, operator]) {
      await repository.acquire(lock?.lockId ?? '', lock ?? operator);
      await repository.keep(lock?.lockId ?? '', lock?.lockId ?? '', {
        status: 200,
        pieces: [sealed('a'), sealed('b')],
      });
    }
    await repository.eraseIdempotencyOf('acc_erased');
    for (const collection of [idempotencyCollection, answerPieceCollection]) {
      const owners = await store.db.collection(collection.name).distinct('accountId');
      expect(owners).not.toContain('acc_erased');
      expect(owners).toEqual(expect.arrayContaining(['acc_other', null]));
    }
  });

  test('an answer to the operator goes with the account that it is about, and its key is free again', async () => {
    const repository = idempotencyRepository(store);
    const [about, other] = [newLock({ accountId: undefined }), newLock({ accountId: undefined })];
    for (const lock of [about, other]) {
      await repository.acquire(lock.lockId, lock);
      await repository.keep(lock.lockId, lock.lockId, {
        status: 201,
        pieces: [sealed('a'), sealed('b')],
        accountId: lock === about ? 'acc_made' : undefined,
      });
    }
    await repository.eraseIdempotencyOf('acc_made');
    const pieces = store.db.collection(answerPieceCollection.name);
    expect(await pieces.countDocuments({ runId: about.lockId })).toBe(0);
    expect(await repository.acquire(about.lockId, newLock({ accountId: undefined }))).toBeUndefined();
    expect(await repository.acquire(other.lockId, newLock({ accountId: undefined }))).toMatchObject({
      kind: 'kept',
    });
  });

  test('finding the pieces of an answer, and what an account has, scans no collection', async () => {
    const plans = await Promise.all([
      store.db.collection(idempotencyCollection.name).find({ accountId: 'acc_a' }).explain(),
      store.db.collection(answerPieceCollection.name).find({ accountId: 'acc_a' }).explain(),
      store.db.collection(answerPieceCollection.name).find({ runId: 'r' }).sort({ index: 1 }).explain(),
    ]);
    for (const plan of plans) expect(JSON.stringify(plan)).not.toMatch(/COLLSCAN|"SORT"/);
  });
});

describe('two replicas', () => {
  /** A route that makes a payment per call, on two edges with a common database. */
  async function replicas() {
    let runs = 0;
    const pay = defineRoute(
      {
        operationId: 'pay',
        method: 'post',
        path: '/v1/payments',
        tags: ['Items'],
        summary: 'Pay',
        auth: 'credential',
        body: z.object({ amount: z.int() }),
        response: z.strictObject({ id: z.int(), secret: z.string() }),
        status: 201,
        errors: [],
      },
      async () => {
        runs += 1;
        const id = runs;
        await delay(20);
        return { id, secret: 'canary-of-the-answer' };
      },
    );
    const { log } = captureLog();
    // One sealer, because all replicas share the key ring and the data keys.
    const codec = createAnswerCodec(testSealer());
    const idempotency = () => createIdempotentRunner({ store: idempotencyRepository(store), codec, log });
    const edges = await Promise.all([
      startTestEdge({ routes: [pay], idempotency: idempotency() }),
      startTestEdge({ routes: [pay], idempotency: idempotency() }),
    ]);
    return {
      edges,
      runs: () => runs,
      close: () => Promise.all(edges.map((edge) => edge.close())),
    };
  }

  test('of 50 concurrent calls with one key exactly one runs; the others get its response, or an error that says it is running', async () => {
    const { edges, runs, close } = await replicas();
    const headers = { 'idempotency-key': guid() };
    const pay = (edge: { readonly url: string }) =>
      call(edge, 'POST', '/v1/payments', { json: { amount: 1 }, headers });
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => pay(edges[index % 2 === 0 ? 0 : 1])),
    );
    expect(runs()).toBe(1);
    const first = answers.filter(
      ({ status, headers: sent }) => status === 201 && sent.get('idempotency-replayed') === null,
    );
    expect(first).toHaveLength(1);
    const seen = new Set(answers.map(({ body }) => String(body['errorCode'] ?? body['text'])));
    seen.delete('IDEMPOTENCY_IN_PROGRESS');
    expect([...seen]).toEqual([first[0]?.body['text']]);
    const replay = await pay(edges[1]);
    expect([replay.status, replay.headers.get('idempotency-replayed'), replay.body['text']]).toEqual([
      201,
      'true',
      first[0]?.body['text'],
    ]);
    await close();
  });

  test('[completion.everywhere.49] nothing of key, target, body and answer is stored in plain', async () => {
    const { edges, close } = await replicas();
    const key = `canary-of-the-key-${guid()}`;
    const sent = await call(edges[0], 'POST', '/v1/payments?q=canary-of-the-target', {
      json: { amount: 4_711_471_147 },
      headers: { 'idempotency-key': key },
    });
    expect(sent.status).toBe(201);
    const documents = JSON.stringify(await store.db.collection(idempotencyCollection.name).find().toArray());
    expect(documents).not.toMatch(/canary|4711471147/);
    await close();
  });
});

describe('an answer that no document of MongoDB could hold', () => {
  test('is kept in pieces and given again byte by byte', async () => {
    const { log } = captureLog();
    const idempotency = createIdempotentRunner({
      store: idempotencyRepository(store),
      codec: createAnswerCodec(testSealer()),
      log,
    });
    // Random, so it cannot be compressed.
    const text = JSON.stringify({ data: randomBytes(15 * 1024 * 1024).toString('base64') });
    const asked = {
      owner: 'operator',
      key: guid(),
      target: '/v1/big',
      body: new Uint8Array(),
      timeoutMs: 5000,
    } as const;
    let runs = 0;
    const run = () =>
      idempotency.run(asked, () => {
        runs += 1;
        return Promise.resolve({ status: 200, text });
      });
    expect((await run()).isReplayed).toBe(false);
    // The response is sent after two seconds, even if writing it takes longer.
    await idempotency.drain(30_000);
    const again = await run();
    expect([again.isReplayed, again.answer.text === text, runs]).toEqual([true, true, 1]);
  });
});
