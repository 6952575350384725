/** One finished request. */
export interface RequestEntry {
  readonly at: string;
  readonly method: string;
  /** Path of the request. Includes the query below /api only, because other queries can contain codes. */
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
}

/** Number of calls since the start or the last reset. */
export interface Counters {
  /** Requests to /api, including refused ones. */
  readonly apiCalls: number;
  /** Responses of the token endpoint, including refusals, by `grant_type` (`none` if missing). */
  readonly tokenCalls: Readonly<Record<string, number>>;
}

const KEPT_REQUESTS = 200;

/** Counts and lists the requests to the vendor, in memory, for the admin page and for tests. */
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

  /** The common grant types are always present, so that a test can read a 0. */
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
