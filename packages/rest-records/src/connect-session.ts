import {
  ConnectSessionStatus,
  ConnectThemeMode,
} from '@fairlead/contracts/connections/v1/connect_session_pb';
import type { ConnectSession } from '@fairlead/contracts/connections/v1/connect_session_pb';
import { z } from 'zod';
import { lazyObject, timestamp } from '@fairlead/rest-kit/fields';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { nameOf, namesOf } from './enums.ts';
import { presentTime } from './values.ts';

const STATUSES = {
  open: ConnectSessionStatus.OPEN,
  completed: ConnectSessionStatus.COMPLETED,
  cancelled: ConnectSessionStatus.CANCELLED,
  expired: ConnectSessionStatus.EXPIRED,
} as const;

/** REST names of the colours of the hosted page. */
export const THEME_MODES = {
  auto: ConnectThemeMode.UNSPECIFIED,
  light: ConnectThemeMode.LIGHT,
  dark: ConnectThemeMode.DARK,
} as const;

/** The colours of the hosted page. */
export const themeMode = z.enum(namesOf(THEME_MODES)).describe('auto: as the browser prefers.');

const theme = z
  .strictObject({ mode: themeMode, primaryColor: z.string().nullable(), logoUrl: z.string().nullable() })
  .meta({ id: 'ConnectTheme' });

const members = {
  sessionId: z.string(),
  endUserId: z.string(),
  applicationSlugs: z
    .array(z.string())
    .describe('Empty: every application that the account can connect and end users may.'),
  connectionId: z.int32().nullable().describe('The connection that the session renews.'),
  redirectUrl: z.string().nullable(),
  allowedOrigins: z.array(z.string()),
  locale: z.string().nullable(),
  theme,
  metadata: lazyObject,
  status: z
    .enum(namesOf(STATUSES))
    .describe('completed: at least one connection was made or renewed. cancelled: ended before that.'),
  connections: z
    .array(
      z
        .strictObject({
          connectionId: z.int32(),
          connectionName: z.string(),
          applicationSlug: z.string(),
        })
        .meta({ id: 'SessionConnection' }),
    )
    .describe('What was made or renewed in the session, in that order.'),
  lastError: z
    .string()
    .nullable()
    .describe('Why the last attempt to connect failed; null since one succeeded.'),
  expiresAt: timestamp,
  createdAt: timestamp,
  updatedAt: timestamp,
};

/** A connect session as every route returns it. */
export const connectSessionRecord = z.strictObject(members).meta({ id: 'ConnectSession' });

/** A new connect session with the URL that opens it, which is returned only once. */
export const createdConnectSession = z
  .strictObject({
    ...members,
    token: z.string().describe('The bearer token of GET /connect/status for this session.'),
    connectUrl: z.string().describe('The hosted page, for the end user’s browser.'),
  })
  .meta({ id: 'CreatedConnectSession' });

export function presentConnectSession(session: ConnectSession): z.output<typeof connectSessionRecord> {
  return {
    sessionId: session.sessionId,
    endUserId: session.endUserId,
    applicationSlugs: session.applicationSlugs,
    connectionId: session.connectionId ?? null,
    redirectUrl: session.redirectUrl ?? null,
    allowedOrigins: session.allowedOrigins,
    locale: session.locale ?? null,
    theme: {
      mode: nameOf(THEME_MODES, session.theme?.mode ?? ConnectThemeMode.UNSPECIFIED),
      primaryColor: session.theme?.primaryColor ?? null,
      logoUrl: session.theme?.logoUrl ?? null,
    },
    metadata: LazyJson.object(session.metadataJson),
    status: nameOf(STATUSES, session.status),
    connections: session.connections.map(({ connectionId, connectionName, applicationSlug }) => ({
      connectionId,
      connectionName,
      applicationSlug,
    })),
    lastError: session.lastError ?? null,
    expiresAt: presentTime(session.expiresAt),
    createdAt: presentTime(session.createdAt),
    updatedAt: presentTime(session.updatedAt),
  };
}
