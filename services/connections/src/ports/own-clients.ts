import type { OAuthClient } from '@fairlead/connector-runtime/token-client';

/** Identifies an authentication method of a connector. */
export interface MethodKey {
  readonly applicationSlug: string;
  readonly authenticationId: number;
}

/** The OAuth clients that the operator registered at vendors for all accounts. */
export interface OwnClients {
  find(applicationSlug: string, authenticationId: number): OAuthClient | undefined;
  methods(): readonly MethodKey[];
}
