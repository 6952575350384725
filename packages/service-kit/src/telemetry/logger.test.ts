import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { Secret } from '../secret.ts';
import { captureLog } from '../testing/log-lines.ts';
import { recordSpans } from '../testing/recording-tracer.ts';
import { lateChild } from './logger.ts';
import { inSpan, startSpan } from './tracing.ts';

const CANARY = 'canary-4f1d';

it('a Secret is hidden in every conversion to text', () => {
  const secret = new Secret(CANARY);
  const texts = [
    String(secret),
    JSON.stringify({ secret }),
    inspect({ a: [secret] }, { depth: 9, showHidden: true }),
    JSON.stringify(structuredClone(secret)),
  ];
  expect(texts.join(' ')).not.toContain(CANARY);
  expect(secret.reveal()).toBe(CANARY);
});

const cyclic: Record<string, unknown> = { password: CANARY };
cyclic['self'] = cyclic;

it.each<[string, Record<string, unknown>]>([
  ['a Secret', { value: new Secret(CANARY) }],
  ['a Secret deep inside', { a: [{ b: new Map([['c', new Secret(CANARY)]]) }] }],
  ['a Secret in a Set', { a: new Set([new Secret(CANARY)]) }],
  ['a password', { password: CANARY }],
  ['a password deep inside', { request: { body: [{ user: { Password: CANARY } }] } }],
  ['an authorization header', { headers: { authorization: `Bearer ${CANARY}` } }],
  ['an API-key header', { headers: { 'X-API-Key': CANARY } }],
  ['the operator’s key', { headers: { 'x-operator-key': CANARY } }],
  ['a cookie', { headers: { cookie: CANARY, 'set-cookie': [CANARY] } }],
  ['tokens', { tokens: { accessToken: CANARY, refresh_token: CANARY } }],
  ['a client secret', { clientSecret: CANARY }],
  ['a connection string', { uri: `mongodb://root:${CANARY}@db:27017/?tls=true` }],
  ['bytes', { body: Buffer.from(CANARY), list: [new Uint8Array(Buffer.from(CANARY))] }],
  [
    'an error that carries its request',
    { err: Object.assign(new Error('refused'), { request: { key: CANARY } }) },
  ],
  [
    'an error whose cause holds a password',
    { err: new Error('a', { cause: new Error(`mongodb://root:${CANARY}@db`) }) },
  ],
  ['an error under another name', { failure: Object.assign(new Error('refused'), { password: CANARY }) }],
  ['a cycle', cyclic],
])('%s is logged without its value', (_, fields) => {
  const { log, text } = captureLog();
  log.info(fields, 'something happened');
  expect(text()).toContain('something happened');
  expect(text()).not.toContain(CANARY);
  expect(text()).not.toContain(JSON.stringify([...Buffer.from(CANARY)]).slice(1, -1));
});

it('a Secret shows as three stars, at any depth', () => {
  const { log, lines } = captureLog();
  log.info({ a: new Secret(CANARY), b: [{ c: new Secret(1) }] }, 'hello');
  expect(lines()).toMatchObject([{ a: '***', b: [{ c: '***' }] }]);
});

it('a child logger with a secret binding hides it', () => {
  const { log, text } = captureLog();
  log.child({ key: new Secret(CANARY), password: CANARY, user: { token: CANARY } }).info('hello');
  log
    .child({ a: 1 })
    .child({ deep: { er: { apiKey: CANARY } } })
    .info('hello');
  expect(text()).toContain('hello');
  expect(text()).not.toContain(CANARY);
});

it('a late child is made when it first writes, once, and its children write its fields too', () => {
  const { log, lines } = captureLog();
  const child = vi.spyOn(log, 'child');
  const late = lateChild(log, { requestId: 'r' });
  expect(child).not.toHaveBeenCalled();
  const levels = ['fatal', 'error', 'warn', 'info', 'debug'] as const;
  for (const level of levels) late[level]({ of: level }, 'happened');
  expect(child).toHaveBeenCalledOnce();
  late.child({ step: 1 }).info('stepped');
  expect(lines()).toMatchObject([
    ...levels.map((level) => ({ level, of: level, requestId: 'r', msg: 'happened' })),
    { level: 'info', requestId: 'r', step: 1, msg: 'stepped' },
  ]);
});

it('an error is logged with type, message, code, stack and cause', () => {
  const { log, lines } = captureLog();
  const cause = Object.assign(new TypeError('inner'), { code: 'ECONNREFUSED' });
  log.error({ err: new Error('outer', { cause }) }, 'it failed');
  expect(lines()).toMatchObject([
    {
      level: 'error',
      service: 'test',
      msg: 'it failed',
      err: {
        type: 'Error',
        message: 'outer',
        cause: { type: 'TypeError', message: 'inner', code: 'ECONNREFUSED' },
      },
    },
  ]);
  expect(JSON.stringify(lines())).toContain('logger.test.ts');
});

it('a value that is not a secret is logged unchanged', () => {
  const { log, lines } = captureLog();
  const at = new Date(0);
  log.info(
    { count: 3, at, none: null, list: ['a', { url: 'https://example.com/a@b' }], nextPageToken: undefined },
    'fine',
  );
  expect(lines()[0]).toMatchObject({
    count: 3,
    at: at.toISOString(),
    none: null,
    list: ['a', { url: 'https://example.com/a@b' }],
  });
});

describe('if the process is traced', () => {
  it('a line that is written inside a span names the trace, another one does not', () => {
    const { log, lines } = captureLog();
    const { spans, stop } = recordSpans();
    try {
      log.info('outside');
      inSpan(startSpan({ name: 'work', kind: 'server' }), () => log.child({ requestId: 'r' }).info('inside'));
    } finally {
      stop();
    }
    log.info('after');
    expect(lines().map(({ traceId }) => traceId)).toEqual([undefined, spans[0]?.traceId, undefined]);
  });
});
