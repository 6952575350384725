import type { VendorCall } from '@fairlead/connector-runtime/call';
import type { CallingClient } from '@fairlead/connector-runtime/mcp/calling-client';
import { overloaded } from '@fairlead/errors/api-error';
import { actingAccountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { heldBytes } from '@fairlead/service-kit/permits/held-bytes';
import { waitMs } from '../../domain/call-time.ts';
import type { VendorOutcome } from '../../domain/execution.ts';
import { secretsOf } from '../../domain/masking.ts';
import { refuseUnlicensed } from '../../domain/target.ts';
import type { Connection } from '../../domain/target.ts';
import type { Catalog } from '../../ports/catalog.ts';
import type { Connections } from '../../ports/connections.ts';
import type { VendorLimits } from '../../ports/vendor-limits.ts';
import { callVendor } from './call-vendor.ts';
import type { CallVendorDeps } from './call-vendor.ts';
import { openVendor } from './open-vendor.ts';
import { waitForVendor } from './wait-for-vendor.ts';
import type { WaitForVendorDeps } from './wait-for-vendor.ts';

export interface CallUnrecordedDeps extends WaitForVendorDeps, CallVendorDeps<VendorCall> {
  readonly vendorLimits: Pick<VendorLimits, 'until' | 'note'>;
  readonly catalog: Pick<Catalog, 'getConnector'>;
  readonly connections: Pick<
    Connections,
    'getConnection' | 'getCredentials' | 'readToolsAgain' | 'addNeededScopes'
  >;
}

interface CallInput extends Pick<VendorCall, 'tool' | 'fields'> {
  readonly connection: Connection;
  /** The client of the call, created with the secrets to mask for it. Default: none. */
  readonly clientFor?: ((secrets: readonly string[]) => CallingClient) | undefined;
  /** CallOptions.answerMs. */
  readonly answerMs?: number | undefined;
}

/** An unmasked outcome, and the secrets to mask in it: those of all used credentials. */
export interface UnrecordedCall {
  /** `isUnauthorized`: no credential that the vendor accepts. */
  readonly outcome: VendorOutcome & { readonly isUnauthorized?: boolean };
  readonly secrets: readonly string[];
}

/**
 * Calls a connection's application. Records no execution, but has the limits of one, until `until` in milliseconds of real time. Throws
 * CONNECTION_BLOCKED, RATE_LIMIT_EXCEEDED, and NOT_FOUND for a connection deleted meanwhile, with nothing sent.
 */
export async function callUnrecorded(
  deps: CallUnrecordedDeps,
  ctx: RequestContext,
  { connection, tool, fields, clientFor, answerMs }: CallInput,
  until: number,
): Promise<UnrecordedCall> {
  refuseUnlicensed(connection);
  const { id, applicationSlug } = connection;
  const call = {
    accountId: actingAccountOf(ctx),
    signal: ctx.signal,
    heldBytes: () => heldBytes([fields]),
    connection,
    isDryRun: false,
    waitMs: () => waitMs(until, Date.now()),
  };
  return await waitForVendor<UnrecordedCall>(deps, call, {
    onPermit: async (hasWaited) => {
      // The connection may have been deleted, or have lost its licence, during the wait.
      const current = hasWaited ? await deps.connections.getConnection(ctx, id, undefined) : connection;
      refuseUnlicensed(current);
      const opened = await openVendor(deps, ctx, current);
      if (opened.kind === 'none')
        return {
          outcome: { isSuccess: false, errorMessage: opened.errorMessage, isUnauthorized: true },
          secrets: [],
        };
      const vendorCall = { ...opened.vendor, tool, fields, filters: [], sorts: [] };
      const client = clientFor?.(secretsOf(opened.vendor.credential));
      const { outcome, secrets } = await callVendor(deps, ctx, id, vendorCall, { until, client, answerMs });
      if (!outcome.isSuccess && outcome.isOverloaded) throw overloaded(outcome.errorMessage);
      return { outcome, secrets };
    },
    onVendorLimit: (limitedUntil) =>
      Promise.resolve({
        outcome: {
          isSuccess: false,
          errorMessage: `${applicationSlug} takes no further calls of this connection until ${limitedUntil.toISOString()}: its rate limit is reached.`,
        },
        secrets: [],
      }),
  });
}
