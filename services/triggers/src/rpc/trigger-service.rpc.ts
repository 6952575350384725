import type { ServiceImpl } from '@connectrpc/connect';
import type { TriggerService } from '@fairlead/contracts/triggers/v1/trigger_service_pb';
import type { Trigger as TriggerMessage } from '@fairlead/contracts/triggers/v1/trigger_pb';
import { readPage } from '@fairlead/service-kit/page';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import type { Trigger } from '../domain/trigger.ts';
import { countEventsByDay } from '../use-cases/count-events-by-day.ts';
import { createTrigger } from '../use-cases/create-trigger.ts';
import { deleteTrigger } from '../use-cases/delete-trigger.ts';
import { getTrigger } from '../use-cases/get-trigger.ts';
import { listTriggers } from '../use-cases/list-triggers.ts';
import { removeDestinations } from '../use-cases/remove-destinations.ts';
import { updateTrigger } from '../use-cases/update-trigger.ts';
import { fromCreateTriggerRequest, fromUpdateTriggerRequest, toTriggerMessage } from './convert-trigger.ts';

export type TriggerServiceDeps = DepsOf<
  | typeof listTriggers
  | typeof getTrigger
  | typeof createTrigger
  | typeof updateTrigger
  | typeof deleteTrigger
  | typeof removeDestinations
  | typeof countEventsByDay
> & {
  /** Address of the gateway as clients see it. */
  readonly publicUrl: string;
};

/** TriggerService of proto/fairlead/triggers/v1 over the use cases. */
export function createTriggerService(deps: TriggerServiceDeps): ServiceImpl<typeof TriggerService> {
  const message = (trigger: Trigger): TriggerMessage => toTriggerMessage(trigger, deps.publicUrl);
  return {
    async listTriggers({ page }, h) {
      const { items, ...rest } = await listTriggers(deps, requestContext(h), readPage(page));
      return { items: items.map(message), ...rest };
    },
    async getTrigger({ id }, h) {
      return { trigger: message(await getTrigger(deps, requestContext(h), id)) };
    },
    async createTrigger(request, h) {
      const created = await createTrigger(deps, requestContext(h), fromCreateTriggerRequest(request));
      return { trigger: message(created) };
    },
    async updateTrigger(request, h) {
      const change = fromUpdateTriggerRequest(request);
      return { trigger: message(await updateTrigger(deps, requestContext(h), request.id, change)) };
    },
    async deleteTrigger({ id }, h) {
      await deleteTrigger(deps, requestContext(h), id);
      return {};
    },
    async removeDestinations({ ids }, h) {
      await removeDestinations(deps, requestContext(h), ids);
      return {};
    },
    async countEventsByDay({ oldest, newest }, h) {
      const counts = await countEventsByDay(deps, requestContext(h), { oldest, newest });
      return { days: [...counts].map(([date, count]) => ({ date, eventCount: BigInt(count) })) };
    },
  };
}
