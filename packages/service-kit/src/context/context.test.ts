import { createHmac } from 'node:crypto';
import { ApiError } from '@fairlead/errors/api-error';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../clock.ts';
import { accountOf, createRequestContext, signCaller, userOf, verifyCaller } from './context.ts';
import type { Caller } from './context.ts';
import { Secret } from '../secret.ts';
import { testContext } from '../testing/context.ts';
import { captureLog } from '../testing/log-lines.ts';

const key = new Secret('a key');
const user: Caller = {
  kind: 'user',
  accountId: 'acc_1',
  userId: 'usr_1',
  roles: ['admin'],
  permissions: ['tools.execute'],
};
const start = new Date('2026-01-01T00:00:00Z');

it.each<Caller>([user, { kind: 'service', service: 'gateway' }])(
  'a signed $kind caller comes back as it was',
  (caller) => {
    expect(verifyCaller(signCaller(caller, key, start), key, start).caller).toEqual(caller);
  },
);

describe('a caller is refused', () => {
  const token = signCaller(user, key, start);
  const [payload = '', mac = ''] = token.split('.');
  const forged = Buffer.from(payload, 'base64url').toString().replace('acc_1', 'acc_2');
  const sign = (text: string): string => {
    const part = Buffer.from(text).toString('base64url');
    return `${part}.${createHmac('sha256', 'a key').update(`fairlead-caller-v1.${part}`).digest('base64url')}`;
  };

  it.each([
    ['empty', ''],
    ['without a signature', payload],
    ['with an empty signature', `${payload}.`],
    ['with a shorter signature', `${payload}.${mac.slice(0, 20)}`],
    ['changed after signing', `${Buffer.from(forged).toString('base64url')}.${mac}`],
    ['with a part more', `${token}.${mac}`],
    ['signed with another key', signCaller(user, new Secret('another'), start)],
    ['well signed, but no JSON', sign('{')],
    [
      'well signed, but of no known kind',
      sign(JSON.stringify({ caller: { kind: 'root' }, expiresAt: start.getTime() + 1 })),
    ],
    [
      'well signed, but valid for an hour',
      sign(
        JSON.stringify({ caller: { kind: 'service', service: 's' }, expiresAt: start.getTime() + 3_600_000 }),
      ),
    ],
  ])('%s', (_, text) => {
    expect(() => verifyCaller(text, key, start)).toThrow(expect.objectContaining({ code: 'UNAUTHORIZED' }));
  });

  it('after 60 seconds, not before', () => {
    const clock = new ManualClock(start);
    clock.advance(59_999);
    expect(verifyCaller(token, key, clock.now()).caller).toEqual(user);
    clock.advance(1);
    expect(() => verifyCaller(token, key, clock.now())).toThrow(ApiError);
  });
});

it('a service caller has no account', () => {
  const service = testContext({ caller: { kind: 'service', service: 'gateway' } });
  expect(() => accountOf(service)).toThrow(expect.objectContaining({ code: 'UNAUTHORIZED' }));
  expect(accountOf(testContext({ accountId: 'acc_9' }))).toBe('acc_9');
  expect(userOf(testContext({ userId: 'usr_9' })).userId).toBe('usr_9');
});

it('a context logs its request id with each line', () => {
  const { log, lines } = captureLog();
  const ctx = createRequestContext({
    requestId: 'req-7',
    caller: user,
    signal: new AbortController().signal,
    log,
  });
  ctx.log.info('hello');
  expect(lines()).toMatchObject([{ msg: 'hello', requestId: 'req-7' }]);
});
