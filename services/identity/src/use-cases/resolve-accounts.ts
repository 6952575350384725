import { validationError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { MemberReference, PartialMember } from '../domain/records.ts';
import type { CredentialStore } from '../ports/credential-store.ts';

const MAX_REFERENCES = 1_000;

/**
 * Looks up the named accounts and users, in the order of the references; undefined where one does not exist. VALIDATION_ERROR for more than
 * 1 000.
 */
export async function resolveAccounts(
  { credentials }: { readonly credentials: Pick<CredentialStore, 'findMembers'> },
  ctx: RequestContext,
  references: readonly MemberReference[],
): Promise<readonly PartialMember[]> {
  if (references.length > MAX_REFERENCES)
    throw validationError({ field: 'references', issue: `at most ${MAX_REFERENCES}` });
  return credentials.findMembers(ctx, references);
}
