import { expect, test } from 'vitest';
import { endSignIns } from './end-sign-ins.ts';

test('the end is noted first: a request in progress may write its session again', async () => {
  const happened: unknown[] = [];
  const record = (name: string) => (owner: unknown) => Promise.resolve(void happened.push([name, owner]));
  const owner = { accountId: 'acc_1', userId: 'usr_1' };
  const deps = {
    signInEnds: { note: record('end') },
    grants: { removeOf: record('grants') },
    artifacts: { removeOf: record('sessions') },
  };
  await endSignIns(deps, owner);
  expect(happened).toEqual([
    ['end', owner],
    ['grants', owner],
    ['sessions', owner],
  ]);
});
