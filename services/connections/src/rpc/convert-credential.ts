import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ConnectionSchema } from '@fairlead/contracts/connections/v1/connection_pb';
import type {
  CredentialSchema,
  GetCredentialsResponseSchema,
  ReadToolsAgainRequest,
  ResolveConnectionRequest,
  ResolveConnectionResponseSchema,
  ResolveConnectionsItem,
  ResolveConnectionsResultSchema,
} from '@fairlead/contracts/connections/v1/credential_service_pb';
import { Code } from '@connectrpc/connect';
import type { Credential } from '@fairlead/connector-runtime/call';
import { validationError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { toItemError } from '@fairlead/service-kit/rpc/errors';
import { jsonBytes } from '@fairlead/service-kit/json/lazy-json';
import type { Connection } from '../domain/connection.ts';
import type { ConnectionMatch } from '../use-cases/find-connections.ts';
import type { CredentialOutcome } from '../use-cases/get-credentials.ts';
import type { ConnectionReference } from '../ports/credential-store.ts';
import { toConnection, toLicence } from './convert-connection.ts';

/** The connection that the request names; VALIDATION_ERROR if it names none. */
export function fromReference({ by }: ResolveConnectionRequest | ReadToolsAgainRequest): ConnectionReference {
  switch (by.case) {
    case 'id':
      return { kind: 'id', id: by.value };
    case 'applicationSlug':
      return { kind: 'application', applicationSlug: by.value };
    case undefined:
      throw validationError({ field: 'id', issue: 'is required unless applicationSlug is given' });
  }
}

/** Maximum number of items per request. */
const MAX_ITEMS = 200;

/** The distinct requests, each with the ids of its items; VALIDATION_ERROR if there are too many, or one is empty. */
export function fromResolveItems(items: readonly ResolveConnectionsItem[]) {
  if (items.length > MAX_ITEMS)
    throw validationError({ field: 'items', issue: `must be at most ${MAX_ITEMS}` });
  return items.map(({ request, requestIds }) => {
    if (request === undefined) throw validationError({ field: 'items', issue: 'must each have a request' });
    return { request, requestIds };
  });
}

/** The result of a failed item; unexpected errors are logged, as for an RPC of its own. */
export function toFailedResult(
  ctx: RequestContext,
  thrown: unknown,
): MessageInitShape<typeof ResolveConnectionsResultSchema> {
  const error = toItemError(thrown);
  if (error.status !== Code.NotFound && error.status !== Code.FailedPrecondition)
    ctx.log.error({ err: thrown, code: error.detail.code }, 'a connection was not resolved');
  return { error };
}

/** A credential version as a number; versions stay far below 2^53. */
export function fromVersion(version: bigint | undefined): number | undefined {
  return version === undefined ? undefined : Number(version);
}

/** The credential in plain text, for the service that calls the vendor, or the reason why there is none. */
export function toCredentialsResponse(
  outcome: CredentialOutcome,
): MessageInitShape<typeof GetCredentialsResponseSchema> {
  if (outcome.kind !== 'credential') return { outcome: { case: outcome.kind, value: outcome.message } };
  return { outcome: { case: 'credential', value: toCredential(outcome.credential) } };
}

/** The part of a connection that a call needs, with its credential if opened. */
export function toOpenedConnection(
  {
    connection,
    credential,
  }: { readonly connection: Connection; readonly credential: Credential | undefined },
  now: Date,
): MessageInitShape<typeof ResolveConnectionResponseSchema> {
  const { id, applicationSlug, authenticationId, isDefault, endUserId } = connection;
  return {
    connection: {
      id,
      applicationSlug,
      authenticationId,
      licence: toLicence(connection, now),
      isDefault,
      ...(endUserId === null ? {} : { endUserId }),
    },
    ...(credential === undefined ? {} : { credential: toCredential(credential) }),
  };
}

/** A found connection, with its revision if requested. */
export function toFoundConnection(
  { connection, revision }: ConnectionMatch,
  now: Date,
): MessageInitShape<typeof ConnectionSchema> {
  const message = toConnection(connection, now);
  return revision === undefined ? message : { ...message, credentialRevision: revision };
}

function toCredential({
  version,
  fields,
  accessToken,
  secrets,
  revision,
  grantedScopes,
}: Credential): MessageInitShape<typeof CredentialSchema> {
  return {
    version: BigInt(version),
    fieldsJson: jsonBytes(fields),
    ...(accessToken === undefined ? {} : { accessToken }),
    secrets: [...secrets],
    ...(revision === undefined ? {} : { revision }),
    ...(grantedScopes && { grantedScopes: { scopes: [...grantedScopes] } }),
  };
}
