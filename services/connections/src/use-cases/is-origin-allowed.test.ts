import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { NOW } from '../testing/builders.ts';
import { isOriginAllowed } from './is-origin-allowed.ts';

test('only the platform asks, as of now', async () => {
  const asked: unknown[] = [];
  const deps = {
    clock: new ManualClock(NOW),
    connectSessions: {
      isOriginAllowed: (_ctx: unknown, ...question: unknown[]) => {
        asked.push(question);
        return Promise.resolve(true);
      },
    },
  };
  const gateway = testContext({ caller: { kind: 'service', service: 'gateway' } });
  expect(await isOriginAllowed(deps, gateway, 'https://app.example')).toBe(true);
  expect(asked).toEqual([['https://app.example', NOW]]);
  await expect(isOriginAllowed(deps, testContext(), 'https://app.example')).rejects.toMatchObject({
    code: 'FORBIDDEN',
  });
});
