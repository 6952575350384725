import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { openBrowser } from '../setup/browser.ts';
import { startExample, startSite } from './support/embedding-site.ts';
import type { Site } from './support/embedding-site.ts';
import { expectAccessible } from './support/look.ts';

const stack = inject('stack');
const { apiKey } = stack.otherAccount;

let browser: Awaited<ReturnType<typeof openBrowser>>;
let site: Site;
let otherSite: Site;
let page: Page;
beforeAll(async () => {
  browser = await openBrowser();
  [site, otherSite] = await Promise.all([startSite(), startSite()]);
});
afterAll(async () => {
  await Promise.all([browser.close(), site.close(), otherSite.close()]);
});
beforeEach(async () => {
  await browser.context.clearCookies();
  page = await browser.context.newPage();
  return async () => {
    for (const opened of browser.context.pages()) await opened.close();
  };
});

async function api(method: string, path: string, body?: unknown): Promise<any> {
  const answer = await fetch(stack.baseUrl + path, {
    method,
    headers: { 'x-api-key': apiKey, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(answer.status, path).toBeLessThan(300);
  return answer.status === 204 ? undefined : answer.json();
}

const createSession = (more: object = {}): Promise<any> =>
  api('POST', '/v1/connect-sessions', {
    endUserId: `customer-${randomUUID()}`,
    applicationSlugs: ['sandbox-crm'],
    allowedOrigins: [site.url],
    ...more,
  });
const getSession = ({ sessionId }: any): Promise<any> => api('GET', `/v1/connect-sessions/${sessionId}`);

/** Opens the form for the key and fills it in. */
async function connectByKey(on: Page): Promise<void> {
  await on.getByText('API key', { exact: true }).click();
  await on.getByLabel('API token').fill(stack.sandboxCrm.apiKey);
  await on.getByRole('button', { name: 'Connect', exact: true }).click();
}

/** Goes to the vendor, signs in there and allows access. */
async function connectBySignIn(on: Page): Promise<void> {
  await on.getByRole('button', { name: 'Sign in with Sandbox CRM' }).click();
  await on.waitForURL(`${stack.sandboxCrm.url}/**`);
  await on.getByLabel(/e-?mail/i).fill(stack.sandboxCrm.user);
  await on.getByLabel(/password/i).fill(stack.sandboxCrm.password);
  await on.getByRole('button', { name: /sign in/i }).click();
  await on.getByRole('button', { name: /allow/i }).click();
  await on.waitForURL(`${stack.baseUrl}/connect/**`);
}

/** Makes a choice among the options found at sign-in. */
async function chooseWorkspace(on: Page): Promise<void> {
  await on.getByLabel('Workspace').selectOption({ index: 1 });
  await on.getByRole('button', { name: 'Connect', exact: true }).click();
}

/** Opens the site, which opens `session` with the widget; returns the popup. */
async function openPopup(session: any, from = site): Promise<Page> {
  await page.goto(from.url);
  await page.waitForFunction('window.widget !== undefined');
  const opens = page.waitForEvent('popup');
  await page.evaluate(`void widget.openConnect({ connectUrl: '${session.connectUrl}', ...callbacks })`);
  return opens;
}

const seen = (): Promise<any[]> => page.evaluate('window.seen');
const outcomes = async (): Promise<any[]> => (await seen()).filter(([name]) => name !== 'message');

describe('the example of docs/connect.md', () => {
  it('connects in a popup; the page shows what was connected', async () => {
    const example = await startExample({ ...stack, account: stack.otherAccount });
    try {
      await page.goto(example.url);
      const opens = page.waitForEvent('popup');
      await page.getByRole('button', { name: 'Connect your CRM' }).click();
      await connectByKey(await opens);
      await expect.poll(() => page.getByRole('status').innerText()).toBe('Connected: Sandbox CRM');
    } finally {
      await example.close();
    }
  });
});

describe('the outcome arrives', () => {
  it('though the vendor’s pages cut the popup off, and the opener is out of their reach', async () => {
    const session = await createSession();
    const popup = await openPopup(session);
    const vendor = popup.waitForResponse(
      (response) => response.url().startsWith(stack.sandboxCrm.url) && response.status() === 200,
    );
    await connectBySignIn(popup);
    expect((await vendor).headers()['cross-origin-opener-policy']).toBe('same-origin');
    expect(await popup.evaluate('window.opener')).toBeNull();
    await chooseWorkspace(popup);
    await expect.poll(outcomes).toEqual([['success', 'completed']]);
    const { status, connections } = await getSession(session);
    expect([status, connections.length]).toEqual(['completed', 1]);
  });

  it('though the popup is blocked: the page leads to the hosted one and back', async () => {
    const session = await createSession({ redirectUrl: `${site.url}/back` });
    await page.goto(site.url);
    await page.waitForFunction('window.widget !== undefined');
    await page.evaluate(`window.open = () => null;
      void widget.openConnect({ connectUrl: '${session.connectUrl}', ...callbacks })`);
    await page.waitForURL(`${stack.baseUrl}/connect/sessions/${session.sessionId}`);
    await connectByKey(page);
    await page.waitForURL(`${site.url}/back?sessionId=${session.sessionId}&status=completed`);
    await page.waitForFunction('window.widget !== undefined');
    await page.evaluate('void widget.resumeConnect(callbacks)');
    await expect.poll(outcomes).toEqual([['success', 'completed']]);
  });

  it('though the tab is loaded again meanwhile', async () => {
    const popup = await openPopup(await createSession());
    await page.reload();
    await page.waitForFunction('window.widget !== undefined');
    await page.evaluate('void widget.resumeConnect(callbacks)');
    await connectByKey(popup);
    await expect.poll(outcomes).toEqual([['success', 'completed']]);
  });

  it('of a person who cancels', async () => {
    const popup = await openPopup(await createSession());
    await popup.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(outcomes).toEqual([['cancel', 'cancelled']]);
  });
});

describe('messages', () => {
  it('go to windows of allowed origins only', async () => {
    const session = await createSession();
    const popup = await openPopup(session);
    await connectByKey(popup);
    const message = {
      origin: stack.baseUrl,
      type: 'fairlead.connect',
      sessionId: session.sessionId,
      status: 'completed',
    };
    await expect.poll(seen).toContainEqual(['message', message]);

    const other = await createSession();
    await page.goto(otherSite.url);
    await page.waitForFunction('window.widget !== undefined');
    const opens = page.waitForEvent('popup');
    await page.evaluate(`void window.open('${other.connectUrl}')`);
    const stranger = await opens;
    await connectByKey(stranger);
    await stranger.getByRole('heading', { name: 'You are connected' }).waitFor();
    expect(await stranger.evaluate('window.opener !== null')).toBe(true);
    // Messages are ordered: any earlier message to this window would arrive before one that it sends to itself now.
    await page.evaluate(
      `new Promise((resolve) => { addEventListener('message', resolve); postMessage('last', '*'); })`,
    );
    expect((await seen()).filter(([, data]) => data.type === 'fairlead.connect')).toEqual([]);
  });
});

describe('the hosted page', () => {
  it('needs no scripts and no mouse; a wrong credential is refused before it is saved', async () => {
    const session = await createSession({ locale: 'de' });
    const cdp = await browser.context.newCDPSession(page);
    await cdp.send('Emulation.setScriptExecutionDisabled', { value: true });
    await page.goto(session.connectUrl);
    expect(page.url()).toBe(`${stack.baseUrl}/connect/sessions/${session.sessionId}`);
    // Order of focus: the field and the button of the sign-in, then the collapsed form of the key with its help link and field.
    for (const key of ['Tab', 'Tab', 'Tab', 'Enter', 'Tab', 'Tab']) await page.keyboard.press(key);
    await page.keyboard.type('a wrong one');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('nicht zustande gekommen').waitFor();
    expect((await getSession(session)).connections).toEqual([]);
    for (const key of ['Tab', 'Tab']) await page.keyboard.press(key);
    await page.keyboard.type(stack.sandboxCrm.apiKey);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Die Verbindung steht' }).waitFor();
    expect((await getSession(session)).status).toBe('completed');
  });

  it('is for everybody in each of its states: nothing that axe finds, light and dark, no sideways scrolling', async () => {
    const look = { theme: { primaryColor: '#ffcc00' }, locale: 'en' };
    const single = await createSession(look);
    await page.goto(single.connectUrl);
    await expectAccessible(page, 'connect-sign-in');
    await page.getByText('API key', { exact: true }).click();
    await expectAccessible(page, 'connect-folded-key');
    const help = page.getByRole('link', { name: 'Open the page where you find it' });
    expect(await help.getAttribute('href')).toBe(`${stack.sandboxCrm.url}/settings/api-token`);
    await page.getByLabel('API token').fill('wrong');
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('alert').waitFor();
    await expectAccessible(page, 'connect-refused');
    await page.getByRole('link', { name: 'Sign in with Sandbox CRM' }).click();
    await page.getByRole('button', { name: 'Sign in with Sandbox CRM' }).waitFor();
    await api('DELETE', `/v1/connect-sessions/${single.sessionId}`);
    await page.reload();
    await page.getByRole('heading', { name: 'Nothing was connected' }).waitFor();
    await expectAccessible(page, 'connect-cancelled');

    const several = await createSession({ ...look, locale: 'ja', applicationSlugs: undefined });
    await page.goto(several.connectUrl);
    await page.getByRole('heading', { name: 'アプリケーションを選択' }).waitFor();
    await expectAccessible(page, 'connect-choose');

    const signedIn = await createSession({ theme: { mode: 'dark', primaryColor: '#1a237e' }, locale: 'en' });
    await page.goto(signedIn.connectUrl);
    await connectBySignIn(page);
    await page.getByRole('heading', { name: 'Almost done: Sandbox CRM' }).waitFor();
    expect(page.url()).not.toMatch(/code=|state=/);
    await expectAccessible(page, 'connect-options');
    await chooseWorkspace(page);
    await page.getByRole('heading', { name: 'You are connected' }).waitFor();
    await expectAccessible(page, 'connect-completed');

    await page.goto(`${stack.baseUrl}/connect/session/unknown`);
    await expectAccessible(page, 'connect-ended');
  });
});
