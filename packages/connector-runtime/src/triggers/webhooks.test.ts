import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { WebhookRecipe, WebhookSignature } from '@fairlead/connector-model/trigger-recipes';
import type { ToolOutcome } from '../call.ts';
import { testCredential, testMethod, testOptions, testRequest } from '../testing/calls.ts';
import type { ReceivedRequest, TestResponse } from '../testing/http-server.ts';
import { testRuntime, testVendor } from '../testing/vendor.ts';
import { triggerTool } from './trigger-tool.ts';
import type { TriggerExecution } from './trigger-tool.ts';
import { isSigned, readReport } from './webhook-call.ts';

const SIGNATURE: WebhookSignature = {
  header: 'x-signature',
  prefix: 'sha256=',
  encoding: 'hex',
  timestampHeader: 'x-timestamp',
};

const RECIPE: WebhookRecipe = {
  register: {
    request: testRequest('/hooks', {
      method: 'POST',
      body: { to: '{{webhook.url}}', key: '{{webhook.secret}}', of: '{{input.kind}}' },
    }),
    idPointer: '/id',
  },
  list: {
    request: testRequest('/hooks'),
    paging: { type: 'offset', topQuery: 'top', offsetQuery: 'skip', maxTop: 2 },
    itemsPointer: '/items',
    idPointer: '/id',
    urlPointer: '/to',
  },
  remove: { request: testRequest('/hooks/{{webhook.id}}', { method: 'DELETE' }) },
  signature: SIGNATURE,
  deliveryIdPointer: '/id',
  occurredAtPointer: '/at',
  payloadPointer: '/data',
};

async function call(
  trigger: TriggerExecution,
  respond: (request: ReceivedRequest) => TestResponse,
): Promise<{ outcome: ToolOutcome; requests: readonly ReceivedRequest[] }> {
  const { server, connector } = await testVendor(respond);
  const outcome = await testRuntime().execute(
    {
      connector,
      method: testMethod(),
      credential: testCredential(),
      fields: { kind: 'deal' },
      filters: [],
      sorts: [],
      tool: triggerTool({ slug: 's' }, trigger),
    },
    testOptions(),
  );
  return { outcome, requests: server.requests };
}

const register = {
  type: 'registerWebhook',
  recipe: RECIPE,
  url: 'https://fairlead.test/hooks/x',
  secret: 's3cret',
} as const;

describe('a registration', () => {
  it('names the address and the secret, and returns its id', async () => {
    const { outcome, requests } = await call(register, () => ({ status: 201, body: { id: 77 } }));
    expect(outcome).toMatchObject({ isSuccess: true, output: { id: '77' } });
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
      to: 'https://fairlead.test/hooks/x',
      key: 's3cret',
      of: 'deal',
    });
  });

  it('is not tried again by itself, because there could be two', async () => {
    const { outcome, requests } = await call(register, () => ({ status: 503 }));
    expect(outcome.isSuccess).toBe(false);
    expect(requests).toHaveLength(1);
  });

  it.each<[string, TestResponse, RegExp]>([
    [
      'refused with the words of the vendor',
      { status: 422, body: { error: { message: 'No more hooks.' } } },
      /No more/,
    ],
    ['failed without an id', { status: 201, body: {} }, /without an id/],
  ])('is %s', async (_what, response, message) => {
    const { outcome } = await call(register, () => response);
    expect(outcome.isSuccess ? '' : outcome.errorMessage).toMatch(message);
  });

  it('is found on any page by its address', async () => {
    const hooks = ['a', 'b', 'https://fairlead.test/hooks/x', 'c', 'https://fairlead.test/hooks/x'];
    const items = hooks.map((to, id) => ({ id, to }));
    const { outcome } = await call(
      { type: 'findWebhooks', recipe: RECIPE, url: 'https://fairlead.test/hooks/x' },
      ({ query }) => {
        const from = Number(query.get('skip'));
        return { body: { items: items.slice(from, from + Number(query.get('top'))) } };
      },
    );
    expect(outcome).toMatchObject({ output: { ids: ['2', '4'] } });
  });

  it.each([
    [204, true],
    [404, true],
    [410, true],
    [403, false],
  ])('has ended with status %d: %s', async (status, isEnded) => {
    const { outcome, requests } = await call({ type: 'removeWebhook', recipe: RECIPE, id: 'a/b' }, () => ({
      status,
    }));
    expect(outcome.isSuccess).toBe(isEnded);
    expect(requests[0]).toMatchObject({ method: 'DELETE', path: '/api/hooks/a%2Fb' });
  });
});

