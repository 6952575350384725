import type { AuthenticationMethod } from '@fairlead/connector-model/model';
import type { Credential, CredentialCheck } from '@fairlead/connector-runtime/call';
import { ManualClock } from '@fairlead/service-kit/clock';
import type { AccountPermits } from '@fairlead/service-kit/permits/account-permits';
import { Secret } from '@fairlead/service-kit/secret';
import { testContext } from '@fairlead/service-kit/testing/context';
import { busyPermits, onePermit } from '@fairlead/service-kit/testing/permits';
import { expect, test } from 'vitest';
import type { Connection } from '../domain/connection.ts';
import {
  connection,
  connectorHead,
  NOW,
  oauthMethod,
  OWNER,
  tokens,
  heldProviders,
} from '../testing/builders.ts';
import { testConnection } from './test-connection.ts';

const refused: CredentialCheck = { isSuccess: false, errorMessage: 'no: access-1', isUnauthorized: true };
const broken: CredentialCheck = { isSuccess: false, errorMessage: 'HTTP 500', isUnauthorized: false };
const accepted: CredentialCheck = { isSuccess: true };

/** A connection whose every refresh returns the next token, and a vendor that returns `checks` in turn. */
function run(
  checks: readonly CredentialCheck[],
  o: {
    stored?: Partial<Connection>;
    methods?: readonly AuthenticationMethod[];
    isRefusedByVendor?: boolean;
    vendorPermits?: AccountPermits;
    tools?: { isSuccess: false; errorMessage: string };
  } = {},
) {
  let stored = connection(o.stored);
  const asked: string[] = [];
  const opened = () => ({
    connection: stored,
    credential: {
      secretFields: new Secret({}),
      tokens: tokens({ accessToken: new Secret(`access-${stored.credentialVersion}`) }),
    },
  });
  const deps = {
    catalog: {
      getConnector: () =>
        Promise.resolve(connectorHead({ authenticationMethods: o.methods ?? [oauthMethod()] })),
    },
    connections: {
      find: (_ctx: unknown, accountId: string, id: number) =>
        Promise.resolve(accountId === stored.accountId && id === stored.id ? stored : undefined),
    },
    credentials: { read: () => Promise.resolve(opened()) },
    refresher: {
      refresh: () => {
        stored =
          o.isRefusedByVendor === true
            ? { ...stored, needsReauthentication: true }
            : { ...stored, credentialVersion: stored.credentialVersion + 1 };
        return Promise.resolve({ kind: 'settled' } as const);
      },
    },
    runtime: {
      testCredential: (_head: unknown, _method: unknown, { accessToken }: Credential) => {
        asked.push(accessToken ?? 'none');
        return Promise.resolve(checks[asked.length - 1] ?? accepted);
      },
    },
    vendorPermits: o.vendorPermits ?? onePermit(),
    toolReader: {
      read: () => {
        asked.push('tools');
        return Promise.resolve(o.tools ?? ({ isSuccess: true, value: false } as const));
      },
    },
    authProviders: heldProviders(),
    ownClients: { find: () => undefined },
    clock: new ManualClock(NOW),
  };
  return { asked, result: testConnection(deps, testContext(OWNER), 7) };
}

test('an accepted credential passes after one call', async () => {
  const { asked, result } = run([accepted]);
  expect(await result).toEqual({ isSuccess: true });
  expect(asked).toEqual(['access-1']);
});

test('a token that the vendor no longer knows is renewed once', async () => {
  const healed = run([refused, accepted]);
  expect(await healed.result).toEqual({ isSuccess: true });
  expect(healed.asked).toEqual(['access-1', 'access-2']);
  const refusedAgain = run([refused, refused, accepted]);
  expect(await refusedAgain.result).toMatchObject({ isSuccess: false });
  expect(refusedAgain.asked).toHaveLength(2);
});

test('a failure other than a refused token, and a credential without tokens, are not retried', async () => {
  const down = run([broken]);
  expect(await down.result).toEqual({ isSuccess: false, errorMessage: 'HTTP 500' });
  const byFields = run([refused], { stored: { grant: 'fields' } });
  expect(await byFields.result).toMatchObject({ isSuccess: false });
  expect([down.asked, byFields.asked]).toEqual([['access-1'], ['access-1']]);
});

test('a vendor that was not asked, because too many calls are running, is no failed test', async () => {
  const { asked, result } = run([
    { ...broken, errorMessage: 'Too many calls are waiting.', isOverloaded: true },
  ]);
  await expect(result).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retryAfterSeconds: 1 });
  expect(asked).toHaveLength(1);
});

test("the vendor's text shows no secret", async () => {
  const { result } = run([refused], { stored: { grant: 'fields' } });
  expect(await result).toEqual({ isSuccess: false, errorMessage: 'no: ***' });
});

test('a credential that cannot be opened or renewed fails the test with the reason', async () => {
  const before = run([], { stored: { needsReauthentication: true } });
  const after = run([refused], { isRefusedByVendor: true });
  for (const { result } of [before, after]) {
    expect(await result).toEqual({
      isSuccess: false,
      errorMessage: 'CRM no longer accepts the sign-in of this connection. Sign in again.',
    });
  }
  expect(before.asked).toEqual([]);
});

test('a method that the application no longer offers fails the test; an unknown connection is NOT_FOUND', async () => {
  expect(await run([], { methods: [] }).result).toEqual({
    isSuccess: false,
    errorMessage: 'CRM no longer offers OAuth.',
  });
  await expect(run([], { stored: { accountId: 'acc_2' } }).result).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});

test('a connection of an account whose permits are taken is not tested', async () => {
  const { asked, result } = run([accepted], { vendorPermits: busyPermits(OWNER.accountId) });
  await expect(result).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retryAfterSeconds: 1 });
  expect(asked).toEqual([]);
  const { result: other } = run([accepted], { vendorPermits: busyPermits('another account') });
  expect(await other).toEqual({ isSuccess: true });
});

test('the test of an MCP connection reads its tools; a server that does not list them fails it', async () => {
  const stored = { kind: 'MCPClient', applicationSlug: 'mcp-7' } as const;
  const passed = run([], { stored });
  expect(await passed.result).toEqual({ isSuccess: true });
  expect(passed.asked).toEqual(['tools']);
  const tools = { isSuccess: false, errorMessage: 'down' } as const;
  expect(await run([], { stored, tools }).result).toEqual(tools);
});
