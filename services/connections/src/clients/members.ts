import { permissionsOf } from '@fairlead/access/permissions';
import { ROLE_VALUES } from '@fairlead/access/proto-enums';
import { CredentialService } from '@fairlead/contracts/identity/v1/credential_service_pb';
import { ApiError } from '@fairlead/errors/api-error';
import { presentMaxConnections } from '@fairlead/rest-records/account';
import { nameOf } from '@fairlead/rest-records/enums';
import { createRpcClient } from '@fairlead/service-kit/rpc/client';
import type { RpcClientOptions } from '@fairlead/service-kit/rpc/client';
import type { FindMember } from '../ports/members.ts';

/** Timeout of a call to identity. */
const LOOKUP_LIMIT_MS = 3_000;

/** Asks identity each time, because sessions end when their user is removed or their key revoked. */
export function createFindMember(o: RpcClientOptions): FindMember {
  const rpc = createRpcClient(CredentialService, { ...o, defaultTimeoutMs: LOOKUP_LIMIT_MS });
  return async (ctx, accountId, userId, keyId) => {
    const reference = { accountId, userId, ...(keyId !== undefined && { keyId }) };
    // Called as the platform, whoever the request is for.
    const serviceContext = { ...ctx, caller: { kind: 'service', service: 'connections' } } as const;
    const { members } = await rpc.resolveAccounts(serviceContext, { references: [reference] }).catch(unknown);
    const { account, user } = members[0] ?? {};
    if (account === undefined || user === undefined) return undefined;
    if (!user.isActive || account.erasingAt !== undefined) return undefined;
    return {
      accountName: account.name,
      userName: user.name,
      permissions: permissionsOf(nameOf(ROLE_VALUES, user.role), account.isRbacEnabled),
      maxConnectionsPerEndUser: presentMaxConnections(account),
    };
  };
}

/** While identity does not answer, the person is asked to try again; a refusal by identity is our bug. */
function unknown(cause: unknown): never {
  if (!(cause instanceof ApiError) || !['UNAVAILABLE', 'TIMEOUT'].includes(cause.code))
    throw new Error('Identity refused a lookup.', { cause });
  const text = 'The user cannot be checked at the moment. Try again shortly.';
  throw new ApiError('UNAVAILABLE', text, { cause });
}
