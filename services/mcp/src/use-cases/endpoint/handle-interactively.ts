import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { PostAnswer } from '../../endpoint/answer-post.ts';
import { Outbox } from '../../endpoint/outbox.ts';
import { handleMessage } from './handle-message.ts';
import type { HandleMessageDeps, PostedMessage } from './handle-message.ts';

export type ClientMessage =
  | { readonly kind: 'message'; /** A notification or a request. */ readonly json: Uint8Array }
  | { readonly kind: 'response'; readonly answer: PostAnswer };

/** Like handleMessage, for a client that can be sent messages before the response. The response comes last. */
export async function* handleInteractively(
  deps: HandleMessageDeps,
  ctx: RequestContext,
  posted: PostedMessage,
): AsyncGenerator<ClientMessage, void, undefined> {
  const outbox = new Outbox();
  const answering = handleMessage(deps, ctx, posted, outbox).finally(() => outbox.end());
  // The reader may stop before it awaits the answer.
  answering.catch(() => undefined);
  try {
    for await (const json of outbox.messages()) yield { kind: 'message', json };
    yield { kind: 'response', answer: await answering };
  } finally {
    outbox.end();
  }
}
