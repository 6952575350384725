import { expect, test } from 'vitest';
import { Traffic } from './traffic.ts';

test('token calls are counted by grant type, the common ones from 0', () => {
  const traffic = new Traffic();
  traffic.countTokenCall('refresh_token');
  traffic.countTokenCall('none');
  expect(traffic.counters().tokenCalls).toEqual({
    authorization_code: 0,
    refresh_token: 1,
    client_credentials: 0,
    none: 1,
  });
});

test('only the last 200 requests are kept, newest first', () => {
  const traffic = new Traffic();
  for (let n = 1; n <= 201; n += 1) {
    traffic.record({ at: '', method: 'GET', path: `/api/${n}`, status: 200, durationMs: 1 });
  }
  const paths = traffic.recentRequests().map((request) => request.path);
  expect(paths).toHaveLength(200);
  expect([paths.at(0), paths.at(-1)]).toEqual(['/api/201', '/api/2']);
});
