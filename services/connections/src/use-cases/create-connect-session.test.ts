import { notFound } from '@fairlead/errors/api-error';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { ConnectSessionRequest } from '../domain/connect-session.ts';
import { hashSessionToken } from '../domain/connect-session.ts';
import { signInAddresses } from '../domain/sign-in-addresses.ts';
import type { NewConnectSession } from '../ports/connect-session-store.ts';
import { connectorHead, connectSession, NOW, OWNER } from '../testing/builders.ts';
import { sessionCalls } from '../testing/session-calls.ts';
import { createConnectSession } from './create-connect-session.ts';

function world() {
  const stored: NewConnectSession[] = [];
  const { deps } = sessionCalls();
  const catalog = {
    getConnector: (_ctx: unknown, slug: string) => {
      if (slug === 'unknown') return Promise.reject(notFound('application'));
      return Promise.resolve(connectorHead({ slug, kind: slug === 'mcp' ? 'MCPClient' : 'Regular' }));
    },
  };
  const connectSessions = {
    insert: (_ctx: unknown, session: NewConnectSession) => {
      stored.push(session);
      return Promise.resolve(connectSession({ id: session.id }));
    },
  };
  const addresses = signInAddresses('https://api.example');
  const { applicationSlugs, connectionId, redirectUrl, locale, theme, metadata } = connectSession();
  const request = { applicationSlugs, connectionId, redirectUrl, locale, theme, metadata };
  const create = (over: Partial<ConnectSessionRequest> = {}) =>
    createConnectSession(
      { ...deps, catalog, connectSessions, addresses },
      testContext({ ...OWNER, permissions: ['authProviders.use'] }),
      {
        ...request,
        endUserId: 'customer-1',
        allowedOrigins: [],
        licenceStatus: 'active',
        maxConnections: 20,
        keyId: null,
        expiresInMinutes: 5,
        ...over,
      },
    );
  return { create, stored };
}

test('the token is returned, and stored as a hash only; the session keeps what the opener may do', async () => {
  const { create, stored } = world();
  const { token, connectUrl } = await create();
  expect(token.reveal()).toMatch(/^cst_[0-9A-Za-z]{43}$/);
  expect(connectUrl.reveal()).toBe(`https://api.example/connect/session/${token.reveal()}`);
  expect(stored).toMatchObject([
    {
      ...OWNER,
      mayUseProviders: true,
      tokenHash: hashSessionToken(token),
      createdAt: NOW,
      expiresAt: new Date(NOW.getTime() + 300_000),
    },
  ]);
  expect(JSON.stringify(stored)).not.toContain(token.reveal());
});

test('applications and the connection to renew must exist, be the end user’s, and be of a kind that end users connect', async () => {
  const { create, stored } = world();
  for (const over of [
    { applicationSlugs: ['unknown'] },
    { connectionId: 8 },
    { endUserId: 'c-2', connectionId: 7 },
  ])
    await expect(create(over)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  for (const [field, over] of [
    ['applicationSlugs[1]', { applicationSlugs: ['crm', 'mcp'] }],
    ['applicationSlugs', { applicationSlugs: ['erp'], connectionId: 7 }],
    ['endUserId', { endUserId: '' }],
    ['metadata', { metadata: LazyJson.of({ a: 'x'.repeat(20_000) }) }],
  ] as const)
    await expect(create(over)).rejects.toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field }] });
  expect(stored).toEqual([]);
});
