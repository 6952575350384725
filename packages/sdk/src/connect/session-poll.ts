import type { Browser } from './browser.ts';
import { ConnectError } from './outcome.ts';
import type { ConnectSession } from './outcome.ts';

const FIRST_MS = 1_000;
const LATER_MS = 3_000;
/** After a minute, polls become rarer: the person is probably busy with the vendor's pages. */
const POLLS_UNTIL_LATER = 60;
const LONGEST_WAIT_MS = 30_000;
/** Three minutes without a response. */
const MAX_FAILURES = 10;
const REFUSED = [401, 403, 404, 410];

/** Polls the status of one session until it is final. */
export interface SessionPoll {
  /** Polls now instead of at the next interval. */
  now(): void;
  stop(): void;
}

/**
 * Polls `statusUrl` with the session's token until the session has ended, and calls `settle` once: with the session, or
 * with the error that ends the polling. Nothing is called after `stop`.
 */
export function pollSession(
  browser: Browser,
  o: {
    readonly statusUrl: string;
    readonly token: string;
    readonly settle: (outcome: ConnectSession | ConnectError) => void;
  },
): SessionPoll {
  const gone = new AbortController();
  let timer: unknown;
  let polls = 0;
  let failures = 0;
  let isAsking = false;

  async function ask(): Promise<void> {
    if (isAsking || gone.signal.aborted) return;
    isAsking = true;
    browser.clearTimeout(timer);
    const answer = await read(browser, o, gone.signal);
    isAsking = false;
    if (gone.signal.aborted) return;
    if (isFinal(answer)) {
      gone.abort();
      o.settle(answer);
      return;
    }
    polls += 1;
    failures = 'status' in answer ? 0 : failures + 1;
    if (failures === MAX_FAILURES) {
      gone.abort();
      o.settle(new ConnectError('UNREACHABLE', 'The status of the session cannot be read.'));
      return;
    }
    const turnMs = polls > POLLS_UNTIL_LATER ? LATER_MS : FIRST_MS;
    const waitMs = Math.min(turnMs * 2 ** failures, LONGEST_WAIT_MS);
    timer = browser.setTimeout(
      () => void ask(),
      'waitMs' in answer ? Math.max(waitMs, answer.waitMs) : waitMs,
    );
  }
  void ask();
  return { now: () => void ask(), stop: () => gone.abort() };
}

/** No usable response; the server may ask to wait. */
interface PollFailure {
  readonly waitMs: number;
}

async function read(
  browser: Browser,
  o: { readonly statusUrl: string; readonly token: string },
  signal: AbortSignal,
): Promise<ConnectSession | ConnectError | PollFailure> {
  try {
    const response = await browser.fetch(o.statusUrl, {
      headers: { authorization: `Bearer ${o.token}` },
      cache: 'no-store',
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      signal,
    });
    if (REFUSED.includes(response.status))
      return new ConnectError('ENDED', 'The session has ended or does not exist.');
    if (!response.ok) return { waitMs: (Number(response.headers.get('retry-after')) || 0) * 1000 };
    // The API declares this shape; members that a newer server adds are passed on.
    return (await response.json()) as ConnectSession;
  } catch {
    return { waitMs: 0 };
  }
}

function isFinal(
  answer: ConnectSession | ConnectError | PollFailure,
): answer is ConnectSession | ConnectError {
  return answer instanceof ConnectError || ('status' in answer && answer.status !== 'open');
}
