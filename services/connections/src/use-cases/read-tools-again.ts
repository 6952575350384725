import { OverloadError } from '@fairlead/connector-runtime/failure';
import { McpDiscoveryError } from '@fairlead/connector-runtime/runtime';
import type { ConnectorRuntime } from '@fairlead/connector-runtime/runtime';
import { ApiError, notFound } from '@fairlead/errors/api-error';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { actingAccountOf } from '@fairlead/service-kit/context/context';
import { detachedContext } from '@fairlead/service-kit/context/detached-context';
import type { Timers } from '@fairlead/service-kit/timers';
import type { AccountPermits } from '@fairlead/service-kit/permits/account-permits';
import type { Connection } from '../domain/connection.ts';
import { MCP_APPLICATION_SLUG } from '../domain/mcp-application.ts';
import { connectionPermit } from '../domain/vendor-permits.ts';
import type { Catalog } from '../ports/catalog.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';
import { askWithCredential } from './ask-with-credential.ts';
import type { VendorAnswer, VendorReply } from './ask-with-credential.ts';
import { publishMcpApplication } from './publish-mcp-application.ts';
import { requireMethod } from '../domain/require-method.ts';

type ToolReaderDeps = DepsOf<typeof askWithCredential | typeof publishMcpApplication> & {
  readonly catalog: Pick<Catalog, 'getConnector'>;
  readonly connections: Pick<ConnectionStore, 'find' | 'claimToolsReading'>;
  readonly runtime: Pick<ConnectorRuntime, 'discoverMcpTools'>;
  readonly vendorPermits: Pick<AccountPermits, 'run'>;
  readonly timers: Timers;
};

/** Re-reads the tools of connected MCP servers. If a server fails, its former tools stay. */
export interface ToolReader {
  /**
   * Reads the tools of an MCP connection now, with its own credential. Returns whether they changed, or why they could not be read, for
   * people. If the credential is replaced or renewed meanwhile, the result is dropped.
   */
  read(ctx: RequestContext, connection: Connection): Promise<VendorAnswer<boolean>>;
  /**
   * Reads the tools, unless a reading was made or begun within the last minute, for a caller who wants an unknown tool. Joins a reading in
   * this process. Returns whether the tools changed; false also if they could not be read.
   */
  readForUnknownTool(ctx: RequestContext, connection: Connection): Promise<boolean>;
  /**
   * Reads the tools for a server that announces a change. Earlier readings in progress do not count. After a reading within the last
   * second, waits a second.
   */
  readAnnounced(ctx: RequestContext, connection: Connection): Promise<boolean>;
  /** Reads the tools in the background, at most once a day, for a connection that is in use. */
  readDaily(ctx: RequestContext, connection: Connection): void;
  /** Resolves when no background reading is in progress. For shutdown. */
  drain(): Promise<void>;
}

