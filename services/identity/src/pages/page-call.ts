import type { Exchange } from '@fairlead/service-kit/http/exchange';
import type { RenderedPage } from '@fairlead/pages/html';
import { sendRedirect } from '@fairlead/service-kit/http/reply';
import type { Request, Response } from 'express';
import type { Interactions } from '../oauth/interactions.ts';
import type { KnownBrowsers } from './known-browsers.ts';
import type { People } from './members.ts';
import type { PageKeys } from './page-keys.ts';
import type { Throttle } from './throttle.ts';
import type { Tickets } from './tickets.ts';
import type { UpstreamSignIn } from './upstream-sign-in.ts';

/** Dependencies of all pages. */
export interface PageParts {
  readonly interactions: Interactions;
  readonly people: People;
  readonly throttle: Throttle;
  readonly keys: PageKeys;
  readonly tickets: Tickets;
  readonly knownBrowsers: KnownBrowsers;
  /** Undefined if people sign in with their password only. */
  readonly upstream: UpstreamSignIn | undefined;
  /** Origin of the public address: forms of other sites are refused. */
  readonly publicOrigin: string;
  /** Network address of the client that sent the request. */
  readonly addressOf: (request: Request) => string;
}

/** One request for a page. */
export interface PageCall {
  readonly parts: PageParts;
  readonly exchange: Exchange;
  readonly request: Request;
  readonly response: Response;
}

/** Handles a request: returns a page, or undefined if it has sent the response itself. */
export type ShowPage = (call: PageCall) => Promise<RenderedPage | undefined>;

/** Redirects the browser, and returns no page. */
export function redirect({ response }: PageCall, location: string): undefined {
  sendRedirect(response, location);
}

/** The request's query. */
export function queryOf({ request }: PageCall): URLSearchParams {
  return new URLSearchParams(queryTextOf(request));
}

/** The request's query, undecoded. */
export function queryTextOf({ originalUrl }: Request): string {
  const start = originalUrl.indexOf('?');
  return start < 0 ? '' : originalUrl.slice(start + 1);
}
