import { ApiError } from '@fairlead/errors/api-error';
import { afterEach, describe, expect, test } from 'vitest';
import { callHttp as call } from '@fairlead/service-kit/testing/http';
import type { Answer, TestHttpService } from '@fairlead/service-kit/testing/http';
import type { UseCaseOverrides } from '../../testing/connect-pages.ts';
import {
  closeAll,
  COOKIE,
  ENDED,
  EVIL,
  PATH,
  press,
  readable,
  setUp,
  show,
  STATE,
  textOf,
} from '../../testing/connect-pages.ts';
import { NOW } from '../../testing/builders.ts';
import type { ConnectSession } from '../../domain/connect-session.ts';

afterEach(closeAll);

describe('a sign-in', () => {
  const signIn = (edge: TestHttpService, more: Record<string, string> = {}) =>
    press(edge, { method: '0', 'field.subdomain': 'acme', ...more });
  const back = (edge: TestHttpService, cookie: string) =>
    call(edge, 'GET', `/connect/callback?code=c&state=${STATE}`, { headers: { cookie } });
  const BOUND = `${COOKIE}; __Host-fairlead-sign-in-${STATE}=bind-1`;
  /** Opens the address to which a response redirects, by default in the browser that got the response. */
  const followed = (
    edge: TestHttpService,
    { headers }: Answer,
    cookie = [COOKIE, ...headers.getSetCookie()].map((set) => set.split(';')[0]).join('; '),
  ) => call(edge, 'GET', headers.get('location') ?? '', { headers: { cookie } });

  test('names the scopes, and leads to the vendor with the fields that its address needs', async () => {
    const { edge, calls } = await setUp();
    const text = readable(await show(edge, '?method=0'));
    for (const shown of ['See contacts', 'crm.write', 'Label of subdomain', 'Continue only if you know Acme'])
      expect(text).toContain(shown);
    expect(text).not.toContain('crm.read');
    const answer = await signIn(edge);
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      'https://vendor.example/authorize?state=1',
    ]);
    expect(answer.headers.getSetCookie()[0]).toMatch(
      `__Host-fairlead-sign-in-${STATE}=bind-1; Path=/; HttpOnly`,
    );
    expect(calls.at(-1)?.slice(0, 2)).toEqual(['start', { subdomain: 'acme' }]);
  });

  test('the browser that returns is connected at once if nothing is left to choose', async () => {
    const { edge, calls } = await setUp();
    const answer = await back(edge, BOUND);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, PATH]);
    expect(calls.at(-1)).toMatchObject([
      'connect',
      { oauthState: STATE, authenticationId: 0 },
      { sessionId: 'cs_1' },
    ]);
  });

  test.each(['CONFLICT', 'NOT_FOUND'] as const)(
    'the page says why nothing more can be connected after %s',
    async (code) => {
      const replaced: UseCaseOverrides = {
        connectApplication: () => Promise.reject(new ApiError(code, 'no')),
      };
      const { edge, now } = await setUp({ replaced });
      const answer = await back(edge, BOUND);
      expect([answer.status, answer.headers.get('location')]).toEqual([303, PATH]);
      Object.assign(now, { remainingConnections: 0 });
      expect(readable(await show(edge))).toContain('No more connections are possible');
    },
  );

  test('what is left to choose is asked for, and goes with the sign-in', async () => {
    const fieldOptions = { workspace: { w1: 'North', w2: EVIL } };
    const { edge, calls } = await setUp({ fieldOptions });
    const answer = await back(edge, BOUND);
    expect(answer.headers.get('location')).toMatch(/^\/connect\/sessions\/cs_1\?choices=\w{22}$/);
    const page = await followed(edge, answer);
    expect(readable(page)).toContain('Almost done: Sandbox CRM');
    // Another browser knows only the address.
    expect(readable(await followed(edge, answer, COOKIE))).not.toContain('Almost done');
    for (const shown of ['Workspace', 'North']) expect(readable(page)).toContain(shown);
    expect(textOf(page)).not.toContain('<img');
    await press(edge, { method: '0', state: STATE, 'field.workspace': 'w2' });
    expect(calls.at(-1)?.[1]).toMatchObject({ oauthState: STATE, fields: { workspace: 'w2' } });
  });

  test('the session’s last error is shown, escaped', async () => {
    const answer = await show((await setUp({ session: { lastError: EVIL } })).edge);
    expect(readable(answer)).toContain('The connection did not succeed');
    expect(textOf(answer)).not.toContain('<img');
  });

  test('a browser that returns without the session connects nothing', async () => {
    const { edge, calls } = await setUp();
    const answer = await back(edge, `__Host-fairlead-sign-in-${STATE}=bind-1`);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, PATH]);
    expect((await show(edge, '', { cookie: '' })).status).toBe(403);
    expect(calls).toEqual([]);
  });

  test('a failure after the vendor’s answer leaves neither its code nor the state in an address; the page offers to go on', async () => {
    const replaced: UseCaseOverrides = {
      connectApplication: () => Promise.reject(new ApiError('UNAVAILABLE', 'away')),
    };
    const { edge } = await setUp({ replaced });
    const answer = await back(edge, BOUND);
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      expect.stringMatching(/^\/connect\/sessions\/cs_1\?choices=\w{22}$/),
    ]);
    expect(readable(await followed(edge, answer))).toContain('Almost done: Sandbox CRM');
  });
});

