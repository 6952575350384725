import { afterAll, beforeAll, expect, test } from 'vitest';
import { callHttp, startHttpService } from '../testing/http.ts';
import type { TestHttpService } from '../testing/http.ts';
import { healthPages } from './health-pages.ts';

let isReady = true;
let service: TestHttpService;
beforeAll(async () => {
  service = await startHttpService({ pages: healthPages(() => isReady) });
});
afterAll(() => service.close());

test('readiness is 503 with the envelope while the service is not ready; liveness does not care', async () => {
  expect((await callHttp(service, 'GET', '/readyz')).status).toBe(200);
  isReady = false;
  const answer = await callHttp(service, 'GET', '/readyz');
  expect([answer.status, answer.body['errorCode']]).toEqual([503, 'UNAVAILABLE']);
  expect((await callHttp(service, 'GET', '/healthz')).status).toBe(200);
});
