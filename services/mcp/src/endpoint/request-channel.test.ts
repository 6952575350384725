import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { InputRequired } from './input-required.ts';
import { interactiveChannel, unaryChannel } from '../testing/clients.ts';

const progressToken = new LazyJson(Buffer.from('"mine"'));
const settled = () => new Promise(setImmediate);
const question = { name: 'confirm', method: 'elicitation/create', params: { message: 'Sure?' } } as const;

test('progress has the client’s own token, and only rises', async () => {
  const { channel, sent } = interactiveChannel({ progressToken });
  channel.notify('notifications/progress', { progressToken: 'theirs', progress: 1, total: 2 });
  channel.notify('notifications/progress', { progress: 1 });
  channel.notify('notifications/progress', { progress: 2, message: 'Done.' });
  await settled();
  expect(sent).toEqual([
    {
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 'mine', progress: 1, total: 2 },
    },
    {
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 'mine', progress: 2, message: 'Done.' },
    },
  ]);
});

test('a client that sent no token hears of no progress', async () => {
  const { channel, sent, time } = interactiveChannel();
  channel.notify('notifications/progress', { progress: 1 });
  await time.runUntil(60_000);
  expect(sent).toEqual([]);
});

test('log messages pass from the client’s level on', async () => {
  const { channel, sent } = interactiveChannel({ logLevel: 'warning' });
  for (const level of ['info', 'warning', 'critical'])
    channel.notify('notifications/message', { level: LazyJson.of(level), data: 'x' });
  await settled();
  expect(sent).toMatchObject([{ params: { level: 'warning' } }, { params: { level: 'critical' } }]);
});

test('other notifications pass as they are', async () => {
  const { channel, sent } = interactiveChannel();
  channel.notify('notifications/elicitation/complete', { elicitationId: 'e' });
  await settled();
  expect(sent).toEqual([
    { jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId: 'e' } },
  ]);
});

test('a request that runs without progress reports itself every ten seconds, until it has ended', async () => {
  const { channel, sent, time } = interactiveChannel({ progressToken });
  await time.runUntil(25_000);
  expect(sent).toMatchObject([
    { params: { progressToken: 'mine', message: 'Running for 10 s.' } },
    { params: { progressToken: 'mine', message: 'Running for 20 s.' } },
  ]);
  channel.notify('notifications/progress', { progress: 0.1, message: 'Its own.' });
  await time.runUntil(34_000);
  expect(sent).toHaveLength(3);
  await time.runUntil(36_000);
  expect(sent.slice(2)).toMatchObject([
    { params: { progress: 0.1 } },
    { params: { message: 'Its own.', progress: 0.100_001 } },
  ]);
  channel.close();
  channel.notify('notifications/progress', { progress: 1 });
  await time.runUntil(120_000);
  expect(sent).toHaveLength(4);
});

test('a request of another service has its key as id', async () => {
  const { channel, sent } = interactiveChannel();
  await channel.pass({ key: 'ask_1', method: 'roots/list', params: Buffer.from('{}') });
  await settled();
  expect(sent).toEqual([{ jsonrpc: '2.0', id: 'ask_1', method: 'roots/list', params: {} }]);
});

test('a client is asked what it declared, and its answer comes back', async () => {
  const { channel, sent, answer } = interactiveChannel({ capabilities: { elicitation: { form: {} } } });
  expect(channel.canAsk(question)).toBe(true);
  expect(channel.canAsk({ ...question, params: { mode: 'url' } })).toBe(false);
  expect(channel.canAsk({ method: 'sampling/createMessage', params: {} })).toBe(false);
  const asking = channel.ask(testContext(), question);
  await settled();
  expect(sent).toEqual([
    { jsonrpc: '2.0', id: 'own_1', method: 'elicitation/create', params: { message: 'Sure?' } },
  ]);
  answer('own_1', { kind: 'result', result: { action: 'accept' } });
  expect(await asking).toEqual({ kind: 'result', result: { action: 'accept' } });
});

test('a question ends without an answer after five minutes, and the client is told', async () => {
  const { channel, sent, time } = interactiveChannel();
  const asking = channel.ask(testContext(), question);
  await settled();
  await time.runUntil(300_000);
  expect(await asking).toEqual({ kind: 'none' });
  await settled();
  expect(sent.slice(1)).toMatchObject([
    { method: 'notifications/cancelled', params: { requestId: 'own_1' } },
  ]);
});

test('a question ends with its request', async () => {
  const { channel } = interactiveChannel();
  const abort = new AbortController();
  const asking = channel.ask({ ...testContext(), signal: abort.signal }, question);
  await settled();
  abort.abort(new Error('gone'));
  await expect(asking).rejects.toThrow('gone');
});

test('a client that waits for one response is sent nothing else', async () => {
  const channel = unaryChannel({ progressToken, capabilities: { elicitation: {} }, logLevel: 'debug' });
  channel.notify('notifications/message', { level: 'error', data: 'x' });
  expect([channel.isInteractive, channel.canAsk(question)]).toEqual([false, false]);
  await expect(channel.ask(testContext(), question)).rejects.toThrow('is sent nothing');
});

test('a client without a handshake is asked in the result, unless its request has brought the answer', async () => {
  const client = { isStateless: true, capabilities: { elicitation: {} } };
  expect(unaryChannel(client).canAsk(question)).toBe(true);
  expect(unaryChannel({ isStateless: true }).canAsk(question)).toBe(false);
  await expect(unaryChannel(client).ask(testContext(), question)).rejects.toThrow(InputRequired);
  const answered = unaryChannel(client, { confirm: { action: 'accept' } });
  expect(await answered.ask(testContext(), question)).toEqual({
    kind: 'result',
    result: { action: 'accept' },
  });
});
