import type { Principal } from '@fairlead/access/principal';
import type { Caller, UserCaller } from '@fairlead/service-kit/context/caller';

/** The caller that is passed to services for a principal; without a principal, `service` itself. */
export function callerOf(principal: Principal | undefined, service: string): Caller {
  return principal === undefined
    ? { kind: 'service', service }
    : {
        kind: 'user',
        accountId: principal.accountId,
        userId: principal.userId,
        roles: principal.roles,
        permissions: principal.permissions,
        ...(principal.toolsetId !== null && {
          confinement: { toolsetId: principal.toolsetId, keyId: principal.credentialId },
        }),
        credential: credentialOf(principal),
      };
}

function credentialOf({ credentialId, client }: Principal): UserCaller['credential'] {
  return client === undefined ? { keyId: credentialId } : { tokenId: credentialId, ...client };
}
