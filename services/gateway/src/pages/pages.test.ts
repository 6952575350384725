import { createHash } from 'node:crypto';
import { healthPages } from '@fairlead/service-kit/http/health-pages';
import { Closers } from '@fairlead/service-kit/lifecycle/lifecycle';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiDocument } from '../openapi/api-document.ts';
import { call } from '@fairlead/rest-kit/testing/edge';
import { startEdge } from '../testing/edge.ts';
import type { TestEdge } from '@fairlead/rest-kit/testing/edge';
import { openDocsPages } from './docs.ts';
import { homePage } from './home.ts';

const document = apiDocument('https://api.test.example');
const ANYONE = { headers: { 'x-api-key': '' } };
const log = createLogger({ service: 'gateway', level: 'silent' });
const closers = new Closers(log);
let edge: TestEdge;
beforeAll(async () => {
  const docs = await openDocsPages({ document, publicUrl: 'https://api.test.example', log, closers });
  edge = await startEdge({ pages: [homePage, ...docs, ...healthPages(() => true)] });
});
afterAll(async () => {
  await edge.close();
  await closers.close();
});

describe('documentation', () => {
  const openDocs = async () => {
    const { status, headers, body } = await call(edge, 'GET', '/docs', ANYONE);
    expect(status).toBe(200);
    return { policy: headers.get('content-security-policy') ?? '', page: String(body['text']) };
  };

  test('/openapi.json is for anyone', async () => {
    const answer = await call(edge, 'GET', '/openapi.json', ANYONE);
    expect(JSON.parse(String(answer.body['text']))).toEqual(JSON.parse(JSON.stringify(document)));
  });

  test('/docs runs scripts of our own origin and its own two, compiles none, and reaches our own origin only', async () => {
    const { policy, page } = await openDocs();
    const scripts = [...page.matchAll(/<script>([^]*?)<\/script>/g)].map(
      ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
    );
    expect(scripts).toHaveLength(2);
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      `script-src 'self' ${scripts.join(' ')}`,
      "style-src 'unsafe-inline'",
      'img-src data:',
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
    for (const [, address] of page.matchAll(/(?:src|href)="([^"]*)"/g))
      expect(address).toMatch(/^(\/|data:,$)/);
  });

  test('the library is loaded whole, as the script that its address promises for ever', async () => {
    const [, address = ''] = /<script src="([^"]+)">/.exec((await openDocs()).page) ?? [];
    const url = edge.url + address;
    const answers = await Promise.all([
      fetch(url, { headers: { 'accept-encoding': 'gzip' } }),
      fetch(url, { headers: { 'accept-encoding': 'identity' } }),
    ]);
    expect(answers.map(({ headers }) => headers.get('content-encoding'))).toEqual(['gzip', null]);
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('vary')).toBe('accept-encoding');
      const digest = createHash('sha256').update(Buffer.from(await answer.arrayBuffer()));
      expect(address).toContain(`/${digest.digest('base64url').slice(0, 16)}/`);
    }
    const [zipped] = answers;
    const head = await fetch(url, { method: 'HEAD', headers: { 'accept-encoding': 'gzip' } });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
      200,
      zipped.headers.get('content-length'),
      '',
    ]);
  });

  test('a browser that goes away in the middle takes nothing from the next one', async () => {
    const [, address = ''] = /<script src="([^"]+)">/.exec((await openDocs()).page) ?? [];
    const gone = new AbortController();
    const broken = await fetch(edge.url + address, { signal: gone.signal });
    gone.abort();
    await expect(broken.text()).rejects.toThrow('aborted');
    expect((await call(edge, 'GET', address, ANYONE)).body['text']).toContain('createApiReference');
  });

  test('nothing but the library is served beside it', async () => {
    const [, folder = ''] = /<script src="([^"]+)\/[^"/]+">/.exec((await openDocs()).page) ?? [];
    for (const path of [
      '',
      '/',
      '/standalone.esm.js',
      '/..%2F..%2Fpackage.json',
      '/%2e%2e/%2e%2e/index.js',
    ]) {
      expect((await call(edge, 'GET', folder + path, ANYONE)).status, path).toBe(404);
    }
  });

  test('pages answer GET and HEAD only', async () => {
    const answer = await call(edge, 'POST', '/docs', ANYONE);
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

describe('the address itself', () => {
  const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';
  const accepting = (accept: string) => ({ headers: { accept, 'x-api-key': '' } });

  test('shows people where to go on, to addresses that are there', async () => {
    const { status, headers, body } = await call(edge, 'GET', '/', accepting(BROWSER));
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const links = [...String(body['text']).matchAll(/href="([^"]+)"/g)].map(([, link = '']) => link);
    expect(links).toEqual(['/docs', '/openapi.json', '/healthz', '/readyz']);
    for (const link of links) expect((await call(edge, 'GET', link, ANYONE)).status, link).toBe(200);
    expect((await call(edge, 'HEAD', '/', accepting(BROWSER))).status).toBe(200);
  });

  test.each(['*/*', 'application/json', 'application/json, text/html', 'text/html;q=0.1, application/json'])(
    'is no route to a program that accepts %s',
    async (accept) => {
      const answer = await call(edge, 'GET', '/', accepting(accept));
      expect([answer.status, answer.body['errorCode']]).toEqual([404, 'NOT_FOUND']);
    },
  );

  test('is no route to any other method, whatever it accepts', async () => {
    for (const method of ['POST', 'DELETE', 'OPTIONS']) {
      expect((await call(edge, method, '/', accepting(BROWSER))).status, method).toBe(404);
    }
  });
});
