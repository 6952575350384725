import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { HandlerCall, HandlerRegistry } from './handler.ts';
import type { CallingClient } from './mcp/calling-client.ts';
import { testCall, testOptions, testTool } from './testing/calls.ts';
import { testRuntime } from './testing/vendor.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** A call with a time limit of a second, whose tool asks the client for its roots. */
function asking(answerMs: number | undefined) {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<object>();
  const client: CallingClient = {
    principal: 'ada',
    capabilities: { roots: {} },
    wantsProgress: false,
    takesInputRequired: false,
    notify: () => undefined,
    async request() {
      asked.resolve();
      await answer.promise;
      return { roots: [] };
    },
  };
  const times: number[] = [];
  const handlers: HandlerRegistry = () =>
    Promise.resolve(async (call: HandlerCall) => {
      times.push(call.timeoutMs);
      const aborted = new Promise<never>((_resolve, reject) =>
        call.signal.addEventListener('abort', () => reject(call.signal.reason as Error)),
      );
      return await Promise.race([call.client?.request('roots/list', {}) ?? {}, aborted]);
    });
  const tool = testCall(testTool({ type: 'mcp', toolName: 'ask' }));
  const outcome = testRuntime(handlers).execute(tool, testOptions({ timeoutMs: 1_000, answerMs, client }));
  return { outcome, asked: asked.promise, answer: () => answer.resolve({}), times };
}

test('a call waits for its client beyond its own time', async () => {
  const { outcome, asked, answer, times } = asking(60_000);
  await asked;
  vi.advanceTimersByTime(59_000);
  answer();
  expect(await outcome).toMatchObject({ isSuccess: true, output: { roots: [] } });
  expect(times).toEqual([61_000]);
});

test('without such time, or once that is over, the call has taken too long', async () => {
  for (const [answerMs, endMs] of [
    [undefined, 1_000],
    [60_000, 61_000],
  ] as const) {
    const { outcome, asked } = asking(answerMs);
    await asked;
    vi.advanceTimersByTime(endMs);
    expect(await outcome).toMatchObject({
      isSuccess: false,
      errorMessage: expect.stringContaining('did not respond within 1 s') as string,
    });
  }
});
