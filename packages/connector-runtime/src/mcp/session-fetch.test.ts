import { expect, it } from 'vitest';
import { createSessionFetch } from './session-fetch.ts';
import { Conversation } from './conversation.ts';
import { createSessionMessages } from './session-messages.ts';

const listOf = (id: number, count: number): object => ({
  jsonrpc: '2.0',
  id,
  result: { tools: Array.from({ length: count }, (_, index) => ({ name: `tool-${index}` })) },
});

it('passes on 2 000 tools in all, however many lists the server sends', async () => {
  const lists = [listOf(1, 2_500), listOf(2, 3_000), listOf(3, 10)];
  const fetch = createSessionFetch(() => Promise.resolve(Response.json(lists)), createSessionMessages());
  const response = await fetch('https://mcp.example/', { method: 'POST' });
  const passed = (await response.json()) as { readonly result: { readonly tools: readonly object[] } }[];
  expect(passed.map(({ result }) => result.tools.length)).toEqual([2_000, 0, 0]);
});

const stream = (text: string): Response =>
  new Response(text, { headers: { 'content-type': 'text/event-stream' } });
const ANSWER = 'data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n';
const REQUEST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call' });

it('opens a stream again that ends before the answer, after its last event', async () => {
  const asked: (string | null)[] = [];
  const parts = ['retry: 1\nid: a\ndata:\n\n', 'id: b\ndata:\n\n', ANSWER];
  const fetch = createSessionFetch((_url, init) => {
    asked.push(new Headers(init?.headers).get('last-event-id'));
    return Promise.resolve(stream(parts.shift() ?? ''));
  }, createSessionMessages());
  const response = await fetch('https://mcp.example/', { method: 'POST', body: REQUEST });
  expect(await response.text()).toBe(ANSWER);
  expect(asked).toEqual([null, 'a', 'b']);
});

it('opens no stream again without a named event, after a wait above the limit, or that the server does not open', async () => {
  for (const part of [
    'data:\n\n',
    'retry: 1\nid: a\ndata:\n\n',
    'id: a\ndata:',
    'retry: 999999999\nid: a\ndata:\n\n',
  ]) {
    const parts = [stream(part), new Response(null, { status: 405 })];
    const fetch = createSessionFetch(
      () => Promise.resolve(parts.shift() ?? stream('')),
      createSessionMessages(),
    );
    const response = await fetch('https://mcp.example/', { method: 'POST', body: REQUEST });
    await expect(response.text()).rejects.toThrow('ended its response early');
  }
});

/** Runs a session whose answers to a ping and to a request fail, before or after the end of the call. Returns the session's signal. */
async function losingAnswers(isCallEndedFirst: boolean): Promise<AbortSignal> {
  const conversation = new Conversation({
    capabilities: { roots: {} },
    wantsProgress: false,
    takesInputRequired: false,
    notify: () => undefined,
    request: () => Promise.resolve({ roots: [] }),
  });
  const messages = createSessionMessages(conversation);
  messages.converse(conversation);
  const asking = ['ping', 'roots/list'].map(
    (method, id) => `data: ${JSON.stringify({ jsonrpc: '2.0', id, method })}\n\n`,
  );
  const end = Promise.withResolvers<void>();
  const lastIsSent = Promise.withResolvers<void>();
  const fetch = createSessionFetch(async (_url, init) => {
    if (init?.body === REQUEST) return stream([...asking, ANSWER].join(''));
    if (typeof init?.body === 'string' && init.body.includes('roots')) {
      lastIsSent.resolve();
      await end.promise;
    }
    throw new TypeError('fetch failed');
  }, messages);
  await (await fetch('https://mcp.example/', { method: 'POST', body: REQUEST })).text();
  await lastIsSent.promise;
  expect(messages.broken.aborted).toBe(false);
  if (isCallEndedFirst) messages.endCall();
  end.resolve();
  // Let the failure propagate through the answer's promises.
  await new Promise(setImmediate);
  return messages.broken;
}

it("breaks a call off whose client's answer does not reach the server", async () => {
  const broken = await losingAnswers(false);
  expect(broken.reason).toMatchObject({ message: 'The MCP server ended its response early.' });
  expect(await losingAnswers(true)).toHaveProperty('aborted', false);
});
