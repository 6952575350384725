import { notFound } from '@fairlead/errors/api-error';
import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { describe, expect, test } from 'vitest';
import { connectorHead, toolDefinition } from '../testing/fixtures.ts';
import { createCachedCatalog } from './cached-catalog.ts';

function setUp() {
  const clock = new ManualClock(new Date(0));
  const asked: string[] = [];
  const state: { session: number | undefined; exists: boolean } = { session: 1, exists: true };
  let evict: (accountId: string | undefined) => void = () => undefined;
  const catalog = createCachedCatalog(
    {
      resolveTool: (_ctx, toolSlug, applicationSlug) => {
        asked.push(`tool ${toolSlug} ${applicationSlug}`);
        if (!state.exists) return Promise.reject(notFound('tool'));
        return Promise.resolve([
          { applicationSlug: 'crm', isPlatform: true, definition: toolDefinition({ toolSlug }) },
        ]);
      },
      resolveTriggerType: (_ctx, slug) => {
        asked.push(`trigger type ${slug}`);
        return Promise.reject(notFound('trigger type'));
      },
      getConnector: (_ctx, slug) => {
        asked.push(`connector ${slug}`);
        return Promise.resolve(connectorHead({ slug }));
      },
    },
    {
      clock,
      subscribe: (onChange) => {
        evict = onChange;
        return { session: () => state.session };
      },
    },
  );
  return { catalog, clock, asked, state, evict: (accountId: string | undefined) => evict(accountId) };
}

const mine = testContext({ accountId: 'mine' });
const other = testContext({ accountId: 'other' });

describe('the cached catalogue', () => {
  test('caches a response for two seconds', async () => {
    const { catalog, clock, asked } = setUp();
    for (let n = 0; n < 2; n += 1) {
      expect(await catalog.resolveTool(mine, 'list', '')).toMatchObject([
        { definition: { toolSlug: 'list' } },
      ]);
      expect(await catalog.getConnector(mine, 'crm')).toMatchObject({ slug: 'crm' });
    }
    expect(asked).toEqual(['tool list ', 'connector crm']);
    clock.advance(2_000);
    await catalog.resolveTool(mine, 'list', '');
    expect(asked).toHaveLength(3);
  });

  test('distinguishes tools, applications and accounts', async () => {
    const { catalog, asked } = setUp();
    await catalog.resolveTool(mine, 'list', '');
    await catalog.resolveTool(mine, 'list', 'crm');
    await catalog.resolveTool(mine, 'get', '');
    await catalog.resolveTool(other, 'list', '');
    await catalog.getConnector(mine, 'list');
    expect(asked).toHaveLength(5);
  });

  test('a change of the account, or of the platform, is seen by the next call', async () => {
    const { catalog, asked, evict } = setUp();
    for (const ctx of [mine, other]) await catalog.resolveTool(ctx, 'list', '');
    evict('mine');
    for (const ctx of [mine, other]) await catalog.resolveTool(ctx, 'list', '');
    expect(asked).toHaveLength(3);
    evict(undefined);
    for (const ctx of [mine, other]) await catalog.resolveTool(ctx, 'list', '');
    expect(asked).toHaveLength(5);
  });

  test('while changes may be missed, every call reads the catalogue', async () => {
    const { catalog, asked, state } = setUp();
    state.session = undefined;
    await catalog.resolveTool(mine, 'list', '');
    await catalog.resolveTool(mine, 'list', '');
    expect(asked).toHaveLength(2);
  });

  test('a tool that did not exist is found by the next call once it does', async () => {
    const { catalog, state } = setUp();
    state.exists = false;
    await expect(catalog.resolveTool(mine, 'list', '')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    state.exists = true;
    await expect(catalog.resolveTool(mine, 'list', '')).resolves.toHaveLength(1);
  });
});
