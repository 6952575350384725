import { expect, test } from 'vitest';
import { z } from 'zod';
import { ConfigError, loadConfig, natsConfigShape } from '../config.ts';
import { natsAddress } from './address.ts';

const read = (text: string) => loadConfig(z.object(natsConfigShape), { NATS_URL: text }).NATS_URL;

test.each([
  ['nats://a', { servers: ['a:4222'] }],
  ['nats://a:4333,nats://b', { servers: ['a:4333', 'b:4222'] }],
  ['nats://[::1]:4222', { servers: ['[::1]:4222'] }],
  ['nats://a:80', { servers: ['a:80'] }],
  ['nats://ada:p%40ss@a', { servers: ['a:4222'], user: 'ada', pass: 'p@ss' }],
  ['nats://t0ken@a,nats://t0ken@b', { servers: ['a:4222', 'b:4222'], token: 't0ken' }],
  ['tls://a', { servers: ['a:4222'], tls: {} }],
])('%s is understood', (text, options) => {
  expect(natsAddress(read(text))).toEqual(options);
});

test.each(['http://a', 'a:4222', 'nats://', 'nats://a,b', 'nats://a:99999'])('%s is refused', (text) => {
  expect(() => read(text)).toThrow(ConfigError);
});

test('the address does not show: it may hold a password', () => {
  expect(JSON.stringify({ url: read('nats://ada:secret@a') })).not.toContain('secret');
});
