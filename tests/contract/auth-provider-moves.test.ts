import { startTestServer } from '@fairlead/connector-runtime/testing/http-server';
import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { createAccount, expectStatus, removeAccount } from './support/accounts.ts';
import { del, expectError, get, patch, post, put } from './support/api.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { row } from './support/row.ts';
import { continueToVendor, startCrmSignIn, Visitor } from './support/sign-in.ts';

const SOON = { timeout: 90_000, interval: 250 };
const providers = '/v1/auth-providers';
const hosted = { applicationSlug: 'hosted-crm', authenticationId: 0 };

let account: TestAccount;
let serial = 0;
beforeAll(async () => {
  account = await createAccount();
});
afterAll(() => removeAccount(account));

/** A vendor with its own address, which grants `name-access` and `name-refresh` to everybody. */
async function startVendor(name: string) {
  const received: string[] = [];
  const granted = { access_token: `${name}-access-t0ken`, token_type: 'Bearer', expires_in: 3600 };
  const server = await startTestServer(({ path, query, headers, body }) => {
    received.push(`${path} ${headers.authorization ?? ''} ${body}`);
    if (path === '/oauth/auth') {
      const back = new URL(query.get('redirect_uri') ?? '');
      back.searchParams.set('code', `${name}-c0de`);
      back.searchParams.set('state', query.get('state') ?? '');
      return { status: 302, headers: { location: back.href } };
    }
    if (path === '/oauth/token') return { body: { ...granted, refresh_token: `${name}-refresh-t0ken` } };
    return { body: path === '/token' ? granted : { ok: true } };
  });
  return { ...server, received };
}

