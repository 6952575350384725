import { notFound } from '@fairlead/errors/api-error';
import { createHttpApp } from '@fairlead/service-kit/http/app';
import { systemClock } from '@fairlead/service-kit/clock';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { ownConnectionPages } from './own-connection-pages.ts';
import type { SignedInUser } from './own-connection-pages.ts';

const PUBLIC_URL = 'https://fairlead.example';
const ada: SignedInUser = {
  accountId: 'acc_1',
  userId: 'u1',
  userName: 'Ada',
  roles: ['member'],
  permissions: ['connections.write'],
  defaultLicence: 'active',
  maxConnectionsPerEndUser: 20,
};

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

async function open(user: SignedInUser | undefined, isGone = false) {
  const sessions: object[] = [];
  const connected: object[] = [];
  const app = createHttpApp({
    pages: ownConnectionPages({
      findSignedInUser: (cookies) => Promise.resolve(cookies === 'session=1' ? user : undefined),
      openSession({ caller }, { maxConnectionsPerEndUser }, wanted) {
        sessions.push({ caller, maxConnectionsPerEndUser, ...wanted });
        return isGone
          ? Promise.reject(notFound('application'))
          : Promise.resolve(`${PUBLIC_URL}/connect/session/cst_1`);
      },
      onConnected: (elicitation) => connected.push(elicitation),
      publicUrl: PUBLIC_URL,
    }),
    mounts: [],
    paths: [],
    pageTimeoutMs: 60_000,
    log: createLogger({ service: 'test', level: 'silent' }),
    clock: systemClock,
  });
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  const { port } = server.address() as AddressInfo;
  const get = async (path: string, method = 'GET') => {
    const headers = { cookie: 'session=1' };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, redirect: 'manual' });
    return { status: response.status, to: response.headers.get('location'), text: await response.text() };
  };
  return { get, sessions, connected };
}

const LINK = '/own-connection?user=u1&application=crm';

test('the user of the link gets a connect session of their own', async () => {
  const { get, sessions } = await open(ada);
  expect(await get(`${LINK}&connection=7`)).toMatchObject({
    status: 303,
    to: `${PUBLIC_URL}/connect/session/cst_1`,
  });
  expect(sessions).toMatchObject([
    {
      caller: { kind: 'user', accountId: 'acc_1', userId: 'u1' },
      endUserId: 'user:u1',
      applicationSlug: 'crm',
      connectionId: 7,
      isShared: false,
      maxConnectionsPerEndUser: 20,
    },
  ]);
});

test('a link for a shared connection stays one while its user signs in', async () => {
  const link = `${LINK}&connection=7&shared=true`;
  const { to } = await (await open(undefined)).get(link);
  const state = encodeURIComponent(new URL(to ?? '').searchParams.get('state') ?? '');
  const { get, sessions } = await open(ada);
  expect(await get(`/own-connection/signed-in?code=c&state=${state}`)).toMatchObject({ status: 303 });
  expect(sessions).toMatchObject([{ connectionId: 7, isShared: true }]);
});

test.each([
  ['nobody', undefined, null],
  ['somebody else', { ...ada, userId: 'u2' }, 'login'],
])('%s has to sign in first, and comes back', async (_who, user, prompt) => {
  const { get, sessions } = await open(user);
  const { status, to } = await get(LINK);
  const address = new URL(to ?? '');
  expect([status, address.origin, address.pathname]).toEqual([303, PUBLIC_URL, '/oauth/authorize']);
  expect(address.searchParams.get('prompt')).toBe(prompt);
  expect(address.searchParams.get('redirect_uri')).toBe(`${PUBLIC_URL}/own-connection/signed-in`);
  const state = encodeURIComponent(address.searchParams.get('state') ?? '');
  expect(await get(`/own-connection/signed-in?code=c&state=${state}`)).toMatchObject({
    status: 403,
    to: null,
  });
  expect(sessions).toEqual([]);
  expect((await (await open(ada)).get(`/own-connection/signed-in?state=${state}`)).to).toContain('/connect/');
});

test.each([
  '/own-connection',
  '/own-connection?user=u1',
  `${LINK}/../x`,
  `${LINK}&connection=x`,
  '/own-connection/signed-in',
])('an incomplete link opens nothing: %s', async (path) => {
  const { get, sessions } = await open(ada);
  expect((await get(path)).status).toBe(400);
  expect(sessions).toEqual([]);
});

test('a user who may make no connections, and an application that is gone, are told so', async () => {
  expect((await (await open({ ...ada, permissions: [] })).get(LINK)).status).toBe(403);
  expect((await (await open(ada, true)).get(LINK)).status).toBe(404);
});

test('a link checker opens no session', async () => {
  const { get, sessions } = await open(ada);
  expect((await get(LINK, 'HEAD')).status).toBe(405);
  expect(sessions).toEqual([]);
});

test('the end of a link’s elicitation is told, by its user alone, and only if the application is connected', async () => {
  const elicitation = '0b7c1c1e-6f0e-4d0a-9d39-2f6d1f5b8a10';
  const { get, sessions, connected } = await open(ada);
  await get(`${LINK}&elicitation=${elicitation}`);
  const done = `/own-connection/done?user=u1&elicitation=${elicitation}`;
  expect(sessions).toMatchObject([{ redirectUrl: PUBLIC_URL + done }]);
  await get(`${LINK}&elicitation=other`);
  expect(sessions[1]).toMatchObject({ redirectUrl: undefined });
  expect((await get(`${done}&status=cancelled`)).text).toContain('is not connected');
  expect((await get(`${done.replace('u1', 'u2')}&status=completed`)).status).toBe(200);
  expect(connected).toEqual([]);
  expect((await get(`${done}&status=completed`)).text).toContain('You are connected');
  expect(connected).toEqual([{ userId: 'u1', elicitationId: elicitation }]);
});
