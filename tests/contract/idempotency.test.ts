import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asOperator, createAccount, createUser, removeAccount } from './support/accounts.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { call, expectError, expectList, get, post, stack } from './support/api.ts';
import type { Answer, CallOptions } from './support/api.ts';
import { row } from './support/row.ts';

let account: TestAccount;
beforeAll(async () => {
  account = await createAccount();
});
afterAll(() => removeAccount(account));

const crm = (connectionName: string): Record<string, unknown> => ({
  applicationSlug: 'sandbox-crm',
  connectionName,
  authenticationId: 1,
  fields: { apiToken: stack.sandboxCrm.apiKey },
});

/** A POST by the account's owner with an idempotency key. */
function postWith(
  key: string,
  path: string,
  body?: unknown,
  options: CallOptions = account,
): Promise<Answer> {
  return post(path, body, { ...options, headers: { ...options.headers, 'idempotency-key': key } });
}

const isReplay = (answer: Answer): boolean => answer.headers.get('idempotency-replayed') === 'true';

/** Checks that `again` is a replay of `first`. */
function expectReplay(again: Answer, first: Answer): void {
  expect(isReplay(first)).toBe(false);
  expect(isReplay(again), again.text).toBe(true);
  expect(again.status).toBe(first.status);
  const requestId = again.headers.get('x-request-id');
  expect(requestId).not.toBe(first.headers.get('x-request-id'));
  // An error has the current requestId; everything else is equal byte for byte.
  const isError = first.status >= 400;
  expect(again.text).toBe(isError ? first.text.replace(first.body.requestId, String(requestId)) : first.text);
}

async function connectionCount(): Promise<number> {
  return expectList(await get('/v1/connections', account)).totalCount;
}

