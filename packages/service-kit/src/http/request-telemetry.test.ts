import { registry } from '../telemetry/service-metrics.ts';
import { recordSpans } from '../testing/recording-tracer.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callHttp, startHttpService } from '../testing/http.ts';
import type { TestHttpService } from '../testing/http.ts';
import { sendJson } from './reply.ts';

let service: TestHttpService;
beforeAll(async () => {
  service = await startHttpService({
    paths: [
      {
        path: '/v1/items/{itemId}',
        maxBodyBytes: 1024,
        handle(exchange, request, response) {
          exchange.accountId = 'acc_test';
          exchange.userId = 'usr_test';
          sendJson(response, request.params['itemId'] === 'secret-id' ? 404 : 200, {});
        },
      },
    ],
  });
});
afterAll(() => service.close());

function count(method: string, route: string, status: number): number {
  const labels = `{method="${method}",route="${route}",status="${status}"}`;
  const text = registry.render().split(`http_server_request_duration_seconds_count${labels} `)[1];
  return text === undefined ? 0 : Number.parseInt(text, 10);
}

test('requests are counted under method, template and status; ids and unknown paths never become labels', async () => {
  const before = [
    count('GET', '/v1/items/{itemId}', 200),
    count('GET', '/v1/items/{itemId}', 404),
    count('GET', '(none)', 404),
  ];
  await callHttp(service, 'GET', '/v1/items/2147483646');
  await callHttp(service, 'GET', '/v1/items/secret-id');
  const last = await callHttp(service, 'GET', '/v1/secret-path?key=secret-query');
  await service.lineOf(last.headers.get('x-request-id'));
  expect([
    count('GET', '/v1/items/{itemId}', 200),
    count('GET', '/v1/items/{itemId}', 404),
    count('GET', '(none)', 404),
  ]).toEqual(before.map((value) => value + 1));
  expect(registry.render()).not.toMatch(/"[^"]*(2147483646|secret-)[^"]*"/);
});

test('the line of a request contains everything except path, query and body', async () => {
  const answer = await callHttp(service, 'POST', '/v1/items/1?key=secret-key', {
    json: { name: 'secret-name' },
  });
  const line = await service.lineOf(answer.headers.get('x-request-id'));
  const { time: _time, durationMs, ...rest } = line;
  expect(durationMs).toBeGreaterThan(0);
  expect(rest).toEqual({
    level: 'info',
    service: 'test',
    requestId: answer.headers.get('x-request-id'),
    method: 'POST',
    route: '/v1/items/{itemId}',
    status: answer.status,
    accountId: 'acc_test',
    userId: 'usr_test',
    msg: 'request',
  });
});

test('a traced request continues the trace of its client and shows the route, not the path', async () => {
  const { spans, stop } = recordSpans();
  try {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
    const answer = await callHttp(service, 'GET', '/v1/items/2147483646?key=secret-key', { headers });
    const line = await service.lineOf(answer.headers.get('x-request-id'));
    expect(line).toMatchObject({ traceId });
    expect(spans).toMatchObject([
      {
        name: 'GET /v1/items/{itemId}',
        kind: 'server',
        traceId,
        parentId: '00f067aa0ba902b7',
        attributes: {
          'http.request.method': 'GET',
          'http.route': '/v1/items/{itemId}',
          'http.response.status_code': answer.status,
          'fairlead.request_id': answer.headers.get('x-request-id'),
          'fairlead.account_id': 'acc_test',
        },
        hasEnded: true,
      },
    ]);
    expect(JSON.stringify(spans)).not.toMatch(/2147483646|secret-/);
  } finally {
    stop();
  }
});
