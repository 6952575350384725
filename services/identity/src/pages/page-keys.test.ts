import { ManualClock } from '@fairlead/service-kit/clock';
import { Secret } from '@fairlead/service-kit/secret';
import { describe, expect, test } from 'vitest';
import { createKnownBrowsers } from './known-browsers.ts';
import { createPageKeys } from './page-keys.ts';
import { createTickets } from './tickets.ts';

const keysOf = (...texts: readonly string[]) => createPageKeys(() => texts.map((text) => new Secret(text)));
const keys = keysOf('key-one');

describe('codes', () => {
  test('a code fits its purpose and parts only', () => {
    const code = keys.sign('form', 'a', 'b');
    expect(keys.isSigned(code, 'form', 'a', 'b')).toBe(true);
    expect(keys.isSigned(code, 'ticket', 'a', 'b')).toBe(false);
    expect(keys.isSigned(code, 'form', 'b', 'a')).toBe(false);
    expect(keys.isSigned(code, 'form', 'ab')).toBe(false);
    expect(keys.isSigned('', 'form', 'a', 'b')).toBe(false);
    expect(keys.isSigned(`${code}AAAA`, 'form', 'a', 'b')).toBe(false);
  });

  test('after a rotation what the old key signed is still known, and the new one signs', () => {
    const code = keys.sign('form', 'a');
    const rotated = keysOf('key-two', 'key-one');
    expect(rotated.isSigned(code, 'form', 'a')).toBe(true);
    expect(keys.isSigned(rotated.sign('form', 'a'), 'form', 'a')).toBe(false);
    expect(keysOf('key-two').isSigned(code, 'form', 'a')).toBe(false);
  });
});

describe('tickets', () => {
  const clock = new ManualClock(new Date('2026-01-01T00:00:00Z'));
  const tickets = createTickets({ keys, clock });

  test('a ticket tells its users, in its interaction, for five minutes', () => {
    const ticket = tickets.issue('int_1', ['usr_1', 'usr_2']);
    expect(tickets.read('int_1', ticket)).toEqual(['usr_1', 'usr_2']);
    expect(tickets.read('int_2', ticket)).toEqual([]);
    clock.advance(5 * 60_000);
    expect(tickets.read('int_1', ticket)).toEqual([]);
  });

  test('a missing ticket, or one that was tampered with, identifies no user', () => {
    const [, code = ''] = tickets.issue('int_1', ['usr_1']).split('.');
    const forged = Buffer.from(JSON.stringify({ expires: 1e15, userIds: ['usr_9'] })).toString('base64url');
    for (const text of [`${forged}.${code}`, forged, '', '.', 'a.b.c']) {
      expect(tickets.read('int_1', text)).toEqual([]);
    }
  });
});

describe('known browsers', () => {
  const browsers = createKnownBrowsers({ keys, publicUrl: 'https://fairlead.example' });
  const cookieOf = (setCookie: string): string => setCookie.split(';')[0] ?? '';

  test('a browser is known for the address that signed in with it, and shows neither to scripts nor elsewhere', () => {
    const setCookie = browsers.cookieFor('olga@fairlead.example');
    expect(setCookie).toMatch(/; Path=\/oauth; HttpOnly; SameSite=Lax; Secure; Max-Age=15552000$/);
    expect(setCookie).not.toContain('olga');
    const cookies = `other=1; ${cookieOf(setCookie)}`;
    expect(browsers.recognise('olga@fairlead.example', cookies)).toMatch(/^\w{22}$/);
    expect(browsers.recognise('mara@fairlead.example', cookies)).toBeUndefined();
  });

  test('a made-up cookie, or another’s, is not known', () => {
    const [name = '', value = ''] = cookieOf(browsers.cookieFor('olga@fairlead.example')).split('=');
    const [otherName] = cookieOf(browsers.cookieFor('mara@fairlead.example')).split('=');
    expect(browsers.recognise('mara@fairlead.example', `${otherName}=${value}`)).toBeUndefined();
    expect(browsers.recognise('olga@fairlead.example', `${name}=abc.def`)).toBeUndefined();
    expect(browsers.recognise('olga@fairlead.example', undefined)).toBeUndefined();
  });
});
