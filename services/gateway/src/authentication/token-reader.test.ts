import type { AccessToken } from '@fairlead/access/access-token';
import { ManualClock } from '@fairlead/service-kit/clock';
import { beforeEach, describe, expect, test } from 'vitest';
import { createTokenReader } from './token-reader.ts';
import type { TokenReader } from './token-reader.ts';

const AUDIENCE = 'https://api.example';
let clock: ManualClock;
let verified: string[];
let reader: TokenReader;

/** Names each token by its property. */
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
  verified = [];
  reader = createTokenReader({
    read(text) {
      verified.push(text);
      return Promise.resolve(token(text));
    },
    clock,
    maxEntries: 2,
  });
});

describe('the token reader', () => {
  test('verifies the signature of a token once, until it expires, and then answers synchronously', async () => {
    expect(await reader.read('a', AUDIENCE)).toMatchObject({ tokenId: 'a' });
    expect(reader.read('a', AUDIENCE)).toMatchObject({ tokenId: 'a' });
    expect(verified).toEqual(['a']);
    clock.advance(900_000);
    await reader.read('a', AUDIENCE);
    expect(verified).toEqual(['a', 'a']);
  });

  test('refuses what is not ours, and what is for another resource', async () => {
    expect(await reader.read('forged', AUDIENCE)).toBeUndefined();
    expect(await reader.read('of MCP', AUDIENCE)).toBeUndefined();
  });

  test('a token that was read for its resource is refused at another one', async () => {
    expect(await reader.read('of MCP', `${AUDIENCE}/mcp`)).toMatchObject({ tokenId: 'of MCP' });
    expect(reader.read('of MCP', AUDIENCE)).toBeUndefined();
    expect(reader.read('of MCP', `${AUDIENCE}/mcp`)).toMatchObject({ tokenId: 'of MCP' });
  });

  test('does not look at texts that are longer than any token', async () => {
    expect(await reader.read('a'.repeat(8193), AUDIENCE)).toBeUndefined();
    expect(verified).toEqual([]);
  });

  test('caches the newest tokens, up to its limit', async () => {
    for (const name of ['a', 'b', 'c', 'c', 'b', 'a']) await reader.read(name, AUDIENCE);
    expect(verified).toEqual(['a', 'b', 'c', 'a']);
  });
});
