import { z } from 'zod';
import { PERMISSIONS, ROLES } from '../identity/domain/permissions.ts';
import type { Principal } from '../identity/domain/principal.ts';

const permission = z.enum(PERMISSIONS).meta({ id: 'Permission' });

/** Who the credential of a request belongs to. */
export const whoamiRecord = z
  .strictObject({
    accountId: z.string(),
    accountName: z.string(),
    userId: z.string(),
    userName: z.string(),
    userEmail: z.string(),
    credentialType: z.enum(['apiKey', 'bearer']),
    credentialId: z.string().describe('The record of the credential, not the credential.'),
    roles: z.array(z.enum(ROLES)),
    permissions: z.array(permission),
    scopes: z.array(permission).describe('OAuth scopes of a bearer token; empty for an API key.'),
  })
  .meta({ id: 'Whoami' });

/** A principal. */
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
    scopes: [...principal.scopes],
  };
}
