import type { Page, Response } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { openBrowser } from '../setup/browser.ts';
import { expectAccessible, violationsOf } from './support/look.ts';

const stack = inject('stack');
const { ownerEmail: email, ownerPassword: password, apiKey } = stack.account;

/** axe findings in the library's own widgets, which our settings cannot change. */
const OF_THE_LIBRARY = ['aria-input-field-name', 'aria-required-attr', 'button-name'];

let browser: Awaited<ReturnType<typeof openBrowser>>;
let page: Page;
/** Browser errors: script errors, and everything blocked by a content security policy. */
let complaints: string[];
/** Origins of all requests, of any window. */
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

/** Opens a group of operations in the sidebar. It may already be open, because the page opens the group that is scrolled into view. */
async function openGroup(tag: string): Promise<void> {
  const closed = contents().getByRole('button', { name: `Open Group - ${tag}`, exact: true });
  const open = contents().getByRole('button', { name: `Close Group - ${tag}`, exact: true });
  await closed.or(open).waitFor();
  if (await closed.isVisible()) await closed.click();
  await open.waitFor();
}

/** Sends an operation with the page's own values; returns the response that the page got and shows. */
async function tryOperation(
  tag: string,
  link: string,
  { method, path }: { readonly method: string; readonly path: string },
): Promise<Response> {
  await openGroup(tag);
  await contents().getByRole('link', { name: link }).first().click();
  await page
    .getByRole('button', { name: new RegExp(String.raw`Test Request.*${method} ${escaped(path)}\)?$`) })
    .click();
  const client = page.getByRole('dialog');
  const [response] = await Promise.all([
    page.waitForResponse((it) => it.url().startsWith(`${stack.baseUrl}/v1/`)),
    client.getByRole('button', { name: 'Send Request' }).click(),
  ]);
  await client.getByText('200 OK').waitFor();
  return response;
}

const escaped = (path: string): string => path.replaceAll(/[{}]/g, String.raw`\$&`);

/** Sends the first operation from the page. */
async function tryWhoami(): Promise<{ readonly status: number; readonly body: any }> {
  const response = await tryOperation('Auth', 'Verify a credential', {
    method: 'get',
    path: '/v1/auth/whoami',
  });
  return { status: response.status(), body: await response.json() };
}

async function expectNothingKept(secret: string): Promise<void> {
  const kept = await page.evaluate<string>(
    'JSON.stringify([localStorage, sessionStorage, document.cookie, location.href])',
  );
  expect(kept).not.toContain(secret);
}

