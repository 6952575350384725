import { overloaded } from '@fairlead/errors/api-error';
import type { Timers } from '@fairlead/service-kit/timers';

/** A client that subscribes on the response to its request. */
interface ListeningClient {
  readonly accountId: string;
  /** The server, for a client without a credential. */
  readonly anonymousServerId: string | undefined;
  /** Whether the client would be admitted again. Never rejects. */
  readonly isStillAdmitted: () => Promise<boolean>;
}

/** A place for a listener. */
export interface Listener {
  /** Aborts when the response must end. */
  readonly signal: AbortSignal;
  /** Releases the place. */
  close(): void;
}

/** Maximum listeners of an account's clients with a credential, and of a server's clients without one, counted separately. */
const MAX_PER_ACCOUNT = 1_000;
const MAX_ANONYMOUS_PER_SERVER = 100;
const CHECK_MS = 60_000;

interface ListenerEntry extends ListeningClient {
  readonly end: AbortController;
}

/** The listeners of this replica, within limits and while they are admitted. */
export class Listeners {
  readonly #timers: Timers;
  readonly #held = new Set<ListenerEntry>();
  #isDraining = false;
  readonly #none = Promise.withResolvers<void>();

  constructor(timers: Timers) {
    this.#timers = timers;
    this.#planCheck();
  }

  /** Takes a place. Throws RATE_LIMIT_EXCEEDED if there is none. During a drain, the place ends at once. */
  add(client: ListeningClient): Listener {
    const { accountId, anonymousServerId } = client;
    const alike = [...this.#held].filter(
      (other) => other.accountId === accountId && other.anonymousServerId === anonymousServerId,
    );
    if (alike.length >= (anonymousServerId === undefined ? MAX_PER_ACCOUNT : MAX_ANONYMOUS_PER_SERVER))
      throw overloaded('The maximum number of clients already listens to changes.');
    const listener: ListenerEntry = { ...client, end: new AbortController() };
    this.#held.add(listener);
    if (this.#isDraining) listener.end.abort();
    return {
      signal: listener.end.signal,
      close: () => {
        this.#held.delete(listener);
        if (this.#isDraining && this.#held.size === 0) this.#none.resolve();
      },
    };
  }

  /** Ends the responses to an account's clients that are no longer admitted. */
  async checkAccount(accountId: string): Promise<void> {
    for (const listener of this.#held) if (listener.accountId === accountId) await checkAdmission(listener);
  }

  /** Ends all responses; resolves when all have ended. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    for (const { end } of this.#held) end.abort();
    if (this.#held.size > 0) await this.#none.promise;
  }

  #planCheck(): void {
    this.#timers.after(CHECK_MS, () => {
      if (this.#isDraining) return;
      void this.#checkAll();
      this.#planCheck();
    });
  }

  async #checkAll(): Promise<void> {
    for (const listener of this.#held) await checkAdmission(listener);
  }
}

async function checkAdmission({ isStillAdmitted, end }: ListenerEntry): Promise<void> {
  if (!end.signal.aborted && !(await isStillAdmitted())) end.abort();
}
