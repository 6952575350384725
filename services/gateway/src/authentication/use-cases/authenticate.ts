import type { IncomingHttpHeaders } from 'node:http';
import { hashApiKey, isWellFormedApiKey } from '@fairlead/access/api-key';
import type { AccessToken } from '@fairlead/access/access-token';
import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import { Secret } from '@fairlead/service-kit/secret';
import { InactiveUserError } from '@fairlead/rest-kit/authenticate';
import { bearerToken } from '@fairlead/access/bearer-token';
import type { Owner } from '../domain/owner.ts';
import type { CredentialLookup } from '../ports/credential-lookup.ts';
import type { Principal } from '@fairlead/access/principal';
import type { TokenReader } from '../token-reader.ts';

/** The address at which a credential is accepted. */
export interface CredentialRules {
  /** The audience of its bearer tokens. */
  readonly audience: string;
  /** Whether `Authorization: Bearer` may also hold an API key, as MCP clients send it. */
  readonly isKeyBearer: boolean;
}

interface AuthenticateDeps {
  /** Used for calls that specify no other. */
  readonly accepted: CredentialRules;
  readonly credentials: CredentialLookup;
  readonly tokens: TokenReader;
  /** Notified of each request that an API key authenticated. */
  readonly keyUses: { note(keyId: string, at: Date): void };
  readonly clock: Clock;
}

/**
 * Resolves the credential of a request. Throws UNAUTHORIZED, an InactiveUserError, or UNAVAILABLE if the owner cannot be found out.
 * `Authorization` takes precedence over `x-api-key` (row authentication.4): it must hold one of our tokens, even beside a valid key.
 */
export function createAuthenticate(
  deps: AuthenticateDeps,
): (headers: IncomingHttpHeaders, accepted?: CredentialRules) => Promise<Principal> {
  return (headers, accepted = deps.accepted) => {
    const key = headers['x-api-key'];
    if (headers.authorization) return byAuthorization(deps, headers.authorization, accepted);
    if (typeof key === 'string' && key !== '') return byKey(deps, key);
    return Promise.reject(unauthorized('Send an API key in the x-api-key header, or a bearer token.'));
  };
}

function byAuthorization(
  deps: AuthenticateDeps,
  authorization: string,
  { audience, isKeyBearer }: CredentialRules,
): Promise<Principal> {
  const text = bearerToken(authorization);
  return isKeyBearer && text !== undefined && isWellFormedApiKey(text)
    ? byKey(deps, text)
    : byToken(deps, authorization, audience);
}

async function byKey({ credentials, keyUses, clock }: AuthenticateDeps, text: string): Promise<Principal> {
  // Mistyped keys are refused without a lookup.
  const key = isWellFormedApiKey(text) ? await credentials.findKey(hashApiKey(new Secret(text))) : undefined;
  const now = clock.now();
  const isExpired = key !== undefined && key.expiresAt !== null && key.expiresAt <= now;
  if (key === undefined || isExpired || !key.owner.isAccountOpen)
    throw unauthorized('The API key is not valid.');
  const principal: Principal = {
    ...activeMember(key.owner),
    credentialType: 'apiKey',
    credentialId: key.keyId,
    scopes: key.scopes,
    toolsetId: key.toolsetId,
    isAdministrationGranted: key.scopes === null && key.toolsetId === null,
  };
  keyUses.note(key.keyId, now);
  return principal;
}

async function byToken(
  { tokens, credentials }: AuthenticateDeps,
  authorization: string,
  audience: string,
): Promise<Principal> {
  const text = bearerToken(authorization);
  const read = text === undefined ? undefined : tokens.read(text, audience);
  // Not awaited if it is available synchronously, as nearly always: `await` would cost a turn of the event loop.
  const token = read instanceof Promise ? await read : read;
  const owner = token && (await credentials.findTokenOwner(token));
  if (token === undefined || owner === undefined || !isOwnerOf(owner, token) || !owner.isAccountOpen)
    throw unauthorized(
      isWellFormedApiKey(text ?? authorization)
        ? 'The Authorization header holds an API key, which is no bearer token. Send it in the x-api-key header.'
        : 'The Authorization header holds no valid bearer token.',
    );
  const member = activeMember(owner);
  const { tokenId, clientId, grantId, scopes } = token;
  return {
    ...member,
    permissions: member.permissions.filter((permission) => scopes.includes(permission)),
    credentialType: 'bearer',
    credentialId: tokenId,
    client: { clientId, ...(grantId !== undefined && { grantId }) },
    scopes,
    toolsetId: null,
    isAdministrationGranted: scopes.includes('administration'),
  };
}

function isOwnerOf({ member }: Owner, { accountId, userId }: AccessToken): boolean {
  return member.accountId === accountId && member.userId === userId;
}

function activeMember({ member, isActive }: Owner): Owner['member'] {
  if (!isActive) throw new InactiveUserError(member);
  return member;
}

function unauthorized(message: string): ApiError {
  return new ApiError('UNAUTHORIZED', message);
}
