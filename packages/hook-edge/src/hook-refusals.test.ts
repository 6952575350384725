import { create } from '@bufbuild/protobuf';
import { DEFAULT_BUDGETS } from '@fairlead/access/budgets';
import {
  CaptureCallsResponseSchema,
  ResolveHookResponseSchema,
} from '@fairlead/contracts/triggers/v1/hook_service_pb';
import { ApiError } from '@fairlead/errors/api-error';
import { createInProgress, IN_PROGRESS_LIMITS } from '@fairlead/rest-kit/in-progress';
import { createLargeBodies } from '@fairlead/rest-kit/large-bodies';
import { systemClock } from '@fairlead/service-kit/clock';
import { callHttp, startHttpService } from '@fairlead/service-kit/testing/http';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { systemTimers } from '@fairlead/service-kit/timers';
import { expect, onTestFinished, test } from 'vitest';
import { createHooks } from './hook-mount.ts';

/** An address of a disabled trigger, beside an unknown address. */
async function setUp({ timeoutMs = 60_000 } = {}) {
  const largeBodies = createLargeBodies();
  const state = {
    isDisabled: false,
    isFlooded: false,
    away: () => Promise.resolve(),
  };
  const hooks = createHooks({
    hooks: {
      async resolveHook(_ctx, { tokenHash }) {
        await state.away();
        const isKnown = tokenHash === KNOWN_HASH;
        const { isDisabled } = state;
        return create(
          ResolveHookResponseSchema,
          isKnown ? { triggerId: 'trg_1', accountId: 'acc_1', isDisabled } : {},
        );
      },
      async captureCalls(_ctx, { calls = [] }) {
        await state.away();
        const outcome = { case: 'eventId', value: 'te_1' } as const;
        return create(CaptureCallsResponseSchema, { results: calls.map(() => ({ outcome })) });
      },
      captureLargeCall: () => Promise.reject(new Error('No body of these tests is large.')),
    },
    findBudgets: () => Promise.resolve(DEFAULT_BUDGETS),
    limits: { admitHook: () => !state.isFlooded },
    inProgress: createInProgress(IN_PROGRESS_LIMITS),
    largeBodies,
    clock: systemClock,
    timers: systemTimers,
    log: captureLog().log,
    timeoutMs,
  });
  const service = await startHttpService({ mounts: [hooks.mount] });
  onTestFinished(async () => {
    largeBodies.close();
    await service.close();
  });
  const call = async (token: string, o: { headers?: Record<string, string>; body?: string } = {}) => {
    const { status, headers, body } = await callHttp(service, 'POST', `/hooks/${token}`, {
      body: '{}',
      ...o,
    });
    const { requestId: _id, timestamp: _at, text: _text, ...shown } = body;
    return { status, shown, retryAfter: headers.get('retry-after') };
  };
  return { call, state };
}

/** The hash of the token `a`. */
const KNOWN_HASH = 'ypeBEsobvcr6wjGzmiPcTaeG7_gUfE5yuYB3ha_uSLs';

test.each<[number, string, { headers?: Record<string, string>; body?: string }]>([
  [429, 'beyond its budget', {}],
  [400, 'with a bad key', { headers: { 'webhook-id': 'x'.repeat(256) } }],
  [413, 'with a body above the limit', { body: 'x'.repeat(5 * 1024 * 1024 + 1) }],
])(
  'a call that is %i %s is the 404 of an unknown token once its trigger is disabled',
  async (status, _what, sent) => {
    const { call, state } = await setUp();
    expect((await call('a')).status).toBe(202);
    state.isFlooded = status === 429;
    expect((await call('a', sent)).status).toBe(status);
    state.isDisabled = true;
    const unknown = await call('b', sent);
    expect(unknown.status).toBe(404);
    expect(await call('a', sent)).toEqual(unknown);
  },
);

test.each(['Idempotency-Key', 'webhook-id'])(
  'a key that is too long is named as it was sent: %s',
  async (field) => {
    const { call } = await setUp();
    const { status, shown } = await call('a', { headers: { [field.toLowerCase()]: 'x'.repeat(256) } });
    expect(status).toBe(400);
    expect(shown['details']).toMatchObject([{ field }]);
  },
);

test.each(['UNAVAILABLE', 'TIMEOUT'] as const)(
  'while triggers is away (%s), the answer says when to call again',
  async (code) => {
    const { call, state } = await setUp();
    state.away = () => Promise.reject(new ApiError(code, 'away'));
    expect(await call('a')).toMatchObject({ status: code === 'TIMEOUT' ? 504 : 503, retryAfter: '1' });
  },
);

test('so does the answer to a call that takes too long', async () => {
  const { call, state } = await setUp({ timeoutMs: 100 });
  state.away = () => new Promise(() => undefined);
  expect(await call('a')).toMatchObject({ status: 504, retryAfter: '1' });
});
