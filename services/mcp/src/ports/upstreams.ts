import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { Upstream, UpstreamLists, UpstreamListsJson } from '../domain/upstream-lists.ts';
import type { ClientChannel } from './client-channel.ts';

/** The calling account's connections to MCP servers. */
export interface UpstreamConnections {
  /** The given connections that lead to an MCP server accepting their credential, sorted by id. */
  findUpstreams(ctx: RequestContext, ids: readonly number[]): Promise<readonly Upstream[]>;
}

/** Why an upstream did not answer; `message` is for people. */
export interface UpstreamFailure {
  readonly kind: 'failure';
  readonly message: string;
  /** The upstream accepts no credential of the connection. */
  readonly isUnauthorized: boolean;
}

/** A JSON-RPC error of an upstream. */
export interface UpstreamError {
  readonly kind: 'error';
  readonly code: number;
  readonly message: string;
  readonly data: LazyJson | undefined;
}

/** An upstream's answer to a request. */
export type UpstreamAnswer =
  | { readonly kind: 'result'; /** A JSON object. */ readonly result: Uint8Array }
  | UpstreamError
  | UpstreamFailure;

/** Requests to the MCP servers behind the calling account's connections. Throws an ApiError if refused; then nothing was sent. */
export interface UpstreamRequests {
  readLists(
    ctx: RequestContext,
    connectionId: number,
  ): Promise<{ readonly kind: 'lists'; readonly lists: UpstreamListsJson } | UpstreamFailure>;
  callMethod(
    ctx: RequestContext,
    connectionId: number,
    method: 'prompts/get' | 'resources/read' | 'completion/complete',
    params: LazyJson,
    /** The client to which the upstream may send requests meanwhile. */
    channel: ClientChannel,
  ): Promise<UpstreamAnswer>;
}

/** Change notifications of MCP servers. */
export interface UpstreamChanges {
  /** Yields changes of these resources, and of lists, until the signal of `ctx` aborts or the tools service ends it. */
  listen(
    ctx: RequestContext,
    connectionId: number,
    uris: readonly string[],
  ): AsyncIterable<{ readonly uris: readonly string[]; readonly haveListsChanged: boolean }>;
}

/** Follows the lists of upstreams. */
export interface FollowedLists {
  /** Re-reads lists whenever their upstream announces a change, until the returned function is called. */
  follow(ctx: RequestContext, upstreams: readonly Upstream[]): () => void;
  /** The same, until `forMs` have passed without another call for the upstream. */
  followFor(ctx: RequestContext, upstreams: readonly Upstream[], forMs: number): void;
}

/** Names a connection of an account. */
export interface ConnectionName {
  readonly accountId: string;
  readonly connectionId: number;
}

/** The last read lists of an upstream. */
export interface StoredLists {
  /** Equal for equal lists. */
  readonly digest: string;
  readonly readAt: Date;
}

/** Stores the last known lists of upstreams. */
export interface UpstreamListStore {
  /** Without the lists if their digest is `knownDigest`. */
  find(
    ctx: RequestContext,
    of: ConnectionName,
    knownDigest: string | undefined,
  ): Promise<(StoredLists & { readonly lists: UpstreamListsJson | undefined }) | undefined>;
  /** Replaces the lists of a connection. If the account has too many, its oldest ones are removed. */
  save(ctx: RequestContext, of: ConnectionName, stored: StoredLists, lists: UpstreamListsJson): Promise<void>;
  /** Records that the same lists were read again. */
  touch(ctx: RequestContext, of: ConnectionName, readAt: Date): Promise<void>;
  remove(ctx: RequestContext, of: ConnectionName): Promise<void>;
}

/** How old the returned lists may be. */
export type Wish = 'fresh' | 'known' | 'atOnce';

/** The known lists of upstreams. */
export interface UpstreamListCache {
  /**
   * The lists of each connection in order; undefined: unknown. Old ones are re-read. `fresh` waits briefly for that; `known` waits until
   * the lists are known; `atOnce` never waits.
   */
  find(
    ctx: RequestContext,
    connectionIds: readonly number[],
    wish: Wish,
  ): Promise<readonly (UpstreamLists | undefined)[]>;
}
