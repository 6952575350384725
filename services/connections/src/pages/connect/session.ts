import { ApiError } from '@fairlead/errors/api-error';
import type { Clock } from '@fairlead/service-kit/clock';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Exchange } from '@fairlead/service-kit/http/exchange';
import { stateCookies } from '@fairlead/service-kit/http/state-cookies';
import { Secret } from '@fairlead/service-kit/secret';
import type { Permission } from '@fairlead/access/permissions';
import { sessionStatus } from '../../domain/connect-session.ts';
import type { ConnectSession, ConnectSessionStatus, ConnectTheme } from '../../domain/connect-session.ts';
import type { Connection } from '../../domain/connection.ts';
import type { FindMember } from '../../ports/members.ts';
import { platformContext } from '../platform-context.ts';
import type { PageUseCases } from '../bind-use-cases.ts';
import type { Theme } from './theme.ts';

/** A session as the hosted page knows it. */
export interface PageSession {
  readonly session: ConnectSession;
  /** How far the session was when the page was opened. */
  readonly status: ConnectSessionStatus;
  readonly accountName: string;
  /** The user who opened it. */
  readonly userName: string;
  /** Whether it can still connect something. */
  readonly isUsable: boolean;
  /** Whether the end user may have one more connection. */
  readonly hasRoom: boolean;
  /** The connection that it renews. */
  readonly renews: Connection | undefined;
  /** Whether the page is in a popup, which closes at the end. */
  readonly isPopup: boolean;
  /** The browser's credential. */
  readonly token: string;
  /** The context of calls on behalf of the session's end user. */
  readonly context: RequestContext;
}

const POPUP = '~popup';
/** So that the page of a session that has just expired can still say so. */
const MIN_COOKIE_SECONDS = 300;
/** After that time the person opens the link again: cookies of many sessions would fill the header. */
const MAX_COOKIE_SECONDS = 86_400;

/** Opens sessions by the token of their address once, and by a cookie per session from then on. */
export interface PageSessions {
  /**
   * The session of a token; NOT_FOUND if there is none, its account or the user who opened it is gone, their API key was revoked or
   * has expired, or they may not do any more what the session does. Asked at each use.
   */
  open(exchange: Exchange, token: string, isPopup: boolean): Promise<PageSession>;
  /** The Set-Cookie value that keeps an opened session: for a day at most, and for minutes once it connects nothing more. */
  cookieOf(session: PageSession): string;
  /** The session that this browser opened; undefined if it sends no cookie for it. Otherwise as `open`. */
  find(
    exchange: Exchange,
    cookieHeader: string | undefined,
    sessionId: string,
  ): Promise<PageSession | undefined>;
}

export interface PageSessionsOptions {
  readonly useCases: Pick<PageUseCases, 'resolveConnectSession'>;
  readonly findMember: FindMember;
  /** Base address as clients see it, without a trailing slash. */
  readonly publicUrl: string;
  readonly clock: Clock;
}

/** Sessions of the browsers that come to `publicUrl`. */
export function createPageSessions(o: PageSessionsOptions): PageSessions {
  const cookies = stateCookies({ publicUrl: o.publicUrl, name: 'fairlead-connect' });

  async function open(exchange: Exchange, token: string, isPopup: boolean): Promise<PageSession> {
    const ctx = platformContext(exchange);
    const found = await o.useCases.resolveConnectSession(ctx, new Secret(token));
    const { session, isUsable, renews } = found;
    const { accountId, endUserId, maxConnections } = session;
    const opener = await o.findMember(ctx, accountId, session.userId, session.keyId ?? undefined);
    if (opener === undefined || !mayStillConnect(opener.permissions, session))
      throw new ApiError('NOT_FOUND', 'Nobody asks for this session any more.');
    const { accountName, userName } = opener;
    const connections = maxConnections - found.remainingConnections;
    exchange.accountId = accountId;
    return {
      session,
      status: sessionStatus(session, o.clock.now()),
      accountName,
      userName,
      isUsable,
      hasRoom: connections < Math.min(maxConnections, opener.maxConnectionsPerEndUser),
      renews,
      isPopup,
      token,
      context: exchange.contextFor({ kind: 'endUserSession', accountId, endUserId, sessionId: session.id }),
    };
  }

  return {
    open,
    cookieOf({ session, token, isPopup, isUsable }) {
      const leftMs = isUsable ? session.expiresAt.getTime() - o.clock.now().getTime() : 0;
      const ageSeconds = Math.min(MAX_COOKIE_SECONDS, Math.max(MIN_COOKIE_SECONDS, Math.ceil(leftMs / 1000)));
      return cookies.set(session.id, isPopup ? `${token}${POPUP}` : token, ageSeconds);
    },
    async find(exchange, cookieHeader, sessionId) {
      const kept = cookies.read(cookieHeader, sessionId);
      if (kept === '') return undefined;
      const isPopup = kept.endsWith(POPUP);
      const page = await open(exchange, isPopup ? kept.slice(0, -POPUP.length) : kept, isPopup);
      return page.session.id === sessionId ? page : undefined;
    },
  };
}

/** Whether a user with these permissions could open the session now. */
function mayStillConnect(
  permissions: readonly Permission[],
  { mayUseProviders }: Pick<ConnectSession, 'mayUseProviders'>,
): boolean {
  const needed: readonly Permission[] = mayUseProviders
    ? ['connections.write', 'authProviders.use']
    : ['connections.write'];
  return needed.every((permission) => permissions.includes(permission));
}

/** Where a session leads in the end, with its id and status in the query; undefined if nowhere. */
export function returnAddress({ session, status }: PageSession): URL | undefined {
  if (session.redirectUrl === null) return undefined;
  const url = new URL(session.redirectUrl);
  // The service has checked this; a record that says otherwise leads nowhere.
  if (!session.allowedOrigins.includes(url.origin)) return undefined;
  url.searchParams.set('sessionId', session.id);
  url.searchParams.set('status', status);
  return url;
}

/** A web origin that a content security policy can name. */
const SOURCE = /^https?:\/\/[a-z0-9.-]+(:\d+)?$/;

/** The theme of a session. */
export function themeOf({ mode, primaryColor, logoUrl }: ConnectTheme): Theme {
  const logo = logoUrl === null ? null : URL.parse(logoUrl);
  return {
    mode,
    primaryColor,
    logo: logo !== null && SOURCE.test(logo.origin) ? { url: logo.href, origin: logo.origin } : undefined,
  };
}
