import { DEFAULT_BUDGETS } from '@fairlead/access/budgets';
import { DefaultLicence } from '@fairlead/contracts/identity/v1/account_pb';
import { OperatorService } from '@fairlead/contracts/identity/v1/operator_service_pb';
import { ApiError, notFound } from '@fairlead/errors/api-error';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AuditTrail } from '@fairlead/audit-log/audit-trail';
import type { StoredResponse } from '@fairlead/rest-kit/idempotency/domain/call';
import type { Idempotency } from '@fairlead/rest-kit/idempotency/idempotency';
import type { OwnServices } from '../../services.ts';
import { GOOD_KEY, OPERATOR_KEY, call } from '@fairlead/rest-kit/testing/edge';
import { startGatewayEdge, testServices } from '../../testing/edge.ts';
import type { TestEdge } from '@fairlead/rest-kit/testing/edge';
import { accountMessage, userMessage } from '@fairlead/rest-records/testing/identity-messages';
import { MADE_AT } from '@fairlead/rest-records/testing/messages';
import { startRemote } from '../../testing/remote.ts';
import { createAccount } from './create-account.ts';
import { deleteAccount } from './delete-account.ts';
import { exportAccount } from './export-account.ts';
import { getOperatedAccount } from './get-account.ts';
import { listAccounts } from './list-accounts.ts';
import { listPlatformAuditEntries } from './list-platform-audit-entries.ts';
import { rotateSigningKey } from './rotate-signing-key.ts';
import { updateOperatedAccount } from './update-account.ts';
import { verifyAuditLog } from './verify-audit-log.ts';
import { verifyPlatformAuditLog } from './verify-platform-audit-log.ts';

const NOW = new Date('2026-11-21T10:00:00.000Z');
const shown = {
  accountId: 'acc_1',
  name: 'Acme',
  isRbacEnabled: false,
  defaultLicence: 'active',
  budgets: DEFAULT_BUDGETS,
  erasingAt: null,
  createdAt: MADE_AT,
  updatedAt: MADE_AT,
};
const routes = [
  listAccounts,
  createAccount,
  getOperatedAccount,
  updateOperatedAccount,
  deleteAccount,
  exportAccount,
  verifyAuditLog,
  listPlatformAuditEntries,
  verifyPlatformAuditLog,
  rotateSigningKey,
];

let edge: TestEdge | undefined;
let remote: Awaited<ReturnType<typeof startRemote>>;
/** The requests that reached the identity service, which knows one account, acc_1. */
let asked: object[];
beforeAll(async () => {
  const answer = <T>(request: object, h: Parameters<typeof requestContext>[0], response: T): T => {
    expect(requestContext(h).caller).toEqual({ kind: 'service', service: 'gateway' });
    asked.push(request);
    if ('accountId' in request && request.accountId !== 'acc_1') throw notFound('account');
    return response;
  };
  const account = accountMessage();
  remote = await startRemote((router) =>
    router.service(OperatorService, {
      listAccounts: (request, h) => answer(request, h, { items: [account], totalCount: 1 }),
      findAccount: (request, h) => answer(request, h, { account }),
      changeAccount: (request, h) => answer(request, h, { account: accountMessage({ name: 'New' }) }),
      createAccount: (request, h) =>
        answer(request, h, { account, owner: userMessage(), apiKey: 'fairlead_once' }),
      rotateSigningKey: (request, h) => answer(request, h, { kid: 'kid-2' }),
    }),
  );
});
beforeEach(() => {
  asked = [];
});
afterEach(async () => {
  await edge?.close();
  edge = undefined;
});
afterAll(() => remote.close());

async function start(
  own: Partial<OwnServices> | object = {},
  o: Pick<Parameters<typeof startGatewayEdge>[0], 'idempotency'> = {},
) {
  // Each test provides the use cases that its route calls; any other fails the test by its name.
  const services = testServices(remote.services, own);
  edge = await startGatewayEdge({ routes, services, ...o });
  return (method: string, path: string, json?: unknown) =>
    call(edge ?? { url: '' }, method, `/operator/v1${path}`, {
      headers: OPERATOR_KEY,
      ...(json !== undefined && { json }),
    });
}

test.each(routes.map((route) => [route.method.toUpperCase(), route.path] as const))(
  '%s %s is 401 with a key of an account',
  async (method, path) => {
    await start();
    const answer = await call(edge ?? { url: '' }, method, path.replace('{accountId}', 'acc_1'), {
      headers: GOOD_KEY,
    });
    expect([answer.status, answer.body['errorCode']]).toEqual([401, 'UNAUTHORIZED']);
  },
);

