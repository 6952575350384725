import type { Credential } from '@fairlead/connector-runtime/call';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Connection } from '../domain/target.ts';

/** A connection's opened credential, or the reason why there is none, for people. */
export type CredentialResult =
  | { readonly kind: 'credential'; readonly credential: Credential }
  | { readonly kind: 'none'; readonly errorMessage: string };

/**
 * The connections of the calling account; with an end user, only the end user's. `getConnection` and `getDefault` also open the credential
 * if the connection is licensed and no renewal is needed; they see every acknowledged change.
 */
export interface Connections {
  /** The connection, or NOT_FOUND. */
  getConnection(ctx: RequestContext, id: number, endUserId: string | undefined): Promise<Connection>;
  /** The account's own default connection, or the end user's (else the one with the lowest id); NO_DEFAULT_CONNECTION if there is none. */
  getDefault(
    ctx: RequestContext,
    applicationSlug: string,
    endUserId: string | undefined,
  ): Promise<Connection>;
  /** The default connection of each application, as in getDefault; applications without one are omitted. */
  listDefaults(
    ctx: RequestContext,
    applicationSlugs: readonly string[],
    endUserId: string | undefined,
  ): Promise<readonly Connection[]>;
  /** The existing connections among these ids; `endUserId` undefined: the account's own and all end users'. */
  findConnections(
    ctx: RequestContext,
    choice: {
      readonly ids: readonly number[];
      /** Undefined: any application. */
      readonly applicationSlugs?: readonly string[];
      readonly endUserId?: string | undefined;
      /** Whether to read `credentialRevision`. */
      readonly withRevisions?: boolean;
    },
  ): Promise<readonly Connection[]>;
  /**
   * Re-reads the tools of a connection's MCP server, or of the connection that owns an application; returns whether the tools changed.
   * False for anything else. `isAnnounced`: the server announced a change.
   */
  readToolsAgain(
    ctx: RequestContext,
    of: ({ readonly connectionId: number } | { readonly applicationSlug: string }) & {
      readonly isAnnounced?: boolean;
    },
  ): Promise<boolean>;
  /** Opens the credential; refreshes it first if it is about to expire or has the rejected version. */
  getCredentials(
    ctx: RequestContext,
    connectionId: number,
    rejectedVersion?: number,
  ): Promise<CredentialResult>;
  /** Adds these scopes to the connection's next re-authentication. */
  addNeededScopes(ctx: RequestContext, connectionId: number, scopes: readonly string[]): Promise<void>;
}
