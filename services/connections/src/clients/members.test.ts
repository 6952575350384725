import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { AccountSchema } from '@fairlead/contracts/identity/v1/account_pb';
import { CredentialService } from '@fairlead/contracts/identity/v1/credential_service_pb';
import { Role, UserSchema } from '@fairlead/contracts/identity/v1/user_pb';
import { ApiError } from '@fairlead/errors/api-error';
import { systemClock } from '@fairlead/service-kit/clock';
import { startRpcServer } from '@fairlead/service-kit/rpc/server';
import { testContext } from '@fairlead/service-kit/testing/context';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { testPeer } from '@fairlead/service-kit/testing/peer';
import { testCallerKeys } from '@fairlead/service-kit/testing/rpc';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FindMember } from '../ports/members.ts';
import { createFindMember } from './members.ts';

const account = create(AccountSchema, { id: 'acc_1', name: 'Acme', maxConnectionsPerEndUser: 7 });
const user = create(UserSchema, { id: 'usr_1', name: 'Mara', role: Role.MEMBER, isActive: true });
let problem: ApiError | undefined;
const closing: (() => Promise<void>)[] = [];
let findMember: FindMember;

beforeAll(async () => {
  const server = await startRpcServer({
    name: 'identity',
    config: {
      HOST: '127.0.0.1',
      PORT: 0,
      GRPC_PORT: 0,
      CALLER_CONTEXT_KEYS: testCallerKeys,
      SHUTDOWN_GRACE_MS: 1000,
    },
    log: captureLog().log,
    clock: systemClock,
    routes: (router) =>
      router.service(CredentialService, {
        resolveAccounts({ references }) {
          if (problem !== undefined) throw problem;
          const [{ accountId, userId, keyId } = {}] = references;
          if (accountId !== account.id) return { members: [{}] };
          const isThere = userId === user.id && (keyId ?? 'key_1') === 'key_1';
          return { members: [{ account, ...(isThere && { user }) }] };
        },
      }),
  });
  const peer = testPeer('identity', server);
  closing.push(
    () => server.close(),
    () => peer.close(),
  );
  findMember = createFindMember({ peer, callerKeys: testCallerKeys, clock: systemClock });
});
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

const ctx = testContext({ caller: { kind: 'service', service: 'connections' } });
const find = (o: { readonly accountId?: string; readonly userId?: string; readonly keyId?: string } = {}) =>
  findMember(ctx, o.accountId ?? account.id, o.userId ?? user.id, o.keyId);

test('a user who is not there is found while they, their account and the key are active, with what they may do', async () => {
  expect(await find({ keyId: 'key_1' })).toMatchObject({
    accountName: 'Acme',
    userName: 'Mara',
    permissions: expect.arrayContaining(['connections.write']) as unknown,
    maxConnectionsPerEndUser: 7,
  });
  for (const other of [{ keyId: 'key_0' }, { userId: 'usr_0' }, { accountId: 'acc_0' }])
    expect(await find(other)).toBeUndefined();
  user.isActive = false;
  expect(await find()).toBeUndefined();
  user.isActive = true;
  account.erasingAt = timestampFromDate(new Date());
  expect(await find()).toBeUndefined();
  account.erasingAt = undefined;
  expect(await find()).toBeDefined();
});

test('nobody is taken for removed because identity does not answer', async () => {
  problem = new ApiError('UNAVAILABLE', 'away');
  await expect(find()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  problem = undefined;
});