describe('several applications', () => {
  const several = { session: { applicationSlugs: [] } };

  test('are listed to choose from, page by page and by search', async () => {
    const { edge } = await setUp(several);
    const answer = await show(edge);
    expect(readable(answer)).toContain('Choose an application');
    expect(textOf(answer)).toContain(`${PATH}?application=sandbox-crm`);
    expect(textOf(answer)).toContain(`${PATH}?offset=25`);
    // Our own logos only.
    expect(textOf(answer).match(/<img[^>]*>/g)).toEqual([
      '<img src="data:image/svg+xml,&quot;" alt="" width="24" height="24" />',
    ]);
    expect(answer.headers.get('content-security-policy')).toContain("; img-src 'self' data:; ");
    expect(readable(await show(edge, '?search=nothing'))).toContain('No application matches.');
    expect(readable(await show(edge, '?application=sandbox-crm'))).toContain('All applications');
  });

  test.each(['?application=unknown', '?application=sandbox-crm&method=9'])(
    '%s is not offered',
    async (query) => {
      const answer = await show((await setUp(several)).edge, query);
      expect([answer.status, readable(answer)]).toEqual([404, expect.stringContaining('is not offered')]);
    },
  );

  test('what was connected is said, and the person may go on or be done', async () => {
    const { edge } = await setUp({
      session: {
        applicationSlugs: [],
        ...ENDED.completed,
        redirectUrl: 'https://app.example/back?x=1',
      },
    });
    const answer = await show(edge);
    expect(readable(answer)).toContain('My CRM is connected.');
    expect(textOf(answer)).toContain(
      'href="https://app.example/back?x=1&amp;sessionId=cs_1&amp;status=completed"',
    );
  });
});

