import type { OnChange } from '@fairlead/service-kit/cache/change-tracker';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { ManualClock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { servedServer, servedTool } from '../testing/served.ts';
import { createActiveServers } from './active-servers.ts';

const ctx = testContext({ accountId: 'mine' });
const DONE = { id: 'change', isDone: true };
const MIB = 1024 * 1024;
const of = { accountId: 'mine', serverId: 's', confinedTo: undefined };

function setUp() {
  const clock = new ManualClock(new Date(0));
  const loads: RequestContext[] = [];
  let drop: OnChange = () => undefined;
  const state = { session: 1 as number | undefined };
  const served = createActiveServers(
    (loadCtx, { serverId }) => {
      loads.push(loadCtx);
      const text = new LazyJson(Buffer.alloc(serverId.startsWith('large') ? 15 * MIB : 10, 'x'));
      const tools = [servedTool('tool', { listed: text })];
      return Promise.resolve(serverId === 'gone' ? undefined : servedServer(tools));
    },
    {
      clock,
      subscribe(onChange) {
        drop = onChange;
        return { session: () => state.session };
      },
    },
  );
  const change = (accountId?: string) => drop(accountId, accountId === undefined ? undefined : DONE);
  return { served, clock, loads, state, change, drop: (accountId: string) => drop(accountId) };
}

test('a server is loaded once for all callers of its account, on behalf of the account alone', async () => {
  const { served, loads } = setUp();
  await Promise.all([served.find(ctx, of), served.find(testContext({ accountId: 'mine' }), of)]);
  await served.find(ctx, { ...of, confinedTo: 'toolset' });
  await served.find(ctx, { ...of, accountId: 'other' });
  expect(loads.map(({ caller }) => caller)).toEqual([
    { kind: 'serviceForAccount', service: 'mcp', accountId: 'mine' },
    { kind: 'serviceForAccount', service: 'mcp', accountId: 'mine' },
    { kind: 'serviceForAccount', service: 'mcp', accountId: 'other' },
  ]);
});

test('a change of the account or of the platform is seen at once', async () => {
  const { served, loads, change } = setUp();
  await served.find(ctx, of);
  change('other');
  await served.find(ctx, of);
  expect(loads).toHaveLength(1);
  change('mine');
  await served.find(ctx, of);
  change();
  await served.find(ctx, of);
  expect(loads).toHaveLength(3);
});

test('a list is used for half a minute, but for two seconds while changes may be missed or may still be written', async () => {
  const { served, loads, clock, state, drop } = setUp();
  const loadsAfter = async (ms: number): Promise<number> => {
    clock.advance(ms);
    await served.find(ctx, of);
    return loads.length;
  };
  expect(await loadsAfter(0)).toBe(1);
  expect([await loadsAfter(29_999), await loadsAfter(1)]).toEqual([1, 2]);
  state.session = undefined;
  expect([await loadsAfter(2_000), await loadsAfter(2_000)]).toEqual([3, 4]);
  state.session = 2;
  expect([await loadsAfter(0), await loadsAfter(2_000), await loadsAfter(2_000)]).toEqual([4, 5, 5]);
  // The message does not say whether the write has ended.
  drop('mine');
  expect([await loadsAfter(0), await loadsAfter(2_000), await loadsAfter(2_000)]).toEqual([6, 7, 8]);
});

test('a load does not end with its caller', async () => {
  const { served, loads } = setUp();
  const ended = AbortSignal.abort();
  await served.find({ ...ctx, signal: ended }, of);
  expect(loads[0]?.signal.aborted).toBe(false);
});

test('the lists of an account have a bounded share of memory; those of another one stay', async () => {
  const { served, loads } = setUp();
  const find = (serverId: string, accountId = 'mine') => served.find(ctx, { ...of, accountId, serverId });
  await find('s', 'other');
  for (const serverId of ['large 1', 'large 2', 'large 1', 'large 3']) await find(serverId);
  expect(loads).toHaveLength(4);
  await find('large 1');
  await find('large 3');
  await find('s', 'other');
  expect(loads).toHaveLength(4);
  await find('large 2');
  expect(loads).toHaveLength(5);
});
