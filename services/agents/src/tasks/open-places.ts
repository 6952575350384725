import type { TaskWithInput } from '../domain/task.ts';
import type { AgentSession } from '../ports/agent-sessions.ts';

/** An offer of a poll in this replica to take one call directly. */
export interface Place {
  /** The agent and its process, as the poll last read them. */
  readonly session: AgentSession;
  readonly slot: number;
  /** Reads the agent again. Undefined: the poll no longer offers to take a call. Rejects if token or process were replaced. */
  readonly check: () => Promise<AgentSession | undefined>;
}

/** A call that is stored as taken by the process, and the session that was read at the same time. */
export interface AssignedCall {
  readonly task: TaskWithInput;
  readonly session: AgentSession;
}

/** An offer that one caller has claimed. Its poll does not end before the caller leaves. */
export interface ClaimedPlace extends Place {
  /** Releases the claim, with a tool call for the process or without one. Only the first release counts. */
  leave(call?: AssignedCall): void;
}

/** Offers of polls in this replica to callers in this replica. A call that gets one is not queued. */
export interface OpenPlaces {
  /** Makes an offer until `close`, which resolves with the call that a caller has given. `onLeft` is called when a caller leaves. */
  open(place: Place, onLeft: () => void): { close(): Promise<AssignedCall | undefined> };
  /** Claims the offer of an agent, by its connection; undefined: it has none at the moment. */
  claim(accountId: string, connectionId: number): ClaimedPlace | undefined;
}

/** Creates it without offers. */
export function createOpenPlaces(): OpenPlaces {
  const places = new Map<string, { readonly place: Place; readonly claim: () => ClaimedPlace }>();
  const keyOf = (accountId: string, connectionId: number): string => `${accountId} ${connectionId}`;
  return {
    open(place, onLeft) {
      const key = keyOf(place.session.accountId, place.session.id);
      let left: Promise<AssignedCall | undefined> | undefined;
      const offered = {
        place,
        claim() {
          const { promise, resolve } = Promise.withResolvers<AssignedCall | undefined>();
          left = promise;
          const leave = (call?: AssignedCall): void => {
            resolve(call);
            onLeft();
          };
          return { ...place, leave };
        },
      };
      places.set(key, offered);
      return {
        async close() {
          if (places.get(key) === offered) places.delete(key);
          return await left;
        },
      };
    },
    claim(accountId, connectionId) {
      const key = keyOf(accountId, connectionId);
      const offered = places.get(key);
      places.delete(key);
      return offered?.claim();
    },
  };
}
