import { z } from 'zod';
import { template, templateMap } from './template.ts';
import { clientAuthentication, parameterFormat, parameterName } from './token-parameters.ts';

/** The revocation of a grant at the vendor. */
export const tokenRevocation = z
  .strictObject({
    url: template.describe("The vendor's revocation endpoint; a template, also over {{token.value}}."),
    method: z.enum(['POST', 'DELETE', 'GET']).default('POST').describe('The HTTP method.'),
    format: parameterFormat
      .default('form')
      .describe('How parameters are sent: as a form, as a JSON object, or in the query.'),
    clientAuthentication: clientAuthentication
      .nullable()
      .default(null)
      .describe('How the client authenticates here; null: as at the token endpoint.'),
    token: z
      .enum(['refreshToken', 'accessToken'])
      .default('refreshToken')
      .describe('The token to revoke; the access token if there is no refresh token.'),
    tokenParameter: parameterName
      .nullable()
      .default('token')
      .describe('Name of the parameter that holds the token; null: none does.'),
    sendsAccessToken: z
      .boolean()
      .default(false)
      .describe('Whether the request carries the access token as API calls do.'),
    scope: z
      .enum(['grant', 'consent'])
      .default('grant')
      .describe(
        'What the vendor ends: this grant, or all that the person has granted to the client. The latter is not revoked while another connection of the same owner uses it.',
      ),
    parameters: templateMap
      .default({})
      .describe('Additional parameters; templates, also over {{token.value}}.'),
  })
  .describe("How a grant is revoked when its connection is deleted (RFC 7009, or the vendor's own form).");
