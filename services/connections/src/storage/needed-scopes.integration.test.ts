import { testContext } from '@fairlead/service-kit/testing/context';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { details, newConnection, newCredential, NOW, OWNER } from '../testing/builders.ts';
import type { ConnectionStorage } from '../testing/connection-storage.ts';
import { openConnectionStorage } from '../testing/connection-storage.ts';

const ctx = testContext(OWNER);
const { accountId } = OWNER;
let storage: ConnectionStorage;

beforeAll(async () => {
  storage = await openConnectionStorage(inject('mongodbUri'));
});

afterAll(() => storage.store.drop());

test('needed scopes are added once each, up to the most, and survive a new credential; another account adds none', async () => {
  const { connections } = storage;
  const id = await connections.nextId();
  await connections.insert(ctx, accountId, newConnection({ id }));
  const needed = async () => (await connections.find(ctx, accountId, id))?.neededScopes;
  const add = (by: string, scopes: readonly string[], most: number) =>
    connections.addNeededScopes(ctx, by, id, { scopes, most });
  expect(await needed()).toBeUndefined();
  await add(accountId, ['$write'], 2);
  await add(accountId, ['read', '$write'], 2);
  await add(accountId, ['third'], 2);
  await add('another', ['fourth'], 9);
  const credential = newCredential();
  await connections.replace(ctx, accountId, id, {
    details: details(),
    credential,
    applicationName: undefined,
    now: NOW,
  });
  expect(await needed()).toEqual(['$write', 'read']);
});
