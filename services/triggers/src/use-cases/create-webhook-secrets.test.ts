import { expect, test } from 'vitest';
import { createWebhookSecrets } from './create-webhook-secrets.ts';

test('an address has a token and a secret of its own', () => {
  const texts = [createWebhookSecrets(), createWebhookSecrets()].flatMap(({ token, secret }) => [
    token.reveal(),
    secret.reveal(),
  ]);
  expect(texts.map(({ length }) => length)).toEqual([32, 40, 32, 40]);
  expect(new Set(texts).size).toBe(4);
});
