import { generateKeyPairSync } from 'node:crypto';
import { ConnectionStatus } from '@fairlead/contracts/connections/v1/connection_pb';
import type { Connection } from '@fairlead/contracts/connections/v1/connection_pb';
import { startStrictVendor, VENDOR_CLIENTS } from '@fairlead/connector-runtime/testing/strict-vendor';
import type { StrictVendor } from '@fairlead/connector-runtime/testing/strict-vendor';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { Secret } from '@fairlead/service-kit/secret';
import { testContext } from '@fairlead/service-kit/testing/context';
import { Events, OAuth2Server } from 'oauth2-mock-server';
import type { MutableResponse, TokenRequestIncomingMessage } from 'oauth2-mock-server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { followRedirect, startQuirkyVendor, vendorConnector } from './testing/vendors.ts';
import type { QuirkyVendor } from './testing/vendors.ts';
import {
  browserContext,
  callbackTo,
  create,
  credentialOf,
  REDIRECT_URI,
  required,
  startWorld,
} from './testing/world.ts';
import type { World } from './testing/world.ts';
import type { CompleteSignInCommand } from './use-cases/complete-sign-in.ts';

const HOUR_MS = 3_600_000;
const mockClient = { clientId: 'mock', clientSecret: 'mock-secret' };

let world: World;
let ctx: RequestContext;
let strict: StrictVendor;
let quirky: QuirkyVendor;
const mock = new OAuth2Server();

beforeAll(async () => {
  strict = await startStrictVendor({ redirectUri: REDIRECT_URI });
  quirky = await startQuirkyVendor(() => world.clock.now());
  await mock.issuer.keys.generate('RS256');
  await mock.start(0, '127.0.0.1');
  mock.service.addRoute('POST', '/page', (_request, response) => {
    response.writeHead(400, { 'content-type': 'text/html' }).end('<h1>Bad Request</h1>');
  });
  const url = `http://127.0.0.1:${mock.address().port}`;
  const mockScheme = {
    authorizationUrl: `${url}/authorize`,
    tokenUrl: `${url}/token`,
    scopes: ['read'],
  };
  const strictScheme = {
    authorizationUrl: `${strict.url}/auth`,
    pushedAuthorizationUrl: `${strict.url}/request`,
    tokenUrl: `${strict.url}/token`,
    issuer: strict.url,
    requiresIssuer: true,
    scopes: ['openid', 'offline_access', 'crm.read'],
    authorizationParameters: { prompt: 'consent' },
  };
  world = await startWorld(inject('mongodbUri'), {
    vendors: [
      { connector: vendorConnector('strict', strictScheme), client: VENDOR_CLIENTS.pushing },
      { connector: vendorConnector('quirky', quirky.scheme), client: quirky.client },
      { connector: vendorConnector('mock', mockScheme), client: mockClient },
      {
        connector: vendorConnector(
          'mock-robot',
          {
            grant: 'jwtBearer',
            authorizationUrl: null,
            tokenUrl: `${url}/token`,
            scopes: ['read'],
            assertion: { issuer: '{{field.email}}', subject: '{{field.email}}' },
            allowsAuthProvider: false,
          },
          [
            { name: 'email', label: 'E-mail', description: 'Of the service account.', isRequired: true },
            {
              name: 'privateKey',
              label: 'Private key',
              description: 'Of the service account.',
              isRequired: true,
              isPassword: true,
            },
          ],
        ),
      },
      {
        connector: vendorConnector('mock-page', { ...mockScheme, refresh: { url: `${url}/page` } }),
        client: mockClient,
      },
    ],
  });
});

afterAll(async () => {
  await world.close();
  await mock.stop();
  await quirky.close();
  await strict.close();
});

beforeEach(() => {
  ctx = testContext();
});

/** Completes a sign-in at the vendor; returns the callback without delivering it. */
async function authorizeAt(
  applicationSlug: string,
  browser: (url: string) => Promise<URL>,
): Promise<CompleteSignInCommand> {
  const { signIns, pages } = world.instance;
  const { state } = await signIns.startSignIn(ctx, { applicationSlug, authenticationId: 0 });
  const redirect = await pages.bindBrowser(browserContext(), state);
  return callbackTo(await browser(redirect.authorizeUrl), { state, ...redirect });
}

async function signInAt(slug: string, browser: (url: string) => Promise<URL>): Promise<string> {
  const callback = await authorizeAt(slug, browser);
  await world.instance.pages.completeSignIn(browserContext(), callback);
  return callback.state;
}

