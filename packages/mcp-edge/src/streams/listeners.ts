import { overloaded } from '@fairlead/errors/api-error';
import type { Timers } from '@fairlead/service-kit/timers';

/** A client that listens to changes on the answer to its request. */
interface ListeningClient {
  readonly accountId: string;
  /** The server of a client without a credential. */
  readonly anonymousServerId: string | undefined;
  /** Whether the client would be admitted again. Never rejects. */
  readonly isStillAdmitted: () => Promise<boolean>;
}

/** A place among the listeners. */
export interface Listener {
  /** Aborts when the answer has to end. */
  readonly signal: AbortSignal;
  /** Gives the place up. */
  close(): void;
}

/** Most listeners of an account, and of a server's clients without a credential; such a client takes no place of the account. */
const MAX_PER_ACCOUNT = 1_000;
const MAX_ANONYMOUS_PER_SERVER = 100;
const CHECK_MS = 60_000;

interface ListenerEntry extends ListeningClient {
  readonly end: AbortController;
}

/** The clients that listen on this replica, within bounds, as long as they are admitted. */
export class Listeners {
  readonly #timers: Timers;
  readonly #held = new Set<ListenerEntry>();
  #isDraining = false;
  readonly #none = Promise.withResolvers<void>();

  constructor(timers: Timers) {
    this.#timers = timers;
    this.#planCheck();
  }

  /** Takes a place. Throws RATE_LIMIT_EXCEEDED if there is none; while the listeners are drained, it ends at once. */
  add(client: ListeningClient): Listener {
    const { accountId, anonymousServerId } = client;
    const alike = [...this.#held].filter(
      (other) => other.accountId === accountId && other.anonymousServerId === anonymousServerId,
    );
    if (alike.length >= (anonymousServerId === undefined ? MAX_PER_ACCOUNT : MAX_ANONYMOUS_PER_SERVER))
      throw overloaded('As many clients listen to changes as may do so at the same time.');
    const held: ListenerEntry = { ...client, end: new AbortController() };
    this.#held.add(held);
    if (this.#isDraining) held.end.abort();
    return {
      signal: held.end.signal,
      close: () => {
        this.#held.delete(held);
        if (this.#isDraining && this.#held.size === 0) this.#none.resolve();
      },
    };
  }

  /** Ends the answers to clients of an account that are no longer admitted. */
  async checkAccount(accountId: string): Promise<void> {
    for (const held of this.#held) if (held.accountId === accountId) await checkAdmission(held);
  }

  /** Ends all answers; resolves when all have ended. */
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
    for (const held of this.#held) await checkAdmission(held);
  }
}

async function checkAdmission({ isStillAdmitted, end }: ListenerEntry): Promise<void> {
  if (!end.signal.aborted && !(await isStillAdmitted())) end.abort();
}
