import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { toProviderRequest } from './provider-request.ts';

const issuer = new URL('https://api.example/oauth');

function original(headers: Record<string, string>): IncomingMessage {
  const message = new IncomingMessage(new Socket());
  message.method = 'POST';
  message.headers = headers;
  return message;
}

describe('the request that the library gets', () => {
  test('is at the public address, whatever the client or a proxy says', () => {
    const request = toProviderRequest(
      original({
        host: 'evil.example',
        forwarded: 'host=evil.example',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'http',
        'x-forwarded-for': '203.0.113.9',
        'x-original-url': '/evil',
        cookie: 'a=b',
        authorization: 'Basic abc',
      }),
      { issuer, target: '/token?x=1', body: undefined },
    );
    expect(request.headers).toEqual({ host: 'api.example', cookie: 'a=b', authorization: 'Basic abc' });
    expect(request).toMatchObject({ url: '/token?x=1', originalUrl: '/oauth/token?x=1', method: 'POST' });
    expect(request.socket).toMatchObject({ encrypted: true });
  });

  test('has the body that it is given, and its length', async () => {
    const request = toProviderRequest(
      original({ 'content-length': '3', 'transfer-encoding': 'chunked', 'content-encoding': 'gzip' }),
      { issuer, target: '/token', body: 'a=ü' },
    );
    expect(request.headers).toEqual({ host: 'api.example', 'content-length': '4' });
    expect(await text(request)).toBe('a=ü');
  });

  test('is not encrypted where the public address is not', () => {
    const plain = new URL('http://127.0.0.1:8080/oauth');
    const request = toProviderRequest(original({}), { issuer: plain, target: '/', body: '' });
    expect(request.socket).toMatchObject({ encrypted: false });
  });
});
