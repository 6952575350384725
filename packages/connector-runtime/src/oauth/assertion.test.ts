import { generateKeyPairSync } from 'node:crypto';
import type { JsonObject } from '@fairlead/connector-model/json';
import { defineOAuth2Scheme } from '@fairlead/connector-model/oauth2-scheme';
import type { OAuth2SchemeMembers } from '@fairlead/connector-model/oauth2-scheme';
import { ManualClock } from '@fairlead/service-kit/clock';
import { jwtVerify } from 'jose';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { testEgress } from '../testing/calls.ts';
import { startTestServer } from '../testing/http-server.ts';
import type { ReceivedRequest, TestServer } from '../testing/http-server.ts';
import { createTokenClient } from '../token-client.ts';
import type { TokenSet } from '../token-client.ts';

const NOW = new Date('2026-11-21T10:00:00Z');
const egress = testEgress();
const tokenClient = createTokenClient({ egress, clock: new ManualClock(NOW) });
afterAll(() => egress.close());

const servers: TestServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pkcs8 = rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const pkcs1 = rsa.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ecPem = ec.privateKey.export({ type: 'sec1', format: 'pem' }).toString();

type Assertion = NonNullable<OAuth2SchemeMembers['assertion']>;

async function ask(
  assertion: Assertion,
  field: JsonObject,
  members: Partial<OAuth2SchemeMembers> = {},
): Promise<{ readonly received: ReceivedRequest | undefined; readonly granted: Promise<TokenSet> }> {
  const server = await startTestServer(() => ({ body: { access_token: 'a', expires_in: 3600 } }));
  servers.push(server);
  const scheme = defineOAuth2Scheme({
    grant: 'jwtBearer',
    tokenUrl: `${server.url}/token`,
    scopes: ['drive', 'gmail'],
    ...members,
    assertion,
  });
  const client = { clientId: '', clientSecret: '' };
  const { signal } = new AbortController();
  const granted = tokenClient.clientCredentials(scheme, {
    accountId: 'a-1',
    client,
    values: { field },
    signal,
  });
  await granted.catch(() => undefined);
  return { received: server.requests[0], granted };
}

const formOf = (request: ReceivedRequest | undefined): URLSearchParams => new URLSearchParams(request?.body);
const verified = async (request: ReceivedRequest | undefined, key = rsa.publicKey) =>
  await jwtVerify(formOf(request).get('assertion') ?? '', key, { currentDate: NOW });

const google: Assertion = {
  issuer: '{{field.clientEmail}}',
  subject: '{{field.user}}',
  keyId: '{{field.privateKeyId}}',
};

describe('an assertion', () => {
  it('names a service account of Google, its key and scopes, and the token endpoint', async () => {
    const field = { clientEmail: 'robot@x.iam', privateKeyId: 'k-1', privateKey: pkcs8 };
    const { received, granted } = await ask(google, field);
    const { payload, protectedHeader } = await verified(received);
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'k-1' });
    const iat = NOW.getTime() / 1000;
    expect(payload).toEqual({
      iss: 'robot@x.iam',
      aud: `http://${received?.headers.host ?? ''}/token`,
      scope: 'drive gmail',
      iat,
      exp: iat + 300,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    });
    expect([...formOf(received).keys()]).toEqual(['grant_type', 'assertion']);
    expect(formOf(received).get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    expect(await granted).toMatchObject({ accessToken: 'a', expiresAt: new Date('2026-11-21T11:00:00Z') });
  });

  it('acts for a user of Google Workspace if one is named', async () => {
    const field = { clientEmail: 'robot@x.iam', user: 'ada@x', privateKey: pkcs8 };
    const { payload } = await verified((await ask(google, field)).received);
    expect(payload.sub).toBe('ada@x');
  });

  it("takes DocuSign's key (PKCS #1), and the line breaks of a key that was copied out of JSON", async () => {
    const docusign: Assertion = {
      issuer: '{{field.key}}',
      subject: '{{field.userId}}',
      audience: 'account-d.docusign.com',
      lifetimeSeconds: 3600,
    };
    const privateKey = pkcs1.replaceAll('\n', String.raw`\n`);
    const { received } = await ask(docusign, { key: 'i-1', userId: 'u-1', privateKey });
    expect((await verified(received)).payload).toMatchObject({
      iss: 'i-1',
      sub: 'u-1',
      aud: 'account-d.docusign.com',
      exp: NOW.getTime() / 1000 + 3600,
    });
  });

  it('leaves scopes to the request where the vendor wants them there, and carries more claims (Box)', async () => {
    const box: Assertion = {
      issuer: 'c-1',
      subject: 'e-1',
      scopesIn: 'parameter',
      algorithm: 'ES256',
      claims: { box_sub_type: 'enterprise', none: '{{field.none}}' },
    };
    const { received } = await ask(box, { privateKey: ecPem });
    const { payload } = await verified(received, ec.publicKey);
    expect(payload).toMatchObject({ box_sub_type: 'enterprise' });
    expect(Object.keys(payload)).not.toContain('none');
    expect(payload['scope']).toBeUndefined();
    expect(formOf(received).get('scope')).toBe('drive gmail');
  });
});

describe('a private key', () => {
  const small = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
  const encrypted = rsa.privateKey.export({
    type: 'pkcs8',
    format: 'pem',
    cipher: 'aes-256-cbc',
    passphrase: 'x',
  });

  it.each([
    ['that is missing', undefined, /is missing/],
    ['that is no key', 'hunter2', /must be in PEM format/],
    ['with a passphrase', encrypted.toString(), /without a passphrase/],
    ['that is damaged', pkcs8.replace('MII', 'AAA'), /cannot be read/],
    ['that is too short', small.export({ type: 'pkcs8', format: 'pem' }).toString(), /2048 to 4096 bits/],
    ['of another kind', ecPem, /must be an RSA key/],
    ['that is too long', `${pkcs8}${'x'.repeat(16_384)}`, /too long/],
  ])('%s is refused before anything is sent, and never quoted', async (_name, privateKey, message) => {
    const field = privateKey === undefined ? {} : { privateKey };
    const { received, granted } = await ask({ issuer: 'me' }, field);
    await expect(granted).rejects.toMatchObject({
      kind: 'refused',
      code: 'invalid_client',
      message: expect.stringMatching(message) as string,
    });
    await expect(granted).rejects.not.toThrow(/hunter2|MII/);
    expect(received).toBeUndefined();
  });

  it('of another curve is refused', async () => {
    const { granted } = await ask({ issuer: 'me', algorithm: 'ES384' }, { privateKey: ecPem });
    await expect(granted).rejects.toThrow('must be a key of the curve secp384r1');
  });
});

it('is not signed without the value of a claim that must be there', async () => {
  const { received, granted } = await ask(google, { privateKey: pkcs8 });
  await expect(granted).rejects.toThrow('lacks a value');
  expect(received).toBeUndefined();
});
