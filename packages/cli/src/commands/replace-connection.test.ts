import type { ReceivedRequest } from '@fairlead/sdk/testing/api-server';
import { afterEach, describe, expect, it } from 'vitest';
import { api, call, CONNECTION, sent, stop } from '../testing/connections-api.ts';

afterEach(stop);

describe('replace', () => {
  const present = { ...CONNECTION, description: 'Ours', metadata: { team: 'a' } };
  const of = (connection: object) => (request: ReceivedRequest) => {
    const route = `${request.method} ${request.path}`;
    return ['GET /v1/connections/7', 'PUT /v1/connections/7'].includes(route)
      ? { status: 200, body: connection }
      : api()(request);
  };

  it('renames, and keeps what is not named', async () => {
    const { code, err } = await call(['connections', 'replace', '7', '--name', 'New'], of(present));
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(sent().at(-1)).toEqual({
      line: 'PUT /v1/connections/7',
      body: { connectionName: 'New', description: 'Ours', metadata: { team: 'a' } },
    });
  });

  it('replaces the credentials, and prompts for the required secret', async () => {
    const argv = ['connections', 'replace', '7', '--field', 'region=eu'];
    await call(argv, of(present), { input: { typed: 's3cret\r' } });
    expect(sent().at(-1)?.body).toMatchObject({
      connectionName: 'My CRM',
      fields: { region: 'eu', apiToken: 's3cret' },
    });
  });

  it('signs in again, through the same OAuth client', async () => {
    const signedIn = { ...present, authenticationId: 0, authProviderId: 3 };
    const argv = ['connections', 'replace', '7', '--sign-in', '--field', 'subdomain=acme'];
    expect((await call(argv, of(signedIn))).code).toBe(0);
    expect(sent().find(({ line }) => line.endsWith('/get-sign-in-url'))?.body).toEqual({
      applicationSlug: 'crm',
      authenticationId: 0,
      connectionId: 7,
      authProviderId: 3,
      fields: { subdomain: 'acme' },
    });
    expect(sent().at(-1)?.body).toMatchObject({
      connectionName: 'My CRM',
      oauthState: 'state-1',
      fields: {},
    });
    const direct = await call(['connections', 'replace', '7', '--sign-in'], of(present));
    expect([direct.code, sent().some(({ line }) => line.startsWith('PUT'))]).toEqual([2, false]);
  });
});

describe('import', () => {
  const imported = ['connections', 'import', 'crm', '--name', 'Moved', '--method', '0'];
  const created = { status: 201, body: CONNECTION };

  it('prompts for the access token, and for the refresh token if it is named', async () => {
    const more = [
      '--field',
      'refreshToken',
      '--end-user',
      'u1',
      '--auth-provider',
      'none',
      '--token-expires',
      '2027-01-31',
    ];
    await call([...imported, ...more], created, { input: { typed: 'access\rrefresh\r' } });
    expect(sent()).toEqual([
      {
        line: 'POST /admin/v1/connections/import',
        body: {
          applicationSlug: 'crm',
          connectionName: 'Moved',
          authenticationId: 0,
          authProvider: 'none',
          endUserId: 'u1',
          accessToken: 'access',
          refreshToken: 'refresh',
          expiresAt: '2027-01-31T00:00:00.000Z',
        },
      },
    ]);
  });

  it('reads both from standard input; a token in an argument is a wrong call', async () => {
    const piped = { input: { piped: '{"accessToken":"a","refreshToken":"r"}' } };
    expect((await call([...imported, '--values-stdin'], created, piped)).code).toBe(0);
    expect(sent().at(-1)?.body).toMatchObject({ accessToken: 'a', refreshToken: 'r' });
    const { code } = await call([...imported, '--field', 'accessToken=a'], created);
    expect({ code, sent: sent() }).toEqual({ code: 2, sent: [] });
  });
});
