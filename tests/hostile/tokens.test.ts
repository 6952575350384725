import { randomUUID } from 'node:crypto';
import { attackMark, renewalMark, TOKEN_ATTACKS } from '@fairlead/connector-runtime/testing/hostile-vendor';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { get, post } from '../contract/support/api.ts';
import type { Answer } from '../contract/support/api.ts';
import { startCrmSignIn, Visitor } from '../contract/support/sign-in.ts';
import type { Bystander } from './support/bystander.ts';
import { startBystander } from './support/bystander.ts';
import { execute, expectFailure } from './support/meet.ts';
import { whileOthersAreServed } from './support/observe.ts';
import type { AttackingCall } from './support/observe.ts';

const REPEATS = 4;

let bystander: Bystander;
beforeAll(async () => {
  bystander = await startBystander();
});
afterAll(() => bystander.stop());

/** Signs in at a vendor that redirects back with this code; returns the state and the final page. */
async function signIn(code: string): Promise<{ state: string; html: string }> {
  const visitor = new Visitor();
  const { signInUrl, state } = await startCrmSignIn();
  const asked = await visitor.open(signInUrl);
  const isVendor = ({ pathname }: URL): boolean => pathname === '/oauth/auth';
  const { url } = await visitor.submit(asked, {}, /continue/i, isVendor);
  const callback = new URL(url.searchParams.get('redirect_uri') ?? '');
  callback.search = new URLSearchParams({ code, state: url.searchParams.get('state') ?? '' }).toString();
  const { html } = await visitor.open(callback.href);
  return { state, html };
}

function repeat(call: AttackingCall): Promise<readonly Answer[]> {
  return whileOthersAreServed(bystander, Array<AttackingCall>(REPEATS).fill(call));
}

describe.each(Object.entries(TOKEN_ATTACKS))('a token endpoint, %s', (name, { says }) => {
  it('fails the sign-in, whose page and status say why', async () => {
    const answers = await repeat(async () => {
      const { state, html } = await signIn(attackMark(name));
      expect(html).toContain('The sign-in did not succeed');
      return get(`/v1/connections/access-token/${state}`);
    });
    for (const { status, text, body } of answers) {
      expect({ status, code: body.errorCode }, text).toEqual({ status: 400, code: 'OAUTH_SIGN_IN_FAILED' });
      expect(body.message).toContain(says);
    }
  });

  it('fails the calls that need a new token', async () => {
    const { state, html } = await signIn(renewalMark(name));
    expect(html).toContain('You are signed in');
    const made = await post('/v1/connections', {
      applicationSlug: 'sandbox-crm',
      connectionName: `Hostile ${randomUUID()}`,
      authenticationId: 0,
      oauthState: state,
      fields: {},
    });
    expect(made.status, made.text).toBe(201);
    const call = { toolSlug: 'sandbox-crm-get-contact', fields: { id: '1' } };
    for (const answer of await repeat(() => execute(made.body.id, call))) expectFailure(answer, says);
  });
});
