import { startOAuthStack } from '@fairlead-services/identity/testing/oauth-stack';
import type { OAuthStack } from '@fairlead-services/identity/testing/oauth-stack';
import { upstreamRepository } from '@fairlead-services/identity/storage/upstream.repository';
import { startUpstreamIdp } from '@fairlead-services/identity/pages/testing/upstream-idp';
import type { UpstreamIdp } from '@fairlead-services/identity/pages/testing/upstream-idp';
import { createUpstreamProvider } from '@fairlead-services/identity/pages/upstream-provider';
import { UPSTREAM_CALLBACK_PATH } from '@fairlead-services/identity/pages/upstream-sign-in';
import { ManualClock } from '@fairlead/service-kit/clock';
import { Secret } from '@fairlead/service-kit/secret';
import { testContext } from '@fairlead/service-kit/testing/context';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { openBrowser } from '../setup/browser.ts';
import { startClientApp } from './support/client-app.ts';
import type { ClientApp, Checks } from './support/client-app.ts';
import { expectAccessible } from './support/look.ts';

/** A separate gateway, because that of the whole stack has no upstream provider. */
let gateway: OAuthStack;
let idp: UpstreamIdp;
/** The time after which the provider's metadata is stale. */
const metadataClock = new ManualClock(new Date());
let browser: Awaited<ReturnType<typeof openBrowser>>;
let app: ClientApp;
let page: Page;
let checks: Checks;

beforeAll(async () => {
  idp = await startUpstreamIdp({ redirectUri: () => gateway.publicUrl + UPSTREAM_CALLBACK_PATH });
  gateway = await startOAuthStack({
    mongodbUri: inject('stack').mongodbUri,
    upstream: ({ store, clock }) => ({
      provider: createUpstreamProvider({ settings: idp.settings, clock: metadataClock }),
      store: upstreamRepository({ store, clock }),
    }),
  });
  app = await startClientApp({ gateway: gateway.publicUrl, name: 'Acme Assistant' });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await app.close();
  await gateway.close();
  await idp.close();
});
beforeEach(async () => {
  await browser.context.clearCookies();
  page = await browser.context.newPage();
  idp.person = undefined;
  idp.isDown = false;
  const begun = await app.begin({ scope: 'connections.read' });
  checks = begun.checks;
  await page.goto(begun.url);
  return () => page.close();
});

/** Allows the request, and returns the account in which the application then acts. */
async function allowedAccount(): Promise<string> {
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.waitForURL(`${app.redirectUri}?**`);
  const { access_token: token } = await app.redeem(page.url(), checks);
  const answer = await fetch(`${gateway.publicUrl}/v1/auth/whoami`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { accountId } = (await answer.json()) as { accountId: string };
  return accountId;
}

describe('sign-in with the upstream provider', () => {
  const continueThere = () => page.getByRole('link', { name: 'Continue with Example ID' }).click();

  it('a person whom the provider authenticated continues to consent without a password', async () => {
    idp.person = { sub: 'olga', email: gateway.owner.email };
    await expectAccessible(page, 'sign-in-upstream');
    await continueThere();
    await page.getByRole('heading', { name: 'Allow access?' }).waitFor();
    expect(await page.locator('main').innerText()).toContain(gateway.owner.email);
    expect(await allowedAccount()).toBe(gateway.owner.accountId);
  });

  it('an unknown person gets a message, with the password form beside it', async () => {
    idp.person = { sub: 'stranger', email: 'stranger@elsewhere.example' };
    await continueThere();
    await page.getByRole('alert').getByText('No user matches this sign-in').waitFor();
    await expectAccessible(page, 'upstream-unknown');
    await page.getByLabel('E-mail address').fill(gateway.owner.email);
    await page.getByLabel('Password').fill(gateway.owner.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    expect(await allowedAccount()).toBe(gateway.owner.accountId);
  });

  it('an unreachable provider is reported, with the password form beside it', async () => {
    idp.isDown = true;
    metadataClock.advance(2 * 60 * 60_000);
    await continueThere();
    await page.getByRole('alert').getByText('Example ID is not responding').waitFor();
    await expectAccessible(page, 'upstream-away');
    expect(await page.getByLabel('Password').isVisible()).toBe(true);
  });
});

describe('a person with users in two accounts', () => {
  it('chooses the account that the application gets, by mouse or keyboard', async () => {
    const other = await gateway.identity.createAccountWithOwner(testContext(), {
      name: 'Another account',
      ownerEmail: gateway.owner.email,
      ownerPassword: new Secret(gateway.owner.password),
    });
    await page.getByLabel('E-mail address').fill(gateway.owner.email);
    await page.getByLabel('Password').fill(gateway.owner.password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Choose an account' }).waitFor();
    expect(await page.getByRole('radio', { checked: true }).count()).toBe(0);
    await expectAccessible(page, 'account');
    await page.getByRole('button', { name: 'Continue' }).click();
    expect(await page.getByRole('heading', { name: 'Choose an account' }).isVisible()).toBe(true);
    await page.getByRole('radio', { name: 'Another account' }).focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Allow access?' }).waitFor();
    expect(await page.locator('main').innerText()).toContain('Another account');
    expect(await allowedAccount()).toBe(other.account.id);
  });
});
