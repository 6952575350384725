import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { HourlyCall } from '../ports/hourly-calls.ts';
import { toolset } from '../testing/toolsets.ts';
import { admitCall } from './admit-call.ts';

const policy = { readOnly: false, fixedFields: {}, callsPerHour: 5, requireApproval: [] };

async function admit(answer: HourlyCall, of: Parameters<typeof admitCall>[2]): Promise<unknown[]> {
  const counted: unknown[] = [];
  const hourlyCalls = {
    take(...call: unknown[]) {
      counted.push(call);
      return Promise.resolve(answer);
    },
  };
  await admitCall({ hourlyCalls }, testContext({ accountId: 'mine' }), of);
  return counted;
}

test('a call counts if its toolset limits the calls of an hour, and only then', async () => {
  const { id } = toolset();
  expect(await admit({ outcome: 'admitted' }, toolset({ policy }))).toEqual([['mine', id, 5]]);
  for (const free of [undefined, toolset(), toolset({ policy: { ...policy, callsPerHour: null } })])
    expect(await admit({ outcome: 'unavailable' }, free)).toEqual([]);
});

test('a call above the limit is refused until the next hour, and one that cannot be counted, too', async () => {
  const refused = { outcome: 'refused', retryAfterSeconds: 1_234 } as const;
  await expect(admit(refused, toolset({ policy }))).rejects.toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
    retryAfterSeconds: 1_234,
  });
  await expect(admit({ outcome: 'unavailable' }, toolset({ policy }))).rejects.toMatchObject({
    code: 'UNAVAILABLE',
  });
});