describe('an auth provider that is led to another address', () => {
  let vendor: Awaited<ReturnType<typeof startVendor>>;
  let thief: Awaited<ReturnType<typeof startVendor>>;
  beforeAll(async () => {
    [vendor, thief] = [await startVendor('vendor'), await startVendor('thief')];
  });
  afterAll(async () => {
    await vendor.close();
    await thief.close();
  });

  const createAuthProvider = async (of: object, values: Record<string, string>): Promise<number> => {
    const body = { name: `Moved ${(serial += 1)}`, ...of, values };
    return expectStatus(await post(providers, body, account), 201).body.id;
  };
  const change = async (id: number, values: Record<string, string>): Promise<void> => {
    expectStatus(await patch(`${providers}/${id}`, { values }, account), 200);
  };
  const createHostedProvider = () =>
    createAuthProvider(hosted, { BaseUrl: vendor.url, Key1: 'client', Key2: 'cl1ent-s3cret-of-the-account' });
  /** An attacker does not know the former secret, and makes one up. */
  const steal = (id: number) => change(id, { BaseUrl: thief.url, Key2: 'made-up' });
  const execute = async (id: number) =>
    (await post(`/v1/tools/hosted-crm-whoami/execute?connectionId=${id}`, {}, account)).body;
  const passthrough = async (id: number) =>
    (await post(`/v1/connections/${id}/request`, { method: 'GET', path: '/whoami' }, account)).body;
  const test = async (id: number) => (await post(`/v1/connections/${id}/test`, undefined, account)).body;
  const read = async (id: number) => (await get(`/v1/connections/${id}`, account)).body;
  const authorizedState = async (authProviderId: number): Promise<string> => {
    const { signInUrl, state } = await startCrmSignIn(account.apiKey, { ...hosted, authProviderId });
    expect((await continueToVendor(new Visitor(), signInUrl)).status).toBe(200);
    return state;
  };
  const connect = async (authProviderId: number) => {
    const oauthState = await authorizedState(authProviderId);
    const body = { ...hosted, connectionName: 'Hosted', oauthState };
    return expectStatus(await post('/v1/connections', body, account), 201).body.id as number;
  };
  const receivedOf = ({ received }: typeof thief, secret: string) =>
    received.filter((request) => request.includes(secret));

  row(
    ['completion.auth-providers.30', 'completion.connections.64'],
    'gets no token that was granted at the former one, by no call, test, renewal or revocation; a new sign-in works there',
    async () => {
      const provider = await createHostedProvider();
      const [called, tested, passed, unused, deleted] = (await Promise.all(
        Array.from({ length: 5 }, () => connect(provider)),
      )) as [number, number, number, number, number];
      // The provider's address is not a field of the connection.
      const own = { connectionName: 'Hosted', fields: { address: thief.url } };
      expectStatus(await put(`/v1/connections/${called}`, own, account), 200);
      expect(await execute(called)).toMatchObject({ isSuccess: true });
      expect(thief.received).toEqual([]);
      await steal(provider);

      const ended = { isSuccess: false, errorMessage: expect.stringMatching(/sign in/i) };
      expect(await execute(called)).toMatchObject(ended);
      expect(await test(tested)).toEqual(ended);
      expect((await passthrough(passed)).isSuccess).not.toBe(true);
      expectStatus(await del(`/v1/connections/${deleted}`, account), 204);
      for (const id of [called, tested, passed, unused]) {
        // The unused connection is found in the background.
        await vi.waitFor(
          async () =>
            expect(await read(id)).toMatchObject({
              status: 'NeedsReauthentication',
              statusReason: expect.stringMatching(/another address/),
            }),
          SOON,
        );
      }

      const again = { connectionName: 'Signed in again', oauthState: await authorizedState(provider) };
      expect(expectStatus(await put(`/v1/connections/${called}`, again, account), 200).body).toMatchObject({
        status: 'Active',
        statusReason: null,
      });
      expect(await execute(called)).toMatchObject({ isSuccess: true });
      expect(receivedOf(thief, 'Bearer thief-access-t0ken')).toHaveLength(1);
      // The connection's revocation follows that of the connection that was deleted first.
      expectStatus(await del(`/v1/connections/${called}`, account), 204);
      await vi.waitFor(
        () =>
          expect(receivedOf(thief, '/oauth/revoke')).toEqual([
            expect.stringContaining('thief-refresh-t0ken'),
          ]),
        SOON,
      );
      expect(receivedOf(thief, 'vendor-')).toEqual([]);
      expect(receivedOf(thief, 'cl1ent-s3cret')).toEqual([]);
    },
  );

  row(
    'completion.auth-providers.30',
    'gets no code of a sign-in that began at the former one, which fails, and no connection is made of one that was complete',
    async () => {
      const provider = await createHostedProvider();
      const complete = await authorizedState(provider);
      const { signInUrl, state } = await startCrmSignIn(account.apiKey, {
        ...hosted,
        authProviderId: provider,
      });
      await steal(provider);
      const body = { ...hosted, connectionName: 'Hosted', oauthState: complete };
      expectError(await post('/v1/connections', body, account), 400, 'OAUTH_STATE_EXPIRED');
      await continueToVendor(new Visitor(), signInUrl);
      const poll = await get(`/v1/connections/access-token/${state}`, account);
      expectError(poll, 400, 'OAUTH_SIGN_IN_FAILED');
      expect(receivedOf(thief, 'vendor-c0de')).toEqual([]);
      // The former address again, but nobody can tell what happened in between.
      await change(provider, { BaseUrl: vendor.url, Key2: 'made-up' });
      expectError(await post('/v1/connections', body, account), 400, 'OAUTH_STATE_EXPIRED');
    },
  );

  const byUser = { applicationSlug: 'http', authenticationId: 5 };
  const userValues = () => ({
    BaseUrl: `${vendor.url}/api`,
    Key1: 'client',
    Key2: 'cl1ent-s3cret-of-the-account',
    Key3: `${vendor.url}/token`,
    ApiUser: 'integration',
    ApiPassword: 'pa55word-of-the-provider',
  });
  const stolen = () => ({ BaseUrl: `${thief.url}/api`, Key3: `${thief.url}/token`, Key2: 'made-up' });
  const connectUser = async (provider: number, fields: object) => {
    const body = { ...byUser, connectionName: 'By user', fields };
    const made = await post(`/v1/connections?authProviderId=${provider}`, body, account);
    return expectStatus(made, 201).body.id as number;
  };
  const request = async (id: number) =>
    (
      await post(
        `/v1/tools/http-send-request/execute?connectionId=${id}`,
        { fields: { url: 'orders' } },
        account,
      )
    ).body;

  row(
    ['completion.auth-providers.30', 'completion.auth-providers.9'],
    'is asked for a token of its own, where the client alone gets one, and is not sent the former one',
    async () => {
      const provider = await createAuthProvider(byUser, userValues());
      const id = await connectUser(provider, {});
      expect(await request(id)).toMatchObject({ isSuccess: true });
      await change(provider, { ...stolen(), ApiPassword: 'made-up' });
      expect(await request(id)).toMatchObject({ isSuccess: true });
      expect(receivedOf(thief, '/api/orders')).toEqual(['/api/orders Bearer thief-access-t0ken ']);
      expect(receivedOf(thief, 'vendor-')).toEqual([]);
      expect(await read(id)).toMatchObject({ status: 'Active' });
    },
  );

  row(
    ['completion.auth-providers.30', 'completion.connections.64'],
    'gets no secret that a connection holds itself, until it is entered again',
    async () => {
      const provider = await createAuthProvider(byUser, userValues());
      await change(provider, { ApiPassword: '' });
      const id = await connectUser(provider, { apiPassword: 'pa55word-of-the-connection' });
      expect(await request(id)).toMatchObject({ isSuccess: true });
      await change(provider, stolen());
      expect(await request(id)).toMatchObject({ isSuccess: false });
      expect(await read(id)).toMatchObject({ status: 'NeedsReauthentication' });
      expect(receivedOf(thief, 'pa55word-of-the-connection')).toEqual([]);
      const entered = { connectionName: 'By user', fields: { apiPassword: 'entered-again' } };
      expectStatus(await put(`/v1/connections/${id}`, entered, account), 200);
      expect(await request(id)).toMatchObject({ isSuccess: true });
      expect(receivedOf(thief, 'entered-again')).toHaveLength(1);
    },
  );
});
