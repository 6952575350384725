import type { ApplicationKind } from '@fairlead/connector-model/enumerations';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ListPart, Page } from '@fairlead/service-kit/page';
import type {
  Connection,
  ConnectionStatus,
  FieldOptions,
  Licence,
  ConnectionView,
} from '../domain/connection.ts';
import type { Tokens } from '../domain/credential.ts';
import type { ConnectionDetails } from '../domain/details.ts';
import type { SplitFields } from '../domain/fields.ts';
import type { DiscoveredServer } from '../domain/mcp-sign-in.ts';
import type { McpToolsRead } from '../domain/mcp-tools-read.ts';

/** A checked credential that is about to be sealed. */
export interface NewCredential {
  readonly fields: SplitFields;
  readonly fieldOptions: FieldOptions;
  /** `keep`: tokens, secret fields and the record of a vendor's refusal stay; null: there are no tokens (yet). */
  readonly tokens: Tokens | null | 'keep';
  /** Host of the token endpoint. Undefined until tokens are renewed: the application's slug stands for it. */
  readonly vendor?: string | undefined;
  readonly authProviderId: number | null;
  /** See Connection; ignored with `keep`. */
  readonly addressRevision: string | null;
  /** See Connection; undefined: unchanged, or none for a new connection. */
  readonly server?: DiscoveredServer;
  /** See Connection; undefined: unchanged, or null for a new connection. */
  readonly grantedScopes?: readonly string[] | null;
  /** State of the sign-in that the write consumes; null: none. */
  readonly consumes: string | null;
}

/** A connection to store; the store decides whether it becomes the default. */
export interface NewConnection extends Omit<
  Connection,
  | 'isDefault'
  | 'fields'
  | 'secretFields'
  | 'fieldOptions'
  | 'authProviderId'
  | 'mcpTools'
  | 'server'
  | 'grantedScopes'
  | 'neededScopes'
  | 'lastUsedAt'
  | 'credentialVersion'
  | 'credentialRevision'
  | 'addressRevision'
  | 'updatedAt'
> {
  readonly credential: NewCredential;
}

/**
 * The connect session in which a connection is created or renewed. The write adds the connection to it, and fails if the session has ended.
 */
export interface SessionUse {
  readonly sessionId: string;
  /** Whether this completes the session. */
  readonly connectsOnce: boolean;
}

/** Rules for a new connection of an end user. */
export interface EndUserRules {
  /** Maximum number of connections of the end user. */
  readonly maxConnections: number;
  /** Undefined: created outside of sessions. */
  readonly session?: SessionUse;
}

/** New state of a connection, as written by PUT. */
export interface ConnectionReplacement {
  readonly details: ConnectionDetails;
  /** Undefined: the credential stays. */
  readonly credential: NewCredential | undefined;
  /** Undefined: the name stays. */
  readonly applicationName: string | undefined;
  /** The credential version whose tokens are kept; undefined: any. */
  readonly ofVersion?: number;
  readonly now: Date;
  /** Undefined: replaced outside of sessions. */
  readonly session?: SessionUse;
}

/** Selects connections of a list: `top` of the matches, from the zero-based `offset`. */
export interface ConnectionFilter extends Page {
  /** Empty: every kind. */
  readonly kinds: readonly ApplicationKind[];
  /** Undefined: every application. */
  readonly applicationSlug: string | undefined;
  /** Undefined: every status. */
  readonly status: ConnectionStatus | undefined;
  /** Undefined: the account's own and all end users'. */
  readonly endUserId?: string | undefined;
}

/**
 * Stores connections. Every method except nextId is limited to one account. A write that creates, removes or blocks a connection, or makes
 * it usable again, adds a change record in the same transaction.
 */
