import { ServerResponse, IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createOrigins, isOrigin } from './origins.ts';

const PUBLIC_URL = 'https://api.example';
const ALLOWED = 'https://inspector.example:8443';

/** Whether a request with these headers is admitted, and the origin that may read its response. */
function check(headers: { host?: string; origin?: string }, isLoopbackAllowed = false): unknown {
  const origins = createOrigins({ publicUrl: PUBLIC_URL, allowed: [ALLOWED], isLoopbackAllowed });
  const request = new IncomingMessage(new Socket());
  Object.assign(request.headers, { host: 'api.example', ...headers });
  const response = new ServerResponse(request);
  try {
    origins.check(request, response);
  } catch (error) {
    return error;
  }
  expect(response.getHeader('vary')).toBe('Origin');
  return response.getHeader('access-control-allow-origin') ?? 'no origin';
}

const FORBIDDEN = expect.objectContaining({ code: 'FORBIDDEN' }) as unknown;

describe('a request', () => {
  test.each(['api.example', 'API.example', 'api.example:443', 'inspector.example:8443'])(
    'to the host %s is let in',
    (host) => {
      expect(check({ host })).toBe('no origin');
    },
  );

  test.each([
    'evil.example',
    'api.example:80',
    'api.example.evil.example',
    'inspector.example',
    'localhost:8080',
    '127.0.0.1',
    '',
  ])('to the host %j is refused', (host) => {
    expect(check({ host })).toEqual(FORBIDDEN);
  });

  test.each([PUBLIC_URL, ALLOWED])('of a script of %s is let in, which may read the response', (origin) => {
    expect(check({ origin })).toBe(origin);
  });

  test.each([
    'https://evil.example',
    'http://api.example',
    'https://inspector.example',
    'http://localhost:6274',
    'null',
    '',
  ])('of a script of %j is refused', (origin) => {
    expect(check({ origin })).toEqual(FORBIDDEN);
  });

  test('from the own computer is let in where that is allowed, and no other', () => {
    for (const host of ['localhost:8080', '127.0.0.1:9', '[::1]:9', 'localhost'])
      expect(check({ host }, true)).toBe('no origin');
    expect(check({ host: '127.0.0.1:9', origin: 'http://localhost:6274' }, true)).toBe(
      'http://localhost:6274',
    );
    for (const host of ['localhost.evil.example', 'evil.example', 'evil.example@localhost', '127.0.0.1/x'])
      expect(check({ host }, true)).toEqual(FORBIDDEN);
    for (const origin of ['http://evil.example', 'null', 'file://', 'http://localhost:1/x'])
      expect(check({ origin }, true)).toEqual(FORBIDDEN);
  });
});

test.each([
  ['https://app.example', true],
  ['http://app.example:8080', true],
  ['https://app.example/', false],
  ['https://app.example/path', false],
  ['app.example', false],
  ['*', false],
  ['null', false],
  ['ftp://app.example', false],
])('%s: whether it is an origin', (text, isOne) => {
  expect(isOrigin(text)).toBe(isOne);
});
