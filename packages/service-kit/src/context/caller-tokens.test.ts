import { ApiError } from '@fairlead/errors/api-error';
import { expect, it } from 'vitest';
import { createCallerSigner, createCallerVerifier } from './caller-tokens.ts';
import { signCaller, verifyCaller } from './caller-token.ts';
import { parseKeyRing } from '../key-ring.ts';
import { testCaller, testCallerKeys } from '../testing/rpc.ts';

const scope = { audience: 'echo', keys: testCallerKeys };
const otherKeys = parseKeyRing(`v1:${Buffer.alloc(32, 9).toString('base64')}`);
const start = new Date('2026-01-01T00:00:00Z');
const later = (ms: number): Date => new Date(start.getTime() + ms);

it('a caller is signed once per 30 seconds, and the token is valid for at least 30 more', () => {
  const sign = createCallerSigner(scope);
  const first = sign(testCaller, start);
  expect(sign({ ...testCaller }, later(29_999))).toBe(first);
  expect(verifyCaller(first, scope, later(59_999)).caller).toEqual(testCaller);
  const second = sign(testCaller, later(30_000));
  expect(second).not.toBe(first);
  expect(verifyCaller(second, scope, later(89_999)).caller).toEqual(testCaller);
});

it('a caller whose permissions changed is another one', () => {
  const sign = createCallerSigner(scope);
  const token = sign(testCaller, start);
  const promoted = { ...testCaller, permissions: ['connections:write'] };
  expect(sign(promoted, start)).not.toBe(token);
  expect(verifyCaller(sign(promoted, start), scope, start).caller).toEqual(promoted);
});

it('callers that share a list are told apart by every other member', () => {
  const sign = createCallerSigner(scope);
  const [one, both] = [['one'], ['one', 'other']];
  const first = { ...testCaller, roles: one, permissions: both };
  const others = [
    { ...first, userId: 'usr_other' },
    { ...first, accountId: 'acc_other' },
    { ...first, roles: both, permissions: one },
    { ...first, permissions: one },
  ];
  for (const caller of [first, ...others, ...others])
    expect(verifyCaller(sign(caller, start), scope, start).caller).toEqual(caller);
});

it('a verified token is refused once it has expired', () => {
  const verify = createCallerVerifier(scope);
  const token = signCaller(testCaller, scope, start);
  expect(verify(token, start).caller).toEqual(testCaller);
  expect(verify(token, later(59_999)).caller).toEqual(testCaller);
  expect(() => verify(token, later(60_000))).toThrow(ApiError);
});

it('a forged token is refused, even the second time, and after a valid one', () => {
  const verify = createCallerVerifier(scope);
  verify(signCaller(testCaller, scope, start), start);
  const forged = signCaller(testCaller, { ...scope, keys: otherKeys }, start);
  expect(() => verify(forged, start)).toThrow(ApiError);
  expect(() => verify(forged, start)).toThrow(ApiError);
});

it('a token for another service is refused, even the second time', () => {
  const verify = createCallerVerifier({ ...scope, audience: 'tools' });
  const token = createCallerSigner(scope)(testCaller, start);
  expect(() => verify(token, start)).toThrow('for echo, not for tools');
  expect(() => verify(token, start)).toThrow('for echo, not for tools');
});

it('more tokens than the cache holds are still verified', () => {
  const verify = createCallerVerifier(scope);
  const sign = createCallerSigner(scope);
  const callers = Array.from({ length: 2_100 }, (_, i) => ({ ...testCaller, userId: `usr_${String(i)}` }));
  for (const caller of [...callers, ...callers.slice(0, 5)]) {
    expect(verify(sign(caller, start), start).caller).toEqual(caller);
  }
});

it('a caller whose canaries differ is signed anew, and they come back as they were, also the second time', () => {
  const sign = createCallerSigner(scope);
  const verify = createCallerVerifier(scope);
  for (const canaries of [undefined, [], ['tools'], ['tools', 'catalog'], undefined, ['tools']]) {
    const token = sign(testCaller, start, canaries);
    expect(verify(token, start)).toMatchObject({ caller: testCaller, canaries });
    expect(sign(testCaller, later(1), canaries && [...canaries])).toBe(token);
  }
});
