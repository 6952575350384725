import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { nameOfValue } from '@fairlead/connector-model/proto-enums';
import {
  ConnectSessionStatus as StatusMessage,
  ConnectThemeMode as ModeMessage,
} from '@fairlead/contracts/connections/v1/connect_session_pb';
import type { ConnectSessionSchema } from '@fairlead/contracts/connections/v1/connect_session_pb';
import type {
  CreateConnectSessionRequest,
  CreateConnectSessionResponseSchema,
} from '@fairlead/contracts/connections/v1/connect_session_service_pb';
import type {
  ConnectSession,
  ConnectSessionRequest,
  ConnectSessionStatus,
  ConnectThemeMode,
} from '../domain/connect-session.ts';
import { sessionStatus } from '../domain/connect-session.ts';
import type { SessionWithToken } from '../use-cases/create-connect-session.ts';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import { fromLicenceStatus } from './convert-connection.ts';

const STATUSES = {
  open: StatusMessage.OPEN,
  completed: StatusMessage.COMPLETED,
  cancelled: StatusMessage.CANCELLED,
  expired: StatusMessage.EXPIRED,
} as const satisfies Record<ConnectSessionStatus, StatusMessage>;

const MODES = {
  auto: ModeMessage.UNSPECIFIED,
  light: ModeMessage.LIGHT,
  dark: ModeMessage.DARK,
} as const satisfies Record<ConnectThemeMode, ModeMessage>;

/** Encodes a session with its status at `now`. */
export function toSession(session: ConnectSession, now: Date): MessageInitShape<typeof ConnectSessionSchema> {
  const { connectionId, redirectUrl, locale, lastError, theme } = session;
  return {
    sessionId: session.id,
    endUserId: session.endUserId,
    applicationSlugs: [...session.applicationSlugs],
    ...(connectionId === null ? {} : { connectionId }),
    ...(redirectUrl === null ? {} : { redirectUrl }),
    allowedOrigins: [...session.allowedOrigins],
    ...(locale === null ? {} : { locale }),
    theme: {
      mode: MODES[theme.mode],
      ...(theme.primaryColor === null ? {} : { primaryColor: theme.primaryColor }),
      ...(theme.logoUrl === null ? {} : { logoUrl: theme.logoUrl }),
    },
    metadataJson: session.metadata.bytes,
    status: STATUSES[sessionStatus(session, now)],
    connections: session.connections.map((connection) => ({ ...connection })),
    ...(lastError === null ? {} : { lastError }),
    expiresAt: timestampFromDate(session.expiresAt),
    createdAt: timestampFromDate(session.createdAt),
    updatedAt: timestampFromDate(session.updatedAt),
  };
}

/** Encodes a new session with its token. */
export function toCreateResponse(
  { session, token, connectUrl }: SessionWithToken,
  now: Date,
): MessageInitShape<typeof CreateConnectSessionResponseSchema> {
  return { session: toSession(session, now), token: token.reveal(), connectUrl: connectUrl.reveal() };
}

/** The requested session; absent members are null, an absent theme is the page's default. */
export function fromCreateSessionRequest(request: CreateConnectSessionRequest): ConnectSessionRequest {
  const { theme } = request;
  return {
    endUserId: request.endUserId,
    applicationSlugs: request.applicationSlugs,
    connectionId: request.connectionId ?? null,
    renewsShared: request.renewsShared,
    redirectUrl: request.redirectUrl ?? null,
    allowedOrigins: request.allowedOrigins,
    locale: request.locale ?? null,
    theme: {
      mode: nameOfValue(MODES, theme?.mode ?? ModeMessage.UNSPECIFIED) ?? 'auto',
      primaryColor: theme?.primaryColor ?? null,
      logoUrl: theme?.logoUrl ?? null,
    },
    metadata: LazyJson.object(request.metadataJson, 'metadata'),
    licenceStatus: fromLicenceStatus(request.licenceStatus),
    maxConnections: request.maxConnections,
    expiresInMinutes: request.expiresInMinutes,
    keyId: request.keyId ?? null,
  };
}