export interface ConnectionStore {
  /** Returns a new id. */
  nextId(): Promise<number>;
  /**
   * Stores a connection and consumes its sign-in, both or neither. It becomes the default if its end user, or the account itself, has no
   * other connection of the application. Throws OAUTH_STATE_EXPIRED if the sign-in was used or has expired; by `rules`, CONFLICT if the end
   * user has too many, and NOT_FOUND if the session has ended.
   */
  insert(
    ctx: RequestContext,
    accountId: string,
    connection: NewConnection,
    rules?: EndUserRules,
  ): Promise<Connection>;
  find(ctx: RequestContext, accountId: string, id: number): Promise<Connection | undefined>;
  /** The connection with that creation id of an on-prem agent. */
  findOfAgent(ctx: RequestContext, accountId: string, creationId: string): Promise<Connection | undefined>;
  /** Newest first, with the status at `now`. */
  list(
    ctx: RequestContext,
    accountId: string,
    filter: ConnectionFilter,
    now: Date,
  ): Promise<ListPart<ConnectionView>>;
  /** The existing connections among these ids that match the filter, sorted by id. */
  findAll(
    ctx: RequestContext,
    accountId: string,
    ids: readonly number[],
    filter: {
      /** Empty: every application. */
      readonly applicationSlugs: readonly string[];
      /** Undefined: the account's own and all end users'. */
      readonly endUserId: string | undefined;
    },
  ): Promise<Connection[]>;
  /** The account's own default connections of these applications; applications without one are missing. */
  findDefaults(
    ctx: RequestContext,
    accountId: string,
    applicationSlugs: readonly string[],
  ): Promise<Connection[]>;
  /** For each application that the end user has connected: their default connection, or else the one with the lowest id. */
  findOfEndUser(
    ctx: RequestContext,
    accountId: string,
    endUserId: string,
    applicationSlugs: readonly string[],
  ): Promise<Connection[]>;
  /** Number of an end user's connections; stops counting at `most`. */
  countOfEndUser(ctx: RequestContext, accountId: string, endUserId: string, most: number): Promise<number>;
  /** The names among `names` that connections of the application already have. */
  takenNames(
    ctx: RequestContext,
    accountId: string,
    applicationSlug: string,
    names: readonly string[],
  ): Promise<ReadonlySet<string>>;
  /**
   * Like insert, for an existing connection. NOT_FOUND if it does not exist or the session has ended; CredentialChanged if its credential
   * is not `ofVersion`.
   */
  replace(
    ctx: RequestContext,
    accountId: string,
    id: number,
    replacement: ConnectionReplacement,
  ): Promise<Connection>;
  /**
   * Makes a connection the only default of its application, among its end user's or the account's own; undefined if there is none with that
   * id.
   */
  setDefault(ctx: RequestContext, accountId: string, id: number, now: Date): Promise<Connection | undefined>;
  /** Adds scopes to the needed ones, up to `most`. Does nothing for an unknown connection. */
  addNeededScopes(
    ctx: RequestContext,
    accountId: string,
    id: number,
    o: { readonly scopes: readonly string[]; readonly most: number },
  ): Promise<void>;
  setLicence(
    ctx: RequestContext,
    accountId: string,
    id: number,
    licence: Licence,
    now: Date,
  ): Promise<Connection | undefined>;
  /**
   * Claims the reading of an MCP connection's tools if the last one began before `before`; one caller at a time gets it, over all replicas.
   */
  claimToolsReading(
    ctx: RequestContext,
    accountId: string,
    id: number,
    o: { readonly before: Date; readonly now: Date },
  ): Promise<boolean>;
  /** Records the found tools and the server's name; returns whether the connection still exists. */
  saveToolsRead(
    ctx: RequestContext,
    accountId: string,
    id: number,
    read: Required<McpToolsRead> & { readonly applicationName: string },
  ): Promise<boolean>;
  /** Returns whether a connection was removed. */
  delete(ctx: RequestContext, accountId: string, id: number, now: Date): Promise<boolean>;
  /** Removes the remaining data of an end user; does nothing and returns false while connections exist. */
  forgetEndUser(ctx: RequestContext, accountId: string, endUserId: string): Promise<boolean>;
}
