import { ApiError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import { detachedContext } from '@fairlead/service-kit/context/detached-context';
import type { Timers } from '@fairlead/service-kit/timers';
import type { CompletedElicitation } from '../events/elicitation-ends.ts';
import type { ClientStreams } from './client-streams.ts';
import type { Session } from './session-ids.ts';

/** An elicitation that was sent to the client of a user's session. */
interface SentElicitation extends CompletedElicitation {
  readonly ctx: RequestContext;
  readonly session: Session;
}

/** Notifies clients with a stream that their user has completed an elicitation (`notifications/elicitation/complete`). */
export interface ElicitationNotices {
  /** Starts to wait for the elicitation's completion. */
  expect(elicitation: SentElicitation): void;
}

/** Maximum wait; longer than a connect session. */
const EXPECTED_MS = 60 * 60_000;
/** Maximum number of a user's elicitations whose completion is reported to the client; further ones are not reported. */
const MAX_OF_USER = 20;
const SEND_LIMIT_MS = 10_000;

/**
 * Creates the notices of one replica. A notice is lost if a message is lost, or if the replica stops; the client then
 * repeats its call by itself.
 */
export function createElicitationNotices(o: {
  readonly streams: Pick<ClientStreams, 'reserve' | 'answer'>;
  readonly subscribe: (onEnd: (elicitation: CompletedElicitation) => void) => void;
  readonly timers: Timers;
}): ElicitationNotices {
  /** Pending elicitations by user and id. */
  const expected = new Map<string, Map<string, SentElicitation>>();

  function forget({ userId, elicitationId }: CompletedElicitation): void {
    const ofUser = expected.get(userId);
    ofUser?.delete(elicitationId);
    if (ofUser?.size === 0) expected.delete(userId);
  }

  async function send({ ctx, session, elicitationId }: SentElicitation): Promise<void> {
    try {
      const place = await o.streams.reserve(detachedContext(ctx, SEND_LIMIT_MS), session);
      const params = { elicitationId };
      const notice = { jsonrpc: '2.0', method: 'notifications/elicitation/complete', params };
      await o.streams.answer(place, () => Promise.resolve(Buffer.from(JSON.stringify(notice))));
    } catch (error) {
      // The client may have no stream.
      if (!(error instanceof ApiError))
        ctx.log.error({ err: error }, 'the notice of an elicitation cannot be sent');
    }
  }

  o.subscribe((completed) => {
    const elicitation = expected.get(completed.userId)?.get(completed.elicitationId);
    if (elicitation === undefined) return;
    forget(completed);
    void send(elicitation);
  });
  return {
    expect(elicitation) {
      const { userId, elicitationId } = elicitation;
      const ofUser = expected.get(userId) ?? new Map<string, SentElicitation>();
      if (ofUser.size >= MAX_OF_USER || ofUser.has(elicitationId)) return;
      expected.set(userId, ofUser.set(elicitationId, elicitation));
      o.timers.after(EXPECTED_MS, () => forget(elicitation));
    },
  };
}
