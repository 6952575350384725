import { encodeConnector } from '@fairlead/connector-model/codec';
import type { Connector } from '@fairlead/connector-model/model';
import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, it } from 'vitest';
import { contentHash } from '../domain/content-hash.ts';
import { testConnector } from '../testing/connectors.ts';
import { deleteAccountApplication } from './delete-account-application.ts';
import { putAccountApplication } from './put-account-application.ts';

/** The writing side of a store, and what was announced; `isBroken`: its writes fail. */
function setUp({ isBroken = false } = {}) {
  const clock = new ManualClock(new Date('2026-01-05T00:00:00.000Z'));
  const written: unknown[] = [];
  const announced: unknown[] = [];
  const write = (...what: readonly unknown[]): Promise<void> => {
    written.push(what);
    return isBroken ? Promise.reject(new Error('no database')) : Promise.resolve();
  };
  const deps = {
    store: {
      async put(_ctx: unknown, accountId: string, connector: Connector, hash: string, now: Date) {
        await write(accountId, connector.slug, hash);
        return { connector, createdAt: now, updatedAt: now };
      },
      remove: (_ctx: unknown, accountId: string, slug: string) => write(accountId, slug),
    },
    changes: {
      announce(...change: readonly unknown[]) {
        announced.push(change);
        return Promise.resolve();
      },
    },
    platformSlugs: new Set(['crm']),
    clock,
  };
  return { deps, written, announced, clock };
}

const ctx = testContext({ accountId: 'acc_1' });
const connector = testConnector('mcp-7');

it('stores the application for the caller’s account and announces the change', async () => {
  const { deps, written, announced, clock } = setUp();
  expect(await putAccountApplication(deps, ctx, encodeConnector(connector))).toEqual({
    application: { connector, createdAt: clock.now(), updatedAt: clock.now() },
    isAvailable: true,
    score: undefined,
  });
  expect(written).toEqual([['acc_1', 'mcp-7', contentHash(connector)]]);
  expect(announced).toEqual([['acc_1', ctx.requestId]]);
});

it('refuses a slug of the platform, with nothing written', async () => {
  const { deps, written, announced } = setUp();
  const put = putAccountApplication(deps, ctx, encodeConnector(testConnector('crm')));
  await expect(put).rejects.toMatchObject({ code: 'CONFLICT' });
  expect([written, announced]).toEqual([[], []]);
});

it('names every path that breaks a rule, and the whole where it is no connector', async () => {
  const { deps, written } = setUp();
  const wrong = encodeConnector({ ...connector, slug: 'No Slug', version: '', settings: ['baseUrl'] });
  await expect(putAccountApplication(deps, ctx, wrong)).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ field: 'connector.slug' }, { field: 'connector.version' }],
  });
  await expect(putAccountApplication(deps, ctx, new Uint8Array())).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    details: [{ field: 'connector' }],
  });
  expect(written).toEqual([]);
});

it('announces a change also after a write that failed: it may have happened', async () => {
  const { deps, announced } = setUp({ isBroken: true });
  await expect(putAccountApplication(deps, ctx, encodeConnector(connector))).rejects.toThrow('no database');
  await expect(deleteAccountApplication(deps, ctx, 'mcp-7')).rejects.toThrow('no database');
  expect(announced).toEqual([
    ['acc_1', ctx.requestId],
    ['acc_1', ctx.requestId],
  ]);
});

it('removes an application of the caller’s account only', async () => {
  const { deps, written } = setUp();
  await deleteAccountApplication(deps, ctx, 'mcp-7');
  expect(written).toEqual([['acc_1', 'mcp-7']]);
});
