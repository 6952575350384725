import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { openBrowser } from '../setup/browser.ts';
import { listen } from './support/client-app.ts';
import { expectAccessible } from './support/look.ts';

const stack = inject('stack');
const HOSTILE = 'Evil <img src=x onerror=alert(1)> \u202Egnp.exe';

let browser: Awaited<ReturnType<typeof openBrowser>>;
let page: Page;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());
beforeEach(async () => {
  await browser.context.clearCookies();
  page = await browser.context.newPage();
  return () => page.close();
});

async function api(method: string, path: string, body?: unknown): Promise<any> {
  const answer = await fetch(stack.baseUrl + path, {
    method,
    headers: { 'x-api-key': stack.otherAccount.apiKey, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(answer.status, path).toBeLessThan(300);
  return answer.json();
}

const start = (): Promise<{ signInUrl: string; state: string }> =>
  api('POST', '/v1/connections/get-sign-in-url', { applicationSlug: 'sandbox-crm', authenticationId: 0 });
const poll = ({ state }: { state: string }): Promise<any> =>
  api('GET', `/v1/connections/access-token/${state}`);

/** Signs in at the vendor and allows access; returns the text of the next page. */
async function allowAtTheVendor(): Promise<string> {
  await page.getByLabel(/e-?mail/i).fill(stack.sandboxCrm.user);
  await page.getByLabel(/password/i).fill(stack.sandboxCrm.password);
  await page.getByRole('button', { name: /sign in/i }).click();
  await page.getByRole('button', { name: /allow/i }).click();
  await page.waitForURL(`${stack.baseUrl}/connect/**`);
  return page.locator('main').innerText();
}

describe('the sign-in page', () => {
  it('says who asks, and its button leads through the vendor to the end; with scripts off and the keyboard alone', async () => {
    const signIn = await start();
    const { accountName, userName } = await api('GET', '/v1/auth/whoami');
    const cdp = await browser.context.newCDPSession(page);
    await cdp.send('Emulation.setScriptExecutionDisabled', { value: true });
    await page.goto(signIn.signInUrl);
    const text = await page.locator('main').innerText();
    for (const shown of [accountName, userName, 'Sandbox CRM', 'See contacts']) expect(text).toContain(shown);
    expect(page.url()).toBe(signIn.signInUrl);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${stack.sandboxCrm.url}/**`);
    expect(await allowAtTheVendor()).toContain('You are signed in');
    expect(await poll(signIn)).toMatchObject({ status: 'completed' });
  });

  it('is for everybody, whatever the names are: nothing that axe finds, light and dark, no sideways scrolling', async () => {
    const { accountName } = await api('GET', '/v1/auth/whoami');
    await api('PATCH', '/admin/v1/account', { name: `${HOSTILE}${'x'.repeat(60)}` });
    try {
      await page.goto((await start()).signInUrl);
      await expectAccessible(page, 'vendor-sign-in');
      const text = await page.locator('main').innerText();
      expect(text).toContain('Evil <img src=x onerror=alert(1)> gnp.exe');
      expect(await page.locator('img').count()).toBe(0);
    } finally {
      await api('PATCH', '/admin/v1/account', { name: accountName });
    }
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: 'Nothing was connected' }).waitFor();
    await expectAccessible(page, 'vendor-sign-in-cancelled');
    await page.goto(`${stack.baseUrl}/connect/start/00000000-0000-4000-8000-000000000000`);
    await page.getByRole('heading', { name: 'This sign-in has ended' }).waitFor();
    await expectAccessible(page, 'vendor-sign-in-ended');
  });

  it('cannot be pressed by another site, in a frame or by a form', async () => {
    const signIn = await start();
    const site = await listen((request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(
        request.url === '/frame'
          ? `<iframe src="${signIn.signInUrl}"></iframe>`
          : `<form method="post" action="${signIn.signInUrl}"><input name="form_token" value="x"><button>Win</button></form>`,
      );
    }, 'localhost');
    try {
      await page.goto(`${site.url}/frame`);
      await expect.poll(() => page.frames()[1]?.url()).toMatch(/^chrome-error:/);
      await page.goto(signIn.signInUrl); // the person's browser has the page's cookie
      await page.goto(site.url);
      await page.getByRole('button', { name: 'Win' }).click();
      await page.getByRole('heading', { name: 'This form cannot be accepted' }).waitFor();
    } finally {
      await site.close();
    }
  });

  it('an address at the vendor that is passed on connects nobody: only the browser that pressed the button returns', async () => {
    const signIn = await start();
    await page.goto(signIn.signInUrl);
    const leads = page.waitForRequest((request) => request.url().startsWith(stack.sandboxCrm.url));
    await page.getByRole('button', { name: /continue/i }).click();
    const passedOn = (await leads).url();
    expect(passedOn).toContain(signIn.state);
    const victim = await openBrowser();
    const own = page;
    try {
      page = await victim.context.newPage();
      await page.goto(passedOn);
      expect(await allowAtTheVendor()).toContain('This sign-in has ended');
    } finally {
      page = own;
      await victim.close();
    }
    expect(await poll(signIn)).toBeNull();
  });
});
