import { expect, test } from 'vitest';
import { openStream } from '../testing/open-stream.ts';
import { KEY, startWayIn, TOKEN_PATH } from '../testing/way-in.ts';

const ID = '0b7c1c1e-6f0e-4d0a-9d39-2f6d1f5b8a10';
const elicitation = {
  mode: 'url',
  elicitationId: ID,
  url: 'https://api.example/own-connection',
  message: 'Connect.',
};

test('a client is told on its stream that its user has done what an answer demands, once', async () => {
  const wayIn = await startWayIn();
  wayIn.state.handle = ({ request }) => {
    const isCall = Buffer.from(request.body ?? []).includes('tools/call');
    const error = { code: -32_042, message: 'Connect.', data: { elicitations: [elicitation] } };
    const outcome = isCall ? { error } : { result: {} };
    return Promise.resolve({ httpStatus: 200, body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...outcome }) });
  };
  const post = (method: string, headers: Record<string, string> = KEY) =>
    wayIn.post(TOKEN_PATH, { json: { jsonrpc: '2.0', id: 1, method, params: { name: 'a' } }, headers });
  const session = (await post('initialize')).headers.get('mcp-session-id') ?? '';
  const headers = { ...KEY, 'mcp-session-id': session };
  const stream = await openStream(wayIn, TOKEN_PATH, { ...headers, accept: 'text/event-stream' });
  expect((await post('tools/call', headers)).body).toMatchObject({ error: { code: -32_042 } });
  const userId = 'usr of acc_1';
  for (const other of [
    { userId: 'usr of acc_2', elicitationId: ID },
    { userId, elicitationId: 'another' },
  ])
    wayIn.completeElicitation(other);
  wayIn.completeElicitation({ userId, elicitationId: ID });
  wayIn.completeElicitation({ userId, elicitationId: ID });
  const notice = {
    jsonrpc: '2.0',
    method: 'notifications/elicitation/complete',
    params: { elicitationId: ID },
  };
  await expect.poll(stream.messages).toEqual([notice]);
  // Waits until a message that was sent later has arrived.
  await post('tools/call', headers);
  expect(stream.messages()).toEqual([notice]);
});
