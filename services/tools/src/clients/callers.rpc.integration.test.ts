import { CallerRefusal, CallerService } from '@fairlead/contracts/gateway/v1/caller_service_pb';
import { ApiError } from '@fairlead/errors/api-error';
import type { Caller } from '@fairlead/service-kit/context/caller';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { CallerRefusedError } from '../domain/caller-refused-error.ts';
import { startTestGateway } from '../testing/gateway.ts';
import { createCallersClient } from './callers.ts';

/** A client of a gateway with this answer. */
async function clientOf(answer: (asked: number) => CallerRefusal) {
  const asked: unknown[] = [];
  const options = await startTestGateway((router) =>
    router.service(CallerService, {
      checkCaller(_request, h) {
        asked.push(requestContext(h).caller);
        return { refusal: answer(asked.length) };
      },
    }),
  );
  return { asked, callers: createCallersClient(options) };
}

test('a caller who may act is let through, by the credential of the call', async () => {
  const { callers, asked } = await clientOf(() => CallerRefusal.UNSPECIFIED);
  const { caller: user } = testContext();
  const ctx = testContext({ caller: { ...user, credential: { keyId: 'key_1' } } as Caller });
  await callers.requireCurrent(ctx);
  expect(asked).toEqual([ctx.caller]);
});

test.each([
  [CallerRefusal.INVALID_CREDENTIAL, 'UNAUTHORIZED'],
  [CallerRefusal.INACTIVE_USER, 'ACCOUNT_USER_INACTIVE'],
  [CallerRefusal.MISSING_PERMISSION, 'FORBIDDEN'],
])('refusal %i is %s', async (refusal, code) => {
  const { callers, asked } = await clientOf(() => refusal);
  const checked = callers.requireCurrent(testContext());
  await expect(checked).rejects.toMatchObject({ code });
  await expect(checked).rejects.toBeInstanceOf(CallerRefusedError);
  expect(asked).toHaveLength(1);
});

test('it is asked again while no gateway knows, and the call is not made if none ever does', async () => {
  const away = (): never => {
    throw new ApiError('UNAVAILABLE', 'Away.');
  };
  const back = await clientOf((asked) => (asked < 3 ? away() : CallerRefusal.UNSPECIFIED));
  await back.callers.requireCurrent(testContext());
  expect(back.asked).toHaveLength(3);
  const gone = await clientOf(away);
  await expect(gone.callers.requireCurrent(testContext())).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringContaining('Nothing was executed') as string,
  });
});
