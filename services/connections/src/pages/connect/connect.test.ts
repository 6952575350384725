import { ApiError, validationError } from '@fairlead/errors/api-error';
import { afterEach, describe, expect, test } from 'vitest';
import { callHttp as call } from '@fairlead/service-kit/testing/http';
import { connection, NOW } from '../../testing/builders.ts';
import type { UseCaseOverrides } from '../../testing/connect-pages.ts';
import {
  closeAll,
  EVIL,
  KEY_METHOD,
  PATH,
  press,
  readable,
  setUp,
  show,
  textOf,
  TOKEN,
} from '../../testing/connect-pages.ts';

afterEach(closeAll);

describe('the address of a session', () => {
  test('gives the browser a cookie for the token and leads on to an address without it; nobody logs it', async () => {
    const { edge, calls } = await setUp();
    const answer = await call(edge, 'GET', `/connect/session/${TOKEN}?display=popup`, {
      headers: {},
    });
    expect([answer.status, answer.headers.get('location'), answer.headers.get('referrer-policy')]).toEqual([
      303,
      PATH,
      'no-referrer',
    ]);
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        new RegExp(
          `^__Host-fairlead-connect-cs_1=${TOKEN}~popup; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=1[78]\\d\\d$`,
        ),
      ),
    ]);
    const head = await call(edge, 'HEAD', `/connect/session/${TOKEN}`, { headers: {} });
    expect([head.status, calls]).toEqual([303, []]);
    await expect.poll(() => edge.lines().some(({ method }) => method === 'HEAD')).toBe(true);
    expect(JSON.stringify(edge.lines())).not.toContain(TOKEN);
  });

  test.each([
    ['an unknown token', 'cst_other', undefined],
    ['a user who is gone', TOKEN, null],
  ])('says that it has ended for %s', async (_what, token, names) => {
    const { edge } = await setUp(names === null ? { names } : {});
    const answer = await call(edge, 'GET', `/connect/session/${token}`, { headers: {} });
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([404, []]);
    expect(readable(answer)).toContain('This link has ended');
  });

  test('it has ended, for an open page too, once the opener’s key is revoked or they may not do what it does', async () => {
    const { edge, now, calls } = await setUp({ session: { mayUseProviders: true } });
    const allowed = now.opener;
    for (const missing of ['connections.write', 'authProviders.use']) {
      now.opener = { ...allowed, permissions: allowed.permissions.filter((each) => each !== missing) };
      expect([(await show(edge)).status, (await press(edge, {})).status]).toEqual([404, 404]);
    }
    now.opener = allowed;
    expect((await show(edge)).status).toBe(200);
    const revoked = (await setUp({ session: { keyId: 'key_2' } })).edge;
    expect((await show(revoked)).status).toBe(404);
    expect(calls.map(([name]) => name)).not.toContain('connect');
  });

  test('a limit that was lowered meanwhile holds: nothing more is connected, and the page says why', async () => {
    const { edge, now, calls } = await setUp();
    const form_token = /name="form_token" value="([^"]*)"/.exec(textOf(await show(edge)))?.[1] ?? '';
    // 20 were allowed, 17 are there.
    now.opener = { ...now.opener, maxConnectionsPerEndUser: 17 };
    const answer = await press(edge, { form_token });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, PATH]);
    expect(readable(await show(edge))).toContain('No more connections are possible');
    expect(calls.map(([name]) => name)).not.toContain('connect');
  });

  test('the cookie of a long session lasts a day, and minutes once the session is over', async () => {
    const expiresAt = new Date(NOW.getTime() + 7 * 86_400_000);
    const { edge, now } = await setUp({ session: { expiresAt } });
    const open = () => call(edge, 'GET', `/connect/session/${TOKEN}`, { headers: {} });
    expect((await open()).headers.getSetCookie()[0]).toMatch(/; Max-Age=86400$/);
    expect((await show(edge)).headers.getSetCookie()).toEqual([]);
    now.isUsable = false;
    for (const answer of [await open(), await show(edge)])
      expect(answer.headers.getSetCookie()).toEqual([expect.stringMatching(/=cst_\w+; .*; Max-Age=300$/)]);
  });

  test('a browser without its cookie is asked to open the link again, also with another session’s', async () => {
    const { edge } = await setUp();
    for (const cookie of ['', `__Host-fairlead-connect-cs_2=${TOKEN}`]) {
      const answer = await show(edge, '', { cookie });
      expect(answer.status).toBe(403);
      expect(readable(answer)).toContain('open the link once more');
    }
    const other = await call(edge, 'GET', '/connect/sessions/cs_2', {
      headers: { cookie: `__Host-fairlead-connect-cs_2=${TOKEN}` },
    });
    expect(other.status).toBe(403);
  });

  test('too many pages from one network, and a service that is away', async () => {
    const crowded = await show((await setUp({ isCrowded: true })).edge);
    expect([crowded.status, crowded.headers.get('retry-after')]).toEqual([429, '2']);
    const replaced = { getConnectApplication: () => Promise.reject(new ApiError('UNAVAILABLE', 'away')) };
    const away = await show((await setUp({ replaced })).edge);
    expect([away.status, readable(away)]).toEqual([503, expect.stringContaining('Please try again')]);
  });
});

