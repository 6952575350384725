import { notFound } from '@fairlead/errors/api-error';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { TriggerStore } from '../ports/trigger-store.ts';

/** What deleteTrigger needs. */
export interface DeleteTriggerDeps {
  readonly triggers: Pick<TriggerStore, 'delete'>;
}

/** Removes a trigger, or NOT_FOUND. Its events stay. */
export async function deleteTrigger(
  { triggers }: DeleteTriggerDeps,
  ctx: RequestContext,
  id: string,
): Promise<void> {
  if (!(await triggers.delete(ctx, accountOf(ctx), id))) throw notFound('trigger');
}
