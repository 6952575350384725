import type { JsonSchema } from '../json-schema.ts';
import type { Route } from '../route.ts';
import { OAUTH_PATH } from '@fairlead/access/resources';
import { SCOPES } from '@fairlead/access/permissions';
import { API_METADATA_PATH } from '@fairlead/access/well-known';
import { SCOPE_DESCRIPTIONS } from '@fairlead/access/scope-descriptions';

/** The default credentials of an operation, one of which is needed. */
export const SECURITY: readonly JsonSchema[] = [{ apiKey: [] }, { bearer: [] }, { oauth2: [] }];

/** An operation's credentials, and the permission that their owner needs. */
export function securityOf({ auth, permission }: Route): {
  readonly security?: readonly JsonSchema[];
  readonly 'x-required-permission'?: string;
} {
  if (auth === 'anonymous') return { security: [] };
  if (auth === 'operator') return { security: [{ operator: [] }] };
  if (permission === undefined) return {};
  return {
    security: [{ apiKey: [] }, { bearer: [] }, { oauth2: [permission] }],
    'x-required-permission': permission,
  };
}

/** All kinds of credentials of the API at `publicUrl`. */
export function securitySchemes(publicUrl: string): JsonSchema {
  const scopes = Object.fromEntries(SCOPES.map((scope) => [scope, SCOPE_DESCRIPTIONS[scope]]));
  const tokenUrl = `${publicUrl}${OAUTH_PATH}/token`;
  return {
    apiKey: {
      type: 'apiKey',
      in: 'header',
      name: 'x-api-key',
      description: 'An API key. It acts as the user that it belongs to.',
    },
    bearer: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description:
        'A token issued by the service. It is used if both are sent. An API key is not accepted here.',
    },
    oauth2: {
      type: 'oauth2',
      description:
        'How to get such a token: OAuth 2.1, with PKCE. A scope grants what its user’s role allows; `administration` is granted only if requested. ' +
        `Metadata: \`${publicUrl}${API_METADATA_PATH}\`.`,
      flows: {
        authorizationCode: {
          authorizationUrl: `${publicUrl}${OAUTH_PATH}/authorize`,
          tokenUrl,
          refreshUrl: tokenUrl,
          scopes,
        },
        clientCredentials: { tokenUrl, scopes },
      },
    },
    operator: {
      type: 'apiKey',
      in: 'header',
      name: 'x-api-key',
      description:
        'The key of the platform’s operator, from the installation’s environment; `Authorization: Bearer` also takes it. It gives access to `/operator/v1` only.',
    },
  };
}
