import { ApiError } from '@fairlead/errors/api-error';
import { afterEach, describe, expect, test } from 'vitest';
import { WRONG_CODE_STATUS } from './device.page.ts';
import { testInteraction } from './testing/asked.ts';
import { PASSWORD, startPages, testMember, testPeople } from './testing/pages-edge.ts';
import type { PagesEdge } from './testing/pages-edge.ts';

const PAGE = '/oauth/interaction/int_1';
const MARA = { email: 'mara@test.example', password: PASSWORD };

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function open(o: Partial<Parameters<typeof startPages>[0]> = {}): Promise<PagesEdge> {
  const edge = await startPages({ interactions: [testInteraction()], ...o });
  closing.push(() => edge.close());
  return edge;
}

describe('signing in', () => {
  test('the right password continues as its user, and the browser is known from then on', async () => {
    const edge = await open();
    const answer = await edge.post(await edge.get(PAGE), { ...MARA, email: ' Mara@Test.example ' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/oauth/auth/int_1']);
    expect(edge.interactions.endings).toEqual([{ kind: 'login', userId: 'usr_1' }]);
    expect(answer.headers.getSetCookie()[0]).toMatch(/^fairlead-browser-/);
  });

  test('a wrong password and an unknown address get the same page, word for word', async () => {
    const edge = await open();
    const page = await edge.get(PAGE);
    const wrong = await edge.post(page, { ...MARA, password: 'not this one' });
    const unknown = await edge.post(page, { email: 'nobody@test.example', password: PASSWORD });
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    expect(unknown.text.replaceAll('nobody@test.example', MARA.email)).toBe(wrong.text);
    expect(wrong.text).not.toContain('not this one');
    expect(wrong.headers.getSetCookie()).toEqual([]);
  });

  test('passwords and addresses beyond all bounds are wrong without being checked', async () => {
    const verifyPassword = () => Promise.reject(new Error('checked'));
    const edge = await open({ deps: () => ({ people: { ...testPeople([]), verifyPassword } }) });
    const page = await edge.get(PAGE);
    expect((await edge.post(page, { ...MARA, password: 'x'.repeat(1025) })).status).toBe(401);
    expect((await edge.post(page, { ...MARA, email: `${'x'.repeat(255)}@a.example` })).status).toBe(401);
  });

  test('a form without one of them says so, and counts as no attempt', async () => {
    const edge = await open();
    const page = await edge.get(PAGE);
    for (let tries = 0; tries < 20; tries += 1) {
      const answer = await edge.post(page, { email: MARA.email, password: '' });
      expect([answer.status, answer.text.includes('Something is missing')]).toEqual([400, true]);
    }
  });

  test('after too many attempts it says how long to wait, by header too, and lets the owner in after it', async () => {
    const edge = await open();
    const page = await edge.get(PAGE);
    for (let slips = 0; slips < 6; slips += 1) await edge.post(page, { ...MARA, password: 'no' });
    const refused = await edge.post(page, MARA);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '120']);
    expect(refused.text).toContain('Wait 2 minutes, then try again.');
    edge.clock.advance(120_000);
    expect((await edge.post(page, MARA)).status).toBe(303);
  });

  test('a stranger’s failures elsewhere do not hold up the owner', async () => {
    const edge = await open();
    const page = await edge.get(PAGE);
    const stranger = { headers: { 'x-test-address': '198.51.100.9' } };
    for (let tries = 0; tries < 50; tries += 1)
      await edge.post(page, { ...MARA, password: 'guess' }, stranger);
    expect((await edge.post(page, MARA, stranger)).status).toBe(429);
    expect((await edge.post(page, MARA)).status).toBe(303);
  });

  test('strangers from everywhere do not hold up the owner in a browser that signed in before', async () => {
    const edge = await open({ interactions: [testInteraction(), testInteraction({ id: 'int_2' })] });
    const signedIn = await edge.post(await edge.get(PAGE), MARA);
    const [known = ''] = signedIn.headers.getSetCookie()[0]?.split(';') ?? [];
    const other = { cookie: 'interaction=int_2' };
    const page = await edge.get('/oauth/interaction/int_2', other);
    for (let place = 0; place < 40; place += 1) {
      const headers = { ...other, 'x-test-address': `198.51.100.${place}` };
      await edge.post(page, { ...MARA, password: 'guess' }, { headers });
    }
    expect((await edge.post(page, MARA, { headers: other })).status).toBe(429);
    const cookie = `${other.cookie}; ${known}`;
    expect((await edge.post(page, MARA, { headers: { cookie } })).status).toBe(303);
  });

  test('an inactive user learns of it after the right password, and only then', async () => {
    const edge = await open({ members: [testMember(1, { isActive: false })] });
    const page = await edge.get(PAGE);
    expect((await edge.post(page, { ...MARA, password: 'no' })).text).not.toContain('not active');
    const answer = await edge.post(page, MARA);
    expect([answer.status, answer.text.includes('You are not active in any account')]).toEqual([403, true]);
    expect(edge.interactions.endings).toEqual([]);
  });

  test('the address that the application proposes is filled in', async () => {
    const edge = await open({ interactions: [testInteraction({ loginHint: 'mara@test.example' })] });
    expect((await edge.get(PAGE)).text).toMatch(/name="email"\s+value="mara@test.example"/);
  });

  test('the consent page lets a person continue as another user', async () => {
    const edge = await open({ interactions: [testInteraction({ prompt: 'consent', userId: 'usr_9' })] });
    await edge.post(await edge.get(`${PAGE}/sign-in`), MARA);
    expect(edge.interactions.endings).toEqual([{ kind: 'login', userId: 'usr_1' }]);
  });

  test('neither password nor address nor interaction reaches the log, who signed in does', async () => {
    const edge = await open();
    const page = await edge.get(PAGE);
    await edge.post(page, { ...MARA, password: 'log-me-not' });
    await edge.post(page, MARA);
    await expect
      .poll(() => edge.lines().map(({ route, status, userId }) => [route, status, userId]))
      .toContainEqual(['/oauth/interaction/{interactionId}/sign-in', 303, 'usr_1']);
    expect(JSON.stringify(edge.lines())).not.toMatch(/log-me-not|mara@|int_1/);
  });
});

