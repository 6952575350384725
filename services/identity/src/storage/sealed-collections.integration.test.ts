import { ManualClock } from '@fairlead/service-kit/clock';
import { parseKeyRing } from '@fairlead/service-kit/key-ring';
import { mongoDataKeyStore } from '@fairlead/sealing/data-keys';
import { ringKeyEncryption } from '@fairlead/sealing/ring-key-encryption';
import { createSealer } from '@fairlead/sealing/sealing';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { replaceDataKeys } from '@fairlead/sealing/testing/replace-data-keys';
import { tryEveryBinding } from '@fairlead/sealing/testing/sealed-bindings';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openSigningKeys } from '../oauth/keys/signing-keys.ts';
import { artifactRepository } from './artifact.repository.ts';
import { schema } from './schema.ts';
import { sealedCollections } from './sealed-collections.ts';

const encryption = ringKeyEncryption(parseKeyRing(`v1:${Buffer.alloc(32, 1).toString('base64')}`));

let store: Awaited<ReturnType<typeof testStore>>;
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), schema.collections);
});
afterAll(() => store.drop());

test('a sealed value opens in its own record only; replaced data keys end neither tokens, user codes nor signing keys', async () => {
  const sealer = createSealer({ encryption, store: mongoDataKeyStore(store) });
  const clock = new ManualClock(new Date());
  const artifacts = artifactRepository({ store, sealer, clock });
  const put = (kind: string, id: string, payload: Record<string, string>) =>
    artifacts.put({ kind, id, payload, accountId: 'acc_1', lifetimeSeconds: 600 });
  await put('RefreshToken', 'token', { grantId: 'grant' });
  await put('RefreshToken', 'other', { grantId: 'grant' });
  await put('DeviceCode', 'device', { userCode: 'ABCD-EFGH' });
  const open = () => openSigningKeys({ store, sealer, clock, log: captureLog().log, rotationDays: 90 });
  const keys = await open();
  await keys.rotate();
  const kids = keys.current().published.map(({ kid }) => kid);
  expect(kids).toHaveLength(2);
  await keys.close();

  const fields = ['oauth_artifacts.sealed', 'oauth_signing_keys.sealed'];
  expect(await tryEveryBinding(store, sealer, sealedCollections)).toEqual({
    fields,
    closed: [],
    movable: [],
  });
  const replaced = await replaceDataKeys(store, encryption, sealedCollections);
  expect(replaced).toMatchObject({ issued: 1, resealed: 5, failed: 0, unreadable: 0 });
  expect(await tryEveryBinding(store, sealer, sealedCollections)).toEqual({
    fields,
    closed: [],
    movable: [],
  });
  expect((await artifacts.find('RefreshToken', 'token'))?.payload).toEqual({ grantId: 'grant' });
  // A code is found by its fingerprint.
  expect((await artifacts.findByUserCode('DeviceCode', 'ABCD-EFGH'))?.payload).toEqual({
    userCode: 'ABCD-EFGH',
  });
  const again = await open();
  expect(again.current().published.map(({ kid }) => kid)).toEqual(kids);
  await again.close();
});
