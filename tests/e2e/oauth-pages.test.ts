import * as oauth from 'openid-client';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { openBrowser } from '../setup/browser.ts';
import { listen, startClientApp } from './support/client-app.ts';
import type { ClientApp } from './support/client-app.ts';
import { expectAccessible } from './support/look.ts';

const stack = inject('stack');
const { ownerEmail: email, ownerPassword: password } = stack.account;
const SCOPES = 'connections.read tools.execute';

let browser: Awaited<ReturnType<typeof openBrowser>>;
let app: ClientApp;
let page: Page;

beforeAll(async () => {
  browser = await openBrowser();
  app = await startClientApp({ gateway: stack.baseUrl, name: 'Acme <b>Assistant</b>' });
});
afterAll(async () => {
  await browser.close();
  await app.close();
});
beforeEach(async () => {
  await browser.context.clearCookies();
  page = await browser.context.newPage();
  return () => page.close();
});

async function signIn(word = password): Promise<void> {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password').fill(word);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function whoami(token: string): Promise<any> {
  const answer = await fetch(`${stack.baseUrl}/v1/auth/whoami`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return answer.json();
}

/** Presses Tab until `matches` accepts the focused element, like a person without a mouse. */
async function tabTo(matches: string): Promise<void> {
  for (let presses = 0; presses < 30; presses += 1) {
    if (await page.evaluate<boolean>(`document.activeElement.matches('${matches}')`)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`The keyboard does not reach ${matches}.`);
}

describe('an application in a browser', () => {
  it('a wrong password first, then sign-in, consent and a code that opens the API; with scripts off', async () => {
    const { url, checks } = await app.begin({ scope: SCOPES });
    const cdp = await browser.context.newCDPSession(page);
    await cdp.send('Emulation.setScriptExecutionDisabled', { value: true });
    await page.goto(url);
    await signIn('a wrong one first');
    await page.getByRole('alert').getByText('do not match').waitFor();
    expect(await page.getByLabel('E-mail address').inputValue()).toBe(email);
    expect(await page.getByLabel('Password').inputValue()).toBe('');
    await signIn();
    await page.getByRole('heading', { name: 'Allow access?' }).waitFor();
    expect(await page.locator('main').innerText()).toContain('Acme <b>Assistant</b>');
    expect(await page.locator('main').innerText()).toContain(new URL(app.redirectUri).host);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(`${app.redirectUri}?**`);
    const tokens = await app.redeem(page.url(), checks);
    expect(await whoami(tokens.access_token)).toMatchObject({
      accountId: stack.account.accountId,
      userEmail: email,
      credentialType: 'bearer',
      scopes: SCOPES.split(' '),
    });
  });

  it('the keyboard suffices, and the focus is in the input', async () => {
    const { url, checks } = await app.begin({ scope: SCOPES });
    await page.goto(url);
    // A browser moves the focus in its next frame, which may come after the load.
    await page.locator('#email:focus').waitFor();
    await page.keyboard.type(email);
    await tabTo('#password');
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Allow access?' }).waitFor();
    await tabTo('button:not(.quiet)');
    const outline = await page.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle');
    expect(outline).toBe('solid');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${app.redirectUri}?**`);
    expect((await app.redeem(page.url(), checks)).access_token).toBeTruthy();
  });

  it('a person who denies or cancels returns with access_denied', async () => {
    const denied = await app.begin({ scope: SCOPES });
    await page.goto(denied.url);
    await signIn();
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.waitForURL(`${app.redirectUri}?**`);
    await expect(app.redeem(page.url(), denied.checks)).rejects.toMatchObject({ error: 'access_denied' });
    await browser.context.clearCookies();
    const cancelled = await app.begin({ scope: SCOPES });
    await page.goto(cancelled.url);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.waitForURL(`${app.redirectUri}?**`);
    await expect(app.redeem(page.url(), cancelled.checks)).rejects.toMatchObject({ error: 'access_denied' });
  });

  it('an application that leads on to another site from its redirect address does not strand the person', async () => {
    const front = await listen((_request, response) => response.end('the front'), 'localhost');
    const leading = await startClientApp({
      gateway: stack.baseUrl,
      name: 'Leading on',
      leadsOnTo: front.url,
    });
    try {
      await page.goto((await leading.begin({ scope: SCOPES })).url);
      await signIn();
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.waitForURL(`${front.url}/**`);
      expect(await page.locator('body').innerText()).toBe('the front');
    } finally {
      await leading.close();
      await front.close();
    }
  });

  it('a person can continue as another user, and the first user’s session ends', async () => {
    await page.goto((await app.begin({ scope: SCOPES })).url);
    await signIn();
    await page.getByRole('link', { name: 'Sign in as a different user' }).click();
    await page.getByLabel('E-mail address').fill(stack.otherAccount.ownerEmail);
    await page.getByLabel('Password').fill(stack.otherAccount.ownerPassword);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Allow access?' }).waitFor();
    expect(await page.locator('main').innerText()).toContain(stack.otherAccount.ownerEmail);
    expect(await page.locator('main').innerText()).not.toContain(email);
  });

  it('a page that was left open after the sign-in continued reports that it has ended', async () => {
    await page.goto((await app.begin({ scope: SCOPES })).url);
    const address = page.url();
    await signIn();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(`${app.redirectUri}?**`);
    const answer = await page.goto(address);
    expect(answer?.status()).toBe(400);
    await page.getByRole('heading', { name: 'This sign-in has ended' }).waitFor();
    expect(await page.locator('main').innerText()).toContain(answer?.headers()['x-request-id']);
  });

  it('signing out ends the session of this browser', async () => {
    await page.goto((await app.begin({ scope: SCOPES })).url);
    await signIn();
    await page.getByRole('heading', { name: 'Allow access?' }).waitFor();
    await page.goto(`${stack.baseUrl}/oauth/sign-out`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    await page.goto((await app.begin({ scope: SCOPES })).url);
    expect(await page.getByRole('heading').innerText()).toBe('Sign in');
  });
});

describe('a device', () => {
  async function device(): Promise<{
    readonly config: oauth.Configuration;
    readonly started: oauth.DeviceAuthorizationResponse;
  }> {
    const config = await oauth.discovery(
      new URL(`${stack.baseUrl}/oauth`),
      'fairlead-cli',
      undefined,
      oauth.None(),
      { algorithm: 'oauth2', execute: [oauth.allowInsecureRequests] },
    );
    return { config, started: await oauth.initiateDeviceAuthorization(config, { scope: SCOPES }) };
  }

  it('a wrong code first, then the device’s own, compared, signed in and allowed: the device gets its token', async () => {
    const { config, started } = await device();
    await page.goto(started.verification_uri);
    await page.getByLabel('Code').fill('BBBB-BBBB');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('alert').getByText('No device is waiting').waitFor();
    await page.getByLabel('Code').fill(started.user_code.toLowerCase());
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText(started.user_code, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Yes, continue' }).click();
    await signIn();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('heading', { name: 'Your device is connected' }).waitFor();
    const tokens = await oauth.pollDeviceAuthorizationGrant(config, { ...started, interval: 1 });
    expect(await whoami(tokens.access_token)).toMatchObject({ userEmail: email });
  });

  it('a link with the code fills it in and still asks; a refusal grants nothing', async () => {
    const { config, started } = await device();
    await page.goto(started.verification_uri_complete ?? '');
    expect(await page.getByLabel('Code').inputValue()).toBe(started.user_code);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'No, cancel' }).click();
    await page.getByRole('heading', { name: 'Access was denied' }).waitFor();
    await expect(
      oauth.pollDeviceAuthorizationGrant(config, { ...started, interval: 1 }),
    ).rejects.toMatchObject({ error: 'access_denied' });
  });

  it('its pages are for everybody', async () => {
    const { started } = await device();
    await page.goto(started.verification_uri);
    await expectAccessible(page, 'device-code');
    await page.getByLabel('Code').fill('BBBB-BBBB');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('alert').waitFor();
    await expectAccessible(page, 'device-code-wrong');
    await page.getByLabel('Code').fill(started.user_code);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Is this your device?' }).waitFor();
    await expectAccessible(page, 'device-confirm');
    await page.getByRole('button', { name: 'Yes, continue' }).click();
    await signIn();
    await page.getByRole('heading', { name: 'Allow access?' }).waitFor();
    await expectAccessible(page, 'device-consent');
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByRole('heading', { name: 'Access was denied' }).waitFor();
    await expectAccessible(page, 'device-denied');
  });
});

describe('the pages', () => {
  it('are for everybody: nothing that axe finds, light and dark, and no sideways scrolling at 320 px', async () => {
    await page.goto((await app.begin({ scope: SCOPES })).url);
    await expectAccessible(page, 'sign-in');
    await signIn('wrong');
    await page.getByRole('alert').waitFor();
    await expectAccessible(page, 'sign-in-wrong');
    const address = page.url();
    await signIn();
    await page.getByRole('heading', { name: 'Allow access?' }).waitFor();
    await expectAccessible(page, 'consent');
    await page.goto(`${stack.baseUrl}/oauth/sign-out`);
    await expectAccessible(page, 'sign-out');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    await expectAccessible(page, 'signed-out');
    await page.goto(address);
    await expectAccessible(page, 'over');
    await page.goto(`${app.config.serverMetadata().authorization_endpoint}?client_id=nobody`);
    await page.getByRole('heading', { name: 'This sign-in cannot continue' }).waitFor();
    await expectAccessible(page, 'refused');
  });

  it('cannot be framed', async () => {
    const { url } = await app.begin({ scope: SCOPES });
    const site = await listen((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<iframe src="${url.replaceAll('&', '&amp;')}"></iframe>`);
    });
    await page.goto(site.url);
    await expect.poll(() => page.frames()[1]?.url()).toMatch(/^chrome-error:/);
    await site.close();
  });
});
