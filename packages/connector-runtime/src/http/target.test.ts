import { describe, expect, it } from 'vitest';
import { requestTarget } from './target.ts';

const BASE = 'https://api.example.com/v1';

describe('requestTarget', () => {
  it.each([
    ['users', 'https://api.example.com/v1/users'],
    ['/users?x=1', 'https://api.example.com/v1/users?x=1'],
    ['https://api.example.com/v1/users', 'https://api.example.com/v1/users'],
    ['https://api.example.com/v1', 'https://api.example.com/v1'],
    ['a/../b', 'https://api.example.com/v1/b'],
    ['a%2Fb/c..d', 'https://api.example.com/v1/a%2Fb/c..d'],
  ])('resolves %s below the base URL', (url, expected) => {
    expect(requestTarget(url, BASE).href).toBe(expected);
    expect(requestTarget(url, `${BASE}/`).href).toBe(expected);
  });

  it.each([
    'https://evil.example/v1/users',
    'http://api.example.com/v1/users',
    'https://api.example.com:444/v1/users',
    'https://api.example.com/v2/users',
    'https://api.example.com/v10',
    'https://user:pw@api.example.com/v1/users',
    'https://api.example.com@evil.example/v1/users',
    '../v2/users',
    '/../v2',
    'a/../../v2',
    '%2e%2e/v2',
    'a/..%2f..%2f..%2fv2',
    '..%5cv2',
    '\\..\\..\\v2',
    '%252e%252e/v2',
    '..%252fv2',
    '..;/v2',
    'a/..;x=1/..;/v2',
    'ftp://api.example.com/v1/users',
    'file:///etc/passwd',
    '%E0%A4%A',
  ])('refuses %s, which is not below it', (url) => {
    expect(() => requestTarget(url, BASE)).toThrow(/must|percent-encoded/);
  });

  it('does not treat two leading slashes as a host', () => {
    expect(requestTarget('//evil.example/x', BASE).href).toBe('https://api.example.com/v1/evil.example/x');
  });

  it('accepts any absolute http(s) URL, and no other, without a base URL', () => {
    expect(requestTarget('https://example.com/x', undefined).href).toBe('https://example.com/x');
    expect(() => requestTarget('/x', undefined)).toThrow('absolute');
    expect(() => requestTarget('ftp://example.com/x', undefined)).toThrow('absolute');
  });
});
