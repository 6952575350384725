import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { ActiveServer } from '../../ports/active-servers.ts';
import { interactiveChannel, unaryChannel } from '../../testing/clients.ts';
import { nothingPasses } from '../../testing/passing.ts';
import { servedServer } from '../../testing/served.ts';
import { listenToChanges } from './listen-to-changes.ts';

const plain = servedServer([]);
const upstream = { connectionId: 7, applicationSlug: 'mcp-7' };
const toolsOnly = { connectionId: 8, applicationSlug: 'mcp-8' };
const passing: ActiveServer = { ...plain, upstreams: [upstream], sources: [upstream, toolsOnly] };
const ALL = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
const tag = { _meta: { 'io.modelcontextprotocol/subscriptionId': 'sub-1' } };

/** A client that listens with this filter. */
function listen(notifications: unknown, served = passing, { isUnary = false } = {}) {
  const abort = new AbortController();
  const stop = new AbortController();
  const ctx = { ...testContext({ accountId: 'mine' }), signal: abort.signal };
  const { channel, sent } = interactiveChannel({ isStateless: true });
  const subscribers = new Map<string, () => void>();
  const followed = new Set<readonly object[]>();
  const deps = {
    ...nothingPasses,
    followedLists: {
      follow(_ctx: unknown, upstreams: readonly object[]) {
        followed.add(upstreams);
        return () => void followed.delete(upstreams);
      },
    },
    stopping: stop.signal,
    listChanges: {
      subscribe(accountId: string, onChange: () => void) {
        subscribers.set(accountId, onChange);
        return () => void subscribers.delete(accountId);
      },
    },
  };
  const params = new Map(
    notifications === undefined ? [] : [['notifications', Buffer.from(JSON.stringify(notifications))]],
  );
  const request = { id: LazyJson.of('sub-1'), params };
  const result = listenToChanges(deps, ctx, served, request, isUnary ? unaryChannel() : channel);
  return { result, sent, subscribers, followed, abort, stop, change: () => subscribers.get('mine')?.() };
}

test('the client is told which wishes are granted, and then of each change', async () => {
  const { result, sent, subscribers, followed, abort, change } = listen({ ...ALL, other: true });
  await expect
    .poll(() => sent)
    .toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications: ALL, ...tag },
      },
    ]);
  expect([...followed]).toEqual([passing.sources]);
  change();
  await expect.poll(() => sent).toHaveLength(4);
  expect(sent.slice(1)).toEqual(
    ['tools', 'prompts', 'resources'].map((list) => ({
      jsonrpc: '2.0',
      method: `notifications/${list}/list_changed`,
      params: tag,
    })),
  );
  abort.abort();
  expect(await result).toEqual(tag);
  expect(subscribers.size).toBe(0);
  expect(followed.size).toBe(0);
});

test('a client is told of nothing that it has not asked for, or that the server does not have', async () => {
  const only = listen({ promptsListChanged: true, toolsListChanged: false });
  await expect.poll(() => only.sent).toHaveLength(1);
  only.change();
  await expect.poll(() => only.sent).toHaveLength(2);
  expect(only.sent[1]).toMatchObject({ method: 'notifications/prompts/list_changed' });
  const tools = listen(ALL, plain);
  await expect
    .poll(() => tools.sent)
    .toMatchObject([{ params: { notifications: { toolsListChanged: true } } }]);
  tools.change();
  await expect.poll(() => tools.sent).toHaveLength(2);
});

test.each([undefined, null, [], 'all'])('the filter %j is refused', async (filter) => {
  const { result, sent } = listen(filter);
  await expect(result).rejects.toMatchObject({ code: -32_602 });
  expect(sent).toEqual([]);
});

test('without a stream there is nothing to listen on', async () => {
  const { result } = listen(ALL, passing, { isUnary: true });
  await expect(result).rejects.toMatchObject({ code: -32_600 });
});

test('a service that stops ends the subscription with its result', async () => {
  const { result, sent, stop } = listen(ALL);
  await expect.poll(() => sent).toHaveLength(1);
  stop.abort();
  expect(await result).toEqual(tag);
});
