import { describe, expect, test } from 'vitest';
import { acceptsAnswers, acceptsStream, isResult, readPosted } from './posted.ts';

const read = (text: string, version = '') => readPosted(Buffer.from(text), version);
const request = (more: object = {}): object => ({ jsonrpc: '2.0', id: 1, method: 'tools/list', ...more });

describe('the requests of a body', () => {
  test.each<[string, unknown, number, unknown]>([
    ['a request', request(), 1, 1],
    ['a request with a text as its id', request({ id: 'a' }), 1, 'a'],
    ['a request with null as its id', request({ id: null }), 1, null],
    ['a request with an id of another kind', request({ id: {} }), 1, null],
    ['a request with an id that is too long to be repeated', request({ id: 'x'.repeat(1_100) }), 1, null],
    ['a message of a method that is no text', request({ method: 5 }), 1, 1],
    ['a request beside a result', request({ result: {} }), 1, 1],
    ['a ping', request({ method: 'ping' }), 0, 1],
    ['a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }, 0, null],
    ['a response', { jsonrpc: '2.0', id: 7, result: { method: 'tools/list' } }, 0, null],
    ['an error', { jsonrpc: '2.0', id: 7, error: { code: 1, message: 'no' } }, 0, null],
    [
      'a batch',
      [request(), request({ id: 2 }), request({ method: 'ping' }), { method: 'notifications/x' }, 1, null],
      2,
      null,
    ],
    ['a request in a batch of a batch', [[request()]], 0, null],
  ])('%s', (_name, body, requestCount, id) => {
    expect(read(JSON.stringify(body))).toMatchObject({ requestCount, id });
    expect(read(JSON.stringify(body, undefined, 2))).toMatchObject({ requestCount, id });
  });

  test('the last of several members with one name counts, however the names are written', () => {
    expect(read('{"id":1,"method":"ping","method":"tools/call"}').requestCount).toBe(1);
    expect(read('{"id":1,"method":"ping","m\\u0065thod":"tools/call"}').requestCount).toBe(1);
    expect(read('{"id":1,"method":"tools/call","method":"\\u0070\\u0069\\u006e\\u0067"}').requestCount).toBe(
      0,
    );
    expect(read('{"\\u0069d":1,"method":"tools/call"}')).toMatchObject({ requestCount: 1, id: 1 });
  });

  test.each([
    [request({ method: 'initialize' }), true],
    [request(), false],
    [{ method: 'initialize' }, false],
  ])('%j begins a session: %s', (body, isInitialize) => {
    const { message } = read(JSON.stringify(body));
    expect(message?.method === 'initialize' && message.isRequest).toBe(isInitialize);
  });

  test.each(['initialize', 'resources/subscribe', 'resources/unsubscribe'])(
    '%s in a batch is refused before anything counts',
    (method) => {
      expect(() => read(JSON.stringify([request(), request({ method })]))).toThrow(
        'body: must be one message',
      );
    },
  );

  test.each([
    ['no body', ''],
    ['what is not JSON', '{"id":1,'],
    ['two values', '{} {}'],
  ])('%s is malformed', (_name, text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: 'MALFORMED_BODY' }));
  });

  test('text that is not UTF-8 is malformed', () => {
    expect(() => readPosted(Buffer.from([0x22, 0xff, 0x22]), '')).toThrow('The body is not UTF-8.');
  });

  test('has at most 50 messages in a batch, and no batch in other versions than 2025-03-26', () => {
    const batch = (length: number) => JSON.stringify(Array.from({ length }, () => request()));
    expect(read(batch(50)).requestCount).toBe(50);
    expect(read(batch(1), '2025-03-26').requestCount).toBe(1);
    const refused = expect.objectContaining({ code: 'VALIDATION_ERROR' }) as unknown;
    expect(() => read(batch(51))).toThrow(refused);
    for (const version of ['2024-11-05', '2025-06-18', 'x'])
      expect(() => read(batch(1), version)).toThrow(refused);
  });

  const deep = `${'['.repeat(34)}${']'.repeat(34)}`;
  test.each([
    ['a scalar', '1'],
    ['null', 'null'],
    ['a batch of nothing', '[]'],
    ['a batch of 51', JSON.stringify(Array.from({ length: 51 }, () => request()))],
    ['too many values', `{"id":1,"method":"a","params":[${'1,'.repeat(100_000)}1]}`],
    ['too many levels', `{"id":1,"method":"a","params":${deep}}`],
    ['text that is not Unicode', '{"id":1,"method":"a","params":{"a":"\\ud800"}}'],
    ['a number beyond IEEE 754', '{"id":1,"method":"a","params":{"a":1e999}}'],
    ['a name that is lost on the way', '{"id":1,"method":"a","params":{"__proto__":{"a":1}}}'],
    ['such a name in a batch', '[{"id":1,"method":"a","params":{"__pr\\u006fto__":1}}]'],
  ])('%s is refused', (_name, text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }));
  });
});

test.each<[string | undefined, boolean]>([
  [undefined, true],
  ['application/json, text/event-stream', true],
  ['text/event-stream;q=0.5,Application/JSON', true],
  ['*/*', true],
  ['application/*, text/*', true],
  ['application/json', false],
  ['text/event-stream', false],
  ['text/html', false],
  ['application/jsonp, text/event-stream', false],
  ['', false],
])('Accept: %s', (accept, isEnough) => {
  const headers = accept === undefined ? {} : { accept };
  expect(acceptsAnswers({ headers })).toBe(isEnough);
});

test.each([
  [undefined, true],
  ['text/event-stream', true],
  ['*/*', true],
  ['text/*;q=0.5', true],
  ['application/json', false],
])('a client that accepts %s takes a stream: %s', (accept, isAccepted) => {
  expect(acceptsStream({ headers: { accept } })).toBe(isAccepted);
});

test.each([
  ['{"jsonrpc":"2.0","id":1,"result":{}}', true],
  ['{"jsonrpc":"2.0","id":1,"error":{"result":1}}', false],
  ['[{"result":1}]', false],
])('%s is a result: %s', (text, expected) => {
  expect(isResult(Buffer.from(text))).toBe(expected);
});
