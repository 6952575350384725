import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { Secret } from '@fairlead/service-kit/secret';
import { hashApiKey, isWellFormedApiKey } from '@fairlead/access/api-key';
import { InactiveUserError } from 'CROSS:services/gateway/src/authentication/authenticate.ts';
import type { Authenticate } from 'CROSS:services/gateway/src/authentication/authenticate.ts';
import { bearerToken } from 'CROSS:services/gateway/src/authentication/bearer-token.ts';
import { permissionsOf } from '@fairlead/access/permissions';
import type { Principal } from 'CROSS:services/gateway/src/authentication/principal.ts';
import type { KeyOwner, Member } from '../domain/records.ts';
import type { CredentialStore } from '../ports/credential-store.ts';
import type { TokenVerifier, VerifiedToken } from '../ports/token-verifier.ts';

/** The dependencies of authentication. */
export interface AuthenticateDeps {
  readonly credentials: CredentialStore;
  readonly tokens: TokenVerifier;
  /** Notified of each request that a key authenticated. */
  readonly keyUses: { note(keyId: string, at: Date): void };
  readonly clock: Clock;
}

/**
 * Resolves the credential of a request, or throws UNAUTHORIZED or an InactiveUserError. `Authorization` takes
 * precedence over `x-api-key` (developer-api.md "Authentication" 2): it must hold one of our tokens, even beside a
 * valid key; an API key is not a token.
 */
export function createAuthenticate(deps: AuthenticateDeps): Authenticate {
  return (headers) => {
    const key = headers['x-api-key'];
    if (headers.authorization) return byToken(deps, headers.authorization);
    if (typeof key === 'string' && key !== '') return byKey(deps, key);
    return Promise.reject(unauthorized('Send an API key in the x-api-key header, or a bearer token.'));
  };
}

async function byKey({ credentials, keyUses, clock }: AuthenticateDeps, key: string): Promise<Principal> {
  // A mistyped key costs no query.
  const owner = isWellFormedApiKey(key)
    ? await credentials.findKeyOwner(hashApiKey(new Secret(key)))
    : undefined;
  const now = clock.now();
  if (owner === undefined || !isUsable(owner, now)) throw unauthorized('The API key is not valid.');
  const principal = keyPrincipal(owner);
  keyUses.note(owner.key.id, now);
  return principal;
}

async function byToken({ tokens, credentials }: AuthenticateDeps, authorization: string): Promise<Principal> {
  const text = bearerToken(authorization);
  const token = text === undefined ? undefined : await tokens.verify(text);
  if (token === undefined) throw unauthorized('The Authorization header holds no valid bearer token.');
  const member = await credentials.findMember(token.accountId, token.userId);
  if (member === undefined || member.account.erasingAt !== null) {
    throw unauthorized('The Authorization header holds no valid bearer token.');
  }
  return tokenPrincipal(token, member);
}

function isUsable({ key, account }: KeyOwner, now: Date): boolean {
  const isExpired = key.expiresAt !== null && key.expiresAt <= now;
  return key.revokedAt === null && !isExpired && account.erasingAt === null;
}

function keyPrincipal(owner: KeyOwner): Principal {
  return {
    ...principalOf(owner),
    credentialType: 'apiKey',
    credentialId: owner.key.id,
    scopes: [],
    isAdministrationGranted: true,
  };
}

function tokenPrincipal({ tokenId, scopes }: VerifiedToken, member: Member): Principal {
  const principal = principalOf(member);
  return {
    ...principal,
    permissions: principal.permissions.filter((permission) => scopes.includes(permission)),
    credentialType: 'bearer',
    credentialId: tokenId,
    scopes,
    isAdministrationGranted: scopes.includes('administration'),
  };
}

function principalOf({ account, user }: Member) {
  if (!user.isActive) throw new InactiveUserError({ accountId: account.id, budgets: account.budgets });
  return {
    accountId: account.id,
    accountName: account.name,
    userId: user.id,
    userName: user.name,
    userEmail: user.email,
    roles: [user.role],
    permissions: permissionsOf(user.role, account.isRbacEnabled),
    budgets: account.budgets,
    defaultLicence: account.defaultLicence,
  };
}

function unauthorized(message: string): ApiError {
  return new ApiError('UNAUTHORIZED', message);
}
