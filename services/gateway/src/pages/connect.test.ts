import { call, TEST_PUBLIC_URL } from '@fairlead/rest-kit/testing/edge';
import { systemClock } from '@fairlead/service-kit/clock';
import { createServiceProxy } from '@fairlead/service-proxy/service-proxy';
import { expect, onTestFinished, test } from 'vitest';
import { startGatewayEdge, TEST_CALLER_KEYS } from '../testing/edge.ts';
import { connectMount } from './connect.ts';

test('while connections is away a person is asked to try again, and a script of any site can read when', async () => {
  const proxy = createServiceProxy({
    service: 'connections',
    caller: 'gateway',
    // Nothing listens on this port.
    addresses: ['http://127.0.0.1:1'],
    callerKeys: TEST_CALLER_KEYS,
    clock: systemClock,
    addressOf: () => '192.0.2.1',
    timeoutMs: 5_000,
    responseTimeoutMs: 5_000,
  });
  const edge = await startGatewayEdge({ mounts: [connectMount(proxy)] });
  onTestFinished(() => edge.close());
  const get = (path: string) =>
    call(edge, 'GET', path, { headers: { 'x-api-key': '', origin: TEST_PUBLIC_URL } });

  for (const path of ['/connect/start/a', '/connect/callback?code=1', '/connect/sessions/cs_1']) {
    const { status, headers, body } = await get(path);
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      503,
      'text/html; charset=utf-8',
      'no-store',
    ]);
    expect(body['text']).toContain('Please try again');
    expect(headers.get('access-control-allow-origin')).toBeNull();
  }
  const { status, headers, body } = await get('/connect/status?a=b');
  expect([status, body['errorCode']]).toEqual([503, 'UNAVAILABLE']);
  expect(headers.get('access-control-allow-origin')).toBe('*');
});
