import { beforeAll, describe, expect, it } from 'vitest';
import { ORDERS } from './doubles/shopify.ts';
import {
  expectRefusal,
  expectRenewals,
  expectRetry,
  expectSignInNeeded,
  expectSuccess,
  signInTo,
} from './support/walk.ts';
import type { Walk } from './support/walk.ts';

const LIST = 'shopify-list-orders';

describe('Shopify', () => {
  let walk: Walk;
  beforeAll(async () => {
    walk = await signInTo('shopify', { fields: { shop: 'ada-shop' } });
  });

  it('signs in at the shop, for a token that expires', () => {
    const { signIn, connection } = walk;
    expect(signIn.map(({ path }) => path)).toEqual([
      '/ada-shop/admin/oauth/authorize',
      '/ada-shop/admin/oauth/authorize',
      '/ada-shop/admin/oauth/access_token',
    ]);
    expect(new URLSearchParams(signIn[2]?.body).get('expiring')).toBe('1');
    expect(connection).toMatchObject({ status: 'Active', fields: { shop: 'ada-shop' } });
    expect(connection.grantedScopes).toContain('write_orders');
    expect(connection.grantedScopes).not.toContain('read_orders');
  });

  it('reads a list over several pages of a query', async () => {
    await walk.double.received();
    const output = expectSuccess(await walk.execute(LIST));
    const orders = Array.from({ length: ORDERS }, (_, index) => ({ name: `#100${index}` }));
    expect(output).toMatchObject({ items: orders });
    const pages = await walk.double.received();
    expect(pages.map(({ path }) => path)).toEqual(
      Array.from({ length: 3 }, () => '/ada-shop/admin/api/2026-01/graphql.json'),
    );
    for (const { headers } of pages) expect(headers['x-shopify-access-token']).toMatch(/^shpat_/);
  });

  it('renews an expired token again and again, with the refresh token that came last', async () => {
    await expectRenewals(walk, () => walk.execute(LIST));
  });

  it('reads again after a limit by cost, which is a 200; a change is refused without asking for more access', async () => {
    const error = {
      message: 'Throttled',
      extensions: { code: 'THROTTLED', documentation: 'https://shopify.dev/api/usage/rate-limits' },
    };
    const throttleStatus = { maximumAvailable: 2000, currentlyAvailable: 3, restoreRate: 100 };
    const cost = { requestedQueryCost: 752, actualQueryCost: null, throttleStatus };
    const throttled = { body: { errors: [error], extensions: { cost } } };
    await walk.double.answer(throttled);
    expectRetry(await walk.execute(LIST));
    await walk.double.answer(throttled);
    expectRefusal(
      await walk.execute('shopify-create-product', { title: 'x' }),
      'Shopify refused the call: Throttled',
    );
  });

  it('says why a query was refused, though the status is 200', async () => {
    await walk.double.answer({
      body: {
        errors: [{ message: 'Access denied for orders field.', extensions: { code: 'ACCESS_DENIED' } }],
      },
    });
    expectRefusal(await walk.execute(LIST), 'Shopify refused the call: Access denied for orders field.');
  });

  it('says why a change was refused, though the response has data', async () => {
    const userErrors = [
      { field: ['product', 'title'], message: "Title can't be blank" },
      { field: ['product', 'handle'], message: 'Handle is taken' },
    ];
    await walk.double.answer({ body: { data: { productCreate: { product: null, userErrors } } } });
    expectRefusal(
      await walk.execute('shopify-create-product', { title: ' ' }),
      "Shopify refused the call: Title can't be blank; Handle is taken",
    );
  });

  it('needs a new sign-in once the app is uninstalled', async () => {
    await walk.double.order({ revoke: true });
    expect(await walk.execute(LIST)).toMatchObject({ isSuccess: false });
    await expectSignInNeeded(walk, 'The refresh token is not valid');
  });
});
