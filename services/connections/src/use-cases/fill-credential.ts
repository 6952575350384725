import type { Credential } from '@fairlead/connector-runtime/call';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { callCredential } from '../domain/credential.ts';
import { connectorSlugOf } from '../domain/mcp-application.ts';
import { credentialRevision } from '../domain/credential-revision.ts';
import { isAtItsAddress } from '../domain/provider-address.ts';
import { OWN_CLIENT_ID, shownFieldsOf, withProviderFields } from '../domain/oauth-client.ts';
import type { Catalog } from '../ports/catalog.ts';
import type { ConnectionWithCredential } from '../ports/credential-store.ts';
import { findClient } from './find-client.ts';

type FillCredentialDeps = DepsOf<typeof findClient> & {
  readonly catalog: Pick<Catalog, 'getConnector'>;
};

/**
 * An opened credential with the values of the connection's auth provider, for a call. Undefined: the provider now leads to another address,
 * so getCredentials must get another credential or say why there is none.
 */
export async function fillCredential(
  deps: FillCredentialDeps,
  ctx: RequestContext,
  { connection, credential }: ConnectionWithCredential,
): Promise<Credential | undefined> {
  const own = {
    ...callCredential(connection.credentialVersion, connection.fields, credential),
    revision: credentialRevision(connection, null),
    ...(connection.grantedScopes ? { grantedScopes: connection.grantedScopes } : {}),
  };
  const { authProviderId, authenticationId } = connection;
  if (authProviderId === null || authProviderId === OWN_CLIENT_ID) return own;
  const applicationSlug = connectorSlugOf(connection);
  const head = await deps.catalog.getConnector(ctx, applicationSlug);
  const method = head.authenticationMethods.find((each) => each.authenticationId === authenticationId);
  const client = method && (await findClient(deps, ctx, { ...connection, applicationSlug, method }));
  if (client === undefined) return own;
  if (!isAtItsAddress(connection, client)) return undefined;
  const revision = credentialRevision(connection, shownFieldsOf(client));
  return { ...withProviderFields(own, client), revision };
}
