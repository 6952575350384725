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

/** The unmasked result of a vendor call. */
interface VendorResult {
  /** `inputIssues`, `isOverloaded` or `isWithdrawn` if the call was refused before anything was executed. */
  readonly outcome: VendorOutcome & {
    readonly inputIssues?: readonly InputIssue[];
    readonly isOverloaded?: true;
    readonly isWithdrawn?: true;
    readonly isUnauthorized?: boolean;
  };
  readonly attempts: number;
  /** The secrets of all used credentials. */
  readonly secrets: readonly string[];
}

/** Options of a vendor call: its deadline in milliseconds of real time, and the members of CallOptions. */
interface AttemptOptions extends Pick<
  CallOptions,
  'beforeSend' | 'client' | 'takesMcpResult' | 'maxOutputBytes' | 'answerMs'
> {
  readonly until: number;
}

/** Longer than an MCP server takes to list its tools. */
const TOOLS_READ_MS = 60_000;

/**
 * Calls the vendor; if it rejects an OAuth access token, refreshes the token and calls once more. Never rejects, because the vendor may
 * have acted, and a refusal would say that it was not called. If an MCP server no longer has the tool, its tools are re-read for later
 * calls.
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
  const renewed = await refreshCredential(deps, ctx, connectionId, call.credential.version);
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

/** A failure after an attempt that may have had effects does not count as a refusal of the whole call. */
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
    // The first reading may have been too early.
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

/** The client of a call, extended to handle an MCP server's announcement of changed tools. */
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

/** In the background; the connections service reads at most once a minute. */
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
        'could not read the tools of an MCP server again',
      ),
    );
}

/** Awaited, so that a person who reads about the failure can sign in again at once. */
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

async function refreshCredential(
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
