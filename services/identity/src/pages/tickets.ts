import type { Clock } from '@fairlead/service-kit/clock';
import { z } from 'zod';
import type { PageKeys } from './page-keys.ts';

/** Longest time between authentication and the choice of an account. */
const LIFETIME_MS = 5 * 60_000;

const ticket = z.object({ expires: z.number(), userIds: z.array(z.string()) });

/** A ticket contains the users that a browser may continue as. It is valid from authentication to the end of the sign-in. */
export interface Tickets {
  /** Creates a ticket, valid for five minutes and within that interaction only. */
  issue(interactionId: string, userIds: readonly string[]): string;
  /** The users in a ticket; none if it is invalid, expired, or of another interaction. */
  read(interactionId: string, text: string): readonly string[];
}

/** Tickets authenticated by `keys`. Nothing is stored, because an interaction can end only once. */
export function createTickets({ keys, clock }: { readonly keys: PageKeys; readonly clock: Clock }): Tickets {
  return {
    issue(interactionId, userIds) {
      const content = JSON.stringify({ expires: clock.now().getTime() + LIFETIME_MS, userIds });
      const payload = Buffer.from(content).toString('base64url');
      return `${payload}.${keys.sign('ticket', interactionId, payload)}`;
    },
    read(interactionId, text) {
      const [payload = '', code = ''] = text.split('.');
      if (!keys.isSigned(code, 'ticket', interactionId, payload)) return [];
      const { expires, userIds } = ticket.parse(JSON.parse(Buffer.from(payload, 'base64url').toString()));
      return clock.now().getTime() < expires ? userIds : [];
    },
  };
}
