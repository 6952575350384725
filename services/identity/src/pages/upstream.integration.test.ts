import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Member } from '../domain/records.ts';
import type { InteractionDetails } from '../oauth/interactions.ts';
import { upstreamLinkCollection } from '../storage/upstream-link.collection.ts';
import { upstreamSignInCollection } from '../storage/upstream-sign-in.collection.ts';
import { upstreamRepository } from '../storage/upstream.repository.ts';
import { testInteraction } from './testing/asked.ts';
import { PASSWORD, startPages, testMember } from './testing/pages-edge.ts';
import type { PagesEdge, PageResponse } from './testing/pages-edge.ts';
import { startUpstreamIdp } from './testing/upstream-idp.ts';
import type { UpstreamIdp } from './testing/upstream-idp.ts';
import { createUpstreamProvider } from './upstream-provider.ts';
import { ManualClock } from '@fairlead/service-kit/clock';

const PAGE = '/oauth/interaction/int_1';
const MARA = { sub: 'mara-at-upstream', email: 'Mara@Test.example' };

let store: MongoStore & { drop(): Promise<void> };
const closing: (() => Promise<void>)[] = [];
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), [upstreamLinkCollection, upstreamSignInCollection]);
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await store.collection(upstreamLinkCollection).deleteMany({});
});
afterAll(() => store.drop());

interface Setup {
  readonly edge: PagesEdge;
  readonly idp: UpstreamIdp;
  readonly clock: ManualClock;
}

async function setUp(
  o: {
    readonly members?: readonly Member[];
    readonly interactions?: readonly InteractionDetails[];
    readonly claimsInIdToken?: boolean;
    readonly authentication?: 'client_secret_basic' | 'client_secret_post';
  } = {},
): Promise<Setup> {
  const clock = new ManualClock(new Date());
  let address = '';
  const idp = await startUpstreamIdp({ redirectUri: () => `${address}/oauth/upstream/callback`, ...o });
  const edge = await startPages({
    interactions: o.interactions ?? [testInteraction()],
    ...(o.members !== undefined && { members: o.members }),
    deps: (publicUrl) => ({
      publicUrl,
      clock,
      upstream: {
        provider: createUpstreamProvider({ settings: idp.settings, clock }),
        store: upstreamRepository({ store, clock }),
      },
    }),
  });
  address = edge.url;
  closing.push(
    () => edge.close(),
    () => idp.close(),
  );
  return { edge, idp, clock };
}

/** The cookies of a browser, by name. */
type Cookies = Map<string, string>;

/** Starts the upstream sign-in: returns the provider's address and the browser's cookies. */
async function leave({ edge }: Setup): Promise<{ readonly url: URL; readonly cookies: Cookies }> {
  const answer = await edge.get(`${PAGE}/upstream`);
  const cookies: Cookies = new Map([['interaction', 'int_1']]);
  keep(cookies, answer.headers);
  return { url: new URL(answer.headers.get('location') ?? ''), cookies };
}

function keep(cookies: Cookies, headers: Headers): void {
  for (const line of headers.getSetCookie()) {
    const [pair = ''] = line.split(';');
    const [name = '', value = ''] = pair.split('=');
    if (line.includes('Max-Age=0')) cookies.delete(name);
    else cookies.set(name, value);
  }
}

/** Follows the provider's redirects; returns the address to which it sends the browser back. */
async function through(start: URL): Promise<URL> {
  const cookies: Cookies = new Map();
  let url = start;
  for (let hops = 0; hops < 10; hops += 1) {
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie: headerOf(cookies) } });
    keep(cookies, answer.headers);
    url = new URL(answer.headers.get('location') ?? '', url);
    if (url.pathname.endsWith('/callback')) return url;
  }
  throw new Error('The provider sent nobody back.');
}

const headerOf = (cookies: Cookies): string =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');

/** Returns to us, and follows redirects to the final page. */
async function comeBack({ edge }: Setup, callback: URL, cookies: Cookies): Promise<PageResponse> {
  const path = callback.pathname + callback.search;
  const answer = await edge.get(path, { cookie: headerOf(cookies) });
  keep(cookies, answer.headers);
  const location = answer.headers.get('location');
  return location === null ? answer : edge.get(location, { cookie: headerOf(cookies) });
}

/** A complete upstream sign-in. */
async function signIn(setup: Setup): Promise<PageResponse> {
  const { url, cookies } = await leave(setup);
  return comeBack(setup, await through(url), cookies);
}

