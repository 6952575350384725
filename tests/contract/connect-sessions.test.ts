import { afterEach, describe, expect } from 'vitest';
import { asOther, call, del, expectError, get, patch, post, stack } from './support/api.ts';
import { createAccount, createApiKey, createUser, expectStatus, removeAccount } from './support/accounts.ts';
import { createCrmConnection } from './support/connections.ts';
import { importForEndUser, removeEndUsers } from './support/end-users.ts';
import { exchange } from './support/recorder.ts';
import { row } from './support/row.ts';

const ORIGIN = 'https://app.example';

afterEach(() => removeEndUsers());

async function open(body: Record<string, unknown> = {}) {
  const answer = await post('/v1/connect-sessions', { endUserId: 'customer-1', ...body });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

/** Requests the status page as a script of a site does; without `method` it is a GET. */
async function status(o: { token?: string; origin?: string; method?: string }) {
  const headers = new Headers();
  if (o.token !== undefined) headers.set('authorization', `Bearer ${o.token}`);
  if (o.origin !== undefined) headers.set('origin', o.origin);
  if (o.method === 'OPTIONS') {
    headers.set('access-control-request-method', 'GET');
    headers.set('access-control-request-headers', 'authorization');
  }
  const url = new URL('/connect/status', stack.baseUrl);
  const { text, ...answer } = await exchange(url, { method: o.method ?? 'GET', headers });
  return { ...answer, text, body: text === '' ? undefined : JSON.parse(text) };
}

describe('a connect session', () => {
  row(
    [
      'completion.connections.67',
      'completion.connections.71',
      'completion.connections.72',
      'completion.connections.73',
      'completion.connections.75',
    ],
    '201 with its token, which is shown once; then the same record by its id',
    async () => {
      const before = Date.now();
      const theme = { mode: 'dark', primaryColor: '#1A73E8', logoUrl: 'https://app.example/logo.png' };
      const created = await open({
        applicationSlugs: ['sandbox-crm'],
        redirectUrl: `${ORIGIN}/done`,
        locale: 'fr',
        theme,
        metadata: { plan: 'gold' },
      });
      const { token, connectUrl, ...session } = created;
      expect(session).toMatchObject({
        sessionId: expect.stringMatching(/^cs_/),
        endUserId: 'customer-1',
        applicationSlugs: ['sandbox-crm'],
        connectionId: null,
        redirectUrl: `${ORIGIN}/done`,
        allowedOrigins: [ORIGIN],
        locale: 'fr',
        theme: { ...theme, primaryColor: '#1a73e8' },
        metadata: { plan: 'gold' },
        status: 'open',
        connections: [],
        lastError: null,
      });
      const minutes = (Date.parse(session.expiresAt) - before) / 60_000;
      expect(Math.round(minutes)).toBe(30);
      expect(connectUrl.startsWith(`${stack.baseUrl}/connect/`)).toBe(true);
      const read = await get(`/v1/connect-sessions/${session.sessionId}`);
      expect(read.status).toBe(200);
      expect(read.body).toEqual(session);
      expect(read.text).not.toContain(token);
    },
  );

  row(
    ['completion.connections.68', 'completion.connections.71', 'completion.connections.74'],
    'members out of bounds are refused by name',
    async () => {
      const wrong: [string, Record<string, unknown>][] = [
        ['endUserId', { endUserId: '' }],
        ['endUserId', { endUserId: 'x'.repeat(256) }],
        ['endUserId', { endUserId: 5 }],
        ['expiresInMinutes', { expiresInMinutes: 4 }],
        ['expiresInMinutes', { expiresInMinutes: 10_081 }],
        ['redirectUrl', { redirectUrl: 'https://evil.example/', allowedOrigins: [ORIGIN] }],
        ['redirectUrl', { redirectUrl: 'javascript:alert(1)' }],
        ['redirectUrl', { redirectUrl: '//app.example' }],
        ['allowedOrigins[0]', { allowedOrigins: ['*'] }],
        ['allowedOrigins[0]', { allowedOrigins: [`${ORIGIN}/path`] }],
        ['locale', { locale: 'no language' }],
        ['theme.primaryColor', { theme: { primaryColor: 'url(x)' } }],
        ['theme.logoUrl', { theme: { logoUrl: 'javascript:x' } }],
        ['metadata', { metadata: { a: 'x'.repeat(17_000) } }],
      ];
      for (const [field, body] of wrong)
        expectError(
          await post('/v1/connect-sessions', { endUserId: 'customer-1', ...body }),
          400,
          'VALIDATION_ERROR',
          [field],
        );
      const mode = await post('/v1/connect-sessions', { endUserId: 'customer-1', theme: { mode: 'pink' } });
      expectError(mode, 400, 'INVALID_ENUM_VALUE');
      const long = await open({ endUserId: 'x'.repeat(255), expiresInMinutes: 10_080 });
      await del(`/v1/end-users/${long.endUserId}`);
      await open({ redirectUrl: `${ORIGIN}/done`, allowedOrigins: ['https://other.example', ORIGIN] });
    },
  );

  row(
    ['completion.connections.69'],
    'renews a connection of that end user only; unknown applications and connections of others are 404',
    async () => {
      const { id } = await importForEndUser('customer-1');
      expect((await open({ connectionId: id })).connectionId).toBe(id);
      const own = await createCrmConnection('The account’s own');
      for (const body of [
        { endUserId: 'customer-2', connectionId: id },
        { endUserId: 'customer-1', connectionId: own.id },
        { endUserId: 'customer-1', applicationSlugs: ['sandbox-crm', 'no-such-application'] },
      ])
        expectError(await post('/v1/connect-sessions', body), 404, 'NOT_FOUND');
      expectError(
        await post('/v1/connect-sessions', { endUserId: 'customer-1', connectionId: id }, asOther),
        404,
        'NOT_FOUND',
      );
      await del(`/v1/connections/${own.id}`);
    },
  );

  row(['completion.connections.76'], 'DELETE ends it: 204, and again; it can still be read', async () => {
    const { sessionId, token } = await open();
    for (let count = 0; count < 2; count += 1)
      expect((await del(`/v1/connect-sessions/${sessionId}`)).status).toBe(204);
    expect((await get(`/v1/connect-sessions/${sessionId}`)).body.status).toBe('cancelled');
    expect((await status({ token })).body.status).toBe('cancelled');
    expectError(await del(`/v1/connect-sessions/${sessionId}`, asOther), 404, 'NOT_FOUND');
  });

  row(
    ['completion.connections.90', 'completion.connections.71'],
    'reads cancelled everywhere once its user or its key has ended, and its page refuses',
    async () => {
      const account = await createAccount();
      const leaving = await createUser(account, { role: 'member' });
      const key = await createApiKey(account);
      for (const [who, end] of [
        [key, () => del(`/admin/v1/api-keys/${key.id}`, account)],
        [leaving, () => patch(`/admin/v1/users/${leaving.userId}`, { isActive: false }, account)],
      ] as const) {
        const opened = await post('/v1/connect-sessions', { endUserId: 'customer-1' }, who);
        const { sessionId, token, connectUrl } = expectStatus(opened, 201).body;
        const read = async (): Promise<unknown[]> => [
          (await get(`/v1/connect-sessions/${sessionId}`, account)).body.status,
          (await status({ token })).body.status,
        ];
        expect(await read()).toEqual(['open', 'open']);
        expect([200, 204]).toContain((await end()).status);
        expect(await read()).toEqual(['cancelled', 'cancelled']);
        const page = await exchange(new URL(connectUrl), { method: 'GET', headers: new Headers() });
        expect(page.status).toBe(404);
      }
      await removeAccount(account);
    },
  );

  row(['completion.connections.90'], 'reads cancelled everywhere once its key has expired', async () => {
    const account = await createAccount();
    let session: { readonly sessionId: string; readonly token: string } | undefined;
    // Repeated with a longer lifetime if the session expires before it is opened, on a busy machine.
    for (let livesMs = 2_000; session === undefined; livesMs *= 2) {
      const key = await createApiKey(account, { expiresAt: new Date(Date.now() + livesMs).toISOString() });
      const opened = await post('/v1/connect-sessions', { endUserId: 'customer-1' }, key);
      if (opened.status === 201) session = opened.body;
    }
    const { sessionId, token } = session;
    await expect
      .poll(async () => (await get(`/v1/connect-sessions/${sessionId}`, account)).body.status)
      .toBe('cancelled');
    expect((await status({ token })).body.status).toBe('cancelled');
    await removeAccount(account);
  });

  row(['completion.connections.77'], 'every route needs connections.write', async () => {
    const account = await createAccount({ isRbacEnabled: true });
    const member = await createUser(account, { role: 'member' });
    const created = await post('/v1/connect-sessions', { endUserId: 'customer-1' }, member);
    expect(created.status, created.text).toBe(201);
    const path = `/v1/connect-sessions/${created.body.sessionId}`;
    const document = (await get('/openapi.json', { apiKey: null })).body;
    for (const [method, route] of [
      ['post', '/v1/connect-sessions'],
      ['get', '/v1/connect-sessions/{sessionId}'],
      ['delete', '/v1/connect-sessions/{sessionId}'],
    ] as const)
      expect(JSON.stringify(document.paths[route][method])).toContain('connections.write');
    expect((await get(path, member)).status).toBe(200);
    expectError(await get(path, { apiKey: null }), 401, 'UNAUTHORIZED');
    expectError(await call('POST', '/v1/connect-sessions', { apiKey: null }), 401, 'UNAUTHORIZED');
    await removeAccount(account);
  });
});

describe('GET /connect/status', () => {
  row(
    ['completion.connections.77', 'completion.connections.75', 'completion.connections.88'],
    'answers as the session does, to its token only, and to scripts of its allowedOrigins only',
    async () => {
      const { sessionId, token } = await open({ allowedOrigins: [ORIGIN] });
      const { body } = await get(`/v1/connect-sessions/${sessionId}`);
      const allowed = await status({ token, origin: ORIGIN });
      expect([allowed.status, allowed.body]).toEqual([200, body]);
      expect(allowed.headers.get('access-control-allow-origin')).toBe(ORIGIN);
      expect(allowed.headers.get('vary')?.toLowerCase()).toContain('origin');
      for (const origin of ['https://evil.example', `${ORIGIN}.evil.example`, 'null']) {
        const refused = await status({ token, origin });
        expect(refused.headers.get('access-control-allow-origin')).toBeNull();
        const preflight = await status({ origin, method: 'OPTIONS' });
        expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
      }
      const preflight = await status({ origin: ORIGIN, method: 'OPTIONS' });
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get('access-control-allow-origin')).toBe(ORIGIN);
      expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization');
      for (const wrong of [undefined, `cst_${'x'.repeat(43)}`, stack.account.apiKey])
        expect((await status({ ...(wrong !== undefined && { token: wrong }) })).status).toBe(401);
      expect((await status({ token, method: 'POST' })).status).toBe(405);
      const { token: other } = (await post('/v1/connect-sessions', { endUserId: 'customer-1' }, asOther))
        .body;
      expect((await status({ token: other })).body.sessionId).not.toBe(sessionId);
      // The token gives access to nothing else.
      expect((await get('/v1/connections', { apiKey: token })).status).toBe(401);
    },
  );
});
