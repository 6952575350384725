import type { HandleMessageInteractivelyResponse } from '@fairlead/contracts/mcp/v1/endpoint_service_pb';
import { fastTimers } from '@fairlead/service-kit/testing/due-jobs';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { expect, onTestFinished, test } from 'vitest';
import { clientMessage } from '../testing/way-in.ts';
import { FollowedResources } from './followed-resources.ts';

/** Follows the resource `a://1`, with failures in the first attempts of a step. */
async function following(failing: 'read' | 'open' | undefined) {
  const failures = new Map<string, number>(failing === undefined ? [] : [[failing, 2]]);
  const mayFail = (step: string): void => {
    const left = failures.get(step) ?? 0;
    failures.set(step, left - 1);
    if (left > 0) throw new Error('away');
  };
  const sent: unknown[] = [];
  let begun = 0;
  const followed = new FollowedResources({
    read() {
      mayFail('read');
      return Promise.resolve(['a://1']);
    },
    async *open(_message, signal): AsyncGenerator<HandleMessageInteractivelyResponse> {
      mayFail('open');
      begun += 1;
      yield clientMessage({ method: 'notifications/subscriptions/acknowledged', params: {} });
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
    hasMissed: false,
    send: (json) => void sent.push(JSON.parse(Buffer.from(json).toString())),
    timers: fastTimers,
    log: captureLog().log,
  });
  onTestFinished(() => followed.end());
  await followed.refresh();
  return { followed, sent, begun: () => begun };
}

test('subscriptions that cannot be read are read again', async () => {
  const { begun, sent } = await following('read');
  await expect.poll(begun).toBe(1);
  expect(sent).toEqual([]);
});

test('after a time in which nobody listened, every resource may have changed', async () => {
  const { sent } = await following('open');
  await expect
    .poll(() => sent)
    .toEqual([{ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'a://1' } }]);
});

test('subscriptions that are the same are not followed anew', async () => {
  const { followed, begun } = await following(undefined);
  await followed.refresh();
  await expect.poll(begun).toBe(1);
  followed.end();
  await followed.refresh();
  expect(begun()).toBe(1);
});
