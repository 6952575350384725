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

/** A session with all facts that the hosted page needs. */
export interface PageSession {
  readonly session: ConnectSession;
  /** Status when the page was opened. */
  readonly status: ConnectSessionStatus;
  readonly accountName: string;
  /** The user who opened it. */
  readonly userName: string;
  /** Whether it can still connect something. */
  readonly isUsable: boolean;
  /** Whether the end user may have another connection. */
  readonly hasRoom: boolean;
  readonly renews: Connection | undefined;
  /** Whether the page is in a popup, which closes itself at the end. */
  readonly isPopup: boolean;
  /** The browser's credential. */
  readonly token: string;
  /** The context of calls on behalf of the session's end user. */
  readonly context: RequestContext;
}

const POPUP = '~popup';
/** The cookie outlives the session, so that the page can still say that it has expired. */
const MIN_COOKIE_SECONDS = 300;
/** Limited, because cookies of many sessions would fill the header; afterwards the person opens the link again. */
const MAX_COOKIE_SECONDS = 86_400;

/** Opens sessions: once by the token in the address, then by a cookie per session. */
export interface PageSessions {
  /**
   * The session of a token. NOT_FOUND if it does not exist, if its account, user or API key has ended, or if the user lost a permission
   * that the session needs. Checked on each use.
   */
  open(exchange: Exchange, token: string, isPopup: boolean): Promise<PageSession>;
  /** The Set-Cookie value for an opened session: lasts at most a day, or minutes if the session can connect nothing more. */
  cookieOf(session: PageSession): string;
  /** The session that this browser opened; undefined without a cookie for it. Otherwise like `open`. */
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

/** Creates the sessions of browsers at `publicUrl`. */
export function createPageSessions(o: PageSessionsOptions): PageSessions {
  const cookies = stateCookies({ publicUrl: o.publicUrl, name: 'fairlead-connect' });

  async function open(exchange: Exchange, token: string, isPopup: boolean): Promise<PageSession> {
    const ctx = platformContext(exchange);
    const found = await o.useCases.resolveConnectSession(ctx, new Secret(token));
    const { session, isUsable, renews } = found;
    const { accountId, endUserId, maxConnections } = session;
    const opener = await o.findMember(ctx, accountId, session.userId, session.keyId ?? undefined);
    if (opener === undefined || !mayStillConnect(opener.permissions, session))
      throw new ApiError(
        'NOT_FOUND',
        'The user who opened this session no longer exists or may no longer connect applications.',
      );
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

/** Whether a user with these permissions could still open the session. */
function mayStillConnect(
  permissions: readonly Permission[],
  { mayUseProviders }: Pick<ConnectSession, 'mayUseProviders'>,
): boolean {
  const needed: readonly Permission[] = mayUseProviders
    ? ['connections.write', 'authProviders.use']
    : ['connections.write'];
  return needed.every((permission) => permissions.includes(permission));
}

/** The final redirect address of a session, with its id and status in the query; undefined if it has none. */
export function returnAddress({ session, status }: PageSession): URL | undefined {
  if (session.redirectUrl === null) return undefined;
  const url = new URL(session.redirectUrl);
  // Checked again, although the service checked it at creation: a manipulated record must not redirect elsewhere.
  if (!session.allowedOrigins.includes(url.origin)) return undefined;
  url.searchParams.set('sessionId', session.id);
  url.searchParams.set('status', status);
  return url;
}

/** Whether a content security policy can name this origin. */
const SOURCE = /^https?:\/\/[a-z0-9.-]+(:\d+)?$/;

/** The colours and logo of a session. */
export function themeOf({ mode, primaryColor, logoUrl }: ConnectTheme): Theme {
  const logo = logoUrl === null ? null : URL.parse(logoUrl);
  return {
    mode,
    primaryColor,
    logo: logo !== null && SOURCE.test(logo.origin) ? { url: logo.href, origin: logo.origin } : undefined,
  };
}
