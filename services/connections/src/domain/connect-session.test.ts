import { describe, expect, test } from 'vitest';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { ConnectSessionRequest } from './connect-session.ts';
import {
  checkSessionRequest,
  connectsKind,
  isSessionUsable,
  mayRenew,
  sessionStatus,
} from './connect-session.ts';
import { connection, connectSession, NOW } from '../testing/builders.ts';

const later = new Date(NOW.getTime() + 1);
const made = { connectionId: 7, connectionName: 'CRM', applicationSlug: 'crm' };

function asked(over: Partial<ConnectSessionRequest> = {}): ConnectSessionRequest {
  return {
    endUserId: 'customer-1',
    applicationSlugs: [],
    connectionId: null,
    redirectUrl: null,
    allowedOrigins: [],
    locale: null,
    theme: { mode: 'auto', primaryColor: null, logoUrl: null },
    metadata: LazyJson.of({}),
    licenceStatus: 'active',
    maxConnections: 20,
    keyId: null,
    expiresInMinutes: 30,
    ...over,
  };
}

describe('the terms of a session', () => {
  test('a redirectUrl without allowedOrigins allows its own origin only; colours and repeated values have one form', () => {
    const terms = checkSessionRequest(
      asked({
        redirectUrl: 'https://App.example/done?a=1',
        applicationSlugs: ['crm', 'crm'],
        theme: { mode: 'dark', primaryColor: '#1AF', logoUrl: 'https://app.example/logo.png' },
      }),
    );
    expect(terms.allowedOrigins).toEqual(['https://app.example']);
    expect(terms.redirectUrl).toBe('https://app.example/done?a=1');
    expect(terms.applicationSlugs).toEqual(['crm']);
    expect(terms.theme.primaryColor).toBe('#11aaff');
    expect(checkSessionRequest(asked()).allowedOrigins).toEqual([]);
    expect(checkSessionRequest(asked({ allowedOrigins: ['http://localhost:3000'] })).allowedOrigins).toEqual([
      'http://localhost:3000',
    ]);
  });

  const theme = (over: Partial<ConnectSessionRequest['theme']>) => ({ theme: { ...asked().theme, ...over } });
  test.each<[string, Partial<ConnectSessionRequest>]>([
    ['redirectUrl', { redirectUrl: 'javascript:alert(1)' }],
    ['redirectUrl', { redirectUrl: 'http://app.example/' }],
    ['redirectUrl', { redirectUrl: 'https://user:pass@app.example/' }],
    ['redirectUrl', { redirectUrl: '/relative' }],
    ['redirectUrl', { redirectUrl: 'https://evil.example/', allowedOrigins: ['https://app.example'] }],
    ['allowedOrigins[0]', { allowedOrigins: ['https://app.example/path'] }],
    ['allowedOrigins[0]', { allowedOrigins: ['*'] }],
    ['allowedOrigins[0]', { allowedOrigins: ['null'] }],
    ['allowedOrigins[1]', { allowedOrigins: ['https://app.example', 'data:text/html,x'] }],
    ['expiresInMinutes', { expiresInMinutes: 4 }],
    ['expiresInMinutes', { expiresInMinutes: 10_081 }],
    ['locale', { locale: 'not a locale' }],
    ['theme.primaryColor', theme({ primaryColor: 'red;background:url(x)' })],
    ['theme.logoUrl', theme({ logoUrl: 'data:image/svg+xml,x' })],
  ])('%s is refused: %j', (field, over) => {
    expect(() => checkSessionRequest(asked(over))).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR', details: [expect.objectContaining({ field })] }),
    );
  });
});

describe('a session', () => {
  const session = connectSession({ expiresAt: later });
  test('is open until a connection is made, it is ended, or its time has passed', () => {
    expect(sessionStatus(session, NOW)).toBe('open');
    expect(sessionStatus(session, later)).toBe('expired');
    expect(sessionStatus({ ...session, endedAt: NOW }, later)).toBe('cancelled');
    expect(sessionStatus({ ...session, endedAt: NOW, connections: [made] }, later)).toBe('completed');
  });

  test('connects one application once; several, until its time has passed', () => {
    expect(isSessionUsable(session, NOW)).toBe(true);
    expect(isSessionUsable(session, later)).toBe(false);
    expect(isSessionUsable({ ...session, endedAt: NOW }, NOW)).toBe(false);
    const connected = { ...session, connections: [made] };
    expect(isSessionUsable(connected, NOW)).toBe(true);
    expect(isSessionUsable({ ...connected, applicationSlugs: ['crm'] }, NOW)).toBe(false);
    expect(isSessionUsable({ ...connected, connectionId: 7 }, NOW)).toBe(false);
  });
});

test('only a renewal of a shared connection that was signed in to connects an MCP server', () => {
  const shared = connectSession({ connectionId: 7, renewsShared: true });
  const others = [
    connectSession(),
    connectSession({ connectionId: 7 }),
    connectSession({ renewsShared: true }),
  ];
  expect(connectsKind(shared, 'MCPClient')).toBe(true);
  expect(connectsKind(shared, 'OPA')).toBe(false);
  for (const other of others) expect(connectsKind(other, 'MCPClient')).toBe(false);
  const server = connection({ id: 7, kind: 'MCPClient', grant: 'authorizationCode', endUserId: null });
  expect(mayRenew(shared, server)).toBe(true);
  expect(mayRenew(shared, { ...server, grant: 'fields' })).toBe(false);
});
