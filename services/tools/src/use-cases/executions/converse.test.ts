import type { CallingClient, ClientDescription } from '@fairlead/connector-runtime/mcp/calling-client';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { converse } from './converse.ts';

const CLIENT: ClientDescription = { capabilities: {}, wantsProgress: true, takesInputRequired: false };

/** The messages of this work for a client, and the opened requests. */
async function conversation(
  work: (client: CallingClient) => Promise<unknown>,
  description: ClientDescription = CLIENT,
) {
  const opened: AbortSignal[] = [];
  const clientRequests = {
    open(_caller: string, signal: AbortSignal) {
      opened.push(signal);
      const { promise, resolve, reject } = Promise.withResolvers<{ roots: [] }>();
      signal.addEventListener('abort', () => reject(new Error('ended')));
      setImmediate(resolve, { roots: [] });
      return { key: `ask_${opened.length}`, answer: promise };
    },
  };
  const messages: unknown[] = [];
  for await (const message of converse({ clientRequests }, testContext(), description, work))
    messages.push(message);
  return { messages, opened };
}

test('messages come before the result, and requests end with the work', async () => {
  const { messages, opened } = await conversation(async (client) => {
    client.notify('notifications/progress', { progress: 1 });
    client.notify('notifications/other', {});
    await expect(client.request('tools/call', {})).rejects.toThrow('takes no such request');
    return await client.request('roots/list', { a: 1 });
  });
  expect(messages).toEqual([
    { kind: 'notification', method: 'notifications/progress', params: { progress: 1 } },
    { kind: 'request', key: 'ask_1', method: 'roots/list', params: { a: 1 } },
    { kind: 'result', result: { roots: [] } },
  ]);
  expect(opened.map(({ aborted }) => aborted)).toEqual([true]);
});

test('a request that is withdrawn is withdrawn at the client', async () => {
  const withdrawal = new AbortController();
  const { messages } = await conversation(async (client) => {
    const asked = client.request('roots/list', {}, withdrawal.signal);
    withdrawal.abort();
    return await asked.catch(() => 'withdrawn');
  });
  expect(messages).toEqual([
    { kind: 'request', key: 'ask_1', method: 'roots/list', params: {} },
    { kind: 'notification', method: 'notifications/cancelled', params: { requestId: 'ask_1' } },
    { kind: 'result', result: 'withdrawn' },
  ]);
});

test('a client that takes requests in results gets no others', async () => {
  const asked = conversation((client) => client.request('roots/list', {}), {
    ...CLIENT,
    takesInputRequired: true,
  });
  await expect(asked).rejects.toThrow('takes no such request');
});
