import { ManualClock } from '@fairlead/service-kit/clock';
import { beforeEach, describe, expect, test } from 'vitest';
import type { AccessToken } from '@fairlead/access/access-token';
import type { TokenVerifier } from '../ports/token-verifier.ts';
import { createTokenVerifier } from './token-verifier.ts';

const AUDIENCE = 'https://api.example';
let clock: ManualClock;
let reads: string[];
let isLive: boolean;
let verifier: TokenVerifier;

/** Tokens are named by what they are. */
function token(name: string): AccessToken | undefined {
  if (name === 'forged') return undefined;
  return {
    tokenId: name,
    accountId: 'acc_1',
    userId: 'usr_1',
    clientId: 'client_1',
    scopes: ['tools.read'],
    expiresAt: new Date(clock.now().getTime() + 900_000),
    grantId: 'grant',
    audience: name === 'of MCP' ? `${AUDIENCE}/mcp` : AUDIENCE,
    issuedAt: clock.now(),
  };
}

beforeEach(() => {
  clock = new ManualClock(new Date('2026-01-01T00:00:00Z'));
  reads = [];
  isLive = true;
  verifier = createTokenVerifier({
    audience: AUDIENCE,
    read(text) {
      reads.push(text);
      return Promise.resolve(token(text));
    },
    isLive: () => Promise.resolve(isLive),
    clock,
    maxEntries: 2,
  });
});

describe('the token verifier', () => {
  test('looks at the signature of a token once, until it expires', async () => {
    for (let times = 0; times < 3; times += 1)
      expect(await verifier.verify('a')).toMatchObject({ tokenId: 'a' });
    expect(reads).toEqual(['a']);
    clock.advance(900_000);
    await verifier.verify('a');
    expect(reads).toEqual(['a', 'a']);
  });

  test('asks each time whether the token was revoked', async () => {
    expect(await verifier.verify('a')).toBeDefined();
    isLive = false;
    expect(await verifier.verify('a')).toBeUndefined();
  });

  test('refuses what is not ours, and what is for another resource', async () => {
    expect(await verifier.verify('forged')).toBeUndefined();
    expect(await verifier.verify('of MCP')).toBeUndefined();
  });

  test('does not look at texts that are longer than any token', async () => {
    expect(await verifier.verify('a'.repeat(8193))).toBeUndefined();
    expect(reads).toEqual([]);
  });

  test('caches the newest tokens, up to its limit', async () => {
    for (const name of ['a', 'b', 'c', 'c', 'b', 'a']) await verifier.verify(name);
    expect(reads).toEqual(['a', 'b', 'c', 'a']);
  });
});
