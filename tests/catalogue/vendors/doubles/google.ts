import type { TestResponse } from '@fairlead/connector-runtime/testing/http-server';
import { bearerOf, pageOf, startDouble, tokenRefusal } from './double.ts';
import type { Double } from './double.ts';

/** Number of events in its calendar. */
export const EVENTS = 5;

const events = Array.from({ length: EVENTS }, (_, index) => ({
  kind: 'calendar#event',
  etag: `"318161098849${index}"`,
  id: `event${index}`,
  status: 'confirmed',
  htmlLink: `https://www.google.com/calendar/event?eid=event${index}`,
  created: '2026-05-01T09:00:00.000Z',
  updated: '2026-05-01T09:00:00.000Z',
  summary: `Event ${index}`,
  creator: { email: 'ada@example.com', self: true },
  organizer: { email: 'ada@example.com', self: true },
  start: { dateTime: '2026-05-01T09:00:00+02:00', timeZone: 'Europe/Berlin' },
  end: { dateTime: '2026-05-01T10:00:00+02:00', timeZone: 'Europe/Berlin' },
  iCalUID: `event${index}@google.com`,
  sequence: 0,
  reminders: { useDefault: true },
  eventType: 'default',
}));

/** An error of the API. */
function refusal(code: number, message: string, error: object, status?: string): TestResponse {
  const errors = [{ message, ...error }];
  return {
    status: code,
    body: { error: { code, message, errors, ...(status !== undefined && { status }) } },
  };
}

/** Starts the double of Google: a refresh returns no refresh token, the callback names the issuer, and rate limits are 403 or 429. */
export function startGoogle(): Promise<Double> {
  const added: Readonly<Record<string, unknown>>[] = [];
  return startDouble(([url = '']) => ({
    add: (record) => added.push({ ...record, updated: new Date().toISOString() }),
    placeOf: (path) => (path === '/o/oauth2/v2/auth' ? 'authorize' : path === '/token' ? 'token' : 'api'),
    callback: ({ query }) => ({
      iss: url,
      scope: query.get('scope') ?? '',
      authuser: '0',
      prompt: 'consent',
    }),
    prefixes: { access: 'ya29.', refresh: '1//0' },
    rotates: false,
    granted: ({ accessToken, refreshToken, scope }) => ({
      access_token: accessToken,
      expires_in: 3599,
      ...(refreshToken !== undefined && { refresh_token: refreshToken }),
      scope,
      token_type: 'Bearer',
    }),
    refused: {
      client: tokenRefusal(401, 'invalid_client', 'Unauthorized'),
      code: tokenRefusal(400, 'invalid_grant', 'Malformed auth code.'),
      refreshToken: tokenRefusal(400, 'invalid_grant', 'Token has been expired or revoked.'),
    },
    tokenOf: bearerOf,
    unauthorized: refusal(
      401,
      'Request had invalid authentication credentials.',
      {
        domain: 'global',
        reason: 'authError',
        location: 'Authorization',
        locationType: 'header',
      },
      'UNAUTHENTICATED',
    ),
    answer: ({ path, query }) => {
      if (path === '/calendar/v3/users/me/calendarList')
        return { body: { kind: 'calendar#calendarList', items: [{ id: 'ada@example.com', primary: true }] } };
      if (path !== '/calendar/v3/calendars/primary/events')
        return refusal(404, 'Not Found', { domain: 'global', reason: 'notFound' });
      const updatedMin = query.get('updatedMin');
      const listed = updatedMin === null ? events : changedSince(added, updatedMin);
      const { items, next } = pageOf<unknown>(listed, query.get('pageToken'));
      return {
        body: {
          kind: 'calendar#events',
          summary: 'ada@example.com',
          timeZone: 'Europe/Berlin',
          items,
          ...(next === undefined ? { nextSyncToken: 'CAtoken' } : { nextPageToken: next }),
        },
      };
    },
  }));
}

/** Events since a time, the oldest first, beside a deleted one of which only the id is told. */
function changedSince(
  added: readonly Readonly<Record<string, unknown>>[],
  updatedMin: string,
): readonly unknown[] {
  const changed = added.filter(({ updated }) => Date.parse(String(updated)) >= Date.parse(updatedMin));
  return [{ id: 'deleted', status: 'cancelled' }, ...changed];
}
