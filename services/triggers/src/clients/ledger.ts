import { LedgerService } from '@fairlead/contracts/delivery/v1/ledger_service_pb';
import { createRequestContext } from '@fairlead/service-kit/context/context';
import { guid } from '@fairlead/service-kit/ids';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClientOptions } from '@fairlead/service-kit/rpc/client';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { Ledger } from '../ports/ledger.ts';

/** Shorter than the callers' lease. */
const CALL_LIMIT_MS = 5_000;

/** A client of the delivery service's ledger, for background work. */
export function createLedgerClient(o: RpcClientOptions & { readonly log: Logger }): Ledger {
  const ledger = createRpcClient(LedgerService, o);
  return {
    async findMissing(eventIds) {
      const ctx = createRequestContext({
        requestId: guid(),
        caller: { kind: 'service', service: 'triggers' },
        signal: AbortSignal.timeout(CALL_LIMIT_MS),
        log: o.log,
      });
      const request = { eventIds: [...eventIds] };
      return (await ledger.findMissing(ctx, request, { timeoutMs: CALL_LIMIT_MS })).eventIds;
    },
  };
}