describe('several accounts', () => {
  const members = [testMember(1), testMember(2), testMember(3, { isActive: false })];

  test('a person with users in several active accounts is asked for the account, with none preselected', async () => {
    const edge = await open({ members });
    const choice = await edge.post(await edge.get(PAGE), MARA);
    expect(choice.text).toContain('Choose an account');
    for (const [name, isThere] of [
      ['Account 1', true],
      ['Account 2', true],
      ['Account 3', false],
    ] as const)
      expect(choice.text.includes(name)).toBe(isThere);
    expect(choice.text).not.toMatch(/<input[^>]*\schecked/);
    expect(edge.interactions.endings).toEqual([]);
    expect((await edge.post(choice, { user_id: 'usr_2' })).status).toBe(303);
    expect(edge.interactions.endings).toEqual([{ kind: 'login', userId: 'usr_2' }]);
  });

  test('a form without a choice, or with another person’s user, asks again', async () => {
    const edge = await open({ members: [...members, testMember(4, { email: 'other@test.example' })] });
    const choice = await edge.post(await edge.get(PAGE), MARA);
    for (const fields of [{}, { user_id: 'usr_4' }, { user_id: 'usr_3' }]) {
      const again = await edge.post(choice, fields);
      expect([again.status, again.text.includes('No account selected')]).toEqual([400, true]);
    }
    expect(edge.interactions.endings).toEqual([]);
  });

  test('an account can be chosen only after sign-in, and for five minutes', async () => {
    const edge = await open({ members });
    const page = await edge.get(PAGE);
    const choice = await edge.post(page, MARA);
    const forged = await edge.post(page, { user_id: 'usr_2', ticket: 'x.y' }, { to: `${PAGE}/account` });
    expect(forged.status).toBe(403);
    edge.clock.advance(300_000);
    expect((await edge.post(choice, { user_id: 'usr_2' })).status).toBe(403);
    expect(edge.interactions.endings).toEqual([]);
  });

  test('an application of one account continues in that account', async () => {
    const client = { kind: 'account', accountId: 'acc_2' } as const;
    const edge = await open({ members, interactions: [testInteraction({ client })] });
    await edge.post(await edge.get(PAGE), MARA);
    expect(edge.interactions.endings).toEqual([{ kind: 'login', userId: 'usr_2' }]);
  });

  test('it refuses users of other accounts, at sign-in and at consent', async () => {
    const client = { kind: 'account', accountId: 'acc_9' } as const;
    const signingIn = await open({ members, interactions: [testInteraction({ client })] });
    const answer = await signingIn.post(await signingIn.get(PAGE), MARA);
    expect([answer.status, answer.text.includes('belongs to another account')]).toEqual([403, true]);
    const asked = testInteraction({ client, prompt: 'consent', userId: 'usr_1' });
    const consenting = await open({ members, interactions: [asked] });
    expect((await consenting.get(PAGE)).text).toContain('belongs to another account');
  });
});

