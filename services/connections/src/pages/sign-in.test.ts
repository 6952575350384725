import { afterEach, describe, expect, test } from 'vitest';
import { callHttp as call } from '@fairlead/service-kit/testing/http';
import { back, closeAll, follow, PATH, press, setUp, show, STATE } from '../testing/sign-in-pages.ts';

afterEach(closeAll);

describe('the page', () => {
  test('it says which account and user ask, for which application, with which scopes, and where it leads', async () => {
    const { edge, callers } = await setUp();
    const { status, headers, body } = await show(edge);
    expect(status).toBe(200);
    // A scope with a description in the connector.
    for (const shown of [
      'Acme',
      'Mara Owner',
      'Sandbox CRM',
      '>See contacts<',
      '>crm.write<',
      'vendor.example',
    ])
      expect(body['text']).toContain(shown);
    expect(body['text']).not.toContain('>crm.read<');
    expect(body['text']).not.toMatch(/<script|<img|authorize\?/);
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; img-src 'self'; base-uri 'none'; form-action 'self' https:\/\/vendor\.example https:; frame-ancestors 'none'$/,
    );
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    expect(callers).toEqual([{ kind: 'service', service: 'connections' }]);
  });

  test.each([
    ['de', 'Sandbox CRM verbinden?', 'Kontakte ansehen', 'Sie haben die Anmeldung abgebrochen'],
    ['es', '¿Conectar Sandbox CRM?', 'lang="en">See contacts', 'Ha cancelado el inicio de sesión'],
    ['fr', 'Connecter Sandbox CRM ?', 'lang="en">See contacts', 'Vous avez annulé l’identification'],
    ['ja', 'Sandbox CRM を接続しますか？', 'lang="en">See contacts', 'サインインをキャンセルしました'],
  ])('it is in the language of the browser, as is the page at the end: %s', async (code, ...texts) => {
    const { edge } = await setUp();
    const language = { 'accept-language': `${code}-XX, en;q=0.5` };
    const page = await show(edge, language);
    const answer = await press(
      edge,
      page,
      { 'sec-fetch-site': 'same-origin', ...language },
      { action: 'cancel' },
    );
    const end = await follow(edge, answer, undefined, language);
    const shown = [page.body['text'], page.body['text'], end.body['text']].map(String);
    for (const [at, text] of texts.entries()) expect(shown[at]).toContain(text);
    for (const each of shown) expect(each).toContain(`<html lang="${code}">`);
  });

  test('opening it changes nothing, however often and by whom: link checkers, prefetchers, several tabs', async () => {
    const { edge, called } = await setUp();
    const first = await show(edge);
    const [cookie = ''] = first.headers.getSetCookie().map((set) => set.split(';')[0] ?? '');
    const second = await show(edge, { cookie, 'sec-purpose': 'prefetch' });
    expect(second.headers.getSetCookie()).toEqual(first.headers.getSetCookie());
    expect(second.body).toEqual(first.body);
    const head = await call(edge, 'HEAD', PATH, { headers: {} });
    expect([head.status, head.body]).toEqual([200, { text: '' }]);
    expect(called).toEqual(['describe', 'describe', 'describe']);
    expect((await press(edge, first)).status).toBe(303);
  });

  test.each([
    ['markup', '<img src=x onerror=alert(1)>"\'&', '&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;'],
    ['text that runs backwards', 'evil\u202Eemag\u2066!', 'evilemag!'],
    ['invisible characters', 'A\u200Bc\u0000me\u{E0041}', 'Acme'],
  ])('names and scopes with %s are shown as plain text', async (_what, name, shown) => {
    const names = { accountName: name, userName: name };
    const { edge } = await setUp({ names, asked: { applicationName: name, scopes: [name] } });
    const { body } = await show(edge);
    const text = String(body['text']);
    expect(text.split(shown).length - 1).toBeGreaterThanOrEqual(8);
    expect(text).not.toContain(name);
  });

  test('long names are cut, many scopes are counted, and none at all is said', async () => {
    const long = { accountName: 'x'.repeat(10_000), userName: '\u200B' };
    const scopes = Array.from({ length: 10_000 }, (_, at) => `scope-${at}.`);
    const many = String((await show((await setUp({ names: long, asked: { scopes } })).edge)).body['text']);
    expect(many.length).toBeLessThan(20_000);
    expect(many).toContain('<strong>—</strong>');
    expect(many).toContain('scope-49.');
    expect(many).toContain('and 9950 more');
    const none = await show((await setUp({ asked: { scopes: [] } })).edge);
    expect(none.body['text']).toContain('grants by default');
  });

  test('a vendor on this computer may redirect on this computer and to https', async () => {
    const { edge } = await setUp({ asked: { authorizeUrl: 'http://127.0.0.1:4000/authorize' } });
    expect((await show(edge)).headers.get('content-security-policy')).toContain(
      "form-action 'self' http://127.0.0.1:4000 http://127.0.0.1:* http://localhost:* https:;",
    );
  });

  test.each([
    ['an ended sign-in', { isPending: false }],
    ['a user or account that is gone', { names: null }],
  ])('%s has a page that says so, and no form', async (_what, o) => {
    const { edge } = await setUp(o);
    const { status, body, headers } = await show(edge);
    expect(status).toBe(400);
    expect(body['text']).toContain('This sign-in has ended');
    expect(body['text']).not.toContain('<form');
    expect(headers.getSetCookie()).toEqual([]);
  });

  test('an address that asks too often is told to wait, on every page, and nobody is asked', async () => {
    const { edge, called } = await setUp({ isCrowded: true });
    for (const answer of [
      await show(edge),
      await press(edge, await show(edge)),
      await back(edge, 'code=1'),
    ]) {
      expect(answer.status).toBe(429);
      expect(answer.headers.get('retry-after')).toBe('2');
      expect(answer.body['text']).toContain('Too many pages');
    }
    expect(called).toEqual([]);
  });
});

