import { createHmac } from 'node:crypto';
import { ApiError } from '@fairlead/errors/api-error';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../clock.ts';
import { parseKeyRing } from '../key-ring.ts';
import type { Caller } from './caller.ts';
import { signCaller, verifyCaller } from './caller-token.ts';
import type { CallerTokenScope } from './caller-token.ts';

const bytes = (n: number): Buffer => Buffer.alloc(32, n);
const ring = (...entries: readonly (readonly [string, number])[]): CallerTokenScope => ({
  audience: 'tools',
  keys: parseKeyRing(entries.map(([version, n]) => `${version}:${bytes(n).toString('base64')}`).join(',')),
});
const scope = ring(['v1', 1]);
const start = new Date('2026-01-01T00:00:00Z');
const expiresAt = start.getTime() + 30_000;

const user = {
  kind: 'user',
  accountId: 'acc_1',
  userId: 'usr_1',
  roles: ['admin'],
  permissions: ['tools.execute'],
} as const satisfies Caller;

/** Signs any text, like a release that knows further members or kinds. */
function signText(text: string, version = 'v1', key = bytes(1)): string {
  const signed = `${version}.${Buffer.from(text).toString('base64url')}`;
  const mac = createHmac('sha256', key).update(`fairlead-caller-v2.${signed}`).digest('base64url');
  return `${signed}.${mac}`;
}

const signToken = (token: object): string =>
  signText(JSON.stringify({ ...user, audience: 'tools', expiresAt, ...token }));

const unauthorized: unknown = expect.objectContaining({ code: 'UNAUTHORIZED' });

it.each<Caller>([
  user,
  { ...user, confinement: { toolsetId: 'toolset-1', keyId: 'key_1' } },
  { ...user, credential: { keyId: 'key_1' } },
  { ...user, credential: { tokenId: 'jti_1', clientId: 'client_1', grantId: 'grant_1' } },
  { kind: 'service', service: 'gateway' },
  { kind: 'service', service: 'gateway', clientAddress: '203.0.113.9' },
  { kind: 'serviceForAccount', service: 'triggers', accountId: 'acc_1' },
  { kind: 'endUserSession', accountId: 'acc_1', endUserId: 'customer 7', sessionId: 'ses_1' },
  { kind: 'anonymousClient', accountId: 'acc_1', serverId: 'server-1' },
])('a signed caller of the kind $kind comes back as it was', (caller) => {
  expect(verifyCaller(signCaller(caller, scope, start), scope, start).caller).toEqual(caller);
});

it('the choice of canaries is signed with the caller; a release that does not know it accepts the token', () => {
  const claims = (token: string): unknown =>
    JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  const token = signCaller(user, scope, start, ['tools']);
  expect(verifyCaller(token, scope, start)).toMatchObject({ caller: user, canaries: ['tools'] });
  expect(claims(token)).not.toHaveProperty('critical');
  expect(claims(signCaller(user, scope, start))).not.toHaveProperty('canaries');
});

it('a release that does not know the confinement of a caller refuses it', () => {
  const confined: Caller = { ...user, confinement: { toolsetId: 'toolset-1', keyId: 'key_1' } };
  const claims = (caller: Caller): unknown =>
    JSON.parse(Buffer.from(signCaller(caller, scope, start).split('.')[1] ?? '', 'base64url').toString());
  expect(claims(confined)).toMatchObject({ critical: ['confinement'] });
  expect(claims(user)).not.toHaveProperty('critical');
});

describe('a caller is refused', () => {
  const token = signCaller(user, scope, start);
  const [version = '', payload = '', mac = ''] = token.split('.');
  const forged = Buffer.from(payload, 'base64url').toString().replace('acc_1', 'acc_2');

  it.each([
    ['empty', ''],
    ['without a signature', `${version}.${payload}`],
    ['with an empty signature', `${version}.${payload}.`],
    ['with a shorter signature', `${version}.${payload}.${mac.slice(0, 20)}`],
    ['changed after signing', `${version}.${Buffer.from(forged).toString('base64url')}.${mac}`],
    ['with a part more', `${token}.${mac}`],
    ['signed with another key of the same version', signCaller(user, ring(['v1', 9]), start)],
    ['signed with a key that is not in the ring', signCaller(user, ring(['v9', 1]), start)],
    ['well signed, but no JSON', signText('{')],
    ['well signed, but no object', signText('[]')],
    ['well signed, but without an audience', signToken({ audience: undefined })],
    ['well signed, but valid for an hour', signToken({ expiresAt: start.getTime() + 3_600_000 })],
    ['well signed, but of no account', signToken({ accountId: '' })],
    [
      'well signed, but with an empty address of the client',
      signToken({ kind: 'service', service: 'gateway', clientAddress: '' }),
    ],
  ])('%s', (_, text) => {
    expect(() => verifyCaller(text, scope, start)).toThrow(unauthorized);
  });

  it('after 60 seconds, not before', () => {
    const clock = new ManualClock(start);
    clock.advance(59_999);
    expect(verifyCaller(token, scope, clock.now()).caller).toEqual(user);
    clock.advance(1);
    expect(() => verifyCaller(token, scope, clock.now())).toThrow(ApiError);
  });

  it('at any service but the one that it was signed for', () => {
    expect(() => verifyCaller(token, { ...scope, audience: 'catalog' }, start)).toThrow(
      'The caller context is for tools, not for catalog.',
    );
  });
});

describe('a caller that another release signed', () => {
  it('is accepted without the members that this release does not know', () => {
    const token = signToken({ theme: 'dark', critical: ['audience', 'permissions'] });
    expect(verifyCaller(token, scope, start).caller).toEqual(user);
  });

  it.each([
    ['has a critical member that this release does not know', { onlyTool: 'x', critical: ['onlyTool'] }],
    ['has a critical member of another kind', { sessionId: 'ses_1', critical: ['sessionId'] }],
    ['lists no member as critical', { critical: [] }],
    ['has a list of critical members that is none', { critical: 'onlyTool' }],
    ['is of a kind that this release does not know', { kind: 'auditor' }],
    ['is of no kind', { kind: undefined }],
  ])('is refused where it %s', (_, members) => {
    expect(() => verifyCaller(signToken(members), scope, start)).toThrow(unauthorized);
  });
});

describe('a key is replaced in a running installation', () => {
  const states = {
    before: ring(['v1', 1]),
    added: ring(['v1', 1], ['v2', 2]),
    first: ring(['v2', 2], ['v1', 1]),
    after: ring(['v2', 2]),
  };

  it.each([
    ['before', 'before'],
    ['before', 'added'],
    ['added', 'added'],
    ['added', 'first'],
    ['first', 'first'],
    ['first', 'after'],
    ['after', 'after'],
  ] as const)('a process with the ring "%s" and one with "%s" take each other’s callers', (one, other) => {
    for (const [signs, verifies] of [
      [one, other],
      [other, one],
    ] as const) {
      const token = signCaller(user, states[signs], start);
      expect(verifyCaller(token, states[verifies], start).caller).toEqual(user);
    }
  });

  it('a dropped key is no longer accepted, and a skipped step fails', () => {
    const old = signCaller(user, states.before, start);
    expect(() => verifyCaller(old, states.after, start)).toThrow(unauthorized);
    const early = signCaller(user, states.first, start);
    expect(() => verifyCaller(early, states.before, start)).toThrow(unauthorized);
  });
});
