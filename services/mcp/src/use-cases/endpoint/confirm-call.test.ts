import type { JsonObject } from '@bufbuild/protobuf';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '../../domain/mcp-server.ts';
import { interactiveChannel, unaryChannel } from '../../testing/clients.ts';
import { servedTool, testServer } from '../../testing/served.ts';
import { confirmCall } from './confirm-call.ts';

const server = testServer({ settings: { ...DEFAULT_SETTINGS, confirmDestructive: true } });
const call = (isDestructive = true) => ({
  tool: servedTool('crm-delete', { isDestructive }),
  fields: { id: Buffer.from('12345678901234567890') },
});
const canAsk = { capabilities: { elicitation: {} } };

/** Asks a client that gives this answer to confirm the call. */
async function confirmWith(result: JsonObject) {
  const { channel, sent, answer } = interactiveChannel(canAsk);
  const confirmed = confirmCall(testContext(), server, call(), channel);
  await expect.poll(() => sent).toHaveLength(1);
  answer('own_1', { kind: 'result', result });
  return { sent, confirmed };
}

test('the person at the client is shown the call, and confirms it', async () => {
  const { sent, confirmed } = await confirmWith({ action: 'accept', content: {} });
  await expect(confirmed).resolves.toBeUndefined();
  expect(sent).toMatchObject([
    { id: 'own_1', method: 'elicitation/create', params: { requestedSchema: { properties: {} } } },
  ]);
  for (const text of ['Support', 'crm-delete', '{"id":12345678901234567890}'])
    expect(JSON.stringify(sent).replaceAll('\\', '')).toContain(text);
});

test.each([
  ['decline', 'FORBIDDEN'],
  ['cancel', 'APPROVAL_REQUIRED'],
  ['else', 'APPROVAL_REQUIRED'],
])('the answer %s refuses the call', async (action, code) => {
  const { confirmed } = await confirmWith({ action });
  await expect(confirmed).rejects.toMatchObject({ code });
});

test('an error of the client refuses the call', async () => {
  const { channel, sent, answer } = interactiveChannel(canAsk);
  const confirmed = confirmCall(testContext(), server, call(), channel);
  await expect.poll(() => sent).toHaveLength(1);
  answer('own_1', { kind: 'error', code: -32_600, message: 'No.' });
  await expect(confirmed).rejects.toMatchObject({ code: 'APPROVAL_REQUIRED' });
});

test('a client that cannot ask anybody is told how to go on', async () => {
  for (const channel of [unaryChannel(canAsk), interactiveChannel({}).channel])
    await expect(confirmCall(testContext(), server, call(), channel)).rejects.toMatchObject({
      code: 'APPROVAL_REQUIRED',
      message: expect.stringContaining('Use a client that supports elicitation') as string,
    });
});

test('nobody confirms a call that destroys nothing, nor one of a server that does not demand it', async () => {
  const channel = unaryChannel();
  await confirmCall(testContext(), server, call(false), channel);
  await expect(confirmCall(testContext(), testServer(), call(), channel)).resolves.toBeUndefined();
});

test('a client without a handshake is asked in its result', async () => {
  const channel = unaryChannel({ isStateless: true, ...canAsk });
  await expect(confirmCall(testContext(), server, call(), channel)).rejects.toMatchObject({
    name: 'InputRequired',
    question: { name: 'confirm', method: 'elicitation/create' },
  });
});
