import {
  ConnectSessionStatus,
  ConnectThemeMode,
} from '@fairlead/contracts/connections/v1/connect_session_pb';
import type { ConnectSession, ConnectTheme } from '@fairlead/contracts/connections/v1/connect_session_pb';
import type { Connection } from '@fairlead/contracts/connections/v1/connection_pb';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { ApiError } from '@fairlead/errors/api-error';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { Exchange } from '@fairlead/service-kit/http/exchange';
import { stateCookies } from '@fairlead/service-kit/http/state-cookies';
import type { Permission } from '@fairlead/access/permissions';
import type { FindMember } from '../../ports/members.ts';
import { platformContext } from '../platform-context.ts';
import type { SessionUseCases } from '../page-use-cases.ts';
import type { Theme } from './theme.ts';

/** A session as the hosted page knows it. */
export interface PageSession {
  readonly session: ConnectSession;
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
/** Of a session that is open for longer the person opens the link again: cookies of many sessions would fill the header. */
const MAX_COOKIE_SECONDS = 86_400;

/** Opens sessions by the token of their address once, and by a cookie per session from then on. */
export interface PageSessions {
  /**
   * The session of a token; NOT_FOUND if there is none, its account or the user who opened it is gone, their API key was revoked or
   * has expired, or they may not do any more what the session does. Asked at each use.
   */
  open(exchange: Exchange, token: string, isPopup: boolean): Promise<PageSession>;
  /** The Set-Cookie value that keeps an opened session: for a day at most, and for minutes once it connects nothing more. */
  cookieOf(session: PageSession, now: Date): string;
  /** The session that this browser opened; undefined if it sends no cookie for it. Otherwise as `open`. */
  find(
    exchange: Exchange,
    cookieHeader: string | undefined,
    sessionId: string,
  ): Promise<PageSession | undefined>;
}

/** What the sessions of a page need. */
export interface PageSessionsOptions {
  readonly useCases: Pick<SessionUseCases, 'resolveConnectSession'>;
  readonly findMember: FindMember;
  /** Base address as clients see it, without a trailing slash. */
  readonly publicUrl: string;
}

/** Sessions of the browsers that come to `publicUrl`. */
export function createPageSessions(o: PageSessionsOptions): PageSessions {
  const cookies = stateCookies({ publicUrl: o.publicUrl, name: 'fairlead-connect' });

  async function open(exchange: Exchange, token: string, isPopup: boolean): Promise<PageSession> {
    const ctx = platformContext(exchange);
    const found = await o.useCases.resolveConnectSession(ctx, { token });
    const { session, accountId, userId, isUsable, renews } = found;
    const { sessionId, endUserId } = session;
    const opener = await o.findMember(ctx, accountId, userId, found.keyId);
    if (opener === undefined || !mayStillConnect(opener.permissions, found))
      throw new ApiError('NOT_FOUND', 'Nobody asks for this session any more.');
    const { accountName, userName } = opener;
    const connections = found.maxConnections - found.remainingConnections;
    exchange.accountId = accountId;
    return {
      session,
      accountName,
      userName,
      isUsable,
      hasRoom: connections < Math.min(found.maxConnections, opener.maxConnectionsPerEndUser),
      renews,
      isPopup,
      token,
      context: exchange.contextFor({ kind: 'endUserSession', accountId, endUserId, sessionId }),
    };
  }

  return {
    open,
    cookieOf({ session, token, isPopup, isUsable }, now) {
      const leftMs =
        !isUsable || session.expiresAt === undefined
          ? 0
          : timestampDate(session.expiresAt).getTime() - now.getTime();
      const ageSeconds = Math.min(MAX_COOKIE_SECONDS, Math.max(MIN_COOKIE_SECONDS, Math.ceil(leftMs / 1000)));
      return cookies.set(session.sessionId, isPopup ? `${token}${POPUP}` : token, ageSeconds);
    },
    async find(exchange, cookieHeader, sessionId) {
      const kept = cookies.read(cookieHeader, sessionId);
      if (kept === '') return undefined;
      const isPopup = kept.endsWith(POPUP);
      const page = await open(exchange, isPopup ? kept.slice(0, -POPUP.length) : kept, isPopup);
      return page.session.sessionId === sessionId ? page : undefined;
    },
  };
}

/** Whether a user with these permissions could open the session now. */
function mayStillConnect(
  permissions: readonly Permission[],
  { usesAuthProviders }: { readonly usesAuthProviders: boolean },
): boolean {
  const needed: readonly Permission[] = usesAuthProviders
    ? ['connections.write', 'authProviders.use']
    : ['connections.write'];
  return needed.every((permission) => permissions.includes(permission));
}

const STATUS_NAMES: Readonly<Record<ConnectSessionStatus, string | undefined>> = {
  [ConnectSessionStatus.UNSPECIFIED]: undefined,
  [ConnectSessionStatus.OPEN]: undefined,
  [ConnectSessionStatus.COMPLETED]: 'completed',
  [ConnectSessionStatus.CANCELLED]: 'cancelled',
  [ConnectSessionStatus.EXPIRED]: 'expired',
};

/** The name of a session's status once something has become of it; undefined while it is open. */
export function outcomeOf({ status }: Pick<ConnectSession, 'status'>): string | undefined {
  return STATUS_NAMES[status];
}

/** Where a session leads in the end, with its id and status in the query; undefined if nowhere. */
export function returnAddress(session: ConnectSession): URL | undefined {
  if (session.redirectUrl === undefined) return undefined;
  const url = new URL(session.redirectUrl);
  // The service has checked this; a record that says otherwise leads nowhere.
  if (!session.allowedOrigins.includes(url.origin)) return undefined;
  url.searchParams.set('sessionId', session.sessionId);
  url.searchParams.set('status', outcomeOf(session) ?? 'open');
  return url;
}

/** A web origin that a content security policy can name. */
const SOURCE = /^https?:\/\/[a-z0-9.-]+(:\d+)?$/;

/** The theme of a session. */
export function themeOf(theme: ConnectTheme | undefined): Theme {
  const logo =
    theme?.logoUrl !== undefined && URL.canParse(theme.logoUrl) ? new URL(theme.logoUrl) : undefined;
  return {
    mode:
      theme?.mode === ConnectThemeMode.LIGHT
        ? 'light'
        : theme?.mode === ConnectThemeMode.DARK
          ? 'dark'
          : 'auto',
    primaryColor: theme?.primaryColor,
    logo:
      logo !== undefined && SOURCE.test(logo.origin) ? { url: logo.href, origin: logo.origin } : undefined,
  };
}
