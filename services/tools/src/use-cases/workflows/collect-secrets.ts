import { ApiError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { secretsOf } from '../../domain/masking.ts';
import type { RunSecrets } from '../../domain/workflow-run.ts';
import type { Connections } from '../../ports/connections.ts';

export interface CollectSecretsDeps {
  readonly connections: Pick<Connections, 'getCredentials'>;
}

/** Adds the secrets of these connections, and of any that could not be read before, to those of a run. False: some cannot be read now. */
export async function collectSecrets(
  { connections }: CollectSecretsDeps,
  ctx: RequestContext,
  { known, missing }: RunSecrets,
  connectionIds: readonly number[],
): Promise<boolean> {
  for (const id of connectionIds) missing.add(id);
  for (const id of missing) {
    try {
      const opened = await connections.getCredentials(ctx, id);
      if (opened.kind === 'credential') known.push(...secretsOf(opened.credential));
    } catch (error) {
      // A deleted connection has no readable secrets.
      if (!(error instanceof ApiError && error.code === 'NOT_FOUND')) continue;
    }
    missing.delete(id);
  }
  return missing.size === 0;
}
