import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { mongoConfigShape } from '@fairlead/service-kit/config';
import { parseKeyRing } from '@fairlead/service-kit/key-ring';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { replaceDataKeys } from './testing/replace-data-keys.ts';
import { sealThing, sealedThings, thingCollection } from './testing/sealed-things.ts';
import { runDataKeysCommand } from './data-keys-command.ts';
import { mongoDataKeyStore } from './data-keys.ts';
import { replacementState, sealingCollections } from './replacement-state.ts';
import { ringKeyEncryption } from './ring-key-encryption.ts';
import { createSealer } from './sealing.ts';

const encryption = ringKeyEncryption(parseKeyRing(`v1:${Buffer.alloc(32, 1).toString('base64')}`));
let mongo: Awaited<ReturnType<typeof testStore>>;
beforeAll(async () => {
  mongo = await testStore(inject('mongodbUri'), [...sealingCollections, thingCollection]);
});
afterAll(() => mongo.drop());

async function run(...argv: string[]) {
  let [out, err] = ['', ''];
  const code = await runDataKeysCommand({
    service: 'things',
    config: z.object(mongoConfigShape),
    process: {
      argv: ['node', 'data-keys.ts', ...argv],
      env: { MONGODB_URI: inject('mongodbUri'), MONGODB_DATABASE: mongo.db.databaseName },
      stdout: { write: (text) => (out += text) },
      stderr: { write: (text) => (err += text) },
    },
  });
  return { code, out, err };
}

test('prints which keys wrap what, requests a replacement once, and tells how far it is', async () => {
  const sealer = createSealer({ encryption, store: mongoDataKeyStore(mongo) });
  await mongo
    .collection(thingCollection)
    .insertMany([await sealThing(sealer, 'acc_a', 1), await sealThing(sealer, 'acc_b', 2)]);
  const head = `things (${mongo.db.databaseName}): `;
  const keys = `${head}2 data keys in dataKeys\n  wrapped with v1: 2\n  with former data keys: 0\n`;
  expect(await run('status')).toEqual({ code: 0, out: keys, err: '' });

  expect(await run('replace', '--yes')).toEqual({
    code: 0,
    out: `${head}replacement 1 of all data keys was requested\n`,
    err: '',
  });
  expect((await run('status')).out).toBe(
    `${keys}  replacement 1: issuing data keys; 0 data keys replaced, 0 documents sealed anew, 0 values do not open\n`,
  );
  expect(await run('replace', '--yes')).toEqual({
    code: 1,
    out: '',
    err: 'things: a replacement of data keys is already in progress\n',
  });
  await replaceDataKeys(mongo, encryption, sealedThings);
  const finishedAt = (await replacementState(mongo).read())?.finishedAt?.toISOString();
  expect((await run('status')).out).toBe(
    `${keys}  replacement 1: done at ${finishedAt}; 2 data keys replaced, 2 documents sealed anew, 0 values do not open\n`,
  );
});

test.each([[[]], [['replace']], [['status', '--yes']], [['status', 'more']], [['--other']]])(
  'the arguments %j print the usage and change nothing',
  async (argv) => {
    const before = await replacementState(mongo).read();
    const { code, out, err } = await run(...argv);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('usage: data-keys');
    expect(await replacementState(mongo).read()).toEqual(before);
  },
);
