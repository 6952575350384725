import { TokenError } from '@fairlead/connector-runtime/token-client';
import type { Connection } from './connection.ts';
import type { OpenedCredential } from './credential.ts';
import { GRANT_REFUSAL } from './oauth-client.ts';
import type { MethodClient } from './oauth-client.ts';

/** Whether a client leads to the addresses for which a credential was entered or granted; without a client it leads nowhere else. */
export function isAtItsAddress(
  { addressRevision }: Pick<Connection, 'addressRevision'>,
  client: Pick<MethodClient, 'addressRevision'> | undefined,
): boolean {
  return client === undefined || client.addressRevision === addressRevision;
}

/**
 * A credential as it may be sent where the client leads now: whole at its own address; without tokens at another one, if the client alone
 * can get others. Throws a TokenError that refuses the grant for any other, because it belongs to the former address.
 */
export function credentialAt(
  opened: { readonly connection: Connection; readonly credential: OpenedCredential },
  client: MethodClient | undefined,
): { readonly connection: Connection; readonly credential: OpenedCredential } {
  const { connection, credential } = opened;
  if (isAtItsAddress(connection, client)) return opened;
  const hasOwnSecrets = Object.keys(credential.secretFields.reveal()).length > 0;
  if (connection.grant === 'clientCredentials' && !hasOwnSecrets)
    return { connection, credential: { ...credential, tokens: null } };
  throw new TokenError('refused', 'the auth provider leads to another address since', {
    code: GRANT_REFUSAL,
  });
}
