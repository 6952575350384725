import { PERMISSIONS, SCOPES } from './permissions.ts';
import type { Scope } from './permissions.ts';

/** The scopes of a client that requests none: reading, and executing tools; never administration. */
export const DEFAULT_SCOPES: readonly Scope[] = PERMISSIONS.filter(
  (permission) => permission.endsWith('.read') || permission === 'tools.execute',
);

/** Our scopes in `text`, a space-separated list; others (`openid`, `offline_access`, unknown ones) are left out. */
export function parseScopes(text: string | undefined): readonly Scope[] {
  const asked = new Set(text?.split(' '));
  return SCOPES.filter((scope) => asked.has(scope));
}
