import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FormBrowser } from '../testing/form-browser.ts';
import { startTestCrm, testConfig } from '../testing/sandbox.ts';
import type { TestCrm } from '../testing/sandbox.ts';

const anyText: unknown = expect.any(String);

let crm: TestCrm;

beforeEach(async () => {
  crm = await startTestCrm();
});

afterEach(() => crm.close());

describe('API', () => {
  test('needs the admin key', async () => {
    for (const headers of [{}, { 'x-admin-key': 'wrong' }, { 'x-admin-key': testConfig.apiToken }]) {
      const response = await fetch(`${crm.url}/admin/api/down`, { method: 'POST', headers: { ...headers } });
      expect(response.status).toBe(401);
    }
    expect((await crm.api('GET', '/whoami')).status).toBe(200);
  });

  test('down: API, sign-in and token endpoint return 503, health and administration still work', async () => {
    expect((await crm.admin('/down', { forMs: 60_000 })).body).toMatchObject({
      isDown: true,
      downUntil: anyText,
    });
    const answer = await crm.api('GET', '/contacts');
    expect(answer).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
    expect(answer.headers.get('retry-after')).toBe('60');
    expect((await fetch(`${crm.url}/oauth/token`, { method: 'POST' })).status).toBe(503);
    expect((await fetch(`${crm.url}/oauth/auth`)).status).toBe(503);
    expect((await fetch(`${crm.url}/healthz`)).status).toBe(200);
    await crm.admin('/up', {});
    expect((await crm.api('GET', '/contacts')).status).toBe(200);
  });

  test('delay: responses arrive that much later', async () => {
    await crm.admin('/delay', { delayMs: 20_000 });
    await expect(fetch(`${crm.url}/oauth/auth`, { signal: AbortSignal.timeout(60) })).rejects.toThrow(
      /timeout/,
    );
    await crm.admin('/delay', { delayMs: 1 });
    expect((await crm.api('GET', '/whoami')).status).toBe(200);
  });

  test('rate limit: calls above it are 429 with Retry-After until it is lifted', async () => {
    await crm.admin('/rate-limit', { requestsPerSecond: 1 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => crm.api('GET', '/whoami')));
    expect(answers[0]?.status).toBe(200);
    const refused = answers.find(({ status }) => status !== 200);
    expect(refused).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
    expect(refused?.headers.get('retry-after')).toBe('1');
    await crm.admin('/rate-limit', {});
    expect((await crm.api('GET', '/whoami')).status).toBe(200);
  });

  test('reset: sample records, good conditions and zero counters again', async () => {
    const before = await crm.api('GET', '/contacts');
    await crm.api('POST', '/contacts', { body: { name: 'x' } });
    await crm.admin('/delay', { delayMs: 5 });
    expect((await crm.admin('/reset', {})).body).toMatchObject({
      conditions: { isDown: false, delayMs: 0 },
      counters: { apiCalls: 0 },
    });
    expect((await crm.api('GET', '/contacts')).body).toEqual(before.body);
  });

  test('API calls are counted and the last requests listed, refused ones too', async () => {
    await crm.api('GET', '/contacts?top=1');
    await crm.api('GET', '/contacts', { headers: {} });
    await fetch(`${crm.url}/oauth/auth?client_id=unknown&state=secret`);
    expect((await crm.admin('/state')).body).toMatchObject({ counters: { apiCalls: 2 } });
    expect((await crm.admin('/requests')).body).toMatchObject({
      items: [
        { method: 'GET', path: '/oauth/auth', status: 400 },
        { method: 'GET', path: '/api/contacts', status: 401 },
        { method: 'GET', path: '/api/contacts?top=1', status: 200 },
      ],
    });
  });

  test.each([
    ['/down', { forMs: 0 }],
    ['/down', { forMs: '5' }],
    ['/delay', { delayMs: -1 }],
    ['/rate-limit', { requestsPerSecond: 0.5 }],
    ['/rate-limit', { rps: 5 }],
  ])('%s %o is refused', async (path, body) => {
    expect(await crm.admin(path, body)).toMatchObject({
      status: 400,
      body: { error: { code: 'validation_failed' } },
    });
  });
});

describe('page', () => {
  test('asks for the key, then shows the records and acts by plain forms', async () => {
    const browser = new FormBrowser();
    await browser.open(`${crm.url}/`);
    expect((await browser.submit('Open', { adminKey: 'wrong' })).status).toBe(401);
    const page = await browser.submit('Open', { adminKey: testConfig.adminKey });
    expect(page.html).toContain('Harbour Trading');
    expect(page.html).toContain('Farah Nasser');
    expect(page.html).not.toMatch(/<script|\son\w+=/);

    expect((await browser.submit('Take down')).html).toContain('Down until brought up');
    expect((await crm.api('GET', '/whoami')).status).toBe(503);
    expect((await browser.submit('Bring up')).html).toMatch(/Up ·/);
    expect((await browser.submit('Set rate limit', { requestsPerSecond: '1' })).status).toBe(200);
    await crm.api('GET', '/whoami');
    expect((await crm.api('GET', '/whoami')).status).toBe(429);
    await browser.submit('Set rate limit', { requestsPerSecond: '' });
    expect((await crm.api('GET', '/whoami')).status).toBe(200);
    expect((await browser.submit('Set delay', { delayMs: '-3' })).html).toContain('That did not work');
  });

  test('an action without the key does nothing', async () => {
    const shown = await new FormBrowser().open(`${crm.url}/admin`);
    const response = await fetch(`${crm.url}/admin/actions/down`, { method: 'POST', redirect: 'manual' });
    expect(response.headers.get('location')).toBe('/admin');
    expect(shown.html).toContain('Admin key');
    expect((await crm.api('GET', '/whoami')).status).toBe(200);
  });
});
