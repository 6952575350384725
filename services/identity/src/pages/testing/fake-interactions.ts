import type { IncomingMessage, ServerResponse } from 'node:http';
import { InteractionGoneError } from '../../oauth/interactions.ts';
import type { Consent, InteractionDetails, Interactions } from '../../oauth/interactions.ts';

/** How an interaction ended. */
export type Ending =
  | { readonly kind: 'login'; readonly userId: string }
  | { readonly kind: 'consent'; readonly consent: Consent }
  | { readonly kind: 'denied' };

/** Interactions in memory: the cookie `interaction=<id>` names one; a second answer to an interaction fails. */
export interface FakeInteractions extends Interactions {
  /** Outcomes, in order. */
  readonly endings: readonly Ending[];
  /** The signed-in user. */
  sessionUserId: string | undefined;
}

/** Creates fake interactions from the given ones. */
export function fakeInteractions(given: readonly InteractionDetails[]): FakeInteractions {
  const open = new Map(given.map((details) => [details.id, details]));
  const endings: Ending[] = [];
  const find = (request: IncomingMessage): InteractionDetails | undefined => {
    const [, id = ''] = /(?:^|; )interaction=([^;]*)/.exec(request.headers.cookie ?? '') ?? [];
    return open.get(id);
  };
  const end = (request: IncomingMessage, response: ServerResponse, ending: Ending): Promise<void> => {
    const details = find(request);
    if (details === undefined) return Promise.reject(new InteractionGoneError());
    open.delete(details.id);
    endings.push(ending);
    response.writeHead(303, { location: `/oauth/auth/${details.id}` }).end();
    return Promise.resolve();
  };
  return {
    endings,
    sessionUserId: undefined,
    find: (request) => Promise.resolve(find(request)),
    finishLogin: (request, response, userId) => end(request, response, { kind: 'login', userId }),
    finishConsent: (_exchange, request, response, consent) =>
      end(request, response, { kind: 'consent', consent }),
    deny: (request, response) => end(request, response, { kind: 'denied' }),
    signedInUser() {
      return Promise.resolve(this.sessionUserId);
    },
    signOut() {
      this.sessionUserId = undefined;
      return Promise.resolve();
    },
  };
}
