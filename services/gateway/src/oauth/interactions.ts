import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Exchange } from '@fairlead/service-kit/http/exchange';
import type { RenderedPage } from '@fairlead/service-kit/http/html';
import type { Request, Response } from 'express';
import type { Scope } from '../access/permissions.ts';

/** Where everything of the authorization server is mounted; the issuer is the public address with this path. */
export const OAUTH_PATH = '/oauth';

/** Address of the page of an interaction; its forms post to it or below it, because its cookie goes nowhere else. */
export function interactionPath(interactionId: string): string {
  return `${OAUTH_PATH}/interaction/${interactionId}`;
}

/** Which application asks, as the person who decides needs to know it. */
export interface AskingClient {
  readonly id: string;
  /** As the client names itself, or its id; anyone may choose any name, so a page shows where the answer goes beside it. */
  readonly name: string;
  /**
   * `builtIn`: Fairlead's own (the command line, the documentation page). `account`: made by an administrator of an account. `registered`:
   * registered itself; nobody vouches for its name. `document`: known by the document at its id, so `host` vouches for it.
   */
  readonly kind: 'builtIn' | 'account' | 'registered' | 'document';
  /** Host of the document that describes the client; undefined for the other kinds. */
  readonly host: string | undefined;
  /** The one account that an `account` client works for; undefined for the other kinds. */
  readonly accountId: string | undefined;
}

/** What a person is asked. */
export interface InteractionDetails {
  /** The last part of its address. */
  readonly id: string;
  /** `login`: who are you? `consent`: what may the client do? */
  readonly prompt: 'login' | 'consent';
  readonly client: AskingClient;
  /** Where the browser goes with the answer; undefined where a device waits for it and the browser stays. */
  readonly redirectUri: URL | undefined;
  /** What the client asks for, narrowed to what it may have; never empty. */
  readonly scopes: readonly Scope[];
  /** What the tokens will be good for, the REST API or the MCP endpoint, by its address. */
  readonly resource: string;
  /** Who is signed in with this browser; always there at `consent`. */
  readonly userId: string | undefined;
  /** What the client proposes to sign in with; undefined where it proposes nothing. */
  readonly loginHint: string | undefined;
}

/** What the person agreed to. */
export interface Consent {
  /** The account that the client may act in: that of the signed-in user. */
  readonly accountId: string;
  /** At least one, of those that were asked for. */
  readonly scopes: readonly Scope[];
}

/**
 * The interactions of the authorization server as its pages see them. A method that ends one answers the request with a
 * redirect (303), after which the page writes nothing; it throws InteractionGoneError where `find` would give undefined.
 */
export interface Interactions {
  /** The interaction that this browser's cookie names; undefined where it is over, expired, or another browser's. */
  find(request: IncomingMessage, response: ServerResponse): Promise<InteractionDetails | undefined>;
  /**
   * The person proved just now to be `userId`; the caller has checked how. Also at a `consent` prompt, to go on as
   * somebody else: the browser's session then ends and a new one begins.
   */
  finishLogin(request: IncomingMessage, response: ServerResponse, userId: string): Promise<void>;
  /**
   * The signed-in person agreed. Throws a ConsentError where the account is not theirs (any more), or not the client's,
   * or no scope is one that was asked for.
   */
  finishConsent(
    exchange: Exchange,
    request: IncomingMessage,
    response: ServerResponse,
    consent: Consent,
  ): Promise<void>;
  /** The person said no: the client is told `access_denied`. */
  deny(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** The user of this browser's session; undefined where nobody is signed in. */
  signedInUser(request: IncomingMessage, response: ServerResponse): Promise<string | undefined>;
  /** Ends this browser's session and forgets its cookie. What was granted stays. The page writes the answer. */
  signOut(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/** There is no such interaction for this browser, or no more. */
export class InteractionGoneError extends Error {
  override readonly name = 'InteractionGoneError';
}

/** What was consented to cannot be granted. */
export class ConsentError extends Error {
  override readonly name = 'ConsentError';
}

/**
 * Why a code is asked for again. `denied`: the person said no, and `failed`: something went wrong; both end the code, and
 * the page need not ask for another.
 */
export type UserCodeProblem = 'missing' | 'unknown' | 'expired' | 'used' | 'denied' | 'failed';

/** The pages of the authorization server. */
export interface ServerPages {
  /**
   * Serves the addresses of the pages: all below /oauth/interaction/, and what else they need below /oauth. Gives whether
   * it has answered; false leaves the request to the authorization server, its body unread.
   */
  handle(exchange: Exchange, request: Request, response: Response): Promise<boolean>;
  /**
   * Asks for the code that a device shows. The form posts to `action` the fields `xsrf` and `user_code`. `userCode`: what
   * a link already carried, or what was typed wrongly.
   */
  enterUserCode(o: {
    readonly action: string;
    readonly xsrf: string;
    readonly userCode: string | undefined;
    readonly problem: UserCodeProblem | undefined;
  }): RenderedPage;
  /**
   * Asks whether the device shows this very code. The form posts to `action` the fields `xsrf`, `user_code` and, by its
   * two buttons, `confirm=yes` or `abort=yes`.
   */
  confirmUserCode(o: {
    readonly action: string;
    readonly xsrf: string;
    /** As the device shows it: `ABCD-EFGH`. */
    readonly userCode: string;
    readonly client: AskingClient;
  }): RenderedPage;
  /** The device may go on; the browser is no longer needed. */
  deviceConnected(client: AskingClient): RenderedPage;
  /** What cannot be answered to the client is told to the person. `error` is an OAuth error code. */
  showError(o: {
    readonly status: number;
    readonly error: string;
    readonly description: string | undefined;
    readonly requestId: string;
  }): RenderedPage;
}

/** Makes the pages, once, with what they may do. */
export type CreateServerPages = (interactions: Interactions) => ServerPages;
