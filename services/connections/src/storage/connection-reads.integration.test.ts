import { randomBase62 } from '@fairlead/service-kit/ids';
import { testContext } from '@fairlead/service-kit/testing/context';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { newConnection, newCredential } from '../testing/builders.ts';
import { openConnectionStorage } from '../testing/connection-storage.ts';
import type { ConnectionStorage } from '../testing/connection-storage.ts';

const ctx = testContext();
let storage: ConnectionStorage;

beforeAll(async () => {
  storage = await openConnectionStorage(inject('mongodbUri'));
});

afterAll(() => storage.store.drop());

/** Stores a connection of the account; returns its id. */
async function stored(accountId: string, applicationSlug = 'crm'): Promise<number> {
  const id = await storage.connections.nextId();
  const credential = newCredential({ fields: { plain: {}, secret: { apiToken: `token-${id}` } } });
  await storage.connections.insert(
    ctx,
    accountId,
    newConnection({ id, accountId, applicationSlug, endUserId: null, credential }),
  );
  return id;
}

const account = (): string => `acc_${randomBase62(8)}`;

/** The queries of connections that `run` sends. */
async function queriesOf(run: () => Promise<unknown>): Promise<number> {
  let queries = 0;
  const count = ({
    commandName,
    command,
  }: {
    readonly commandName: string;
    readonly command: object;
  }): void => {
    if (commandName === 'find' && 'find' in command && command.find === 'connections') queries += 1;
  };
  storage.store.client.on('commandStarted', count);
  await run();
  storage.store.client.off('commandStarted', count);
  return queries;
}

test('many callers at once share few reads, and each gets its own connection, by id or as the default', async () => {
  const [mine, theirs] = [account(), account()];
  const own = [await stored(mine), await stored(mine), await stored(mine, 'erp')];
  const other = await stored(theirs);
  const find = (of: string, reference: Parameters<typeof storage.credentials.find>[2]) =>
    storage.credentials.find(ctx, of, reference).then((found) => found?.connection.id);
  const found: unknown[] = [];
  const queries = await queriesOf(async () => {
    const wanted = Array.from({ length: 30 }, () => [
      ...own.map((id) => find(mine, { kind: 'id', id })),
      find(theirs, { kind: 'id', id: other }),
      find(mine, { kind: 'id', id: other }),
      find(mine, { kind: 'default', applicationSlug: 'crm' }),
      find(mine, { kind: 'default', applicationSlug: 'erp' }),
      find(theirs, { kind: 'default', applicationSlug: 'crm' }),
      find(theirs, { kind: 'default', applicationSlug: 'erp' }),
    ]).flat();
    found.push(...(await Promise.all(wanted)));
  });
  const expected = [...own, other, undefined, own[0], own[2], other, undefined];
  expect(found).toEqual(Array.from({ length: 30 }, () => expected).flat());
  expect(queries).toBeLessThan(30);
});

test('a credential opens from the same read, and a caller who asks after a change gets the changed one', async () => {
  const accountId = account();
  const id = await stored(accountId);
  const find = () => storage.credentials.find(ctx, accountId, { kind: 'id', id });
  const opened = await (await find())?.open();
  expect(opened?.credential.secretFields.reveal()).toEqual({ apiToken: `token-${id}` });
  expect(storage.used).toContain(id);
  const reading = find();
  await storage.connections.setLicence(ctx, accountId, id, { status: 'none', expiresAt: null }, new Date());
  expect((await find())?.connection.licence.status).toBe('none');
  await reading;
});

test('a caller who leaves does not wait for the read', async () => {
  const gone = AbortSignal.abort(new Error('gone'));
  const leaving = { ...testContext(), signal: gone };
  await expect(storage.credentials.find(leaving, 'acc_1', { kind: 'id', id: 1 })).rejects.toThrow('gone');
});
