import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { Upstream, UpstreamLists, UpstreamListsJson } from '../domain/upstream-lists.ts';
import type { ClientChannel } from './client-channel.ts';

/** The connections of the calling account that lead to MCP servers. */
export interface UpstreamConnections {
  /** The connections among these that lead to one, as far as it accepts their credential, in the order of the ids. */
  findUpstreams(ctx: RequestContext, ids: readonly number[]): Promise<readonly Upstream[]>;
}

/** Why an upstream has not answered; `message` is for people. */
export interface UpstreamFailure {
  readonly kind: 'failure';
  readonly message: string;
  /** There is no credential that it accepts. */
  readonly isUnauthorized: boolean;
}

/** A JSON-RPC error of an upstream. */
export interface UpstreamError {
  readonly kind: 'error';
  readonly code: number;
  readonly message: string;
  readonly data: LazyJson | undefined;
}

/** The answer of an upstream to a request. */
export type UpstreamAnswer =
  | { readonly kind: 'result'; /** JSON of an object. */ readonly result: Uint8Array }
  | UpstreamError
  | UpstreamFailure;

/** Requests to the MCP servers behind connections of the calling account. Throws ApiError for one that is refused: nothing was sent. */
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
    /** The client that the upstream may address meanwhile. */
    channel: ClientChannel,
  ): Promise<UpstreamAnswer>;
}

/** Changes at MCP servers. */
export interface UpstreamChanges {
  /** The changes of these resources, and of lists, until the signal of `ctx` aborts or the tools service ends them. */
  listen(
    ctx: RequestContext,
    connectionId: number,
    uris: readonly string[],
  ): AsyncIterable<{ readonly uris: readonly string[]; readonly haveListsChanged: boolean }>;
}

/** The lists of upstreams whose changes somebody wants to hear of. */
export interface FollowedLists {
  /** Has lists read again whenever their upstream says that they have changed, until the returned function is called. */
  follow(ctx: RequestContext, upstreams: readonly Upstream[]): () => void;
  /** The same until `forMs` have passed without another call for the upstream. */
  followFor(ctx: RequestContext, upstreams: readonly Upstream[], forMs: number): void;
}

/** Names a connection of an account. */
export interface ConnectionName {
  readonly accountId: string;
  readonly connectionId: number;
}

/** The lists of an upstream as they were last read. */
export interface StoredLists {
  /** Equal for equal lists. */
  readonly digest: string;
  readonly readAt: Date;
}

/** The last known lists of upstreams. */
export interface UpstreamListStore {
  /** Without the lists if their digest is `knownDigest`. */
  find(
    ctx: RequestContext,
    of: ConnectionName,
    knownDigest: string | undefined,
  ): Promise<(StoredLists & { readonly lists: UpstreamListsJson | undefined }) | undefined>;
  /** Replaces the lists of a connection. The account's oldest ones go if it has too many. */
  save(ctx: RequestContext, of: ConnectionName, stored: StoredLists, lists: UpstreamListsJson): Promise<void>;
  /** Says when the same lists were read again. */
  touch(ctx: RequestContext, of: ConnectionName, readAt: Date): Promise<void>;
  remove(ctx: RequestContext, of: ConnectionName): Promise<void>;
}

/** How old lists may be. */
export type Wish = 'fresh' | 'known' | 'atOnce';

/** The lists of upstreams, as they are known. */
export interface KnownLists {
  /**
   * The lists of each connection in turn; undefined: nothing is known. They are read again if they are old. `fresh` waits for that for a
   * moment; `known` waits until something is known, and `atOnce` never.
   */
  find(
    ctx: RequestContext,
    connectionIds: readonly number[],
    wish: Wish,
  ): Promise<readonly (UpstreamLists | undefined)[]>;
}
