import type { ApplicationKind } from '@fairlead/connector-model/model';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Page } from '@fairlead/service-kit/page';
import type { Connection, FieldOptions, Licence } from '../domain/connection.ts';
import type { Tokens } from '../domain/credential.ts';
import type { ConnectionDetails } from '../domain/details.ts';
import type { SplitFields } from '../domain/fields.ts';

/** A checked credential, about to be sealed. */
export interface NewCredential {
  readonly fields: SplitFields;
  readonly fieldOptions: FieldOptions;
  /** `keep`: the tokens stay, and so does a refusal by the vendor; null: there are none (yet). */
  readonly tokens: Tokens | null | 'keep';
  readonly authProviderId: number | null;
  /** The state of the sign-in that it comes from, which is used up by the write; null: from none. */
  readonly consumes: string | null;
}

/** A connection to store; whether it is the default is for the store to find. */
export interface NewConnection extends Omit<
  Connection,
  | 'isDefault'
  | 'fields'
  | 'secretFields'
  | 'fieldOptions'
  | 'authProviderId'
  | 'credentialVersion'
  | 'updatedAt'
> {
  readonly credential: NewCredential;
}

/** What a PUT writes. */
export interface ConnectionReplacement {
  readonly details: ConnectionDetails;
  /** Undefined: the credential stays. */
  readonly credential: NewCredential | undefined;
  /** Undefined: it stays. */
  readonly applicationName: string | undefined;
  readonly now: Date;
}

/** Which connections a list shows: `top` from the zero-based `offset` on, of those kinds; no kinds: of every kind. */
export interface ConnectionFilter extends Page {
  readonly kinds: readonly ApplicationKind[];
}

/** One page of a list, and how many match over all pages. */
export interface ConnectionPage {
  readonly items: readonly Connection[];
  readonly totalCount: number;
}

/**
 * The connections of all accounts; every method but nextId is confined to one. Whatever makes, removes or blocks a
 * connection, or makes it usable again, leaves a change record in the same transaction.
 */
export interface ConnectionStore {
  /** An id that was never given before. */
  nextId(): Promise<number>;
  /**
   * Stores a connection, the default when the account has no other of its application, and uses up the sign-in it
   * comes from: all or nothing. Throws OAUTH_STATE_EXPIRED when that sign-in is used or over by now.
   */
  insert(ctx: RequestContext, accountId: string, connection: NewConnection): Promise<Connection>;
  find(ctx: RequestContext, accountId: string, id: number): Promise<Connection | undefined>;
  /** Newest first. */
  list(ctx: RequestContext, accountId: string, filter: ConnectionFilter): Promise<ConnectionPage>;
  /** The default connections of those applications that have one. */
  findDefaults(
    ctx: RequestContext,
    accountId: string,
    applicationSlugs: readonly string[],
  ): Promise<Connection[]>;
  /** The names of the connections of an application. */
  namesOf(ctx: RequestContext, accountId: string, applicationSlug: string): Promise<string[]>;
  /** As insert, for an existing connection; throws NOT_FOUND where there is none. */
  replace(
    ctx: RequestContext,
    accountId: string,
    id: number,
    replacement: ConnectionReplacement,
  ): Promise<Connection>;
  /** Makes a connection the only default of its application; undefined where there is none of that id. */
  setDefault(ctx: RequestContext, accountId: string, id: number, now: Date): Promise<Connection | undefined>;
  setLicence(
    ctx: RequestContext,
    accountId: string,
    id: number,
    licence: Licence,
    now: Date,
  ): Promise<Connection | undefined>;
  /** Whether there was one to remove. */
  delete(ctx: RequestContext, accountId: string, id: number, now: Date): Promise<boolean>;
}
