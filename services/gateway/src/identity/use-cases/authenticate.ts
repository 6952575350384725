import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { Secret } from '@fairlead/service-kit/secret';
import { hashApiKey, isWellFormedApiKey } from '../domain/api-key.ts';
import { permissionsOf } from '../domain/permissions.ts';
import type { Principal } from '../domain/principal.ts';
import type { KeyOwner } from '../domain/records.ts';

/** Finds who a request comes from, by its headers. */
export type Authenticate = (headers: IncomingHttpHeaders) => Promise<Principal>;

/** What authentication needs. */
export interface AuthenticateDeps {
  /** The key of that SHA-256 hash with its owner; undefined where there is none. */
  readonly findKeyOwner: (hash: string) => Promise<KeyOwner | undefined>;
  readonly clock: Clock;
}

/**
 * Resolves the credential of a request, or throws UNAUTHORIZED, or ACCOUNT_USER_INACTIVE for a good key whose owner is
 * no longer active. `Authorization` wins over `x-api-key` (developer-api.md "Authentication" 2): no issuer of tokens
 * exists, so whatever it holds cannot be verified, also where a valid key stands beside it.
 */
export function createAuthenticate({ findKeyOwner, clock }: AuthenticateDeps): Authenticate {
  return async (headers) => {
    const key = headers['x-api-key'];
    if (headers.authorization)
      throw unauthorized('The Authorization header holds no credential that can be verified.');
    if (typeof key !== 'string' || key === '') throw unauthorized('Send an API key in the x-api-key header.');
    // A mistyped key costs no query.
    const owner = isWellFormedApiKey(key) ? await findKeyOwner(hashApiKey(new Secret(key))) : undefined;
    if (owner === undefined || !isUsable(owner, clock.now())) throw unauthorized('The API key is not valid.');
    return principalOf(owner);
  };
}

function isUsable({ key }: KeyOwner, now: Date): boolean {
  return key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now);
}

function principalOf({ key, account, user, membership }: KeyOwner): Principal {
  if (membership === undefined || !membership.isActive) {
    throw new ApiError(
      'ACCOUNT_USER_INACTIVE',
      'The owner of this API key is no longer active in the account.',
    );
  }
  return {
    accountId: account.id,
    accountName: account.name,
    userId: user.id,
    userName: user.name,
    userEmail: user.email,
    credentialType: 'apiKey',
    credentialId: key.id,
    roles: [membership.role],
    permissions: permissionsOf(membership.role, account.isRbacEnabled),
    scopes: [],
  };
}

function unauthorized(message: string): ApiError {
  return new ApiError('UNAUTHORIZED', message);
}
