import { expect, it } from 'vitest';
import { newToken, tokenHashOf } from './server-token.ts';

it('tokens have at least 128 random bits, and no two are the same', () => {
  const tokens = new Set(Array.from({ length: 1_000 }, () => newToken().reveal()));
  expect(tokens.size).toBe(1_000);
  // 22 base62 characters have 131 bits.
  for (const token of tokens) expect(token).toMatch(/^mcp_[0-9A-Za-z]{26,}$/);
});

it('the digest of a token is SHA-256 in base64url', () => {
  expect(tokenHashOf('mcp_abc')).toBe('pEYA64gXNPf4IByZs5trcREn7V58ksdJMJYvrDpOqvE');
});
