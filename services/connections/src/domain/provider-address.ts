import { TokenError } from '@fairlead/connector-runtime/token-client';
import type { Connection } from './connection.ts';
import type { CredentialSecrets } from './credential.ts';
import { GRANT_REFUSAL } from './oauth-client.ts';
import type { MethodClient } from './oauth-client.ts';

/** Whether a client still leads to the addresses for which a credential was entered or granted; always true without a client. */
export function isAtItsAddress(
  { addressRevision }: Pick<Connection, 'addressRevision'>,
  client: Pick<MethodClient, 'addressRevision'> | undefined,
): boolean {
  return client === undefined || client.addressRevision === addressRevision;
}

/**
 * The credential that may be sent to the client's current address: the whole credential if the address is unchanged; without tokens if the
 * client alone can get new ones there. Otherwise throws a TokenError that refuses the grant, because it belongs to the former address.
 */
export function credentialAt(
  opened: { readonly connection: Connection; readonly credential: CredentialSecrets },
  client: MethodClient | undefined,
): { readonly connection: Connection; readonly credential: CredentialSecrets } {
  const { connection, credential } = opened;
  if (isAtItsAddress(connection, client)) return opened;
  const hasOwnSecrets = Object.keys(credential.secretFields.reveal()).length > 0;
  if (connection.grant === 'clientCredentials' && !hasOwnSecrets)
    return { connection, credential: { ...credential, tokens: null } };
  throw new TokenError('refused', 'the auth provider has since been changed to another address', {
    code: GRANT_REFUSAL,
  });
}
