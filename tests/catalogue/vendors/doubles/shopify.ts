import type { TestResponse } from '@fairlead/connector-runtime/testing/http-server';
import { pageOf, startDouble, tokenRefusal } from './double.ts';
import type { Double } from './double.ts';

/** Number of orders in its shop. */
export const ORDERS = 5;

const orders = Array.from({ length: ORDERS }, (_, index) => ({
  id: `gid://shopify/Order/45078955${index}`,
  name: `#100${index}`,
  email: 'ada@example.com',
  phone: null,
  createdAt: '2026-05-01T09:00:00Z',
  displayFinancialStatus: 'PAID',
  tags: [],
  lineItems: { nodes: [] },
}));

/** The costs of a call, returned beside its data. */
const extensions = {
  cost: {
    requestedQueryCost: 12,
    actualQueryCost: 8,
    throttleStatus: { maximumAvailable: 2000, currentlyAvailable: 1992, restoreRate: 100 },
  },
};

/** Scopes as Shopify returns them: a write scope implies the read scope, which is omitted. */
function stated(scope: string): string {
  const asked = scope.split(',');
  return asked
    .filter((name) => !name.startsWith('read_') || !asked.includes(name.replace('read_', 'write_')))
    .join(',');
}

/**
 * Starts the double of Shopify, whose paths begin with the shop. Clients that ask for it get expiring tokens. Failures are a 200 with
 * `errors`, or with `userErrors` beside the data.
 */
export function startShopify(): Promise<Double> {
  return startDouble(() => ({
    placeOf: (path) =>
      path.endsWith('/admin/oauth/authorize')
        ? 'authorize'
        : path.endsWith('/admin/oauth/access_token')
          ? 'token'
          : 'api',
    callback: ({ path }) => ({
      hmac: 'a'.repeat(64),
      host: 'YWRtaW4uc2hvcGlmeS5jb20',
      shop: `${path.split('/')[1] ?? ''}.myshopify.com`,
      timestamp: '1780000000',
    }),
    prefixes: { access: 'shpat_', refresh: 'shprt_' },
    rotates: true,
    granted: ({ accessToken, refreshToken, scope }, { isRefresh, parameters }) => ({
      access_token: accessToken,
      scope: stated(scope),
      ...((isRefresh || parameters.get('expiring') === '1') && {
        expires_in: 3600,
        refresh_token: refreshToken,
        refresh_token_expires_in: 7_776_000,
      }),
    }),
    refused: {
      client: tokenRefusal(400, 'application_cannot_be_found', 'No such application'),
      code: tokenRefusal(400, 'invalid_request', 'The authorization code was not found'),
      refreshToken: tokenRefusal(400, 'invalid_grant', 'The refresh token is not valid'),
    },
    tokenOf: ({ headers }) => {
      const token = headers['x-shopify-access-token'];
      return typeof token === 'string' ? token : undefined;
    },
    unauthorized: {
      status: 401,
      body: { errors: '[API] Invalid API key or access token (unrecognized login or wrong password)' },
    },
    answer: ({ body }) => {
      // Sent by our runtime: GraphQL has no other members.
      const { query, variables } = JSON.parse(body) as { query: string; variables: { after?: string } };
      if (query.startsWith('query Shop')) return { body: { data: { shop: { id: 'gid://shopify/Shop/1' } } } };
      if (!query.startsWith('query Orders')) return unknownField();
      const { items, next } = pageOf(orders, variables.after);
      const pageInfo = { hasNextPage: next !== undefined, endCursor: next ?? null };
      return { body: { data: { orders: { nodes: items, pageInfo } }, extensions } };
    },
  }));
}

function unknownField(): TestResponse {
  const error = {
    message: "Field 'unknown' doesn't exist on type 'QueryRoot'",
    locations: [{ line: 1, column: 3 }],
    path: ['query', 'unknown'],
    extensions: { code: 'undefinedField', typeName: 'QueryRoot', fieldName: 'unknown' },
  };
  return { body: { errors: [error] } };
}
