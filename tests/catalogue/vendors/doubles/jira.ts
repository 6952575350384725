import type { ReceivedRequest, TestResponse } from '@fairlead/connector-runtime/testing/http-server';
import { bearerOf, pageOf, startDouble, tokenRefusal } from './double.ts';
import type { Double } from './double.ts';

/** Number of issues in its sites. */
export const ISSUES = 5;

/** Sites that the signed-in person may use, by cloud id. */
export const SITES = {
  '1324a887-45db-1bf4-1e99-ef0ff456d421': 'https://ada.atlassian.net',
  '5e3a9c1f-02b6-4c0e-9d7b-0a1b2c3d4e5f': 'https://grace.atlassian.net',
} as const;

/** The account for which API tokens are valid. */
export const ACCOUNT = { email: 'ada@example.com', token: 'token-of-the-account-of-the-walk' } as const;

const issues = Array.from({ length: ISSUES }, (_, index) => ({
  expand: 'operations,versionedRepresentations,editmeta,changelog,renderedFields',
  id: `1000${index}`,
  self: `https://ada.atlassian.net/rest/api/3/issue/1000${index}`,
  key: `APP-${index}`,
  fields: { summary: `Issue ${index}`, labels: [], status: { name: 'To Do', id: '10000' } },
}));

interface ChangedIssue {
  readonly id: string;
  readonly key: unknown;
  readonly fields: { readonly updated: string };
}

const unauthorized: TestResponse = { status: 401, body: { code: 401, message: 'Unauthorized' } };

/** Starts the double of Atlassian: token requests are JSON, refresh tokens can be used once, and a site's API is below its cloud id. */
export function startJira(): Promise<Double> {
  const added: ChangedIssue[] = [];
  return startDouble(() => ({
    add: ({ key }) => added.push({ id: String(20_000 + added.length), key, fields: { updated: now() } }),
    placeOf: (path) => {
      if (path === '/authorize') return 'authorize';
      if (path === '/oauth/token') return 'token';
      return path.startsWith('/site/') ? 'open' : 'api';
    },
    prefixes: { access: 'eyJhbGciOi.', refresh: 'eyJyZWZyZX.' },
    rotates: true,
    granted: ({ accessToken, refreshToken, scope }) => ({
      access_token: accessToken,
      expires_in: 3600,
      token_type: 'Bearer',
      refresh_token: refreshToken,
      scope,
    }),
    refused: {
      client: tokenRefusal(401, 'access_denied', 'Unauthorized'),
      code: tokenRefusal(403, 'invalid_grant', 'Invalid authorization code'),
      refreshToken: tokenRefusal(403, 'invalid_grant', 'Unknown or invalid refresh token.'),
    },
    tokenOf: bearerOf,
    unauthorized,
    answer: (request) => {
      const { path, query } = request;
      if (path === '/oauth/token/accessible-resources') return { body: resources() };
      if (path.startsWith('/site/') && !isAccount(request)) return unauthorized;
      if (path.endsWith('/rest/api/3/myself')) return { body: { accountId: '5b10a2844c20165700ede21g' } };
      if (!path.endsWith('/rest/api/3/search/jql'))
        return { status: 404, body: { errorMessages: ['Issue does not exist.'], errors: {} } };
      const since = /\bupdated >= (\d+) ORDER BY updated ASC$/.exec(query.get('jql') ?? '')?.[1];
      const found = since === undefined ? issues : changedSince(added, Number(since));
      const { items, next } = pageOf<unknown>(found, query.get('nextPageToken'));
      return {
        body: {
          issues: items,
          isLast: next === undefined,
          ...(next !== undefined && { nextPageToken: next }),
        },
      };
    },
  }));
}

function resources(): readonly object[] {
  return Object.entries(SITES).map(([id, url]) => ({
    id,
    url,
    name: new URL(url).hostname.split('.', 1)[0],
    scopes: ['read:jira-work', 'write:jira-work', 'read:jira-user', 'manage:jira-project'],
    avatarUrl: 'https://site-admin-avatar-cdn.prod.public.atl-paas.net/avatars/240/rocket.png',
  }));
}

function isAccount({ headers }: ReceivedRequest): boolean {
  const pair = Buffer.from(`${ACCOUNT.email}:${ACCOUNT.token}`).toString('base64');
  return headers.authorization === `Basic ${pair}`;
}

/** The time as Jira writes it: its zone has no colon. */
function now(): string {
  return new Date().toISOString().replace('Z', '+0000');
}

function changedSince(added: readonly ChangedIssue[], sinceMs: number): readonly ChangedIssue[] {
  return added.filter(({ fields }) => Date.parse(fields.updated) >= sinceMs);
}
