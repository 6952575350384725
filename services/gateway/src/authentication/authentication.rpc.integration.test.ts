import { CallerRefusal } from '@fairlead/contracts/gateway/v1/caller_service_pb';
import { EndpointService } from '@fairlead/contracts/mcp/v1/endpoint_service_pb';
import { requirePlatform } from '@fairlead/service-kit/context/context';
import { Closers } from '@fairlead/service-kit/lifecycle/lifecycle';
import { parseKeyRing } from '@fairlead/service-kit/key-ring';
import { ManualClock } from '@fairlead/service-kit/clock';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import { startRpcServer } from '@fairlead/service-kit/rpc/server';
import type { RpcServer } from '@fairlead/service-kit/rpc/server';
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
/** The period without missed changes; undefined: changes may be missed. */
let session: number | undefined;
let identity: RemoteIdentity;
let mcp: RpcServer;
let server: { accountId: string; isActive: boolean; isAnonymousAllowed: boolean };
let closers: Closers;
let opened: AuthenticationModule;
let member: RemoteMember;

beforeEach(async () => {
  clock = new ManualClock(new Date());
  identity = await startRemoteIdentity({ publicUrl: PUBLIC_URL, clock });
  member = identity.addMember();
  server = { accountId: member.account.id, isActive: true, isAnonymousAllowed: true };
  mcp = await startMcp();
  closers = new Closers(log);
  session = 1;
  opened = open();
});
afterEach(async () => {
  // Closing records key uses at identity, and would wait if identity still hung.
  await identity.set('serve');
  await closers.close();
  await identity.close();
  await mcp.close();
});

/** An mcp service with one server. */
async function startMcp(): Promise<RpcServer> {
  return await startRpcServer({
    name: 'mcp',
    config: {
      HOST: '127.0.0.1',
      PORT: 0,
      GRPC_PORT: 0,
      CALLER_CONTEXT_KEYS: testCallerKeys,
      SHUTDOWN_GRACE_MS: 1_000,
    },
    log,
    clock,
    routes: (router) =>
      router.service(EndpointService, {
        findServer({ server: { value } }, h) {
          requirePlatform(requestContext(h));
          return value === 'server-1' ? { ...server, serverId: value } : {};
        },
      }),
  });
}

function open(callerKeys = testCallerKeys): AuthenticationModule {
  const peer = closers.add('peer', testPeer('identity', { httpUrl: identity.url, grpcUrl: identity.url }));
  // A real NATS is tested in ../credential-cache.rpc.integration.test.ts.
  const nats = { subscribe: () => ({ session: () => session }) };
  const mcpPeer = closers.add('mcp peer', testPeer('mcp', mcp));
  return openAuthentication({ nats, clock, log, closers, peer, mcpPeer, callerKeys, publicUrl: PUBLIC_URL });
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

test('a client without a credential may act while its MCP server admits such clients', async () => {
  const check = (serverId = 'server-1') =>
    opened.checkCaller({ kind: 'anonymousClient', accountId: member.account.id, serverId });
  expect(await check()).toBe(CallerRefusal.UNSPECIFIED);
  expect(await check('server-2')).toBe(CallerRefusal.INVALID_CREDENTIAL);
  server.isActive = false;
  expect(await check()).toBe(CallerRefusal.INVALID_CREDENTIAL);
  await mcp.close();
  await expect(check()).rejects.toMatchObject(UNAVAILABLE);
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