describe('signing in with the upstream provider', () => {
  test.each([
    [{ claimsInIdToken: false, authentication: 'client_secret_basic' }],
    [{ claimsInIdToken: true, authentication: 'client_secret_post' }],
  ] as const)('a person whose verified address a user has goes on as that user (%j)', async (kind) => {
    const setup = await setUp(kind);
    setup.idp.person = MARA;
    expect((await setup.edge.get(PAGE)).text).toMatch(
      /<a[^>]*href="[^"]*\/upstream"[^>]*>Continue with Example ID</,
    );
    const answer = await signIn(setup);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/oauth/auth/int_1']);
    expect(setup.edge.interactions.endings).toEqual([{ kind: 'login', userId: 'usr_1' }]);
  });

  test('it asks with PKCE, nonce and state, and keeps none of them where the database could tell', async () => {
    const setup = await setUp();
    const { url, cookies } = await leave(setup);
    const sent = url.searchParams;
    expect(sent.get('code_challenge_method')).toBe('S256');
    expect([sent.get('response_type'), sent.get('scope')]).toEqual(['code', 'openid email']);
    const kept = JSON.stringify(await store.collection(upstreamSignInCollection).find().toArray());
    cookies.delete('interaction');
    const secrets = [sent.get('state'), sent.get('nonce'), sent.get('code_challenge'), ...cookies.values()];
    expect(secrets.filter((secret) => secret === null || kept.includes(secret))).toEqual([]);
    expect(cookies.size).toBe(1);
  });

  test('from then on the identity counts and not the address, which may change on both sides', async () => {
    const first = await setUp();
    first.idp.person = MARA;
    await signIn(first);
    const later = await setUp({ members: [testMember(1, { email: 'married@test.example' })] });
    // Another process of the same provider: links name the issuer, not the process.
    await store
      .collection(upstreamLinkCollection)
      .updateMany({}, { $set: { issuer: later.idp.settings.issuer.origin } });
    later.idp.person = { sub: MARA.sub, email: 'new@test.example', isVerified: false };
    await signIn(later);
    expect(later.edge.interactions.endings).toEqual([{ kind: 'login', userId: 'usr_1' }]);
  });

  test('an address that was given to another person does not sign in as the previous one', async () => {
    const setup = await setUp({ interactions: [testInteraction(), testInteraction({ id: 'int_2' })] });
    setup.idp.person = MARA;
    await signIn(setup);
    const other = await setUp();
    await store
      .collection(upstreamLinkCollection)
      .updateMany({}, { $set: { issuer: other.idp.settings.issuer.origin } });
    other.idp.person = { ...MARA, sub: 'newcomer-at-upstream' };
    const page = await signIn(other);
    expect([page.status, page.text.includes('No user matches this sign-in')]).toEqual([403, true]);
    expect(other.edge.interactions.endings).toEqual([]);
  });

  test.each([
    ['an address that the provider has not verified', { ...MARA, isVerified: false }],
    ['no address', { sub: MARA.sub }],
    ['an address of no user here', { ...MARA, email: 'stranger@test.example' }],
  ])('%s creates no user; the page says so and still offers the password', async (_name, person) => {
    const setup = await setUp();
    setup.idp.person = person;
    const page = await signIn(setup);
    expect([page.status, page.text.includes('No user matches this sign-in')]).toEqual([403, true]);
    expect(page.text).toContain('name="password"');
    expect(setup.edge.interactions.endings).toEqual([]);
    expect(await store.collection(upstreamLinkCollection).countDocuments()).toBe(0);
  });

  test('a user who is switched off is not opened', async () => {
    const setup = await setUp({ members: [testMember(1, { isActive: false })] });
    setup.idp.person = MARA;
    expect((await signIn(setup)).status).toBe(403);
    expect(setup.edge.interactions.endings).toEqual([]);
  });

  test('a person with users in several accounts is asked for the account', async () => {
    const setup = await setUp({ members: [testMember(1), testMember(2)] });
    setup.idp.person = MARA;
    const page = await signIn(setup);
    expect(page.text).toContain('Choose an account');
    await setup.edge.post(page, { user_id: 'usr_2' });
    expect(setup.edge.interactions.endings).toEqual([{ kind: 'login', userId: 'usr_2' }]);
  });

  test('a refusal by the provider is shown without the provider’s own text', async () => {
    const setup = await setUp();
    const page = await signIn(setup);
    expect([page.status, page.text.includes('Example ID did not sign you in')]).toEqual([400, true]);
    expect(page.text).not.toContain('no&lt;/b&gt;');
    expect(page.text).toContain('name="password"');
  });
});

