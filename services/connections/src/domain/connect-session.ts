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

/** Colour scheme of the hosted page; `auto`: the browser's preference. */
export type ConnectThemeMode = 'light' | 'dark' | 'auto';

/** How the hosted page looks; null: its default. */
export interface ConnectTheme {
  readonly mode: ConnectThemeMode;
  /** `#rrggbb` in lower case. */
  readonly primaryColor: string | null;
  readonly logoUrl: string | null;
}

/** A connection created or renewed in a session. */
export interface SessionConnection {
  readonly connectionId: number;
  readonly connectionName: string;
  readonly applicationSlug: string;
}

/** Terms of a session, set by the account when it opens the session. */
export interface ConnectSessionTerms {
  readonly endUserId: string;
  /** Empty: every application that the account can connect. */
  readonly applicationSlugs: readonly string[];
  /** The connection to renew; null: the session creates new ones. */
  readonly connectionId: number | null;
  /** Whether the connection to renew is a shared one, not the end user's. Default: no. */
  readonly renewsShared?: boolean | undefined;
  readonly redirectUrl: string | null;
  /** Origins whose scripts may read the session's status; no others may. */
  readonly allowedOrigins: readonly string[];
  readonly locale: string | null;
  readonly theme: ConnectTheme;
  /** An object. */
  readonly metadata: LazyJson;
  /** Initial licence status of created connections. */
  readonly licenceStatus: LicenceStatus;
  /** Maximum number of connections of the end user. */
  readonly maxConnections: number;
  /** The API key that opened the session; null: another credential did. */
  readonly keyId: string | null;
}

/** Lets one end user connect applications without a credential of the account. Its token is stored as a hash only. */
export interface ConnectSession extends ConnectSessionTerms {
  /** `cs_…` */
  readonly id: string;
  readonly accountId: string;
  /** The user who opened it. */
  readonly userId: string;
  /** Whether that user may use auth providers; sign-ins in the session may use them only then. */
  readonly mayUseProviders: boolean;
  /** In order of creation. */
  readonly connections: readonly SessionConnection[];
  /** Error text of the last attempt, without secrets; null: it succeeded, or there was none. */
  readonly lastError: string | null;
  /** When the end user or the account ended it. */
  readonly endedAt: Date | null;
  /** Who ended it; null: nobody, or unknown. */
  readonly endedBy: SessionEnder | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Expiry: from then on its token connects nothing. */
  readonly expiresAt: Date;
}

/** How a session was ended: by the account's call, by the end user, or because its user or API key has ended (`account`). */
export type SessionEnder = 'endUser' | 'account';

export type ConnectSessionStatus = 'open' | 'completed' | 'cancelled' | 'expired';

/** How long an expired session can still be read, in milliseconds. */
export const SESSION_RETENTION_MS = 7 * 86_400_000;

/** Only this many of a session's newest sign-ins can be completed: starting another ends the oldest. */
export const MAX_SESSION_SIGN_INS = 5;

/** Refusals by vendors allowed in one session, so that its page cannot be used to try out credentials. */
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

/** NOT_FOUND, the same for sessions that are unknown, have ended, or belong to another end user. */
export function sessionNotFound(): ApiError {
  return notFound('connect session');
}

/** Status of a session at `now`. */
export function sessionStatus(
  session: Pick<ConnectSession, 'connections' | 'endedAt' | 'expiresAt'>,
  now: Date,
): ConnectSessionStatus {
  if (session.connections.length > 0) return 'completed';
  if (session.endedAt !== null) return 'cancelled';
  return session.expiresAt <= now ? 'expired' : 'open';
}

/** Whether a session connects one application only, and only once. */
export function connectsOnce(session: Pick<ConnectSession, 'connectionId' | 'applicationSlugs'>): boolean {
  return session.connectionId !== null || session.applicationSlugs.length === 1;
}

/**
 * Whether a session may renew the connection: one of its end user, or a shared one if the account set so. A connection to an MCP server can
 * only be renewed by a sign-in, because fields would include another server address.
 */
export function mayRenew(
  { connectionId, endUserId, renewsShared = false }: ConnectSessionTerms,
  connection: Pick<Connection, 'id' | 'endUserId' | 'kind' | 'grant'>,
): boolean {
  if (connection.kind === 'MCPClient' && connection.grant !== 'authorizationCode') return false;
  return connection.id === connectionId && connection.endUserId === (renewsShared ? null : endUserId);
}

/** Whether a session can still connect anything at `now`. */
export function isSessionUsable(session: ConnectSession, now: Date): boolean {
  if (session.endedAt !== null || session.expiresAt <= now) return false;
  return session.connections.length === 0 || !connectsOnce(session);
}

/** Whether end users can connect applications of this kind: other kinds run programs or serve the whole account. */
export function isConnectableKind(kind: ApplicationKind): boolean {
  return kind === 'Regular' || kind === 'Key';
}

/**
 * Whether a session connects applications of this kind. It can also renew a shared connection to an MCP server, which serves the whole
 * account.
 */
export function connectsKind(
  { connectionId, renewsShared = false }: Pick<ConnectSessionTerms, 'connectionId' | 'renewsShared'>,
  kind: ApplicationKind,
): boolean {
  return isConnectableKind(kind) || (kind === 'MCPClient' && renewsShared && connectionId !== null);
}

/** The requested terms of a session, unchecked. */
export interface ConnectSessionRequest extends Omit<ConnectSessionTerms, 'allowedOrigins'> {
  /** Empty: the origin of redirectUrl. */
  readonly allowedOrigins: readonly string[];
  readonly expiresInMinutes: number;
}

/**
 * Checks the terms of a session and normalizes its addresses. Throws VALIDATION_ERROR naming every invalid member. Addresses must be https,
 * or http on a loopback host, because the account's product trusts the requests that arrive there.
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

/** The application's method with that id. VALIDATION_ERROR if the session cannot use it: when renewing, the connection keeps its method. */
export function requireSessionMethod(
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

/** A connection of the session, as the session shows it. */
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