/** Connects the examples' application; the first connection is the default, with which they run. */
async function connectCrm(): Promise<void> {
  const { status } = await fetch(`${stack.baseUrl}/v1/connections`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({
      applicationSlug: 'sandbox-crm',
      connectionName: 'CRM of the reference',
      authenticationId: 1,
      fields: { apiToken: stack.sandboxCrm.apiKey },
    }),
  });
  expect(status).toBe(201);
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

  it.each([
    { tag: 'Tools', link: 'List tools', method: 'get', path: '/v1/tools', body: null },
    { tag: 'Connections', link: 'List connections', method: 'get', path: '/v1/connections', body: null },
    {
      tag: 'Tools',
      link: 'Execute a tool',
      method: 'post',
      path: '/v1/tools/{toolSlug}/execute',
      body: { fields: { name: 'Ada Lovelace', email: 'ada@example.com', company: 'Analytical Engines' } },
    },
  ])(
    '"Test Request" of $method $path sends no optional parameter',
    async ({ tag, link, body, ...operation }) => {
      await connectCrm();
      await openReference();
      await page.getByLabel('Value', { exact: true }).first().fill(apiKey);
      await contents()
        .getByRole('button', { name: `Open Group - ${tag}`, exact: true })
        .click();
      const response = await tryOperation(tag, link, operation);
      const sent = response.request();
      const { pathname, search } = new URL(sent.url());
      const path = operation.path.replace('{toolSlug}', 'sandbox-crm-create-contact');
      expect([response.status(), pathname, search]).toEqual([200, path, '']);
      expect(await sent.headerValue('idempotency-key')).toBeNull();
      expect(sent.postDataJSON()).toEqual(body);
      expect(complaints).toEqual([]);
    },
  );

  it('keeps the key over a reload in the storage of the tab while the box is ticked, and no longer', async () => {
    const key = () => page.getByLabel('Value', { exact: true }).first();
    const box = () => page.getByRole('checkbox', { name: 'Keep the API key in this tab' });
    const reload = async () => {
      await page.reload();
      await key().waitFor();
    };
    await openReference();
    await key().fill(apiKey);
    await reload();
    expect([await key().inputValue(), await box().isChecked()]).toEqual(['', false]);
    await key().fill(apiKey);
    await box().check();
    await reload();
    expect([await key().inputValue(), await box().isChecked()]).toEqual([apiKey, true]);
    expect(await page.evaluate<string>('JSON.stringify([localStorage, document.cookie])')).not.toContain(
      apiKey,
    );
    const { status, body } = await tryWhoami();
    expect([status, body.credentialType]).toEqual([200, 'apiKey']);
    await page.goto(stack.docsUrl);
    await box().uncheck();
    await expectNothingKept(apiKey);
    await reload();
    expect([await key().inputValue(), await box().isChecked()]).toEqual(['', false]);
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

describe('pages to read', () => {
  const addresses = async () => {
    const list = await (await fetch(`${stack.docsUrl}/guides`)).text();
    return [...list.matchAll(/<li><a href="([^"]+)"/g)].map(([, path = '']) => stack.baseUrl + path);
  };

  it('the address of the installation leads people on to the documentation', async () => {
    await page.goto(stack.baseUrl);
    await expectAccessible(page, 'home');
    expect(await page.locator('main').innerText()).toContain(`${stack.baseUrl}/v1/auth/whoami`);
    await page.getByRole('navigation').getByRole('link', { name: 'API reference' }).click();
    await page.getByRole('heading', { name: 'Fairlead API' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('the address leads to the reference with the sign-in chosen', async () => {
    await page.goto(stack.baseUrl);
    await page.getByRole('link', { name: 'Sign in and try the API' }).click();
    await page.getByRole('button', { name: 'Authorize' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('a guide is reached and read with scripts off and the keyboard alone', async () => {
    const cdp = await browser.context.newCDPSession(page);
    await cdp.send('Emulation.setScriptExecutionDisabled', { value: true });
    await page.goto(stack.baseUrl);
    for (const name of ['Guides', 'Rate limits', 'All guides']) {
      const link = page.getByRole('link', { name, exact: true }).first();
      await expect
        .poll(async () => {
          await page.keyboard.press('Tab');
          return link.evaluate((element) => element === element.ownerDocument.activeElement);
        })
        .toBe(true);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: name === 'Rate limits' ? name : 'Guides' }).waitFor();
    }
    expect(complaints).toEqual([]);
  });

  it('guides are accessible, light and dark, and each fits a phone screen', async () => {
    await page.goto(`${stack.docsUrl}/guides`);
    await expectAccessible(page, 'guides');
    // This guide has tables, code, a list of sections and links; the others have the same style.
    await page.goto(`${stack.docsUrl}/guides/rate-limits`);
    await expectAccessible(page, 'guide');
    await page.setViewportSize({ width: 320, height: 640 });
    for (const address of await addresses()) {
      await page.goto(address);
      expect(await violationsOf(page), address).toEqual([]);
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      expect(width, address).toBeLessThanOrEqual(320);
    }
    expect(complaints).toEqual([]);
  });

  it('an address that is no route is a page with a way back', async () => {
    const answer = await page.goto(`${stack.baseUrl}/nothing/here`);
    expect(answer?.status()).toBe(404);
    await expectAccessible(page, 'not-found');
    await page.getByRole('link', { name: 'Go to the start page' }).click();
    await page.getByRole('heading', { name: 'Welcome to Fairlead' }).waitFor();
  });

  it('the page that a sign-in comes back to is for everybody', async () => {
    await page.goto(`${stack.docsUrl}/signed-in`);
    await expectAccessible(page, 'signed-in');
    expect(complaints).toEqual([]);
  });
});
