import { afterEach, describe, expect, test } from 'vitest';
import type { OwnServices } from '../../services.ts';
import { TEST_OWNER, call } from '@fairlead/rest-kit/testing/edge';
import { awayServices, startGatewayEdge } from '../../testing/edge.ts';
import type { TestEdge } from '@fairlead/rest-kit/testing/edge';
import { getUsage } from './get-usage.ts';
import { listAuditEntries } from './list-audit-entries.ts';

let edge: TestEdge | undefined;
afterEach(async () => {
  await edge?.close();
  edge = undefined;
});

/** An edge whose use cases record their arguments and return nothing. */
async function start(roles = TEST_OWNER.roles) {
  const asked: unknown[] = [];
  const own: Partial<OwnServices> = {
    auditTrail: {
      list(_ctx, accountId, { filter }) {
        asked.push([accountId, filter]);
        return Promise.resolve({ items: [], totalCount: 0 });
      },
      verify: () => Promise.reject(new Error('not asked for')),
    },
    usage: {
      list(_ctx, { period, page }) {
        asked.push([period, page]);
        const item = { day: '2026-11-21', callCount: 3, executionCount: 2, eventCount: 0 };
        return Promise.resolve({ items: [item], totalCount: 30 });
      },
    },
  };
  const services = awayServices(own);
  edge = await startGatewayEdge({
    routes: [listAuditEntries, getUsage],
    services,
    principal: { ...TEST_OWNER, roles },
  });
  const { url } = edge;
  return { asked, get: (path: string) => call({ url }, 'GET', `/admin/v1${path}`) };
}

describe.each(['/audit', '/usage'])('%s', (path) => {
  test.each([
    ['owner', 200],
    ['admin', 200],
    ['developer', 403],
    ['member', 403],
  ] as const)('of a caller who is %s is %i', async (role, status) => {
    const { get } = await start([role]);
    expect((await get(path)).status).toBe(status);
  });
});

describe('audit entries', () => {
  test('are those of the caller’s account, by the filters sent', async () => {
    const { get, asked } = await start();
    const query =
      'actor=usr_1&action=createConnection&from=2026-11-20T00:00:00Z&to=2026-11-21T01:00:00%2B01:00';
    await get(`/audit?${query}`);
    await get('/audit');
    expect(asked).toEqual([
      [
        'acc_test',
        {
          actor: 'usr_1',
          action: 'createConnection',
          from: new Date('2026-11-20T00:00:00Z'),
          to: new Date('2026-11-21T00:00:00Z'),
        },
      ],
      ['acc_test', {}],
    ]);
  });
});

describe('usage', () => {
  test('is listed by day in the envelope', async () => {
    const { get } = await start();
    expect((await get('/usage')).body).toMatchObject({
      items: [{ date: '2026-11-21', calls: 3, executions: 2, events: 0 }],
      totalCount: 30,
      offset: 0,
      top: 100,
    });
  });

  test('takes days and times alike', async () => {
    const { get, asked } = await start();
    await get('/usage?from=2026-11-01&to=2026-11-02T00:00:00%2B02:00&top=3');
    expect(asked).toEqual([
      [
        { from: new Date('2026-11-01'), to: new Date('2026-11-01T22:00:00Z') },
        { offset: 0, top: 3 },
      ],
    ]);
  });

  test.each(['yesterday', '2026-02-30', '2026-11-01T00:00:00', '20261101'])(
    '"%s" is no time',
    async (from) => {
      const { get } = await start();
      const { status, body } = await get(`/usage?from=${from}`);
      expect([status, body['details']]).toEqual([
        400,
        [
          {
            field: 'from',
            issue: 'must be a day, such as 2026-01-31, or a time in ISO 8601 with its offset',
          },
        ],
      ]);
    },
  );
});
