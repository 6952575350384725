import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { VirtualTime } from '@fairlead/service-kit/testing/virtual-time';
import { expect, test } from 'vitest';
import { createFollowedServers } from './followed-servers.ts';

function start() {
  const time = new VirtualTime(0);
  const asked: string[] = [];
  let onChange: (accountId: string | undefined) => void = () => undefined;
  const state = { isAway: false };
  const servers = createFollowedServers({
    follow(accountId, serverIds) {
      asked.push([accountId, ...serverIds].join(' '));
      return state.isAway ? Promise.reject(new Error('away')) : Promise.resolve();
    },
    subscribe: (on) => (onChange = on),
    timers: time.timers(() => true),
    log: captureLog().log,
  });
  return {
    servers,
    time,
    state,
    taken: () => asked.splice(0),
    change: (accountId?: string) => onChange(accountId),
  };
}

test('servers of open streams are followed, once for all streams of an account, until the last has closed', async () => {
  const { servers, time, taken, state } = start();
  const closing = [servers.opened('a', 's1'), servers.opened('a', 's1'), servers.opened('a', 's2')];
  servers.opened('b', 's3');
  await time.runUntil(200);
  expect(taken()).toEqual(['a s1 s2', 'b s3']);
  state.isAway = true;
  await time.runUntil(25_500);
  expect(taken()).toEqual(['a s1 s2', 'b s3']);
  state.isAway = false;
  closing[0]?.();
  closing[0]?.();
  closing[2]?.();
  await time.runUntil(51_000);
  expect(taken()).toEqual(['a s1', 'b s3']);
  closing[1]?.();
  await time.runUntil(76_000);
  expect(taken()).toEqual(['b s3']);
});

test('servers of open streams are followed anew soon after a change', async () => {
  const { servers, time, taken, change } = start();
  servers.opened('a', 's1');
  servers.opened('b', 's2');
  await time.runUntil(1_000);
  taken();
  change('a');
  change('c');
  await time.runUntil(3_100);
  expect(taken()).toEqual(['a s1']);
  change();
  servers.close();
  await time.runUntil(60_000);
  expect(taken()).toEqual([]);
});
