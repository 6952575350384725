import type { Credential } from '@fairlead/connector-runtime/call';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Connection } from '../domain/target.ts';

/** A connection's opened credential, or a message for people that says why there is none. */
export type CredentialResult =
  | { readonly kind: 'credential'; readonly credential: Credential }
  | { readonly kind: 'none'; readonly errorMessage: string };

/**
 * The connections of the calling account; if an end user is given, those of the end user and no others. `getConnection` and
 * `getDefault` open the credential too if the connection is licensed and the credential needs no renewal; a change that was answered
 * holds for them.
 */
export interface Connections {
  /** The connection, or NOT_FOUND. */
  getConnection(ctx: RequestContext, id: number, endUserId: string | undefined): Promise<Connection>;
  /** The account's own default connection, or the end user's (else the one with the lowest id), or NO_DEFAULT_CONNECTION. */
  getDefault(
    ctx: RequestContext,
    applicationSlug: string,
    endUserId: string | undefined,
  ): Promise<Connection>;
  /** The default connection of each application, as getDefault returns it; applications without one are omitted. */
  listDefaults(
    ctx: RequestContext,
    applicationSlugs: readonly string[],
    endUserId: string | undefined,
  ): Promise<readonly Connection[]>;
  /** The connections with these ids that exist; `endUserId` undefined: of the account and of every end user. */
  findConnections(
    ctx: RequestContext,
    choice: {
      readonly ids: readonly number[];
      /** Undefined: of every application. */
      readonly applicationSlugs?: readonly string[];
      readonly endUserId?: string | undefined;
      /** Whether `credentialRevision` is read. */
      readonly withRevisions?: boolean;
    },
  ): Promise<readonly Connection[]>;
  /**
   * Reads the tools of the MCP server of a connection again, or of that which owns an application; whether the catalogue has
   * other tools now. False for anything else. `isAnnounced`: its server says that they have changed.
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
  /** Has the next re-authentication of the connection ask for these scopes too. */
  addNeededScopes(ctx: RequestContext, connectionId: number, scopes: readonly string[]): Promise<void>;
}
