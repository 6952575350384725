import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { TriggerCallService } from '@fairlead/contracts/tools/v1/trigger_call_service_pb';
import type {
  PollCursor as CursorMessage,
  PollRead as ReadMessage,
} from '@fairlead/contracts/tools/v1/trigger_call_service_pb';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClientOptions } from '@fairlead/service-kit/rpc/client';
import type { PollCursor } from '../domain/poll.ts';
import type {
  TriggerTarget,
  CallResult,
  PollRead,
  TriggerCalls,
  VendorWebhooks,
} from '../ports/trigger-calls.ts';

/** Calls of applications by the tools service. */
export function createTriggerCallsClient(o: RpcClientOptions): TriggerCalls {
  const calls = createRpcClient(TriggerCallService, o);
  return {
    async seedPoll(ctx, of) {
      const { outcome } = await calls.seedPoll(ctx, { call: callOf(of) });
      if (outcome.case === 'cursor') return success(cursorOf(outcome.value));
      return failure(outcome.case === 'failure' ? outcome.value.message : undefined);
    },
    async readPoll(ctx, of, { since, known }) {
      const cursor = { ...(since === null ? {} : { since }), known: [...known] };
      const { outcome } = await calls.readPoll(ctx, { call: callOf(of), cursor });
      if (outcome.case === 'read') return success(readOf(outcome.value));
      return failure(outcome.case === 'failure' ? outcome.value.message : undefined);
    },
  };
}

/** Registrations at vendors by the tools service. */
export function createVendorWebhooksClient(o: RpcClientOptions): VendorWebhooks {
  const calls = createRpcClient(TriggerCallService, o);
  return {
    async register(ctx, of, address) {
      const { outcome } = await calls.registerWebhook(ctx, { call: callOf(of), ...address });
      if (outcome.case === 'registrationId') return success(outcome.value);
      return failure(outcome.case === 'failure' ? outcome.value.message : undefined);
    },
    async find(ctx, of, url) {
      const { outcome } = await calls.findWebhooks(ctx, { call: callOf(of), url });
      if (outcome.case === 'registrations') return success(outcome.value.ids);
      return failure(outcome.case === 'failure' ? outcome.value.message : undefined);
    },
    async remove(ctx, of, registrationId) {
      const { failure: reason } = await calls.removeWebhook(ctx, { call: callOf(of), registrationId });
      return reason === undefined ? success(undefined) : failure(reason.message);
    },
  };
}

function callOf({ triggerTypeSlug, connectionId, configuration }: TriggerTarget) {
  return { triggerTypeSlug, connectionId, configurationJson: configuration.bytes };
}

function success<T>(value: T): CallResult<T> {
  return { isSuccess: true, value };
}

function failure(errorMessage: string | undefined): CallResult<never> {
  if (errorMessage === undefined)
    throw new TypeError('The tools service returned neither a result nor a reason.');
  return { isSuccess: false, errorMessage };
}

function cursorOf(message: CursorMessage | undefined): PollCursor {
  return { since: message?.since ?? null, known: message?.known ?? [] };
}

function readOf({ items, cursor, hasMore, gaps }: ReadMessage): PollRead {
  return {
    items: items.map(({ key, occurredAt, payload }) => ({ key, occurredAt: dateOf(occurredAt), payload })),
    cursor: cursorOf(cursor),
    hasMore,
    gaps: gaps.map(({ from, to, reason }) => ({ from: dateOf(from), to: dateOf(to), reason })),
  };
}

function dateOf(timestamp: Timestamp | undefined): Date {
  if (timestamp === undefined) throw new TypeError('The tools service returned no time.');
  return timestampDate(timestamp);
}