describe('the way back', () => {
  test('it works once', async () => {
    const setup = await setUp({ interactions: [testInteraction()] });
    setup.idp.person = { ...MARA, isVerified: false };
    const { url, cookies } = await leave(setup);
    const callback = await through(url);
    const copy = new Map(cookies);
    await comeBack(setup, callback, cookies);
    const again = await comeBack(setup, callback, copy);
    expect([again.status, again.text.includes('This sign-in has ended')]).toEqual([400, true]);
  });

  test('of two at once one gets through', async () => {
    const setup = await setUp();
    setup.idp.person = MARA;
    const { url, cookies } = await leave(setup);
    const path = await through(url).then(({ pathname, search }) => pathname + search);
    const answers = await Promise.all([1, 2].map(() => setup.edge.get(path, { cookie: headerOf(cookies) })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 400]);
  });

  test('another browser, which never left, is not let in', async () => {
    const setup = await setUp();
    setup.idp.person = MARA;
    const { url } = await leave(setup);
    const callback = await through(url);
    for (const cookies of [new Map(), new Map([['interaction', 'int_1']])]) {
      expect((await comeBack(setup, callback, cookies)).status).toBe(400);
    }
    expect(setup.edge.interactions.endings).toEqual([]);
  });

  test('it is over after five minutes', async () => {
    const setup = await setUp();
    setup.idp.person = MARA;
    const { url, cookies } = await leave(setup);
    const callback = await through(url);
    setup.clock.advance(5 * 60_000);
    expect((await comeBack(setup, callback, cookies)).status).toBe(400);
    expect(setup.edge.interactions.endings).toEqual([]);
  });

  test('a code of another sign-in is refused: nonce and verifier do not fit', async () => {
    const setup = await setUp();
    setup.idp.person = MARA;
    const stolen = await through((await leave(setup)).url);
    const { url, cookies } = await leave(setup);
    const callback = await through(url);
    callback.searchParams.set('code', stolen.searchParams.get('code') ?? '');
    const page = await comeBack(setup, callback, cookies);
    expect(page.text).toContain('Example ID did not sign you in');
    expect(setup.edge.interactions.endings).toEqual([]);
  });

  test('the end of it, shown to another interaction, opens nothing', async () => {
    const other = testInteraction({ id: 'int_2' });
    const setup = await setUp({ interactions: [testInteraction(), other] });
    setup.idp.person = MARA;
    const { url, cookies } = await leave(setup);
    const callback = await through(url);
    const { headers } = await setup.edge.get(callback.pathname + callback.search, {
      cookie: headerOf(cookies),
    });
    const done = (headers.get('location') ?? '').replace('int_1', 'int_2');
    const page = await setup.edge.get(done, { cookie: 'interaction=int_2' });
    expect([page.status, page.text.includes('That took too long')]).toEqual([400, true]);
    expect(setup.edge.interactions.endings).toEqual([]);
  });
});

describe('with the provider unreachable', () => {
  test('leaving for it shows the sign-in page, on which the password still works, and is tried anew', async () => {
    const setup = await setUp();
    setup.idp.isDown = true;
    const page = await setup.edge.get(`${PAGE}/upstream`);
    expect([page.status, page.text.includes('Example ID is not responding')]).toEqual([503, true]);
    setup.idp.isDown = false;
    expect((await leave(setup)).url.origin).toBe(setup.idp.settings.issuer.origin);
    expect((await setup.edge.post(page, { email: 'mara@test.example', password: PASSWORD })).status).toBe(
      303,
    );
  });

  test('a browser that returns while it is unreachable sees the same message', async () => {
    const setup = await setUp();
    setup.idp.person = MARA;
    const { url, cookies } = await leave(setup);
    const callback = await through(url);
    setup.idp.isDown = true;
    const page = await comeBack(setup, callback, cookies);
    expect([page.status, page.text.includes('Example ID is not responding')]).toEqual([503, true]);
    expect(page.text).toContain('name="password"');
  });

  test('it is asked for its metadata once an hour', async () => {
    const setup = await setUp();
    for (let times = 0; times < 3; times += 1) await leave(setup);
    expect(setup.idp.discoveries).toBe(1);
    setup.clock.advance(61 * 60_000);
    await leave(setup);
    expect(setup.idp.discoveries).toBe(2);
  });
});

describe('links', () => {
  test('one identity links a user once, however often at once; another identity does not get the user', async () => {
    const links = upstreamRepository({ store, clock: new ManualClock(new Date()) });
    const [identity, other] = ['a', 'b'].map((subject) => ({ issuer: 'https://id.example', subject }));
    if (identity === undefined || other === undefined) throw new Error('two identities');
    const user = { userId: 'usr_1', accountId: 'acc_1' };
    const results = await Promise.all(Array.from({ length: 8 }, () => links.link(identity, user)));
    expect(results).toEqual(Array.from({ length: 8 }, () => true));
    expect(await links.link(other, user)).toBe(false);
    expect(await store.collection(upstreamLinkCollection).countDocuments()).toBe(1);
  });
});
