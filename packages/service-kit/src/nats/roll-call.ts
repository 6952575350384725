import type { Msg } from '@nats-io/transport-node';
import type { z } from 'zod';
import type { Logger } from '../telemetry/logger.ts';
import { hasNoTaker } from './addressed.ts';
import type { NatsLink } from './link.ts';
import { NatsUnavailableError } from './unavailable.ts';

/** Answers each request on the subject; every process that calls this answers. `answer` must be quick. */
export function answerRollCalls(o: {
  readonly link: Pick<NatsLink, 'onConnected'>;
  readonly subject: string;
  readonly answer: () => unknown;
  readonly log: Logger;
}): void {
  const callback = (error: Error | null, request: Msg): void => {
    try {
      if (error !== null) throw error;
      request.respond(JSON.stringify(o.answer()));
    } catch (failure) {
      o.log.error({ err: failure, subject: o.subject }, 'could not answer a roll call');
    }
  };
  o.link.onConnected((connection, lost) => {
    const subscription = connection.subscribe(o.subject, { callback });
    lost.addEventListener('abort', () => subscription.unsubscribe(), { once: true });
  });
}

/** The answers of all processes within `waitMs`; invalid answers are left out. Rejects with NatsUnavailableError. */
export async function callRoll<T>(o: {
  readonly link: Pick<NatsLink, 'current'>;
  readonly subject: string;
  readonly schema: z.ZodType<T>;
  readonly waitMs: number;
}): Promise<readonly T[]> {
  const connection = o.link.current();
  if (connection === undefined) throw new NatsUnavailableError('NATS is unreachable.');
  const answers: T[] = [];
  try {
    const options = { strategy: 'timer', maxWait: o.waitMs } as const;
    for await (const message of await connection.requestMany(o.subject, undefined, options)) {
      const answer = o.schema.safeParse(jsonOf(message));
      if (answer.success) answers.push(answer.data);
    }
  } catch (error) {
    if (hasNoTaker(error)) return answers;
    throw new NatsUnavailableError('NATS did not carry a roll call.', { cause: error });
  }
  return answers;
}

function jsonOf(message: Msg): unknown {
  try {
    return message.json();
  } catch {
    return undefined;
  }
}
