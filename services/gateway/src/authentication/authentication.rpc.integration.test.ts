import { Closers } from '@fairlead/service-kit/lifecycle/lifecycle';
import { parseKeyRing } from '@fairlead/service-kit/key-ring';
import { ManualClock } from '@fairlead/service-kit/clock';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { testPeer } from '@fairlead/service-kit/testing/peer';
import { testCallerKeys } from '@fairlead/service-kit/testing/rpc';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startRemoteIdentity } from '../testing/remote-identity.ts';
import type { RemoteIdentity, RemoteMember } from '../testing/remote-identity.ts';
import { openAuthentication } from './open-authentication.ts';
import type { AuthenticationModule } from './open-authentication.ts';

const PUBLIC_URL = 'https://api.test.example';
const UNAVAILABLE = { code: 'UNAVAILABLE' };
const MINUTE = 60_000;

const log = createLogger({ service: 'test', level: 'silent' });
let clock: ManualClock;
/** The period in which no change was missed; undefined: changes may be missed. */
let session: number | undefined;
let identity: RemoteIdentity;
let closers: Closers;
let opened: AuthenticationModule;
let member: RemoteMember;

beforeEach(async () => {
  clock = new ManualClock(new Date());
  identity = await startRemoteIdentity({ publicUrl: PUBLIC_URL, clock });
  member = identity.addMember();
  closers = new Closers(log);
  session = 1;
  opened = open();
});
afterEach(async () => {
  // Otherwise the uses of keys, which are recorded at the end, would wait for it.
  await identity.set('serve');
  await closers.close();
  await identity.close();
});

function open(callerKeys = testCallerKeys): AuthenticationModule {
  const peer = closers.add('peer', testPeer('identity', { httpUrl: identity.url, grpcUrl: identity.url }));
  // What NATS does is proven with a real one in ../credential-cache.rpc.integration.test.ts.
  const nats = { subscribe: () => ({ session: () => session }) };
  return openAuthentication({ nats, clock, log, closers, peer, callerKeys, publicUrl: PUBLIC_URL });
}

const byKey = ({ apiKey } = member) => opened.authenticate({ 'x-api-key': apiKey });
const byToken = (token: string) => opened.authenticate({ authorization: `Bearer ${token}` });
const issue = (of = member) => identity.issueToken(of, { grantId: `grant of ${of.account.id}` });

describe('while identity is away', () => {
  test.each(['stop', 'hang'] as const)(
    'known keys, tokens and accounts hold for ten minutes (%s)',
    async (state) => {
      const token = await issue();
      const unused = await issue();
      await byKey();
      await byToken(token);
      await opened.findOpenAccounts([member.account.id]);
      await identity.set(state);
      for (const minutes of [3, 6, 1]) {
        expect(await byKey()).toMatchObject({ accountId: member.account.id });
        expect(await byToken(token)).toMatchObject({ userId: member.user.id });
        // Another token of the same grant, signed by a known key.
        expect(await byToken(unused)).toMatchObject({ userId: member.user.id });
        expect(await opened.findOpenAccounts([member.account.id])).toEqual(new Set([member.account.id]));
        clock.advance(minutes * MINUTE);
      }
      await expect(byKey()).rejects.toMatchObject(UNAVAILABLE);
      await expect(byToken(token)).rejects.toMatchObject(UNAVAILABLE);
      await expect(opened.findOpenAccounts([member.account.id])).rejects.toMatchObject(UNAVAILABLE);
      await identity.set('serve');
      await expect.poll(() => byKey().catch(String)).toMatchObject({ accountId: member.account.id });
    },
  );

  test('known credentials hold for two seconds if changes may have been missed', async () => {
    const token = await issue();
    await byKey();
    await byToken(token);
    session = undefined;
    await identity.set('stop');
    clock.advance(1_999);
    expect(await byKey()).toMatchObject({ accountId: member.account.id });
    expect(await byToken(token)).toMatchObject({ accountId: member.account.id });
    clock.advance(1);
    await expect(byKey()).rejects.toMatchObject(UNAVAILABLE);
    await expect(byToken(token)).rejects.toMatchObject(UNAVAILABLE);
  });

  test.each(['stop', 'hang'] as const)('unknown credentials are UNAVAILABLE (%s)', async (state) => {
    const token = await issue();
    await identity.set(state);
    await Promise.all(
      [byKey(), byToken(token)].map((asked) => expect(asked).rejects.toMatchObject(UNAVAILABLE)),
    );
    await expect(opened.authenticate({ 'x-api-key': member.apiKey.slice(0, -1) })).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
    });
  });
});

test('an identity that refuses the gateway’s own calls makes nobody UNAUTHORIZED', async () => {
  opened = open(parseKeyRing(`v1:${Buffer.alloc(32, 1).toString('base64')}`));
  await expect(byKey()).rejects.toThrow('Identity refused a lookup.');
  await expect(byToken(await issue())).rejects.toThrow('Identity refused a lookup.');
});

test('a token of another installation, or for another resource, is UNAUTHORIZED without a lookup of its owner', async () => {
  const foreign = await startRemoteIdentity({ publicUrl: 'https://other.example', clock });
  for (const token of [
    await foreign.issueToken(member),
    await identity.issueToken(member, { audience: `${PUBLIC_URL}/mcp` }),
  ])
    await expect(byToken(token)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  await foreign.close();
  expect(identity.calls).not.toContain('ResolveToken');
});

test('a token is not accepted for an account or user that is not its owner', async () => {
  const stranger = identity.addMember();
  await byToken(await identity.issueToken(member, { grantId: 'grant_1' }));
  const forged = await identity.issueToken(stranger, { grantId: 'grant_1' });
  await expect(byToken(forged)).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
});

test('what this process changed is dropped at once, whether or not NATS delivers the change', async () => {
  session = undefined;
  await byKey();
  identity.removeMember(member);
  opened.dropAccount(member.account.id);
  await expect(byKey()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
});

test('the names of users are looked up together', async () => {
  identity.calls.length = 0;
  const names = await opened.findUserNames(member.account.id, [member.user.id, 'usr_0', 'usr_1']);
  expect([...names]).toEqual([[member.user.id, 'Olga']]);
  expect(identity.calls).toEqual(['ResolveAccounts']);
});

test('uses of keys are recorded at the latest when the gateway stops', async () => {
  const other = identity.addMember();
  const principals = [await byKey(), await byKey(other), await byKey()];
  await closers.close();
  closers = new Closers(log);
  expect(new Set(identity.keyUses.keys())).toEqual(
    new Set(principals.map(({ credentialId }) => credentialId)),
  );
});
