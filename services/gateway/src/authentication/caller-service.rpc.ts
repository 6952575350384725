import type { ServiceImpl } from '@connectrpc/connect';
import { CallerRefusal } from '@fairlead/contracts/gateway/v1/caller_service_pb';
import type { CallerService } from '@fairlead/contracts/gateway/v1/caller_service_pb';
import type { ClientCaller } from '@fairlead/service-kit/context/caller';
import { clientOf } from '@fairlead/service-kit/context/context';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import type { CallerRefusal as Refusal } from './use-cases/check-caller.ts';

/**
 * Checks that a user authenticated earlier, or an anonymous client admitted earlier, may still act. Rejects with UNAVAILABLE if this cannot
 * be found out.
 */
export type CheckCaller = (caller: ClientCaller) => Promise<CallerRefusal>;

/** CallerService of proto/fairlead/gateway/v1. */
export function createCallerService(o: {
  readonly checkCaller: CheckCaller;
}): ServiceImpl<typeof CallerService> {
  return {
    async checkCaller(_request, h) {
      return { refusal: await o.checkCaller(clientOf(requestContext(h))) };
    },
  };
}

const REFUSALS: Readonly<Record<Refusal, CallerRefusal>> = {
  invalidCredential: CallerRefusal.INVALID_CREDENTIAL,
  inactiveUser: CallerRefusal.INACTIVE_USER,
  missingPermission: CallerRefusal.MISSING_PERMISSION,
};

/** Encodes a refusal. */
export function toCallerRefusal(refusal: Refusal | undefined): CallerRefusal {
  return refusal === undefined ? CallerRefusal.UNSPECIFIED : REFUSALS[refusal];
}
