import type { Browser, Popup } from './browser.ts';
import { ConnectError } from './outcome.ts';
import type { ConnectSession } from './outcome.ts';
import { pollSession } from './session-poll.ts';
import type { SessionPoll } from './session-poll.ts';

/** The outcomes of a session: exactly one of the three is called, once, unless `stop` comes first. */
export interface ConnectCallbacks {
  /** The person connected or renewed a connection. */
  readonly onSuccess?: (session: ConnectSession) => void;
  /** The person declined. */
  readonly onCancel?: (session: ConnectSession) => void;
  /** The session will have no outcome. */
  readonly onError?: (error: ConnectError) => void;
}

/** Which session to open, in which way, and the callbacks for its outcome. */
export interface ConnectOptions extends ConnectCallbacks {
  /** As the API returned it. With a promise the popup opens at once, empty, so that it still opens within the click. */
  readonly connectUrl?: string | Promise<string>;
  /** Instead of `connectUrl`, together with `baseUrl`. */
  readonly token?: string;
  /** Base address of the API. Default: that of `connectUrl`. */
  readonly baseUrl?: string;
  /**
   * `popup` (the default) opens a window; `redirect` leaves the page for the hosted one, which returns to the session's
   * `redirectUrl`; `headless` opens nothing: the address is yours to show.
   */
  readonly mode?: 'popup' | 'redirect' | 'headless';
  /** The browser blocked the popup. Default: leaves the page for the hosted one, as `redirect` does. */
  readonly onBlocked?: (connectUrl: string) => void;
}

/** A session whose outcome is awaited. */
export interface ConnectHandle {
  /** Brings the popup to the front, if there is one that can be reached. */
  focus(): void;
  /** Stops waiting for the outcome; no callback is called any more. The session itself is unchanged. */
  stop(): void;
}

const KEY = 'fairlead.connect';
const NAME = 'fairlead-connect';
const WIDTH = 480;
const HEIGHT = 760;
/** Path below the base address; the token follows. */
const OPEN_PATH = '/connect/session/';
/** The hosted page closes a popup at the end, and leads any other window to the session's `redirectUrl`. */
const IN_POPUP = '?display=popup';
const ADDRESS = /^(https?:\/\/.+)\/connect\/session\/([\w.~-]+)$/;
/** Events after which the outcome may be known: the person looks at the page again, or the hosted page sent a message. */
const HINTS = ['focus', 'pageshow', 'online', 'message'];

/** Opens a session in `browser`; see `openConnect`. */
export function openIn(browser: Browser, o: ConnectOptions): ConnectHandle {
  const { mode = 'popup' } = o;
  const address = o.connectUrl ?? `${trimmed(o.baseUrl ?? '')}${OPEN_PATH}${o.token}`;
  let popup: Popup | null = null;
  let poll: SessionPoll | undefined;
  let isStopped = false;
  const show = (url: string): void => {
    if (mode === 'popup') popup = browser.open(url, NAME, featuresFor(browser));
  };
  const fail = (message: string, cause?: unknown): void => {
    popup?.close();
    if (!isStopped) o.onError?.(new ConnectError('NO_SESSION', message, cause));
  };

  function start(connectUrl: string): void {
    const session = readAddress(connectUrl, o.baseUrl);
    if (session === undefined) return fail('This is not the address of a session.');
    if (isStopped) return popup?.close();
    if (typeof address === 'string') show(connectUrl + IN_POPUP);
    else popup?.location.replace(connectUrl + IN_POPUP);
    store(browser, session);
    poll = watch(browser, session, o);
    if (popup !== null || mode === 'headless') return;
    if (mode === 'popup' && o.onBlocked !== undefined) o.onBlocked(connectUrl);
    else browser.location.assign(connectUrl);
  }

  if (typeof address === 'string') start(address);
  else {
    show('');
    address.then(start, (error: unknown) => fail('There is no session to open.', error));
  }
  return {
    focus: () => popup?.focus(),
    stop() {
      isStopped = true;
      poll?.stop();
    },
  };
}

/** Watches the session that this tab opened before it was loaded again; see `resumeConnect`. */
export function resumeIn(browser: Browser, callbacks: ConnectCallbacks): ConnectHandle | undefined {
  const session = stored(browser);
  if (session === undefined) return undefined;
  const poll = watch(browser, session, callbacks);
  return { focus() {}, stop: () => poll.stop() };
}

/** The address at which a session's status is requested, and the token for it. */
interface Session {
  readonly base: string;
  readonly token: string;
}

function readAddress(connectUrl: string, baseUrl: string | undefined): Session | undefined {
  const [, base = '', token = ''] = ADDRESS.exec(connectUrl) ?? [];
  return token === '' ? undefined : { base: trimmed(baseUrl ?? base), token };
}

function trimmed(baseUrl: string): string {
  return baseUrl.replace(/\/$/, '');
}

function watch(browser: Browser, session: Session, callbacks: ConnectCallbacks): SessionPoll {
  const { origin } = new URL(session.base);
  // A message only triggers a poll: its content is not trusted.
  const hint = (event: { readonly origin?: string }): void => {
    if (event.origin === undefined || event.origin === origin) poll.now();
  };
  const end = (): void => {
    for (const type of HINTS) browser.removeEventListener(type, hint);
    if (stored(browser)?.token === session.token) store(browser, undefined);
  };
  const poll = pollSession(browser, {
    statusUrl: `${session.base}/connect/status`,
    token: session.token,
    settle(outcome) {
      end();
      report(outcome, callbacks);
    },
  });
  for (const type of HINTS) browser.addEventListener(type, hint);
  return {
    now: () => poll.now(),
    stop() {
      end();
      poll.stop();
    },
  };
}

function report(outcome: ConnectSession | ConnectError, callbacks: ConnectCallbacks): void {
  if (outcome instanceof ConnectError) callbacks.onError?.(outcome);
  else if (outcome.status === 'completed') callbacks.onSuccess?.(outcome);
  else if (outcome.status === 'cancelled') callbacks.onCancel?.(outcome);
  else callbacks.onError?.(new ConnectError('EXPIRED', outcome.lastError ?? 'The session has expired.'));
}

function featuresFor({ screen }: Browser): string {
  const [width, height] = [Math.min(WIDTH, screen.availWidth), Math.min(HEIGHT, screen.availHeight)];
  const left = Math.round((screen.availWidth - width) / 2);
  const top = Math.round((screen.availHeight - height) / 2);
  return `popup,width=${width},height=${height},left=${left},top=${top}`;
}

/** Stores the session for the tab's next load; undefined removes it. Without storage, the session is not resumed after a reload. */
function store(browser: Browser, session: Session | undefined): void {
  try {
    if (session === undefined) browser.sessionStorage.removeItem(KEY);
    else browser.sessionStorage.setItem(KEY, JSON.stringify(session));
  } catch {
    // Browsers may deny storage.
  }
}

function stored(browser: Browser): Session | undefined {
  try {
    // Only `store` writes under this key.
    return (JSON.parse(browser.sessionStorage.getItem(KEY) ?? 'null') as Session | null) ?? undefined;
  } catch {
    return undefined;
  }
}
