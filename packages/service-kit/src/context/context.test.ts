import { expect, it } from 'vitest';
import { testContext } from '../testing/context.ts';
import { captureLog } from '../testing/log-lines.ts';
import type { Caller } from './caller.ts';
import {
  accountOf,
  actingAccountOf,
  createRequestContext,
  requirePlatform,
  userIdOf,
  userOf,
} from './context.ts';

it('a user’s account and user are those of the call', () => {
  expect(accountOf(testContext({ accountId: 'acc_9' }))).toBe('acc_9');
  expect(userOf(testContext({ userId: 'usr_9' })).userId).toBe('usr_9');
});

it.each<Caller>([
  { kind: 'service', service: 'gateway' },
  { kind: 'serviceForAccount', service: 'triggers', accountId: 'acc_1' },
  { kind: 'endUserSession', accountId: 'acc_1', endUserId: 'eu_1', sessionId: 'ses_1' },
])('a caller of the kind $kind has not the rights of a user', (caller) => {
  expect(() => accountOf(testContext({ caller }))).toThrow(expect.objectContaining({ code: 'UNAUTHORIZED' }));
  expect(() => userOf(testContext({ caller }))).toThrow(expect.objectContaining({ code: 'UNAUTHORIZED' }));
});

it('a client without a credential belongs to the account of its MCP server, and is no user', () => {
  const caller: Caller = { kind: 'anonymousClient', accountId: 'acc_1', serverId: 'server-1' };
  const ctx = testContext({ caller });
  expect([accountOf(ctx), actingAccountOf(ctx), userIdOf(ctx)]).toEqual(['acc_1', 'acc_1', null]);
  expect(() => userOf(ctx)).toThrow(expect.objectContaining({ code: 'UNAUTHORIZED' }));
  expect(() => requirePlatform(ctx)).toThrow(expect.objectContaining({ code: 'FORBIDDEN' }));
});

it('a service acts for its account with neither a user’s rights nor the platform’s', () => {
  const caller: Caller = { kind: 'serviceForAccount', service: 'triggers', accountId: 'acc_1' };
  expect(actingAccountOf(testContext({ caller }))).toBe('acc_1');
  expect(actingAccountOf(testContext({ accountId: 'acc_9' }))).toBe('acc_9');
  const platform: Caller = { kind: 'service', service: 'gateway' };
  expect(() => actingAccountOf(testContext({ caller: platform }))).toThrow(
    expect.objectContaining({ code: 'UNAUTHORIZED' }),
  );
  expect(() => requirePlatform(testContext({ caller }))).toThrow(
    expect.objectContaining({ code: 'FORBIDDEN' }),
  );
});

it('a context logs its request id with each line', () => {
  const { log, lines } = captureLog();
  const { caller, signal } = testContext();
  const ctx = createRequestContext({ requestId: 'req-7', caller, signal, log });
  ctx.log.info('hello');
  expect(lines()).toMatchObject([{ msg: 'hello', requestId: 'req-7' }]);
});
