import { createHash } from 'node:crypto';
import { healthPages } from '@fairlead/service-kit/http/health-pages';
import { Closers } from '@fairlead/service-kit/lifecycle/lifecycle';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiDocument } from '../openapi/api-document.ts';
import { call } from '@fairlead/rest-kit/testing/edge';
import { startGatewayEdge } from '../testing/edge.ts';
import type { TestEdge } from '@fairlead/rest-kit/testing/edge';
import { openDocsPages } from './docs.ts';
import { GUIDES } from './guides/guide-list.ts';

const PUBLIC_URL = 'https://api.test.example';
const document = apiDocument(PUBLIC_URL);
const ANYONE = { headers: { 'x-api-key': '' } };
const log = createLogger({ service: 'gateway', level: 'silent' });
const closers = new Closers(log);
let edge: TestEdge;
beforeAll(async () => {
  const docs = await openDocsPages({ document, publicUrl: PUBLIC_URL, log, closers });
  edge = await startGatewayEdge({ pages: [...docs, ...healthPages(() => true)] });
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
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(JSON.parse(String(answer.body['text']))).toEqual(JSON.parse(JSON.stringify(document)));
  });

  test('/openapi.json is compressed as the client accepts, and a client that has it gets 304', async () => {
    const get = (encoding: string, tag = '') =>
      fetch(`${edge.url}/openapi.json`, {
        headers: { 'accept-encoding': encoding, 'if-none-match': tag },
      });
    const tags = new Set<string>();
    const sizes: Record<string, number> = {};
    for (const [accepted, used] of [
      ['gzip, deflate, br', 'br'],
      ['gzip, deflate', 'gzip'],
      ['br;q=0, gzip', 'gzip'],
      ['identity', null],
    ] as const) {
      const answer = await get(accepted);
      expect([answer.status, answer.headers.get('content-encoding')], accepted).toEqual([200, used]);
      expect(answer.headers.get('vary')).toBe('accept-encoding');
      expect(answer.headers.get('cache-control')).toBe('no-cache');
      sizes[used ?? 'plain'] = Number(answer.headers.get('content-length'));
      expect(await answer.json()).toEqual(JSON.parse(JSON.stringify(document)));
      const tag = answer.headers.get('etag') ?? '';
      tags.add(tag);
      const again = await get(accepted, `"other", W/${tag}`);
      expect([again.status, again.headers.get('etag'), await again.text()], accepted).toEqual([304, tag, '']);
      expect((await get(accepted, '"other"')).status).toBe(200);
    }
    expect(tags.size).toBe(3);
    expect(Math.max(sizes['br'] ?? Infinity, sizes['gzip'] ?? Infinity)).toBeLessThan(
      (sizes['plain'] ?? 0) / 5,
    );
  });

  test('an address with a slash at the end leads to the page', async () => {
    for (const path of ['/docs', '/docs/guides']) {
      const answer = await fetch(`${edge.url}${path}/`, { redirect: 'manual' });
      expect([answer.status, answer.headers.get('location')]).toEqual([303, path]);
    }
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
      "connect-src 'self'",
      "img-src 'self' data:",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
    for (const [, address] of page.matchAll(/(?:src|href)="([^"]*)"/g)) expect(address).toMatch(/^\/(?!\/)/);
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

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

test('every link of every page leads to something, and no page but the reference runs or loads anything of others', async () => {
  const anchors = new Map<string, ReadonlySet<string>>();
  const wanted: (readonly [from: string, address: URL])[] = [];
  const pages: { path: string; text: string; policy: string }[] = [];
  const visit = async (path: string): Promise<void> => {
    if (anchors.has(path)) return;
    anchors.set(path, new Set());
    const { status, headers, body } = await call(edge, 'GET', path, {
      headers: { accept: BROWSER, 'x-api-key': '' },
    });
    expect(status, path).toBe(200);
    const text = String(body['text']);
    if (headers.get('content-type') !== 'text/html; charset=utf-8') return;
    pages.push({ path, text, policy: headers.get('content-security-policy') ?? '' });
    anchors.set(path, new Set([...text.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id)));
    for (const [, link = ''] of text.matchAll(/ (?:href|src)="([^"]*)"/g)) {
      const address = new URL(link, `${edge.url}${path}`);
      if (address.origin !== new URL(edge.url).origin) continue;
      wanted.push([path, address]);
      await visit(address.pathname);
    }
  };
  await visit('/');
  expect([...anchors.keys()]).toEqual(
    expect.arrayContaining(GUIDES.map(({ name }) => `/docs/guides/${name}`)),
  );
  for (const [from, { hash, pathname }] of wanted.filter(([, address]) => address.hash !== ''))
    expect(anchors.get(pathname), `${from} → ${pathname}${hash}`).toContain(hash.slice(1));
  for (const { path, text, policy } of pages.filter((page) => page.path !== '/docs')) {
    expect(text, path).not.toMatch(/<(script|iframe|object)\b|<[^>]*\s(style|on\w+)=/i);
    const directives = policy.split('; ').filter((directive) => !directive.startsWith('style-src'));
    expect(directives, path).toEqual([
      "default-src 'none'",
      "img-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
  }
});

test('icons are served as such', async () => {
  for (const [path, type] of [
    ['/favicon.svg', 'image/svg+xml'],
    ['/favicon.ico', 'image/x-icon'],
  ] as const) {
    const { status, headers } = await call(edge, 'GET', path, ANYONE);
    expect([status, headers.get('content-type')]).toEqual([200, type]);
  }
});

describe('texts for language models', () => {
  const read = async (path: string): Promise<string> => {
    const { status, body } = await call(edge, 'GET', path, ANYONE);
    expect(status, path).toBe(200);
    return String(body['text']);
  };
  const linksIn = (text: string) => [...text.matchAll(/\]\((https:[^)]+)\)/g)].map(([, link = '']) => link);

  test('/llms.txt has a title, a summary and links to every guide and the reference, in the form of llmstxt.org', async () => {
    const text = await read('/llms.txt');
    expect(text).toMatch(
      /^# Fairlead\n\n> [^\n]+\n\n[^\n#][^]*?\n## Guides\n\n(- \[[^\n]+\]\([^\n]+\): [^\n]+\n)+\n## Reference\n/,
    );
    const links = linksIn(text);
    for (const { name } of GUIDES) expect(links).toContain(`${PUBLIC_URL}/docs/guides/${name}.md`);
    for (const path of ['/openapi.json', '/docs', '/llms-full.txt'])
      expect(links).toContain(PUBLIC_URL + path);
  });

  test('/llms-full.txt is every guide, whose links lead to texts of the installation', async () => {
    const text = await read('/llms-full.txt');
    for (const { name } of GUIDES) {
      const guide = await read(`/docs/guides/${name}.md`);
      expect(text).toContain(guide.trim());
    }
    const own = linksIn(text).filter((link) => link.startsWith(PUBLIC_URL));
    expect(own).toContain(`${PUBLIC_URL}/docs/guides/rate-limits.md`);
    for (const link of own) await read(new URL(link).pathname);
    expect(text).not.toMatch(/\]\((?!https?:|#|\/)[^)]*\.md/);
  });
});

describe('the address itself', () => {
  const accepting = (accept: string) => ({ headers: { accept, 'x-api-key': '' } });

  test('shows people where to go on, to addresses that are there', async () => {
    const { status, headers, body } = await call(edge, 'GET', '/', accepting(BROWSER));
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const text = String(body['text']);
    const links = [...text.matchAll(/href="(\/[^"]*)"/g)].map(([, link = '']) => link);
    for (const link of ['/docs', '/docs?sign-in', '/docs/guides', '/openapi.json', '/llms.txt', '/readyz'])
      expect(links).toContain(link);
    expect(text).toContain(`curl -H "x-api-key: $FAIRLEAD_API_KEY" ${PUBLIC_URL}/v1/auth/whoami`);
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