describe('accounts', () => {
  test('are listed', async () => {
    const send = await start();
    const { body } = await send('GET', '/accounts');
    expect(body).toMatchObject({ items: [shown], totalCount: 1, offset: 0, top: 100 });
  });

  test('are made with everything that was asked for, and the key is answered once', async () => {
    const send = await start();
    const settings = { isRbacEnabled: true, defaultLicence: 'none', budgets: { hourly: 7 } };
    const { status, body } = await send('POST', '/accounts', {
      name: 'Acme',
      ownerEmail: 'Olga@Test.example',
      ownerName: 'Olga',
      ownerPassword: 'correct horse battery',
      ...settings,
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      ...shown,
      owner: { userId: expect.stringMatching(/^usr_/) as unknown, email: 'olga@test.example' },
      apiKey: 'fairlead_once',
    });
    expect(asked).toMatchObject([
      {
        settings: {
          name: 'Acme',
          isRbacEnabled: true,
          defaultLicence: DefaultLicence.NONE,
          budgets: { hourly: 7 },
        },
        ownerEmail: 'olga@test.example',
        ownerName: 'Olga',
        ownerPassword: 'correct horse battery',
      },
    ]);
    expect(JSON.stringify(edge?.lines)).not.toMatch(/fairlead_once|correct horse/);
    expect(edge?.audited).toMatchObject([
      {
        accountId: undefined,
        actor: { kind: 'operator' },
        action: 'createAccount',
        resource: { type: 'account', id: 'acc_1' },
      },
    ]);
  });

  test('are made by their name alone', async () => {
    const send = await start();
    expect((await send('POST', '/accounts', { name: 'Acme' })).status).toBe(201);
    expect(asked).toMatchObject([{ settings: { name: 'Acme' } }]);
    expect(asked[0]).not.toHaveProperty('ownerEmail');
  });

  test('are not made without a name, nor with what is no e-mail address', async () => {
    const send = await start();
    const { status, body } = await send('POST', '/accounts', { ownerEmail: 'olga', budgets: { hourly: 0 } });
    expect(status).toBe(400);
    const details = body['details'] as { field: string }[];
    expect(details.map(({ field }) => field).toSorted()).toEqual(['budgets.hourly', 'name', 'ownerEmail']);
  });

  test('are known to the answer that an Idempotency-Key keeps of them, which goes when they do', async () => {
    const kept: StoredResponse[] = [];
    const idempotency: Idempotency = {
      run: async (_call, execute) => {
        const answer = await execute();
        kept.push(answer);
        return { answer, isReplayed: false };
      },
      drain: () => Promise.resolve(),
    };
    await start({}, { idempotency });
    const headers = { ...OPERATOR_KEY, 'idempotency-key': 'k' };
    await call(edge ?? { url: '' }, 'POST', '/operator/v1/accounts', { json: { name: 'Acme' }, headers });
    expect(kept).toMatchObject([{ status: 201, accountId: 'acc_1' }]);
  });

  test('are read and changed one by one', async () => {
    const send = await start();
    expect((await send('GET', '/accounts/acc_1')).body).toMatchObject(shown);
    const { status, body } = await send('PATCH', '/accounts/acc_1', { name: 'New' });
    expect([status, body['name']]).toEqual([200, 'New']);
    expect(asked.at(-1)).toMatchObject({ accountId: 'acc_1', settings: { name: 'New' } });
  });

  test.each([
    ['GET', '/accounts/acc_0'],
    ['GET', '/accounts/usr_1'],
    ['GET', '/accounts/acc_0/audit/verify'],
    ['PATCH', '/accounts/acc_0'],
  ])('%s %s is 404', async (method, path) => {
    const send = await start();
    const { status, body } = await send(method, path, method === 'PATCH' ? {} : undefined);
    expect([status, body['message']]).toEqual([404, 'The account does not exist.']);
  });
});

test('the next signing key is named', async () => {
  const send = await start();
  expect((await send('POST', '/signing-keys/rotate')).body).toMatchObject({ kid: 'kid-2' });
});

describe('erasing', () => {
  test('answers 204 once everything is gone, and was recorded before', async () => {
    const order: string[] = [];
    const accounts = {
      erase: (_ctx: unknown, accountId: string) => {
        order.push(`erase ${accountId} after ${String(edge?.audited.length)} entry`);
        return Promise.resolve();
      },
    };
    const send = await start({ accounts });
    expect((await send('DELETE', '/accounts/acc_1')).status).toBe(204);
    expect(order).toEqual(['erase acc_1 after 1 entry']);
    expect(edge?.audited.map(({ action, outcome }) => [action, outcome])).toEqual([
      ['deleteAccount', 'attempted'],
      ['deleteAccount', 'succeeded'],
    ]);
  });

  test('is 503 while a service is unavailable', async () => {
    const erase = () => Promise.reject(new ApiError('UNAVAILABLE', 'The service is unavailable.'));
    const send = await start({ accounts: { erase } });
    expect((await send('DELETE', '/accounts/acc_1')).status).toBe(503);
  });
});

