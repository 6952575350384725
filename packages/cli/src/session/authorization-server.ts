import * as oauth from 'openid-client';
import { z } from 'zod';
import { CliError, EXIT_CODES } from '../failure.ts';
import type { Session } from './session-store.ts';

/** The OAuth client that every installation has: public, device flow only. */
const CLIENT_ID = 'fairlead-cli';

const TIMEOUT_SECONDS = 30;

const protectedResource = z.object({
  resource: z.string(),
  authorization_servers: z.array(z.url()).min(1),
});

/** An installation's metadata about the issuer of its tokens (RFC 9728). */
export interface ProtectedResource {
  readonly resource: string;
  readonly issuer: string;
}

/** Reads the installation's metadata about its issuer. Throws a CliError if it is missing, or describes another address. */
export async function findIssuer(baseUrl: string, signal: AbortSignal): Promise<ProtectedResource> {
  const address = `${baseUrl}/.well-known/oauth-protected-resource`;
  const response = await fetch(address, {
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_SECONDS * 1000)]),
  }).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw new CliError(EXIT_CODES.tryLater, `${baseUrl} does not respond.`, { cause });
  });
  const parsed = protectedResource.safeParse(
    response.ok ? await response.json().catch(() => undefined) : undefined,
  );
  if (!parsed.success) {
    throw new CliError(
      EXIT_CODES.failed,
      `${baseUrl} is not a Fairlead installation: ${address} does not name the issuer of its tokens.`,
    );
  }
  const {
    resource,
    authorization_servers: [issuer = ''],
  } = parsed.data;
  // RFC 9728, 3.3: otherwise one installation could obtain a token meant for another.
  if (withoutSlash(resource) !== baseUrl) {
    throw new CliError(EXIT_CODES.failed, `${baseUrl} says that its address is ${resource}: use that one.`);
  }
  return { resource, issuer };
}

/** The authorization server's metadata. Throws a CliError if it is not available. */
export async function discover(issuer: string, signal: AbortSignal): Promise<oauth.Configuration> {
  const url = new URL(issuer);
  try {
    return await oauth.discovery(url, CLIENT_ID, undefined, oauth.None(), {
      algorithm: 'oauth2',
      timeout: TIMEOUT_SECONDS,
      // Marked as deprecated only to draw attention; client-settings.ts decides which addresses may use plain http.
      ...(url.protocol === 'http:' && { execute: [oauth.allowInsecureRequests] }),
      [oauth.customFetch]: (input, { body, signal: timeout, ...init }) =>
        fetch(input, {
          ...init,
          ...(body !== undefined && { body: body as string | URLSearchParams }),
          signal: AbortSignal.any(timeout === undefined ? [signal] : [signal, timeout]),
        }),
    });
  } catch (error) {
    signal.throwIfAborted();
    throw ended(error, `The authorization server ${issuer} did not respond as expected`);
  }
}

/** The tokens of a response, as they are stored. They replace `before`; a server may omit tokens that do not change. */
export function sessionOf(
  tokens: oauth.TokenEndpointResponse,
  o: ProtectedResource & { readonly now: Date; readonly before?: Session },
): Session {
  const refreshToken = tokens.refresh_token ?? o.before?.refreshToken;
  return {
    issuer: o.issuer,
    resource: o.resource,
    accessToken: tokens.access_token,
    ...(refreshToken !== undefined && { refreshToken }),
    expiresAt: new Date(o.now.getTime() + (tokens.expires_in ?? 0) * 1000).toISOString(),
    scope: tokens.scope ?? o.before?.scope ?? '',
  };
}

/** Ends a sign-in at the server: revoking its refresh token revokes every token that was issued with it. */
export async function revoke(session: Session, signal: AbortSignal): Promise<void> {
  const server = await discover(session.issuer, signal);
  try {
    await oauth.tokenRevocation(server, session.refreshToken ?? session.accessToken);
  } catch (error) {
    signal.throwIfAborted();
    throw ended(error, 'The tokens could not be revoked');
  }
}

/** The CliError for an error of the OAuth library: a refusal by the server is final, any other error may be temporary. */
export function ended(error: unknown, what: string): CliError {
  if (error instanceof oauth.ResponseBodyError) {
    const text = error.error_description ?? error.error;
    return new CliError(EXIT_CODES.denied, `${what}: ${text}`, { cause: error });
  }
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const text = cause instanceof Error ? cause.message : String(cause);
  return new CliError(EXIT_CODES.tryLater, `${what}: ${text}`, { cause: error });
}

/** Whether the server reported that the refresh token is no longer valid. */
export function isOver(error: unknown): boolean {
  return error instanceof oauth.ResponseBodyError && error.error === 'invalid_grant';
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}