describe('the end', () => {
  const redirectUrl = 'https://app.example/back';

  test('cancel ends the session; the person returns to the account’s product', async () => {
    const { edge, calls } = await setUp({ session: { redirectUrl } });
    const answer = await press(edge, { action: 'cancel' });
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      `${redirectUrl}?sessionId=cs_1&status=cancelled`,
    ]);
    expect(calls.at(-1)?.[0]).toBe('cancel');
  });

  test('a popup stays here, tells the allowed origins only, and closes', async () => {
    const { edge } = await setUp({ session: { redirectUrl } });
    const cookie = `${COOKIE}~popup`;
    const answer = await press(edge, { 'field.apiToken': 's3cret' }, { cookie });
    expect(answer.headers.get('location')).toBe(PATH);
    const page = await show(edge, '', { cookie });
    expect(textOf(page).replaceAll(/\s+/g, ' ')).toContain(
      'data-session="cs_1" data-status="completed" data-origins="[&quot;https://app.example&quot;]" data-close="yes"',
    );
    expect(readable(page)).toContain('You can close this window.');
  });

  test('an address that is not of an allowed origin leads nowhere', async () => {
    const { edge } = await setUp({ session: { redirectUrl: 'https://evil.example/' } });
    const answer = await press(edge, { action: 'cancel' });
    expect(answer.headers.get('location')).toBe(PATH);
    expect(textOf(await show(edge))).not.toContain('evil.example/?');
  });

  test.each([
    ['completed', ENDED.completed, 'You are connected'],
    ['cancelled', ENDED.cancelled, 'Nothing was connected'],
    ['expired', ENDED.expired, 'This link has expired'],
    ['open', {}, 'This link has ended'],
  ])(
    'of a session that is over (%s) is said, and its form connects nothing',
    async (_status, ended, title) => {
      const { edge, calls, now } = await setUp({ session: { redirectUrl } });
      const answer = await show(edge);
      Object.assign(now, { isUsable: false });
      now.session = { ...now.session, ...ended };
      const over = await show(edge);
      expect(readable(over)).toContain(title);
      expect(readable(over)).toContain('Return to app.example');
      const token = /name="form_token" value="([^"]*)"/.exec(textOf(answer))?.[1] ?? '';
      const late = await press(edge, { form_token: token, 'field.apiToken': 's3cret' });
      expect([late.status, late.headers.get('location')]).toEqual([303, PATH]);
      expect(calls.some(([name]) => name === 'connect')).toBe(false);
    },
  );
});

describe('who ended a session', () => {
  const over = async (ended: Partial<ConnectSession>) => {
    const { edge, now } = await setUp({ session: ended });
    Object.assign(now, { isUsable: false });
    return readable(await show(edge));
  };

  test.each([
    ['the end user', { endedAt: NOW, endedBy: 'endUser' }, 'You cancelled.'],
    ['the account', { endedAt: NOW, endedBy: 'account' }, 'Acme has ended this link.'],
    ['nobody knows who', { endedAt: NOW, endedBy: null }, 'Go back to where you came from'],
  ] as const)('%s: the page says so, and of nobody else', async (_who, ended, said) => {
    const text = await over(ended);
    expect(text).toContain('Nothing was connected');
    expect(text).toContain(said);
    expect(text.includes('You cancelled')).toBe(ended.endedBy === 'endUser');
  });
});

describe('the look', () => {
  test.each([
    ['de-AT', 'fr', 'de', 'Sandbox CRM verbinden'],
    ['pt-BR', 'fr-CA,en;q=0.5', 'fr', 'Connecter Sandbox CRM'],
    [null, 'es', 'es', 'Conectar Sandbox CRM'],
    ['ja', 'en', 'ja', 'Sandbox CRM を接続'],
    [null, 'pt', 'en', 'Connect Sandbox CRM'],
  ])('the language of locale %s and Accept-Language %s is %s', async (locale, accept, lang, title) => {
    const { edge } = await setUp({ session: { locale } });
    const answer = await show(edge, '', { 'accept-language': accept });
    expect(textOf(answer)).toContain(`<html lang="${lang}">`);
    expect(readable(answer)).toContain(title);
  });

  test('mode, colour and logo are the account’s; images come from the logo’s origin only', async () => {
    const theme = {
      mode: 'dark',
      primaryColor: '#ffcc00',
      logoUrl: 'https://cdn.example/l.png?"x',
    } as const;
    const answer = await show((await setUp({ session: { theme } })).edge);
    expect(textOf(answer)).toContain('--fill:#ffcc00');
    expect(textOf(answer)).not.toContain('prefers-color-scheme');
    expect(textOf(answer)).toContain('src="https://cdn.example/l.png?%22x"');
    expect(answer.headers.get('content-security-policy')).toContain("; img-src 'self' https://cdn.example; ");
  });

  test.each(["https://cdn.example;script-src *'", 'data:image/svg+xml,x', 'nonsense'])(
    'a logo at %s is not shown',
    async (logoUrl) => {
      const answer = await show(
        (await setUp({ session: { theme: { mode: 'auto', primaryColor: null, logoUrl } } })).edge,
      );
      expect(answer.headers.get('content-security-policy')).not.toMatch(/img-src (?!'self';)|script-src \*/);
      expect(textOf(answer)).not.toContain('<img');
    },
  );
});
