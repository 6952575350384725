import type { ToolDefinition } from '@fairlead/connector-model/model';
import type { Credential } from './call.ts';
import { VendorRefusal } from './failure.ts';

/**
 * The message of a failed call, which names the scopes of the tool that the connection was not granted if the vendor's refusal may be
 * about one. Nothing is refused because of them before the vendor is asked: one scope may include another, or have other names.
 */
export function withMissingScopes(
  message: string,
  error: unknown,
  { scopes = [] }: Pick<ToolDefinition, 'scopes'>,
  { grantedScopes }: Pick<Credential, 'grantedScopes'>,
): string {
  if (!(error instanceof VendorRefusal) || !error.isAboutAccess || grantedScopes === undefined)
    return message;
  const missing = scopes
    .map((scope) => (typeof scope === 'string' ? [scope] : scope))
    .filter((alternatives) => !alternatives.some((scope) => grantedScopes.includes(scope)))
    .map((alternatives) => alternatives.join(' or '));
  if (missing.length === 0) return message;
  const named = `${missing.length === 1 ? 'scope' : 'scopes'} ${missing.join(', ')}`;
  return `${message}${/[.!?…]$/.test(message) ? '' : '.'} The connection was not granted the ${named}, which this tool needs. Sign in again to grant it.`;
}
