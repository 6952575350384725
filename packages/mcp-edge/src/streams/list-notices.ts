import type { Clock } from '@fairlead/service-kit/clock';
import type { Timers } from '@fairlead/service-kit/timers';
import { beganAt } from './session-ids.ts';
import type { Session } from './session-ids.ts';
import type { StreamHub } from './stream-hub.ts';

/** Notifies clients with a stream that their server's lists may have changed. */
export interface ListNotices {
  /** Called when a session's stream has opened. Unless the session is new, its client may have missed a change. */
  opened(session: Pick<Session, 'key' | 'expiresAt'>): void;
  close(): void;
}

/**
 * Calls `onChange` with the account whose lists may have changed; undefined: all accounts. `isOfTools`: only lists of
 * tools. Within a session of the subscription, no change is missed.
 */
export type SubscribeToLists = (onChange: (accountId: string | undefined, isOfTools: boolean) => void) => {
  session(): number | undefined;
};

const noticeOf = (list: string): Uint8Array =>
  Buffer.from(`{"jsonrpc":"2.0","method":"notifications/${list}/list_changed"}`);
const TOOLS_NOTICE = noticeOf('tools');
const OTHER_NOTICES = ['prompts', 'resources'].map(noticeOf);
/**
 * Delay after a change: by then it is written, and the mcp service has dropped its cached lists. Further changes in
 * between share one notice.
 */
const SETTLE_MS = 500;
/** Minimum interval between two notices to a stream. */
const PAUSE_MS = 1_000;
const CHECK_MS = 500;
/** Delay after an outage of NATS: by then, the mcp service uses no list from before. */
const RESTORED_MS = 2_000;
/** Age up to which a session counts as new: its client opens its first stream at once and lists its tools afterwards. */
const BEGINNING_MS = 10_000;

/** Sends notices within a second of a change; after a time in which changes may have been missed, to all streams. */
export function createListNotices(o: {
  readonly hub: Pick<StreamHub, 'notify'>;
  readonly subscribe: SubscribeToLists;
  readonly clock: Clock;
  readonly timers: Timers;
}): ListNotices {
  const { hub, clock, timers } = o;
  /** Accounts of which only lists of tools have changed. */
  const accounts = new Map<string, boolean>();
  const keys = new Set<string>();
  let isForAll = false;
  /** Whether changes of any list may have been missed. */
  let hasMissed = false;
  let isPlanned = false;
  let isClosed = false;
  let lastAtMs = 0;
  let session: number | undefined;

  const nowMs = (): number => clock.now().getTime();

  function plan(): void {
    if (isPlanned || isClosed) return;
    isPlanned = true;
    timers.after(Math.max(SETTLE_MS, lastAtMs + PAUSE_MS - nowMs()), send);
  }

  function send(): void {
    isPlanned = false;
    if (isClosed) return;
    lastAtMs = nowMs();
    hub.notify((key, accountId) => isForAll || accounts.has(accountId) || keys.has(key), TOOLS_NOTICE);
    for (const notice of OTHER_NOTICES)
      hub.notify((key, accountId) => hasMissed || accounts.get(accountId) === false || keys.has(key), notice);
    isForAll = false;
    hasMissed = false;
    accounts.clear();
    keys.clear();
  }

  function tellAll(): void {
    isForAll = true;
    plan();
  }

  function checkSession(): void {
    if (isClosed) return;
    const now = changes.session();
    if (now !== undefined && now !== session) {
      session = now;
      timers.after(RESTORED_MS, () => {
        hasMissed = true;
        tellAll();
      });
    }
    timers.after(CHECK_MS, checkSession);
  }

  const changes = o.subscribe((accountId, isOfTools) => {
    if (accountId === undefined) return tellAll();
    accounts.set(accountId, isOfTools && accounts.get(accountId) !== false);
    plan();
  });
  checkSession();

  return {
    opened({ key, expiresAt }) {
      if (nowMs() - beganAt({ expiresAt }).getTime() < BEGINNING_MS) return;
      keys.add(key);
      plan();
    },
    close() {
      isClosed = true;
    },
  };
}
