import type {
  CallOptions,
  InputIssue,
  ToolCall,
  ToolOutcome,
  VendorCall,
} from '@fairlead/connector-runtime/call';
import type { CallingClient } from '@fairlead/connector-runtime/mcp/calling-client';
import { actingAccountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { detachedContext } from '@fairlead/service-kit/context/detached-context';
import { TOOLS_CHANGED } from '../../domain/call-message.ts';
import type { VendorOutcome } from '../../domain/execution.ts';
import { createMasker } from '@fairlead/connector-runtime/value-masking';
import { secretsOf } from '../../domain/masking.ts';
import type { Connections, CredentialResult } from '../../ports/connections.ts';
import type { VendorLimits } from '../../ports/vendor-limits.ts';

export interface CallVendorDeps<C extends VendorCall = ToolCall> {
  readonly connections: Pick<Connections, 'getCredentials' | 'readToolsAgain' | 'addNeededScopes'>;
  readonly runtime: { execute(call: C, options: CallOptions): Promise<ToolOutcome> };
  readonly vendorLimits: Pick<VendorLimits, 'note'>;
}

/** The result of a vendor call, not yet masked. */
interface VendorResult {
  /** `inputIssues`, `isOverloaded` or `isWithdrawn` if the call was refused before anything was executed. */
  readonly outcome: VendorOutcome & {
    readonly inputIssues?: readonly InputIssue[];
    readonly isOverloaded?: true;
    readonly isWithdrawn?: true;
    readonly isUnauthorized?: boolean;
  };
  readonly attempts: number;
  /** Every secret of the credentials that were used. */
  readonly secrets: readonly string[];
}

/** How a vendor is called: until when, in milliseconds of real time, and the members of CallOptions. */
interface AttemptOptions extends Pick<
  CallOptions,
  'beforeSend' | 'client' | 'takesMcpResult' | 'maxOutputBytes' | 'answerMs'
> {
  readonly until: number;
}

/** Longer than an MCP server has to list its tools. */
const TOOLS_READ_MS = 60_000;

/**
 * Calls the vendor and, if it rejects an OAuth access token, calls it once more with a refreshed one. Never rejects:
 * the vendor may have acted by then, and a refusal would say that no vendor was called. An MCP server that no longer has the tool has its tools read again, for later calls.
 */
export async function callVendor<C extends VendorCall>(
  deps: CallVendorDeps<C>,
  ctx: RequestContext,
  connectionId: number,
  call: C,
  o: AttemptOptions,
): Promise<VendorResult> {
  const first = await attempt(deps, ctx, connectionId, call, o);
  const secrets = secretsOf(call.credential);
  const isRefreshable = call.method.scheme.type === 'oauth2';
  if (first.isSuccess || !first.isUnauthorized || !isRefreshable || Date.now() >= o.until) {
    return { outcome: first, attempts: first.attempts, secrets };
  }
  const renewed = await refreshed(deps, ctx, connectionId, call.credential.version);
  if (renewed?.kind === 'none') {
    return {
      outcome: { isSuccess: false, errorMessage: renewed.errorMessage },
      attempts: first.attempts,
      secrets,
    };
  }
  if (!renewed || renewed.credential.version === call.credential.version) {
    return { outcome: first, attempts: first.attempts, secrets };
  }
  const renewedCall = { ...call, credential: renewed.credential };
  const second = await attempt(deps, ctx, connectionId, renewedCall, o);
  return {
    outcome: second.isSuccess ? second : afterAnother(second),
    attempts: first.attempts + second.attempts,
    secrets: [...secrets, ...secretsOf(renewed.credential)],
  };
}

/** A failure after an attempt that may have done something: it is no refusal of the call as a whole. */
function afterAnother({
  isOverloaded: _overloaded,
  isWithdrawn: _withdrawn,
  inputIssues: _issues,
  ...failure
}: Extract<ToolOutcome, { readonly isSuccess: false }>): VendorResult['outcome'] {
  return failure;
}

async function attempt<C extends VendorCall>(
  deps: CallVendorDeps<C>,
  ctx: RequestContext,
  connectionId: number,
  call: C,
  { until, ...o }: AttemptOptions,
): Promise<ToolOutcome> {
  const accountId = actingAccountOf(ctx);
  const { version: credentialVersion } = call.credential;
  let announced = 0;
  const onToolsChanged = (): void => {
    announced += 1;
    if (announced === 1) readToolsSoon(deps, ctx, { connectionId, isAnnounced: true });
  };
  try {
    const outcome = await deps.runtime.execute(call, {
      accountId,
      connectionId,
      origin: { requestId: ctx.requestId, canaries: ctx.canaries },
      takesUnbuilt: true,
      ...o,
      client: o.client && withToolChanges(o.client, onToolsChanged),
      onLimited: (forMs) => deps.vendorLimits.note(accountId, { connectionId, credentialVersion, forMs }),
      signal: ctx.signal,
      timeoutMs: Math.max(1, until - Date.now()),
    });
    if (!outcome.isSuccess && outcome.isToolUnknown) readToolsSoon(deps, ctx, { connectionId });
    if (!outcome.isSuccess && outcome.missingScopes !== undefined)
      await addNeededScopes(deps, ctx, connectionId, outcome.missingScopes);
    // The first reading may have come too early.
    if (announced > 1) readToolsSoon(deps, ctx, { connectionId, isAnnounced: true });
    return outcome;
  } catch (error) {
    // Masked as text, because an unexpected error may quote secrets.
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const defect = createMasker(secretsOf(call.credential)).text(text);
    ctx.log.error({ defect, toolSlug: call.tool.toolSlug }, 'tool call ended unexpectedly');
    return {
      isSuccess: false,
      errorMessage: 'The call failed because of an internal error in Fairlead.',
      attempts: 1,
      isUnauthorized: false,
    };
  }
}

/** The client of a call during which the MCP server may say that its tools have changed. */
function withToolChanges(client: CallingClient, onChange: () => void): CallingClient {
  return {
    ...client,
    wantsChanges: true,
    notify(method, params) {
      if (method === TOOLS_CHANGED) onChange();
      else client.notify(method, params);
    },
  };
}

/** Nobody waits for that, and the connections service does it once a minute at most. */
function readToolsSoon(
  { connections }: Pick<CallVendorDeps, 'connections'>,
  ctx: RequestContext,
  of: { readonly connectionId: number; readonly isAnnounced?: boolean },
): void {
  connections
    .readToolsAgain(detachedContext(ctx, TOOLS_READ_MS), of)
    .catch((error: unknown) =>
      ctx.log.warn(
        { err: error, connectionId: of.connectionId },
        'could not have the tools of an MCP server read again',
      ),
    );
}

/** Resolves once they are recorded, so that the person who reads of the failure can sign in again at once. */
async function addNeededScopes(
  { connections }: Pick<CallVendorDeps, 'connections'>,
  ctx: RequestContext,
  connectionId: number,
  scopes: readonly string[],
): Promise<void> {
  try {
    await connections.addNeededScopes(ctx, connectionId, scopes);
  } catch (error) {
    ctx.log.warn({ err: error, connectionId }, 'could not record the scopes that a call lacked');
  }
}

async function refreshed(
  deps: Pick<CallVendorDeps, 'connections'>,
  ctx: RequestContext,
  connectionId: number,
  rejectedVersion: number,
): Promise<CredentialResult | undefined> {
  try {
    return await deps.connections.getCredentials(ctx, connectionId, rejectedVersion);
  } catch (error) {
    ctx.log.warn({ err: error, connectionId }, 'refresh after a rejected access token failed');
    return undefined;
  }
}
