import { startOAuthStack } from '@fairlead-services/identity/testing/oauth-stack';
import type { OAuthStack } from '@fairlead-services/identity/testing/oauth-stack';
import { startUpstreamIdp } from '@fairlead-services/identity/pages/testing/upstream-idp';
import type { UpstreamIdp } from '@fairlead-services/identity/pages/testing/upstream-idp';
import { UPSTREAM_CALLBACK_PATH } from '@fairlead-services/identity/pages/upstream-sign-in';
import { createAccount } from '@fairlead-services/identity/use-cases/create-account';
import { Secret } from '@fairlead/service-kit/secret';
import { platformContext } from '@fairlead/service-kit/testing/account-data';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest';
import { openBrowser } from '../setup/browser.ts';
import { startClientApp } from './support/client-app.ts';
import type { ClientApp, Checks } from './support/client-app.ts';
import { expectAccessible } from './support/look.ts';

/** A separate identity, because the stack's has no upstream provider. */
let identity: OAuthStack;
let idp: UpstreamIdp;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let app: ClientApp;
let page: Page;
let checks: Checks;

/** Starts an identity service in which people can sign in with the provider. */
function startIdentity(): Promise<OAuthStack> {
  const { issuer, clientId, clientSecret, name } = idp.settings;
  return startOAuthStack(inject('stack'), {
    env: {
      UPSTREAM_OIDC_ISSUER: issuer.href,
      UPSTREAM_OIDC_CLIENT_ID: clientId,
      UPSTREAM_OIDC_CLIENT_SECRET: clientSecret.reveal(),
      UPSTREAM_OIDC_NAME: name,
    },
  });
}

beforeAll(async () => {
  idp = await startUpstreamIdp({ redirectUri: () => identity.publicUrl + UPSTREAM_CALLBACK_PATH });
  identity = await startIdentity();
  app = await startClientApp({ gateway: identity.publicUrl, name: 'Acme Assistant' });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await app.close();
  await identity.close();
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

/** Allows the request; returns the account in which the application then acts. */
async function allowedAccount(): Promise<string | undefined> {
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.waitForURL(`${app.redirectUri}?**`);
  const { access_token: token } = await app.redeem(page.url(), checks);
  const owner = await identity.replicas[0].ownerOf(token);
  return owner?.accountId;
}

describe('sign-in with the upstream provider', () => {
  const continueThere = () => page.getByRole('link', { name: 'Continue with Example ID' }).click();

  it('a person whom the provider authenticated continues to consent without a password', async () => {
    idp.person = { sub: 'olga', email: identity.owner.email };
    await expectAccessible(page, 'sign-in-upstream');
    await continueThere();
    await page.getByRole('heading', { name: 'Allow access?' }).waitFor();
    expect(await page.locator('main').innerText()).toContain(identity.owner.email);
    expect(await allowedAccount()).toBe(identity.owner.accountId);
  });

  it('an unknown person gets a message, with the password form beside it', async () => {
    idp.person = { sub: 'stranger', email: 'stranger@elsewhere.example' };
    await continueThere();
    await page.getByRole('alert').getByText('No user matches this sign-in').waitFor();
    await expectAccessible(page, 'upstream-unknown');
    await page.getByLabel('E-mail address').fill(identity.owner.email);
    await page.getByLabel('Password').fill(identity.owner.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    expect(await allowedAccount()).toBe(identity.owner.accountId);
  });

  it('an unreachable provider is reported, with the password form beside it', async () => {
    // A new identity has not read the provider's metadata yet.
    const other = await startIdentity();
    onTestFinished(() => other.close());
    const itsApp = await startClientApp({ gateway: other.publicUrl, name: 'Acme Assistant' });
    onTestFinished(() => itsApp.close());
    await page.goto((await itsApp.begin({ scope: 'connections.read' })).url);
    idp.isDown = true;
    await continueThere();
    await page.getByRole('alert').getByText('Example ID is not responding').waitFor();
    await expectAccessible(page, 'upstream-away');
    expect(await page.getByLabel('Password').isVisible()).toBe(true);
  });
});

describe('a person with users in two accounts', () => {
  it('chooses the account that the application gets, by mouse or keyboard', async () => {
    const other = await createAccount(identity.deps, platformContext, {
      name: 'Another account',
      ownerEmail: identity.owner.email,
      ownerPassword: new Secret(identity.owner.password),
    });
    await page.getByLabel('E-mail address').fill(identity.owner.email);
    await page.getByLabel('Password').fill(identity.owner.password);
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
