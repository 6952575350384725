import { notFound } from '@fairlead/errors/api-error';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { createToolSearch } from '../../caches/tool-search.ts';
import type { ClientChannel } from '../../ports/client-channel.ts';
import type { CallOutcome } from '../../ports/tool-calls.ts';
import { channelDeps } from '../../testing/clients.ts';
import { nothingPasses } from '../../testing/passing.ts';
import { servedServer, servedTool } from '../../testing/served.ts';
import { MemoryTasks } from '../../testing/memory-tasks.ts';
import { ownConnections } from '../../testing/own-connections.ts';
import { handleInteractively } from './handle-interactively.ts';

const support = servedServer([servedTool('echo')]);

async function messagesOf(execute: (channel: ClientChannel) => Promise<CallOutcome>): Promise<unknown[]> {
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'echo', _meta: { progressToken: 7 } },
  };
  const deps = {
    ...channelDeps().deps,
    toolSearch: createToolSearch(1),
    ownConnections: ownConnections(),
    ...nothingPasses,
    activeServers: { find: () => Promise.resolve(support) },
    detachedCalls: new MemoryTasks(),
    toolCalls: {
      execute: (_ctx: unknown, _call: unknown, channel: ClientChannel) => execute(channel),
      answer: () => Promise.resolve(),
    },
  };
  const posted = { serverId: support.server.id, body: Buffer.from(JSON.stringify(body)), headers: {} };
  const messages: unknown[] = [];
  for await (const message of handleInteractively(deps, testContext(), posted)) {
    const json = message.kind === 'message' ? message.json : message.answer.body;
    messages.push(JSON.parse(Buffer.from(json ?? []).toString()));
  }
  return messages;
}

test('messages of the running call come before its response', async () => {
  const messages = await messagesOf(async (channel) => {
    channel.notify('notifications/progress', { progress: 1 });
    await channel.pass({ key: 'ask_1', method: 'roots/list', params: Buffer.from('{}') });
    return { kind: 'failure', errorMessage: 'No.' };
  });
  expect(messages).toMatchObject([
    { method: 'notifications/progress', params: { progressToken: 7, progress: 1 } },
    { id: 'ask_1', method: 'roots/list' },
    { id: 1, result: { isError: true } },
  ]);
});

test('a call that is refused as a whole ends the messages with its error', async () => {
  const refused = messagesOf(() => Promise.reject(new Error('a fault')));
  await expect(refused).rejects.toThrow('a fault');
  expect(await messagesOf(() => Promise.reject(notFound('connection')))).toMatchObject([
    { id: 1, result: { isError: true } },
  ]);
});
