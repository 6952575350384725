import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SandboxCrm } from '../app.ts';
import { startTestCrm, testConfig } from '../testing/sandbox.ts';

const { apiToken, user } = testConfig;
let crm: SandboxCrm;

beforeEach(async () => {
  crm = await startTestCrm();
});
afterEach(() => crm.close());

const address = (): string => `${crm.url}/settings/api-token`;
const signIn = (email: string, password: string): Promise<Response> =>
  fetch(address(), { method: 'POST', body: new URLSearchParams({ email, password }) });

test('a person sees the API token after a sign-in, and nobody before', async () => {
  const asked = await fetch(address());
  expect(asked.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(await asked.text()).not.toContain(apiToken);
  const shown = await signIn(user.email.toUpperCase(), user.password);
  expect([shown.status, shown.headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(await shown.text()).toContain(`value="${apiToken}"`);
});

test.each([
  ['password', user.email, 'wrong'],
  ['e-mail address', 'else@harbour.example', user.password],
])('another %s gets the form again, with the reason', async (_what, email, password) => {
  const answer = await signIn(email, password);
  const text = await answer.text();
  expect([answer.status, text.includes('do not match'), text.includes(apiToken)]).toEqual([401, true, false]);
  expect(text).toContain(`value="${email}"`);
});
