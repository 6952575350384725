import { create } from '@bufbuild/protobuf';
import { HookResultSchema } from '@fairlead/contracts/triggers/v1/hook_service_pb';
import type { HookResult } from '@fairlead/contracts/triggers/v1/hook_service_pb';
import type { HookOutcome } from '../domain/hook-call.ts';

/** Encodes the outcome of a call. */
export function toHookResult(outcome: HookOutcome): HookResult {
  switch (outcome.kind) {
    case 'captured':
      return create(HookResultSchema, { outcome: { case: 'eventId', value: outcome.eventId } });
    case 'notFound':
      return create(HookResultSchema, { outcome: { case: 'notFound', value: true } });
    case 'filtered':
      return create(HookResultSchema, { outcome: { case: 'filtered', value: true } });
    case 'unauthorized':
      return create(HookResultSchema, { outcome: { case: 'unauthorized', value: true } });
    case 'unavailable':
      return create(HookResultSchema, { outcome: { case: 'unavailable', value: true } });
    case 'takesTime':
      return create(HookResultSchema, { outcome: { case: 'takesTime', value: true } });
  }
}
