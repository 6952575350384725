import type { Clock } from '@fairlead/service-kit/clock';
import { z } from 'zod';
import type { PageKeys } from './page-keys.ts';

/** Longest time between authentication and the choice of an account. */
const LIFETIME_MS = 5 * 60_000;

const ticket = z.object({ expires: z.number(), userIds: z.array(z.string()) });

/** A ticket carries the users that a browser may continue as, from authentication to the end of its sign-in. */
export interface Tickets {
  /** A ticket that is valid for five minutes, within that interaction only. */
  issue(interactionId: string, userIds: readonly string[]): string;
  /** The users of a ticket; none if it is not ours, belongs to another interaction, or has expired. */
  read(interactionId: string, text: string): readonly string[];
}

/** Tickets signed by `keys`. Nothing is stored: an interaction can end only once. */
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
