import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { clientAddress } from './client-address.ts';

function request(forwardedFor?: string): IncomingMessage {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: '192.0.2.1' });
  const message = new IncomingMessage(socket);
  if (forwardedFor !== undefined) message.headers['x-forwarded-for'] = forwardedFor;
  return message;
}

describe('the address of a client', () => {
  test('is that of the connection where no proxy stands in front, whatever it claims', () => {
    expect(clientAddress(request('203.0.113.9'), 0)).toBe('192.0.2.1');
  });

  test('is what the outermost of our proxies saw, whatever stands before that', () => {
    expect(clientAddress(request('203.0.113.9'), 1)).toBe('203.0.113.9');
    expect(clientAddress(request('10.0.0.1, 203.0.113.9'), 1)).toBe('203.0.113.9');
    expect(clientAddress(request('spoofed, 203.0.113.9, 10.0.0.2'), 2)).toBe('203.0.113.9');
  });

  test('is known without the port that some proxies add', () => {
    expect(clientAddress(request('203.0.113.9:40001'), 1)).toBe('203.0.113.9');
    expect(clientAddress(request('[2001:db8::1]:40001'), 1)).toBe('2001:db8::1');
    expect(clientAddress(request('[2001:db8::1]'), 1)).toBe('2001:db8::1');
    expect(clientAddress(request('2001:db8::1'), 1)).toBe('2001:db8::1');
  });

  test('is that of the connection where the header is missing', () => {
    expect(clientAddress(request(), 1)).toBe('192.0.2.1');
    expect(clientAddress(request(' , '), 1)).toBe('192.0.2.1');
  });

  test.each(['unknown', '_hidden', 'x'.repeat(20_000), `fe80::1%${'x'.repeat(20_000)}`])(
    'is that of the connection where the header holds no address: %.20s',
    (text) => {
      expect(clientAddress(request(text), 1)).toBe('192.0.2.1');
    },
  );
});
