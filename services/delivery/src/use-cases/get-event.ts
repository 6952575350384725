import { notFound } from '@fairlead/errors/api-error';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Attempt } from '../domain/attempt.ts';
import { attemptsOf } from '../domain/attempt.ts';
import { keptSince } from '../domain/event.ts';
import type { EventStore, EventView } from '../ports/event-store.ts';
import { awaitRecording } from './await-recording.ts';
import type { AwaitRecordingDeps } from './await-recording.ts';

export interface GetEventDeps extends AwaitRecordingDeps {
  readonly events: Pick<EventStore, 'find' | 'findDisabled'>;
}

/** An event with its attempts. */
export interface EventDetail {
  readonly view: EventView;
  readonly attempts: readonly Attempt[];
}

/** The account's event with that id and its attempts at all destinations; NOT_FOUND if it does not exist any more. */
export async function getEvent(deps: GetEventDeps, ctx: RequestContext, id: string): Promise<EventDetail> {
  const accountId = accountOf(ctx);
  const { clock, events } = deps;
  const view = await awaitRecording(deps, ctx, id, () =>
    events.find(ctx, accountId, id, keptSince(clock.now())),
  );
  if (view === undefined) throw notFound('event');
  const open = view.deliveries.filter((delivery) => delivery.open !== undefined);
  const disabled =
    open.length === 0
      ? new Set<string>()
      : await events.findDisabled(
          ctx,
          accountId,
          open.map(({ destinationId }) => destinationId),
        );
  return { view, attempts: attemptsOf(view.deliveries, (destinationId) => disabled.has(destinationId)) };
}
