import { SERVICE_NAMES } from '@fairlead/service-list/services';
import { PERMISSIONS, SCOPES } from './permissions.ts';
import type { Scope } from './permissions.ts';

/** Optional services that have scopes. */
const SERVICES_OF_RESOURCES: Readonly<Record<string, string>> = { agents: 'agents', mcpServers: 'mcp' };
const PRESENT: ReadonlySet<string> = new Set(SERVICE_NAMES);

/** The scopes of the services in this release; nobody is asked for others. */
export const SERVED_SCOPES: readonly Scope[] = SCOPES.filter((scope) => {
  const [resource = ''] = scope.split('.');
  const service = SERVICES_OF_RESOURCES[resource];
  return service === undefined || PRESENT.has(service);
});

/** The scopes of a client that requests none: reading, and executing tools; never administration. */
export const DEFAULT_SCOPES: readonly Scope[] = PERMISSIONS.filter(
  (permission) =>
    SERVED_SCOPES.includes(permission) && (permission.endsWith('.read') || permission === 'tools.execute'),
);

/** Our scopes in `text`, a space-separated list; others (`openid`, `offline_access`, unknown ones) are left out. */
export function parseScopes(text: string | undefined): readonly Scope[] {
  const scopes = new Set(text?.split(' '));
  return SCOPES.filter((scope) => scopes.has(scope));
}
