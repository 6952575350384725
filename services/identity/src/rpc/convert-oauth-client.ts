import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { ACCOUNT_CLIENT_GRANTS } from '@fairlead/access/client-grants';
import { SCOPES } from '@fairlead/access/permissions';
import type {
  CreateOAuthClientRequest,
  OAuthClientSchema,
} from '@fairlead/contracts/identity/v1/oauth_client_service_pb';
import { validationError } from '@fairlead/errors/api-error';
import type { NewOAuthClient, OAuthClient } from '../domain/oauth-client.ts';

/** A client, without its secret. */
export function toOAuthClient(client: OAuthClient): MessageInitShape<typeof OAuthClientSchema> {
  return {
    id: client.id,
    name: client.name,
    redirectUris: [...client.redirectUris],
    grantTypes: [...client.grantTypes],
    scopes: [...client.scopes],
    userId: client.userId,
    createdAt: timestampFromDate(client.createdAt),
    updatedAt: timestampFromDate(client.updatedAt),
  };
}

/** The client to create; duplicate grant types and scopes are merged. */
export function fromCreateOAuthClientRequest(request: CreateOAuthClientRequest): NewOAuthClient {
  const { name, redirectUris, grantTypes, scopes, userId } = request;
  return {
    name,
    redirectUris,
    grantTypes: knownValues(ACCOUNT_CLIENT_GRANTS, grantTypes, 'grantTypes'),
    scopes: knownValues(SCOPES, scopes, 'scopes'),
    userId,
  };
}

function knownValues<T extends string>(
  known: readonly T[],
  texts: readonly string[],
  field: string,
): readonly T[] {
  const values = [...new Set(texts)].map((text) => known.find((value) => value === text));
  if (values.includes(undefined))
    throw validationError({ field, issue: `must be among ${known.join(', ')}` });
  return values.filter((value) => value !== undefined);
}