describe('consent', () => {
  const asked = testInteraction({
    prompt: 'consent',
    userId: 'usr_1',
    scopes: ['tools.execute', 'administration'],
  });

  test('allowing grants what was asked for in the account that was shown', async () => {
    const edge = await open({ interactions: [asked] });
    const answer = await edge.post(await edge.get(PAGE), {});
    expect(answer.status).toBe(303);
    expect(edge.interactions.endings).toEqual([
      {
        kind: 'consent',
        consent: { accountId: 'acc_1', scopes: ['tools.execute', 'administration'] },
      },
    ]);
  });

  test('denying tells the application', async () => {
    const edge = await open({ interactions: [asked] });
    const answer = await edge.post(await edge.get(PAGE), {}, { to: `${PAGE}/deny` });
    expect([answer.status, edge.interactions.endings]).toEqual([303, [{ kind: 'denied' }]]);
  });

  test('a page that was shown to another user grants nothing and asks again', async () => {
    const edge = await open({ interactions: [asked], members: [testMember(1), testMember(2)] });
    const answer = await edge.post(await edge.get(PAGE), { user_id: 'usr_2' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, PAGE]);
    expect(edge.interactions.endings).toEqual([]);
  });

  test('before anybody has signed in nothing is granted', async () => {
    const edge = await open();
    const page = await edge.get(PAGE);
    const answer = await edge.post(page, { user_id: 'usr_1' }, { to: `${PAGE}/consent` });
    expect([answer.headers.get('location'), edge.interactions.endings]).toEqual([PAGE, []]);
  });

  test('a user who was switched off meanwhile is asked to sign in', async () => {
    const edge = await open({ interactions: [asked], members: [testMember(1, { isActive: false })] });
    const page = await edge.get(PAGE);
    expect([page.status, page.text.includes('You are not active')]).toEqual([403, true]);
    await edge.post(page, { user_id: 'usr_1' }, { to: `${PAGE}/consent` });
    expect(edge.interactions.endings).toEqual([]);
  });
});

describe('forms of others', () => {
  const paths = ['sign-in', 'account', 'consent', 'deny'];
  const asked = testInteraction({ prompt: 'consent', userId: 'usr_1' });

  test.each(paths)(
    '%s without our token, or with that of another interaction, does nothing',
    async (path) => {
      const other = testInteraction({ id: 'int_2', prompt: 'consent', userId: 'usr_1' });
      const edge = await open({ interactions: [asked, other] });
      const mine = await edge.get(PAGE);
      const others = await edge.get('/oauth/interaction/int_2', { cookie: 'interaction=int_2' });
      const fields = { ...MARA, user_id: 'usr_1' };
      await edge.post(mine, { ...fields, form_token: '' }, { to: `${PAGE}/${path}` });
      await edge.post(others, fields, { to: `${PAGE}/${path}` });
      expect(edge.interactions.endings).toEqual([]);
    },
  );

  test.each([
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'same-site' }, 403],
    [{ origin: 'https://evil.example' }, 403],
    [{ 'content-type': 'application/json' }, 415],
    [{ 'content-type': 'text/plain' }, 415],
    [{ 'content-type': 'multipart/form-data; boundary=x' }, 415],
    [{ 'sec-fetch-site': 'same-origin', origin: 'null' }, 303],
    [{ origin: 'null' }, 303],
    [{ origin: 'https://fairlead.example' }, 303],
  ])('a form with the token and %j: %i', async (headers, status) => {
    const edge = await open();
    const answer = await edge.post(await edge.get(PAGE), MARA, { headers });
    expect(answer.status).toBe(status);
    expect(edge.interactions.endings).toHaveLength(status === 303 ? 1 : 0);
  });

  test('a form beyond all bounds is not read', async () => {
    const edge = await open();
    const answer = await edge.post(await edge.get(PAGE), { ...MARA, more: 'x'.repeat(20_000) });
    expect(answer.status).toBe(413);
    expect(edge.interactions.endings).toEqual([]);
  });
});

