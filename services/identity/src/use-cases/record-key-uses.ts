import { validationError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { ApiKeyStore } from '../ports/api-key-store.ts';

const MAX_USES = 10_000;

/** Records the last use of each key, by key id; VALIDATION_ERROR for more than 10 000. May be repeated. */
export async function recordKeyUses(
  { apiKeys }: { readonly apiKeys: Pick<ApiKeyStore, 'recordUses'> },
  ctx: RequestContext,
  uses: ReadonlyMap<string, Date>,
): Promise<void> {
  if (uses.size > MAX_USES) throw validationError({ field: 'uses', issue: `at most ${MAX_USES}` });
  if (uses.size > 0) await apiKeys.recordUses(ctx, uses);
}
