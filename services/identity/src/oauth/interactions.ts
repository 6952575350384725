import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Exchange } from '@fairlead/service-kit/http/exchange';
import type { RenderedPage } from '@fairlead/pages/html';
import type { Request, Response } from 'express';
import type { Scope } from '@fairlead/access/permissions';
import { OAUTH_PATH } from '@fairlead/access/resources';

/** Address of the page of an interaction; its forms post to it or below it, because its cookie goes nowhere else. */
export function interactionPath(interactionId: string): string {
  return `${OAUTH_PATH}/interaction/${interactionId}`;
}

/** The requesting application, as the person is shown it. */
export interface AskingClient {
  readonly id: string;
  /** The client's own name, or its id. Any client may choose any name, so a page also shows the host that receives the result. */
  readonly name: string;
  /**
   * `builtIn`: Fairlead's own (the command line, the documentation page). `account`: created by an administrator of an
   * account. `registered`: registered itself; its name is unverified. `document`: described by the document at its id,
   * so `host` vouches for it.
   */
  readonly kind: 'builtIn' | 'account' | 'registered' | 'document';
  /** Host of the document that describes the client; undefined for the other kinds. */
  readonly host: string | undefined;
  /** The one account that an `account` client belongs to; undefined for the other kinds. */
  readonly accountId: string | undefined;
}

/** The prompt that is due in an interaction. */
export interface InteractionDetails {
  /** Last part of the page's address. */
  readonly id: string;
  /** `login`: who are you? `consent`: what may the client do? */
  readonly prompt: 'login' | 'consent';
  readonly client: AskingClient;
  /** Redirect address that receives the result; undefined for a device, whose browser stays on the page. */
  readonly redirectUri: URL | undefined;
  /** The requested scopes, limited to what the client may have; never empty. */
  readonly scopes: readonly Scope[];
  /** The resource for which the tokens are valid: the REST API or the MCP endpoint. */
  readonly resource: string;
  /** The user signed in with this browser; always present at `consent`. */
  readonly userId: string | undefined;
  /** The sign-in name that the client suggests; undefined if it suggests none. */
  readonly loginHint: string | undefined;
}

/** The account and scopes that the person agreed to. */
export interface Consent {
  /** The account that the client may act in: that of the signed-in user. */
  readonly accountId: string;
  /** At least one of the requested scopes. */
  readonly scopes: readonly Scope[];
}

/**
 * The interactions of the authorization server, as its pages use them. A method that ends an interaction sends a redirect (303); the page
 * then must not respond. It throws InteractionGoneError where `find` would return undefined.
 */
export interface Interactions {
  /** The interaction named by this browser's cookie; undefined if it has ended, has expired, or belongs to another browser. */
  find(request: IncomingMessage, response: ServerResponse): Promise<InteractionDetails | undefined>;
  /**
   * Signs the browser in as `userId`, whom the caller has authenticated. At a `consent` prompt it switches to a different user: the
   * browser's session ends and a new one begins.
   */
  finishLogin(request: IncomingMessage, response: ServerResponse, userId: string): Promise<void>;
  /**
   * Grants the scopes. Throws a ConsentError if the account is not (or no longer) the person's, or not the client's, or if no scope was
   * requested.
   */
  finishConsent(
    exchange: Exchange,
    request: IncomingMessage,
    response: ServerResponse,
    consent: Consent,
  ): Promise<void>;
  /** Denies access: the client gets `access_denied`. */
  deny(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** The user of this browser's session; undefined if no user is signed in. */
  signedInUser(request: IncomingMessage, response: ServerResponse): Promise<string | undefined>;
  /** Ends this browser's session and clears its cookie. Grants remain. The page writes the response. */
  signOut(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/** The interaction does not exist for this browser, or has ended. */
export class InteractionGoneError extends Error {
  override readonly name = 'InteractionGoneError';
}

/** The consent cannot be granted. */
export class ConsentError extends Error {
  override readonly name = 'ConsentError';
}

/**
 * Why the page asks for a code again. `denied`: the person denied access; `failed`: something went wrong. Either ends the code, so the page
 * may also omit the form.
 */
export type UserCodeProblem = 'missing' | 'unknown' | 'expired' | 'used' | 'denied' | 'failed';

/** The pages of the authorization server. */
export interface ServerPages {
  /**
   * Serves all addresses below /oauth/interaction/, and those of other pages below /oauth. Returns whether it has responded; if false, the
   * request goes to the authorization server, with its body unread.
   */
  handle(exchange: Exchange, request: Request, response: Response): Promise<boolean>;
  /**
   * Asks for the code that a device shows. The form posts the fields `xsrf` and `user_code` to `action`. `userCode` is the code from the
   * link, or the wrong code that was entered.
   */
  enterUserCode(o: {
    readonly action: string;
    readonly xsrf: string;
    readonly userCode: string | undefined;
    readonly problem: UserCodeProblem | undefined;
  }): RenderedPage;
  /**
   * Asks whether the device shows exactly this code. The form posts the fields `xsrf` and `user_code` to `action`, and, by its two buttons,
   * `confirm=yes` or `abort=yes`.
   */
  confirmUserCode(o: {
    readonly action: string;
    readonly xsrf: string;
    /** As the device shows it: `ABCD-EFGH`. */
    readonly userCode: string;
    readonly client: AskingClient;
  }): RenderedPage;
  /** The device is authorized; the browser is no longer needed. */
  deviceConnected(client: AskingClient): RenderedPage;
  /** Shows the person an error that cannot be returned to the client. `error` is an OAuth error code. */
  showError(o: {
    readonly status: number;
    readonly error: string;
    readonly description: string | undefined;
    readonly requestId: string;
  }): RenderedPage;
}

/** Creates the pages, given the interactions. Called once. */
export type CreateServerPages = (interactions: Interactions) => ServerPages;
