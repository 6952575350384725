import { createHash } from 'node:crypto';
import type { AuthenticationMethod, ConnectorHead } from '@fairlead/connector-model/model';
import type { ApplicationKind } from '@fairlead/connector-model/enumerations';
import type { FieldIssue } from '@fairlead/errors/api-error';
import { notFound, validationError } from '@fairlead/errors/api-error';
import type { ApiError } from '@fairlead/errors/api-error';
import type { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { Secret } from '@fairlead/service-kit/secret';
import type { Connection, LicenceStatus } from './connection.ts';
import { isLoopback } from './loopback.ts';

/** Colours of the hosted page; `auto`: as the browser prefers. */
export type ConnectThemeMode = 'light' | 'dark' | 'auto';

/** How the account wants the hosted page to look; null: the page's own choice. */
export interface ConnectTheme {
  readonly mode: ConnectThemeMode;
  /** `#rrggbb` in lower case. */
  readonly primaryColor: string | null;
  readonly logoUrl: string | null;
}

/** A connection that was made or renewed in a session. */
export interface SessionConnection {
  readonly connectionId: number;
  readonly connectionName: string;
  readonly applicationSlug: string;
}

/** The terms that an account sets when it opens a session. */
export interface ConnectSessionTerms {
  readonly endUserId: string;
  /** Empty: every application that the account can connect. */
  readonly applicationSlugs: readonly string[];
  /** The connection to renew; null: the session makes new ones. */
  readonly connectionId: number | null;
  /** Whether that is a shared connection, in place of one of the end user. Default: no. */
  readonly renewsShared?: boolean | undefined;
  readonly redirectUrl: string | null;
  /** Origins whose scripts may read the session's status; never anyone else's. */
  readonly allowedOrigins: readonly string[];
  readonly locale: string | null;
  readonly theme: ConnectTheme;
  /** An object. */
  readonly metadata: LazyJson;
  /** Licence status of the connections that are made. */
  readonly licenceStatus: LicenceStatus;
  /** How many connections the end user may have. */
  readonly maxConnections: number;
  /** The API key by which it is opened; null: another credential. */
  readonly keyId: string | null;
}

/** Lets one end user connect applications without a credential of the account. Its token is stored as a hash only. */
export interface ConnectSession extends ConnectSessionTerms {
  /** `cs_…` */
  readonly id: string;
  readonly accountId: string;
  /** The user who opened it. */
  readonly userId: string;
  /** Whether that user may use auth providers: sign-ins in the session use them then. */
  readonly mayUseProviders: boolean;
  /** In the order in which they were made. */
  readonly connections: readonly SessionConnection[];
  /** For people; holds no secret. Null: the last attempt succeeded, or there was none. */
  readonly lastError: string | null;
  /** When the end user or the account ended it. */
  readonly endedAt: Date | null;
  /** Who ended it; null: nobody, or it is not known. */
  readonly endedBy: SessionEnder | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** From this time on its token connects nothing. */
  readonly expiresAt: Date;
}

/** Who can end a session: `account` by a call, or because the user or the key that opened it has ended. */
export type SessionEnder = 'endUser' | 'account';

/** How far a session is. */
export type ConnectSessionStatus = 'open' | 'completed' | 'cancelled' | 'expired';

/** How long a session can be read after it has expired, in milliseconds. */
export const SESSION_RETENTION_MS = 7 * 86_400_000;

/** How many sign-ins of a session can be completed: starting another one ends the oldest. */
export const MAX_SESSION_SIGN_INS = 5;

/** How many credentials a vendor may refuse in one session: its page is not for finding out which ones work. */
export const MAX_REFUSED_ATTEMPTS = 20;

const MAX_ORIGINS = 20;
const MAX_URL_CHARACTERS = 2_048;
const MAX_APPLICATIONS = 50;
const MIN_MINUTES = 5;
const MAX_MINUTES = 10_080;
const COLOUR = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;
const LANGUAGE_TAG = /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$/;

/** The stored form of a session's token: its SHA-256, in hex. */
export function hashSessionToken(token: Secret): string {
  return createHash('sha256').update(token.reveal()).digest('hex');
}

/** NOT_FOUND, the same for sessions that are unknown, over, or another end user's. */
export function sessionNotFound(): ApiError {
  return notFound('connect session');
}

/** How far a session is at `now`. */
export function sessionStatus(
  session: Pick<ConnectSession, 'connections' | 'endedAt' | 'expiresAt'>,
  now: Date,
): ConnectSessionStatus {
  if (session.connections.length > 0) return 'completed';
  if (session.endedAt !== null) return 'cancelled';
  return session.expiresAt <= now ? 'expired' : 'open';
}

/** Whether a session connects no more than one application, once. */
export function connectsOnce(session: Pick<ConnectSession, 'connectionId' | 'applicationSlugs'>): boolean {
  return session.connectionId !== null || session.applicationSlugs.length === 1;
}

/**
 * Whether a session may renew a connection: one of its end user, or, where its account says so, a shared one. One to an MCP server is renewed by
 * a sign-in only: other credentials come with the address of the server.
 */
export function mayRenew(
  { connectionId, endUserId, renewsShared = false }: ConnectSessionTerms,
  connection: Pick<Connection, 'id' | 'endUserId' | 'kind' | 'grant'>,
): boolean {
  if (connection.kind === 'MCPClient' && connection.grant !== 'authorizationCode') return false;
  return connection.id === connectionId && connection.endUserId === (renewsShared ? null : endUserId);
}

/** Whether a session can connect something at `now`. */
export function isSessionUsable(session: ConnectSession, now: Date): boolean {
  if (session.endedAt !== null || session.expiresAt <= now) return false;
  return session.connections.length === 0 || !connectsOnce(session);
}

/** Whether end users can connect applications of that kind: the others run programs or serve the whole account. */
export function isConnectableKind(kind: ApplicationKind): boolean {
  return kind === 'Regular' || kind === 'Key';
}

/** Whether a session connects applications of that kind. A shared connection to an MCP server can be renewed: it serves the whole account. */
export function connectsKind(
  { connectionId, renewsShared = false }: Pick<ConnectSessionTerms, 'connectionId' | 'renewsShared'>,
  kind: ApplicationKind,
): boolean {
  return isConnectableKind(kind) || (kind === 'MCPClient' && renewsShared && connectionId !== null);
}

/** A session as its account asks for it, before it is checked. */
export interface ConnectSessionRequest extends Omit<ConnectSessionTerms, 'allowedOrigins'> {
  /** Empty: that of redirectUrl. */
  readonly allowedOrigins: readonly string[];
  readonly expiresInMinutes: number;
}

/**
 * The terms of a session, its addresses in their normal form. Throws VALIDATION_ERROR naming every member that is out of
 * bounds. Addresses are https, or http on a loopback host: what they receive decides what the account's product does.
 */
export function checkSessionRequest(request: ConnectSessionRequest): ConnectSessionTerms {
  const issues: FieldIssue[] = [];
  const origins = request.allowedOrigins.map((text, index) => {
    const url = webUrl(text);
    if (url === undefined || url.origin !== text.toLowerCase().replace(/\/$/, ''))
      issues.push({ field: `allowedOrigins[${index}]`, issue: 'must be an origin: https://host[:port]' });
    return url?.origin ?? '';
  });
  if (origins.length > MAX_ORIGINS)
    issues.push({ field: 'allowedOrigins', issue: `must have at most ${MAX_ORIGINS} items` });
  const redirect = request.redirectUrl === null ? undefined : webUrl(request.redirectUrl);
  if (request.redirectUrl !== null && redirect === undefined)
    issues.push({ field: 'redirectUrl', issue: 'must be an https address' });
  if (redirect !== undefined && origins.length > 0 && !origins.includes(redirect.origin))
    issues.push({ field: 'redirectUrl', issue: 'must be at one of allowedOrigins' });
  if (request.applicationSlugs.length > MAX_APPLICATIONS)
    issues.push({ field: 'applicationSlugs', issue: `must have at most ${MAX_APPLICATIONS} items` });
  if (request.expiresInMinutes < MIN_MINUTES || request.expiresInMinutes > MAX_MINUTES)
    issues.push({ field: 'expiresInMinutes', issue: `must be from ${MIN_MINUTES} to ${MAX_MINUTES}` });
  if (request.locale !== null && !LANGUAGE_TAG.test(request.locale))
    issues.push({ field: 'locale', issue: 'must be a language tag such as en or pt-BR' });
  const { primaryColor, logoUrl } = request.theme;
  if (primaryColor !== null && !COLOUR.test(primaryColor))
    issues.push({ field: 'theme.primaryColor', issue: 'must be a colour such as #1a73e8' });
  if (logoUrl !== null && webUrl(logoUrl) === undefined)
    issues.push({ field: 'theme.logoUrl', issue: 'must be an https address' });
  if (issues.length > 0) throw validationError(...issues);
  const { expiresInMinutes: _used, ...terms } = request;
  return {
    ...terms,
    applicationSlugs: [...new Set(request.applicationSlugs)],
    redirectUrl: redirect?.href ?? null,
    allowedOrigins: allowed(origins, redirect),
    theme: { ...request.theme, primaryColor: primaryColor === null ? null : longColour(primaryColor) },
  };
}

/**
 * The method of an application with that id; VALIDATION_ERROR for one that a session cannot use: one that renews a connection
 * keeps its method.
 */
export function requireOfferedMethod(
  { name, authenticationMethods }: Pick<ConnectorHead, 'name' | 'authenticationMethods'>,
  renews: Pick<Connection, 'authenticationId'> | undefined,
  authenticationId: number,
): AuthenticationMethod {
  const method = authenticationMethods.find((each) => each.authenticationId === authenticationId);
  const isUsable = renews === undefined || renews.authenticationId === authenticationId;
  if (method !== undefined && isUsable) return method;
  throw validationError({
    field: 'authenticationId',
    issue: `is not a method of ${name} that can be used here`,
  });
}

/** The members that a session shows of a connection that was made in it. */
export function toSessionConnection(connection: Connection): SessionConnection {
  const { id, connectionName, applicationSlug } = connection;
  return { connectionId: id, connectionName, applicationSlug };
}

function allowed(origins: readonly string[], redirect: URL | undefined): readonly string[] {
  if (origins.length > 0) return [...new Set(origins)];
  return redirect === undefined ? [] : [redirect.origin];
}

function webUrl(text: string): URL | undefined {
  if (text.length > MAX_URL_CHARACTERS || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isWeb = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
  return isWeb && url.username === '' && url.password === '' ? url : undefined;
}

function longColour(colour: string): string {
  const digits = colour.slice(1).toLowerCase();
  return `#${digits.length === 6 ? digits : digits.replaceAll(/./g, '$&$&')}`;
}
