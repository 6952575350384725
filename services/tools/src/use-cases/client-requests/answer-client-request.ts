import type { RequestContext } from '@fairlead/service-kit/context/context';
import { callerIdOf } from '../../domain/caller-id.ts';
import type { ClientAnswer, ClientRequests } from '../../ports/client-requests.ts';

/** Delivers the client's answer to a request of a running call of the same caller. Errors as for ClientRequests.answer. */
export async function answerClientRequest(
  { clientRequests }: { readonly clientRequests: Pick<ClientRequests, 'answer'> },
  ctx: RequestContext,
  key: string,
  answer: ClientAnswer,
): Promise<void> {
  await clientRequests.answer(callerIdOf(ctx), key, answer);
}
