import { validationError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { Connection } from '../domain/connection.ts';
import type { ConnectionStore } from '../ports/connection-store.ts';

/** What findConnections needs. */
export interface FindConnectionsDeps {
  readonly connections: Pick<ConnectionStore, 'findAll'>;
}

/** Which connections are asked for. */
export interface ConnectionChoice {
  readonly ids: readonly number[];
  /** None means every application. */
  readonly applicationSlugs: readonly string[];
  /** Undefined: of the account and of every end user. */
  readonly endUserId: string | undefined;
}

const MAX_IDS = 1_000;

/** Those of the named connections that exist, by id; VALIDATION_ERROR if too many are named. */
export async function findConnections(
  { connections }: FindConnectionsDeps,
  ctx: RequestContext,
  { ids, applicationSlugs, endUserId }: ConnectionChoice,
): Promise<readonly Connection[]> {
  if (ids.length > MAX_IDS) throw validationError({ field: 'ids', issue: `must be at most ${MAX_IDS}` });
  return await connections.findAll(ctx, accountOf(ctx), ids, { applicationSlugs, endUserId });
}
