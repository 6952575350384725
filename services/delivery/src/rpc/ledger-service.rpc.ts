import type { ServiceImpl } from '@connectrpc/connect';
import type { LedgerService } from '@fairlead/contracts/delivery/v1/ledger_service_pb';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import { findMissingEvents } from '../use-cases/find-missing-events.ts';
import type { FindMissingEventsDeps } from '../use-cases/find-missing-events.ts';

/** LedgerService of proto/fairlead/delivery/v1 over the use cases. */
export function createLedgerService(deps: FindMissingEventsDeps): ServiceImpl<typeof LedgerService> {
  return {
    async findMissing({ eventIds }, h) {
      return { eventIds: [...(await findMissingEvents(deps, requestContext(h), eventIds))] };
    },
  };
}
