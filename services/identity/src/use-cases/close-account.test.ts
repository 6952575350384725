import { ManualClock } from '@fairlead/service-kit/clock';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { closeAccount } from './close-account.ts';

const NOW = new Date('2026-01-01T00:00:00Z');

function setUp() {
  const announced: string[] = [];
  const marked: unknown[] = [];
  const deps = {
    accounts: {
      markErasing(_ctx: unknown, id: string, now: Date) {
        marked.push({ id, now, announced: [...announced] });
        return Promise.resolve(id === 'acc_1');
      },
    },
    changeIdentity<R>(accountId: string, write: () => Promise<R>) {
      announced.push(accountId);
      return write();
    },
    clock: new ManualClock(NOW),
  };
  return { marked, deps };
}

test('an account is marked, announced as any change is', async () => {
  const { marked, deps } = setUp();
  await closeAccount(deps, testContext(), 'acc_1');
  expect(marked).toEqual([{ id: 'acc_1', now: NOW, announced: ['acc_1'] }]);
});

test('an unknown account is NOT_FOUND', async () => {
  const closing = closeAccount(setUp().deps, testContext(), 'acc_2');
  await expect(closing).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
