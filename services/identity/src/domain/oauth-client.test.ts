import { describe, expect, test } from 'vitest';
import { checkNewClient } from './oauth-client.ts';

const check = (uri: string) => () =>
  checkNewClient({
    name: 'Web',
    grantTypes: ['authorization_code'],
    redirectUris: ['https://app.example/first', uri],
    scopes: ['tools.read'],
  });

describe('the redirect address of a confidential client', () => {
  test.each([
    'https://app.example/callback',
    'https://app.example/callback?tenant=1',
    'http://localhost:3000/callback',
    'http://127.0.0.1/callback',
    'http://[::1]:8080/callback',
  ])('may be %s', (uri) => {
    expect(check(uri)).not.toThrow();
  });

  test.each([
    'http://app.example/callback',
    'http://localhost.evil.example/',
    'https://app.example/#fragment',
    'https://*.app.example/',
    'https://user:secret@app.example/',
    'https://app.example/ callback',
    'app://callback',
    'javascript:alert(1)',
    '/callback',
    '',
  ])('may not be %s', (uri) => {
    expect(check(uri)).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_ERROR',
        details: [expect.objectContaining({ field: 'redirectUris[1]' })],
      }),
    );
  });
});
