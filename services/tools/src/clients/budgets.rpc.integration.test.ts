import type { MessageInitShape } from '@bufbuild/protobuf';
import { BudgetService } from '@fairlead/contracts/gateway/v1/budget_service_pb';
import type { TakeCallResponseSchema } from '@fairlead/contracts/gateway/v1/budget_service_pb';
import { CallerRefusal } from '@fairlead/contracts/gateway/v1/caller_service_pb';
import { ApiError } from '@fairlead/errors/api-error';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import { CallerRefusedError } from '../domain/caller-refused-error.ts';
import { startTestGateway } from '../testing/gateway.ts';
import { createBudgetsClient } from './budgets.ts';

type Answer = MessageInitShape<typeof TakeCallResponseSchema>;

/** A client of a gateway with this answer. */
async function clientOf(answer: (asked: number) => Answer) {
  const callers: unknown[] = [];
  const options = await startTestGateway((router) =>
    router.service(BudgetService, {
      takeCall(_request, h) {
        callers.push(requestContext(h).caller);
        return answer(callers.length);
      },
    }),
  );
  return { callers, budgets: createBudgetsClient(options) };
}

test('a call is counted for the caller', async () => {
  const { budgets, callers } = await clientOf(() => ({ isAdmitted: true, renewsInSeconds: 60 }));
  const ctx = testContext();
  await budgets.takeCall(ctx);
  expect(callers).toEqual([ctx.caller]);
});

test('a spent budget says so, and when it renews', async () => {
  const { budgets, callers } = await clientOf(() => ({ isAdmitted: false, renewsInSeconds: 1_742 }));
  await expect(budgets.takeCall(testContext())).rejects.toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
    message: expect.stringMatching(
      /hourly budget of calls is spent. It renews in 1742 s \(.*Z\)\.$/,
    ) as string,
  });
  expect(callers).toHaveLength(1);
});

test('it is asked again while no gateway can count, and the call is not made if none ever does', async () => {
  const away = (): never => {
    throw new ApiError('UNAVAILABLE', 'Away.');
  };
  const back = await clientOf((asked) => (asked < 3 ? away() : { isAdmitted: true, renewsInSeconds: 60 }));
  await back.budgets.takeCall(testContext());
  expect(back.callers).toHaveLength(3);
  const gone = await clientOf(away);
  await expect(gone.budgets.takeCall(testContext())).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: 'The call could not be counted against the hourly budget.',
  });
});

test('another refusal is not asked about again', async () => {
  const { budgets, callers } = await clientOf(() => {
    throw new ApiError('NOT_FOUND', 'The account does not exist.');
  });
  await expect(budgets.takeCall(testContext())).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(callers).toHaveLength(1);
});

test('a caller who may not act any more is told apart from a spent budget', async () => {
  const callerRefusal = CallerRefusal.INVALID_CREDENTIAL;
  const { budgets, callers } = await clientOf(() => ({ isAdmitted: false, callerRefusal }));
  await expect(budgets.takeCall(testContext())).rejects.toBeInstanceOf(CallerRefusedError);
  expect(callers).toHaveLength(1);
});
