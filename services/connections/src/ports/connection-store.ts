import type { ApplicationKind } from '@fairlead/connector-model/enumerations';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ListPart, Page } from '@fairlead/service-kit/page';
import type {
  Connection,
  ConnectionStatus,
  FieldOptions,
  Licence,
  ListedConnection,
} from '../domain/connection.ts';
import type { Tokens } from '../domain/credential.ts';
import type { ConnectionDetails } from '../domain/details.ts';
import type { SplitFields } from '../domain/fields.ts';
import type { DiscoveredServer } from '../domain/mcp-sign-in.ts';
import type { McpToolsRead } from '../domain/mcp-tools-read.ts';

/** A checked credential, about to be sealed. */
export interface NewCredential {
  readonly fields: SplitFields;
  readonly fieldOptions: FieldOptions;
  /** `keep`: tokens and secret fields stay, and so does a vendor's refusal; null: there are no tokens (yet). */
  readonly tokens: Tokens | null | 'keep';
  /** The host that renews the tokens. Undefined: the application stands for it until they are renewed. */
  readonly vendor?: string | undefined;
  readonly authProviderId: number | null;
  /** See Connection; with `keep` it stays. */
  readonly addressRevision: string | null;
  /** See Connection; undefined: it stays, which for a new connection is none. */
  readonly server?: DiscoveredServer;
  /** See Connection; undefined: they stay, which for a new connection is null. */
  readonly grantedScopes?: readonly string[] | null;
  /** The state of the sign-in it comes from, which the write consumes; null: it comes from none. */
  readonly consumes: string | null;
}

/** A connection to store; the store decides whether it is the default. */
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

/** The connect session that a connection is made or renewed in. The write adds it there, and fails if the session is over. */
export interface SessionUse {
  readonly sessionId: string;
  /** Whether the session can connect nothing more afterwards. */
  readonly connectsOnce: boolean;
}

/** The rules for a new connection of an end user. */
export interface EndUserRules {
  /** How many connections the end user may have. */
  readonly maxConnections: number;
  /** Undefined: it is made outside a session. */
  readonly session?: SessionUse;
}

/** The new state of a connection that a PUT writes. */
export interface ConnectionReplacement {
  readonly details: ConnectionDetails;
  /** Undefined: the credential stays. */
  readonly credential: NewCredential | undefined;
  /** Undefined: the name stays. */
  readonly applicationName: string | undefined;
  /** The version of the credential that the new one keeps the tokens of; undefined: it depends on none. */
  readonly ofVersion?: number;
  readonly now: Date;
  /** Undefined: it is replaced outside a session. */
  readonly session?: SessionUse;
}

/** Which connections a list shows: `top` from the zero-based `offset`, of those to which all of the rest applies. */
export interface ConnectionFilter extends Page {
  /** None means every kind. */
  readonly kinds: readonly ApplicationKind[];
  /** Undefined: of every application. */
  readonly applicationSlug: string | undefined;
  /** Undefined: whatever their status. */
  readonly status: ConnectionStatus | undefined;
  /** Undefined: of the account and of every end user. */
  readonly endUserId?: string | undefined;
}

/**
 * The connections of all accounts; every method except nextId is confined to one account. A write that creates, removes
 * or blocks a connection, or makes it usable again, adds a change record in the same transaction.
 */
export interface ConnectionStore {
  /** Returns an id that was never used before. */
  nextId(): Promise<number>;
  /**
   * Stores a connection, as the default if its end user, or the account itself, has no other of its application, and consumes
   * the sign-in it comes from: all or nothing. Throws OAUTH_STATE_EXPIRED if that sign-in has been used or has expired,
   * and by `rules` CONFLICT if the end user has too many, NOT_FOUND if the session is over.
   */
  insert(
    ctx: RequestContext,
    accountId: string,
    connection: NewConnection,
    rules?: EndUserRules,
  ): Promise<Connection>;
  find(ctx: RequestContext, accountId: string, id: number): Promise<Connection | undefined>;
  /** The connection that was stored for the creation of an on-prem agent. */
  findOfAgent(ctx: RequestContext, accountId: string, creationId: string): Promise<Connection | undefined>;
  /** Newest first; the status is that at `now`. */
  list(
    ctx: RequestContext,
    accountId: string,
    filter: ConnectionFilter,
    now: Date,
  ): Promise<ListPart<ListedConnection>>;
  /** The connections with these ids that exist and that the filter selects, by id. */
  findAll(
    ctx: RequestContext,
    accountId: string,
    ids: readonly number[],
    filter: {
      /** None means every application. */
      readonly applicationSlugs: readonly string[];
      /** Undefined: of the account and of every end user. */
      readonly endUserId: string | undefined;
    },
  ): Promise<Connection[]>;
  /** The account's own default connections of those applications that have one. */
  findDefaults(
    ctx: RequestContext,
    accountId: string,
    applicationSlugs: readonly string[],
  ): Promise<Connection[]>;
  /** For each application that the end user has connected, their default connection, or else the one with the lowest id. */
  findOfEndUser(
    ctx: RequestContext,
    accountId: string,
    endUserId: string,
    applicationSlugs: readonly string[],
  ): Promise<Connection[]>;
  /** How many connections an end user has, counted up to `most`. */
  countOfEndUser(ctx: RequestContext, accountId: string, endUserId: string, most: number): Promise<number>;
  /** The subset of `names` that connections of an application have. */
  takenNames(
    ctx: RequestContext,
    accountId: string,
    applicationSlug: string,
    names: readonly string[],
  ): Promise<ReadonlySet<string>>;
  /**
   * As insert, for an existing connection; throws NOT_FOUND if there is none, or the session is over, and CredentialChanged if
   * its credential is not `ofVersion`.
   */
  replace(
    ctx: RequestContext,
    accountId: string,
    id: number,
    replacement: ConnectionReplacement,
  ): Promise<Connection>;
  /**
   * Makes a connection the only default of its application, among those of its end user or the account's own; undefined if
   * there is none with that id.
   */
  setDefault(ctx: RequestContext, accountId: string, id: number, now: Date): Promise<Connection | undefined>;
  /** Adds scopes to the needed ones, as long as those are at most `most`. Does nothing if there is no connection with that id. */
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
   * Claims to read the tools of an MCP connection, whose last reading began before `before`: one caller at a time, over all
   * replicas.
   */
  claimToolsReading(
    ctx: RequestContext,
    accountId: string,
    id: number,
    o: { readonly before: Date; readonly now: Date },
  ): Promise<boolean>;
  /** Records which tools were found, and what the server calls itself; returns whether the connection still exists. */
  saveToolsRead(
    ctx: RequestContext,
    accountId: string,
    id: number,
    read: Required<McpToolsRead> & { readonly applicationName: string },
  ): Promise<boolean>;
  /** Returns whether there was one to remove. */
  delete(ctx: RequestContext, accountId: string, id: number, now: Date): Promise<boolean>;
  /** Removes what is kept of an end user besides connections; does nothing and returns false if there are connections left. */
  forgetEndUser(ctx: RequestContext, accountId: string, endUserId: string): Promise<boolean>;
}
