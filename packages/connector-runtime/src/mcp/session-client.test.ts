import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { createSessionClient } from './session-client.ts';
import { createSessionMessages } from './session-messages.ts';

/** A new session's first message. */
async function firstMessage(): Promise<JSONRPCMessage> {
  const sent = Promise.withResolvers<JSONRPCMessage>();
  const transport: Transport = {
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
    send(message) {
      sent.resolve(message);
      return Promise.reject(new Error('not sent'));
    },
  };
  const client = createSessionClient('legacy', createSessionMessages());
  await expect(client.connect(transport)).rejects.toThrow('not sent');
  return await sent.promise;
}

test('no session repeats the ids of the requests of another one', async () => {
  const ids = new Set<unknown>();
  for (let count = 0; count < 10; count += 1) {
    const message = await firstMessage();
    ids.add('id' in message && message.id);
  }
  expect(ids.size).toBe(10);
  for (const id of ids) expect(id).toBeTypeOf('number');
});
