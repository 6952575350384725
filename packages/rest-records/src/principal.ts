import { z } from 'zod';
import { PERMISSIONS, ROLES, SCOPES } from '@fairlead/access/permissions';
import type { Principal } from '@fairlead/access/principal';

export const permission = z.enum(PERMISSIONS).meta({ id: 'Permission' });

const scope = z.enum(SCOPES).meta({ id: 'Scope' });

/** The user that the credential of a request belongs to. */
export const whoamiRecord = z
  .strictObject({
    accountId: z.string(),
    accountName: z.string(),
    userId: z.string(),
    userName: z.string(),
    userEmail: z.string(),
    credentialType: z.enum(['apiKey', 'bearer']),
    credentialId: z.string().describe('Id of the API key or of the token, not the credential itself.'),
    roles: z.array(z.enum(ROLES)),
    permissions: z
      .array(permission)
      .describe('What the role allows, limited to the scopes of the credential.'),
    scopes: z
      .array(scope)
      .nullable()
      .describe(
        'OAuth scopes of a bearer token, or the permissions that an API key keeps; null for a key that keeps all of its user’s.',
      ),
    toolsetId: z.string().nullable().describe('The toolset that the API key is confined to; null: none.'),
  })
  .meta({ id: 'Whoami' });

export function presentPrincipal(principal: Principal): z.output<typeof whoamiRecord> {
  return {
    accountId: principal.accountId,
    accountName: principal.accountName,
    userId: principal.userId,
    userName: principal.userName,
    userEmail: principal.userEmail,
    credentialType: principal.credentialType,
    credentialId: principal.credentialId,
    roles: [...principal.roles],
    permissions: [...principal.permissions],
    scopes: principal.scopes && [...principal.scopes],
    toolsetId: principal.toolsetId,
  };
}
