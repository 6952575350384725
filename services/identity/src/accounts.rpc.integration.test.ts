import { hashApiKey } from '@fairlead/access/api-key';
import { DEFAULT_BUDGETS } from '@fairlead/access/budgets';
import { IdentityChangedSchema } from '@fairlead/contracts/identity/v1/identity_events_pb';
import { DefaultLicence } from '@fairlead/contracts/identity/v1/account_pb';
import { Role } from '@fairlead/contracts/identity/v1/user_pb';
import { defineEvent } from '@fairlead/service-kit/nats/events';
import { connectNats } from '@fairlead/service-kit/nats/nats';
import type { Nats } from '@fairlead/service-kit/nats/nats';
import { Secret } from '@fairlead/service-kit/secret';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { eraseAll, platformContext } from '@fairlead/service-kit/testing/account-data';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { useCaseDeps } from './testing/use-case-deps.ts';
import { newAccount, newUser, required, startWorld } from './testing/world.ts';
import type { TestAccount, World } from './testing/world.ts';
import { verifyPassword } from './use-cases/verify-password.ts';

const FORBIDDEN = { code: 'FORBIDDEN' };
const NOT_FOUND = { code: 'NOT_FOUND' };

let world: World;
let nats: Nats;
let one: TestAccount;
let announced: string[];
beforeAll(async () => {
  world = await startWorld({ mongodbUri: inject('mongodbUri'), natsUrl: inject('natsUrl') });
  const log = createLogger({ service: 'test', level: 'silent' });
  nats = await connectNats({ url: new Secret(inject('natsUrl')), name: 'test', log });
  const subscription = nats.subscribe(
    defineEvent(IdentityChangedSchema),
    ({ accountId }) => void announced.push(accountId),
  );
  await vi.waitUntil(() => subscription.session() !== undefined, { timeout: 90_000 });
});
afterAll(async () => {
  await nats.close();
  await world.close();
});
beforeEach(async () => {
  announced = [];
  one = await newAccount(world);
});

const userOf = async (apiKey: string) => {
  const hashes = [hashApiKey(new Secret(apiKey))];
  return (await world.credentials.resolveKeys(platformContext, { hashes })).owners[0]?.member?.user;
};

describe('AccountService', () => {
  test('a user reads and changes the own account; what is left out stays, budget by budget', async () => {
    const { account } = await world.accounts.getAccount(one.asOwner, {});
    expect(account).toEqual(one.account);
    world.clock.advance(5);
    const settings = { defaultLicence: DefaultLicence.NONE, budgets: { hourly: 7 } };
    const { account: changed } = await world.accounts.updateAccount(one.asOwner, { settings });
    expect(changed).toMatchObject({
      name: 'One',
      isRbacEnabled: false,
      defaultLicence: DefaultLicence.NONE,
      budgets: { ...DEFAULT_BUDGETS, hourly: 7 },
    });
    expect(changed?.updatedAt).not.toEqual(account?.updatedAt);
    expect((await world.accounts.getAccount(one.asOwner, {})).account).toEqual(changed);
  });

  test('an account that was erased is NOT_FOUND; the platform itself has none', async () => {
    await eraseAll(world.accountData, one.account.id);
    await expect(world.accounts.getAccount(one.asOwner, {})).rejects.toMatchObject(NOT_FOUND);
    await expect(world.accounts.updateAccount(one.asOwner, {})).rejects.toMatchObject(NOT_FOUND);
    const refused = { code: 'UNAUTHORIZED' };
    await expect(world.accounts.getAccount(platformContext, {})).rejects.toMatchObject(refused);
    await expect(world.accounts.updateAccount(platformContext, {})).rejects.toMatchObject(refused);
  });
});

