import { notFound } from '@fairlead/errors/api-error';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { TriggerStore } from '../ports/trigger-store.ts';
import { changeRegistrations } from './change-registrations.ts';
import type { ChangeRegistrationsDeps } from './change-registrations.ts';

interface DeleteTriggerDeps extends ChangeRegistrationsDeps {
  readonly triggers: Pick<TriggerStore, 'delete'>;
}

/** Removes a trigger, or NOT_FOUND. Its events stay; its registration at a vendor is removed soon afterwards. */
export async function deleteTrigger(deps: DeleteTriggerDeps, ctx: RequestContext, id: string): Promise<void> {
  const accountId = accountOf(ctx);
  await changeRegistrations(deps, ctx, { accountId, triggerId: id }, async () => {
    if (!(await deps.triggers.delete(ctx, accountId, id))) throw notFound('trigger');
  });
}
