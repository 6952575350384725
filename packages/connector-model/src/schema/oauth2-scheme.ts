import { z } from 'zod';
import { template, templateMap } from './template.ts';
import { tokenAssertion } from './token-assertion.ts';
import { clientAuthentication, parameterFormat, parameterName } from './token-parameters.ts';
import { tokenPlacement } from './token-placement.ts';
import { tokenResponseMapping } from './token-response.ts';
import { tokenRevocation } from './token-revocation.ts';
import { tokenExchange, tokenRefresh } from './token-step.ts';
import { translationsOf } from './translations.ts';

const scopeText = z
  .string()
  .min(1)
  .max(200)
  .describe('The access that the scope gives, as a continuation of "can": "See contacts".');

/** OAuth 2 by authorization code, client credentials, password or JWT bearer assertion. */
export const oauth2Scheme = z.strictObject({
  type: z.literal('oauth2').describe('OAuth 2 (RFC 6749).'),
  grant: z
    .enum(['authorizationCode', 'clientCredentials', 'password', 'jwtBearer'])
    .describe(
      'authorizationCode: a person signs in; clientCredentials: the client acts for itself; password: it acts for an API user, whose `username` and `password` are in tokenParameters (RFC 6749 section 4.3); jwtBearer: the holder of a private key signs who it is (RFC 7523).',
    ),
  assertion: tokenAssertion.nullable().default(null),
  authorizationUrl: template
    .nullable()
    .default(null)
    .describe("The vendor's authorization endpoint; a template. Null without a sign-in."),
  pushedAuthorizationUrl: template
    .nullable()
    .default(null)
    .describe(
      "The vendor's endpoint for pushed authorization requests (RFC 9126), a template; null: the browser carries the parameters.",
    ),
  issuer: template
    .nullable()
    .default(null)
    .describe(
      "The vendor's issuer identifier, a template; an `iss` in its response must be equal (RFC 9207). Null: the origins are compared.",
    ),
  requiresIssuer: z
    .boolean()
    .default(false)
    .describe(
      'Whether a response without `iss` is refused: for vendors that declare authorization_response_iss_parameter_supported.',
    ),
  tokenUrl: template.describe("The vendor's token endpoint; a template."),
  scopes: z.array(z.string().min(1).max(500)).max(100).default([]).describe('Scopes to request.'),
  scopeDescriptions: z
    .record(
      z.string().min(1).max(500),
      z.strictObject({
        description: scopeText,
        translations: translationsOf({ description: scopeText }),
      }),
    )
    .default({})
    .describe('Scopes in words, by their names. People see the name of a scope without an entry.'),
  scopeSeparator: z.string().min(1).max(3).default(' ').describe('Separator between two scopes.'),
  usesPkce: z
    .boolean()
    .default(true)
    .describe('Whether the sign-in is protected by PKCE (RFC 7636); has no effect for client credentials.'),
  clientAuthentication: clientAuthentication
    .default('basic')
    .describe(
      'How the client authenticates at the token endpoint: by HTTP basic authentication, by parameters, or not at all (a public client).',
    ),
  authorizationParameters: templateMap
    .default({})
    .describe('Additional query parameters of the authorization request; templates.'),
  tokenParameters: templateMap
    .default({})
    .describe('Additional parameters of every token request; templates.'),
  tokenFormat: parameterFormat
    .default('form')
    .describe(
      'How token requests send parameters: as a form, as a JSON object, or in the query of a GET request.',
    ),
  clientIdParameter: parameterName
    .default('client_id')
    .describe("Name of the parameter that holds the client's id."),
  clientSecretParameter: parameterName
    .default('client_secret')
    .describe("Name of the parameter that holds the client's secret."),
  scopeParameter: parameterName
    .default('scope')
    .describe('Name of the parameter of requests that holds the scopes.'),
  tokenResponse: tokenResponseMapping.prefault({}),
  exchange: tokenExchange.nullable().default(null),
  refresh: tokenRefresh.prefault({}),
  accessToken: tokenPlacement.prefault({}),
  revocation: tokenRevocation.nullable().default(null),
  // Fields for the client's id and secret, if neither a provider nor the connector's own client has them.
  clientIdField: z.string().default('clientId').describe("Name of the field that holds the client's id."),
  clientSecretField: z
    .string()
    .default('clientSecret')
    .describe("Name of the field that holds the client's secret."),
  allowsAuthProvider: z
    .boolean()
    .default(false)
    .describe('Whether accounts may use an OAuth client of their own through an auth provider.'),
});

/** The members of a scheme in a manifest, where those with a default may be absent. */
export type OAuth2SchemeMembers = z.input<typeof oauth2Scheme>;
