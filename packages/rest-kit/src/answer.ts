import type { ServerResponse } from 'node:http';
import { jsonPieces } from '@fairlead/service-kit/json/lazy-json';
import { sendPieces } from '@fairlead/service-kit/http/reply';
import type { Request } from 'express';
import { LARGE_ANSWER_BYTES } from './large-answers.ts';
import { pageText } from './list.ts';
import type { ListAnswer } from './list.ts';
import type { PageAnswer } from './route.ts';
import { openStream } from './stream.ts';

/** The result of a handler; of a page that goes on, its first items, and the others. */
export interface Performed {
  readonly body: unknown;
  readonly more?: PageAnswer<unknown>['more'];
}

/** The same, encoded unless it goes on. */
export type Answer =
  | { readonly kind: 'whole'; readonly json: string | readonly Uint8Array[]; readonly isLarge: boolean }
  | {
      readonly kind: 'parts';
      readonly page: ListAnswer;
      readonly more: AsyncIterable<readonly unknown[]>;
      readonly isLarge: true;
    };

/** The body and the page of what a handler returned; `page` is undefined if the route is no list. */
export function performed(result: unknown, page: object | undefined): Performed {
  if (page === undefined) return { body: result };
  // The handler of a list returns one (RouteDeclaration).
  const { more, ...first } = result as PageAnswer<unknown>;
  return { body: { ...first, ...page }, ...(more !== undefined && { more }) };
}

/** The answer of a handler's result. */
export function answerOf({ body, more }: Performed): Answer {
  // Only a page goes on.
  if (more !== undefined) return { kind: 'parts', page: body as ListAnswer, more, isLarge: true };
  const json = body === undefined ? '' : jsonPieces(body);
  const bytes =
    typeof json === 'string' ? Buffer.byteLength(json) : json.reduce((sum, { length }) => sum + length, 0);
  return { kind: 'whole', json, isLarge: bytes > LARGE_ANSWER_BYTES };
}

/**
 * Sends an answer; one that goes on is sent by the returned function, while the rest of it is read. A client that takes nothing of a
 * large one for `stallMs` is disconnected. `check` gets each further part as a page.
 */
export async function sendAnswer(
  { request, reply }: { readonly request: Request; readonly reply: ServerResponse },
  answer: Answer,
  o: {
    readonly status: number;
    readonly stallMs: number;
    readonly check: (page: ListAnswer) => void;
    /** Reads a further part. */
    readonly inTurn: <T>(read: () => Promise<T>) => Promise<T>;
  },
): Promise<(() => Promise<void>) | undefined> {
  if (answer.kind === 'whole') {
    sendPieces(reply, o.status, answer.json);
    if (answer.isLarge) reply.setTimeout(o.stallMs, () => reply.destroy());
    return undefined;
  }
  const { page, more } = answer;
  async function* checked(): AsyncGenerator<readonly unknown[]> {
    const parts = more[Symbol.asyncIterator]();
    for (;;) {
      const part = await o.inTurn(() => parts.next());
      if (part.done === true) return;
      o.check({ ...page, items: part.value });
      yield part.value;
    }
  }
  const rest = await openStream(request, reply, { ...o, pieces: pageText(page, checked()) });
  return async () => {
    await rest();
  };
}

/** The account that a response to the operator concerns. */
export function accountIn(body: unknown): string | undefined {
  const id: unknown = typeof body === 'object' && body !== null && 'accountId' in body && body.accountId;
  return typeof id === 'string' ? id : undefined;
}
