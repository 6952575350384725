import { createHash } from 'node:crypto';
import type { RenderedPage } from '@fairlead/pages/html';
import { describe, expect, test } from 'vitest';
import { SCOPES } from '@fairlead/access/permissions';
import { SERVED_SCOPES } from '@fairlead/access/scopes';
import { SCOPE_DESCRIPTIONS } from '@fairlead/access/scope-descriptions';
import type { Role } from '@fairlead/access/permissions';
import type { Member } from '../domain/records.ts';
import { testAccount, testUser } from '../testing/records.ts';
import type { AskingClient, InteractionDetails } from '../oauth/interactions.ts';
import { accountPage } from './account.page.ts';
import { consentPage } from './consent.page.ts';
import { confirmCodePage, deviceConnectedPage, enterCodePage } from './device.page.ts';
import { failedPage, refusedPage, signedOutPage, unavailablePage } from './message.page.ts';
import { WRONG_PASSWORD } from './problems.ts';
import { grantedScopes } from './consent-scopes.ts';
import { signInPage } from './sign-in.page.ts';
import { signOutPage } from './sign-out.page.ts';
import { testInteraction } from './testing/asked.ts';

const HOSTILE = '<img src=x onerror=alert(1)>"\'&<script>alert(2)</script>';
const REQUEST_ID = '0190-request';

const member = (role: Role = 'owner', isRbacEnabled = true, name = 'Acme'): Member => ({
  account: testAccount({ name, isRbacEnabled }),
  user: testUser({ role, email: 'mara@acme.example' }),
});

const signIn = (details: InteractionDetails, email = '', upstreamName?: string): RenderedPage =>
  signInPage({
    status: 401,
    details,
    formToken: HOSTILE,
    email,
    problem: WRONG_PASSWORD,
    isInputWrong: true,
    upstreamName,
  });
const accounts = (details: InteractionDetails, name?: string): RenderedPage =>
  accountPage({
    details,
    formToken: 't',
    ticket: HOSTILE,
    members: [member('owner', true, name), member()],
    isChoiceMissing: true,
  });
const consent = (details: InteractionDetails, of: Member = member()): RenderedPage =>
  consentPage({ details, formToken: 't', member: of });

function everyPage(client: AskingClient): readonly RenderedPage[] {
  const details = testInteraction({ client, scopes: SCOPES });
  const device = { action: '/oauth/device', xsrf: HOSTILE };
  return [
    signIn(details, HOSTILE, HOSTILE),
    accounts(details, HOSTILE),
    consent(details, member('owner', true, HOSTILE)),
    enterCodePage({ ...device, userCode: HOSTILE, problem: 'unknown' }),
    enterCodePage({ ...device, userCode: undefined, problem: 'denied' }),
    confirmCodePage({ ...device, userCode: HOSTILE, client }),
    deviceConnectedPage(client),
    refusedPage({ status: 400, error: HOSTILE, description: HOSTILE, requestId: HOSTILE }),
    failedPage(REQUEST_ID),
    unavailablePage(REQUEST_ID),
    signOutPage(HOSTILE),
    signedOutPage(),
  ];
}

const hostile = testInteraction({ client: { name: HOSTILE, host: HOSTILE, kind: 'document' } }).client;