describe('the form', () => {
  test('it binds the sign-in to the browser and leads to the vendor, without a principal', async () => {
    const { edge, callers } = await setUp();
    const answer = await press(edge, await show(edge));
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      'https://vendor.example/authorize?state=1&x=a%20b',
    ]);
    expect(answer.headers.getSetCookie()).toEqual([
      `__Host-fairlead-sign-in-${STATE}=bind-1; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=300`,
    ]);
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(callers).toEqual([
      { kind: 'service', service: 'connections' },
      { kind: 'service', service: 'connections' },
    ]);
  });

  test('its cancel button ends the sign-in and leads nobody to the vendor', async () => {
    const { edge, called } = await setUp();
    const page = await show(edge);
    const answer = await press(edge, page, { 'sec-fetch-site': 'same-origin' }, { action: 'cancel' });
    const outcome = await follow(edge, answer);
    expect([outcome.status, outcome.body['text']]).toEqual([200, expect.stringContaining('You cancelled')]);
    expect(called).toEqual(['describe', 'cancel']);
    const forged = await press(edge, page, { cookie: '' }, { action: 'cancel' });
    expect([forged.status, called]).toEqual([403, ['describe', 'cancel', 'describe']]);
  });

  test('on plain http the cookies have their plain names and are not Secure: browsers would drop them', async () => {
    const { edge } = await setUp({ publicUrl: 'http://127.0.0.1:8080' });
    const page = await show(edge);
    expect(page.headers.getSetCookie()[0]).toMatch(
      new RegExp(`^fairlead-sign-in-form-${STATE}=\\w{43}; Path=/; HttpOnly; SameSite=Lax; Max-Age=300$`),
    );
    const [cookie] = (await press(edge, page)).headers.getSetCookie();
    expect(cookie).toBe(`fairlead-sign-in-${STATE}=bind-1; Path=/; HttpOnly; SameSite=Lax; Max-Age=300`);
  });

  test('a form without the page’s cookie, with another’s or without a token gets the page again', async () => {
    const { edge, called } = await setUp();
    const [mine, other] = [await show(edge), await show(edge)];
    const [foreign = ''] = other.headers.getSetCookie().map((set) => set.split(';')[0] ?? '');
    const stale = [
      await press(edge, mine, { cookie: '' }),
      await press(edge, mine, { cookie: foreign }),
      await press(edge, { ...mine, body: { text: '' } }),
    ];
    for (const answer of stale) {
      expect([answer.status, answer.headers.get('location')]).toEqual([403, null]);
      expect(answer.body['text']).toContain('Please confirm again');
      expect(answer.body['text']).toContain('Mara Owner');
    }
    expect(called).not.toContain('begin');
    const again = stale[0];
    expect(again && (await press(edge, again)).status).toBe(303);
  });

  test.each([
    ['of another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['of a sibling host', { 'sec-fetch-site': 'same-site' }, 403],
    ['of another origin, by an old browser', { origin: 'https://evil.example' }, 403],
    ['that is no form', { 'content-type': 'text/plain' }, 415],
  ] as const)('one %s is refused, with the right cookie too', async (_what, headers, status) => {
    const { edge, called } = await setUp();
    const answer = await press(edge, await show(edge), headers);
    expect(answer.status).toBe(status);
    expect(answer.body['text']).toContain('This form cannot be accepted');
    expect(called).not.toContain('begin');
  });

  test('a state cannot write into the cookie header or the page', async () => {
    const { edge } = await setUp();
    const hostile = `/connect/start/${encodeURIComponent('a; Domain=evil=\r\nx"><script>')}`;
    const { headers, body } = await call(edge, 'GET', hostile, { headers: {} });
    expect(headers.getSetCookie()[0]).toMatch(
      /^__Host-fairlead-sign-in-form-aDomainevilxscript=\w{43}; Path=\//,
    );
    expect(body['text']).not.toContain('<script');
  });
});
