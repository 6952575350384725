import { ApiError } from '@fairlead/errors/api-error';
import type { HandleMessageInteractivelyResponse } from '@fairlead/contracts/mcp/v1/endpoint_service_pb';
import { fastTimers } from '@fairlead/service-kit/testing/due-jobs';
import { expect, test } from 'vitest';
import { clientMessage, response } from '../testing/way-in.ts';
import { listen } from './listen.ts';

const _meta = { 'io.modelcontextprotocol/subscriptionId': 'sub-1' };
const ACKNOWLEDGED = {
  method: 'notifications/subscriptions/acknowledged',
  params: { notifications: { toolsListChanged: true, resourceSubscriptions: ['x://1'] }, _meta },
};
const CHANGED = { method: 'notifications/tools/list_changed', params: { _meta } };
const UPDATED = { method: 'notifications/resources/updated', params: { uri: 'x://1', _meta } };

type Attempt = () => AsyncIterable<HandleMessageInteractivelyResponse>;

/**
 * The messages that a client gets from a service with these answers, one per attempt; after the last answer, the
 * client disconnects.
 */
async function heard(attempts: readonly Attempt[]) {
  const left = new AbortController();
  const { signal } = left;
  let count = 0;
  const open: Attempt = async function* () {
    const attempt = attempts[count];
    count += 1;
    if (attempt === undefined) left.abort();
    else yield* attempt();
  };
  const messages: unknown[] = [];
  for await (const message of listen(open, { signal, timers: fastTimers }))
    messages.push(
      message instanceof Uint8Array ? JSON.parse(Buffer.from(message).toString()) : message.httpStatus,
    );
  return { messages, count };
}

const says = (...messages: readonly object[]): Attempt =>
  async function* () {
    for (const message of messages) yield await Promise.resolve(clientMessage(message));
  };
const fails: Attempt = async function* () {
  await Promise.reject(new ApiError('UNAVAILABLE', 'away'));
  yield response({});
};
const answers: Attempt = async function* () {
  yield await Promise.resolve(response({}));
};
const all = (messages: readonly object[]) => messages.map((message) => ({ jsonrpc: '2.0', ...message }));

test('messages pass until the client leaves', async () => {
  const { messages } = await heard([says(ACKNOWLEDGED, CHANGED, CHANGED)]);
  expect(messages).toEqual(all([ACKNOWLEDGED, CHANGED, CHANGED]));
});

test('after a service that has ended or failed, all that was granted may have changed', async () => {
  const ended: Attempt = async function* () {
    yield* says(ACKNOWLEDGED)();
    yield* answers();
  };
  const { messages, count } = await heard([ended, fails, says(ACKNOWLEDGED, UPDATED)]);
  expect(messages).toEqual(all([ACKNOWLEDGED, CHANGED, UPDATED, UPDATED]));
  expect(count).toBe(4);
});

test('a request that is refused has its response, and is not repeated', async () => {
  expect(await heard([answers])).toEqual({ messages: [200], count: 1 });
});

test('one that is refused later ends, and one that fails at first has the error', async () => {
  expect(await heard([says(ACKNOWLEDGED), answers])).toEqual({ messages: all([ACKNOWLEDGED]), count: 2 });
  await expect(heard([fails])).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});
