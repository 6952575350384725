import { ManualClock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { servedServer } from '../testing/served.ts';
import { createServedServers } from './served-servers.ts';

const ctx = testContext({ accountId: 'mine' });
const of = { accountId: 'mine', serverId: 's', confinedTo: undefined };

function setUp() {
  const clock = new ManualClock(new Date(0));
  const loads: RequestContext[] = [];
  let drop: (accountId: string | undefined) => void = () => undefined;
  const served = createServedServers(
    (loadCtx, { serverId }) => {
      loads.push(loadCtx);
      return Promise.resolve(serverId === 'gone' ? undefined : servedServer([]));
    },
    {
      clock,
      subscribe(onChange) {
        drop = onChange;
        return { session: () => 1 };
      },
    },
  );
  return { served, clock, loads, change: (accountId?: string) => drop(accountId) };
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

test('a change of the account is seen at once, and any other one within two seconds', async () => {
  const { served, loads, clock, change } = setUp();
  await served.find(ctx, of);
  change('other');
  await served.find(ctx, of);
  expect(loads).toHaveLength(1);
  change('mine');
  await served.find(ctx, of);
  change();
  await served.find(ctx, of);
  expect(loads).toHaveLength(3);
  clock.advance(2_000);
  await served.find(ctx, of);
  expect(loads).toHaveLength(4);
});

test('a load does not end with its caller', async () => {
  const { served, loads } = setUp();
  const ended = AbortSignal.abort();
  await served.find({ ...ctx, signal: ended }, of);
  expect(loads[0]?.signal.aborted).toBe(false);
});
