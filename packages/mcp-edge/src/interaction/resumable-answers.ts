import { createHash, randomBytes } from 'node:crypto';
import type {
  AnswerAddressedReplySchema,
  AnswerAddressedSchema,
} from '@fairlead/contracts/gateway/v1/client_streams_pb';
import type { AddressedRequests } from '@fairlead/service-kit/nats/addressed';
import type { Timers } from '@fairlead/service-kit/timers';
import type { Session } from '../streams/session-ids.ts';
import type { StreamHub } from '../streams/stream-hub.ts';
import { ResumableAnswer } from './resumable-answer.ts';

/** Requests to the replica that keeps an answer. */
type AnswerPipe = AddressedRequests<typeof AnswerAddressedSchema, typeof AnswerAddressedReplySchema>;

/** Connects to other replicas; `resume` handles their requests for this replica's answers. */
export type OpenAnswerPipe = (
  resume: (address: string, request: { readonly after: number; readonly streamKey: string }) => void,
) => AnswerPipe;

/** The position in a stream after which a client wants the rest, decoded from an event id. */
interface EventPlace {
  readonly answerId: string;
  readonly after: number;
}

/** Keeps the answers to posted requests, so that a client can get the rest after it has lost its connection. */
export interface ResumableAnswers {
  /** Starts to keep the messages of an answer. */
  open(session: Pick<Session, 'key'>, accountId: string): ResumableAnswer;
  /** The position in an event id of a posted request; undefined: it is another kind of id. */
  placeOf(lastEventId: string | undefined): EventPlace | undefined;
  /** The key of the stream on which an answer is resumed. */
  streamKey(session: Pick<Session, 'key'>, place: EventPlace): string;
  /** Sends the rest of an answer on the open stream with this key. False: no replica has the answer any more. */
  resume(session: Pick<Session, 'key'>, place: EventPlace): Promise<boolean>;
}

const EVENT_ID = /^r\.([A-Za-z0-9_-]{22})\.(\d{1,9})$/;
const REPLY_LIMIT_MS = 2_000;
/** Maximum bytes that a replica keeps for an account's answers; above it, an answer cannot be resumed. */
const ACCOUNT_BYTES = 32 * 1024 * 1024;

/** Keeps answers in memory, so they are lost when their replica stops. */
export function createResumableAnswers(o: {
  readonly openPipe: OpenAnswerPipe;
  readonly hub: Pick<StreamHub, 'reserve' | 'end'>;
  readonly timers: Timers;
}): ResumableAnswers {
  const kept = new Map<string, ResumableAnswer>();
  const bytesOf = new Map<string, number>();
  const pipe = o.openPipe(
    (address, { after, streamKey }) => void kept.get(address)?.resume(streamKey, after),
  );
  const addressOf = (use: 'answer' | 'stream', { key }: Pick<Session, 'key'>, answerId: string): string =>
    createHash('sha256').update(`${use} ${key} ${answerId}`).digest('base64url');

  function takeBytes(accountId: string, bytes: number): boolean {
    const sum = (bytesOf.get(accountId) ?? 0) + bytes;
    if (bytes > 0 && sum > ACCOUNT_BYTES) return false;
    if (sum > 0) bytesOf.set(accountId, sum);
    else bytesOf.delete(accountId);
    return true;
  }

  return {
    open(session, accountId) {
      const answerId = randomBytes(16).toString('base64url');
      const address = addressOf('answer', session, answerId);
      const answer = new ResumableAnswer({
        idOf: (n) => `r.${answerId}.${n}`,
        hub: o.hub,
        timers: o.timers,
        takeBytes: (bytes) => takeBytes(accountId, bytes),
        onDropped() {
          kept.delete(address);
          pipe.leave(address);
        },
      });
      kept.set(address, answer);
      // A client that lost its connection before NATS knows the address repeats the request.
      void pipe.take(address);
      return answer;
    },
    placeOf(lastEventId) {
      const [, answerId, after] = EVENT_ID.exec(lastEventId ?? '') ?? [];
      return answerId === undefined ? undefined : { answerId, after: Number(after) };
    },
    streamKey: (session, { answerId }) => addressOf('stream', session, answerId),
    async resume(session, { answerId, after }) {
      const address = addressOf('answer', session, answerId);
      const streamKey = addressOf('stream', session, answerId);
      const own = kept.get(address);
      if (own !== undefined) {
        void own.resume(streamKey, after);
        return true;
      }
      const reply = pipe.ask(address, { after, streamKey }, { timeoutMs: REPLY_LIMIT_MS });
      return (await reply.catch(() => undefined)) !== undefined;
    },
  };
}
