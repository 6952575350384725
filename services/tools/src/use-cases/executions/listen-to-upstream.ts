import type { CallOptions, VendorCall } from '@fairlead/connector-runtime/call';
import type { CallingClient } from '@fairlead/connector-runtime/mcp/calling-client';
import { mcpRequestTool } from '@fairlead/connector-runtime/mcp/mcp-request';
import { validationError } from '@fairlead/errors/api-error';
import { actingAccountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Timers } from '@fairlead/service-kit/timers';
import { TOOLS_CHANGED } from '../../domain/call-message.ts';
import { refuseUnlicensed } from '../../domain/target.ts';
import type { Catalog } from '../../ports/catalog.ts';
import type { Connections } from '../../ports/connections.ts';
import { openVendor } from './open-vendor.ts';
import { readAnnouncedTools } from './read-announced-tools.ts';

export interface ListenToUpstreamDeps {
  readonly catalog: Pick<Catalog, 'getConnector'>;
  readonly connections: Pick<Connections, 'getConnection' | 'getCredentials' | 'readToolsAgain'>;
  /** Calls in processes of their own, because they last long. */
  readonly listeners: { execute(call: VendorCall, options: CallOptions): Promise<unknown> };
  readonly timers: Timers;
  /** Aborts when the service stops; the caller then asks another replica. */
  readonly stopping: AbortSignal;
}

/** Changes at a server; each stands for at least one. */
export interface UpstreamChange {
  readonly uris: readonly string[];
  readonly haveListsChanged: boolean;
}

const MAX_LISTENED_URIS = 100;
/** A call of another account may get the process after this time. */
const CALL_MS = 300_000;
/** Changes in between are one. */
const GATHER_MS = 100;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** A call that was this long was no failure. */
const SOUND_MS = 10_000;

/**
 * The changes of resources and lists of the MCP server behind a connection, until the caller leaves. Changed tools are read again. A call that ends is made again, and all
 * resources may have changed meanwhile. Throws NOT_FOUND, CONNECTION_BLOCKED and VALIDATION_ERROR before the first call.
 */
export async function* listenToUpstream(
  deps: ListenToUpstreamDeps,
  caller: RequestContext,
  connectionId: number,
  uris: readonly string[],
): AsyncGenerator<UpstreamChange, void, undefined> {
  if (uris.length > MAX_LISTENED_URIS)
    throw validationError({ field: 'uris', issue: `must have at most ${MAX_LISTENED_URIS} items` });
  const ctx = { ...caller, signal: AbortSignal.any([caller.signal, deps.stopping]) };
  await requireUpstream(deps, ctx, connectionId);
  const readTools = readAnnouncedTools(deps, ctx, connectionId);
  const known = new Set(uris);
  const updated = new Set<string>();
  let haveListsChanged = false;
  let changed = Promise.withResolvers<void>();
  const client: CallingClient = {
    principal: undefined,
    capabilities: {},
    wantsProgress: false,
    wantsChanges: true,
    takesInputRequired: false,
    notify(method, { uri }) {
      if (method === TOOLS_CHANGED) readTools();
      if (method !== 'notifications/resources/updated') haveListsChanged = true;
      else if (typeof uri === 'string' && known.has(uri)) updated.add(uri);
      else return;
      changed.resolve();
    },
    request: () => Promise.reject(new Error('Nobody can be asked.')),
  };
  const left = Promise.withResolvers<void>();
  ctx.signal.addEventListener('abort', () => left.resolve(), { once: true });
  const pause = (ms: number): Promise<void> =>
    Promise.race([left.promise, new Promise<void>((resolve) => void deps.timers.after(ms, resolve))]);

  async function call(): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; !ctx.signal.aborted;) {
      const startedAt = performance.now();
      await callOnce(deps, ctx, { connectionId, uris, client }).catch((error: unknown) =>
        ctx.log.warn({ err: error, connectionId }, 'an MCP server cannot be listened to'),
      );
      const isSound = performance.now() - startedAt > SOUND_MS;
      if (!isSound) await pause(pauseMs);
      pauseMs = isSound ? FIRST_PAUSE_MS : Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      for (const uri of uris) updated.add(uri);
      if (uris.length > 0) changed.resolve();
    }
  }

  void call();
  while (!ctx.signal.aborted) {
    await Promise.race([changed.promise, left.promise]);
    await pause(GATHER_MS);
    changed = Promise.withResolvers();
    const change = { uris: [...updated], haveListsChanged };
    updated.clear();
    haveListsChanged = false;
    if (!ctx.signal.aborted) yield change;
  }
}

async function requireUpstream(
  deps: ListenToUpstreamDeps,
  ctx: RequestContext,
  connectionId: number,
): Promise<void> {
  const connection = await deps.connections.getConnection(ctx, connectionId, undefined);
  refuseUnlicensed(connection);
  const { kind } = await deps.catalog.getConnector(ctx, connection.applicationSlug);
  if (kind !== 'MCPClient')
    throw validationError({ field: 'connectionId', issue: 'is no connection to an MCP server' });
}

async function callOnce(
  deps: ListenToUpstreamDeps,
  ctx: RequestContext,
  o: { readonly connectionId: number; readonly uris: readonly string[]; readonly client: CallingClient },
): Promise<void> {
  const { connectionId, uris, client } = o;
  const connection = await deps.connections.getConnection(ctx, connectionId, undefined);
  refuseUnlicensed(connection);
  const opened = await openVendor(deps, ctx, connection);
  if (opened.kind === 'none') return;
  const tool = mcpRequestTool({ type: 'listen', uris });
  const { signal } = ctx;
  await deps.listeners.execute(
    { ...opened.vendor, tool, fields: {}, filters: [], sorts: [] },
    { accountId: actingAccountOf(ctx), connectionId, client, signal, timeoutMs: CALL_MS },
  );
}
