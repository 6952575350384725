import type { Browser } from './connect/browser.ts';
import { openIn, resumeIn } from './connect/flow.ts';
import type { ConnectCallbacks, ConnectHandle, ConnectOptions } from './connect/flow.ts';

export { ConnectError } from './connect/outcome.ts';
export type { ConnectErrorCode, ConnectSession, SessionConnection } from './connect/outcome.ts';
export type { ConnectCallbacks, ConnectHandle, ConnectOptions } from './connect/flow.ts';

/**
 * Opens a connect session for the person at this browser and reports how it ends. Call it within a click, so that the
 * browser opens the popup. The outcome is what the API says of the session (`GET /connect/status`): it also arrives if the
 * popup is blocked, if the vendor's pages cut it off from this one, or, with `resumeConnect`, after a reload. The page's
 * origin must be one of the session's `allowedOrigins`. A tab resumes the session that it opened last.
 */
export function openConnect(options: ConnectOptions): ConnectHandle {
  return openIn(browser(), options);
}

/**
 * Reports the outcome of the session that this tab opened before it was reloaded or returned from the hosted page. Call it when the page
 * loads; undefined if there is none.
 */
export function resumeConnect(callbacks: ConnectCallbacks): ConnectHandle | undefined {
  return resumeIn(browser(), callbacks);
}

/** The window of the page. */
function browser(): Browser {
  // This package is compiled without DOM types, so that it also compiles for Node and Deno.
  return globalThis as unknown as Browser;
}
