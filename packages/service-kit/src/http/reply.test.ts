import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { LazyJson } from '../json/lazy-json.ts';
import { sendJson, textOf } from './reply.ts';

it('JSON that is passed on is sent as it is, at any depth', () => {
  const output = new LazyJson(Buffer.from('{"n":12345678901234567890, "n":1.0}'));
  const body = { isSuccess: true, items: [{ output }, { output }], historyId: null, errorMessage: undefined };
  expect(textOf(body)).toBe(
    '{"isSuccess":true,"items":[{"output":{"n":12345678901234567890, "n":1.0}},{"output":{"n":12345678901234567890, "n":1.0}}],"historyId":null}',
  );
});

it.each([
  ['few', '{"n":1.0,"é":"\\u00e9"}'],
  ['many, which the response gets without decoding them', `["${'é'.repeat(20_000)}"]`],
])('so is what is sent to a client: %s', async (_, json) => {
  const body = { isSuccess: true, output: new LazyJson(Buffer.from(json)), historyId: null };
  const text = `{"isSuccess":true,"output":${json},"historyId":null}`;
  expect(textOf(body)).toBe(text);
  const server = http.createServer((_request, response) => sendJson(response, 201, body)).listen(0);
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/`);
  expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([
    201,
    String(Buffer.byteLength(text)),
    text,
  ]);
});

it.each([[{ a: [1, { b: 'c' }] }], [[1, 2]], ['text'], [null], [{}]])('sends %j as JSON', (body) => {
  expect(textOf(body)).toBe(JSON.stringify(body));
});

it('sends nothing of nothing', () => {
  expect(textOf(undefined)).toBe('');
});