async function connectTo(
  applicationSlug: string,
  browser: (url: string) => Promise<URL>,
): Promise<Connection> {
  const oauthState = await signInAt(applicationSlug, browser);
  return await create(world, ctx, { applicationSlug, authenticationId: 0, fields: {}, oauthState });
}

async function signInAgain(
  { id, connectionName, applicationSlug }: Connection,
  browser: (url: string) => Promise<URL>,
): Promise<void> {
  const oauthState = await signInAt(applicationSlug, browser);
  const { connection } = await world.instance.connections.replaceConnection(ctx, {
    id,
    connectionName,
    oauthState,
  });
  expect(connection).toMatchObject({ id, status: ConnectionStatus.ACTIVE });
}

const outcomeOf = async (connectionId: number): Promise<string | undefined> =>
  (await world.instance.credentials.getCredentials(ctx, { connectionId })).outcome.case;

const statusOf = async (id: number): Promise<ConnectionStatus> =>
  required((await world.instance.connections.getConnection(ctx, { id })).connection).status;

/** The access tokens of a connection, renewed hourly. */
async function tokensOver(hours: number, id: number): Promise<readonly (string | undefined)[]> {
  const tokens = [(await credentialOf(world.instance, ctx, id)).accessToken];
  for (let hour = 0; hour < hours; hour += 1) {
    world.clock.advance(HOUR_MS);
    tokens.push((await credentialOf(world.instance, ctx, id)).accessToken);
  }
  return tokens;
}

describe('oidc-provider, which demands PKCE, pushed requests and rotation', () => {
  const browser = (url: string): Promise<URL> => strict.signIn(url);

  test('signs in, and the token is renewed by each refresh token once', async () => {
    const { id } = await connectTo('strict', browser);
    expect(new Set(await tokensOver(3, id)).size).toBe(4);
  });

  test('is asked to sign in again once it has revoked the grant, and then works as before', async () => {
    const connection = await connectTo('strict', browser);
    await strict.revokeGrants();
    world.clock.advance(HOUR_MS);
    expect(await outcomeOf(connection.id)).toBe('needsReauthentication');
    expect(await statusOf(connection.id)).toBe(ConnectionStatus.NEEDS_REAUTHENTICATION);
    await signInAgain(connection, browser);
    expect(new Set(await tokensOver(1, connection.id)).size).toBe(2);
  });

  test('gets the parameters beforehand, each time a browser sets out', async () => {
    const { signIns, pages } = world.instance;
    const { state } = await signIns.startSignIn(ctx, { applicationSlug: 'strict', authenticationId: 0 });
    const urls: string[] = [];
    for (let round = 0; round < 2; round += 1) {
      const { authorizeUrl } = await pages.bindBrowser(browserContext(), state);
      urls.push(authorizeUrl);
    }
    expect(new Set(urls).size).toBe(2);
    for (const url of urls)
      expect([...new URL(url).searchParams.keys()]).toEqual(['client_id', 'request_uri']);
  });

  test.each([
    ['without its issuer', () => undefined],
    ['with another issuer of its host', (issuer: string) => `${issuer}/other`],
    ['with an issuer of another host', () => 'https://evil.example'],
  ])('is refused %s', async (_name, change) => {
    const callback = await authorizeAt('strict', browser);
    const query = new URLSearchParams(callback.callbackQuery.reveal());
    const changed = change(query.get('iss') ?? '');
    query.delete('iss');
    if (changed !== undefined) query.set('iss', changed);
    const completed = world.instance.pages.completeSignIn(browserContext(), {
      ...callback,
      callbackQuery: new Secret(query.toString()),
    });
    await expect(completed).rejects.toMatchObject({ code: 'OAUTH_SIGN_IN_FAILED' });
  });
});

describe('a vendor with basic authentication that deviates wherever it can', () => {
  test('signs in, and renews at its own address', async () => {
    const { id } = await connectTo('quirky', followRedirect);
    expect(new Set(await tokensOver(2, id)).size).toBe(3);
    expect(quirky.tokenPaths.slice(-3)).toEqual(['/token', '/renew', '/renew']);
  });

  test('revokes with status 200 and a code of its own, and a new sign-in repairs the connection', async () => {
    const connection = await connectTo('quirky', followRedirect);
    quirky.revokeGrants();
    world.clock.advance(HOUR_MS);
    expect(await outcomeOf(connection.id)).toBe('needsReauthentication');
    await signInAgain(connection, followRedirect);
    expect(new Set(await tokensOver(1, connection.id)).size).toBe(2);
  });
});