describe('an export', () => {
  const accounts = (pieces: () => AsyncGenerator<string>) => ({ accounts: { export: pieces } });

  test('is JSON, sent as it comes, and recorded before', async () => {
    const send = await start(
      accounts(async function* () {
        yield await Promise.resolve('{"exportedAt":"2026-11-21T10:00:00.000Z"');
        yield ',"users":[]}';
      }),
    );
    const { status, headers, body } = await send('GET', '/accounts/acc_1/export');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body).toMatchObject({ users: [] });
    expect(edge?.audited[0]).toMatchObject({ action: 'exportAccount', outcome: 'attempted' });
  });

  test('of an unknown account is 404', async () => {
    const send = await start(
      // A generator that fails before its first value.
      accounts(async function* () {
        yield await Promise.reject<string>(notFound('account'));
      }),
    );
    expect((await send('GET', '/accounts/acc_0/export')).status).toBe(404);
  });

  test('that breaks off is no whole answer', async () => {
    const send = await start(
      accounts(async function* () {
        yield '{"users":[';
        yield await Promise.reject<string>(new ApiError('UNAVAILABLE', 'The service is unavailable.'));
      }),
    );
    await expect(send('GET', '/accounts/acc_1/export')).rejects.toThrow(/terminated|fetch failed/);
  });
});

describe('audit logs', () => {
  const trail = (o: { isBroken?: boolean; missingKeyId?: string; asked?: unknown[] } = {}): AuditTrail => ({
    list(_ctx, accountId, query) {
      o.asked?.push([accountId, query]);
      const entry = {
        id: 'aud_1',
        accountId: 'platform',
        createdAt: NOW,
        expiresAt: NOW,
        actor: { kind: 'operator' },
        userName: null,
        action: 'deleteAccount',
        resource: { type: 'account', id: 'acc_7' },
        outcome: 'succeeded',
        requestId: 'req-1',
        details: '{"members":["name"]}',
      } as const;
      return Promise.resolve({ items: [entry], totalCount: 1 });
    },
    verify: (_ctx, accountId) =>
      Promise.resolve({
        fault:
          o.isBroken === true
            ? {
                sequence: 3,
                problem: `${String(accountId)} is broken.`,
                from: { position: 1, entryId: 'aud_7', afterEntryId: 'aud_6' },
              }
            : undefined,
        missingKeyId: o.missingKeyId,
        keylessEntryCount: 4,
        batchCount: 2,
        entryCount: 9,
        unchainedCount: 1,
      }),
  });

  test('of accounts and of the platform are verified', async () => {
    const send = await start({ auditTrail: trail() });
    const whole = {
      isIntact: true,
      brokenBatch: null,
      brokenFrom: null,
      problem: null,
      missingKeyId: null,
      keylessEntryCount: 4,
      batchCount: 2,
      entryCount: 9,
      unchainedCount: 1,
    };
    expect((await send('GET', '/accounts/acc_1/audit/verify')).body).toMatchObject(whole);
    expect((await send('GET', '/audit/verify')).body).toMatchObject(whole);
  });

  test('that were tampered with name the first broken batch and entry', async () => {
    const send = await start({ auditTrail: trail({ isBroken: true }) });
    expect((await send('GET', '/accounts/acc_1/audit/verify')).body).toMatchObject({
      isIntact: false,
      brokenBatch: 3,
      brokenFrom: { batch: 3, position: 1, entryId: 'aud_7', afterEntryId: 'aud_6' },
      problem: 'acc_1 is broken.',
    });
  });

  test('that a missing key leaves unverified say so, and are not broken', async () => {
    const send = await start({ auditTrail: trail({ missingKeyId: 'v1' }) });
    expect((await send('GET', '/accounts/acc_1/audit/verify')).body).toMatchObject({
      isIntact: false,
      brokenBatch: null,
      brokenFrom: null,
      missingKeyId: 'v1',
      problem: 'The key v1 is not configured.',
    });
  });

  test('the platform’s is listed by filters, without an account', async () => {
    const asked: unknown[] = [];
    const send = await start({ auditTrail: trail({ asked }) });
    const { body } = await send('GET', '/audit?actor=operator&from=2026-11-21T00:00:00Z&top=5');
    expect(body['items']).toEqual([
      {
        id: 'aud_1',
        actor: { kind: 'operator', userId: null, userName: null, credentialType: null, credentialId: null },
        action: 'deleteAccount',
        resource: { type: 'account', id: 'acc_7' },
        outcome: 'succeeded',
        requestId: 'req-1',
        details: { members: ['name'] },
        createdAt: NOW.toISOString(),
        updatedAt: NOW.toISOString(),
      },
    ]);
    const filter = { actor: 'operator', from: new Date('2026-11-21T00:00:00Z') };
    expect(asked).toEqual([[undefined, { filter, page: { offset: 0, top: 5 } }]]);
  });
});
