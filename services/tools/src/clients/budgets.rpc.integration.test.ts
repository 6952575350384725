import { BudgetService } from '@fairlead/contracts/gateway/v1/budget_service_pb';
import { ApiError } from '@fairlead/errors/api-error';
import { systemClock } from '@fairlead/service-kit/clock';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import { startRpcServer } from '@fairlead/service-kit/rpc/server';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testPeer } from '@fairlead/service-kit/testing/peer';
import { testCallerKeys } from '@fairlead/service-kit/testing/rpc';
import { expect, onTestFinished, test } from 'vitest';
import { createBudgetsClient } from './budgets.ts';

type Answer = { readonly isAdmitted: boolean; readonly renewsInSeconds: number };

/** A client of a gateway that answers so, the pauses of which take no time. */
async function clientOf(answer: (asked: number) => Answer) {
  const callers: unknown[] = [];
  const server = await startRpcServer({
    name: 'gateway',
    config: {
      HOST: '127.0.0.1',
      PORT: 0,
      GRPC_PORT: 0,
      CALLER_CONTEXT_KEYS: testCallerKeys,
      SHUTDOWN_GRACE_MS: 0,
    },
    log: createLogger({ service: 'test', level: 'silent' }),
    clock: systemClock,
    routes: (router) =>
      router.service(BudgetService, {
        takeCall(_request, h) {
          callers.push(requestContext(h).caller);
          return answer(callers.length);
        },
      }),
  });
  const peer = testPeer('gateway', server);
  onTestFinished(async () => {
    await peer.close();
    await server.close();
  });
  const timers = {
    after(_delayMs: number, run: () => void) {
      queueMicrotask(run);
      return { cancel() {} };
    },
  };
  return {
    callers,
    budgets: createBudgetsClient({ peer, callerKeys: testCallerKeys, clock: systemClock, timers }),
  };
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
