import { Secret } from '@fairlead/service-kit/secret';
import { describe, expect, test } from 'vitest';
import { callCredential, keptTokens, NO_VALUES, secretTexts, tokenState } from './credential.ts';

const obtainedAt = new Date('2026-11-21T12:00:00.000Z');
const after = (seconds: number): Date => new Date(obtainedAt.getTime() + seconds * 1000);

describe('a token', () => {
  test.each([
    // 10 % of an hour is more than 60 s.
    [3600, 3239, 'fresh'],
    [3600, 3240, 'due'],
    [3600, 3600, 'expired'],
    // 60 s is more than 10 % of five minutes.
    [300, 239, 'fresh'],
    [300, 240, 'due'],
    // The margin is at most half of the lifetime.
    [60, 29, 'fresh'],
    [60, 30, 'due'],
    [0, 0, 'expired'],
  ] as const)('of %i s is after %i s %s', (lifetime, age, state) => {
    expect(tokenState({ obtainedAt, expiresAt: after(lifetime) }, after(age))).toBe(state);
  });

  test('without a stated expiry is fresh', () => {
    expect(tokenState({ obtainedAt, expiresAt: null }, after(1e9))).toBe('fresh');
  });

  test('renewed without a new refresh token keeps the former one', () => {
    const former = keptTokens({ accessToken: 'a1', refreshToken: 'r1' }, null, obtainedAt, NO_VALUES);
    const kept = keptTokens({ accessToken: 'a2', expiresAt: after(5) }, former, after(1), NO_VALUES);
    expect(kept.accessToken.reveal()).toBe('a2');
    expect(kept.refreshToken?.reveal()).toBe('r1');
    expect(
      keptTokens(
        { accessToken: 'a3', refreshToken: 'r3' },
        former,
        after(1),
        NO_VALUES,
      ).refreshToken?.reveal(),
    ).toBe('r3');
  });
});

test('every secret is listed for masking: inside JSON, numbers and tokens; empty ones are not', () => {
  const captured = { plain: { realmId: '12' }, secret: new Secret({ key: 'captured' }) };
  const tokens = keptTokens({ accessToken: 'access', refreshToken: 'refresh' }, null, obtainedAt, captured);
  const secretFields = new Secret({ a: 'one', b: { deep: ['two', 3, null, true] }, c: '', d: 'one' });
  expect(secretTexts({ secretFields, tokens })).toEqual(['one', 'two', '3', 'captured', 'access', 'refresh']);
});

test('a call gets plain and secret fields together, and an access token only if there is one', () => {
  const opened = { secretFields: new Secret({ password: 'p' }), tokens: null };
  expect(callCredential(3, { host: 'h' }, opened)).toEqual({
    version: 3,
    fields: { host: 'h', password: 'p' },
    secrets: ['p'],
  });
});
