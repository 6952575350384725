import { ApiError } from '@fairlead/errors/api-error';
import { expect, it } from 'vitest';
import { createCallerSigner, createCallerVerifier } from './caller-tokens.ts';
import { signCaller, verifyCaller } from './context.ts';
import { Secret } from '../secret.ts';
import { testCaller, testCallerKey } from '../testing/rpc.ts';

const start = new Date('2026-01-01T00:00:00Z');
const later = (ms: number): Date => new Date(start.getTime() + ms);

it('a caller is signed once in 30 seconds, and what is sent then is good for 30 more', () => {
  const sign = createCallerSigner(testCallerKey);
  const first = sign(testCaller, start);
  expect(sign({ ...testCaller }, later(29_999))).toBe(first);
  expect(verifyCaller(first, testCallerKey, later(59_999)).caller).toEqual(testCaller);
  const second = sign(testCaller, later(30_000));
  expect(second).not.toBe(first);
  expect(verifyCaller(second, testCallerKey, later(89_999)).caller).toEqual(testCaller);
});

it('a caller whose permissions changed is another one', () => {
  const sign = createCallerSigner(testCallerKey);
  const token = sign(testCaller, start);
  const promoted = { ...testCaller, permissions: ['connections:write'] };
  expect(sign(promoted, start)).not.toBe(token);
  expect(verifyCaller(sign(promoted, start), testCallerKey, start).caller).toEqual(promoted);
});

it('a token that was verified is refused once its time is over', () => {
  const verify = createCallerVerifier(testCallerKey);
  const token = signCaller(testCaller, testCallerKey, start);
  expect(verify(token, start)).toEqual(testCaller);
  expect(verify(token, later(59_999))).toEqual(testCaller);
  expect(() => verify(token, later(60_000))).toThrow(ApiError);
});

it('a forged token is refused, also the second time, and after a good one', () => {
  const verify = createCallerVerifier(testCallerKey);
  verify(signCaller(testCaller, testCallerKey, start), start);
  const forged = signCaller(testCaller, new Secret('another'), start);
  expect(() => verify(forged, start)).toThrow(ApiError);
  expect(() => verify(forged, start)).toThrow(ApiError);
});

it('more tokens than are kept are verified all the same', () => {
  const verify = createCallerVerifier(testCallerKey);
  const sign = createCallerSigner(testCallerKey);
  const callers = Array.from({ length: 2_100 }, (_, i) => ({ ...testCaller, userId: `usr_${String(i)}` }));
  for (const caller of [...callers, ...callers.slice(0, 5)]) {
    expect(verify(sign(caller, start), start)).toEqual(caller);
  }
});
