import { z } from 'zod';
import { recordId, slug, text } from '@fairlead/rest-kit/fields';
import {
  createdConnectSession,
  presentConnectSession,
  themeMode,
  THEME_MODES,
} from '@fairlead/rest-records/connect-session';
import { LICENCE_STATUSES } from '@fairlead/rest-records/enums';
import { required } from '@fairlead/rest-records/values';
import { jsonBytes } from '@fairlead/service-kit/json/lazy-json';
import { metadata } from '../connections/inputs.ts';
import { defineRoute } from '../define-route.ts';
import { endUserId } from './inputs.ts';

const address = text(1, 2_048);

const LANGUAGE_TAG = /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$/;
const COLOUR = /^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/;

const body = z
  .object({
    endUserId,
    applicationSlugs: z
      .array(slug)
      .max(50)
      .nullish()
      .describe(
        'The only applications that the session offers. Absent or empty: every one that can be connected and is of use only then.',
      ),
    connectionId: recordId
      .nullish()
      .describe('A connection of this end user to renew; the session offers nothing else, and its id stays.'),
    redirectUrl: address
      .nullish()
      .describe('Where the hosted page leads in the end; https, or http on a loopback host.'),
    allowedOrigins: z
      .array(address)
      .max(20)
      .nullish()
      .describe(
        'The origins whose scripts may read GET /connect/status and get messages of the hosted page. Absent or empty: that of redirectUrl.',
      ),
    locale: text(2, 35)
      .regex(LANGUAGE_TAG)
      .nullish()
      .describe('A language tag such as en or fr. Absent: the browser’s.'),
    theme: z
      .object({
        mode: themeMode.nullish(),
        primaryColor: text(1, 7).regex(COLOUR).nullish().describe('A colour such as #1a73e8.'),
        logoUrl: address.nullish().describe('https, or http on a loopback host.'),
      })
      .nullish(),
    metadata: metadata.describe(
      'Any JSON object of at most 16 KiB; copied to the connections that are made.',
    ),
    expiresInMinutes: z.int32().min(5).max(10_080).default(30),
  })
  .meta({ id: 'CreateConnectSessionRequest' });

export const createConnectSession = defineRoute(
  {
    operationId: 'createConnectSession',
    method: 'post',
    path: '/v1/connect-sessions',
    tags: ['End users'],
    summary: 'Open a connect session for an end user',
    description:
      'Returns the address of a hosted page on which one of your customers connects applications without your credential, and a ' +
      'token with which scripts of your site read the status of the session: `GET /connect/status`, with the token as bearer, ' +
      'answers as `GET /v1/connect-sessions/{sessionId}` does. Applications of kind MCPClient and OPA cannot be connected. ' +
      'Applications with an OAuth sign-in use the OAuth client that the caller would use.',
    services: ['connectSessions'],
    resource: 'connect session',
    permission: 'connections.write',
    body,
    response: createdConnectSession,
    status: 201,
    errors: ['NOT_FOUND'],
  },
  async ({ ctx, principal, body: sent, services }) => {
    const { applicationSlugs, connectionId, redirectUrl, allowedOrigins, locale, theme } = sent;
    const { session, token, connectUrl } = await services.connectSessions.createConnectSession(ctx, {
      endUserId: sent.endUserId,
      applicationSlugs: applicationSlugs ?? [],
      allowedOrigins: allowedOrigins ?? [],
      theme: {
        mode: THEME_MODES[theme?.mode ?? 'auto'],
        ...(typeof theme?.primaryColor === 'string' && { primaryColor: theme.primaryColor }),
        ...(typeof theme?.logoUrl === 'string' && { logoUrl: theme.logoUrl }),
      },
      metadataJson: jsonBytes(sent.metadata ?? {}),
      expiresInMinutes: sent.expiresInMinutes,
      licenceStatus: LICENCE_STATUSES[principal.defaultLicence],
      maxConnections: principal.maxConnectionsPerEndUser,
      ...(principal.credentialType === 'apiKey' && { keyId: principal.credentialId }),
      ...(typeof connectionId === 'number' && { connectionId }),
      ...(typeof redirectUrl === 'string' && { redirectUrl }),
      ...(typeof locale === 'string' && { locale }),
    });
    return { ...presentConnectSession(required(session)), token, connectUrl };
  },
);