describe('every page', () => {
  test('text of clients, providers and people is shown as text', () => {
    for (const { text } of everyPage(hostile)) expect(text).not.toMatch(/<(img|script)|"'&</i);
  });

  test('it runs no script, loads nothing but the icon, cannot be framed or stored, and sends no referrer', () => {
    for (const { text, headers } of everyPage(hostile)) {
      const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(text) ?? [];
      const hash = createHash('sha256').update(style).digest('base64');
      const csp = headers['content-security-policy'];
      expect(csp).toContain(
        `default-src 'none'; style-src 'sha256-${hash}'; img-src 'self'; base-uri 'none'`,
      );
      expect(csp).toContain("frame-ancestors 'none'");
      expect(csp).toMatch(/form-action '(none|self)'/);
      expect(headers['referrer-policy']).toBe('no-referrer');
      expect(headers['cache-control']).toBe('no-store');
      // Attribute values do not count as markup.
      const withoutIcon = text.replace('<link rel="icon" href="/favicon.svg" type="image/svg+xml" />', '');
      expect(withoutIcon.replaceAll(/"[^"]*"/g, '""')).not.toMatch(
        /<[^>]*\s(style|on\w+|src)=|<(script|link|img)/i,
      );
      expect(text).not.toContain('javascript:');
    }
  });

  test('it has a language, a title, one heading and a label for each field', () => {
    for (const { text } of everyPage(hostile)) {
      expect(text).toContain('<html lang="en">');
      expect(text).toMatch(/<title>[^<]+ · Fairlead<\/title>/);
      expect(text.match(/<h1>/g)).toHaveLength(1);
      for (const [, id] of text.matchAll(/<input[^>]* id="([^"]+)"/g))
        expect(text).toContain(`<label for="${id}">`);
    }
  });
});

describe('the name of a client', () => {
  test.each([
    ['characters that turn text around', 'Good\u202Elpmaxe.live', 'Goodlpmaxe.live'],
    ['characters that nobody sees', 'Fair\u200Blead\u0000\u{E0041}', 'Fairlead'],
    ['line breaks', 'Acme\r\n\u2028Assistant', 'Acme Assistant'],
  ])('%s are left out', (_name, name, shown) => {
    expect(consent(testInteraction({ client: { name } })).text).toContain(`<strong>${shown}</strong>`);
  });

  test('a long one is cut, an empty one is the client’s id', () => {
    const long = consent(testInteraction({ client: { name: 'x'.repeat(5000) } })).text;
    expect(long).toContain(`<strong>${'x'.repeat(79)}…</strong>`);
    expect(consent(testInteraction({ client: { name: ' \u200B ' } })).text).toContain(
      '<strong>client_1</strong>',
    );
  });
});

describe('where a form may lead', () => {
  const targets = (page: RenderedPage): string | undefined =>
    /form-action ([^;]*)/.exec(page.headers['content-security-policy'] ?? '')?.[1];

  test.each([
    ['https://app.example/callback', "'self' https://app.example"],
    ['https://app.example:8443/callback', "'self' https://app.example:8443"],
    ['http://127.0.0.1:49152/cb', "'self' http://127.0.0.1:49152"],
    ['http://[::1]:49152/cb', "'self' http:"],
    ['cursor://anysphere.cursor-mcp/oauth/callback', "'self' cursor:"],
    ['com.example.app:/callback', "'self' com.example.app:"],
    ['https://a;sandbox/callback', "'self' https:"],
    ['https://a,x/callback', "'self' https:"],
  ])('signing in for %s: %s', (redirect, expected) => {
    expect(targets(signIn(testInteraction({ redirectUri: new URL(redirect) })))).toBe(expected);
  });

  test.each([
    ['https://app.example/callback', "'self' https://app.example https:"],
    [
      'http://127.0.0.1:49152/cb',
      "'self' http://127.0.0.1:49152 http://127.0.0.1:* http://localhost:* https:",
    ],
    ['com.example.app:/callback', "'self' com.example.app:"],
  ])('consenting to %s, which may lead on: %s', (redirect, expected) => {
    expect(targets(consent(testInteraction({ redirectUri: new URL(redirect) })))).toBe(expected);
  });

  test('for a device, and on pages without an application, nowhere else', () => {
    const details = testInteraction({ redirectUri: undefined });
    for (const page of [signIn(details), consent(details), signOutPage('t')])
      expect(targets(page)).toBe("'self'");
    expect(targets(signedOutPage())).toBe("'none'");
  });
});

describe('the consent page', () => {
  test('it names account, person, and where access goes', () => {
    const { text } = consent(testInteraction({ client: { kind: 'document', host: 'client.example' } }));
    for (const shown of ['Acme Assistant', 'Acme', 'mara@acme.example', 'app.example', 'client.example'])
      expect(text).toContain(shown);
  });

  test.each([
    ['http://127.0.0.1:49152/cb', 'a program on this computer (127.0.0.1:49152)'],
    ['http://localhost:80/cb', 'a program on this computer (localhost)'],
    ['cursor://x/cb', 'an application on this device (cursor:)'],
    ['https://аpple.example/cb', 'xn--pple-43d.example'],
  ])('%s is told as %s', (redirect, words) => {
    expect(consent(testInteraction({ redirectUri: new URL(redirect) })).text).toContain(words);
  });

  test.each([
    ['registered', true],
    ['document', true],
    ['account', false],
    ['builtIn', false],
  ] as const)('whether the name of a %s client is called unverified: %s', (kind, isUnverified) => {
    const { text } = consent(testInteraction({ client: { kind } }));
    expect(text.includes('Unverified name')).toBe(isUnverified);
  });

  test('every scope is described in words, administration apart from the others', () => {
    const { text } = consent(testInteraction({ scopes: SCOPES }));
    for (const scope of SERVED_SCOPES) expect(text).toContain(SCOPE_DESCRIPTIONS[scope]);
    expect(Object.keys(SCOPE_DESCRIPTIONS).sort()).toEqual([...SCOPES].sort());
    expect(text).not.toContain(`<li>${SCOPE_DESCRIPTIONS.administration}`);
    expect(text).toContain('Full administration');
  });

  test('a service that is not there is neither listed nor granted', () => {
    const absent = SCOPES.filter((scope) => !SERVED_SCOPES.includes(scope));
    const { text } = consent(testInteraction({ scopes: SCOPES }));
    for (const scope of absent) expect(text).not.toContain(SCOPE_DESCRIPTIONS[scope]);
    expect(grantedScopes(SCOPES, member('owner'))).toEqual(SERVED_SCOPES);
  });

  test('only requested scopes are listed', () => {
    const { text } = consent(testInteraction({ scopes: ['tools.execute'] }));
    expect(text).toContain(SCOPE_DESCRIPTIONS['tools.execute']);
    expect(text.match(/<li>/g)).toHaveLength(1);
    expect(text).not.toContain('Full administration');
  });

  test('it does not promise what the role does not allow', () => {
    const asked = testInteraction({ scopes: ['tools.execute', 'triggers.write', 'authProviders.manage'] });
    const lines = (role: Role, isRbacEnabled: boolean): number =>
      consent(asked, member(role, isRbacEnabled)).text.match(/<li>/g)?.length ?? 0;
    expect([lines('member', true), lines('developer', true), lines('owner', true)]).toEqual([1, 2, 3]);
    expect(lines('member', false)).toBe(3);
  });

  test('a user whose role allows none of the scopes can only deny', () => {
    const { text } = consent(testInteraction({ scopes: ['triggers.write'] }), member('member'));
    expect(text).toContain('Your role in this account allows none of what it asks for');
    expect(text).not.toContain('>Allow<');
    expect(text).toContain('>Deny<');
  });

  test.each([
    ['owner', true],
    ['admin', true],
    ['developer', false],
    ['member', false],
  ] as const)('administration for a %s: %s, with RBAC off too', (role, isOffered) => {
    const details = testInteraction({ scopes: ['tools.execute', 'administration'] });
    for (const isRbacEnabled of [true, false]) {
      const of = member(role, isRbacEnabled);
      expect(consent(details, of).text.includes('Full administration')).toBe(isOffered);
      expect(grantedScopes(details.scopes, of).includes('administration')).toBe(isOffered);
    }
  });

  test('other scopes are granted as requested: roles change, and each call checks the current one', () => {
    expect(grantedScopes(['triggers.write', 'tools.execute'], member('member'))).toEqual([
      'triggers.write',
      'tools.execute',
    ]);
  });
});

describe('problems', () => {
  test('they stand at the head of the page as an alert, and the fields name them', () => {
    const { text } = signIn(testInteraction(), 'mara@acme.example');
    expect(text).toMatch(/<div class="problem" role="alert" id="problem">/);
    expect(text).toContain('<title>Problem: Sign in · Fairlead</title>');
    expect(text.match(/aria-describedby="problem" aria-invalid="true"/g)).toHaveLength(2);
    expect(text.indexOf('role="alert"')).toBeLessThan(text.indexOf('<form'));
  });

  test('with the address filled in, the focus is on the password, which is never sent back', () => {
    const { text } = signIn(testInteraction(), 'mara@acme.example');
    expect(text).toMatch(/name="password"[^>]*autofocus/);
    expect(text).not.toMatch(/name="email"[^>]*autofocus/);
    expect(text).not.toMatch(/name="password"[^>]*value=/);
  });
});