describe('a call of the vendor', () => {
  const now = new Date('2026-03-01T10:00:00.000Z');
  const seconds = now.getTime() / 1000;
  const body = new TextEncoder().encode('{"id":"evt_1","at":"2026-03-01T09:59:58Z","data":{"a":"ä"}}');
  const sign = (secret: string, timestamp: string, encoding: 'hex' | 'base64' = 'hex'): string =>
    createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest(encoding);
  const headers = (timestamp = String(seconds), secret = 'k'): Record<string, string> => ({
    'x-signature': `sha256=${sign(secret, timestamp)}`,
    'x-timestamp': timestamp,
  });

  it.each<[string, Record<string, string>, boolean]>([
    ['the right signature', headers(), true],
    ['one of 300 s ago', headers(String(seconds - 300)), true],
    ['one of 301 s ago', headers(String(seconds - 301)), false],
    ['one of 301 s ahead', headers(String(seconds + 301)), false],
    ['another secret', headers(String(seconds), 'other'), false],
    ['another timestamp', { ...headers(), 'x-timestamp': String(seconds - 1) }, false],
    ['a timestamp that is none', headers('1e9'), false],
    ['no prefix', { ...headers(), 'x-signature': sign('k', String(seconds)) }, false],
    ['an empty signature', { ...headers(), 'x-signature': 'sha256=' }, false],
    ['no headers', {}, false],
  ])('with %s', (_what, given, isGenuine) => {
    expect(isSigned(SIGNATURE, 'k', { headers: given, body }, now)).toBe(isGenuine);
  });

  it('may sign the body alone, in base64', () => {
    const signature = createHmac('sha256', 'k').update(body).digest('base64');
    const plain = { header: 'x-s', prefix: '', encoding: 'base64', timestampHeader: null } as const;
    expect(isSigned(plain, 'k', { headers: { 'x-s': signature }, body }, now)).toBe(true);
    expect(isSigned(plain, 'l', { headers: { 'x-s': signature }, body }, now)).toBe(false);
  });

  it('reports its payload, its id and its time', () => {
    expect(readReport(RECIPE, body)).toEqual({
      deliveryId: 'evt_1',
      occurredAt: new Date('2026-03-01T09:59:58Z'),
      payload: new TextEncoder().encode('{"a":"ä"}'),
    });
  });

  it('keeps the bytes of a body that is the payload', () => {
    const exact = new TextEncoder().encode('{ "id": 12345678901234567890 }');
    const recipe = { ...RECIPE, payloadPointer: '', occurredAtPointer: null };
    expect(readReport(recipe, exact)).toMatchObject({ payload: exact, occurredAt: undefined });
  });

  it('keeps the bytes of a payload within the body, and the digits of a long id', () => {
    const data = '{ "n":12345678901234567890,"a":[1.50] }';
    const body = new TextEncoder().encode(`{"id":98765432109876543210,"data": ${data} }`);
    expect(readReport(RECIPE, body)).toMatchObject({
      deliveryId: '98765432109876543210',
      payload: new TextEncoder().encode(data),
    });
  });

  it('without an id is named by its bytes', () => {
    const without = new TextEncoder().encode('{"data":1}');
    expect(readReport(RECIPE, without)?.deliveryId).toBe(readReport(RECIPE, without)?.deliveryId);
    expect(readReport(RECIPE, without)?.deliveryId).toHaveLength(64);
  });

  it.each([
    ['is not JSON', new TextEncoder().encode('hello')],
    ['is not UTF-8', new Uint8Array([0xff, 0xfe])],
    ['has no payload', new TextEncoder().encode('{"id":1}')],
    ['is nested too deeply', new TextEncoder().encode(`{"data":${'['.repeat(500)}${']'.repeat(500)}}`)],
  ])('reports nothing if it %s', (_what, bytes) => {
    expect(readReport(RECIPE, bytes)).toBeUndefined();
  });
});