describe('Idempotency-Key', () => {
  test('a body of another media type and a missing permission are refused once and for all', async () => {
    const key = randomUUID();
    const send = () =>
      call('POST', '/v1/connections', {
        ...account,
        raw: '{}',
        headers: { 'content-type': 'text/plain', 'idempotency-key': key },
      });
    const first = await send();
    expectError(first, 415, 'UNSUPPORTED_MEDIA_TYPE');
    expectReplay(await send(), first);
    expectError(await postWith(key, '/v1/connections', crm('Other')), 409, 'IDEMPOTENCY_CONFLICT');

    const member = await createUser(account, { role: 'member' });
    const forbidden = await postWith(key, '/admin/v1/api-keys', { name: 'x' }, member);
    expectError(forbidden, 403, 'FORBIDDEN');
    expectReplay(await postWith(key, '/admin/v1/api-keys', { name: 'x' }, member), forbidden);
  });

  test('[completion.everywhere.42] the same request is carried out once and gets the same response', async () => {
    const key = randomUUID();
    const before = await connectionCount();
    const first = await postWith(key, '/v1/connections', crm('Once'));
    expect(first.status, first.text).toBe(201);
    for (let at = 0; at < 3; at += 1)
      expectReplay(await postWith(key, '/v1/connections', crm('Once')), first);
    expect(await connectionCount()).toBe(before + 1);
  });

  test('without a key, or with another one, it is carried out again', async () => {
    const before = await connectionCount();
    for (const key of [randomUUID(), randomUUID()]) {
      expect(isReplay(await postWith(key, '/v1/connections', crm('Twice')))).toBe(false);
    }
    await post('/v1/connections', crm('Twice'), account);
    expect(await connectionCount()).toBe(before + 3);
  });

  test('each POST of the API replays: executions, sign-ins, tests, users', async () => {
    const { id } = (await post('/v1/connections', crm('Used'), account)).body;
    const requests: [path: string, body: unknown][] = [
      [
        `/v1/tools/sandbox-crm-create-contact/execute?connectionId=${id}`,
        { fields: { name: 'Once', email: `${randomUUID()}@once.example` } },
      ],
      ['/v1/connections/get-sign-in-url', { applicationSlug: 'sandbox-crm', authenticationId: 0 }],
      [`/v1/connections/${id}/test`, undefined],
      [
        '/admin/v1/users',
        { email: `${randomUUID()}@once.example`, name: 'Once', password: randomUUID(), role: 'member' },
      ],
    ];
    for (const [path, body] of requests) {
      const key = randomUUID();
      const first = await postWith(key, path, body);
      expect(first.status, `${path}: ${first.text}`).toBeLessThan(300);
      expectReplay(await postWith(key, path, body), first);
    }
  });

  test('a one-time secret is in the replay too', async () => {
    const key = randomUUID();
    const first = await postWith(key, '/admin/v1/api-keys', { name: 'Once' });
    expect(first.body.apiKey).toMatch(/^fairlead_/);
    const again = await postWith(key, '/admin/v1/api-keys', { name: 'Once' });
    expectReplay(again, first);
    expect((await get('/v1/auth/whoami', { apiKey: again.body.apiKey })).status).toBe(200);
  });

  test('the operator’s requests replay as well', async () => {
    const key = randomUUID();
    const send = (): Promise<Answer> =>
      postWith(
        key,
        '/operator/v1/accounts',
        {
          name: 'Once',
          ownerName: 'Once',
          ownerEmail: `once-${key}@test.example`,
          ownerPassword: `pw-${key}`,
        },
        { apiKey: stack.operatorKey },
      );
    const first = await send();
    expect(first.status, first.text).toBe(201);
    expectReplay(await send(), first);
    await asOperator('DELETE', `/operator/v1/accounts/${first.body.accountId}`);
  });

  test('[completion.everywhere.43] another body under the same key is a conflict, and does nothing', async () => {
    const key = randomUUID();
    const first = await postWith(key, '/v1/connections', crm('First'));
    const before = await connectionCount();
    expectError(await postWith(key, '/v1/connections', crm('Second')), 409, 'IDEMPOTENCY_CONFLICT');
    expect(await connectionCount()).toBe(before);
    expectReplay(await postWith(key, '/v1/connections', crm('First')), first);
  });

  test('[completion.everywhere.47] bodies are compared by their bytes', async () => {
    const key = randomUUID();
    const headers = { 'idempotency-key': key, 'content-type': 'application/json' };
    const text = JSON.stringify(crm('Bytes'));
    const first = await call('POST', '/v1/connections', { ...account, headers, raw: text });
    expectError(
      await call('POST', '/v1/connections', { ...account, headers, raw: `${text} ` }),
      409,
      'IDEMPOTENCY_CONFLICT',
    );
    expectReplay(await call('POST', '/v1/connections', { ...account, headers, raw: text }), first);
  });

  test('[completion.everywhere.45, completion.everywhere.46] path, query and user are part of the key', async () => {
    const key = randomUUID();
    const colleague = await createUser(account, { role: 'developer' });
    const body = { applicationSlug: 'sandbox-crm', authenticationId: 0 };
    const send = (path: string, options: CallOptions = account): Promise<Answer> =>
      postWith(key, path, body, options);
    const answers = [
      await send('/v1/connections/get-sign-in-url'),
      await send('/v1/connections/get-sign-in-url?x=1'),
      await send('/v1/connections/get-sign-in-url?x=2'),
      await send('/v1/connections/get-sign-in-url', colleague),
      await postWith(key, '/v1/connections/999999/test'),
    ];
    expect(answers.map(isReplay)).toEqual(answers.map(() => false));
    expect(new Set(answers.map(({ body: { state } }) => state)).size).toBe(5);
  });

  test('[completion.everywhere.45] another key of the same user is the same caller', async () => {
    const key = randomUUID();
    const first = await postWith(key, '/v1/connections', crm('One caller'));
    const { apiKey } = (await post('/admin/v1/api-keys', { name: 'Second' }, account)).body;
    expectReplay(await postWith(key, '/v1/connections', crm('One caller'), { apiKey }), first);
  });

  test('of equal concurrent requests one is carried out; the others get IDEMPOTENCY_IN_PROGRESS or its response', async () => {
    const key = randomUUID();
    const before = await connectionCount();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => postWith(key, '/v1/connections', crm('At once'))),
    );
    const first = answers.filter((it) => it.status === 201 && !isReplay(it));
    expect(first).toHaveLength(1);
    for (const it of answers) if (it.status !== 201) expectError(it, 409, 'IDEMPOTENCY_IN_PROGRESS');
    expect(await connectionCount()).toBe(before + 1);
    expect(isReplay(await postWith(key, '/v1/connections', crm('At once')))).toBe(true);
  });

  test('[completion.everywhere.44] while the first still runs, the second is IDEMPOTENCY_IN_PROGRESS', async () => {
    const { id } = (await post('/v1/connections', crm('Slow'), account)).body;
    const path = `/v1/tools/sandbox-crm-simulate-failure/execute?connectionId=${id}`;
    const body = { fields: { status: 422, delayMs: 2000, message: 'slow' } };
    const history = async (): Promise<number> => expectList(await get('/v1/executions', account)).totalCount;
    const before = await history();
    const key = randomUUID();
    const first = postWith(key, path, body);
    await expect.poll(history).toBe(before + 1);
    expectError(await postWith(key, path, body), 409, 'IDEMPOTENCY_IN_PROGRESS');
    const answer = await first;
    expectReplay(await postWith(key, path, body), answer);
    expect(await history()).toBe(before + 1);
  });

  row('errors.2', 'a refusal is kept and replayed as well', async () => {
    const key = randomUUID();
    const first = await postWith(key, '/v1/connections/999999/test');
    expectError(first, 404, 'NOT_FOUND');
    const again = await postWith(key, '/v1/connections/999999/test');
    expectReplay(again, first);
    expectError(again, 404, 'NOT_FOUND');
    const invalid = randomUUID();
    const refused = await postWith(invalid, '/v1/connections', { applicationSlug: 7 });
    expectError(refused, 400, 'VALIDATION_ERROR');
    expectReplay(await postWith(invalid, '/v1/connections', { applicationSlug: 7 }), refused);
  });

  test('a refused credential is not kept', async () => {
    const key = randomUUID();
    const send = (options: CallOptions) => postWith(key, '/admin/v1/api-keys', { name: 'x' }, options);
    expectError(await send({ apiKey: null }), 401, 'UNAUTHORIZED');
    const answer = await send(account);
    expect([answer.status, isReplay(answer)]).toEqual([201, false]);
  });

  row(
    ['errors.12', 'completion.everywhere.50'],
    'a key of no character, or of more than 255, is a VALIDATION_ERROR',
    async () => {
      const before = await connectionCount();
      for (const key of ['', 'k'.repeat(256)]) {
        const answer = await postWith(key, '/v1/connections', crm('Refused'));
        expectError(answer, 400, 'VALIDATION_ERROR', ['Idempotency-Key']);
      }
      expect(await connectionCount()).toBe(before);
      expect((await postWith('k'.repeat(255), '/v1/connections', crm('Longest'))).status).toBe(201);
    },
  );

  test('methods other than POST take no notice of it', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const path = '/v1/auth/whoami';
    for (let at = 0; at < 2; at += 1) {
      const answer = await get(path, { ...account, headers: key });
      expect([answer.status, isReplay(answer)]).toEqual([200, false]);
    }
  });
});
