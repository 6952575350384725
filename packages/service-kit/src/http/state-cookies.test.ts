import { expect, test } from 'vitest';
import { stateCookies } from './state-cookies.ts';

const secure = stateCookies({ publicUrl: 'https://api.test.example', name: 'test' });
const plain = stateCookies({ publicUrl: 'http://127.0.0.1:8080', name: 'test' });

test('https has __Host- cookies, plain http has cookies that browsers take there', () => {
  expect(secure.set('s1', 'b1')).toBe(
    '__Host-test-s1=b1; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=300',
  );
  expect(plain.set('s1', 'b1')).toBe('test-s1=b1; Path=/; HttpOnly; SameSite=Lax; Max-Age=300');
  expect(plain.clear('s1')).toBe('test-s1=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0');
});

test('each state has its own binding', () => {
  const header = 'other=1; test-s1=b1; test-s2=b2';
  expect([plain.read(header, 's1'), plain.read(header, 's2')]).toEqual(['b1', 'b2']);
  expect([plain.read(header, 's3'), plain.read(undefined, 's1')]).toEqual(['', '']);
});

test('nothing of a state or a binding ends a header or begins another', () => {
  expect(plain.clear('a; Domain=evil\r\nx')).toMatch(/^test-aDomainevilx=;/);
  expect(() => plain.set('s1', 'b1; Domain=evil')).toThrow('does not fit');
});
