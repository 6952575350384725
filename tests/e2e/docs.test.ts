import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { openBrowser } from '../setup/browser.ts';
import { expectAccessible, violationsOf } from './support/look.ts';

const stack = inject('stack');
const { ownerEmail: email, ownerPassword: password, apiKey } = stack.account;

/** axe findings in the library's own widgets, which no setting of ours changes. */
const OF_THE_LIBRARY = ['aria-input-field-name', 'aria-required-attr', 'button-name'];

let browser: Awaited<ReturnType<typeof openBrowser>>;
let page: Page;
/** Browser errors: script errors, and everything that a content security policy blocked. */
let complaints: string[];
/** The origins of all requests of any window. */
let origins: Set<string>;

beforeAll(async () => {
  browser = await openBrowser();
  browser.context.on('request', (request) => origins.add(new URL(request.url()).origin));
  browser.context.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  browser.context.on('weberror', (error) => complaints.push(String(error.error())));
  await browser.context.addInitScript(`document.addEventListener('securitypolicyviolation', (event) =>
    console.error('refused by policy:', event.violatedDirective, event.blockedURI))`);
});
afterAll(() => browser.close());
beforeEach(async () => {
  complaints = [];
  origins = new Set();
  await browser.context.clearCookies();
  page = await browser.context.newPage();
  return () => page.close();
});

async function openReference(): Promise<void> {
  await page.goto(stack.docsUrl);
  await page.getByRole('heading', { name: 'Fairlead API' }).waitFor();
}

const contents = () => page.getByRole('complementary', { name: 'Sidebar for Fairlead API' });

/** Sends the first operation from the page, and returns the response that the page got and shows. */
async function tryWhoami(): Promise<{ readonly status: number; readonly body: any }> {
  await contents().getByRole('link', { name: 'Verify a credential' }).click();
  await page.getByRole('button', { name: /Test Request.*whoami/ }).click();
  const client = page.getByRole('dialog');
  const [response] = await Promise.all([
    page.waitForResponse(`${stack.baseUrl}/v1/auth/whoami`),
    client.getByRole('button', { name: 'Send Request' }).click(),
  ]);
  await client.getByText('200 OK').waitFor();
  return { status: response.status(), body: await response.json() };
}

async function expectNothingKept(secret: string): Promise<void> {
  const kept = await page.evaluate<string>(
    'JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])',
  );
  expect(kept).not.toContain(secret);
}

describe('the documentation page', () => {
  it('shows every group of operations, and contacts only our origin', async () => {
    await openReference();
    const { tags } = (await (await fetch(stack.openapiUrl)).json()) as { tags: { name: string }[] };
    for (const { name } of tags) await contents().getByRole('link', { name, exact: true }).waitFor();
    await contents().getByRole('button', { name: 'Open Group - Connections' }).click();
    await contents()
      .getByRole('link', { name: /^List .*connections/i })
      .first()
      .click();
    await page
      .getByRole('button', { name: /Test Request.*get \/v1\/connections\b/ })
      .first()
      .waitFor();
    expect([...origins]).toEqual([stack.baseUrl]);
    expect(complaints).toEqual([]);
  });

  it('an operation can be tried with an API key, which the browser does not keep', async () => {
    await openReference();
    await page.getByLabel('Value', { exact: true }).first().fill(apiKey);
    const { status, body } = await tryWhoami();
    expect([status, body.accountId, body.credentialType]).toEqual([200, stack.account.accountId, 'apiKey']);
    await expectNothingKept(apiKey);
    expect([...origins]).toEqual([stack.baseUrl]);
    expect(complaints).toEqual([]);
  });

  it('an operation can be tried by sign-in: a separate window, consent, and a token for what was allowed', async () => {
    await openReference();
    await page.getByRole('button', { name: 'Selected Auth Type: apiKey' }).click();
    await page.getByRole('option', { name: 'apiKey' }).click();
    await page.getByRole('option', { name: 'oauth2' }).click();
    await page.keyboard.press('Escape');
    const [popup] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('button', { name: 'Authorize' }).click(),
    ]);
    await popup.getByLabel('E-mail address').fill(email);
    await popup.getByLabel('Password').fill(password);
    await popup.getByRole('button', { name: 'Sign in' }).click();
    await popup.getByRole('heading', { name: 'Allow access?' }).waitFor();
    expect(await popup.locator('main').innerText()).toContain('It is part of Fairlead.');
    const [redeemed] = await Promise.all([
      page.waitForResponse(`${stack.baseUrl}/oauth/token`),
      popup.waitForEvent('close'),
      popup.getByRole('button', { name: 'Allow' }).click(),
    ]);
    const tokens = (await redeemed.json()) as { access_token: string; refresh_token?: string };
    expect(tokens.refresh_token).toBeUndefined();
    await page.getByLabel('Access Token').first().waitFor();
    const { status, body } = await tryWhoami();
    expect([status, body.userEmail, body.credentialType]).toEqual([200, email, 'bearer']);
    expect(body.scopes).toContain('tools.execute');
    expect(body.scopes).not.toContain('administration');
    await expectNothingKept(tokens.access_token);
    expect([...origins]).toEqual([stack.baseUrl]);
    expect(complaints).toEqual([]);
  });

  it.each(['light', 'dark'] as const)(
    'follows a %s browser, and axe finds nothing that is ours',
    async (scheme) => {
      await page.emulateMedia({ colorScheme: scheme });
      await openReference();
      await expect.poll(() => page.evaluate<string>('document.body.className')).toContain(`${scheme}-mode`);
      const found = (await violationsOf(page)).filter(({ id }) => !OF_THE_LIBRARY.includes(id));
      expect(found).toEqual([]);
    },
  );

  it('fits a phone screen', async () => {
    await page.setViewportSize({ width: 320, height: 640 });
    await openReference();
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
    await page.getByRole('button', { name: 'Open Menu' }).click();
    await page.getByRole('link', { name: 'Connections', exact: true }).first().waitFor();
  });
});

describe('small pages', () => {
  it('the address of the installation leads people on to the documentation', async () => {
    await page.goto(stack.baseUrl);
    await expectAccessible(page, 'home');
    await page.getByRole('link', { name: 'API documentation' }).click();
    await page.getByRole('heading', { name: 'Fairlead API' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('the page that a sign-in comes back to is for everybody', async () => {
    await page.goto(`${stack.docsUrl}/signed-in`);
    await expectAccessible(page, 'signed-in');
    expect(complaints).toEqual([]);
  });
});