const READ_TIMEOUT_MS = 20_000;
/** Includes waiting for a permit, and renewing a token. */
const ATTEMPT_TIMEOUT_MS = 60_000;
const UNKNOWN_TOOL_PAUSE_MS = 60_000;
const ANNOUNCED_PAUSE_MS = 1_000;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** Creates the reader. Callers in one process share a reading; all replicas share the pause between two. */
export function createToolReader(deps: ToolReaderDeps): ToolReader {
  const inProgress = new Map<string, Promise<boolean>>();
  /** Readings to begin after the one in progress. */
  const next = new Map<string, Promise<boolean>>();

  async function read(ctx: RequestContext, connection: Connection): Promise<VendorAnswer<boolean>> {
    const accountId = actingAccountOf(ctx);
    const head = await deps.catalog.getConnector(ctx, MCP_APPLICATION_SLUG);
    const method = requireMethod(head, connection.authenticationId);
    const permit = connectionPermit(accountId, connection.id, ctx.signal);
    return await deps.vendorPermits.run(permit, async () => {
      let version = connection.credentialVersion;
      const found = await askWithCredential(deps, ctx, connection, 'test', (credential) => {
        version = credential.version;
        return replyOf(() =>
          deps.runtime.discoverMcpTools(head, method, credential, {
            accountId,
            signal: ctx.signal,
            timeoutMs: READ_TIMEOUT_MS,
          }),
        );
      });
      if (!found.isSuccess) return found;
      const present = await deps.connections.find(ctx, accountId, connection.id);
      if (present === undefined) throw notFound('connection');
      // A concurrent PUT has read another server's tools, or with other rights.
      if (present.credentialVersion !== version) return { isSuccess: true, value: false };
      const changed = await publishMcpApplication(deps, ctx, present, head, found.value);
      return { isSuccess: true, value: changed };
    });
  }

  /** Reads unless somebody has within the pause; never rejects because of the server or another service. */
  async function readAfter(
    caller: RequestContext,
    connection: Connection,
    pauseMs: number,
  ): Promise<boolean> {
    const ctx = detachedContext(caller, ATTEMPT_TIMEOUT_MS);
    const { id } = connection;
    const isClaimed = (): Promise<boolean> => {
      const now = deps.clock.now();
      const claim = { before: new Date(now.getTime() - pauseMs), now };
      return deps.connections.claimToolsReading(ctx, actingAccountOf(ctx), id, claim);
    };
    try {
      if (!(await isClaimed())) {
        if (pauseMs !== ANNOUNCED_PAUSE_MS) return false;
        await new Promise<void>((resolve) => void deps.timers.after(pauseMs, resolve));
        // If the claim fails, another replica has begun to read.
        if (!(await isClaimed())) return false;
      }
      const outcome = await read(ctx, connection);
      if (outcome.isSuccess) return outcome.value;
      ctx.log.info(
        { connectionId: id, reason: outcome.errorMessage },
        'could not read the tools of an MCP server: the previous ones are kept',
      );
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      ctx.log.info(
        { connectionId: id, err: error },
        'could not read the tools of an MCP server: the previous ones are kept',
      );
    }
    return false;
  }

  function shared(ctx: RequestContext, connection: Connection, pauseMs: number): Promise<boolean> {
    const key = keyOf(connection);
    const running = inProgress.get(key);
    if (running !== undefined) return running;
    const reading = readAfter(ctx, connection, pauseMs).finally(() => inProgress.delete(key));
    inProgress.set(key, reading);
    return reading;
  }

  function readAnnounced(ctx: RequestContext, connection: Connection): Promise<boolean> {
    const key = keyOf(connection);
    const running = inProgress.get(key);
    if (running === undefined) return shared(ctx, connection, ANNOUNCED_PAUSE_MS);
    const known = next.get(key);
    if (known !== undefined) return known;
    const following = running.then(() => {
      next.delete(key);
      return shared(ctx, connection, ANNOUNCED_PAUSE_MS);
    });
    next.set(key, following);
    return following;
  }

  return {
    read,
    readAnnounced,
    readForUnknownTool: (ctx, connection) => shared(ctx, connection, UNKNOWN_TOOL_PAUSE_MS),
    readDaily(ctx, connection) {
      const { kind, mcpTools, licence } = connection;
      if (kind !== 'MCPClient' || licence.status !== 'active') return;
      // The stored claim would refuse this, too; checking here saves a database call per use.
      const readAt = mcpTools?.readAt.getTime() ?? 0;
      if (readAt > deps.clock.now().getTime() - DAY_MS) return;
      shared(ctx, connection, DAY_MS).catch((error: unknown) => {
        ctx.log.error(
          { err: error, connectionId: connection.id },
          'could not read the tools of an MCP server',
        );
      });
    },
    async drain() {
      await Promise.allSettled([...inProgress.values(), ...next.values()]);
    },
  };
}

const keyOf = ({ accountId, id }: Connection): string => `${accountId}/${String(id)}`;

async function replyOf<T>(call: () => Promise<T>): Promise<VendorReply<T>> {
  try {
    return { isSuccess: true, value: await call() };
  } catch (error) {
    const isOverloaded = error instanceof OverloadError;
    if (!isOverloaded && !(error instanceof McpDiscoveryError)) throw error;
    return {
      isSuccess: false,
      errorMessage: error.message,
      isUnauthorized: error.isUnauthorized,
      isOverloaded,
    };
  }
}
