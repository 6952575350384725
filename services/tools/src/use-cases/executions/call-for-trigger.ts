import type { JsonObject } from '@fairlead/connector-model/model';
import type { VendorCall } from '@fairlead/connector-runtime/call';
import { triggerTool } from '@fairlead/connector-runtime/triggers/trigger-tool';
import type { TriggerExecution } from '@fairlead/connector-runtime/triggers/trigger-tool';
import { ApiError, overloaded } from '@fairlead/errors/api-error';
import { actingAccountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { heldBytes } from '@fairlead/service-kit/slots/held-bytes';
import { endOfCall, waitMs } from '../../domain/call-time.ts';
import type { Outcome } from '../../domain/execution.ts';
import { createMasker } from '@fairlead/connector-runtime/value-masking';
import { refuseUnlicensed } from '../../domain/target.ts';
import type { Catalog, TriggerType, TriggerTypes } from '../../ports/catalog.ts';
import type { Connections } from '../../ports/connections.ts';
import type { VendorLimits } from '../../ports/vendor-limits.ts';
import { callVendor } from './call-vendor.ts';
import type { CallVendorDeps } from './call-vendor.ts';
import { openVendor } from './open-vendor.ts';
import { waitForVendor } from './wait-for-vendor.ts';
import type { WaitForVendorDeps } from './wait-for-vendor.ts';

export interface CallForTriggerDeps extends WaitForVendorDeps, CallVendorDeps<VendorCall> {
  readonly vendorLimits: Pick<VendorLimits, 'until' | 'note'>;
  readonly catalog: Pick<Catalog, 'getConnector'> & TriggerTypes;
  readonly connections: Pick<Connections, 'getConnection' | 'getCredentials' | 'readToolsAgain'>;
  /** Maximum time of one call, including the wait for a slot. */
  readonly timeoutMs: number;
}

/** For which trigger an application is called. */
export interface TriggerCall {
  readonly triggerTypeSlug: string;
  readonly connectionId: number;
  readonly configuration: JsonObject;
}

/**
 * Calls a connection's application for a trigger: `what` says what to do, given the trigger's type. Leaves no execution, but
 * has the bounds of one. Throws NOT_FOUND, WRONG_APPLICATION, CONNECTION_BLOCKED and RATE_LIMIT_EXCEEDED, with nothing sent.
 * `secrets` are masked in the outcome, besides those of the connection.
 */
export async function callForTrigger(
  deps: CallForTriggerDeps,
  ctx: RequestContext,
  { triggerTypeSlug, connectionId, configuration }: TriggerCall,
  what: (type: TriggerType) => TriggerExecution,
  secrets: readonly string[] = [],
): Promise<Outcome> {
  const until = endOfCall(ctx.deadline, deps.timeoutMs, Date.now());
  const type = await deps.catalog.resolveTriggerType(ctx, triggerTypeSlug);
  const connection = await deps.connections.getConnection(ctx, connectionId, undefined);
  const { applicationSlug } = connection;
  if (applicationSlug !== type.applicationSlug) throw wrongApplication(connectionId, applicationSlug, type);
  refuseUnlicensed(connection);
  const tool = triggerTool(type, what(type));
  const call = {
    accountId: actingAccountOf(ctx),
    signal: ctx.signal,
    heldBytes: () => heldBytes([configuration]),
    connection,
    isDryRun: false,
    waitMs: () => waitMs(until, Date.now()),
  };
  const outcome = await waitForVendor<Outcome>(deps, call, {
    onSlot: async (hasWaited) => {
      // The connection may have been deleted or have lost its licence meanwhile.
      const current = hasWaited
        ? await deps.connections.getConnection(ctx, connectionId, undefined)
        : connection;
      refuseUnlicensed(current);
      const opened = await openVendor(deps, ctx, current);
      if (opened.kind === 'none') return { isSuccess: false, errorMessage: opened.errorMessage };
      const vendorCall = { ...opened.vendor, tool, fields: configuration, filters: [], sorts: [] };
      const result = await callVendor(deps, ctx, connectionId, vendorCall, until);
      if (!result.outcome.isSuccess && result.outcome.isOverloaded)
        throw overloaded(result.outcome.errorMessage);
      return result.outcome;
    },
    onVendorLimit: (limitedUntil) =>
      Promise.resolve({
        isSuccess: false,
        errorMessage: `${applicationSlug} takes no further calls of this connection until ${limitedUntil.toISOString()}: its rate limit is reached.`,
      }),
  });
  return outcome.isSuccess
    ? outcome
    : { isSuccess: false, errorMessage: createMasker(secrets).text(outcome.errorMessage) };
}

function wrongApplication(connectionId: number, applicationSlug: string, type: TriggerType): ApiError {
  return new ApiError(
    'WRONG_APPLICATION',
    `Connection ${connectionId} belongs to the application ${applicationSlug}, but the trigger type belongs to ${type.applicationSlug}.`,
  );
}
