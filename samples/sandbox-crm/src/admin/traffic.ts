/** One finished request. */
export interface RequestEntry {
  readonly at: string;
  readonly method: string;
  /** With its query below /api, without it elsewhere: there it can hold codes. */
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
}

/** Calls since the start or the last reset. */
export interface Counters {
  /** Requests that arrived at /api, refused ones too. */
  readonly apiCalls: number;
  /** Requests that the token endpoint answered, refused ones too, by `grant_type` (`none` where it was missing). */
  readonly tokenCalls: Readonly<Record<string, number>>;
}

const KEPT_REQUESTS = 200;

/** The requests to the vendor, for the admin page and for tests. In memory. */
export class Traffic {
  #apiCalls = 0;
  #tokenCalls = new Map<string, number>();
  #requests: RequestEntry[] = [];

  countApiCall(): void {
    this.#apiCalls += 1;
  }

  countTokenCall(grantType: string): void {
    this.#tokenCalls.set(grantType, (this.#tokenCalls.get(grantType) ?? 0) + 1);
  }

  record(entry: RequestEntry): void {
    this.#requests.push(entry);
    if (this.#requests.length > KEPT_REQUESTS) this.#requests.shift();
  }

  /** The common grant types are always there, so that a test can read a 0. */
  counters(): Counters {
    const none = { authorization_code: 0, refresh_token: 0, client_credentials: 0 };
    return { apiCalls: this.#apiCalls, tokenCalls: { ...none, ...Object.fromEntries(this.#tokenCalls) } };
  }

  /** The last requests, newest first. */
  recentRequests(): readonly RequestEntry[] {
    return this.#requests.toReversed();
  }

  clear(): void {
    this.#apiCalls = 0;
    this.#tokenCalls = new Map();
    this.#requests = [];
  }
}
