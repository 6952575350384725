import { notFound } from '@fairlead/errors/api-error';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Trigger } from '../domain/trigger.ts';
import type { TriggerStore } from '../ports/trigger-store.ts';

/** The trigger, or NOT_FOUND. */
export async function getTrigger(
  { triggers }: { readonly triggers: Pick<TriggerStore, 'find'> },
  ctx: RequestContext,
  id: string,
): Promise<Trigger> {
  const trigger = await triggers.find(ctx, accountOf(ctx), id);
  if (trigger === undefined) throw notFound('trigger');
  return trigger;
}
