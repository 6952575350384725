import { bearerOf, pageOf, startDouble, tokenRefusal } from './double.ts';
import type { Double } from './double.ts';

/** Number of accounts in its organization. */
export const ACCOUNTS = 5;

const API = '/services/data/v62.0';
const accounts = Array.from({ length: ACCOUNTS }, (_, index) => {
  const id = `001D00000${index}IqhSLIAZ`;
  const attributes = { type: 'Account', url: `${API}/sobjects/Account/${id}` };
  return { attributes, Id: id, Name: `Account ${index}` };
});

/**
 * Starts the double of Salesforce: people sign in at one host, and the tokens name another host for the API. Tokens have no expiry; a
 * refresh returns no refresh token, and moves the organization to a third host.
 */
export function startSalesforce(): Promise<Double> {
  return startDouble(
    ([, first = '', moved = '']) => ({
      placeOf: (path) =>
        path.endsWith('/services/oauth2/authorize')
          ? 'authorize'
          : path.endsWith('/services/oauth2/token')
            ? 'token'
            : 'api',
      prefixes: { access: '00DD0!AQ', refresh: '5Aep861' },
      rotates: false,
      granted: ({ accessToken, refreshToken, scope }, { isRefresh }) => ({
        access_token: accessToken,
        ...(refreshToken !== undefined && { refresh_token: refreshToken }),
        signature: 'CMJ4l+CCaPQiKjoOEwEig9H4wqhpuLSk4J2urAe+fVg=',
        scope,
        instance_url: isRefresh ? moved : first,
        id: 'https://login.salesforce.com/id/00DD0000000FH8lMAG/005D0000001KyQIIA0',
        token_type: 'Bearer',
        issued_at: '1780000000000',
      }),
      refused: {
        client: tokenRefusal(400, 'invalid_client', 'invalid client credentials'),
        code: tokenRefusal(400, 'invalid_grant', 'invalid authorization code'),
        refreshToken: tokenRefusal(400, 'invalid_grant', 'expired access/refresh token'),
      },
      tokenOf: bearerOf,
      unauthorized: {
        status: 401,
        body: [{ message: 'Session expired or invalid', errorCode: 'INVALID_SESSION_ID' }],
      },
      answer: ({ path }) => {
        if (path === `${API}/limits`)
          return { body: { DailyApiRequests: { Max: 15_000, Remaining: 14_998 } } };
        const cursor = /\/query(?:\/01gD0000002HU6KIAW-(.+))?$/.exec(path);
        if (cursor === null)
          return {
            status: 404,
            body: [{ errorCode: 'NOT_FOUND', message: 'The requested resource does not exist' }],
          };
        const { items, next } = pageOf(accounts, cursor[1]);
        return {
          body: {
            totalSize: accounts.length,
            done: next === undefined,
            ...(next !== undefined && { nextRecordsUrl: `${API}/query/01gD0000002HU6KIAW-${next}` }),
            records: items,
          },
        };
      },
    }),
    3,
  );
}
