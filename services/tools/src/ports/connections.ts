import type { Credential } from '@fairlead/connector-runtime/call';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Connection } from '../domain/target.ts';

/** A connection's opened credential, or why there is none, for people. */
export type CredentialAnswer =
  | { readonly kind: 'credential'; readonly credential: Credential }
  | { readonly kind: 'none'; readonly errorMessage: string };

/** The connections of the calling account. */
export interface Connections {
  /** The connection, or NOT_FOUND. */
  getConnection(ctx: RequestContext, id: number): Promise<Connection>;
  /** The account's default connection, or NO_DEFAULT_CONNECTION. */
  getDefault(ctx: RequestContext, applicationSlug: string): Promise<Connection>;
  /** The account's default connections; applications without one are left out. */
  listDefaults(ctx: RequestContext, applicationSlugs: readonly string[]): Promise<readonly Connection[]>;
  /** A credential that is about to expire, or the one whose version was rejected, is refreshed first. */
  getCredentials(
    ctx: RequestContext,
    connectionId: number,
    rejectedVersion?: number,
  ): Promise<CredentialAnswer>;
}
