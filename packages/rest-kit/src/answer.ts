import type { ServerResponse } from 'node:http';
import { jsonPieces } from '@fairlead/service-kit/json/lazy-json';
import { sendPieces } from '@fairlead/service-kit/http/reply';
import type { Request } from 'express';
import { LARGE_ANSWER_BYTES } from './large-answers.ts';
import { pageText } from './list.ts';
import type { ListAnswer } from './list.ts';
import type { PageAnswer } from './route.ts';
import { openStream } from './stream.ts';

/** The result of a handler. If a large page continues: its first items and a reader of the others. */
export interface HandlerResult {
  readonly body: unknown;
  readonly more?: PageAnswer<unknown>['more'];
}

/** A handler's result as it is sent: encoded as a whole, or a page whose further items are read while it is sent. */
export type Answer =
  | { readonly kind: 'whole'; readonly json: string | readonly Uint8Array[]; readonly isLarge: boolean }
  | {
      readonly kind: 'parts';
      readonly page: ListAnswer;
      readonly more: AsyncIterable<readonly unknown[]>;
      readonly isLarge: true;
    };

/** The body and the page in a handler's result; `page` is undefined if the route is no list. */
export function performed(result: unknown, page: object | undefined): HandlerResult {
  if (page === undefined) return { body: result };
  // The handler of a list returns a page (RouteDeclaration).
  const { more, ...first } = result as PageAnswer<unknown>;
  return { body: { ...first, ...page }, ...(more !== undefined && { more }) };
}

/** Converts a handler's result to an answer. */
export function answerOf({ body, more }: HandlerResult): Answer {
  // Only pages can continue.
  if (more !== undefined) return { kind: 'parts', page: body as ListAnswer, more, isLarge: true };
  const json = body === undefined ? '' : jsonPieces(body);
  const bytes =
    typeof json === 'string' ? Buffer.byteLength(json) : json.reduce((sum, { length }) => sum + length, 0);
  return { kind: 'whole', json, isLarge: bytes > LARGE_ANSWER_BYTES };
}

/**
 * Sends an answer. If it continues, the returned function sends it while the rest is read. A client that takes
 * nothing of a large answer for `stallMs` is disconnected. `check` validates each further part as a page.
 */
export async function sendAnswer(
  { request, reply }: { readonly request: Request; readonly reply: ServerResponse },
  answer: Answer,
  o: {
    readonly status: number;
    readonly stallMs: number;
    readonly check: (page: ListAnswer) => void;
    /** Reads the next part. */
    readonly inTurn: <T>(read: () => Promise<T>) => Promise<T>;
  },
): Promise<(() => Promise<void>) | undefined> {
  if (answer.kind === 'whole') {
    sendPieces(reply, o.status, answer.json);
    if (answer.isLarge) reply.setTimeout(o.stallMs, () => reply.destroy());
    return undefined;
  }
  const { page, more } = answer;
  async function* checkPages(): AsyncGenerator<readonly unknown[]> {
    const parts = more[Symbol.asyncIterator]();
    for (;;) {
      const part = await o.inTurn(() => parts.next());
      if (part.done === true) return;
      o.check({ ...page, items: part.value });
      yield part.value;
    }
  }
  const rest = await openStream(request, reply, { ...o, pieces: pageText(page, checkPages()) });
  return async () => {
    await rest();
  };
}

/** For a response to the operator: the account that it is about. */
export function accountIn(body: unknown): string | undefined {
  const id: unknown = typeof body === 'object' && body !== null && 'accountId' in body && body.accountId;
  return typeof id === 'string' ? id : undefined;
}
