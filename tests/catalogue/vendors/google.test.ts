import { beforeAll, describe, expect, it } from 'vitest';
import { EVENTS } from './doubles/google.ts';
import {
  expectFiring,
  expectRefusal,
  expectRenewals,
  expectRetry,
  expectSignInNeeded,
  expectSuccess,
  signInTo,
} from './support/walk.ts';
import type { Walk } from './support/walk.ts';

const LIST = 'google-calendar-list-events';

/** A rate limit refusal, with status 403 or 429. */
const limited = (status: number): { readonly status: number; readonly body: object } => {
  const message = 'Rate Limit Exceeded';
  const errors = [{ domain: 'usageLimits', reason: 'rateLimitExceeded', message }];
  return { status, body: { error: { code: status, message, errors } } };
};

describe('Google', () => {
  let walk: Walk;
  beforeAll(async () => {
    walk = await signInTo('google-calendar');
  });

  it('signs in with PKCE for access that lasts, and accepts the issuer of the response', () => {
    const [asked] = walk.signIn;
    expect(asked?.query).toMatchObject({
      access_type: 'offline',
      prompt: 'consent',
      scope: 'https://www.googleapis.com/auth/calendar',
      code_challenge_method: 'S256',
    });
    expect(walk.connection).toMatchObject({
      status: 'Active',
      grantedScopes: ['https://www.googleapis.com/auth/calendar'],
    });
  });

  it('reads a list over several pages, with only the members that stay', async () => {
    await walk.double.received();
    const { items } = expectSuccess(await walk.execute(LIST, { timeMin: '2026-05-01T00:00:00Z' }));
    const events = Array.from({ length: EVENTS }, (_, index) => ({ id: `event${index}` }));
    expect(items).toMatchObject(events);
    expect(JSON.stringify(items)).not.toContain('etag');
    const pages = await walk.double.received();
    expect(pages.map(({ query }) => query['pageToken'] ?? null)).toEqual([
      null,
      expect.any(String),
      expect.any(String),
    ]);
    const last = pages[2]?.query;
    expect(last).toMatchObject({ timeMin: '2026-05-01T00:00:00Z', singleEvents: 'true' });
    expect(last?.['fields']).toContain('nextPageToken,items(');
  });

  it('fires for a changed event, and passes over a deleted one without a time', async () => {
    const requests = await expectFiring(walk, {
      triggerTypeSlug: 'google-calendar-event-changed',
      configuration: { calendarId: 'primary' },
      record: { id: 'new', status: 'confirmed', summary: 'Lunch' },
      payload: { id: 'new', summary: 'Lunch' },
    });
    expect(requests[0]).toMatchObject({
      path: '/calendar/v3/calendars/primary/events',
      query: { orderBy: 'updated' },
    });
    expect(requests[0]?.query['updatedMin']).toMatch(/Z$/);
  });

  it('renews an expired token again and again with the first refresh token', async () => {
    await walk.double.received();
    await expectRenewals(walk, () => walk.execute(LIST));
    const renewals = (await walk.double.received()).filter(({ path }) => path === '/token');
    const sent = renewals.map(({ body }) => new URLSearchParams(body).get('refresh_token'));
    expect(sent).toEqual([expect.stringMatching(/^1\/\/0/), sent[0]]);
  });

  it('reads again after a 429, and after a 403 for the rate of the calls', async () => {
    for (const status of [429, 403]) {
      await walk.double.answer(limited(status));
      expectRetry(await walk.execute(LIST));
    }
  });

  it('says why a call was refused', async () => {
    expectRefusal(
      await walk.execute('google-calendar-get-calendar', { calendarId: 'unknown' }),
      'Google Calendar responded with 404: Not Found',
    );
  });

  it('needs a new sign-in once the grant is revoked', async () => {
    await walk.double.order({ revoke: true });
    expect(await walk.execute(LIST)).toMatchObject({ isSuccess: false });
    await expectSignInNeeded(walk, 'Token has been expired or revoked.');
  });
});