describe('addresses', () => {
  test('the page of another browser’s interaction, or of an ended one, explains that, with the request’s id', async () => {
    const edge = await open();
    for (const path of [PAGE, `${PAGE}/sign-in`]) {
      const answer = await edge.get(path, { cookie: '' });
      expect([answer.status, answer.text.includes('This sign-in has ended')]).toEqual([400, true]);
      expect(answer.text).toContain(answer.headers.get('x-request-id') ?? 'no id');
    }
    const page = await edge.get(PAGE);
    await edge.post(page, MARA);
    expect((await edge.post(page, MARA)).status).toBe(400);
  });

  test('HEAD, which link checkers send, and other methods use nothing up', async () => {
    const edge = await open();
    for (const method of ['HEAD', 'PUT']) {
      const answer = await fetch(edge.url + PAGE, { method, headers: { cookie: 'interaction=int_1' } });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET']);
    }
  });

  test('what is not there is a page too, and what is not the pages’ is left to the authorization server', async () => {
    const edge = await open({ otherwise: () => 418 });
    expect((await edge.get(`${PAGE}/elsewhere`)).text).toContain('Page not found');
    expect((await edge.get(`${PAGE}/upstream`)).status).toBe(404);
    expect((await edge.get('/oauth/upstream/callback')).status).toBe(404);
    expect((await edge.get('/oauth/token')).status).toBe(418);
  });

  test.each([
    [new ApiError('UNAVAILABLE', 'secret detail'), 503, 'Please try again'],
    [new Error('secret detail'), 500, 'Something went wrong'],
  ])('%s becomes a page that shows no detail', async (failure, status, title) => {
    const verifyPassword = () => Promise.reject(failure);
    const edge = await open({ deps: () => ({ people: { ...testPeople([]), verifyPassword } }) });
    const answer = await edge.post(await edge.get(PAGE), MARA);
    expect([answer.status, answer.text.includes(title)]).toEqual([status, true]);
    expect(answer.text).not.toContain('secret detail');
    expect(answer.text).toContain(answer.headers.get('x-request-id') ?? 'no id');
  });
});

describe('device codes', () => {
  test('guesses are slowed down, whatever the authorization server would say', async () => {
    let status = WRONG_CODE_STATUS;
    let asked = 0;
    const edge = await open({
      otherwise: () => {
        asked += 1;
        return status;
      },
    });
    const page = await edge.get(PAGE);
    const enter = () => edge.post(page, { user_code: 'BCDF-GHJK' }, { to: '/oauth/device' });
    for (let guesses = 0; guesses < 10; guesses += 1) expect((await enter()).status).toBe(WRONG_CODE_STATUS);
    status = 200;
    const refused = await enter();
    expect([refused.status, refused.headers.get('retry-after'), asked]).toEqual([429, '30', 10]);
    edge.clock.advance(30_000);
    for (let right = 0; right < 20; right += 1) expect((await enter()).status).toBe(200);
  });
});

describe('with the database away', () => {
  test('a device code is not passed on uncounted: a page asks to try again', async () => {
    const throttle = {
      signIn: () => Promise.reject(new Error('unused')),
      userCode: () => Promise.reject(new ApiError('UNAVAILABLE', 'away')),
    };
    const edge = await open({ deps: () => ({ throttle }), otherwise: () => 200 });
    const answer = await edge.post(await edge.get(PAGE), {}, { to: '/oauth/device' });
    expect([answer.status, answer.text.includes('Please try again')]).toEqual([503, true]);
  });
});

describe('signing out', () => {
  test('it asks first, and a form of another site does nothing', async () => {
    const edge = await open();
    edge.interactions.sessionUserId = 'usr_1';
    const page = await edge.get('/oauth/sign-out');
    expect(page.text).toContain('Sign out?');
    const forged = { headers: { 'sec-fetch-site': 'cross-site' } };
    expect((await edge.post(page, {}, forged)).status).toBe(403);
    expect((await edge.post(page, { form_token: 'x' })).text).toContain('Sign out?');
    expect(edge.interactions.sessionUserId).toBe('usr_1');
    expect((await edge.post(page, {})).text).toContain('You are signed out');
    expect(edge.interactions.sessionUserId).toBeUndefined();
  });

  test('it says so if no user is signed in', async () => {
    const edge = await open();
    expect((await edge.get('/oauth/sign-out')).text).toContain('You are signed out');
  });
});
