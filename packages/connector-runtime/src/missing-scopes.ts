import type { ToolDefinition } from '@fairlead/connector-model/model';
import type { Credential, ToolOutcome } from './call.ts';
import { VendorRefusal } from './failure.ts';

/**
 * If the vendor's refusal may be due to a missing scope: the message that names the tool's ungranted scopes, and
 * these scopes (the first of several alternatives). Scopes are never checked before the vendor is asked, because one
 * scope may include another, or have other names.
 */
export function withMissingScopes(
  errorMessage: string,
  error: unknown,
  { scopes = [] }: Pick<ToolDefinition, 'scopes'>,
  { grantedScopes }: Pick<Credential, 'grantedScopes'>,
): Pick<Extract<ToolOutcome, { readonly isSuccess: false }>, 'errorMessage' | 'missingScopes'> {
  if (!(error instanceof VendorRefusal) || !error.isAboutAccess || grantedScopes === undefined)
    return { errorMessage };
  const missing = scopes
    .map((scope) => (typeof scope === 'string' ? [scope] : scope))
    .filter((alternatives) => !alternatives.some((scope) => grantedScopes.includes(scope)));
  if (missing.length === 0) return { errorMessage };
  const names = missing.map((alternatives) => alternatives.join(' or ')).join(', ');
  const named = `${missing.length === 1 ? 'scope' : 'scopes'} ${names}`;
  const end = /[.!?…]$/.test(errorMessage) ? '' : '.';
  return {
    errorMessage: `${errorMessage}${end} The connection was not granted the ${named}, which this tool needs. Sign in again to grant it.`,
    missingScopes: missing.flatMap((alternatives) => alternatives.slice(0, 1)),
  };
}
