import { ApiError } from '@fairlead/errors/api-error';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { ownConnections } from '../../testing/own-connections.ts';
import { findConnectionNeed } from './find-connection-need.ts';

const ctx = testContext({ accountId: 'acc_1', userId: 'u1' });
const target = { kind: 'tool', applicationSlug: 'crm', toolSlug: 'list', connectionId: undefined } as const;
const own = { target, endUserId: 'user:u1' };
const missing = { kind: 'refused', error: new ApiError('NO_DEFAULT_CONNECTION', 'None.') } as const;
const failed = { kind: 'outcome', outcome: { kind: 'failure', errorMessage: 'Sign in again.' } } as const;

const needOf = (ended: typeof missing | typeof failed, expired?: number) =>
  findConnectionNeed({ ownConnections: ownConnections(expired) }, ctx, own, ended);

test('a user needs a connection where they have none, or its sign-in has expired', async () => {
  expect(await needOf(missing)).toMatchObject({ url: 'https://fairlead.example/own/u1/crm/0' });
  expect(await needOf(failed, 7)).toMatchObject({
    url: 'https://fairlead.example/own/u1/crm/7',
    reason: 'Sign in again.',
  });
});

const shared = { target: { ...target, connectionId: 7 }, endUserId: undefined };
const writer = testContext({ accountId: 'acc_1', userId: 'u1', permissions: ['connections.write'] });

test('a user who may write connections signs in again for a shared one', async () => {
  const deps = { ownConnections: ownConnections(7) };
  expect(await findConnectionNeed(deps, writer, shared, failed)).toMatchObject({
    url: 'https://fairlead.example/shared/u1/crm/7',
    message: expect.stringContaining('connection "CRM"') as unknown,
    reason: 'Sign in again.',
  });
});

test('others, and users of a connection that no page renews, are told who can', async () => {
  for (const [caller, isRenewable] of [
    [ctx, true],
    [writer, false],
  ] as const) {
    const deps = { ownConnections: ownConnections(7, isRenewable) };
    expect(await findConnectionNeed(deps, caller, shared, failed)).toEqual({
      advice: expect.stringMatching(/^Sign in again\.\n.*"CRM" \(7\).*connections\.write/) as unknown,
    });
  }
});

test('a client without a credential is told nothing of a shared connection', async () => {
  const anonymous = testContext({ caller: { kind: 'anonymousClient', accountId: 'acc_1', serverId: 's' } });
  const deps = { ownConnections: ownConnections(7) };
  expect(await findConnectionNeed(deps, anonymous, shared, failed)).toBeUndefined();
});

test('nobody needs one after another failure', async () => {
  expect(await needOf(failed)).toBeUndefined();
  const deps = { ownConnections: ownConnections(7) };
  const refused = { kind: 'refused', error: new ApiError('FORBIDDEN', 'No.') } as const;
  expect(await findConnectionNeed(deps, ctx, own, refused)).toBeUndefined();
  expect(await findConnectionNeed(deps, writer, shared, missing)).toBeUndefined();
  expect(
    await findConnectionNeed({ ownConnections: ownConnections() }, writer, shared, failed),
  ).toBeUndefined();
  const output = { kind: 'outcome', outcome: { kind: 'output', output: Buffer.from('{}') } } as const;
  expect(await findConnectionNeed(deps, ctx, own, output)).toBeUndefined();
});
