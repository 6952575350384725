import type { ClientDescription } from '@fairlead/connector-runtime/mcp/calling-client';
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { systemTimers } from '@fairlead/service-kit/timers';
import { onTestFinished } from 'vitest';
import { OpenRequests } from '../client-requests/open-requests.ts';
import { ProcessRunningCalls } from '../detached-calls/running-calls.ts';
import { stateOfCall } from '../domain/call-round.ts';
import type { ClientAnswer } from '../ports/client-requests.ts';
import type { CallRound } from '../use-cases/calls/run-in-rounds.ts';
import { MemoryCalls } from './memory-calls.ts';

/** A client that gets its requests in results. */
export const ROUND_CLIENT: ClientDescription = {
  capabilities: { elicitation: {} },
  wantsProgress: true,
  takesInputRequired: true,
};

/** The members with which the client continues a round: it accepts every request. */
export function nextRound({ call }: CallRound): Pick<ClientDescription, 'requestState' | 'inputResponses'> {
  return {
    requestState: stateOfCall(call.callId),
    inputResponses: Object.fromEntries(call.requests.map(({ key }) => [key, { action: 'accept' }])),
  };
}

/** Calls in rounds in one replica, in memory. */
export function memoryRounds() {
  const detachedCalls = new MemoryCalls();
  const open = new OpenRequests();
  const clientRequests = {
    open: (caller: string, signal: AbortSignal) => open.open(caller, signal),
    answer(caller: string, key: string, answer: ClientAnswer) {
      open.take(caller, key, answer);
      return Promise.resolve();
    },
  };
  const watches: (() => void)[] = [];
  const callChanges = {
    announce: () => {
      for (const wake of watches) wake();
    },
    watch() {
      const { promise, resolve } = Promise.withResolvers<void>();
      watches.push(resolve);
      return { changed: () => promise, end: () => undefined };
    },
  };
  const runningCalls = new ProcessRunningCalls({
    calls: detachedCalls,
    changes: callChanges,
    timers: systemTimers,
    log: createLogger({ service: 'test', level: 'silent' }),
    graceMs: 0,
  });
  onTestFinished(() => runningCalls.close());
  return { clientRequests, detachedCalls, runningCalls, callChanges };
}