describe('a form of fields', () => {
  test('says who asks for what, and has a labelled control for each field; nothing loads, runs or frames', async () => {
    const { edge, calls } = await setUp();
    const answer = await show(edge);
    for (const shown of [
      'Mara at Acme asks you to connect Sandbox CRM',
      'Continue only if you know Acme',
      'Connect Sandbox CRM',
      'Label of apiToken',
      'Europe',
      'Other ways to connect',
      'Sign in with Sandbox CRM',
    ])
      expect(readable(answer).replaceAll(' ,', ',')).toContain(shown);
    expect(textOf(answer)).toMatch(/<input\s+type="password"[^>]*name="field.apiToken"[^>]*required/);
    expect(textOf(answer)).not.toContain(TOKEN);
    expect(answer.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; img-src 'self'; base-uri 'none'; form-action 'self' https:\/\/fairlead\.example https:; frame-ancestors 'none'$/,
    );
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    });
    expect(calls).toEqual([
      [
        'application',
        'sandbox-crm',
        { kind: 'endUserSession', accountId: 'acc_1', endUserId: 'customer-1', sessionId: 'cs_1' },
      ],
    ]);
  });

  test('sends what was entered, in the type of each field, and leads to the end', async () => {
    const { edge, calls } = await setUp();
    const answer = await press(edge, {
      'field.apiToken': 's3cret',
      'field.region': 'eu',
      'field.port': '8443',
      'field.verbose': 'true',
      'field.tenant': ' ',
      'field.unknown': 'x',
    });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, PATH]);
    expect(calls.at(-1)?.[1]).toMatchObject({
      fields: { apiToken: 's3cret', region: 'eu', port: 8443, verbose: true },
      authenticationId: 1,
    });
    expect(readable(await show(edge))).toContain('You are connected');
  });

  test('shows at the field what is wrong, keeps what was entered, and shows no secret', async () => {
    const issue = `must match ${EVIL}`;
    const replaced: UseCaseOverrides = {
      connectApplication: () => Promise.reject(validationError({ field: 'fields.tenant', issue })),
    };
    const { edge } = await setUp({ replaced });
    const entered = { 'field.apiToken': 's3cret', 'field.tenant': EVIL, 'field.region': 'us' };
    const answer = await press(edge, entered);
    expect(answer.status).toBe(400);
    expect(textOf(answer)).not.toMatch(/<img|s3cret/);
    expect(textOf(answer)).toMatch(/id="field-4-issue"[^>]*>[^]*must match &lt;img/);
    expect(textOf(answer)).toMatch(/aria-describedby="field-4-hint field-4-issue" aria-invalid="true"/);
    expect(textOf(answer)).toMatch(/value="us"\s+selected/);
    expect(textOf(answer)).toContain('<title>Problem: Connect Sandbox CRM · Acme</title>');
    const missing = await press(edge, { 'field.port': 'many' });
    expect(readable(missing)).toContain('This field is required.');
    expect(readable(missing)).toContain('must be a number');
  });

  test.each([
    ['the vendor’s refusal', { refusal: EVIL }, 400, 'The connection did not succeed'],
    ['a service that is away', new ApiError('UNAVAILABLE', 'away'), 503, 'Please try again'],
  ] as const)('shows %s above the form, escaped', async (_what, outcome, status, shown) => {
    const connectApplication: UseCaseOverrides['connectApplication'] = () =>
      outcome instanceof ApiError ? Promise.reject(outcome) : Promise.resolve(outcome);
    const { edge } = await setUp({ replaced: { connectApplication } });
    const answer = await press(edge, { 'field.apiToken': 's3cret' });
    expect([answer.status, readable(answer)]).toEqual([status, expect.stringContaining(shown)]);
    expect(textOf(answer)).not.toContain('<img');
  });

  test.each([
    ['of another site', { 'sec-fetch-site': 'cross-site' }, {}, 403],
    ['with another token', {}, { form_token: 'x' }, 403],
    ['of another type', { 'content-type': 'text/plain' }, {}, 415],
  ])('a form %s connects nothing', async (_what, headers, fields, status) => {
    const { edge, calls } = await setUp();
    const answer = await press(edge, { 'field.apiToken': 's3cret', ...fields }, headers);
    expect(answer.status).toBe(status);
    expect(calls.filter(([name]) => name === 'connect')).toEqual([]);
  });

  test('the limit of connections is said, before and after an attempt', async () => {
    const full = { remainingConnections: 0 };
    const before = await show((await setUp({ resolved: full })).edge);
    expect(readable(before)).toContain('as many connections as Acme allows');
    const replaced: UseCaseOverrides = {
      connectApplication: () => Promise.reject(new ApiError('CONFLICT', 'full')),
    };
    const { edge, now } = await setUp({ replaced });
    const answer = await press(edge, { 'field.apiToken': 's3cret' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, PATH]);
    Object.assign(now, full);
    expect(readable(await show(edge))).toContain('No more connections are possible');
  });

  test('a renewal says which connection, offers its method only, and needs no room', async () => {
    const renews = connection({ applicationSlug: 'sandbox-crm', connectionName: 'My CRM' });
    const { edge } = await setUp({
      session: { connectionId: 7, applicationSlugs: [] },
      resolved: { renews, remainingConnections: 0 },
      methods: [KEY_METHOD],
    });
    const text = readable(await show(edge));
    for (const shown of ['Reconnect Sandbox CRM', 'renew the connection My CRM'])
      expect(text).toContain(shown);
    expect(text).not.toContain('Other ways');
    const gone = await setUp({ session: { connectionId: 7 } });
    expect(readable(await show(gone.edge))).toContain('The connection no longer exists');
  });
});
