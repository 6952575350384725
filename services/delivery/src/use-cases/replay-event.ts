import { ApiError, notFound } from '@fairlead/errors/api-error';
import { accountOf } from '@fairlead/service-kit/context/context';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { keptSince } from '../domain/event.ts';
import { MAX_ATTEMPTS } from '../domain/replay.ts';
import type { WakeAttempts } from '../ports/due-attempts.ts';
import type { ReplayOutcome, Replays } from '../ports/replays.ts';
import { awaitRecording } from './await-recording.ts';
import { getEvent } from './get-event.ts';
import type { EventDetail, GetEventDeps } from './get-event.ts';

interface ReplayEventDeps extends GetEventDeps {
  readonly replays: Pick<Replays, 'replay'>;
  readonly wakeAttempts: WakeAttempts;
}

export interface ReplayEventRequest {
  readonly eventId: string;
  /** The only destination to replay to. */
  readonly destinationId: string | undefined;
  /** Used for an event without destinations. */
  readonly destinationIds: readonly string[];
}

/**
 * Queues another attempt, due now, at each destination of an existing event; returns the event with it. A queued replay stays; a scheduled
 * retry becomes due now; an attempt in progress is followed by another. CONFLICT if there are too many attempts.
 */
export async function replayEvent(
  deps: ReplayEventDeps,
  ctx: RequestContext,
  { eventId, destinationId, destinationIds: otherwise }: ReplayEventRequest,
): Promise<EventDetail> {
  const now = deps.clock.now();
  const replay = { eventId, destinationId, otherwise, now, since: keptSince(now) };
  const outcome = await awaitRecording(deps, ctx, eventId, async () => {
    const result = await deps.replays.replay(accountOf(ctx), replay);
    return result === 'noEvent' ? undefined : result;
  });
  if (outcome !== 'queued') throw refusalOf(outcome ?? 'noEvent');
  deps.wakeAttempts();
  return await getEvent(deps, ctx, eventId);
}

function refusalOf(outcome: Exclude<ReplayOutcome, 'queued'>): ApiError {
  switch (outcome) {
    case 'noEvent':
      return notFound('event');
    case 'otherDestination':
      return notFound('destination');
    case 'noDestination':
      return new ApiError('NO_DESTINATION', 'Neither the event nor its trigger has a destination.');
    case 'tooManyAttempts':
      return new ApiError(
        'CONFLICT',
        `The event has had ${MAX_ATTEMPTS} attempts at a destination, and is not replayed there any more.`,
      );
  }
}
