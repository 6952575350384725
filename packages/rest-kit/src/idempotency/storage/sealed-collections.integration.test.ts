import { randomBytes } from 'node:crypto';
import { parseKeyRing } from '@fairlead/service-kit/key-ring';
import { mongoDataKeyStore } from '@fairlead/sealing/data-keys';
import { ringKeyEncryption } from '@fairlead/sealing/ring-key-encryption';
import { createSealer } from '@fairlead/sealing/sealing';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { replaceDataKeys } from '@fairlead/sealing/testing/replace-data-keys';
import { tryEveryBinding } from '@fairlead/sealing/testing/sealed-bindings';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { sealingCollections } from '@fairlead/sealing/replacement-state';
import { createAnswerCodec } from '../answer-codec.ts';
import type { KeyOwner } from '../domain/call.ts';
import { createIdempotentRunner } from '../use-cases/run-once.ts';
import { answerPieceCollection } from './idempotency.collection.ts';
import { idempotencyCollections, idempotencyRepository } from './idempotency.repository.ts';
import { sealedCollections } from './sealed-collections.ts';

const encryption = ringKeyEncryption(parseKeyRing(`v1:${Buffer.alloc(32, 1).toString('base64')}`));
const PIECE_LENGTH = 200;
const body = Buffer.from('{"amount":1}');
const owners: readonly KeyOwner[] = [
  { accountId: 'acc_1', userId: 'usr_1' },
  { accountId: 'acc_2', userId: 'usr_2' },
  'operator',
];

let store: Awaited<ReturnType<typeof testStore>>;
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), [...idempotencyCollections, ...sealingCollections]);
});
afterAll(() => store.drop());

/** A replica with its own caches. */
function newIdempotency() {
  const sealer = createSealer({ encryption, store: mongoDataKeyStore(store) });
  const codec = createAnswerCodec(sealer, PIECE_LENGTH);
  const once = createIdempotentRunner({ store: idempotencyRepository(store), codec, log: captureLog().log });
  /** Random, so it needs several pieces. The operator's responses are about an account. */
  const answer = (owner: KeyOwner) => ({
    status: 201,
    text: JSON.stringify({ secret: randomBytes(300).toString('base64') }),
    ...(owner === 'operator' && { accountId: 'acc_1' }),
  });
  const run = (owner: KeyOwner, given: Uint8Array = body) =>
    once.run({ owner, key: 'key', target: '/v1/payments', body: given, timeoutMs: 5000 }, () =>
      Promise.resolve(answer(owner)),
    );
  return { sealer, run };
}

test('a stored response opens for its own key and piece only, and is replayed after data keys were replaced', async () => {
  const { sealer, run } = newIdempotency();
  const first = await Promise.all(owners.map((owner) => run(owner)));
  const fields = ['idempotency_answer_pieces.piece', 'idempotency_keys.answer.piece'];
  expect(await tryEveryBinding(store, sealer, sealedCollections)).toEqual({
    fields,
    closed: [],
    movable: [],
  });

  const replaced = await replaceDataKeys(store, encryption, sealedCollections);
  const pieces = await store.collection(answerPieceCollection).countDocuments();
  expect(replaced).toMatchObject({ issued: 3, resealed: 3 + pieces, failed: 0, unreadable: 0 });
  expect(await tryEveryBinding(store, sealer, sealedCollections)).toEqual({
    fields,
    closed: [],
    movable: [],
  });
  for (const gateway of [{ run }, newIdempotency()])
    for (const [at, owner] of owners.entries()) {
      expect(await gateway.run(owner)).toEqual({
        answer: { status: 201, text: first[at]?.answer.text },
        isReplayed: true,
      });
      await expect(gateway.run(owner, Buffer.from('{"amount":2}'))).rejects.toMatchObject({
        code: 'IDEMPOTENCY_CONFLICT',
      });
    }
});