describe('oauth2-mock-server, answering', () => {
  type Answer = (response: MutableResponse, request: TokenRequestIncomingMessage) => void;
  const answers: Answer[] = [];
  const answerWith = (answer: Answer): void => {
    answers.push(answer);
    mock.service.on(Events.BeforeResponse, answer);
  };
  afterEach(() => {
    for (const answer of answers.splice(0)) mock.service.off(Events.BeforeResponse, answer);
  });

  const refreshesOf = (): unknown[] => {
    const refreshTokens: unknown[] = [];
    answerWith((_response, { body }) => {
      if (body.grant_type === 'refresh_token') refreshTokens.push(Object.entries(body));
    });
    return refreshTokens;
  };

  test('expires_in as a text: the token is renewed when it says', async () => {
    answerWith(({ body }) => Object.assign(body, { expires_in: '7200' }));
    const refreshes = refreshesOf();
    const { id } = await connectTo('mock', followRedirect);
    await tokensOver(1, id);
    expect(refreshes).toHaveLength(0);
    await tokensOver(1, id);
    expect(refreshes).toHaveLength(1);
  });

  test('no refresh token in the renewal: the one of the sign-in stays in use', async () => {
    answerWith(({ body }, request) => {
      if (request.body.grant_type === 'refresh_token') Object.assign(body, { refresh_token: undefined });
    });
    const refreshes = refreshesOf();
    const { id } = await connectTo('mock', followRedirect);
    await tokensOver(2, id);
    expect(refreshes).toHaveLength(2);
    expect(refreshes[1]).toEqual(refreshes[0]);
    expect(refreshes[0]).toContainEqual(['refresh_token', expect.stringMatching(/.{20}/)]);
  });

  test('invalid_grant with status 200: the connection needs a sign-in, and works after it', async () => {
    const connection = await connectTo('mock', followRedirect);
    answerWith((response) => {
      response.body = { error: 'invalid_grant', error_description: 'The grant is over.' };
    });
    world.clock.advance(HOUR_MS);
    expect(await outcomeOf(connection.id)).toBe('needsReauthentication');
    for (const answer of answers.splice(0)) mock.service.off(Events.BeforeResponse, answer);
    await signInAgain(connection, followRedirect);
    const refreshes = refreshesOf();
    await tokensOver(1, connection.id);
    expect(refreshes).toHaveLength(1);
  });

  test('an error with status 200 to the code: the sign-in fails', async () => {
    answerWith((response) => {
      response.body = { error: 'access_denied', error_description: 'Not today.' };
    });
    const callback = await authorizeAt('mock', followRedirect);
    const completed = world.instance.pages.completeSignIn(browserContext(), callback);
    await expect(completed).rejects.toMatchObject({
      code: 'OAUTH_SIGN_IN_FAILED',
      message: expect.stringContaining('Not today.') as string,
    });
  });

  test('a signed assertion: a service account needs no person, and its key is used for each token', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const fields = {
      email: 'robot@x.iam',
      privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    };
    const grants: string[] = [];
    answerWith((_response, { body }) => grants.push(body.grant_type));
    const connection = await create(world, ctx, { applicationSlug: 'mock-robot', fields });
    expect(connection).toMatchObject({ secretFields: ['privateKey'], fields: { privateKey: null } });
    await tokensOver(1, connection.id);
    const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
    expect(grants).toEqual([jwtBearer, jwtBearer]);
  });

  test('nothing to a key that cannot be used: the reason says so, and the connection stays', async () => {
    const fields = { email: 'robot@x.iam', privateKey: 'n0-key' };
    const { id } = await create(world, ctx, { applicationSlug: 'mock-robot', fields });
    const { outcome } = await world.instance.credentials.getCredentials(ctx, { connectionId: id });
    expect(outcome).toMatchObject({
      case: 'unavailable',
      value: expect.stringContaining('must be in PEM format') as string,
    });
    expect(await statusOf(id)).toBe(ConnectionStatus.ACTIVE);
  });

  test('400 with a page: nothing is lost, because it does not say that the grant is over', async () => {
    const { id } = await connectTo('mock-page', followRedirect);
    world.clock.advance(HOUR_MS);
    expect(await outcomeOf(id)).toBe('unavailable');
    expect(await statusOf(id)).toBe(ConnectionStatus.ACTIVE);
  });
});
