import type { ServiceImpl } from '@connectrpc/connect';
import type { EventService } from '@fairlead/contracts/delivery/v1/event_service_pb';
import { requestContext } from '@fairlead/service-kit/rpc/request';
import type { DepsOf } from '@fairlead/service-kit/deps-of';
import { getEvent } from '../use-cases/get-event.ts';
import { listEvents } from '../use-cases/list-events.ts';
import { replayEvent } from '../use-cases/replay-event.ts';
import { replayEvents } from '../use-cases/replay-events.ts';
import { fromListRequest, fromReplayRequest, toEvent, toEventDetail } from './convert-event.ts';

/** EventService of proto/fairlead/delivery/v1 over the use cases. */
export function createEventService(
  deps: DepsOf<typeof listEvents | typeof getEvent | typeof replayEvent | typeof replayEvents>,
): ServiceImpl<typeof EventService> {
  return {
    async listEvents(request, h) {
      const list = fromListRequest(request);
      const { items, totalCount, next } = await listEvents(deps, requestContext(h), list);
      return { items: items.map(toEvent), totalCount: BigInt(totalCount), next };
    },
    async getEvent({ id }, h) {
      return toEventDetail(await getEvent(deps, requestContext(h), id));
    },
    async replayEvent({ id, destinationId, destinationIds }, h) {
      const replay = { eventId: id, destinationId, destinationIds };
      return toEventDetail(await replayEvent(deps, requestContext(h), replay));
    },
    async replayEvents(request, h) {
      return { queued: await replayEvents(deps, requestContext(h), fromReplayRequest(request)) };
    },
  };
}
