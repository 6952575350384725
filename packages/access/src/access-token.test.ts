import { generateKeyPairSync } from 'node:crypto';
import { ManualClock } from '@fairlead/service-kit/clock';
import { SignJWT } from 'jose';
import { beforeEach, describe, expect, test } from 'vitest';
import { createReadAccessToken } from './access-token.ts';
import type { ReadAccessToken } from './access-token.ts';

const ISSUER = 'https://api.example/oauth';
const KEYS = generateKeyPairSync('rsa', { modulusLength: 2048 });
const OTHER_KEYS = generateKeyPairSync('rsa', { modulusLength: 2048 });
const NOW = new Date('2026-01-01T00:00:00Z');
const NOW_SECONDS = NOW.getTime() / 1000;

let clock: ManualClock;
let read: ReadAccessToken;
beforeEach(() => {
  clock = new ManualClock(NOW);
  read = createReadAccessToken({
    issuer: ISSUER,
    findKey: (kid) => Promise.resolve(kid === 'known' ? KEYS.publicKey : undefined),
    clock,
  });
});

/** A token by an independent library, valid for a quarter of an hour unless `parts` differ. */
function issue(
  o: {
    readonly header?: Record<string, unknown>;
    readonly claims?: Record<string, unknown>;
    readonly key?: Parameters<SignJWT['sign']>[0];
  } = {},
): Promise<string> {
  return new SignJWT({
    iss: ISSUER,
    aud: 'https://api.example',
    jti: 'jti_1',
    client_id: 'client_1',
    scope: 'tools.read openid',
    account_id: 'acc_1',
    user_id: 'usr_1',
    iat: NOW_SECONDS,
    exp: NOW_SECONDS + 900,
    ...o.claims,
  })
    .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: 'known', ...o.header })
    .sign(o.key ?? KEYS.privateKey, { crit: { our: true } });
}

test('a token has the claims that it was signed with', async () => {
  expect(await read(await issue({ claims: { grant_id: 'grant_1' } }))).toEqual({
    tokenId: 'jti_1',
    accountId: 'acc_1',
    userId: 'usr_1',
    clientId: 'client_1',
    scopes: ['tools.read'],
    expiresAt: new Date(NOW.getTime() + 900_000),
    grantId: 'grant_1',
    audience: 'https://api.example',
    issuedAt: NOW,
  });
  expect((await read(await issue()))?.grantId).toBeUndefined();
});

describe('a token is refused', () => {
  test.each([
    ['signed with another key', { key: OTHER_KEYS.privateKey }],
    ['signed with a key that is not ours', { header: { kid: 'unknown' } }],
    ['without a key', { header: { kid: undefined } }],
    ['that is of another type, such as an ID token', { header: { typ: 'JWT' } }],
    ['with another algorithm', { header: { alg: 'RS512' } }],
    ['with another padding', { header: { alg: 'PS256' } }],
    ['signed with our public key as a secret', { header: { alg: 'HS256' }, key: publicKeyText() }],
    ['with an extension that must be understood', { header: { crit: ['our'], our: 1 } }],
    ['of another issuer', { claims: { iss: 'https://other.example/oauth' } }],
    ['without an issuer', { claims: { iss: undefined } }],
    ['for several audiences', { claims: { aud: ['https://api.example', 'https://other.example'] } }],
    ['without an end', { claims: { exp: undefined } }],
    ['without an account', { claims: { account_id: undefined } }],
    ['that is not valid yet', { claims: { nbf: NOW_SECONDS + 31 } }],
    ['that has expired', { claims: { exp: NOW_SECONDS - 30 } }],
  ])('%s', async (_, o) => {
    expect(await read(await issue(o))).toBeUndefined();
  });

  test('whose text was changed anywhere, even where no byte differs', async () => {
    const token = await issue();
    const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const changed = Array.from(token, (character, index) => {
      const other = last[(last.indexOf(character) + 1) % last.length] ?? '';
      return `${token.slice(0, index)}${other}${token.slice(index + 1)}`;
    });
    const accepted = [];
    for (const text of [...changed, `${token}=`, `${token} `, `${token}.`, `.${token}`, token.slice(0, -1)]) {
      if ((await read(text)) !== undefined) accepted.push(text);
    }
    expect(accepted).toEqual([]);
  });

  test.each(['', '.', '..', '...', 'a.b.c', '{}.{}.x', 'bnVsbA.bnVsbA.bnVsbA'])(
    'that is %j',
    async (text) => {
      expect(await read(text)).toBeUndefined();
    },
  );

  test('without a signature, although it says that it needs none', async () => {
    const [, body = ''] = (await issue()).split('.');
    const head = Buffer.from(JSON.stringify({ alg: 'none', typ: 'at+jwt', kid: 'known' })).toString(
      'base64url',
    );
    expect(await read(`${head}.${body}.`)).toBeUndefined();
  });
});

test('clocks may differ by half a minute', async () => {
  const token = await issue({ claims: { nbf: NOW_SECONDS + 30 } });
  expect(await read(token)).toBeDefined();
  clock.advance(929_999);
  expect(await read(token)).toBeDefined();
  clock.advance(1);
  expect(await read(token)).toBeUndefined();
});

test('a key that cannot be looked up is a failure of ours, not of the token', async () => {
  const failing = createReadAccessToken({
    issuer: ISSUER,
    findKey: () => Promise.reject(new Error('away')),
    clock,
  });
  await expect(failing(await issue())).rejects.toThrow('away');
});

function publicKeyText(): Uint8Array {
  return Buffer.from(KEYS.publicKey.export({ type: 'spki', format: 'pem' }));
}