describe('OperatorService', () => {
  test('an account comes with an owner whose key opens it, and whose password does', async () => {
    const { account, owner, apiKey } = await world.operator.createAccount(platformContext, {
      settings: { name: 'Three', isRbacEnabled: true, budgets: { hourly: 7 } },
      ownerEmail: 'boss@three.example',
      ownerName: 'Boss',
      ownerPassword: 'correct horse battery',
    });
    expect(account).toMatchObject({
      name: 'Three',
      isRbacEnabled: true,
      defaultLicence: DefaultLicence.ACTIVE,
      budgets: { ...DEFAULT_BUDGETS, hourly: 7 },
    });
    expect(owner).toMatchObject({
      email: 'boss@three.example',
      name: 'Boss',
      role: Role.OWNER,
      isActive: true,
    });
    expect(await userOf(apiKey)).toEqual(owner);
    const opened = await verifyPassword(
      useCaseDeps(world.store),
      'boss@three.example',
      new Secret('correct horse battery'),
    );
    expect(opened).toMatchObject([{ account: { id: account?.id } }]);
  });

  test('an owner without an e-mail address gets an undeliverable one unique to the account', async () => {
    const { account, owner } = one;
    expect(owner.email).toBe(`owner@${account.id.replace('_', '-').toLowerCase()}.invalid`);
  });

  test('an account without a name is not created', async () => {
    await expect(world.operator.createAccount(platformContext, {})).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: [{ field: 'name' }],
    });
  });

  test('accounts are listed newest first, by pages, including closed ones, and found by their ids', async () => {
    world.clock.advance(1);
    const two = await newAccount(world, 'Two');
    await world.operator.closeAccount(platformContext, { accountId: two.account.id });
    const { items, totalCount } = await world.operator.listAccounts(platformContext, {
      page: { offset: 0, top: 2 },
    });
    expect(items.map(({ id }) => id)).toEqual([two.account.id, one.account.id]);
    expect(totalCount).toBeGreaterThan(1);
    const { account } = await world.operator.findAccount(platformContext, { accountId: one.account.id });
    expect(account).toEqual(one.account);
    expect(items[0]?.erasingAt).toBeDefined();
  });

  test('an account is changed by its id; an unknown one is NOT_FOUND', async () => {
    const change = { accountId: one.account.id, settings: { isRbacEnabled: true } };
    const { account } = await world.operator.changeAccount(platformContext, change);
    expect(account).toMatchObject({ name: 'One', isRbacEnabled: true });
    const accountId = 'acc_unknown';
    await expect(world.operator.changeAccount(platformContext, { accountId })).rejects.toMatchObject(
      NOT_FOUND,
    );
    await expect(world.operator.findAccount(platformContext, { accountId })).rejects.toMatchObject(NOT_FOUND);
    await expect(world.operator.closeAccount(platformContext, { accountId })).rejects.toMatchObject(
      NOT_FOUND,
    );
  });

  test('nothing can be created in a closed account, which cannot be opened again; the first closing counts', async () => {
    const { id: accountId } = one.account;
    const close = () => world.operator.closeAccount(platformContext, { accountId });
    await close();
    const find = async () => (await world.operator.findAccount(platformContext, { accountId })).account;
    const { erasingAt } = required(await find());
    world.clock.advance(5);
    await close();
    expect((await find())?.erasingAt).toEqual(erasingAt);
    const refused = { code: 'UNAUTHORIZED' };
    await expect(newUser(world, one.asOwner)).rejects.toMatchObject(refused);
    await expect(world.apiKeys.createApiKey(one.asOwner, { name: 'Key' })).rejects.toMatchObject(refused);
    await expect(
      world.oauthClients.createOAuthClient(one.asOwner, {
        name: 'Job',
        grantTypes: ['client_credentials'],
        scopes: ['tools.read'],
      }),
    ).rejects.toMatchObject(refused);
  });

  test('the next signing key is created once, and published at once', async () => {
    const { kid } = await world.operator.rotateSigningKey(platformContext, {});
    expect(await world.operator.rotateSigningKey(platformContext, {})).toMatchObject({ kid });
    const { keys } = await world.credentials.listVerificationKeys(platformContext, {});
    expect(keys.map((key) => key.kid)).toContain(kid);
  });

  test('is for the operator: a user, even an owner, gets FORBIDDEN', async () => {
    const { operator } = world;
    const accountId = one.account.id;
    for (const calling of [
      operator.listAccounts(one.asOwner, {}),
      operator.findAccount(one.asOwner, { accountId }),
      operator.createAccount(one.asOwner, { settings: { name: 'Mine' } }),
      operator.changeAccount(one.asOwner, { accountId }),
      operator.closeAccount(one.asOwner, { accountId }),
      operator.rotateSigningKey(one.asOwner, {}),
    ])
      await expect(calling).rejects.toMatchObject(FORBIDDEN);
    expect(await userOf(one.apiKey)).toBeDefined();
  });
});

test('every change is announced before and after it, the creation of an account too', async () => {
  const { id: accountId } = one.account;
  const of = () => announced.filter((id) => id === accountId).length;
  await expect.poll(of).toBe(2);
  const { id } = await newUser(world, one.asOwner);
  await world.users.updateUser(one.asOwner, { id, name: 'x' });
  const { record } = await world.apiKeys.createApiKey(one.asOwner, { name: 'Key' });
  await world.apiKeys.revokeApiKey(one.asOwner, { id: required(record).id });
  await world.accounts.updateAccount(one.asOwner, { settings: { name: 'x' } });
  const { client } = await world.oauthClients.createOAuthClient(one.asOwner, {
    name: 'Job',
    grantTypes: ['client_credentials'],
    scopes: ['tools.read'],
  });
  await expect.poll(of).toBe(12);
  await world.oauthClients.deleteOAuthClient(one.asOwner, { id: required(client).id });
  await world.operator.changeAccount(platformContext, { accountId, settings: { name: 'y' } });
  await world.operator.closeAccount(platformContext, { accountId });
  // Each call of a multi-call erasure publishes one change.
  const calls = await eraseAll(world.accountData, accountId);
  await expect.poll(of).toBe(18 + 2 * calls);
});
