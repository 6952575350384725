import { createAccountPermits } from '@fairlead/service-kit/permits/account-permits';
import { WAITING_LIMITS } from '@fairlead/service-kit/permits/permit-queue';
import { onePermit } from '@fairlead/service-kit/testing/permits';
import { expect, onTestFinished, test, vi } from 'vitest';
import { connection } from '../../testing/tool-calls.ts';
import { waitForVendor } from './wait-for-vendor.ts';

/** A connection whose vendor limits it until a time set by the test. */
function limited(until: Date | undefined) {
  const state = { until };
  const permits = createAccountPermits(
    { perAccount: 5, perPartition: 5, ...WAITING_LIMITS },
    undefined,
    (_account, partition) => partition === '7' && state.until !== undefined,
  );
  onTestFinished(() => permits.close());
  const ran: string[] = [];
  const run = (waitMs = 60_000, isDryRun = false) =>
    waitForVendor(
      { permits, checkPermits: onePermit(), vendorLimits: { until: () => state.until } },
      {
        accountId: 'a',
        signal: new AbortController().signal,
        heldBytes: () => 1,
        connection: connection({ id: 7 }),
        isDryRun,
        waitMs: () => waitMs,
      },
      {
        onPermit: async (hasWaited) => {
          ran.push(hasWaited ? 'late' : 'at once');
          return 'called';
        },
        onVendorLimit: (at) => Promise.resolve(at.toISOString()),
      },
    );
  const end = (): void => {
    state.until = undefined;
    permits.wake('a');
  };
  return { run, ran, end, state, permits };
}

const soon = (): Date => new Date(Date.now() + 30_000);
const HOUR_LATER = new Date(Date.now() + 3_600_000);

test('a call waits for the end of a limit, and knows that it has', async () => {
  const { run, ran, end } = limited(soon());
  const call = run();
  expect(await run(60_000, true)).toBe('called');
  expect(ran).toEqual(['at once']);
  end();
  expect(await call).toBe('called');
  expect(ran).toEqual(['at once', 'late']);
  expect(await run()).toBe('called');
  expect(ran).toEqual(['at once', 'late', 'at once']);
});

test('a call without the time for it says when, at once, and is not made', async () => {
  const { run, ran } = limited(HOUR_LATER);
  expect(await run()).toBe(HOUR_LATER.toISOString());
  expect(ran).toEqual([]);
});

test('a call whose limit is made longer while it waits says so when its time is over', async () => {
  const { run, ran, state } = limited(new Date(Date.now() + 10));
  const call = run(20);
  state.until = HOUR_LATER;
  expect(await call).toBe(HOUR_LATER.toISOString());
  expect(ran).toEqual([]);
});

test('a call that is let go while its vendor limits it again goes on waiting', async () => {
  const { run, ran, end, state, permits } = limited(soon());
  const call = run();
  end();
  // Set again before the call continues.
  state.until = soon();
  await vi.waitFor(() => expect(ran).toEqual([]), { timeout: 90_000 });
  permits.wake('a');
  expect(ran).toEqual([]);
  end();
  expect(await call).toBe('called');
  expect(ran).toEqual(['late']);
});
