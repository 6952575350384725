import { createHash, randomBytes } from 'node:crypto';
import {
  OWN_CONNECTION_CLIENT_ID,
  OWN_CONNECTION_DONE_PATH,
  OWN_CONNECTION_PATH,
  OWN_CONNECTION_SIGNED_IN_PATH,
} from '@fairlead/access/built-in-clients';
import { OAUTH_PATH } from '@fairlead/access/resources';
import type { Principal } from '@fairlead/access/principal';
import { ApiError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Page } from '@fairlead/service-kit/http/app';
import { cardPage } from '@fairlead/pages/card-page';
import type { Exchange } from '@fairlead/service-kit/http/exchange';
import { html, sendRendered } from '@fairlead/pages/html';
import { sendRedirect } from '@fairlead/service-kit/http/reply';
import type { Request, Response } from 'express';
import type { CompletedElicitation } from './events/elicitation-ends.ts';

/** A user who is signed in in the browser. */
export type SignedInUser = Pick<
  Principal,
  | 'accountId'
  | 'userId'
  | 'userName'
  | 'roles'
  | 'permissions'
  | 'defaultLicence'
  | 'maxConnectionsPerEndUser'
>;

export interface OwnConnectionPagesDeps {
  readonly findSignedInUser: (cookies: string) => Promise<SignedInUser | undefined>;
  /** Opens a connect session in which the user, as an end user, makes the connection; returns its URL. */
  readonly openSession: (
    ctx: RequestContext,
    user: SignedInUser,
    reference: ConnectionReference,
  ) => Promise<string>;
  /** Called when a user has made the connection that an elicitation requested. */
  readonly onConnected: (elicitation: CompletedElicitation) => void;
  readonly publicUrl: string;
}

/** The connection that a user is asked to make. */
interface ConnectionReference {
  readonly endUserId: string;
  readonly applicationSlug: string;
  /** The connection to renew; undefined: a new connection. */
  readonly connectionId: number | undefined;
  /** Whether that connection belongs to the account and not to the user. */
  readonly isShared: boolean;
  /** URL to which the person returns at the end. */
  readonly redirectUrl: string | undefined;
}

/** The content of a link: the connection to make, and the only user who may make it. */
interface Link extends Omit<ConnectionReference, 'endUserId' | 'redirectUrl'> {
  readonly userId: string;
  /** The elicitation that contains the link; undefined: none. */
  readonly elicitationId: string | undefined;
}

/** Error codes of applications and connections that cannot be connected. */
const GONE: ReadonlySet<string> = new Set(['NOT_FOUND', 'VALIDATION_ERROR']);

/**
 * The pages behind links with which MCP clients ask a user to connect an application, or to renew a shared
 * connection. A link names its user and is no secret: the person who opens it has to sign in as that user, and then
 * gets a connect session.
 */
export function ownConnectionPages(deps: OwnConnectionPagesDeps): readonly Page[] {
  const show =
    (hasSignedIn: boolean, linkOf: (query: URLSearchParams) => Link | undefined): Page['show'] =>
    async (exchange, request, response) => {
      const link = linkOf(queryOf(request));
      if (link === undefined) return sendRendered(response, messagePage(400, 'This link is not complete.'));
      await follow(deps, exchange, response, { link, hasSignedIn, cookies: request.headers.cookie ?? '' });
    };
  return [
    // HEAD requests, which link checkers send, must not open sessions.
    { path: OWN_CONNECTION_PATH, isSafe: false, show: show(false, readLink) },
    {
      path: OWN_CONNECTION_SIGNED_IN_PATH,
      isSafe: false,
      show: show(true, (query) => readLink(new URLSearchParams(query.get('state') ?? ''))),
    },
    {
      path: OWN_CONNECTION_DONE_PATH,
      isSafe: false,
      show: (_exchange, request, response) => finish(deps, request, response),
    },
  ];
}

async function follow(
  deps: OwnConnectionPagesDeps,
  exchange: Exchange,
  response: Response,
  {
    link,
    hasSignedIn,
    cookies,
  }: { readonly link: Link; readonly hasSignedIn: boolean; readonly cookies: string },
): Promise<void> {
  const user = cookies === '' ? undefined : await deps.findSignedInUser(cookies);
  if (user?.userId === link.userId) return await connect(deps, exchange, response, user, link);
  if (!hasSignedIn) return sendRedirect(response, signInAddress(deps.publicUrl, link, user !== undefined));
  sendRendered(
    response,
    user === undefined
      ? messagePage(403, 'You have not signed in. Open the link again to do so.')
      : messagePage(403, `You have signed in as ${user.userName}, but this link is for somebody else.`),
  );
}

