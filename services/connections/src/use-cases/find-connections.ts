import { validationError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { actingAccountOf } from '@fairlead/service-kit/context/context';
import type { JsonObject } from '@fairlead/connector-model/json';
import type { Connection } from '../domain/connection.ts';
import { credentialRevision } from '../domain/credential-revision.ts';
import { OWN_CLIENT_ID } from '../domain/oauth-client.ts';
import type { AuthProviderStore } from '../ports/auth-provider-store.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';

interface FindConnectionsDeps {
  readonly connections: Pick<ConnectionStore, 'findAll'>;
  readonly authProviders: Pick<AuthProviderStore, 'find'>;
}

/** Selects connections. */
export interface ConnectionChoice {
  readonly ids: readonly number[];
  /** Empty: every application. */
  readonly applicationSlugs: readonly string[];
  /** Undefined: the account's own and all end users'. */
  readonly endUserId: string | undefined;
  /** Whether to read the revisions of their credentials (credentialRevision). */
  readonly withRevisions: boolean;
}

export interface ConnectionMatch {
  readonly connection: Connection;
  /** Undefined: not requested. */
  readonly revision: string | undefined;
}

const MAX_IDS = 1_000;

/** The named connections that exist, sorted by id; VALIDATION_ERROR if too many are named. */
export async function findConnections(
  { connections, authProviders }: FindConnectionsDeps,
  ctx: RequestContext,
  { ids, applicationSlugs, endUserId, withRevisions }: ConnectionChoice,
): Promise<readonly ConnectionMatch[]> {
  if (ids.length > MAX_IDS) throw validationError({ field: 'ids', issue: `must be at most ${MAX_IDS}` });
  const accountId = actingAccountOf(ctx);
  const found = await connections.findAll(ctx, accountId, ids, { applicationSlugs, endUserId });
  if (!withRevisions) return found.map((connection) => ({ connection, revision: undefined }));
  const used = new Set(found.map(providerOf).filter((id) => id !== OWN_CLIENT_ID));
  const values = new Map<number, JsonObject | null>();
  for (const id of used) values.set(id, (await authProviders.find(ctx, accountId, id))?.values ?? null);
  return found.map((connection) => ({
    connection,
    revision: credentialRevision(connection, values.get(providerOf(connection)) ?? null),
  }));
}

function providerOf({ authProviderId }: Connection): number {
  return authProviderId ?? OWN_CLIENT_ID;
}
