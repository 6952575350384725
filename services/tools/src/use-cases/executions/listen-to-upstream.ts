import type { FollowEnd, FollowServer } from '@fairlead/connector-runtime/mcp/change-stream';
import type { JsonObject } from '@fairlead/connector-model/json';
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
  readonly connections: Pick<
    Connections,
    'getConnection' | 'getCredentials' | 'readToolsAgain' | 'addNeededScopes'
  >;
  readonly followServer: FollowServer;
  readonly timers: Timers;
  /** Aborts when the service stops; the caller then continues at another replica. */
  readonly stopping: AbortSignal;
}

/** Changes at a server; each stands for one or more. */
export interface UpstreamChange {
  readonly uris: readonly string[];
  readonly haveListsChanged: boolean;
}

const MAX_LISTENED_URIS = 100;
/** Changes within this time are merged. */
const GATHER_MS = 100;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** After this time a server that announces nothing is reopened, because it may have been replaced. */
const SILENT_PAUSE_MS = 300_000;
/** A session of at least this duration does not count as a failure. */
const SOUND_MS = 10_000;

/**
 * Yields changes of resources and lists of a connection's MCP server until the caller leaves. Changed tools are re-read. When a session
 * ends, a new one is opened, and everything counts as changed. Throws NOT_FOUND, CONNECTION_BLOCKED and VALIDATION_ERROR before the first
 * session.
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
  let hasMissed = false;

  function notify(method: string, { uri }: JsonObject): void {
    if (method === TOOLS_CHANGED) readTools();
    if (method !== 'notifications/resources/updated') haveListsChanged = true;
    else if (typeof uri === 'string' && known.has(uri)) updated.add(uri);
    else return;
    changed.resolve();
  }

  function onOpen(): void {
    if (!hasMissed) return;
    readTools();
    haveListsChanged = true;
    for (const uri of uris) updated.add(uri);
    changed.resolve();
  }

  ctx.signal.addEventListener('abort', () => changed.resolve(), { once: true });

  async function follow(): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; !ctx.signal.aborted;) {
      const startedAt = performance.now();
      const end = await followOnce(deps, ctx, connectionId, { uris, onOpen, notify }).catch(
        (error: unknown) => {
          if (!ctx.signal.aborted)
            ctx.log.warn({ err: error, connectionId }, 'an MCP server cannot be listened to');
        },
      );
      hasMissed = true;
      const isSound = performance.now() - startedAt > SOUND_MS;
      if (end === 'silent') await pause(deps, ctx, SILENT_PAUSE_MS);
      else if (!isSound) await pause(deps, ctx, pauseMs);
      pauseMs = isSound ? FIRST_PAUSE_MS : Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    }
  }

  void follow();
  while (!ctx.signal.aborted) {
    await changed.promise;
    await pause(deps, ctx, GATHER_MS);
    changed = Promise.withResolvers();
    const change = { uris: [...updated], haveListsChanged };
    updated.clear();
    haveListsChanged = false;
    if (!ctx.signal.aborted) yield change;
  }
}

/** Ends early if the caller leaves. */
function pause(
  { timers }: Pick<ListenToUpstreamDeps, 'timers'>,
  ctx: RequestContext,
  ms: number,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = timers.after(ms, resolve);
  const stop = (): void => resolve();
  ctx.signal.addEventListener('abort', stop);
  if (ctx.signal.aborted) stop();
  return promise.finally(() => {
    timer.cancel();
    ctx.signal.removeEventListener('abort', stop);
  });
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

async function followOnce(
  deps: ListenToUpstreamDeps,
  ctx: RequestContext,
  connectionId: number,
  o: Pick<Parameters<FollowServer>[1], 'uris' | 'onOpen' | 'notify'>,
): Promise<FollowEnd> {
  const connection = await deps.connections.getConnection(ctx, connectionId, undefined);
  refuseUnlicensed(connection);
  const opened = await openVendor(deps, ctx, connection);
  if (opened.kind === 'none') return 'silent';
  return await deps.followServer(opened.vendor, {
    ...o,
    accountId: actingAccountOf(ctx),
    signal: ctx.signal,
  });
}
