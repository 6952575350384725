import { describe, expect, test } from 'vitest';
import { isConfidentialRedirectUri } from './create-oauth-client.ts';

describe('the redirect address of a confidential client', () => {
  test.each([
    'https://app.example/callback',
    'https://app.example/callback?tenant=1',
    'http://localhost:3000/callback',
    'http://127.0.0.1/callback',
    'http://[::1]:8080/callback',
  ])('may be %s', (uri) => {
    expect(isConfidentialRedirectUri(uri)).toBe(true);
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
    expect(isConfidentialRedirectUri(uri)).toBe(false);
  });
});
