import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Member, TokenClaims } from '../domain/records.ts';
import type { CredentialStore } from '../ports/credential-store.ts';

/** The owner of an access token, active or not; undefined if the token was revoked, or if there is no such user. */
export function resolveToken(
  { credentials }: { readonly credentials: Pick<CredentialStore, 'findTokenOwner'> },
  ctx: RequestContext,
  token: TokenClaims,
): Promise<Member | undefined> {
  return credentials.findTokenOwner(ctx, token);
}
