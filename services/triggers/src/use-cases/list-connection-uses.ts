import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { TriggerStore } from '../ports/trigger-store.ts';

const MOST = 100;

/** The account's enabled triggers that use a connection, as `trigger:<id>`; at most a hundred. */
export async function listConnectionUses(
  { triggers }: { readonly triggers: Pick<TriggerStore, 'listUses'> },
  ctx: RequestContext,
  connectionId: number,
): Promise<readonly string[]> {
  const ids = await triggers.listUses(ctx, accountOf(ctx), connectionId, MOST);
  return ids.map((id) => `trigger:${id}`);
}