/** Redirects the user to the page of a connect session. */
async function connect(
  { openSession, publicUrl }: OwnConnectionPagesDeps,
  exchange: Exchange,
  response: Response,
  user: SignedInUser,
  link: Link,
): Promise<void> {
  const { applicationSlug, connectionId, isShared } = link;
  const { accountId, userId, roles, permissions } = user;
  exchange.accountId = accountId;
  exchange.userId = userId;
  if (!permissions.includes('connections.write'))
    return sendRendered(response, messagePage(403, 'You may not make connections. Ask your administrator.'));
  try {
    const ctx = exchange.contextFor({ kind: 'user', accountId, userId, roles, permissions });
    const redirectUrl = link.elicitationId === undefined ? undefined : doneAddress(publicUrl, link);
    const session = { endUserId: `user:${userId}`, applicationSlug, connectionId, isShared, redirectUrl };
    sendRedirect(response, await openSession(ctx, user, session));
  } catch (error) {
    if (!(error instanceof ApiError) || !GONE.has(error.code)) throw error;
    sendRendered(response, messagePage(404, 'This application or connection does not exist any more.'));
  }
}

/** The page to which the connect session returns the person; undefined if a session cannot return to it. */
function doneAddress(publicUrl: string, { userId, elicitationId = '' }: Link): string | undefined {
  const address = new URL(publicUrl + OWN_CONNECTION_DONE_PATH);
  address.search = new URLSearchParams({ user: userId, elicitation: elicitationId }).toString();
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(address.hostname);
  return address.protocol === 'https:' || isLoopback ? address.href : undefined;
}

/** Notifies the client that its user is done. The user must be signed in. */
async function finish(
  { findSignedInUser, onConnected }: OwnConnectionPagesDeps,
  request: Request,
  response: Response,
): Promise<void> {
  const query = queryOf(request);
  if (query.get('status') !== 'completed')
    return sendRendered(
      response,
      messagePage(200, 'The application is not connected. You can close this page.'),
    );
  const cookies = request.headers.cookie ?? '';
  const user = cookies === '' ? undefined : await findSignedInUser(cookies);
  const elicitationId = elicitationIn(query);
  if (user !== undefined && user.userId === query.get('user') && elicitationId !== undefined)
    onConnected({ userId: user.userId, elicitationId });
  sendRendered(response, messagePage(200, 'You are connected. You can close this page.'));
}

/** The URL of the sign-in page, which returns here. Its code is not redeemed, because the sign-in itself is enough. */
function signInAddress(
  publicUrl: string,
  { userId, applicationSlug, connectionId, isShared, elicitationId }: Link,
  again: boolean,
): string {
  const address = new URL(`${publicUrl}${OAUTH_PATH}/authorize`);
  const link = {
    user: userId,
    application: applicationSlug,
    ...(connectionId && { connection: `${connectionId}` }),
    ...(isShared && { shared: 'true' }),
    ...(elicitationId !== undefined && { elicitation: elicitationId }),
  };
  const parameters = {
    response_type: 'code',
    client_id: OWN_CONNECTION_CLIENT_ID,
    redirect_uri: publicUrl + OWN_CONNECTION_SIGNED_IN_PATH,
    scope: 'openid',
    state: new URLSearchParams(link).toString(),
    code_challenge: createHash('sha256').update(randomBytes(32)).digest('base64url'),
    code_challenge_method: 'S256',
    // Another user is signed in.
    ...(again && { prompt: 'login' }),
  };
  address.search = new URLSearchParams(parameters).toString();
  return address.href;
}

function readLink(query: URLSearchParams): Link | undefined {
  const [userId, applicationSlug] = [query.get('user'), query.get('application')];
  const connection = query.get('connection');
  if (!userId || !applicationSlug || !/^[\w-]{1,200}$/.test(applicationSlug)) return undefined;
  if (connection !== null && !/^[1-9]\d{0,9}$/.test(connection)) return undefined;
  const connectionId = connection === null ? undefined : Number(connection);
  const isShared = query.get('shared') === 'true';
  return { userId, applicationSlug, connectionId, isShared, elicitationId: elicitationIn(query) };
}

const GUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function elicitationIn(query: URLSearchParams): string | undefined {
  const id = query.get('elicitation') ?? '';
  return GUID.test(id) ? id : undefined;
}

function queryOf({ originalUrl }: Request): URLSearchParams {
  const start = originalUrl.indexOf('?');
  return new URLSearchParams(start < 0 ? '' : originalUrl.slice(start + 1));
}

function messagePage(status: number, text: string) {
  return cardPage({ status, title: 'Connect an application', content: html`<p>${text}</p>` });
}
