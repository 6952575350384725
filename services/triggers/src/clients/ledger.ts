import { LedgerService } from '@fairlead/contracts/delivery/v1/ledger_service_pb';
import type { Clock } from '@fairlead/service-kit/clock';
import { createRequestContext } from '@fairlead/service-kit/context/context';
import { guid } from '@fairlead/service-kit/ids';
import type { KeyRing } from '@fairlead/service-kit/key-ring';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcPeer } from '@fairlead/service-kit/rpc/peer';
import type { Logger } from '@fairlead/service-kit/telemetry/logger';
import type { Ledger } from '../ports/ledger.ts';

/** Shorter than the lease of those who ask lasts. */
const CALL_LIMIT_MS = 5_000;

/** A client of the delivery service's ledger, for work that no request has caused. */
export function createLedgerClient(o: {
  readonly peer: RpcPeer;
  readonly callerKeys: KeyRing;
  readonly clock: Clock;
  readonly log: Logger;
}): Ledger {
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
